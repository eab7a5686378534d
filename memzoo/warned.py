"""Warns of what the caller's code did."""

import inspect
import warnings

__all__ = ["warn_caller"]


def warn_caller(message: str, kind: type[Warning] = UserWarning) -> None:
    """Warn, and name the line of the caller: frames of the library and of generated constructors are skipped."""
    frame, level = inspect.currentframe(), 1
    while frame and frame.f_back and (frame.f_globals.get("__name__") or "").startswith("memzoo."):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, kind, stacklevel=level)
