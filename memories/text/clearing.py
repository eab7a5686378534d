"""Old results of tools: replaced by a line where they are shown, since an agent seldom needs them twice."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from memzoo.errors import OptionError
from memzoo.memories.options import names, whole_number
from memzoo.memories.text.grouping import is_answer
from memzoo.memories.text.messages import text_of
from memzoo.stores import Message

__all__ = [
    "RESULTS",
    "ClearToolResults",
    "ClearToolResultsOption",
    "Numbered",
    "clear_results",
    "clearing_of",
    "replace_result",
    "results_to_clear",
]

RESULTS = ("tool", "function")
"""The roles of results."""


@dataclass(frozen=True, kw_only=True)
class ClearToolResults:
    """Which results of tools are replaced by a line that says what was there and how long it was.

    Attributes:
        keep: So many of the newest results stay, at least. What came since the last answer stays in any case.
        step: The place from which on they stay moves by so many messages at once, so that a provider's cache of prompts
            keeps what is before it; up to so many messages more keep their results.
        over: Results of at most so many tokens stay.
        exclude: The names of tools whose results stay, and do not count.

    Raises:
        OptionError: One of them has a value that cannot work.

    Example:
        >>> from memzoo import create_memory
        >>> memory = create_memory("buffer", clear_tool_results=ClearToolResults(keep=1, step=1))
        >>> for id_ in "ab":
        ...     call = {"id": id_, "type": "function", "function": {"name": "page", "arguments": "{}"}}
        ...     result = {"role": "tool", "tool_call_id": id_, "content": "so many words " * 9}
        ...     memory.add_messages([{"role": "assistant", "content": None, "tool_calls": [call]}, result])
        ...     memory.add_messages([{"role": "assistant", "content": "Read."}])
        >>> memory.messages()[1]["content"]
        '[page gave 126 characters, which are not shown any more]'
    """

    keep: int = 3
    step: int = 10
    over: int = 0
    exclude: Collection[str] = ()

    def __post_init__(self) -> None:
        whole_number("clear_tool_results: keep", self.keep, at_least=0)
        whole_number("clear_tool_results: step", self.step, at_least=1)
        whole_number("clear_tool_results: over", self.over, at_least=0)
        names("clear_tool_results: exclude", self.exclude)


ClearToolResultsOption: TypeAlias = ClearToolResults | Mapping[str, Any] | None
"""A `ClearToolResults`, or its members by name."""


class Numbered(NamedTuple):
    """A message with its number in the log, or its place in a list."""

    number: int
    message: Message


def clearing_of(option: ClearToolResultsOption) -> ClearToolResults | None:
    """What an option means.

    Raises:
        OptionError: It is something else, or names what there is not.
    """
    if option is None or isinstance(option, ClearToolResults):
        return option
    known = [field.name for field in fields(ClearToolResults)]
    if not isinstance(option, Mapping) or option.keys() - set(known):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise OptionError(f"clear_tool_results must be of {', '.join(known)}, such as {{'keep': 3}}, not {option!r}")
    return ClearToolResults(**option)


def results_to_clear(said: Sequence[Numbered], option: ClearToolResults) -> dict[int, str]:
    """The results that are old enough to be replaced, by number, with the names of their tools.

    It follows from the numbers alone which they are, so that each process shows the same.

    Args:
        said: Messages to the end of the conversation, oldest first.
        option: Which.
    """
    tools = dict[Any, str]()
    found = list[tuple[int, str]]()
    for number, message in said:
        for call in message.get("tool_calls") or ():
            tools[call["id"]] = str((call.get("function") or {}).get("name") or "a tool")
        # Without its call, a result is not sent.
        name = message.get("name") if message["role"] == "function" else tools.get(message.get("tool_call_id"))
        if message["role"] in RESULTS and name and name not in option.exclude:
            found.append((number, str(name)))
    first = found[-option.keep][0] if 0 < option.keep <= len(found) else 0 if option.keep else said[-1].number + 1
    first = min(first, _open_from(said))
    first -= first % option.step
    return {number: name for number, name in found if number < first}


def replace_result(message: Message, name: str, over: int, size: Callable[[], int]) -> Message:
    """Return a result of a tool as a line; as it is, if it is short.

    Args:
        message: The result.
        name: The tool's name.
        over: Tokens that it may have and stay.
        size: Counts its tokens.
    """
    text = text_of(message)
    line = f"[{name} gave {len(text):,} characters, which are not shown any more]"
    if len(text) <= len(line) or (over and size() <= over):
        return message
    return message | {"content": line}


def clear_results(
    messages: Sequence[Message], option: ClearToolResults, size: Callable[[Message], int]
) -> list[Message]:
    """A list of messages, oldest first, with its old results as lines."""
    numbered = [Numbered(place, message) for place, message in enumerate(messages)]
    cleared = list(messages)
    for place, name in (results_to_clear(numbered, option) if messages else {}).items():
        cleared[place] = replace_result(messages[place], name, option.over, partial(size, messages[place]))
    return cleared


def _open_from(said: Sequence[Numbered]) -> int:
    """The number from which on nothing is answered yet."""
    return next((number + 1 for number, message in reversed(said) if is_answer(message)), said[0].number)
