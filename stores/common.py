"""What several stores share: copies of JSON, ids as every database takes them, and checks of what is restored."""

import itertools
import os
import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any, TypeVar, cast

from memzoo.errors import ConflictError, StoreError
from memzoo.stores.base import Entry

__all__ = [
    "IN_MEMORY",
    "checked_numbers",
    "copied",
    "damaged",
    "did_you_mean",
    "escaped",
    "existing",
    "prefix_range",
    "private",
    "redacted",
    "shown",
    "unescaped",
    "visible",
]

T = TypeVar("T")

IN_MEMORY = (
    "a store in memory ends with its process: it cannot be pickled or deep-copied; open one that is kept, such as "
    "open_store('sqlite:///memories.db'), or copy conversations with export_conversation and import_conversation"
)
"""Why a store in memory is not pickled, and what to do."""

_SCALARS = frozenset({str, int, float, bool, type(None)})
_UNSAFE = re.compile("[\\\\\0\ud800-\udfff]")
_LAST = "\U0010ffff"
_ESCAPE = re.compile(r"\\([0-9a-f]{4})")
# Controls of the terminal, and characters that turn the direction of a line, or end it, unseen.
_UNSEEN = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def escaped(text: str) -> str:
    r"""Escape what databases refuse in an id or a key: NUL, and halves of surrogate pairs.

    Stores sort ids by this, by code points, so that an order means the same in all of them.

    Example:
        >>> print(escaped("a\0\\"))
        a\0000\005c
    """
    return _UNSAFE.sub(lambda found: f"\\{ord(found[0]):04x}", text)


def prefix_range(prefix: str) -> dict[str, str | None]:
    r"""The escaped ids that begin with some text: from the first on, up to but not with those beyond; `None` for all.

    Example:
        >>> prefix_range("user-")
        {'first': 'user-', 'beyond': 'user.'}
    """
    first = escaped(prefix)
    rest, beyond = first.rstrip(_LAST), None
    if rest:  # between these two are the halves of pairs, which are no characters
        beyond = rest[:-1] + ("\ue000" if rest[-1] == "\ud7ff" else chr(ord(rest[-1]) + 1))
    return {"first": first or None, "beyond": beyond}


def unescaped(text: str) -> str:
    """Undo `escaped`.

    Raises:
        StoreError: It is no text, as in a damaged row.
    """
    if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise StoreError(f"an id or a name in the store is damaged: {text!r:.40} is no text")
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """The end of an error about an unknown name: the known name that is most like it; "" if none is.

    Example:
        >>> did_you_mean("sumary", ["buffer", "summary"])
        ". Did you mean 'summary'?"
    """
    likely = get_close_matches(str(name), known, 1) or get_close_matches(str(name).casefold(), known, 1)
    return f". Did you mean {likely[0]!r}?" if likely else ""


def copied(value: T) -> T:
    """Copy JSON, such as a message, many times faster than `deepcopy`, which has to expect anything."""
    if isinstance(value, dict):
        items: dict[str, Any] = dict(cast("dict[str, Any]", value))
        # Nearly all messages are flat, and each is copied twice when it is saved and once each time that it is read.
        for key, item in items.items():
            if type(item) not in _SCALARS:
                items[key] = copied(item)
        return cast("T", items)
    if isinstance(value, (list, tuple)):
        several: Sequence[Any] = value
        return cast("T", [copied(item) for item in several])
    return value


def private(file: str, flags: int) -> int:
    """For `open(..., opener=private)`: only its owner may read or write a file that is new; others stay as they are."""
    return os.open(file, flags, 0o600)


def redacted(url: str) -> str:
    """A URL without user and passwords, however wrong it is.

    Example:
        >>> redacted("postgresql://me:secret@host/db?password=secret")
        'postgresql://***@host/db?password=***'
    """
    url = re.sub(r"(password=)[^&]*", r"\1***", url, flags=re.IGNORECASE | re.DOTALL)
    return re.sub(r"^([a-z0-9+.-]*://)?.*@", r"\1***@", url, flags=re.IGNORECASE | re.DOTALL)


def shown(url: str) -> str:
    """A URL as it can be printed: the path of a file as it is, any other without user and passwords."""
    return url if url.startswith("sqlite:") else redacted(url)


def visible(text: str) -> str:
    r"""Write as escapes of JSON what a terminal would obey instead of showing it; line ends and tabs stay.

    Example:
        >>> visible("\x1b[2Jdone\r\n")
        '\\u001b[2Jdone\n'
    """
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text.replace("\r\n", "\n"))


def checked_numbers(entries: Sequence[Entry]) -> None:
    """Make sure that entries can be a log.

    Raises:
        StoreError: There are none, or their numbers do not rise from 1 on.
    """
    numbers = [entry.seq for entry in entries]
    if not numbers or numbers[0] < 1 or any(one >= other for one, other in itertools.pairwise(numbers)):
        raise StoreError(f"a log has at least one message, and numbers that rise from 1 on, not {numbers[:10]}")


def existing(conversation_id: str) -> ConflictError:
    """The error that says that a conversation is there already."""
    return ConflictError(f"there is a conversation {conversation_id!r} already; clear it, or choose another id")


def damaged(what: str, conversation_id: str, error: Exception) -> StoreError:
    """The error for a row that cannot be read."""
    why = " ".join(f"{type(error).__name__}: {error}".split())
    return StoreError(f"{what} of {conversation_id!r} is damaged ({why:.200})")
