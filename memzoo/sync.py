"""One body of code for synchronous and asynchronous callers.

Everything in memzoo that may wait is written once, as a coroutine. An asynchronous caller awaits it;
a synchronous caller runs it with `drive`, which works because the coroutine then suspends nowhere: each
port (model, store, index) asks `is_blocking` and uses its blocking client instead of its asynchronous one.
"""

import asyncio
import contextlib
import inspect
from abc import ABC, abstractmethod
from asyncio import _get_running_loop  # pyright: ignore[reportPrivateUsage]
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Coroutine, Generator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from types import TracebackType
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar

from memzoo.errors import AsyncOnlyError

__all__ = [
    "Closing",
    "Managed",
    "blocking",
    "blocking_function",
    "drive",
    "each",
    "is_blocking",
    "iterated",
    "settled",
    "together",
]

_ADVICE = "something asynchronous was reached in a synchronous call; call the asynchronous twin of the method instead"

_ENDED = object()

P = ParamSpec("P")
S = TypeVar("S")
T = TypeVar("T")


class _Call:
    """A synchronous call under way, and the event loop of its thread, if it has one."""

    __slots__ = ("loop",)

    loop: object


_call: ContextVar[_Call | None] = ContextVar("memzoo_call", default=None)


def is_blocking() -> bool:
    """Whether the running coroutine belongs to a synchronous call, so that it must not suspend.

    It does not in an event loop or a task that was started from within that call, although those inherit its context.
    """
    call = _call.get()
    return call is not None and call.loop is _get_running_loop()


def drive(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine whose ports never suspend, in this thread, and return its result.

    It needs no event loop, and works inside a running one (a notebook, for example).

    Raises:
        AsyncOnlyError: Something in the coroutine suspended: it can only be awaited.
    """
    call = _Call()
    call.loop = _get_running_loop()
    token = _call.set(call)
    try:
        coroutine.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    else:
        # Cancelled like a task: close() would leave an asynchronous generator inside it in the middle of its work.
        with contextlib.suppress(asyncio.CancelledError, StopIteration):
            coroutine.throw(asyncio.CancelledError())
    finally:
        coroutine.close()
        _call.reset(token)
        # Tasks that were started in the call run after it: no loop is this one.
        call.loop = _ENDED
    raise AsyncOnlyError(_ADVICE)


def iterated(pieces: AsyncGenerator[T]) -> Generator[T]:
    """The items of an asynchronous generator whose ports never suspend, for synchronous code; closing closes both.

    Raises:
        AsyncOnlyError: As in `drive`.
    """
    end = object()

    async def fetch_next() -> T | object:
        return await anext(pieces, end)

    try:
        while (piece := drive(fetch_next())) is not end:
            yield piece  # type: ignore[misc]
    finally:
        drive(pieces.aclose())


class Managed(ABC, Generic[T]):
    """Makes `with` out of `async with`, which a subclass writes."""

    @abstractmethod
    async def __aenter__(self) -> T: ...

    @abstractmethod
    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def __enter__(self) -> T:
        return drive(self.__aenter__())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        drive(self.__aexit__(kind, error, trace))


class Closing:
    """Closes at the end of a `with` or an `async with`; a shallow copy is the same object."""

    def close(self) -> None:
        """Give back files and connections."""

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


async def each(things: AsyncIterable[T] | Iterable[T]) -> AsyncGenerator[T]:
    """The items of a stream, of either kind: a client's ordinary stream is read without suspending."""
    if isinstance(things, AsyncIterable):
        async for thing in things:
            yield thing
    else:
        for thing in things:
            yield thing


async def settled(given: T | Awaitable[T]) -> T:
    """Give what the user's code gave, awaited if need be; a synchronous call is served if that takes no event loop.

    Raises:
        AsyncOnlyError: The call is synchronous, and it does need one.
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
    """The synchronous twin of an asynchronous function."""

    def twin(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            coroutine = function(*args, **kwargs)
        except TypeError as error:
            _name_twin(error, function.__name__)
            raise
        return drive(coroutine)

    return _describe(twin, function)


def _name_twin(error: TypeError, name: str) -> None:
    """Name the twin that was called in an error about its arguments, in place of the asynchronous function."""
    error.args = tuple(str(told).replace(f"{name}()", f"{name.removeprefix('a')}()") for told in error.args)


def _describe(twin: Callable[P, T], original: Callable[..., Any]) -> Callable[P, T]:
    """Give a twin the name and the looks of its original.

    Not with `functools.wraps`: its `__wrapped__` leads to a coroutine function, which frameworks find and await.
    """
    name = original.__name__
    twin.__module__, twin.__annotations__ = original.__module__, original.__annotations__
    twin.__name__ = name.removeprefix("a")
    twin.__qualname__ = original.__qualname__.removesuffix(name) + twin.__name__
    twin.__doc__ = f"Like `{name}`, for synchronous code.\n\n{inspect.getdoc(original) or ''}"
    twin.__signature__ = inspect.signature(original)  # type: ignore[attr-defined]
    return twin
