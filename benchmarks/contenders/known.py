"""Contenders by name: the adapters of installed packages, and adapters in files of your own."""

import hashlib
import importlib.util
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memzoo.errors import OptionError
from memzoo.plugins import make_plugin_error, plugins_by_name

CONTENDERS = "memzoo.contenders"
"""The entry point group for contenders. An entry has the contender's name, and refers to the adapter's module."""

_SCRIPT = re.compile(r"^# /// script$\n((?:^#(?:| .*)$\n)+)^# ///$", re.MULTILINE)  # PEP 723


class _Shape(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Way(_Shape):
    """One way to run an adapter, for example with a certain strategy of its library.

    Attributes:
        about: The contents of the memory's views, in a few words.
        options: The options for the adapter's class. The value "budget" is replaced by the budget in tokens.
        asks_model: True if the memory asks a model to save an exchange or to make a view.
        source: The address of the page that recommends these options.
        remarks: Links to notes on this memory's figures: a dict from a column of the table to a note's address.
    """

    about: str
    options: Mapping[str, Any] = Field(default_factory=dict)
    asks_model: bool = False
    source: str = ""
    remarks: Mapping[str, str] = Field(default_factory=dict)


class _Header(_Shape):
    ways: Annotated[Mapping[str, Way], Field(min_length=1)]


@dataclass(frozen=True, slots=True)
class Adapter:
    """A Python file that lets the memory of another library take part in a comparison.

    Attributes:
        requires: The packages that the adapter imports, as requirements for pip.
        ways: The ways to run the adapter, as a dict by name; each way has a row in the table.
    """

    name: str
    file: Path
    requires: tuple[str, ...]
    ways: Mapping[str, Way]
    digest: str


def adapters() -> dict[str, Adapter]:
    """Return the adapters of installed packages, as a dict from name to adapter."""
    return {name: find_adapter(name) for name in plugins_by_name(CONTENDERS)}


def find_adapter(name: str) -> Adapter:
    """Return the adapter with this name. A name that ends in `.py` is the path of an adapter's file.

    Raises:
        OptionError: There is no such adapter, or its header is invalid.
        PluginError: The module of an installed adapter is missing.
    """
    if name.endswith(".py"):
        return _read(Path(name).stem, Path(name))
    plugin = plugins_by_name(CONTENDERS).get(name)
    if plugin is None:
        known = ", ".join(plugins_by_name(CONTENDERS))
        raise OptionError(f"there is no contender {name!r}; there are {known}, or the path of an adapter.py")
    try:
        spec = importlib.util.find_spec(plugin.module)
    except ImportError:
        spec = None
    if spec is None or not spec.origin:
        raise make_plugin_error(plugin, f"has no module {plugin.module!r}")
    return _read(name, Path(spec.origin))


def _read(name: str, file: Path) -> Adapter:
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise OptionError(f"the adapter {str(file)!r} cannot be read: {error}") from error
    script = _SCRIPT.search(text)
    if not script:
        raise OptionError(f"the adapter {str(file)!r} has no header between '# /// script' and '# ///'")
    try:
        header = tomllib.loads("".join(f"{line[2:]}\n" for line in script[1].splitlines()))
        ways = _Header.model_validate(header.get("tool", {}).get("memzoo", {})).ways
        requires = tuple(map(str, header.get("dependencies", ())))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, ("tool.memzoo", *first["loc"])))
        raise OptionError(f"the adapter {str(file)!r} has a wrong header: {where}: {first['msg']}") from error
    except ValueError as error:
        raise OptionError(f"the adapter {str(file)!r} has a wrong header: {error}") from error
    return Adapter(name, file.absolute(), requires, ways, hashlib.blake2b(text.encode(), digest_size=8).hexdigest())
