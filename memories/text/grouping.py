"""Groups messages that belong together: a tool call with its results, the messages of an exchange."""

from collections import deque
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from memzoo.stores import Entry, Message

Kind: TypeAlias = Literal["start", "system", "user", "answer", "calls", "result", "end"]
"""A kind of message in a request. "calls" is an assistant's message with tool calls; "start" and "end" are the ends."""

INSTRUCTIONS = ("system", "developer")
"""The roles of system messages."""


def group_messages(messages: Sequence[Message]) -> list[list[int]]:
    """Group each message that has tool calls with the results of the calls.

    A message without tool calls is a group of its own. Results without a call are left out, and so are messages with a
    call that has no result (see `find_calls`).

    Returns:
        The groups, as lists of positions, in the order of their first messages. Results are in the order of the calls.

    Example:
        >>> call = {"role": "assistant", "content": None, "tool_calls": [{"id": "c1"}]}
        >>> result = {"role": "tool", "tool_call_id": "c1", "content": "sunny"}
        >>> group_messages([result, call, {"role": "user", "content": "hm"}, result])
        [[1, 3], [2]]
    """
    # A role and a content, as nearly all have.
    if all(len(message) == 2 and "content" in message for message in messages):  # noqa: PLR2004
        return [[place] for place in range(len(messages))]
    groups = {place: [place] for place, message in enumerate(messages) if _find_call(message) is None}
    for call in find_calls(messages):
        if call.result is None:
            groups.pop(call.place, None)
        elif call.place in groups:
            groups[call.place].append(call.result)
    return list(groups.values())


@dataclass(slots=True)
class ToolCall:
    """A tool call in a list of messages.

    Attributes:
        place: The position of the message with the call.
        call: The call, as in the message's `tool_calls` or (the older form) `function_call`.
        result: The position of the result; `None` without a result.
        is_open: True if the call waits for a result, and no later message has a call with the same id.
    """

    place: int
    call: Mapping[str, Any]
    result: int | None = None
    is_open: bool = True


def find_calls(messages: Sequence[Message]) -> list[ToolCall]:
    """Return the tool calls, oldest first, each with its result.

    A result belongs to the nearest earlier message that has a call with the result's id. If that message has several
    such calls, they get their results in order.
    """
    found = list[ToolCall]()
    waiting = dict[Hashable, deque[ToolCall]]()
    for place, message in enumerate(messages):
        if (key := _find_call(message)) is not None:
            if waiting.get(key):
                answered = waiting[key].popleft()
                answered.result, answered.is_open = place, False
            continue
        for key, call in _list_calls(message):
            known = waiting.setdefault(key, deque())
            while known and known[0].place < place:
                known.popleft().is_open = False
            known.append(one := ToolCall(place, call))
            found.append(one)
    return found


def is_instruction(message: Message) -> bool:
    """Tell whether a message is a system message: its role is "system" or "developer"."""
    return message["role"] in INSTRUCTIONS


def kind_of(message: Message) -> Kind:
    """Return the kind of a message: "system", "user", "answer", "calls" or "result"."""
    if message["role"] in INSTRUCTIONS:
        return "system"
    if message["role"] == "assistant":
        calls = message.get("tool_calls") or isinstance(message.get("function_call"), dict)
        return "calls" if calls else "answer"
    return "user" if message["role"] == "user" else "result"


def is_answer(message: Message) -> bool:
    """Tell whether a message is the assistant's answer to the user, without tool calls."""
    return kind_of(message) == "answer"


def is_of_tools(message: Message) -> bool:
    """Tell whether a message has tool calls, or is the result of one."""
    return kind_of(message) in ("calls", "result")


def find_open_calls(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Return the tool calls without a result, oldest first.

    Example:
        >>> call = {"role": "assistant", "content": None, "tool_calls": [{"id": "c1"}, {"id": "c2"}]}
        >>> find_open_calls([call, {"role": "tool", "tool_call_id": "c1", "content": "sunny"}])
        [{'id': 'c2'}]
    """
    return [dict(one.call) for one in find_calls(messages) if one.is_open and "id" in one.call]


def find_unanswered(messages: Sequence[Message]) -> list[int]:
    """Return the positions of the newest user message and all later messages; `[]` if the assistant has answered.

    System messages, calls with a missing result, and results without a call are left out.
    """
    groups = group_messages(messages)
    said = [group for group in groups if not is_instruction(messages[group[0]])]
    asked = [place for place, group in enumerate(said) if messages[group[0]]["role"] == "user"]
    if not asked or is_answer(messages[said[-1][0]]):
        return []
    return [place for group in said[asked[-1] :] for place in group]


def exchange_ends(entries: Sequence[Entry]) -> Iterator[int]:
    """Yield the end position of each exchange: the position after the exchange's last message.

    A user or system message begins an exchange if it follows an answer, or if it is the first message of its turn (the
    messages saved together). An assistant's message must meet both conditions to begin an exchange.
    """
    yield from (place for place in range(1, len(entries)) if _begins_exchange(entries[place - 1], entries[place]))
    if entries:
        yield len(entries)


def last_exchange(entries: Sequence[Entry]) -> int:
    """Return the position of the first entry of the last exchange."""
    places = range(len(entries) - 1, 0, -1)
    return next((place for place in places if _begins_exchange(entries[place - 1], entries[place])), 0)


def _begins_exchange(before: Entry, here: Entry) -> bool:
    answered = is_answer(before.message)
    asks = here.message["role"] == "user" or here.message["role"] in INSTRUCTIONS
    anew = before.turn_id != here.turn_id and (asks or answered) and here.message["role"] != "tool"
    return anew or (asks and answered)


def _list_calls(message: Message) -> list[tuple[Hashable, Mapping[str, Any]]]:
    """Return a message's tool calls, each with its key."""
    calls: list[tuple[Hashable, Mapping[str, Any]]] = [(call["id"], call) for call in message.get("tool_calls") or ()]
    legacy: Any = message.get("function_call")
    return [*calls, (("function", str(legacy.get("name"))), legacy)] if isinstance(legacy, dict) else calls


def _find_call(message: Message) -> Hashable | None:
    """Return the key of the tool call that a result belongs to; `None` for other messages."""
    if message["role"] == "function":
        return ("function", str(message.get("name")))
    return message["tool_call_id"] if message["role"] == "tool" else None
