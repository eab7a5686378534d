"""Three replay kits behind one interface."""

from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

from memzoo.cassettes import use_cassette


class Kit(Protocol):
    """A replay kit."""

    @property
    def name(self) -> str:
        """The name of the kit."""
        ...

    @property
    def packages(self) -> tuple[str, ...]:
        """The packages to install for the kit."""
        ...

    def open(
        self, path: Path, *, record: bool = False, best: bool = False, ignore: str = ""
    ) -> AbstractContextManager[Any]:
        """Open a cassette.

        Args:
            path: The file of the cassette.
            record: True to record, false to replay.
            best: True to match requests as strictly as the kit can.
            ignore: The JSON path of a part of the body that need not match; give it together with `best`.
        """
        ...


class Memzoo:
    """memzoo's own kit."""

    name = "memzoo.cassettes"
    packages = ("memzoo", "vcrpy")

    def open(self, path: Path, *, record: bool = False, best: bool = False, ignore: str = "") -> Any:
        """Open a cassette, as `Kit.open` does. The defaults are the strictest settings."""
        choice: Any = "all" if record else "none"
        return use_cassette(path, record=choice, ignore=[ignore] if ignore else [], max_bytes=10**9)


class Vcrpy:
    """vcrpy, with the defaults of pytest-recording."""

    name = "vcrpy + pytest-recording"
    packages = ("vcrpy", "pytest-recording")

    def open(self, path: Path, *, record: bool = False, best: bool = False, ignore: str = "") -> Any:
        """Open a cassette, as `Kit.open` does, but without `ignore`, which vcrpy does not have."""
        vcr: Any = import_module("vcr")
        matched = ["method", "scheme", "host", "port", "path", "query", *(["body"] if best else [])]
        return vcr.VCR(match_on=matched, record_mode="all" if record else "none").use_cassette(str(path))


class Cassetter:
    """The replay kit of the package cassetter."""

    name = "cassetter"
    packages = ("cassetter",)

    @contextmanager
    def open(self, path: Path, *, record: bool = False, best: bool = False, ignore: str = "") -> Generator[Any]:
        """Open a cassette, as `Kit.open` does."""
        cassetter: Any = import_module("cassetter")
        options: dict[str, Any] = {"match_on": ["method", "uri", "body"]} if best else {}
        if ignore:
            options = {"match_on": ["method", "uri", "json_body"], "ignore_json_paths": [ignore.removeprefix("$.")]}
        with cassetter.use_cassette(path, record_mode="all" if record else "none", **options) as cassette:
            yield cassette


KITS: tuple[Kit, ...] = (Memzoo(), Vcrpy(), Cassetter())


def versions(kit: Kit) -> str:
    """Return the packages of a kit with their versions."""
    return ", ".join(f"{package} {version(package)}" for package in kit.packages)
