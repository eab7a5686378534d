"""Replaces each old tool result with one line, in views and in prompts for learning. The log keeps the full results."""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from memzoo.errors import OptionError
from memzoo.memories.options import names, whole_number
from memzoo.memories.text.grouping import find_calls, is_answer, kind_of
from memzoo.memories.text.messages import text_of
from memzoo.memories.text.view import Cleared
from memzoo.stores import Entry, Message

if TYPE_CHECKING:
    from memzoo.memories.engine.log import CachedLog
    from memzoo.memories.engine.pins import Pins


@dataclass(frozen=True, kw_only=True)
class ClearToolResults:
    """Replaces each old tool result with a line that gives the tool's name and the number of the result's characters.

    Attributes:
        keep: At least this many of the newest results stay in full, as do all results since the last answer.
        step: Results are replaced several at a time, at most once every `step` messages. In between, a provider's
            prompt cache stays valid.
        over: Only results with more tokens than this are replaced.
        exclude: The names of tools whose results stay in full, and do not count towards `keep`.

    Raises:
        OptionError: An attribute has an invalid value.

    Example:
        >>> from memzoo import create_memory
        >>> memory = create_memory("buffer", clear_tool_results={"keep": 1, "step": 1})
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


ClearToolResultsOption: TypeAlias = Mapping[str, Any] | None
"""A mapping of the attributes of `ClearToolResults`; `None` to keep all results."""


def clearing_of(option: ClearToolResultsOption) -> ClearToolResults | None:
    """Return the option `clear_tool_results` as a `ClearToolResults`; `None` stays `None`.

    Raises:
        OptionError: The option has a wrong type, or an unknown member.
    """
    if option is None:
        return None
    known = [field.name for field in fields(ClearToolResults)]
    if not isinstance(option, Mapping) or option.keys() - set(known):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise OptionError(f"clear_tool_results must be of {', '.join(known)}, such as {{'keep': 3}}, not {option!r}")
    return ClearToolResults(**option)


def _name_results(said: Sequence[tuple[int, Message]], option: ClearToolResults) -> dict[int, str]:
    """Return the tool results that the rule does not exclude, as message number -> tool name, oldest first."""
    calls = ((call.result, call.call.get("function") or call.call) for call in find_calls([one for _, one in said]))
    # A result without its call is not sent.
    named = {place: str(call.get("name") or "a tool") for place, call in calls if place is not None}
    return {said[place][0]: name for place, name in sorted(named.items()) if name not in option.exclude}


def _results_to_clear(said: Sequence[tuple[int, Message]], option: ClearToolResults) -> dict[int, str]:
    """Return the tool results that are old enough to replace, as message number -> tool name.

    The choice depends on the numbers alone: every process shows the same messages.

    Args:
        said: Pairs of number and message up to the end of the conversation, oldest first. The numbers are log numbers,
            or positions in a list.
        option: The rule.
    """
    found = [*_name_results(said, option).items()]
    first = found[-option.keep][0] if 0 < option.keep <= len(found) else 0 if option.keep else said[-1][0] + 1
    # Results since the last answer stay.
    first = min(first, next((number + 1 for number, message in reversed(said) if is_answer(message)), said[0][0]))
    first -= first % option.step
    return {number: name for number, name in found if number < first}


def _replace_result(message: Message, name: str, over: int, size: Callable[[], float]) -> Message:
    """Return a tool result replaced by a line; a short result is returned unchanged.

    Args:
        message: The result.
        name: The tool's name.
        over: Results up to this many tokens stay.
        size: Counts the result's tokens.
    """
    text = text_of(message)
    line = f"[{name} gave {len(text):,} characters, which are not shown any more]"
    if len(text) <= len(line) or (over and size() <= over):
        return message
    return message | {"content": line}


def clear_results(
    messages: Sequence[Message], option: ClearToolResults, size: Callable[[Message], float]
) -> list[Message]:
    """Return messages (oldest first) with a line in place of each old tool result."""
    cleared = list(messages)
    for place, name in (_results_to_clear([*enumerate(messages)], option) if messages else {}).items():
        cleared[place] = _replace_result(messages[place], name, option.over, partial(size, messages[place]))
    return cleared


@dataclass(eq=False, repr=False)
class Clearing:
    """Replaces old tool results with lines, by the rule of `ClearToolResults`.

    Attributes:
        option: The rule.
        held: The log.
        size: Counts the tokens of an entry.
        pins: The pinned messages, which stay in full.
    """

    option: ClearToolResults
    held: "CachedLog"
    size: Callable[[Entry], float]
    pins: "Pins"

    def __post_init__(self) -> None:
        # The epoch, bounds and pins that the names are valid for, the names of tools by log number, and the replaced
        # entries of the epoch.
        self._known: tuple[tuple[Hashable, ...], Mapping[int, str], dict[int, Cleared]] = (None,), {}, {}

    def replace_old(self, entries: list[Entry]) -> list[Entry]:
        """Return entries as a view shows them: with a line in place of each old tool result."""
        if not any(kind_of(entry.message) == "result" for entry in entries):
            return entries
        held = self.held.entries
        older = [entry for entry in entries if held and entry.seq < held[0].seq]
        return self._replace(entries, *self._names([*older, *held]))

    def replace_all(self, entries: Sequence[Entry]) -> list[Entry]:
        """Return entries for learning: all tool results become lines, except short and excluded results."""
        if not any(kind_of(entry.message) == "result" for entry in entries):
            return list(entries)
        said = [(entry.seq, entry.message) for entry in entries]
        return self._replace(entries, _name_results(said, self.option), {})

    def may_change(self, shown: Sequence[Entry]) -> bool:
        """Return whether the view may change later, when more tool results are replaced.

        Results outside `shown` matter too: a line in place of a long result may fit in the view.
        """
        if any(kind_of(entry.message) == "result" and not isinstance(entry, Cleared) for entry in shown):
            return True
        held = self.held.entries
        results = [entry.seq for entry in held if kind_of(entry.message) == "result"]
        return bool(results) and not self._names(held)[0].keys() >= {*results}

    def _names(self, said: Sequence[Entry]) -> tuple[Mapping[int, str], dict[int, Cleared]]:
        pinned = frozenset(entry.seq for entry in self.pins.entries)
        about = self.held.epoch, said[0].seq, said[-1].seq, pinned
        if self._known[0] != about:
            found = _results_to_clear([(entry.seq, entry.message) for entry in said], self.option)
            lines = self._known[2] if self._known[0][0] == self.held.epoch else {}
            self._known = about, {seq: name for seq, name in found.items() if seq not in pinned}, lines
        return self._known[1:]

    def _replace(self, entries: Sequence[Entry], names: Mapping[int, str], lines: dict[int, Cleared]) -> list[Entry]:
        for entry in entries:
            if entry.seq in names and entry.seq not in lines and not isinstance(entry, Cleared):
                size = partial(self.size, entry)
                message = _replace_result(entry.message, names[entry.seq], self.option.over, size)
                if message is not entry.message:
                    lines[entry.seq] = Cleared(entry.seq, message, entry.turn_id, entry.created_at, entry.fields)
        return [lines.get(entry.seq, entry) if entry.seq in names else entry for entry in entries]
