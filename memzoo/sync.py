"""Runs the same coroutines for synchronous and asynchronous callers.

Every operation that may wait for something is written once, as a coroutine. Asynchronous callers await the coroutine;
synchronous callers run it with `drive`. In a synchronous call, `is_blocking` is true: models, stores and indexes then
use blocking clients, so that the coroutine never suspends.
"""

import asyncio
import contextlib
import inspect
import time
from asyncio import _get_running_loop  # pyright: ignore[reportPrivateUsage]
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Coroutine, Generator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from memzoo.errors import AsyncOnlyError

_ADVICE = "a synchronous call reached asynchronous code; call the asynchronous version of the method instead"

_ENDED = object()

P = ParamSpec("P")
S = TypeVar("S")
T = TypeVar("T")


# For a synchronous call under way, the event loop of its thread, or `None`, as the only item of a list: tasks started
# in the call share the list, and see the end of the call.
_call: ContextVar[list[object] | None] = ContextVar("memzoo_call", default=None)


def is_blocking() -> bool:
    """Return whether the running coroutine belongs to a synchronous call, where it must not suspend.

    The result is false in an event loop that was started within the synchronous call.
    """
    call = _call.get()
    return call is not None and call[0] is _get_running_loop()


def drive(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine that never suspends, and return its result.

    No event loop is needed, and the call also works inside a running event loop (in a notebook, for example).

    Raises:
        AsyncOnlyError: The coroutine suspended, and can only be awaited.
    """
    call: list[object] = [_get_running_loop()]
    token = _call.set(call)
    try:
        coroutine.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    else:
        # Cancel the coroutine like a task: close() would leave an asynchronous generator inside it unfinished.
        with contextlib.suppress(asyncio.CancelledError, StopIteration):
            coroutine.throw(asyncio.CancelledError())
        coroutine.close()
    finally:
        _call.reset(token)
        # Tasks started in the call run after its end, when no event loop may match the call's loop.
        call[0] = _ENDED
    raise AsyncOnlyError(_ADVICE)


def iterated(pieces: AsyncGenerator[T]) -> Generator[T]:
    """Yield the items of an asynchronous generator to synchronous code. The generator must never suspend.

    Raises:
        AsyncOnlyError: See `drive`.
    """
    end = object()

    async def fetch_next() -> T | object:
        return await anext(pieces, end)

    try:
        while (piece := drive(fetch_next())) is not end:
            yield piece  # type: ignore[misc]
    finally:
        drive(pieces.aclose())


class Managed(contextlib.AbstractAsyncContextManager[T]):
    """A base class that lets asynchronous context managers work in a synchronous `with`, too."""

    def __enter__(self) -> T:
        return drive(self.__aenter__())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        drive(self.__aexit__(kind, error, trace))


class Closing:
    """A base class for objects that are closed at the end of `with` or `async with`."""

    def close(self) -> None:
        """Release files and connections."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    def __copy__(self) -> Self:
        return self


async def pause(seconds: float) -> None:
    """Wait for a number of seconds, without blocking an event loop."""
    if is_blocking():
        time.sleep(seconds)  # noqa: ASYNC251 - in a synchronous call
    else:
        await asyncio.sleep(seconds)


async def each(things: AsyncIterable[T] | Iterable[T]) -> AsyncGenerator[T]:
    """Yield the items of a synchronous or asynchronous iterable."""
    if isinstance(things, AsyncIterable):
        async for thing in things:
            yield thing
    else:
        for thing in things:
            yield thing


async def settled(given: T | Awaitable[T]) -> T:
    """Return a value from the user's code. If the value is awaitable, await it and return its result.

    Raises:
        AsyncOnlyError: The call is synchronous, and awaiting the value needs an event loop.
    """
    if not inspect.isawaitable(given):
        return given
    try:
        return await given
    except RuntimeError as error:
        if is_blocking() and "event loop" in str(error):
            raise AsyncOnlyError(_ADVICE) from error
        raise


async def together(coroutines: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Run coroutines at the same time: as tasks, or in threads if the call is synchronous.

    If a coroutine fails, the others still run to their end.

    Returns:
        The results of the coroutines, in order.

    Raises:
        BaseException: The first error, in the order of the coroutines; its notes contain the later errors.
    """
    started = list(coroutines)
    if len(started) <= 1:
        return [await one for one in started]
    outcomes = _in_threads(started) if is_blocking() else await asyncio.gather(*started, return_exceptions=True)
    errors = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
    for further in errors[1:]:
        errors[0].add_note(f"At the same time: {type(further).__name__}: {further}")
    if errors:
        raise errors[0]
    return [outcome for outcome in outcomes if not isinstance(outcome, BaseException)]


def _in_threads(coroutines: Sequence[Coroutine[Any, Any, T]]) -> list[T | BaseException]:
    with ThreadPoolExecutor(len(coroutines), "memzoo") as pool:
        running = [pool.submit(copy_context().run, drive, coroutine) for coroutine in coroutines]
    return [one.exception() or one.result() for one in running]


def blocking(method: Callable[Concatenate[S, P], Coroutine[Any, Any, T]]) -> Callable[Concatenate[S, P], T]:
    """Return a synchronous method that does the same as an asynchronous method.

    If a subclass overrides the asynchronous method, the synchronous method calls the override.
    """
    name = method.__name__

    def twin(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            coroutine: Coroutine[Any, Any, T] = getattr(self, name)(*args, **kwargs)
        except TypeError as error:
            _name_twin(error, name)
            raise
        return drive(coroutine)

    return _describe(twin, method)


def blocking_function(function: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, T]:
    """Return a synchronous function that does the same as an asynchronous function."""

    def twin(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            coroutine = function(*args, **kwargs)
        except TypeError as error:
            _name_twin(error, function.__name__)
            raise
        return drive(coroutine)

    return _describe(twin, function)


def _name_twin(error: TypeError, name: str) -> None:
    """Replace the asynchronous function's name by the synchronous twin's name in an error about arguments."""
    error.args = tuple(str(told).replace(f"{name}()", f"{name.removeprefix('a')}()") for told in error.args)


def _describe(twin: Callable[P, T], original: Callable[..., Any]) -> Callable[P, T]:
    """Return the twin with the name, signature and docstring of the original.

    `functools.wraps` would also set `__wrapped__` to the coroutine function, and frameworks would await the result.
    """
    name = original.__name__
    twin.__module__, twin.__annotations__ = original.__module__, original.__annotations__
    twin.__name__ = name.removeprefix("a")
    twin.__qualname__ = original.__qualname__.removesuffix(name) + twin.__name__
    twin.__doc__ = f"Like `{name}`, for synchronous code.\n\n{inspect.getdoc(original) or ''}"
    twin.__signature__ = inspect.signature(original)  # type: ignore[attr-defined]
    return twin
