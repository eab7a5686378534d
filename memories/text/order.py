"""The order of messages in a request. The table `FOLLOWS` says which message may follow which.

One system message comes first. Then turns of user and assistant alternate, beginning with the user. No message is
empty, and calls are followed by their results. Every endpoint accepts this order.
"""

import hashlib
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from memzoo.errors import OptionError
from memzoo.memories.text.families import ANY, Family
from memzoo.memories.text.framing import frame_text
from memzoo.memories.text.grouping import Kind, group_messages, is_instruction, kind_of
from memzoo.memories.text.messages import as_sent, check_several, checked, quote_turns, text_of
from memzoo.memories.text.thoughts import THOUGHT_FIELDS
from memzoo.memories.text.view import Piece, Shown
from memzoo.stores import Message
from memzoo.text import copy_json

T = TypeVar("T")

FOLLOWS: Mapping[Kind, tuple[Kind, ...]] = {
    "start": ("system", "user"),
    "system": ("user",),
    "user": ("answer", "calls", "end"),
    "answer": ("user",),
    "calls": ("result",),
    "result": ("result", "calls", "answer", "end"),
}
"""The kinds of message that may follow each kind."""

STAND_INS: Mapping[Kind, Message] = {
    "user": {"role": "user", "content": "(The conversation goes on.)"},
    "answer": {"role": "assistant", "content": "(Nothing more was said.)"},
}
"""By kind, the message to insert between two messages that must not be neighbours and cannot be joined."""

_ADDED_UP = frozenset({*THOUGHT_FIELDS, "reasoning_details"})
_VOICES: Mapping[Kind, Kind] = {"calls": "answer"}
_LONGEST_ID = 32  # with a number behind it, an id has at most the 40 characters that OpenAI allows
_NO_RESULT = "(The tool returned nothing.)"


def find_fault(messages: Iterable[Message], family: Family = ANY) -> str:
    """Describe the first fault in a request for a family of endpoints; "" if it has none.

    Example:
        >>> asked = {"role": "user", "content": "Hi!"}
        >>> find_fault([asked]), find_fault([asked, asked])
        ('', 'message 1 (user) must not follow user')
    """
    before: Kind = "start"
    open_calls, known = list[str](), set[str]()
    for place, message in enumerate(messages):
        kind, content = kind_of(message), message.get("content")
        ids = [call["id"] for call in message.get("tool_calls") or ()]
        faults = {
            f"must not follow {before}": kind not in FOLLOWS[before] or (open_calls and kind != "result"),
            "is a result of no open call": kind == "result" and message.get("tool_call_id") not in open_calls,
            "has calls, which the family wants as text": ids and family.calls_as_text,
            "has several calls": len(ids) > 1 and not family.parallel_calls,
            "has an id in another form": not all(re.fullmatch(family.call_ids or "(?s:.*)", id_) for id_ in ids),
            "has a role that the family does not know": kind == "system" and message["role"] != family.system_role,
            "has no words": content is None or not (ids or _has_words(content)),
            "has two calls with one id, or the id of an earlier call": len({*ids} - known) < len(ids),
        }
        if fault := next((fault for fault, is_so in faults.items() if is_so), ""):
            return f"message {place} ({message['role']}) {fault}"
        if kind == "result":
            open_calls.remove(message["tool_call_id"])
        open_calls += ids
        known.update(ids)
        before = kind
    return f"a request must not end with {before}" if open_calls or "end" not in FOLLOWS[before] else ""


def make_request(
    pieces: Sequence[Piece], family: Family = ANY, *, stable: int = 0, room: int | None = 0, ends: bool = False
) -> Shown:
    """Return the messages of a request, in the order that a family of endpoints accepts.

    Adjacent pieces of the same role become one message. All system texts become one message, the application's text
    first.

    Args:
        pieces: The pieces of the request, in order.
        family: The family of endpoints.
        stable: The number of pieces at the beginning that will be the same in the next request.
        room: The value of `Shown.room` for the result.
        ends: True to add a user message if the request would otherwise end with an answer.
    """
    stand_ins = {kind: as_sent(message, family) for kind, message in STAND_INS.items()}
    made = arrange(_as_family(_system_first(pieces, family), family), stand_ins)
    if ends and "end" not in FOLLOWS[kind_of(made[-1][0][-1]) if made else "start"]:
        made.append(([stand_ins["user"]], []))
    moving = (number for number, (_, parts) in enumerate(made) if any(max(places) >= stable for places in parts))
    still = next(moving, len(made))
    recalled = [[any(pieces[one].kind == "recalled" for one in places) for places in parts] for _, parts in made]
    messages = [_join(joined, records) for (joined, _), records in zip(made, recalled, strict=True)]
    # The next user message would join a user message at the end.
    still -= still == len(made) > 0 and messages[-1]["role"] == "user"
    while still and not made[still - 1][1]:  # A stand-in is there for what follows.
        still -= 1
    return Shown(copy_json(messages), pieces, stable_upto=still, room=room)


def arrange(
    items: Iterable[tuple[T, Message]], stand_ins: Mapping[Kind, Message] = STAND_INS
) -> list[tuple[list[Message], list[T]]]:
    """Group messages in an order that `FOLLOWS` allows. The caller then joins each group into one message.

    Args:
        items: Pairs of a value (such as the message's origin) and the message. System messages come first.
        stand_ins: The messages to insert between messages that must not be neighbours and cannot be joined: a dict from
            kind to message.

    Returns:
        For each group, a pair: the list of its messages, and the list of their values.
    """
    made = list[tuple[list[Message], list[T]]]()
    before: Kind = "start"
    for own, message in items:
        kind = kind_of(message)
        if kind in FOLLOWS[before]:
            made.append(([], []))
        elif kind == "result" or _VOICES.get(before, before) != _VOICES.get(kind, kind):
            stands = next(one for one in STAND_INS if one in FOLLOWS[before] and kind in FOLLOWS[one])
            made += [([stand_ins[stands]], []), ([], [])]
        made[-1][0].append(message)
        made[-1][1].append(own)
        before = kind
    return made


def lead_with(system: str, pieces: Iterable[Piece]) -> list[Piece]:
    """Return the application's system text, then the pieces of a view, except pieces that repeat the system text.

    Raises:
        OptionError: The system text is not a string.
    """
    if not isinstance(system, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise OptionError(f"system must be a string, not {system!r}")
    if not system:
        return list(pieces)
    rule: Message = {"role": "system", "content": system}
    return [Piece(rule, "system"), *(one for one in pieces if one.message != rule)]


def in_turns(messages: Iterable[Message], family: Family = ANY) -> tuple[str, list[Message]]:
    r"""Return the system text, and the other messages in the order that every endpoint accepts.

    This is for Anthropic's and Google's clients, which take the system text separately. The messages begin with a user
    message, and roles alternate. Tool calls without results, and results without calls, are left out.

    Args:
        messages: Messages in any order, such as those of `memory.messages` and a new question.
        family: The family of the endpoint.

    Returns:
        The system text ("" without system messages), and the other messages.

    Raises:
        MessageError: A message is invalid.

    Example:
        >>> said = [("system", "Be brief."), ("user", "A record."), ("user", "Hi!"), ("assistant", "Hello.")]
        >>> in_turns({"role": role, "content": text} for role, text in said)
        ('Be brief.', [{'role': 'user', 'content': 'A record.\n\nHi!'}, {'role': 'assistant', 'content': 'Hello.'}])
    """
    check_several(messages)
    made: list[Message] = make_request([Piece(checked(message)) for message in messages], family)
    return "\n\n".join(map(text_of, filter(is_instruction, made))), [one for one in made if not is_instruction(one)]


def tell_calls_apart(messages: Iterable[Message], form: str = "") -> Iterator[Message]:
    """Yield the messages of a request. Each tool call gets its own id, and its result gets the same id.

    Some endpoints give the same id to several calls, but other endpoints refuse that. The log keeps the original ids.

    Args:
        messages: The messages, in the order of the request.
        form: A regular expression for the ids (see `Family.call_ids`); "" for any id.

    Example:
        >>> calls = {"role": "assistant", "content": "", "tool_calls": [{"id": "c"}, {"id": "c"}]}
        >>> result = {"role": "tool", "tool_call_id": "c", "content": "sunny"}
        >>> called, *results = tell_calls_apart([calls, result, result])
        >>> [call["id"] for call in called["tool_calls"]], [one["tool_call_id"] for one in results]
        (['c', 'c_2'], ['c', 'c_2'])
    """
    counts = dict[str, int]()  # by id
    waiting = dict[str, list[str]]()  # the new ids of calls without a result, by their id
    for message in messages:
        if calls := message.get("tool_calls"):
            waiting |= {call["id"]: [] for call in calls}
            made = list[Any]()
            for call in calls:
                id_ = free = call["id"]
                while free in counts:
                    counts[id_] += 1
                    free = f"{id_[:_LONGEST_ID]}_{counts[id_]}"
                counts[free] = 1
                if form and not re.fullmatch(form, free):
                    free = hashlib.sha256(free.encode(errors="replace")).hexdigest()[:9]
                waiting[id_].append(free)
                made.append({**call, "id": free})
            yield {**message, "tool_calls": made}
        elif message["role"] == "tool" and (ids := waiting.get(message["tool_call_id"])):
            yield {**message, "tool_call_id": ids.pop(0)}
        else:
            yield message


def cache_control(message: Message) -> Message:
    """Return a message with a mark that makes Anthropic's prompt cache keep the prompt up to the end of the message.

    A message without content, such as one with only tool calls, is returned unchanged.

    Example:
        >>> cache_control({"role": "user", "content": "Hi!"})["content"]
        [{'type': 'text', 'text': 'Hi!', 'cache_control': {'type': 'ephemeral'}}]
    """
    if not (content := _parts(message["content"])):
        return message
    *parts, last = content
    return {**message, "content": [*parts, {**last, "cache_control": {"type": "ephemeral"}}]}


def _system_first(pieces: Sequence[Piece], family: Family) -> Iterator[tuple[set[int], Message]]:
    """Yield one system message with the number of its pieces, and the other messages with theirs."""
    rules, records, others = (list[int](), list[int](), list[tuple[set[int], Message]]())
    # The rules of LangChain4j show results without calls.
    for place in itertools.chain.from_iterable(group_messages([one.message for one in pieces])):
        piece = pieces[place]
        if not is_instruction(piece.message):
            others.append(({place}, piece.sent_to(family)))
        elif piece.kind != "recalled":
            rules.append(place)
        elif not piece.is_late:
            records.append(place)
        else:  # The system message, and all behind it, stays unchanged for a prompt cache.
            others.append(({place}, {"role": "user", "content": frame_text(text_of(piece.message))}))
    texts = [text_of(pieces[place].message) for place in rules]
    if recalled := "\n".join(text_of(pieces[place].message) for place in records):
        # The frame tells the memory's words from the application's.
        texts.append(frame_text(recalled) if texts else recalled)
    if texts:
        yield {*rules, *records}, {"role": family.system_role or "user", "content": "\n\n".join(texts)}
    yield from others


def _as_family(items: Iterable[tuple[set[int], Message]], family: Family) -> Iterator[tuple[set[int], Message]]:
    """Yield messages in the form that every endpoint accepts, with tool calls in the form of the family."""
    given, names, waiting = list(items), dict[str, str](), dict[str, tuple[set[int], Message]]()
    plain = tell_calls_apart((_plain(message) for _, message in given), family.call_ids)
    for (places, _), message in zip(given, plain, strict=True):
        calls: list[Any] = message.get("tool_calls") or []
        if calls and family.calls_as_text:
            names |= {call["id"]: call.get("function", {}).get("name") or "a tool" for call in calls}
            yield places, {"role": "assistant", "content": text_of(message)}
        elif calls and (family.parallel_calls or len(calls) == 1):
            yield places, message
        elif calls:
            for call in calls:
                content = message["content"] if call is calls[0] else ""
                waiting[call["id"]] = places, {**message, "content": content, "tool_calls": [call]}
        elif message["role"] == "tool" and family.calls_as_text:
            told = f"{names.get(message['tool_call_id'], 'a tool')} gave: {text_of(message)}"
            yield places, {"role": "user", "content": frame_text(told)}
        elif message["role"] == "tool":
            if message["tool_call_id"] in waiting:
                yield waiting.pop(message["tool_call_id"])
            yield places, message
        elif _has_words(message["content"]) or message.get("audio"):
            yield places, message


def _plain(message: Message) -> Message:
    """Return a message without empty parts, with a refusal's words as content, and function calls as tool calls."""
    content = message.get("content")
    if len(message) == 2 and isinstance(content, str):  # noqa: PLR2004 - a role and a content, as nearly all have
        return message
    if isinstance(content, list):
        parts = [part for part in _parts(content) if part.get("type") != "text" or str(part.get("text") or "").strip()]
        content = "\n\n".join(part["text"] for part in parts) if all(map(_is_plain, parts)) else parts
    plain = {**message, "content": content if _has_words(content) else ""}
    if refusal := plain.pop("refusal", None):
        plain["content"] = plain["content"] or refusal
    if isinstance(audio := plain.get("audio"), dict):
        plain["content"] = plain["content"] or audio.get("transcript") or "(audio)"
    legacy = plain.pop("function_call", None)
    if isinstance(legacy, dict) and not plain.get("tool_calls"):
        plain["tool_calls"] = [{"id": f"call_{legacy.get('name')}", "type": "function", "function": legacy}]
    if plain["role"] == "function":
        plain |= {"role": "tool", "tool_call_id": f"call_{plain.pop('name', None)}"}
    if plain["role"] == "tool" and not _has_words(plain["content"]):
        plain["content"] = _NO_RESULT
    return plain


def _is_plain(part: Mapping[str, Any]) -> bool:
    return part.keys() == {"type", "text"} and part["type"] == "text"


def _has_words(content: Any) -> bool:
    return bool(content.strip()) if isinstance(content, str) else bool(content)


def _join(messages: Sequence[Message], recalled: Sequence[bool]) -> Message:
    """Return neighbours of one role as one message; the speakers stand before the words if they differ.

    Args:
        messages: The neighbours.
        recalled: For each message, true if the memory made it: a frame guards its words, which nobody said.
    """
    if len(messages) == 1:
        return messages[0]
    names = {str(message.get("name") or "") for message in messages}
    joined = {key: value for message in messages for key, value in message.items()}
    joined |= {key: _add_up([one[key] for one in messages if key in one]) for key in joined.keys() & _ADDED_UP}
    if several := len(names) > 1:
        del joined["name"]
    contents = [
        add_speaker(message, names - {""}) if several and not is_record else message["content"]
        for message, is_record in zip(messages, recalled, strict=True)
        if _has_words(message["content"])
    ]
    if all(isinstance(content, str) for content in contents):
        return {**joined, "content": "\n\n".join(contents)}
    return {**joined, "content": [part for content in contents for part in _parts(content)]}


def _add_up(thoughts: Sequence[Any]) -> Any:
    """Return the thoughts of several messages as those of one: texts are joined, ordered details stay as they are."""
    if all(isinstance(one, str) for one in thoughts):
        return "\n\n".join(thoughts)
    if all(isinstance(one, list) for one in thoughts):
        return [part for one in thoughts for part in one]
    return thoughts[-1]


def add_speaker(message: Message, speakers: Iterable[str]) -> Any:
    """Return a message's content, with the speaker's name in front.

    Lines that look like a message of one of the `speakers` are marked (see `quote_turns`).
    """
    label, parts = f"{message['name']}: " if message.get("name") else "", _parts(message["content"])
    for place, part in enumerate(parts):
        if _is_plain(part):
            # Behind a line end, the first line is compared too.
            parts[place] = {**part, "text": label + quote_turns(f"\n{part['text']}", speakers)[1:]}
            label = ""
    said = [{"type": "text", "text": label}, *parts] if label else parts
    return said[0]["text"] if isinstance(message["content"], str) else said


def _parts(content: Any) -> list[dict[str, Any]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return list(content or ())
