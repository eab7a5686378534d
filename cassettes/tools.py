"""Records tool calls: a function decorated with `recorded_tool` runs while recording, but not in a replay."""

import inspect
import json
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator, Iterable, Mapping
from contextlib import aclosing, contextmanager
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, TypeVar, overload
from urllib.parse import urlsplit

from memzoo.cassettes.callers import current_caller, let_through
from memzoo.cassettes.errors import CassetteError, ReplayError
from memzoo.cassettes.http import JSON, TOOL, HttpRequest, Recorded, tool_name, tool_path
from memzoo.cassettes.scrubbing import ORIGIN
from memzoo.cassettes.values import read_value, write_value
from memzoo.errors import OptionError
from memzoo.sync import drive

if TYPE_CHECKING:
    from memzoo.cassettes.player import Player

_P = ParamSpec("_P")
_R = TypeVar("_R")


@overload
def recorded_tool(
    function: Callable[_P, _R], *, name: str | None = None, ignore: Iterable[str] = ()
) -> Callable[_P, _R]: ...


@overload
def recorded_tool(
    function: None = None, *, name: str | None = None, ignore: Iterable[str] = ()
) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]: ...


def recorded_tool(function: Any = None, *, name: str | None = None, ignore: Iterable[str] = ()) -> Any:
    """Return a function whose calls a cassette records, with the arguments and the result or exception.

    In a replay, the function does not run: a call with recorded arguments returns the recorded result or raises the
    recorded exception. Requests and tool calls made inside the function are not recorded separately. Without an open
    cassette, the function runs as usual.

    Args:
        function: A function or generator, asynchronous or not; by default, a decorator is returned.
        name: The tool's name in the cassette; by default the function's name.
        ignore: Names of parameters that are neither compared nor recorded, such as a context or `self`.

    Raises:
        OptionError: `function` cannot be called, its parameters cannot be read, or it lacks a parameter in `ignore`.

    Example:
        >>> @recorded_tool
        ... def temperature(city: str) -> int:
        ...     return {"Oslo": -17}[city]
        >>> temperature("Oslo")
        -17
    """
    if function is None:
        return partial(recorded_tool, name=name, ignore=ignore)
    called: Any = function
    while isinstance(called, partial):
        called = called.func
    called = called if inspect.isroutine(called) else getattr(called, "__call__", called)  # noqa: B004 - a method
    # A function that is defined anew in each turn is the same tool; without a name, an object and its method are not.
    owner = None if name else getattr(function, "__self__", None if called is function else function)
    tool = _Tool(function, name, ignore, (getattr(inspect.unwrap(called), "__code__", called), owner))
    answer: Callable[[_Asked], Any] = tool.call
    if inspect.isgeneratorfunction(called):
        answer = tool.iterate
    elif inspect.isasyncgenfunction(called):
        answer = tool.aiterate

    def call(*args: Any, **options: Any) -> Any:
        asked = tool.ask(args, options)
        return answer(asked) if asked else function(*args, **options)

    async def acall(*args: Any, **options: Any) -> Any:
        asked = tool.ask(args, options)
        return await (tool.acall(asked) if asked else function(*args, **options))

    return wraps(function)(acall if inspect.iscoroutinefunction(called) else call)


def read_outcome(recorded: Recorded) -> dict[str, Any]:
    """Return the outcome of a recorded tool call.

    Returns:
        A dict with the value under `"returned"` or `"raised"`. For a generator, its items are under `"yielded"`, and
        `"left"` is true if the caller left it early.

    Raises:
        CassetteError: The outcome has a value that cannot be read, for example because its class no longer exists.
    """
    try:
        outcome: dict[str, Any] = read_value(json.loads(recorded.response["body"]["string"]))
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        name = tool_name(urlsplit(recorded.request.uri).path)
        raise CassetteError(f"The recorded result of tool {name} cannot be read: {error}") from error
    return outcome


class _Asked(NamedTuple):
    """A call of a tool: its cassette's player, the caller's name, the call as a request, and its arguments."""

    player: "Player"
    caller: str
    request: HttpRequest
    args: tuple[Any, ...]
    options: dict[str, Any]


class _Tool:
    """A function whose calls are recorded."""

    def __init__(self, function: Any, name: str | None, ignore: Iterable[str], origin: tuple[Any, Any]) -> None:
        try:
            self._signature = inspect.signature(function)
        except (TypeError, ValueError) as error:
            raise OptionError(f"recorded_tool({function!r}): its parameters cannot be read: {error}") from error
        self._function, self._origin = function, origin
        self._name = str(name or getattr(function, "__name__", type(function).__name__))
        self._ignore = frozenset([ignore] if isinstance(ignore, str) else ignore)
        if unknown := sorted(self._ignore - self._signature.parameters.keys()):
            raise OptionError(f"ignore={unknown!r}: {self._name}{self._signature} has no such parameter")

    def ask(self, args: tuple[Any, ...], options: dict[str, Any]) -> _Asked | None:
        """Return a call for the caller's cassette; `None` without a cassette, or for the wrong arguments."""
        if (caller := current_caller()) is None:
            return None
        try:
            self._signature.bind(*args, **options)
        except TypeError:
            return None  # the function itself tells which arguments it wants
        request = HttpRequest(TOOL, ORIGIN + tool_path(self._name), None, JSON)
        asked = _Asked(caller.player, caller.name, request, args, options)
        request.body = self._body(asked)
        return asked

    def call(self, asked: _Asked) -> Any:
        if asked.player.can_play(asked.request):
            return self._end(asked, self._play(asked))
        with self._recording(asked) as outcome:
            with let_through():
                found = self._function(*asked.args, **asked.options)
            outcome["returned"] = self._write(asked, found, "its result")
        return found

    async def acall(self, asked: _Asked) -> Any:
        if asked.player.can_play(asked.request):
            return self._end(asked, self._play(asked))
        with self._recording(asked) as outcome:
            with let_through():
                found = await self._function(*asked.args, **asked.options)
            outcome["returned"] = self._write(asked, found, "its result")
        return found

    def iterate(self, asked: _Asked) -> Generator[Any]:
        """Yield the items of a generator.

        Raises:
            CassetteError: The generator got or returned a value, which a cassette does not keep.
        """
        pieces = self.aiterate(asked)
        try:
            while True:
                try:
                    item = drive(anext(pieces))
                except StopAsyncIteration:
                    return
                if (yield item) is not None:
                    raise self._refuse(asked, "cannot be recorded: its generator gets a value by send()")
        finally:
            drive(pieces.aclose())

    async def aiterate(self, asked: _Asked) -> AsyncGenerator[Any]:
        if asked.player.can_play(asked.request):
            outcome = self._play(asked)
            for item in outcome["yielded"]:
                yield item
            self._end(asked, outcome)
            return
        with self._recording(asked) as outcome:
            outcome |= {"yielded": [], "left": True}
            items = self._each(asked)
            try:
                while True:
                    with let_through():
                        try:
                            item = await anext(items)
                        except StopAsyncIteration:
                            break
                    outcome["yielded"].append(self._write(asked, item, "its item"))
                    # An event loop may close a generator that is left only after the cassette, or never.
                    vars(asked.request)["finish"] = lambda: self._record(asked, outcome)
                    if (yield item) is not None:
                        raise self._refuse(asked, "cannot be recorded: its generator gets a value by asend()")
                    del vars(asked.request)["finish"]
            finally:
                with let_through():
                    await items.aclose()
            del outcome["left"]

    async def _each(self, asked: _Asked) -> AsyncGenerator[Any]:
        items = self._function(*asked.args, **asked.options)
        if inspect.isasyncgen(items):
            async with aclosing(items):
                async for item in items:
                    yield item
            return
        try:
            while True:
                try:
                    item = next(items)
                except StopIteration as end:
                    if end.value is not None:
                        raise self._refuse(
                            asked, "cannot be recorded: its generator returns a value after its items"
                        ) from None
                    return
                yield item
        finally:
            items.close()

    def _play(self, asked: _Asked) -> dict[str, Any]:
        recorded = asked.player.play(asked.request, asked.caller)
        with asked.player.note_errors():
            return read_outcome(recorded)

    def _end(self, asked: _Asked, outcome: Mapping[str, Any]) -> Any:
        """Return the result of a recorded call, or raise its exception."""
        if "left" in outcome:
            with asked.player.note_errors():
                raise ReplayError(f"The tool {self._name} was asked for more items than were recorded")
        if "raised" in outcome:
            raise outcome["raised"]
        return outcome.get("returned")

    @contextmanager
    def _recording(self, asked: _Asked) -> Generator[dict[str, Any]]:
        """Record the outcome that the block writes, or the exception of the block."""
        outcome: dict[str, Any] = {}
        code, owner = asked.player.tools.setdefault(self._name, self._origin)
        if code != self._origin[0] or owner is not self._origin[1]:
            why = "is the name of two functions, or of a method of two objects, whose results a replay could confuse"
            raise self._refuse(asked, f"{why}: name them apart with recorded_tool(name=...)")
        try:
            yield outcome
        except CassetteError:
            asked.player.stop_waiting(asked.request)
            raise
        except GeneratorExit:
            self._record(asked, outcome)
            raise
        except Exception as error:
            outcome.pop("left", None)
            outcome["raised"] = self._write(asked, error, "its exception")
            self._record(asked, outcome)
            raise
        self._record(asked, outcome)

    def _record(self, asked: _Asked, outcome: Mapping[str, Any]) -> None:
        if self._body(asked) != asked.request.body:
            raise self._refuse(asked, "cannot be recorded: it changes its argument, and a replay would not")
        body = {"string": json.dumps(outcome).encode()}
        response = {"status": {"code": 200, "message": "OK"}, "headers": JSON, "body": body}
        asked.player.record(asked.request, response, caller=asked.caller)

    def _body(self, asked: _Asked) -> bytes:
        bound = self._signature.bind(*asked.args, **asked.options)
        bound.apply_defaults()
        given = ((name, value) for name, value in bound.arguments.items() if name not in self._ignore)
        return json.dumps({name: self._write(asked, value, f"argument {name}") for name, value in given}).encode()

    def _write(self, asked: _Asked, value: Any, what: str) -> Any:
        try:
            written = write_value(value)
            json.dumps(written)  # a number may have too many digits
        except (TypeError, ValueError, RecursionError) as error:
            advice = "; recorded_tool(ignore=[...]) leaves a parameter out" if what.startswith("argument ") else ""
            if isinstance(value, Exception):
                advice = "; let the tool raise an error of its own, or return the needed values of this one"
            if isinstance(value, Coroutine | Generator | AsyncGenerator):
                advice = (
                    "; a decorator hides that the function is asynchronous or a generator: put recorded_tool below it"
                )
            if isinstance(value, Coroutine):
                value.close()
            raise self._refuse(asked, f"cannot be recorded: {what}: {error}{advice}") from error
        return written

    def _refuse(self, asked: _Asked, why: str) -> CassetteError:
        """Add an error about an unrecorded call to the player's errors, in case the program swallows it; return it."""
        asked.player.stop_waiting(asked.request)
        error = CassetteError(f"The tool {self._name} {why}")
        asked.player.errors.append(error)
        return error
