"""Reads the calls in backticks on a page, such as `create_memory("window", k=3)`, and holds them against the code."""

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from typing import Any

_PUBLIC = ("memzoo", "memzoo.stores", "memzoo.strategy", "memzoo.cassettes", "memzoo.testing", "memzoo.telemetry")
_DROP_IN = "memzoo.langchain"
_FENCED = re.compile(r"^( *)```.*?^\1```", re.DOTALL | re.MULTILINE)
_SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")


def calls(text: str) -> Iterator[ast.Call]:
    """List the calls of public names in a page's backticks, those within others too."""
    for span in _SPAN.findall(_FENCED.sub("", text)):
        try:
            tree = ast.parse(span.strip())
        except SyntaxError:
            continue
        yield from (node for node in ast.walk(tree) if isinstance(node, ast.Call) and _meant(node))


def misfit(call: ast.Call) -> str:
    """Say why no public callable of that name takes these arguments; "" if one does. `...` stands for any."""
    if any(isinstance(one, ast.Constant) and one.value is ... for one in call.args):
        return ""
    why = ""
    for meant in _meant(call):
        try:
            inspect.signature(meant).bind_partial(*call.args, **{one.arg or "": one.value for one in call.keywords})
        except TypeError as error:
            why = str(error)
        else:
            return ""
    return why


def make(call: ast.Call) -> object:
    """Make the object that a call makes; nothing, if it says too little for that, or makes none."""
    names = {one.id: _meant_by(one.id) for one in ast.walk(call) if isinstance(one, ast.Name)}
    vague = any(isinstance(one, ast.Constant) and "..." in str(one.value) for one in ast.walk(call))
    if (
        vague
        or not all(names.values())
        or any(one.value is ... for one in ast.walk(call) if isinstance(one, ast.Constant))
    ):
        return None
    if not isinstance(made := _meant(call)[0], type) and made.__name__ not in ("create_memory", "open_store"):
        return None
    return eval(ast.unparse(call), {name: found[0] for name, found in names.items()})  # noqa: S307 - our own pages


def _meant(call: ast.Call) -> list[Any]:
    return _meant_by(call.func.id) if isinstance(call.func, ast.Name) else []


def _meant_by(name: str) -> list[Any]:
    modules = map(importlib.import_module, (*_PUBLIC, _DROP_IN))
    return [getattr(module, name) for module in modules if name in getattr(module, "__all__", ())]
