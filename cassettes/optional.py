"""The door to vcrpy and PyYAML, which come with the `replay` extra."""

from importlib import import_module
from typing import Any

from memzoo.stores.errors import MissingExtraError

__all__ = ["optional"]


def optional(module: str) -> Any:
    """Import a module of the `replay` extra.

    Raises:
        MissingExtraError: It is not installed.
    """
    try:
        # The package itself is asked for each time: its modules may be loaded although it is blocked.
        import_module(module.partition(".")[0])
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError.of("Replaying cassettes", "replay") from error
