"""Writes and reads YAML for people: text in blocks, vectors on a line, nothing reordered, and nothing said twice."""

import re
from collections.abc import Callable
from typing import Any, ClassVar

import yaml

from memzoo.cassettes.compact import is_vector, packed, shared, unpacked

__all__ = ["dump", "load"]

# Characters that a block shows as they are and that every YAML reader gives back unchanged. Others, such as a
# carriage return or a line separator, are escaped. A first line that begins with a tab confuses libyaml.
_BLOCK = re.compile(
    r"(?!\t)[\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010fffd]*",
)
_ENDLESS = 2**31
_dump: Any = yaml.dump  # its type is only partly known
_SafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def dump(value: Any, *, compact: bool = False) -> str:
    """Write JSON as YAML, in its own order.

    Args:
        value: What to write.
        compact: Write long vectors as arrays, and long parts that are equal once.
    """
    options: dict[str, Any] = {
        "sort_keys": False,
        "allow_unicode": True,
        "width": _ENDLESS,
        "default_flow_style": False,
    }
    if compact:
        once, names = shared(value)
        return str(_dump(once, Dumper=type("Dumper", (_CompactDumper,), {"names": names}), **options))
    return str(_dump(value, Dumper=_Dumper, **options))


def load(text: str) -> Any:
    """Read what `dump` wrote; only plain values, never objects.

    Raises:
        ValueError: The text is not YAML, or has tags that only an unsafe reader would follow.
    """
    try:
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - a safe loader
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error


class _Dumper(yaml.SafeDumper):
    def analyze_scalar(self, scalar: str) -> Any:
        analysis = super().analyze_scalar(scalar)
        # PyYAML escapes a text with a tab, or with spaces before a line break; a block keeps both.
        analysis.allow_block = "\n" in scalar and _BLOCK.fullmatch(scalar) is not None
        return analysis

    def ignore_aliases(self, data: Any) -> bool:
        return True


class _CompactDumper(_Dumper):
    names: ClassVar[dict[int, str]] = {}

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._names_of_nodes: dict[int, str] = {}

    def ignore_aliases(self, data: Any) -> bool:
        return id(data) not in self.names

    def represent_data(self, data: Any) -> Any:
        node: Any = super().represent_data(data)  # pyright: ignore[reportUnknownMemberType]
        if id(data) in self.names:
            self._names_of_nodes[id(node)] = self.names[id(data)]
        return node

    def generate_anchor(self, node: Any) -> str:
        return self._names_of_nodes[id(node)]


def _represent_text(dumper: Any, text: str) -> Any:
    if _BLOCK.fullmatch(text) is None:
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"')
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


def _represent_list(dumper: Any, items: list[Any]) -> Any:
    numbers = bool(items) and all(isinstance(item, int | float) for item in items)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", items, flow_style=numbers)


_Dumper.add_representer(str, _represent_text)
_Dumper.add_representer(list, _represent_list)


class _Loader(_SafeLoader):  # type: ignore[misc]  # it is one of two
    """Knows arrays, besides plain values."""


def _represent_array(dumper: Any, items: list[Any]) -> Any:
    if not is_vector(items):
        return _represent_list(dumper, items)
    kind, text = packed(items)
    if len(text) >= len(str(items)):
        return _represent_list(dumper, items)
    return dumper.represent_scalar(f"!{kind}", text, style=None)


def _construct_array(kind: str) -> Callable[[Any, Any], list[float]]:
    return lambda loader, node: unpacked(kind, loader.construct_scalar(node))


_CompactDumper.add_representer(list, _represent_array)
for _kind in ("f32", "f64"):
    _Loader.add_constructor(f"!{_kind}", _construct_array(_kind))
