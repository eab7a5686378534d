"""Counts the names that a user can meet: `python -m tools.concepts`; `--names` lists the names.

Each distinct name of a kind counts once, so moving a name changes nothing. A module is public if the documentation
imports from the module.
"""

import contextlib
import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import typer.main

from memzoo.cli.commands import app
from memzoo.hosts.exports.options import FILE_OPTIONS
from memzoo.memories.base import BaseMemory
from memzoo.memories.options import options_of
from memzoo.memories.registry import STRATEGIES
from memzoo.memories.strategies.named import further_names, strategy_named

_ROOT = Path(__file__).resolve().parent.parent
_IMPORT = re.compile(r"(?:from|import) (memzoo(?:\.\w+)*)")


def concepts() -> dict[str, set[str]]:
    """Return the names by kind."""
    shared = set(options_of(BaseMemory))
    classes = [*STRATEGIES.values(), *map(strategy_named, further_names())]
    commands, flags = set[str](), set[str]()
    for path, command in _commands(typer.main.get_command(app), ""):
        commands.add(path)
        flags |= {f"{path} {flag}" for one in command.params for flag in one.opts if flag.startswith("--")}
    pages = [_ROOT / "README.md", *(_ROOT / "docs").rglob("*.md")]
    shown = {name for page in pages for name in _IMPORT.findall(page.read_text(encoding="utf-8"))}
    return {
        "public names": _names(shown),
        "shared options": shared,
        "options of single strategies": {f"{one.name}.{option}" for one in classes for option in options_of(one)}
        - {f"{one.name}.{option}" for one in classes for option in shared},
        "attributes of a memory": {name for one in STRATEGIES.values() for name in _attributes(one)},
        "options of files": set(FILE_OPTIONS),
        "commands": commands - {""},
        "flags": flags,
    }


def _names(modules: set[str]) -> set[str]:
    names = set[str]()
    for module in sorted(modules):
        with contextlib.suppress(Exception):  # one whose framework is not installed
            names |= set(_public(importlib.import_module(module)))
    return names


def _public(module: ModuleType) -> list[str]:
    with contextlib.suppress(AttributeError):
        return list(module.__all__)
    own = (name for name, one in vars(module).items() if getattr(one, "__module__", None) == module.__name__)
    return [name for name in own if not name.startswith("_")]


def _attributes(cls: type[BaseMemory]) -> list[str]:
    return [name for name in dir(cls(llm="offline")) if not name.startswith("_")]


def _commands(command: Any, path: str) -> Iterator[tuple[str, Any]]:
    yield path, command
    for name, one in getattr(command, "commands", {}).items():
        yield from _commands(one, f"{path} {name}".strip())


if __name__ == "__main__":
    found = concepts()
    for kind, names in found.items():
        print(f"{len(names):5} {kind}")  # noqa: T201
        if "--names" in sys.argv:
            print("     ", *sorted(names))  # noqa: T201
    print(f"{sum(map(len, found.values())):5} in all")  # noqa: T201
