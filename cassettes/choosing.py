"""Which cassette a marked test has, and how it is recorded. PYTEST_DONT_REWRITE."""

import os
import shlex
from pathlib import Path, PurePath
from typing import Any, cast

import pytest

from memzoo.cassettes.naming import cassette_name
from memzoo.cassettes.settings import CassetteSettings, Record
from memzoo.stores.errors import OptionError, UnknownOptionError

__all__ = ["Choices"]

_OPTIONS = ("allow_errors", "note", "max_bytes")


class Choices:
    """The cassettes of one test run.

    Attributes:
        record: What this run records, by the command line.
    """

    def __init__(self, config: pytest.Config) -> None:
        self.record: Record = cast("Record", config.getoption("--cassettes"))
        self._config = config
        self._owners: dict[str, str] = {}
        self._recorded: set[Path] = set()

    def chosen(self, item: pytest.Item) -> tuple[Path, CassetteSettings]:
        """The file of a test's cassette and how to use it.

        Raises:
            OptionError: The mark is missing or wrong, or another test has the same file.
        """
        mark = item.get_closest_marker("cassette")
        if mark is None:
            raise OptionError("The fixture 'cassette' is for tests that are marked @pytest.mark.cassette")
        name, options = _read(mark)
        path = self._folder() / self._name(item, name)
        if name is None:
            self._claim(path, item.nodeid)
        return path, self._settings(item, options, shared=path in self._recorded)

    def recorded(self, path: Path) -> None:
        """Remember that this run wrote the cassette: tests that share it by name replay it from now on."""
        self._recorded.add(path)

    def _folder(self) -> Path:
        folder: str = self._config.getini("cassette_dir")
        return self._config.rootpath / folder

    def _name(self, item: pytest.Item, name: str | None) -> PurePath:
        module = PurePath(os.path.relpath(item.path, self._config.rootpath))
        classes = [node.name for node in item.listchain() if isinstance(node, pytest.Class)]
        folders: list[str] = self._config.getini("testpaths")
        tests = folders[0] if len(folders) == 1 else "tests"
        return cassette_name(module, [name] if name else [*classes, item.name], tests=tests)

    def _claim(self, path: Path, test: str) -> None:
        # Case is folded because some file systems do so.
        owner = self._owners.setdefault(str(path).casefold(), test)
        if owner != test:
            raise OptionError(f"{owner} and {test} have the same cassette {str(path)!r}: rename one of them")

    def _settings(self, item: pytest.Item, options: dict[str, Any], *, shared: bool) -> CassetteSettings:
        command = f"pytest -p memzoo.cassettes --cassettes=all {shlex.quote(item.nodeid)}"
        config = self._config
        record: Record = "none" if shared else self.record
        defaults: dict[str, Any] = {"max_bytes": int(config.getini("cassette_max_bytes"))}
        return CassetteSettings(
            record=record,
            secret_variables=tuple(config.getini("cassette_secrets")),
            record_command=config.getini("cassette_record_command") or command,
            **{**defaults, **options},
        )


def _read(mark: pytest.Mark) -> tuple[str | None, dict[str, Any]]:
    unknown = sorted(mark.kwargs.keys() - {"name", *_OPTIONS})
    if unknown:
        raise UnknownOptionError(f"@pytest.mark.cassette has no option {unknown[0]!r}; it has {', '.join(_OPTIONS)}")
    names = [*mark.args, *([mark.kwargs["name"]] if "name" in mark.kwargs else [])]
    if len(names) > 1 or not all(isinstance(name, str) and name for name in names):
        raise OptionError(f"@pytest.mark.cassette takes one name, a text, and not {names!r}")
    return (names[0] if names else None), {name: mark.kwargs[name] for name in _OPTIONS if name in mark.kwargs}
