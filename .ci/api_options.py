"""For the API reference: what its reader, which does not run the library, cannot see in the code.

`@strategy` writes all options of a class into its docstring, those that it has in common with others too: they
are there at run time only. "Example:" has to be "Examples:" to be taken for code. And `save_context =
blocking(asave_context)` is a method, which most people call, while the coroutine it comes from is for a few: so the
method is shown with all that there is to say, and the coroutine behind all methods, with a word.
"""

import copy
import dataclasses
import importlib
import inspect
import re
from typing import Any

import griffe

_TWINS = ("blocking", "blocking_function")
_LAST = 100_000


class Options(griffe.Extension):
    """Gives each class that `@strategy` made its docstring of run time, and shows all examples as code."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Let the example be one that is parsed."""
        if obj.docstring:
            obj.docstring.value = re.sub(r"^( *)Example:$", r"\1Examples:", obj.docstring.value, flags=re.MULTILINE)

    def on_class(self, *, cls: griffe.Class, **_: Any) -> None:
        """Replace the docstring of a strategy."""
        if cls.docstring and any(str(decorator.value) == "strategy" for decorator in cls.decorators):
            made = getattr(importlib.import_module(cls.module.path), cls.name)
            cls.docstring.value = _with_types(made)
            for field in dataclasses.fields(made):
                cls.members.pop(field.name, None)  # told in the docstring

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Make methods and functions of those that are made of coroutines."""
        for place in _places(pkg):
            for name, member in list(place.members.items()):
                if source := _source_of(member):
                    _show_first(place, name, place.members.get(source))


def _places(place: griffe.Module | griffe.Class) -> "list[griffe.Module | griffe.Class]":
    inside = [one for one in place.members.values() if isinstance(one, griffe.Module | griffe.Class)]
    return [place, *(below for one in inside for below in _places(one))]


def _source_of(member: griffe.Object | griffe.Alias) -> str:
    """The coroutine function that an attribute is the synchronous form of; "" for any other member."""
    value = member.value if isinstance(member, griffe.Attribute) else None
    if isinstance(value, griffe.ExprCall) and str(value.function) == "property":
        value = value.arguments[0]
    if isinstance(value, griffe.ExprCall) and str(value.function) in _TWINS:
        return str(value.arguments[0])
    return ""


def _show_first(place: griffe.Module | griffe.Class, name: str, source: griffe.Object | griffe.Alias | None) -> None:
    if not isinstance(source, griffe.Function):
        return
    shown = copy.copy(source)
    shown.name, shown.labels = name, source.labels - {"async"}
    place.set_member(name, shown)
    if source.docstring:
        source.docstring = griffe.Docstring(f"Like `{name}`, to be awaited.", parent=source)
        source.lineno = _LAST + (source.lineno or 0)


def _with_types(cls: type) -> str:
    text = (inspect.getdoc(cls) or "").replace("\nExample:\n", "\nExamples:\n")
    for field in dataclasses.fields(cls):
        kind = field.type.__name__ if isinstance(field.type, type) else _short(str(field.type))
        text = re.sub(rf"^    {field.name}: ", f"    {field.name} ({kind}): ", text, flags=re.MULTILINE)
    return text


def _short(annotation: str) -> str:
    return re.sub(r"\b(?:\w+\.)+(\w+)", r"\1", annotation)
