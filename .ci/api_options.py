"""For the API reference: what its reader, which does not run the library, cannot see in the docstrings.

`@strategy` writes all options of a class into its docstring, those that it has in common with others too: they
are there at run time only. And "Example:" has to be "Examples:" to be taken for code.
"""

import dataclasses
import importlib
import inspect
import re
from typing import Any

import griffe


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


def _with_types(cls: type) -> str:
    text = (inspect.getdoc(cls) or "").replace("\nExample:\n", "\nExamples:\n")
    for field in dataclasses.fields(cls):
        kind = field.type.__name__ if isinstance(field.type, type) else _short(str(field.type))
        text = re.sub(rf"^    {field.name}: ", f"    {field.name} ({kind}): ", text, flags=re.MULTILINE)
    return text


def _short(annotation: str) -> str:
    return re.sub(r"\b(?:\w+\.)+(\w+)", r"\1", annotation)
