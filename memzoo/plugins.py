"""Finds and loads extensions of memzoo in installed packages, by groups of entry points."""

import functools
import logging
from typing import TYPE_CHECKING, Any

from memzoo.errors import PluginError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.metadata import EntryPoint

logger = logging.getLogger("memzoo")


@functools.cache
def plugins(group: str) -> "tuple[EntryPoint, ...]":
    """Return the entry points of a group, looked up once per process."""
    # Imported here, because the lookup of installed packages takes time and most programs do not need it.
    from importlib.metadata import entry_points

    return tuple(entry_points(group=group))


def plugins_by_name(group: str, own: frozenset[str] = frozenset()) -> "Mapping[str, EntryPoint]":
    """Return the entry points of a group: a dict from name to entry point.

    Packages cannot replace memzoo's own names. If several packages use a name, the package found first wins. Each
    skipped entry point is logged once.

    Args:
        group: The group of entry points.
        own: The names that memzoo defines without an entry point.
    """
    found: dict[str, EntryPoint] = {}
    for plugin in plugins(group):
        first = found.setdefault(plugin.name, plugin)
        if first is not plugin:
            used, passed = (plugin, first) if _package(plugin) == "memzoo" else (first, plugin)
            found[plugin.name] = used
            _tell(passed, f"{used.value} of the package {_package(used)!r} is used")
    for name in found.keys() & own:
        _tell(found.pop(name), f"memzoo's own {name!r} is used")
    return found


def load_plugin(plugin: "EntryPoint") -> Any:
    """Import and return the object of an entry point.

    Raises:
        PluginError: The import raised an exception of any kind.
    """
    try:
        return plugin.load()
    except (
        BaseException
    ) as error:  # also SystemExit and KeyboardInterrupt: the import of a package must not end the program
        raise make_plugin_error(plugin, f"cannot be loaded: {type(error).__name__}: {error}") from error


def make_plugin_error(plugin: "EntryPoint", why: str) -> PluginError:
    """Return the error for an unusable extension, with the package, the extension and the reason."""
    return PluginError(f"the package {_package(plugin)!r} adds {plugin.name!r} to {plugin.group}, which {why}")


def _package(plugin: "EntryPoint") -> str:
    return plugin.dist.name if plugin.dist else plugin.value


@functools.cache
def _tell(passed: "EntryPoint", used: str) -> None:
    told = "%r in %s: %s of the package %r is ignored, because %s"
    logger.warning(told, passed.name, passed.group, passed.value, _package(passed), used)
