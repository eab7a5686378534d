"""Import paths of earlier versions. Each leads to the module that has its place."""

import importlib
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, cast

__all__ = ["OLD_PATHS", "install"]

OLD_PATHS = {
    "memzoo.memories.offline": "memzoo.memories.models.offline",
    "memzoo.memories.graphs": "memzoo.memories.graph",
    "memzoo.memories.graphs.export": "memzoo.memories.graph.export",
    "memzoo.memories.hosts": "memzoo.hosts",
    "memzoo.memories.migrate": "memzoo.hosts.migrate",
    "memzoo.memories.testing": "memzoo.testing",
    "memzoo.stores.driving": "memzoo.sync",
    "memzoo.stores.errors": "memzoo.errors",
}
"""The module or package that stands behind each old path; what lies in a package is found below it, too."""


def _place(path: str) -> str | None:
    for old, new in OLD_PATHS.items():
        if path == old or path.startswith(f"{old}."):
            return new + path[len(old) :]
    return None


# Not below the classes of importlib.abc: they take a fifth of the time that importing memzoo takes.
class _OldPaths:
    """Gives the module at the new path whenever the old one is imported: one module, two names."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return ModuleSpec(fullname, cast("Any", self)) if _place(fullname) else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module(_place(spec.name) or spec.name)
        # The import system is about to write the old path's spec into the module.
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        spec = module.__spec__
        if spec:
            module.__spec__ = spec.loader_state


def install() -> None:
    """Let the old paths be imported; once is enough."""
    if not any(isinstance(finder, _OldPaths) for finder in sys.meta_path):
        sys.meta_path.insert(0, _OldPaths())
