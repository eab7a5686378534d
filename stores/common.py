"""Shared parts of stores: ids that every database accepts, and checks of restored data."""

import itertools
import re
from collections.abc import Sequence

from memzoo.errors import ConflictError, OptionError, StoreError
from memzoo.stores.base import Entry

IN_MEMORY = (
    "a store in memory ends with its process: it cannot be pickled or deep-copied; open one that is kept, such as "
    "open_store('sqlite:///memories.db'), or copy conversations with export_conversation and import_conversation"
)
"""The text of the error for pickling an in-memory store, with the alternatives."""

UNCERTAIN = "a turn that was being saved may be stored: save it again under its turn_id, and it is stored exactly once"
"""The advice in the error for a connection lost before the answer arrived."""

HIGHEST = 2**63 - 1
"""The highest number that all databases can store."""

_UNSAFE = re.compile("[\\\\\0\ud800-\udfff]")
_LAST = "\U0010ffff"
_ESCAPE = re.compile(r"\\([0-9a-f]{4})")


def escaped(text: str) -> str:
    r"""Escape the characters that databases refuse in an id or a key: NUL and unpaired surrogates.

    All stores sort ids by the code points of the escaped form, so ids have the same order in every store.

    Example:
        >>> print(escaped("a\0\\"))
        a\0000\005c
    """
    return _UNSAFE.sub(lambda found: f"\\{ord(found[0]):04x}", text)


def prefix_range(prefix: str) -> dict[str, str | None]:
    r"""Return the bounds of the escaped ids with a prefix.

    All ids from "first" up to, but not including, "beyond" have the prefix. `None` means no bound.

    Example:
        >>> prefix_range("user-")
        {'first': 'user-', 'beyond': 'user.'}
    """
    first = escaped(prefix)
    rest, beyond = first.rstrip(_LAST), None
    if rest:  # only surrogates, which are no characters, lie between \ud7ff and \ue000
        beyond = rest[:-1] + ("\ue000" if rest[-1] == "\ud7ff" else chr(ord(rest[-1]) + 1))
    return {"first": first or None, "beyond": beyond}


def unescaped(text: str) -> str:
    """Return the id or key for which `escaped` returned this text.

    Raises:
        StoreError: `text` is not a string: the row in the store is damaged.
    """
    if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise StoreError(f"an id or a name in the store is damaged: {text!r:.40} is not a string")
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text) if "\\" in text else text


def check_numbers(entries: Sequence[Entry]) -> None:
    """Raise a `StoreError` if there are no entries, their numbers do not ascend, or a number is below 1."""
    numbers = [entry.seq for entry in entries]
    if not numbers or numbers[0] < 1 or any(one >= other for one, other in itertools.pairwise(numbers)):
        raise StoreError(f"a log needs at least one message, and increasing numbers from 1, not {numbers[:10]}")


def make_conflict_error(conversation_id: str) -> ConflictError:
    """Return the error for a conversation that exists already."""
    return ConflictError(f"the conversation {conversation_id!r} already exists; clear it, or choose another id")


def make_damaged_error(what: str, conversation_id: str, error: Exception) -> StoreError:
    """Return the error for a row that cannot be read."""
    why = " ".join(f"{type(error).__name__}: {error}".split())
    return StoreError(f"{what} of {conversation_id!r} is damaged ({why:.200})")


def read_number(name: str, value: object, least: int, most: int) -> int:
    """Return the number that is the value of an option in a URL.

    Raises:
        OptionError: The value is not a whole number from `least` to `most`.
    """
    text = str(value)
    if not (text.isascii() and text.isdecimal() and least <= int(text) <= most):
        raise OptionError(
            f"{name}={text} is not a whole number from {least} to {most}, such as {name}={max(least, 10)}"
        )
    return int(text)
