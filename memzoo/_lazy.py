"""Loads the names of a package at their first use."""

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def lazy(package: str, places: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the functions `__getattr__` and `__dir__` for a package whose names are loaded at their first use.

    Args:
        package: The name of the package.
        places: A dict from module to the names to export from it, separated by spaces.
    """
    modules = {name: module for module, names in places.items() for name in names.split()}

    def load(name: str) -> Any:
        if name == "__all__":
            return sorted(modules)
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name, obj=sys.modules[package])
        module = importlib.import_module(modules[name])
        value = module if modules[name] == f"{package}.{name}" else getattr(module, name)
        setattr(sys.modules[package], name, value)
        return value

    return load, lambda: sorted(modules)
