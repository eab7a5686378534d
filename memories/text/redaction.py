"""Removes personal data and secrets from texts before a memory sees them."""

import functools
import itertools
import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias, cast

from memzoo.errors import MessageError, OptionError
from memzoo.stores import JSON, Message, Record
from memzoo.stores.base import ANSWER, SAID_AT
from memzoo.text import parse_json

Redact: TypeAlias = Callable[[str], str] | Mapping[str, str | re.Pattern[str]]
"""A function that returns a text redacted, or regular expressions by name: `[name]` replaces each match."""

_Count: TypeAlias = Callable[[str, int], None]
_Span: TypeAlias = tuple[int, int]
_FUNCTION = "redact"

# Members that structure a message, and further members of a host's own form. Nobody's words are in these members.
_FORM = frozenset({"role", "type", "id", "tool_call_id"})
_HOSTS_FORM = frozenset(
    {"kind", "uuid", "object", "status", "model", "timestamp", "finish_reason", "tool_name", "signature"}
    | {"encrypted_content", "thought_signature", "mime_type"}
)
# Pictures, sounds and files, which are not text: data URLs outside of texts, or values under these keys in a part with
# the type of a file.
_CODED = frozenset({"data", "file_data", "base64", "bytes"})
# A provider refuses a signature, or encrypted thoughts, with one character changed; nobody else can read either.
_SIGNATURES = frozenset({"signature", "thought_signature", "encrypted_content"})
_FILES = re.compile(
    r"base64|binary|reasoning\.encrypted|redacted_thinking|(input_)?(image|audio|video|file|document|media)|(image|audio|video)_url"
)
_MIME_TYPE = re.compile(r"[a-z]+/[a-z\d.+-]+(;.*)?", re.IGNORECASE | re.DOTALL)
_SAID = frozenset({"content", "text"})
# At least 64 characters: longer than numbers, names and most keys, shorter than a picture of one pixel.
_BASE64 = re.compile(r"(?:data:[^\s,]*;base64,)?[\w+/=%\r\n-]{64,}", re.ASCII)
_JSON = re.compile(r'[ \t\r\n]*[{["]')
# A JSON escape of a character. Half of a surrogate pair is not a character.
_HALF = "u[dD][{}][\\da-fA-F]{{2}}"
_PAIR = _HALF.format("89abAB") + r"\\" + _HALF.format("c-fC-F")
_ESCAPE = re.compile(rf"""\\(?:{_PAIR}|u(?![dD][89a-fA-F])[\da-fA-F]{{4}}|["\\/bfnrt])""")
# JSON within JSON has its escapes escaped again. Each level halves runs of backslashes. Honest texts have fewer levels.
_DEEPEST_ESCAPE = 20
# Input and output of a tool: all keys and values are content.
_HANDED = frozenset({"args", "arguments", "input", "output", "response"})


def a_redaction(name: str, value: object) -> None:
    """Check the value of an option that says how to redact texts; `name` is the option's name.

    Raises:
        OptionError: The value is neither a function nor a dict of patterns, or the function fails for an empty text.
    """
    try:
        Redactor(cast("Redact", value)).text("")
    except MessageError as error:
        raise OptionError(f"{name} must return a string for every text, even an empty one: {error}") from None


class Redactor:
    """Redacts texts with a function or patterns, and counts the redactions.

    Args:
        redact: A function, or a dict from name to pattern; `None` to leave all texts unchanged.
        count: Called with the name of a pattern and the number of redactions; by default, redactions are not counted.

    Raises:
        OptionError: `redact` is neither a function nor a dict of patterns.
    """

    def __init__(self, redact: Redact | None, count: _Count = lambda _name, _times: None) -> None:
        self._count = count
        self._function = redact if callable(redact) else None
        self._patterns = {} if redact is None or callable(redact) else _compile(redact)
        self.is_idle = redact is None

    def text(self, text: str) -> str:
        """Return a redacted text.

        Raises:
            MessageError: The function given as `redact` failed or did not return a string, or the text has too many
                levels of escapes.
        """
        if self._function:
            redacted = self._apply(self._function, text)
            if redacted != text:
                self._count(_FUNCTION, 1)
            return redacted
        for name, pattern in self._patterns.items():
            if spans := _join(_find(pattern, text)):
                ends = [0, *(end for _, end in spans)]
                kept = (text[end:start] for end, (start, _) in zip(ends, spans, strict=False))
                text = "".join(f"{one}[{name}]" for one in kept) + text[ends[-1] :]
                self._count(name, len(spans))
        return text

    def _apply(self, function: Callable[[str], str], text: str, level: int = 0) -> str:
        """Return a text redacted by a function, also in its decoded escapes; unchanged parts keep their escapes."""
        text = _call(function, text)
        plain = _Unescaped(text, level)
        if plain.text == text:
            return text
        redacted = self._apply(function, plain.text, level + 1)
        if redacted == plain.text:
            return text
        start = _count_same(plain.text, redacted)
        same = _count_same(plain.text[start:][::-1], redacted[start:][::-1])
        first, end = plain.place((start, len(plain.text) - same))
        return text[:first] + redacted[start : len(redacted) - same] + text[end:]

    def message(self, message: Message) -> Message:
        """Return a message with all texts redacted: content, names, and arguments and results of tools.

        Roles, types, ids of calls and names of tools stay unchanged, as do pictures, sounds and files.
        """
        if self.is_idle:
            return message
        redacted: Message = self._within(message, _FORM)
        return redacted

    def record(self, record: Record) -> Record:
        """Return a record with its message and fields redacted.

        A field may hold a message in the format of an agent framework; that message's ids and times stay unchanged.
        """
        if self.is_idle:
            return record
        fields = {name: self._field(name, text) for name, text in record.fields.items()}
        return Record(self.message(record.message), fields)

    def _field(self, name: str, text: str | None) -> str | None:
        if text is None or name in ("@thread", ANSWER, SAID_AT):
            return text
        own = _parse_json(text) if name.startswith("@") else None
        if own is None:
            return self._redact_text(text)
        return json.dumps(self._within(own, _FORM | _HOSTS_FORM), ensure_ascii=False)

    def _within(self, value: Any, form: frozenset[str], key: str = "", *, is_file: bool = False) -> Any:
        """Return JSON values with texts redacted, except texts under the keys in `form`."""
        if isinstance(value, str):
            return value if _is_coded(key, value, is_file=is_file) else self._redact_text(value)
        if isinstance(value, list):
            several: list[Any] = value  # pyright: ignore[reportUnknownVariableType]
            return [self._within(one, form, key, is_file=is_file) for one in several]
        if not isinstance(value, dict):
            return value
        parts = cast("dict[str, Any]", value)
        is_file = is_file or _is_file(parts)
        kept = {one for one in parts if one in form or (one == "name" and _names_a_tool(parts))}
        if form - _FORM:
            kept |= {one for one in parts if one.endswith(("_id", "_at"))}
        return {
            one: part
            if one in kept
            else self._redact_content(part)
            if one in _HANDED
            else self._within(part, form, one, is_file=is_file)
            for one, part in parts.items()
        }

    def _redact_content(self, value: Any) -> Any:
        """Return JSON values with everything redacted, including keys and numbers."""
        if isinstance(value, str):
            return self._redact_text(value)
        if isinstance(value, list):
            several: list[Any] = value  # pyright: ignore[reportUnknownVariableType]
            return [self._redact_content(one) for one in several]
        if isinstance(value, dict):
            return {self.text(key): self._redact_content(one) for key, one in cast("dict[str, Any]", value).items()}
        if value is None or isinstance(value, bool):
            return value
        redacted = self.text(written := json.dumps(value))
        return value if redacted == written else redacted

    def _redact_text(self, text: str) -> str:
        """Return a text redacted; a text in JSON, such as a tool's arguments, is decoded, redacted and stays JSON."""
        inner = _parse_json(text)
        if inner is not None:
            handed = self._redact_content(inner)
            text = text if handed == inner else json.dumps(handed, ensure_ascii=False)
        return self.text(text)


class _Unescaped:
    """A text with escapes decoded, and the original position of each character.

    Args:
        text: The original text.
        level: The number of times that the text has been decoded already.

    Raises:
        MessageError: The text has too many levels of escapes.
    """

    def __init__(self, text: str, level: int) -> None:
        found = list(_ESCAPE.finditer(text)) if "\\" in text else []
        if found and level == _DEEPEST_ESCAPE:
            raise MessageError("a text has too many levels of escapes to look into; nothing was stored or sent")
        self._spans = [one.span() for one in found]
        self._longer = [0, *itertools.accumulate(end - start - 1 for start, end in self._spans)]
        self._places = [start - more for (start, _), more in zip(self._spans, self._longer, strict=False)]
        self.text = _ESCAPE.sub(lambda one: _unescape(one[0]), text) if found else text

    def place(self, span: _Span) -> _Span:
        """Return the original text's span for a span of the decoded text."""
        start, end = (one + self._longer[bisect_left(self._places, one)] for one in span)
        return start, end

    def widen(self, span: _Span) -> _Span:
        """Return a span in the original text widened to whole escapes at both ends."""
        start, end = span
        before = bisect_right(self._spans, (start, -1)) - 1
        if before >= 0 and start < self._spans[before][1]:
            start = self._spans[before][0]
        last = bisect_left(self._spans, (end,)) - 1
        if last >= 0:
            end = max(end, self._spans[last][1])
        return start, end


@functools.lru_cache(1_000)
def _unescape(escape: str) -> str:
    character: str = json.loads(f'"{escape}"')
    return character


def _count_same(text: str, other: str) -> int:
    """Return the length of the common beginning of two texts."""
    pairs = enumerate(zip(text, other, strict=False))
    return next((place for place, (one, another) in pairs if one != another), min(len(text), len(other)))


def _find(pattern: re.Pattern[str], text: str, level: int = 0) -> Iterable[_Span]:
    """Return the spans in a text that match a pattern, as written or with escapes decoded."""
    found = [one.span() for one in pattern.finditer(text)]
    plain = _Unescaped(text, level)
    if plain.text == text:
        return found
    return {*map(plain.widen, found), *map(plain.place, _find(pattern, plain.text, level + 1))}


def _join(spans: Iterable[_Span]) -> list[_Span]:
    """Return spans in order, with overlapping spans merged."""
    joined = list[_Span]()
    for start, end in sorted(spans):
        if joined and start < joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined


def _call(function: Callable[[str], Any], text: str) -> str:
    try:
        redacted = function(text)
    except Exception as error:  # noqa: BLE001 - whatever it raises
        # The error's message may contain the text to hide.
        raise MessageError(f"redact raised {type(error).__name__}; nothing was stored or sent") from None
    if not isinstance(redacted, str):
        raise MessageError(f"redact returned {type(redacted).__name__}, not a string; nothing was stored or sent")
    return redacted


def _is_coded(key: str, text: str, *, is_file: bool) -> bool:
    is_url = text.startswith("data:") and key not in _SAID
    return (is_url or key in _SIGNATURES or (is_file and key in _CODED)) and _BASE64.fullmatch(text) is not None


def _is_file(parts: Mapping[str, JSON]) -> bool:
    """Tell whether a part of a message is a file, by the part's type or MIME type."""
    kinds = (parts.get("type"), parts.get("kind"))
    if any(isinstance(kind, str) and _FILES.fullmatch(kind) for kind in kinds):
        return True
    types = (parts.get(name) for name in ("mime_type", "mimeType", "media_type", "mediaType"))
    return any(isinstance(one, str) and _MIME_TYPE.fullmatch(one) for one in types)


def _names_a_tool(parts: Mapping[str, JSON]) -> bool:
    return bool(parts.keys() & {*_HANDED, "tool_call_id"}) or parts.get("role") == "function"


def _parse_json(text: str) -> Any:
    """Return the value of a text in JSON: an object, an array or a string; `None` for other or too deep texts."""
    return parse_json(text) if _JSON.match(text) else None


def _compile(redact: object) -> dict[str, re.Pattern[str]]:
    if not isinstance(redact, Mapping) or not redact:
        raise OptionError(f"redact must be a function of a text, or patterns by name, not {redact!r}")
    patterns: Mapping[Any, Any] = redact  # pyright: ignore[reportUnknownVariableType]
    return {name: _pattern(name, given) for name, given in patterns.items()}


def _pattern(name: object, given: object) -> re.Pattern[str]:
    if not isinstance(name, str) or not name:
        raise OptionError(f"redact: the name of a pattern must be a string, such as 'email', not {name!r}")
    if not isinstance(given, (str, re.Pattern)):
        raise OptionError(f"redact: {name!r} must be a regular expression, not {given!r}")
    try:
        pattern = re.compile(cast("str | re.Pattern[str]", given))
        empty = pattern.search("")
    except (re.error, TypeError, RecursionError) as error:
        raise OptionError(f"redact: {given!r} for {name!r} is not a regular expression for text: {error}") from error
    if empty:
        raise OptionError(f"redact: {name!r} must not match an empty text, as {pattern.pattern!r} does")
    return pattern
