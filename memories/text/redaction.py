"""Takes out of texts what a memory is not to see: personal data, secrets."""

import contextlib
import functools
import json
import re
from collections.abc import Callable, Generator, Mapping
from typing import Any, TypeAlias, cast

from memzoo.errors import OptionError, RedactionError
from memzoo.stores import JSON, Message, Record

__all__ = ["Redact", "Redactor", "a_redaction"]

Redact: TypeAlias = Callable[[str], str] | Mapping[str, str | re.Pattern[str]]
"""A function from a text to the text that may be kept, or regular expressions by name: `[name]` takes their place."""

_Count: TypeAlias = Callable[[str, int], None]
_FUNCTION = "redact"

# What a message is put together by. In a host's own form there is more of it, and none of it was said.
_FORM = frozenset({"role", "type", "id", "tool_call_id"})
_HOSTS_FORM = frozenset(
    {"kind", "uuid", "object", "status", "model", "timestamp", "finish_reason", "tool_name", "signature"}
    | {"encrypted_content", "thought_signature", "mime_type"}
)
# What is no text: pictures, sounds, files. As a URL they stand anywhere but where words are.
_CODED = frozenset({"data", "file_data"})
_SAID = frozenset({"content", "text"})
_BASE64 = re.compile(r"(data:[^\s,]*;base64,)?[\w+/=%\r\n-]*", re.ASCII)
_JSON = re.compile(r'[ \t\r\n]*[{["]')
# What is handed to a tool, and back: all of it is content.
_HANDED = frozenset({"args", "arguments", "input", "output", "response"})


def a_redaction(name: str, value: object) -> None:
    """Check an option that says what to take out of texts.

    Raises:
        OptionError: It is neither a function nor patterns by name, or does not work with an empty text.
    """
    try:
        Redactor(cast("Redact", value)).text("")
    except RedactionError as error:
        raise OptionError(f"{name} must give a text for a text, also for an empty one: {error}") from None


class Redactor:
    """Takes out of texts what a function or patterns say, and counts how often.

    Args:
        redact: See `Redact`; `None` to leave all texts as they are.
        count: Told by which name something was taken out, and how often; by default nobody is.

    Raises:
        OptionError: It is neither a function nor patterns by name.
    """

    def __init__(self, redact: Redact | None, count: _Count | None = None) -> None:
        self._count = count or _count_nothing
        self._function = redact if callable(redact) else None
        self._patterns = {} if redact is None or callable(redact) else _compile(redact)
        self.is_idle = redact is None

    def text(self, text: str) -> str:
        """A text without what is to be taken out.

        Raises:
            RedactionError: The function failed, or gave no text.
        """
        if self._function:
            redacted = _call(self._function, text)
            if redacted != text:
                self._count(_FUNCTION, 1)
            return redacted
        for name, pattern in self._patterns.items():
            text, times = pattern.subn(functools.partial(_placeholder, name), text)
            if times:
                self._count(name, times)
        return text

    def message(self, message: Message) -> Message:
        """A message, all of whose texts are treated so: content, names, arguments and results of tools.

        What it is put together by stays: its role, types, the ids of calls, the names of tools. So do pictures, sounds
        and files.
        """
        if self.is_idle:
            return message
        with _not_too_deep():
            redacted: Message = self._within(message, _FORM)
        return redacted

    def record(self, record: Record) -> Record:
        """A record, with its fields; in a host's own form of the message, ids, times and the like stay."""
        if self.is_idle:
            return record
        with _not_too_deep():
            fields = {name: self._field(name, text) for name, text in record.fields.items()}
        return Record(self.message(record.message), fields)

    def _field(self, name: str, text: str | None) -> str | None:
        if text is None or name == "@thread":
            return text
        own = _parse_json(text) if name.startswith("@") else None
        if own is None:
            return self._redact_text(text)
        return json.dumps(self._within(own, _FORM | _HOSTS_FORM), ensure_ascii=False)

    def _within(self, value: Any, form: frozenset[str], key: str = "") -> Any:
        """JSON whose texts are treated; those of its keys that are in `form` are passed over."""
        if isinstance(value, str):
            return value if _is_coded(key, value) else self._redact_text(value)
        if isinstance(value, list):
            several: list[Any] = value  # pyright: ignore[reportUnknownVariableType]
            return [self._within(one, form, key) for one in several]
        if not isinstance(value, dict):
            return value
        parts = cast("dict[str, Any]", value)
        kept = {one for one in parts if one in form or (one == "name" and _names_a_tool(parts))}
        if form - _FORM:
            kept |= {one for one in parts if one.endswith(("_id", "_at"))}
        return {
            one: part
            if one in kept
            else self._redact_content(part)
            if one in _HANDED
            else self._within(part, form, one)
            for one, part in parts.items()
        }

    def _redact_content(self, value: Any) -> Any:
        """JSON of which everything is content: its keys and numbers, too."""
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
        """A text; one that is JSON, such as the arguments of a tool, stays JSON, and hides nothing behind escapes."""
        inner = _parse_json(text)
        if inner is not None:
            handed = self._redact_content(inner)
            text = text if handed == inner else json.dumps(handed, ensure_ascii=False)
        return self.text(text)


def _count_nothing(name: str, times: int) -> None:
    pass


def _placeholder(name: str, _: re.Match[str]) -> str:
    return f"[{name}]"


def _call(function: Callable[[str], Any], text: str) -> str:
    try:
        redacted = function(text)
    except Exception as error:  # noqa: BLE001 - whatever it raises
        # Its words may have the very text that nobody is to see.
        raise RedactionError(f"redact raised {type(error).__name__}; nothing was stored or sent") from None
    if not isinstance(redacted, str):
        raise RedactionError(f"redact gave {type(redacted).__name__}, not a text; nothing was stored or sent")
    return redacted


@contextlib.contextmanager
def _not_too_deep() -> Generator[None, None, None]:
    try:
        yield
    except RecursionError:
        raise RedactionError("a text is JSON with too many levels to look into; nothing was stored or sent") from None


def _is_coded(key: str, text: str) -> bool:
    is_url = text.startswith("data:") and key not in _SAID
    return (is_url or key in _CODED) and _BASE64.fullmatch(text) is not None


def _names_a_tool(parts: Mapping[str, JSON]) -> bool:
    return bool(parts.keys() & {*_HANDED, "tool_call_id"}) or parts.get("role") == "function"


def _parse_json(text: str) -> Any:
    """A text as JSON, where it looks like an object, a list or a text; else `None`."""
    if not _JSON.match(text):
        return None
    try:
        return json.loads(text)
    except ValueError:
        return None
    except RecursionError:
        if "\\" in text:  # an escape may hide anything
            raise
        return None


def _compile(redact: object) -> dict[str, re.Pattern[str]]:
    if not isinstance(redact, Mapping) or not redact:
        raise OptionError(f"redact must be a function of a text, or patterns by name, not {redact!r}")
    patterns: Mapping[Any, Any] = redact  # pyright: ignore[reportUnknownVariableType]
    return {name: _pattern(name, given) for name, given in patterns.items()}


def _pattern(name: object, given: object) -> re.Pattern[str]:
    if not isinstance(name, str) or not name:
        raise OptionError(f"redact: a pattern is named by a text, such as 'email', not {name!r}")
    if not isinstance(given, (str, re.Pattern)):
        raise OptionError(f"redact: {name!r} must be a regular expression, not {given!r}")
    try:
        pattern = re.compile(cast("str | re.Pattern[str]", given))
        empty = pattern.search("")
    except (re.error, TypeError, RecursionError) as error:
        raise OptionError(f"redact: {name!r} is no regular expression for text: {error}") from error
    if empty:
        raise OptionError(f"redact: {name!r} must not fit an empty text, as {pattern.pattern!r} does")
    return pattern
