"""What installed packages add to memzoo, by groups of entry points."""

import functools
from typing import TYPE_CHECKING, Any

from memzoo.errors import PluginError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["loaded", "plugins"]


@functools.cache
def plugins(group: str) -> "tuple[EntryPoint, ...]":
    """The entry points of a group; they are looked up once in a process."""
    # Imported here: finding out what is installed takes time, and most programs need nothing of it.
    from importlib.metadata import entry_points

    return tuple(entry_points(group=group))


def loaded(plugin: "EntryPoint") -> Any:
    """What an entry point leads to.

    Raises:
        PluginError: It cannot be loaded, whatever the package raises when it is imported.
    """
    try:
        return plugin.load()
    except (
        BaseException
    ) as error:  # SystemExit and KeyboardInterrupt too: no package may end the program that looks at it
        package, reason = plugin.dist.name if plugin.dist else plugin.value, f"{type(error).__name__}: {error}"
        raise PluginError(
            f"the package {package!r} adds {plugin.name!r} to {plugin.group}, which cannot be loaded: {reason}"
        ) from error
