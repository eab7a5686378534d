"""Tools: plain Python functions that a model may call."""

import asyncio
import functools
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from memzoo.errors import AsyncOnlyError, OptionError
from memzoo.stores import Message
from memzoo.sync import is_blocking, settled

_NAME = re.compile(r"[\w-]{1,64}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Called:
    """A tool call and its result.

    Attributes:
        name: The tool's name, as the model gave it.
        arguments: The arguments as the model wrote them: JSON, unless the model made a mistake.
        value: The tool's return value; `None` if the call failed.
        text: The result for the model: the value as text or JSON, or the error.
        failed: True if the tool does not exist, the arguments do not fit, or the tool raised an exception.
        immediate: True if an immediate tool succeeded: its result may become the reply without another model call.
        message: The tool message with the result.
    """

    name: str
    arguments: str
    value: Any
    text: str
    failed: bool
    immediate: bool
    message: Message


class Tool:
    """A function that a model may call, described by its signature, annotations and docstring.

    `Annotated[int, pydantic.Field(description="...", ge=1)]` describes and restricts a parameter.

    Example:
        >>> def weather(city: str, days: int = 1) -> str:
        ...     '''Return the weather forecast.'''
        ...     return f"rain in {city}"
        >>> tool = Tool(weather)
        >>> tool.name, tool.description, tool.parameters["required"]
        ('weather', 'Return the weather forecast.', ['city'])
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        name: str | None = None,
        description: str | None = None,
        immediate: bool = False,
        repeatable: bool = False,
    ) -> None:
        """Create a tool from a function.

        Args:
            function: A synchronous or asynchronous function. In asynchronous code, synchronous functions run in a
                thread.
            name: The tool's name; by default the function's name.
            description: The description for the model; by default the function's docstring.
            immediate: True if the result may become the reply without another model call. This happens if all calls of
                a round are to immediate tools and succeed.
            repeatable: True if a call may safely run twice. If the process ends before a call's result is stored, the
                call is run again when the turn is continued. For other tools, the model is told that the outcome is
                unknown.

        Raises:
            OptionError: The function has no usable name, or has parameters that a model cannot provide.
        """
        from pydantic import TypeAdapter

        if not callable(function):
            raise OptionError(f"a tool must be a function, not {function!r}")
        self.function = function
        self.immediate = immediate
        self.repeatable = repeatable
        plain = inspect.unwrap(function.func if isinstance(function, functools.partial) else function)
        self.name = str(name or getattr(plain, "__name__", type(plain).__name__))
        self.description = inspect.getdoc(plain) or "" if description is None else description
        if not _NAME.fullmatch(self.name):
            raise OptionError(
                f"a tool needs a name of letters, digits, - and _, not {self.name!r}: Tool(..., name=...)"
            )
        try:
            self._adapter = TypeAdapter(_find_function(function))
            self.parameters: dict[str, Any] = self._adapter.json_schema()
        except Exception as error:  # pydantic's errors, and whatever evaluating annotations can raise
            raise OptionError(f"the parameters of tool {self.name!r} cannot be described: {error}") from error
        if self.parameters.get("type") != "object":
            raise OptionError(f"tool {self.name!r} has parameters without names; a model gives arguments by name")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function itself."""
        return self.function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"Tool({self.name})"

    @property
    def schema(self) -> dict[str, Any]:
        """The tool's description for the model, in OpenAI's format."""
        function = {"name": self.name, "description": self.description, "parameters": self.parameters}
        return {"type": "function", "function": function}

    async def call(self, arguments: str) -> Any:
        """Call the function with arguments in JSON, checked and converted according to the annotations."""
        checked_call = functools.partial(self._adapter.validate_json, arguments.strip() or "{}")
        if is_blocking() or inspect.iscoroutinefunction(self.function):
            return await settled(checked_call())
        # A synchronous function must not block the event loop.
        return await settled(await asyncio.to_thread(checked_call))


def toolbox(tools: Iterable[Tool | Callable[..., Any]]) -> dict[str, Tool]:
    """Return a dict from name to tool; functions become tools.

    Raises:
        OptionError: A function cannot be a tool, or two tools have the same name.
    """
    if not isinstance(tools, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise OptionError(f"tools must be a list of functions, not {tools!r}")
    made = [tool if isinstance(tool, Tool) else Tool(tool) for tool in tools]
    by_name = {tool.name: tool for tool in made}
    if len(by_name) < len(made):
        raise OptionError(f"two tools have the same name: {', '.join(tool.name for tool in made)}")
    return by_name


async def run(tools: Mapping[str, Tool], call: Mapping[str, Any]) -> Called:
    """Run the tool that a model called, and return the result. If the tool fails, the result is the error.

    Raises:
        AsyncOnlyError: The tool is asynchronous and the caller is synchronous.
    """
    name, arguments = str(call["function"]["name"]), str(call["function"]["arguments"])
    tool, value, text, fault = tools.get(name), None, "", ""
    try:
        if tool:
            value = await tool.call(arguments)
            text = _text(value)
        else:
            fault = f"there is no tool {name!r}; there are: {', '.join(tools) or 'none'}"
    except AsyncOnlyError:
        raise
    except Exception as error:  # noqa: BLE001 - the model is told, and goes on
        fault = _fault(error)
    text = f"Error: {fault}" if fault else text
    told = {"role": "tool", "tool_call_id": call["id"], "content": text}
    return Called(name, arguments, value, text, bool(fault), not fault and bool(tool and tool.immediate), told)


def _find_function(function: Callable[..., Any]) -> Any:
    """Return the function with the signature for pydantic: the function itself, or a callable object's `__call__`."""
    known = inspect.isroutine(function) or isinstance(function, functools.partial)
    return function if known else getattr(function, "__call__")  # noqa: B004, B009


def _fault(error: Exception) -> str:
    from pydantic import ValidationError

    if not isinstance(error, ValidationError):
        return f"{type(error).__name__}: {error}"
    faults = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}".removeprefix(": ") for one in error.errors()]
    return f"wrong arguments: {'; '.join(faults)}"


def _text(value: Any) -> str:
    from pydantic_core import to_json

    text = value if isinstance(value, str) else to_json(value, fallback=str, inf_nan_mode="constants").decode()
    # Half a character, as from a cut emoji, can be neither sent nor stored.
    return text.encode("utf-8", "replace").decode()
