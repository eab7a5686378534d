"""What the adapters of agent frameworks have in common: a memory's log as the host's own messages."""

import importlib
import json
import logging
import math
import sys
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeAlias

from memzoo.memories.base import BaseMemory
from memzoo.memories.chat.provider import MemoryProvider
from memzoo.memories.engine.system_message import forget_messages
from memzoo.memories.hosts.messages import HostMessage
from memzoo.memories.text.grouping import INSTRUCTIONS, is_answer
from memzoo.memories.text.messages import checked
from memzoo.memories.text.redaction import Redactor
from memzoo.stores import Entry, Record
from memzoo.stores.errors import ConversationIdError, MissingExtraError, UnsupportedError
from memzoo.stores.tombstones import tombstone, tombstones_of

__all__ = ["HostLog", "Memories", "Posing", "host_module", "memory_of"]

Memories: TypeAlias = BaseMemory | MemoryProvider | Callable[[str], BaseMemory]
"""A memory for one conversation; or a provider, or a function from the host's id to a memory, for many."""

logger = logging.getLogger("memzoo")

_FIRST_PAGE = 16
# The field of a record that has the thread of the host. Its name is that of no host.
_THREAD = "@thread"


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
        # For comparing only: what is saved is treated, and counted, by the memory.
        self._redactor = Redactor(memory.redact, lambda *_: None)

    async def aadd(self, said: Sequence[HostMessage], *, turn_id: str | None = None, ended: bool = False) -> None:
        """Append messages as one turn, and learn from them if the last one is the answer.

        A question that is asked again before it was answered is there already: a failed run is run again.

        Args:
            said: The messages, oldest first.
            turn_id: Saving the same one again changes nothing.
            ended: Learn in any case: nothing follows.
        """
        await self._add(await self._without_repeated(said), turn_id=turn_id, ended=ended)

    async def _add(self, said: Sequence[HostMessage], *, turn_id: str | None, ended: bool = False) -> None:
        learn = ended or (bool(said) and is_answer(said[-1].message))
        await self.memory.aadd_messages([self.record(one) for one in said], turn_id=turn_id, learn=learn)

    async def afollow(
        self, said: Sequence[HostMessage], *, ended: bool = False, thread: str = "", cuts_at_questions: bool = False
    ) -> None:
        """Bring the log in step with a host: append what follows the newest of its messages that the log has.

        What was forgotten is passed over. With a `thread`, the log also follows it back: what the thread has no more
        is taken back, and from a message on that has other words now, all of it is appended anew. What was taken back
        comes again when the host brings it again, as when an earlier branch is resumed.

        Args:
            said: The host's messages, each with a key, oldest first: all, or the newest ones.
            ended: As in `aadd`.
            thread: The thread whose newest messages these are, without a gap; "" if others may stand between them.
                Only what was appended for the same thread is ever taken back.
            cuts_at_questions: The host drops old messages only in front of a question: if the thread begins with
                something else, its question was removed. Otherwise what stands before the first is left alone.
        """
        # More than the host has given: the log may end with what was saved in another way.
        known = await self.aall(2 * len(said) + _FIRST_PAGE)
        if thread:
            known = await self._stepped_back(said, known, thread, cuts_at_questions=cuts_at_questions)
        newest = {one.key for one in known}
        start = max((place for place, one in enumerate(said, 1) if one.key in newest), default=0)
        new = await self._without_forgotten([one._replace(thread=thread if one.key else "") for one in said[start:]])
        # In a thread two questions with the same words are two: it knows them by their ids.
        add = self._add if thread else self.aadd
        # One by one, each under its key: a run that was cut off is gone on with where it ended.
        for one in new[:-1]:
            await add([one], turn_id=one.key)
        await add(new[-1:], turn_id=new[-1].key if new else None, ended=ended)

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

        The host may bring them again.

        Raises:
            UnsupportedError: The store cannot delete single messages.
        """
        seqs = [one.seq for one in said]
        await forget_messages(self.memory.store, self.memory.conversation_id, seqs, for_good=False)

    def record(self, said: HostMessage) -> Record:
        """A message as it is kept, with the host's own form beside it."""
        kept = {} if said.own is None else {self.field: json.dumps(said.own, ensure_ascii=False, default=str)}
        return Record(said.message, kept | ({_THREAD: said.thread} if said.thread else {}))

    def _said(self, entry: Entry) -> HostMessage:
        own = entry.fields.get(self.field)
        thread = entry.fields.get(_THREAD) or ""
        return HostMessage(entry.message, None if own is None else json.loads(own), entry.turn_id, entry.seq, thread)

    async def _stepped_back(
        self, said: Sequence[HostMessage], known: list[HostMessage], thread: str, *, cuts_at_questions: bool
    ) -> list[HostMessage]:
        """Take back what a thread has no more, and what follows a message that has other words now; give the rest."""
        now = {one.key: one.message for one in said if one.key}
        first = next((one for one in known if one.key in now), None)
        if first is None:
            return known
        own, begin = [one for one in known if one.thread == thread], first.seq
        talk = [one for one in said if one.message["role"] not in INSTRUCTIONS]
        if cuts_at_questions and talk and talk[0].key == first.key and first.message["role"] != "user":
            asked = (one.seq for one in own if one.seq < begin and one.message["role"] == "user")
            begin = max(asked, default=begin)
        words = {one.key: self._redactor.message(checked(now[one.key])) for one in own if one.key in now}
        edited = min((one.seq for one in own if words.get(one.key, one.message) != one.message), default=math.inf)
        gone = [one for one in own if one.seq >= begin and (one.key not in now or one.seq >= edited)]
        if not gone:
            return known
        try:
            await self.arewind(gone)
        except UnsupportedError as error:
            logger.warning("%r keeps what its thread has no more: %s", self.memory.conversation_id, error)
            return known
        return [one for one in known if one not in gone]

    async def _without_forgotten(self, new: Sequence[HostMessage]) -> Sequence[HostMessage]:
        """What was not forgotten. The store knows, too; but it would be asked for each message by itself."""
        if len(new) < 2:  # noqa: PLR2004
            return new
        forgotten = set(await tombstones_of(self.memory.store, self.memory.conversation_id))
        return [one for one in new if not one.key or tombstone(one.key) not in forgotten]

    async def _without_repeated(self, said: Sequence[HostMessage]) -> Sequence[HostMessage]:
        if not any(one.message["role"] == "user" for one in said):
            return said
        asked = [one.message for one in await self._unanswered() if one.message["role"] == "user"]
        return [one for one in said if self._redactor.message(one.message) not in asked]

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
