"""Issues warnings that point at the caller's code."""

import inspect
import warnings


def warn_caller(message: str, kind: type[Warning] = UserWarning) -> None:
    """Issue a warning at the line of the user's code that called the library."""
    frame, level = inspect.currentframe(), 1
    while frame and frame.f_back and (frame.f_globals.get("__name__") or "").startswith("memzoo."):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, kind, stacklevel=level)
