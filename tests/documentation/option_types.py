"""Writes `memories/option_types.py`, from which type checkers and editors know the options of `create_memory`."""

import ast
import builtins
import importlib
import inspect
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

from memzoo.memories import BaseMemory
from memzoo.memories.base import SHARES
from memzoo.memories.options import meanings, options_of
from memzoo.memories.registry import SHARED, strategy_named
from memzoo.memories.strategies.named import FURTHER, SEVEN
from tests.documentation.generated import default

FILE = Path(__file__).parents[2] / "memories" / "option_types.py"
_HEAD = (
    '"""The options of `create_memory` by strategy, for type checkers and editors. `make pages` writes this file."""'
)


def text() -> str:
    """The file as it has to be."""
    classes = [strategy_named(name) for name in (*SEVEN, *FURTHER)]
    shared = {option: cls for cls in (*classes, BaseMemory) for option in options_of(cls) if option in SHARED}
    shared |= dict.fromkeys(options_of(BaseMemory), BaseMemory)
    groups = {("SharedOptions", "TypedDict", "Options that `create_memory` accepts for every strategy."): shared}
    for cls in classes:
        known, base = set(shared), "SharedOptions"
        for one in (cls.__mro__[1], cls):
            own = {option: one for option in options_of(one) if option not in known}
            if own or one is cls:
                groups[f"{one.__name__}Options", base, f"Options of `{one.__name__}`."] = own
                known, base = known | own.keys(), f"{one.__name__}Options"
    imports, lines = {"from typing import TypedDict", "from memzoo.stores import Store"}, list[str]()
    told = set[str]()
    for (name, base, meaning), options in groups.items():
        lines += [f"class {name}({base}, total=False):", f'    """{meaning}"""']
        for option, cls in options.items():
            annotation, module = _declared(cls, option)
            # A store may be a URL, and a limit a share.
            more = "str | " if option in {"store", *SHARES} else ""
            lines.append(f"    {option}: {more}{annotation}")
            # Of several options of one name, pyright shows the meaning of the first, so that tells all.
            others = [one for one in classes if option in options_of(one)] if option not in {*told, *shared} else []
            meant = dict[str, list[str]]()
            for one in others:
                meant.setdefault(_meaning(one, option), []).append(f"`{one.name}`")
            paragraphs = [f"{', '.join(owners)}: {text}" for text, owners in meant.items()]
            paragraphs = paragraphs if len(meant) > 1 else [_meaning(cls, option)]
            wrapped = ("\n".join(textwrap.wrap(one, 113)) for one in paragraphs)
            lines += textwrap.indent('"""' + "\n\n".join(wrapped) + '"""', "    ").splitlines()
            imports.update(_imports(annotation, module))
            told.add(option)
    written = "\n".join([_HEAD, *sorted(imports), *lines])
    check = [
        sys.executable,
        "-m",
        "ruff",
        "check",
        "--select=I,D",
        "--fix",
        "--quiet",
        "--stdin-filename",
        str(FILE),
        "-",
    ]
    for command in (check, [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(FILE), "-"]):
        written = subprocess.run(command, input=written, capture_output=True, text=True, check=False).stdout
    return written


def _meaning(cls: type[BaseMemory], option: str) -> str:
    return f"{meanings(cls)[option]} Default: {default(cls.__dataclass_fields__[option])}."


def _declared(cls: type[BaseMemory], option: str) -> tuple[str, str]:
    """The type of an option as its class has it, without bounds, and the module of the class."""
    owner = next(one for one in cls.__mro__ if option in inspect.get_annotations(one))
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(owner))).body
    node = next(
        one.annotation
        for one in ast.walk(tree)
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name) and one.target.id == option
    )
    if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "Annotated" and isinstance(node.slice, ast.Tuple):
        node = node.slice.elts[0]
    return str(node.value) if isinstance(node, ast.Constant) else ast.unparse(node), owner.__module__


def _imports(annotation: str, module: str) -> Iterator[str]:
    """The lines that import the names of an annotation, which is written in a module."""
    places = {
        alias.name: one.module
        for one in ast.walk(ast.parse(inspect.getsource(importlib.import_module(module))))
        if isinstance(one, ast.ImportFrom)
        for alias in one.names
    }
    for node in ast.walk(ast.parse(annotation)):
        if isinstance(node, ast.Name) and not hasattr(builtins, node.id):
            yield f"from {places.get(node.id, module)} import {node.id}"
