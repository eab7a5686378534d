"""What the adapters of agent frameworks have in common: a memory's log as the host's own messages."""

import importlib
import json
import sys
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeAlias

from memzoo.memories.base import BaseMemory
from memzoo.memories.chat.provider import MemoryProvider
from memzoo.memories.hosts.messages import HostMessage
from memzoo.memories.text.grouping import is_answer
from memzoo.stores import Entry, Record
from memzoo.stores.base import managed
from memzoo.stores.errors import ConversationIdError, MissingExtraError

__all__ = ["HostLog", "Memories", "Posing", "host_module", "memory_of"]

Memories: TypeAlias = BaseMemory | MemoryProvider | Callable[[str], BaseMemory]
"""A memory for one conversation; or a provider, or a function from the host's id to a memory, for many."""

_FIRST_PAGE = 16


class HostLog:
    """A memory as an adapter uses it.

    An exchange is learnt from when it is answered, however many pieces the host saves it in, and a load learns nothing.

    Attributes:
        memory: The memory.
        field: The field of a record that has the host's own form of the message.
    """

    def __init__(self, memory: BaseMemory, host: str) -> None:
        self.memory = memory
        self.field = f"@{host}"

    async def aadd(self, said: Sequence[HostMessage], *, turn_id: str | None = None, ended: bool = False) -> None:
        """Append messages as one turn, and learn from them if the last one is the answer.

        A question that is asked again before it was answered is there already: a failed run is run again.

        Args:
            said: The messages, oldest first.
            turn_id: Saving the same one again changes nothing.
            ended: Learn in any case: nothing follows.
        """
        said = await self._without_repeated(said)
        learn = ended or (bool(said) and is_answer(said[-1].message))
        await self.memory.aadd_messages([self.record(one) for one in said], turn_id=turn_id, learn=learn)

    async def afollow(self, said: Sequence[HostMessage], *, ended: bool = False) -> None:
        """Append what follows the newest of a host's messages that the log has.

        Args:
            said: The host's messages, each with a key, oldest first: all, or the newest ones.
            ended: As in `aadd`.
        """
        # More than the host has given: the log may end with what was saved in another way.
        newest = {one.key for one in await self.aall(2 * len(said) + _FIRST_PAGE)}
        start = max((place for place, one in enumerate(said, 1) if one.key in newest), default=0)
        new = said[start:]
        # One by one, each under its key: a run that was cut off is gone on with where it ended.
        for one in new[:-1]:
            await self.aadd([one], turn_id=one.key)
        await self.aadd(new[-1:], turn_id=new[-1].key if new else None, ended=ended)

    async def ashown(self, query: str | None = None) -> list[HostMessage]:
        """The view, for the words that are being answered; what it shows of the log in the host's form too."""
        shown = await self.memory.amessages(query, catch_up=False)
        pairs = zip(shown, shown.entries, strict=True)
        return [self._said(entry) if entry else HostMessage(message) for message, entry in pairs]

    async def aall(self, limit: int | None = None) -> list[HostMessage]:
        """What was said, oldest first: all, or the newest of it."""
        newest = await self.memory.aentries(limit, newest_first=True)
        return [self._said(entry) for entry in reversed(newest)]

    async def arewind(self, said: Sequence[HostMessage]) -> None:
        """Take messages back, newest ones as a rule: what was not learnt from them is not learnt anew.

        Raises:
            UnsupportedError: The store cannot delete single messages.
        """
        store = managed(self.memory.store, "forget")
        await store.forget(self.memory.conversation_id, [one.seq for one in said])

    def record(self, said: HostMessage) -> Record:
        """A message as it is kept, with the host's own form beside it."""
        kept = {} if said.own is None else {self.field: json.dumps(said.own, ensure_ascii=False, default=str)}
        return Record(said.message, kept)

    def _said(self, entry: Entry) -> HostMessage:
        own = entry.fields.get(self.field)
        return HostMessage(entry.message, None if own is None else json.loads(own), entry.turn_id, entry.seq)

    async def _without_repeated(self, said: Sequence[HostMessage]) -> Sequence[HostMessage]:
        if not any(one.message["role"] == "user" for one in said):
            return said
        asked = [one.message for one in await self._unanswered() if one.message["role"] == "user"]
        return [one for one in said if one.message not in asked]

    async def _unanswered(self) -> list[HostMessage]:
        """What was said after the newest answer, oldest first."""
        size = _FIRST_PAGE
        # Nearly always the first page has an answer: the cost does not grow with the conversation.
        while True:
            said = await self.aall(size)
            answers = [place for place, one in enumerate(said) if is_answer(one.message)]
            if answers or len(said) < size:
                return said[answers[-1] + 1 :] if answers else said
            size *= 4


def memory_of(memories: Memories, host_id: str | None) -> BaseMemory:
    """The memory for a host's id of a conversation.

    Raises:
        ConversationIdError: One memory was given, and the host is in another conversation; or there is no id.
    """
    if not isinstance(memories, BaseMemory):
        if not host_id:
            raise ConversationIdError(f"the host's run has no conversation id, but {host_id!r}")
        return memories.get(host_id) if isinstance(memories, MemoryProvider) else memories(host_id)
    if host_id not in (None, memories.conversation_id):
        raise ConversationIdError(
            f"the memory belongs to conversation {memories.conversation_id!r}, and the host is in {host_id!r}: give a "
            "MemoryProvider, which has a memory for each"
        )
    return memories


def host_module(name: str, extra: str) -> Any:
    """A module of a host. Type checkers know nothing of it: it need not be installed.

    Raises:
        MissingExtraError: It is not installed; the text says which extra brings it.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise MissingExtraError.of(f"{name}: memzoo in this framework", extra) from error


class Posing:
    """Passes for a class of a host wherever one is asked for, once the host has been imported."""

    # In which modules, and what the class is called there.
    poses_as: ClassVar[tuple[str, ...]]
    pose: ClassVar[str] = "BaseMemory"

    @property
    def __class__(self) -> type:  # pyright: ignore[reportIncompatibleMethodOverride]
        # Hosts check with isinstance, which asks for this. A subclass would need the host whenever it is imported.
        found = (getattr(sys.modules.get(name), self.pose, None) for name in self.poses_as)
        return next(filter(None, found), type(self))

    @__class__.setter
    def __class__(self, value: type) -> None:
        raise TypeError(f"a {type(self).__name__} cannot become a {value.__name__}")
