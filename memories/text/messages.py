"""Checks chat messages, writes them as text, and selects the messages that providers accept.

A message is an OpenAI chat message, a plain dict.
"""

import functools
import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate
from typing import Any, cast

from memzoo.errors import MessageError
from memzoo.forks import cached_property
from memzoo.memories.text.days import MONTHS, UNKNOWN_DAY, WEEKDAYS
from memzoo.memories.text.families import ANY, Family
from memzoo.memories.text.grouping import group_messages, is_answer, is_instruction
from memzoo.memories.text.thoughts import THOUGHT_PARTS, set_thoughts_apart
from memzoo.stores import Message, Record
from memzoo.stores.base import SAID_AT
from memzoo.text import DEEPEST, is_too_deep

_SPEAKERS = ("user", "assistant")
ROLES = ("system", "developer", "user", "assistant", "tool", "function")
_ALWAYS = frozenset({"role", "content", "tool_call_id"})
_MEMBERS = frozenset({"name", "refusal", "audio", "tool_calls", "function_call"})
_INSTEAD_OF_CONTENT = ("tool_calls", "function_call", "refusal", "audio")
_CALL = frozenset({"id", "type", "custom"})
# What OpenAI refuses in the name of a speaker, and of a function.
_NOT_IN_NAMES = re.compile(r"[\s<|\\/>]+")
_NOT_IN_FUNCTIONS = re.compile(r"[^a-zA-Z0-9_-]+")
_LONGEST_NAME = 64
# Other libraries' names of roles.
_OTHER_ROLES = {"human": "user", "ai": "assistant", "AIMessageChunk": "assistant"}
_A = {role: f"an {role}" if role == "assistant" else f"a {role}" for role in ROLES}

# The line ends of Python's str.splitlines, because a reader may see each of them as a line end.
_LINE_ENDS = r"\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"

# Invisible or look-alike characters: a label with them still reads as the same label.
_HIDDEN = "\u00ad\u200b-\u200f\u2060-\u2064\ufeff"
_COLON = "[:\uff1a\ufe55]"

# Spaces within a line only: otherwise a run of empty lines would be scanned again from each empty line.
_GAP = rf"(?:[^\S{_LINE_ENDS}]|[{_HIDDEN}])*+"

_PLAIN_NAME = re.compile(r"\w[\w .'-]{0,63}")


def checked(message: Any) -> Message:
    """Check that a message is an OpenAI chat message, and return a copy.

    Unknown fields are kept unchanged.

    Raises:
        MessageError: The message is invalid; the error names the fault and the correct form.
    """
    if isinstance(message, dict) and len(message) == 2 and message.get("role") in _SPEAKERS:  # noqa: PLR2004
        content = message.get("content")
        # Nearly all messages have just these two members, and ASCII text needs no further checks.
        if isinstance(content, str) and content.isascii():
            return {"role": message["role"], "content": content}
    return _checked(message)


def _checked(message: Any) -> Message:
    if is_too_deep(message):
        parts: dict[Any, Any] = message if isinstance(message, dict) else {}
        deep = next((f"the {name!r} of a message" for name, part in parts.items() if is_too_deep([part])), "a message")
        raise MessageError(f"{deep} has more than {DEEPEST} levels of JSON; write it as a string")
    if not isinstance(message, dict):
        raise MessageError(f"a message must be a dict with 'role' and 'content', not {message!r}{_instead_of(message)}")
    message = cast("Message", message)
    if message.get("role") not in ROLES:
        raise MessageError(f"role {message.get('role')!r} is unknown; it must be one of {', '.join(ROLES)}")
    _check_content(message)
    if message["role"] == "tool" and not isinstance(message.get("tool_call_id"), str):
        raise MessageError(f"a tool message needs the 'tool_call_id' that it answers: {message!r}")
    _check_calls(message.get("tool_calls") or [])
    try:
        text = json.dumps(message, allow_nan=False, ensure_ascii=False)
        text.encode()
    except (TypeError, ValueError) as error:
        raise MessageError(f"a message must consist of JSON values ({error}): {message!r}") from error
    return cast("Message", json.loads(text))


def as_message(role: str, said: str | Message) -> Message:
    """Return a text as a message with a role. A message is returned unchanged."""
    return {"role": role, "content": said} if isinstance(said, str) else said


def users_message(said: str | Message) -> Message:
    """Return a text as a user message; given a user message, return a checked copy.

    Raises:
        MessageError: The message is invalid, or its role is not "user".
    """
    message = checked(as_message("user", said))
    if message["role"] != "user":
        raise MessageError(f"a turn must begin with a user message, not with {message!r}")
    return message


def check_several(messages: object) -> None:
    """Raise a `MessageError` unless `messages` is a list or another iterable, and not a string or dict.

    The messages themselves are not checked.
    """
    if not isinstance(messages, Iterable) or isinstance(messages, (str, bytes, Mapping)):
        raise MessageError(f"messages must be a list of chat messages, not {messages!r}")


def as_record(message: Message | Record) -> Record:
    """Check a message (see `checked`), or a record and its fields, and return a record.

    An assistant's thoughts are set apart from the words (see `set_thoughts_apart`).

    Raises:
        MessageError: The message or a field is invalid; the error names the fault.
    """
    if not isinstance(message, Record):
        return Record(set_thoughts_apart(checked(message)))
    fields = dict(message.fields)
    for name, value in cast("dict[str, Any]", fields).items():
        if not (value is None or isinstance(value, str)):
            raise MessageError(f"field {name!r} of a record must be a string or None, not {value!r}")
    if (told := fields.get(SAID_AT)) and not _is_time(told):
        raise MessageError(
            f"field {SAID_AT!r} must be a time in ISO 8601 with a time zone, such as '2026-05-08T09:30:00+00:00', "
            f"or '' if unknown, not {told!r}"
        )
    return Record(set_thoughts_apart(checked(message.message)), fields)


def _is_time(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


def tool_call(id_: str, name: str, arguments: Any) -> dict[str, Any]:
    """Return a tool call for an assistant's message. If `arguments` is a string, it must be JSON."""
    written = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return {"id": id_, "type": "function", "function": {"name": name, "arguments": written}}


def _instead_of(given: object) -> str:
    """Return advice for an error about an object that is not a message; "" without advice."""
    if isinstance(given, str):
        return '; write {"role": "user", "content": ...} for what the user says'
    if not hasattr(given, "content"):
        return ""
    role = getattr(given, "role", None) or getattr(given, "type", None) or "user"
    role = str(getattr(role, "value", role))
    advice = f'; write {{"role": "{_OTHER_ROLES.get(role, role)}", "content": message.content}}'
    if type(given).__module__.startswith("langchain"):
        advice += ", or langchain_core.messages.convert_to_openai_messages(message)"
    return advice


def _check_calls(calls: Any) -> None:
    if not isinstance(calls, list):
        raise MessageError(f"'tool_calls' must be a list, not {calls!r}")
    each: list[Any] = calls
    for call in each:
        if not isinstance(call, dict) or not isinstance(call.get("id"), str):
            raise MessageError(f"each of 'tool_calls' must be a dict with an 'id', not {call!r}")
        if not isinstance(call.get("function", {}), dict):
            raise MessageError(f"the 'function' of a tool call must be a dict, not {call['function']!r}")


def _check_content(message: Message) -> None:
    content = message.get("content")
    if content is None and message["role"] == "assistant" and any(map(message.get, _INSTEAD_OF_CONTENT)):
        return
    if isinstance(content, list):
        parts: list[Any] = content
        for part in parts:
            if not isinstance(part, dict) or not isinstance(part.get("type"), str):
                raise MessageError(f"each part of a content must be a dict with a 'type', not {part!r}")
            if part["type"] == "text" and not isinstance(part.get("text"), str | None):
                raise MessageError(f"the 'text' of a part of a content must be a string, not {part['text']!r}")
    elif not isinstance(content, str):
        text = "; write message.content" if hasattr(content, "content") else ""
        raise MessageError(
            f"the content of {_A[message['role']]} message must be a string or a list of parts, not {content!r}{text}"
        )


def text_of(message: Message) -> str:
    """Return a message as text: words, names of pictures and files, and tool calls, but no thoughts."""
    if isinstance(content := message.get("content"), str) and len(message) == 2:  # noqa: PLR2004 - as nearly all have
        return content
    parts: list[Any] = content if isinstance(content, list) else [{"type": "text", "text": content or ""}]
    said = [_part_text(part) for part in parts if part["type"] not in THOUGHT_PARTS]
    if audio := message.get("audio"):
        said.append(_stand_in("audio", audio, "transcript"))
    said += [f"[calls {_call_text(call)}]" for call in message.get("tool_calls") or ()]
    if legacy := message.get("function_call"):
        said.append(f"[calls {_call_text({'function': legacy})}]")
    said.append(str(message.get("refusal") or ""))
    return "\n".join(piece for piece in said if piece)


def with_words(message: Message, text: str) -> Message:
    """Return a message with its text replaced. Pictures and files stay."""
    if isinstance(message["content"], str):
        return message | {"content": text}
    others = [part for part in message["content"] if part["type"] != "text"]
    return message | {"content": [{"type": "text", "text": text}, *others]}


def _part_text(part: dict[str, Any]) -> str:
    kind: str = part["type"].removeprefix("input_").removesuffix("_url")
    for said in (part.get("text"), part.get("refusal")):
        if isinstance(said, str):
            return said
    if caption := part.get("caption") or part.get("alt_text"):
        return f"[{kind}: {caption}]"
    return _stand_in(kind, part.get(kind) or part, "filename", "transcript")


def _stand_in(kind: str, thing: Any, *names: str) -> str:
    """Return a stand-in for a part without words, such as "[file: a.pdf]": the kind, and the first name that is set."""
    known = [thing[name] for name in names if thing.get(name)] if isinstance(thing, dict) else []
    return f"[{kind}: {known[0]}]" if known else f"[{kind}]"


def _call_text(call: dict[str, Any]) -> str:
    function: Any = call.get("function") or call.get("custom")
    if not isinstance(function, dict):
        return "a tool()"
    return f"{function.get('name') or 'a tool'}({function.get('arguments', function.get('input', ''))})"


def _in_any_width(word: str) -> str:
    pairs = ((char, chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char) for char in word)
    return "".join(rf"(?:{re.escape(char)}|{re.escape(wide)})[{_HIDDEN}]*+" for char, wide in pairs)


def _one_of(words: Iterable[str]) -> str:
    return rf"(?:{'|'.join(map(_in_any_width, words))})"


_NUMBER = rf"(?:\d[{_HIDDEN}]*+)"
# Headings of days: "8 May 2026:" or "8 May:" in found texts, "[Friday, 8 May 2026]" in prompts.
_UNKNOWN = _GAP.join(map(_in_any_width, UNKNOWN_DAY.split()))
_HEADING = (
    rf"[\[\uff3b]?{_GAP}(?:(?:{_one_of(WEEKDAYS)}{_GAP}[,\uff0c]?{_GAP})?"
    rf"{_NUMBER}{{1,2}}{_GAP}{_one_of(MONTHS)}{_GAP}{_NUMBER}{{0,4}}|{_UNKNOWN})"
    rf"{_GAP}(?:{_COLON}|[\]\uff3d])"
)


def quote_turns(text: str, labels: Iterable[str]) -> str:
    r"""Return a text with "> " before each line that looks like a new message ("AI: ...") or the heading of a day.

    Without this, a message could forge a message of another speaker. The first line is never marked.

    Example:
        >>> print(quote_turns("hello\nHuman: bye\n8 May 2026:", ["Human", "AI"]))
        hello
        > Human: bye
        > 8 May 2026:
    """
    lines = text.splitlines(keepends=True)
    if len(lines) < 2:  # noqa: PLR2004
        return text
    turn, day, starts = _turn_of(frozenset(labels)), _heading(), accumulate(map(len, lines), initial=0)
    return "".join(
        f"> {line}" if start and (turn.match(text, start) or day.match(text, start)) else line
        for line, start in zip(lines, starts, strict=False)
    )


@functools.lru_cache(maxsize=1024)
def _turn_of(labels: frozenset[str]) -> re.Pattern[str]:
    return re.compile(rf"{_GAP}{_one_of(sorted(labels))}\s*+{_COLON}", re.IGNORECASE)


@functools.cache
def _heading() -> re.Pattern[str]:
    # Compiled when needed: compiling takes longer than reading many messages.
    return re.compile(_GAP + _HEADING, re.IGNORECASE)


def _letters(label: str) -> str:
    """Return a label without differences of case and width, and without spaces and dots."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", label).casefold()))


@dataclass(frozen=True)
class Labels:
    """The labels of the speakers in a transcript.

    Attributes:
        human: The label of user messages.
        ai: The label of assistant messages.
    """

    human: str = "Human"
    ai: str = "AI"

    def of(self, role: str) -> str:
        """Return the label of a role."""
        # Only these labels differ from the role's name.
        return {"user": self.human, "assistant": self.ai, "developer": "System"}.get(role) or role.capitalize()

    def speaker(self, message: Message) -> str:
        """Return the speaker of a message: its `name`, or the label of its role.

        A name that looks like another role's label, or like the heading of a day, is ignored.
        """
        name, own = message.get("name"), self.of(message["role"])
        if not isinstance(name, str) or not _PLAIN_NAME.fullmatch(name) or _heading().match(f"{name}:"):
            return own
        return own if _letters(name) in map(_letters, self.names - {own}) else name

    @cached_property
    def names(self) -> frozenset[str]:
        """The labels of all roles."""
        return frozenset(map(self.of, ROLES))

    def line(self, message: Message) -> str:
        """Return a message as written in a transcript: the label, a colon, the text."""
        return f"{self.of(message['role'])}: {quote_turns(text_of(message), self.names)}"


def sendable(messages: Sequence[Message]) -> list[Message]:
    """Return the messages that a provider accepts (see `find_sendable`), each as `as_sent` returns it."""
    return [as_sent(messages[place]) for place in find_sendable(messages)]


def find_sendable(messages: Sequence[Message]) -> list[int]:
    """Return the positions of the messages that a provider accepts, system messages first.

    Incomplete calls, results without a call, and empty answers are left out.
    """
    kept = [place for group in group_messages(messages) for place in group if not is_empty(messages[place])]
    return sorted(kept, key=lambda place: not is_instruction(messages[place]))


def is_empty(message: Message) -> bool:
    """Tell whether an answer has no words, for example because the model only thought."""
    if isinstance(content := message.get("content"), str) and content.strip():
        return False
    return is_answer(message) and not text_of(message).strip()


def is_answered(said: Sequence[Message]) -> bool:
    """Tell whether the last user message has an answer, and each tool call has its result."""
    return said[-1]["role"] != "user" and sum(map(len, group_messages(said))) == len(said)


def as_sent(message: Message, family: Family = ANY) -> Message:
    """Return a message as a provider accepts it.

    Only the keys of OpenAI's chat messages are kept. Optional keys with empty values are left out, and so are thoughts
    that the family does not want back. Forbidden characters in names are replaced. The arguments of calls become JSON
    objects.

    Args:
        message: The message.
        family: The family of endpoints.
    """
    role, content = message["role"], message.get("content")
    is_plain = len(message) == 2 and isinstance(content, str)  # noqa: PLR2004 - a role and a content, as nearly all have
    if is_plain and not (role == "assistant" and family.missing_thoughts):
        return message
    kept = {key: value for key, value in message.items() if key in _ALWAYS or (key in _MEMBERS and value)}
    if "name" in kept:
        name = _allowed(kept.pop("name"), _NOT_IN_FUNCTIONS if role in ("tool", "function") else _NOT_IN_NAMES)
        kept |= {"name": name} if name else {}
    if isinstance(content, list):
        parts: list[Any] = content
        kept["content"] = [part for part in parts if part["type"] not in THOUGHT_PARTS]
    if isinstance(legacy := kept.get("function_call"), dict):
        kept["function_call"] = _function_as_sent(legacy)
    if role == "assistant":
        kept |= _provider_members(message, family)
    return message if kept == message else kept


def _provider_members(message: Message, family: Family) -> Message:
    """Return the members of an assistant's message whose form depends on the provider: thoughts, signatures, calls."""
    found: Message = {name: message[name] for name in family.returns if message.get(name)}
    if family.missing_thoughts and not found:
        found["reasoning_content"] = family.missing_thoughts
    thoughts, content = message.get("reasoning_content"), message.get("content")
    if family.thoughts_in_words and not found and thoughts and isinstance(content, (str, type(None))):
        found["content"] = f"<think>\n{thoughts}\n</think>\n\n{content or ''}"
    if calls := message.get("tool_calls"):
        sent = [_call_as_sent(call, family) for call in calls]
        if family.missing_signature and not any(family.returns & call.keys() for call in sent):
            signature = {"google": {"thought_signature": family.missing_signature}}
            sent[0] = sent[0] | {"extra_content": signature}
        found["tool_calls"] = sent
    return found


def _call_as_sent(call: dict[str, Any], family: Family) -> dict[str, Any]:
    sent = {name: value for name, value in call.items() if name in _CALL or name in family.returns}
    if isinstance(function := call.get("function"), dict):
        sent |= {"type": "function", "function": _function_as_sent(function)}
    return sent


def _function_as_sent(function: dict[str, Any]) -> dict[str, Any]:
    given = function.get("arguments")
    arguments = given if isinstance(given, str) else json.dumps(given)
    name = _allowed(function.get("name"), _NOT_IN_FUNCTIONS) or "unknown"
    return {"name": name, "arguments": arguments if _is_object(arguments) else "{}"}


def _allowed(name: Any, forbidden: re.Pattern[str]) -> str:
    return forbidden.sub("_", name)[:_LONGEST_NAME] if isinstance(name, str) else ""


@functools.lru_cache(maxsize=1024)
def _is_object(text: str) -> bool:
    """Tell whether a text is a JSON object that every parser accepts: without NaN, and without half a character."""
    try:
        value = json.loads(text, parse_constant=_refuse)
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict)


def _refuse(constant: str) -> None:
    raise ValueError(constant)
