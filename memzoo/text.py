"""Helpers for texts and JSON: copies, hints for error messages, and texts that are safe to print."""

import itertools
import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from difflib import get_close_matches
from ipaddress import ip_address
from typing import Any, TypeAlias, TypeVar, cast
from urllib.parse import urlsplit

from memzoo.errors import OptionError

T = TypeVar("T")
_Container: TypeAlias = dict[Any, Any] | Sequence[Any]

DEEPEST = 100
"""The most levels of nested JSON in a message; each level uses stack space in every JSON parser."""

_SCALARS = frozenset({str, int, float, bool, type(None)})
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[\]{}]', re.DOTALL)
# Control characters, and invisible characters that end a line or change its direction.
_UNSEEN = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def copy_json(value: T) -> T:
    """Return a copy of JSON, such as a message; many times faster than `deepcopy`."""
    if isinstance(value, dict):
        items: dict[str, Any] = dict(cast("dict[str, Any]", value))
        # Nearly all messages are flat, and each message is copied twice at a save and once at each reading.
        for key, item in items.items():
            if type(item) not in _SCALARS:
                items[key] = copy_json(item)
        return cast("T", items)
    if isinstance(value, (list, tuple)):
        parts = cast("Sequence[Any]", value)
        return cast("T", [item if type(item) in _SCALARS else copy_json(item) for item in parts])
    return value


def is_too_deep(value: object) -> bool:
    """Return whether JSON has more levels than `DEEPEST`.

    Example:
        >>> is_too_deep({"a": [1, [2]]})
        False
    """
    level = _containers([value])
    for _ in range(DEEPEST):
        if not level:
            return False
        level = _containers(itertools.chain.from_iterable(map(_within, level)))
    return bool(level)


def parse_json(text: str) -> Any:
    """Return the value of a JSON text; `None` for any other text, and for JSON with too many levels."""
    # Counted before parsing: each level uses stack space in the parser.
    if text.count("[") + text.count("{") > DEEPEST and _depth(text) > DEEPEST:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _depth(text: str) -> int:
    steps = (1 if part in "[{" else -1 for part in _STRING_OR_BRACKET.findall(text) if part in "[]{}")
    return max(itertools.accumulate(steps), default=0)


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Return the hint for an error about an unknown name: the most similar known name; "" if none is similar.

    Example:
        >>> did_you_mean("sumary", ["buffer", "summary"])
        ". Did you mean 'summary'?"
    """
    likely = get_close_matches(str(name), known, 1) or get_close_matches(str(name).casefold(), known, 1)
    return f". Did you mean {likely[0]!r}?" if likely else ""


def private(file: str, flags: int) -> int:
    """Open a file for `open(..., opener=private)`. A new file can be read only by its owner.

    An existing file keeps its permissions.
    """
    return os.open(file, flags, 0o600)


def redact_url(url: str) -> str:
    """Return a URL, possibly malformed, with "***" in place of the user and each password.

    Example:
        >>> redact_url("postgresql://me:secret@host/db?password=secret")
        'postgresql://***@host/db?password=***'
    """
    url = re.sub(r"(password=)[^&]*", r"\1***", url, flags=re.IGNORECASE | re.DOTALL)
    return re.sub(r"^([a-z0-9+.-]*://)?.*@", r"\1***@", url, flags=re.IGNORECASE | re.DOTALL)


def is_loopback(url: str) -> bool:
    """Return whether a URL points to this machine.

    Example:
        >>> [is_loopback(url) for url in ("http://localhost:8080/v1", "http://[::1]/v1", "https://api.openai.com/v1")]
        [True, True, False]
    """
    try:
        host = urlsplit(url).hostname or ""
        return host == "localhost" or host.endswith(".localhost") or ip_address(host).is_loopback
    except ValueError:
        return False


def show_url(url: str) -> str:
    """Return a store's URL for printing, without user and passwords. An SQLite URL is returned unchanged."""
    return url if url.startswith("sqlite:") else redact_url(url)


def visible(text: str) -> str:
    r"""Return a text with control characters as JSON escapes. Line feeds and tabs stay; "\r\n" becomes "\n".

    Example:
        >>> visible("\x1b[2Jdone\r\n")
        '\\u001b[2Jdone\n'
    """
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text.replace("\r\n", "\n"))


def _containers(values: Iterable[Any]) -> Collection[_Container]:
    """Return the dicts, lists and tuples among values, each object once.

    Otherwise, a container that occurs repeatedly, or in itself, would multiply with each level.
    """
    found = (cast("_Container", one) for one in values if isinstance(one, (dict, list, tuple)))
    return {id(one): one for one in found}.values()


def _within(container: _Container) -> Iterable[Any]:
    return container.values() if isinstance(container, dict) else container


def read_options(text: str) -> dict[str, Any]:
    """Return the options in a text from the command line.

    Raises:
        OptionError: A part of the text is not an option, or an option is given twice.

    Example:
        >>> read_options('k=2,ai_prefix=Bot,labels=["a","b"]')
        {'k': 2, 'ai_prefix': 'Bot', 'labels': ['a', 'b']}
    """
    pairs = [part.partition("=") for part in _split(text)]
    if wrong := [key for key, equals, _ in pairs if not (key.strip() and equals)]:
        raise OptionError(f"{wrong[0]!r} is not an option; write options as name:option=value,option=value")
    options = {key.strip(): _value(value.strip()) for key, _, value in pairs}
    if len(options) < len(pairs):
        raise OptionError(f"{text!r} gives an option twice; write options as name:option=value,option=value")
    return options


def _split(text: str) -> Iterator[str]:
    """Yield the parts of a text between commas outside brackets."""
    depth, part = 0, ""
    for letter in text:
        depth += (letter in "[{") - (letter in "]}")
        if letter == "," and not depth:
            yield part
            part = ""
        else:
            part += letter
    yield part


def _value(text: str) -> Any:
    """Return a value from JSON or TOML syntax; any other text is returned unchanged."""
    import tomllib

    with suppress(ValueError):
        return json.loads(text)
    with suppress(ValueError):
        return tomllib.loads(f"value = {text}")["value"]
    return text
