"""One body of code for synchronous and asynchronous callers.

Everything in memzoo that may wait is written once, as a coroutine. An asynchronous caller awaits it;
a synchronous caller runs it with `drive`, which works because the coroutine then suspends nowhere: each
port (model, store, index) asks `is_blocking` and uses its blocking client instead of its asynchronous one.
"""

import functools
from collections.abc import Awaitable, Callable, Coroutine
from contextvars import ContextVar
from typing import Any, Concatenate, ParamSpec, TypeVar

from memzoo.stores.errors import AsyncOnlyError

__all__ = ["blocking", "drive", "is_blocking", "settled"]

_ADVICE = "something asynchronous was reached in a synchronous call; call the asynchronous twin of the method instead"

P = ParamSpec("P")
S = TypeVar("S")
T = TypeVar("T")

_blocking: ContextVar[bool] = ContextVar("memzoo_blocking", default=False)


def is_blocking() -> bool:
    """Whether the running coroutine belongs to a synchronous call, so that it must not suspend."""
    return _blocking.get()


def drive(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine whose ports never suspend, in this thread, and return its result.

    It needs no event loop, and works inside a running one (a notebook, for example).

    Raises:
        AsyncOnlyError: Something in the coroutine suspended: it can only be awaited.
    """
    token = _blocking.set(True)
    try:
        coroutine.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    finally:
        coroutine.close()
        _blocking.reset(token)
    raise AsyncOnlyError(_ADVICE)


async def settled(awaitable: Awaitable[T]) -> T:
    """Await something of the user's, which serves a synchronous call only as long as it needs no event loop.

    Raises:
        AsyncOnlyError: The call is synchronous, and it does need one.
    """
    try:
        return await awaitable
    except RuntimeError as error:
        if is_blocking() and "event loop" in str(error):
            raise AsyncOnlyError(_ADVICE) from error
        raise


def blocking(method: Callable[Concatenate[S, P], Coroutine[Any, Any, T]]) -> Callable[Concatenate[S, P], T]:
    """The synchronous twin of an asynchronous method; an override of that method is followed."""

    @functools.wraps(method)
    def twin(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        coroutine: Coroutine[Any, Any, T] = getattr(self, method.__name__)(*args, **kwargs)
        return drive(coroutine)

    twin.__name__ = method.__name__.removeprefix("a")
    twin.__doc__ = f"Like `{method.__name__}`, for synchronous code.\n\n{method.__doc__ or ''}"
    return twin
