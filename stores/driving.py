"""One body of code for synchronous and asynchronous callers.

Everything in memzoo that may wait is written once, as a coroutine. An asynchronous caller awaits it;
a synchronous caller runs it with `drive`, which works because the coroutine then suspends nowhere: each
port (model, store, index) asks `is_blocking` and uses its blocking client instead of its asynchronous one.
"""

import asyncio
import functools
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from typing import Any, Concatenate, ParamSpec, TypeVar

from memzoo.stores.errors import AsyncOnlyError

__all__ = ["blocking", "drive", "driven", "is_blocking", "settled", "together"]

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


async def together(coroutines: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Run coroutines side by side, each to its end whatever becomes of the others: as tasks, or else in threads.

    Returns:
        Their results, in their order.

    Raises:
        BaseException: The first error, in their order; further ones stand in its notes.
    """
    started = list(coroutines)
    if len(started) == 1:
        return [await started[0]]
    outcomes = _in_threads(started) if is_blocking() else await asyncio.gather(*started, return_exceptions=True)
    errors = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
    for further in errors[1:]:
        errors[0].add_note(f"At the same time: {type(further).__name__}: {further}")
    if errors:
        raise errors[0]
    return [outcome for outcome in outcomes if not isinstance(outcome, BaseException)]


def _in_threads(coroutines: Sequence[Coroutine[Any, Any, T]]) -> list[T | BaseException]:
    if not coroutines:
        return []
    with ThreadPoolExecutor(len(coroutines), "memzoo") as pool:
        running = [pool.submit(copy_context().run, drive, coroutine) for coroutine in coroutines]
    return [one.exception() or one.result() for one in running]


def blocking(method: Callable[Concatenate[S, P], Coroutine[Any, Any, T]]) -> Callable[Concatenate[S, P], T]:
    """The synchronous twin of an asynchronous method; an override of that method is followed."""

    @functools.wraps(method)
    def twin(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        coroutine: Coroutine[Any, Any, T] = getattr(self, method.__name__)(*args, **kwargs)
        return drive(coroutine)

    twin.__name__ = method.__name__.removeprefix("a")
    twin.__doc__ = f"Like `{method.__name__}`, for synchronous code.\n\n{method.__doc__ or ''}"
    return twin


def driven(function: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, T]:
    """The synchronous twin of an asynchronous function."""

    @functools.wraps(function)
    def twin(*args: P.args, **kwargs: P.kwargs) -> T:
        return drive(function(*args, **kwargs))

    twin.__name__ = function.__name__.removeprefix("a")
    twin.__doc__ = f"Like `{function.__name__}`, for synchronous code.\n\n{function.__doc__ or ''}"
    return twin
