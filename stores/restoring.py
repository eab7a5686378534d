"""What all stores check when a conversation is written back."""

import itertools
from collections.abc import Sequence

from memzoo.stores.base import Entry
from memzoo.stores.errors import ConflictError, StoreError

__all__ = ["checked_numbers", "existing"]


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
