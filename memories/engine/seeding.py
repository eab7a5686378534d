"""Example exchanges at the beginning of a conversation, which the model takes for earlier turns."""

import itertools
from collections.abc import Awaitable, Sequence
from typing import Protocol

from memzoo.errors import MessageError
from memzoo.memories.engine.log import CachedLog
from memzoo.memories.text.grouping import is_instruction
from memzoo.memories.text.messages import as_message, check_several, checked, is_answered
from memzoo.stores import Message, Record
from memzoo.stores.tombstones import tombstone, tombstones_of

__all__ = ["seed"]


class Save(Protocol):
    """Stores messages as one turn and learns from them."""

    def __call__(self, messages: Sequence[Message | Record], /, *, turn_id: str | None = None) -> Awaitable[None]: ...


async def seed(log: CachedLog, save: Save, examples: Sequence[Message | tuple[str, str]]) -> bool:
    """As `BaseMemory.aseed`."""
    said = _exchanges_of(examples)
    first = await log.store.read(log.conversation_id, limit=2)
    fresh = len(first) <= 1 and all(is_instruction(entry.message) for entry in first)
    if fresh:
        await save(said, turn_id=await _seed_name(log))
    return fresh


async def _seed_name(log: CachedLog) -> str:
    """The same turn id for all who seed at once, of whom the first counts; what was forgotten is never stored again."""
    forgotten = set(await tombstones_of(log.store, log.conversation_id))
    names = itertools.chain(["seed"], map("seed-{}".format, itertools.count(2)))
    return next(name for name in names if tombstone(name) not in forgotten)


def _exchanges_of(examples: Sequence[Message | tuple[str, str]]) -> list[Message]:
    """Example exchanges as chat messages, oldest first.

    Raises:
        MessageError: They are not whole exchanges.
    """
    check_several(examples, "examples")
    said = [message for example in examples for message in _messages_of(example)]
    if not said or said[0]["role"] != "user" or not is_answered(said) or said[-1]["role"] != "assistant":
        raise MessageError(
            "examples must be whole exchanges: from a user message to the assistant's answer to the last one, "
            f"calls of tools with their results, no system message; not {[message['role'] for message in said]}"
        )
    return said


def _messages_of(example: Message | tuple[str, ...]) -> list[Message]:
    if not isinstance(example, tuple):
        return [checked(example)]
    roles = ("user", "assistant")
    if len(example) != len(roles):
        raise MessageError(f"an example must be a pair of question and answer, or a chat message, not {example!r}")
    return [checked(as_message(role, words)) for role, words in zip(roles, example, strict=True)]
