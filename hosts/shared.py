"""What the adapters of agent frameworks have in common: a memory's log as the host's own messages."""

import importlib
import itertools
import json
import logging
import math
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from operator import attrgetter
from typing import Any, ClassVar, TypeAlias

from memzoo.errors import ConversationIdError, MissingExtraError, UnsupportedError
from memzoo.hosts.messages import HostMessage, fitting, written
from memzoo.memories import MemoryProvider
from memzoo.memories.engine.forgetting import forget_messages
from memzoo.memories.text.redaction import Redactor
from memzoo.stores import JSON, Entry, Record
from memzoo.stores.tombstones import tombstone, tombstones_of
from memzoo.strategy import BaseMemory, is_answer, is_instruction

__all__ = ["HostLog", "Memories", "VirtualSubclass", "host_module", "memory_of"]

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
        self._redactor = Redactor(memory.redact)
        self._may_repeat = True

    async def aadd(self, said: Sequence[HostMessage], *, turn_id: str | None = None, ended: bool = False) -> None:
        """Append messages as one turn, and learn from them if the last one is the answer.

        A run that begins with the question that the last one left unanswered is that run again, and the question is
        there already. A run has begun if the host read something since it saved the last time, or saves for the first
        time; the same words saved twice without that are two messages.

        Args:
            said: The messages, oldest first.
            turn_id: Saving the same one again changes nothing.
            ended: Learn in any case: nothing follows.
        """
        if self._may_repeat:
            said = said[await self._count_repeated(said) :]
        await self._add(said, turn_id=turn_id, ended=ended)

    async def _add(self, said: Sequence[HostMessage], *, turn_id: str | None, ended: bool = False) -> None:
        records = [self.record(one) for one in said]
        learn = ended or (bool(records) and is_answer(records[-1].message))
        await self.memory.aadd_messages(records, turn_id=turn_id, learn=learn)
        self._may_repeat = False

    async def afollow(
        self,
        said: Sequence[HostMessage],
        *,
        ended: bool = False,
        thread: str = "",
        cuts_at_questions: bool = False,
        whole: bool = True,
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
            whole: The host has no others in this run. So what the log has besides, unanswered and in the same words, is
                the question of a run that failed, and is there already. Two that the host has are two.
        """
        following = await self._following(said, thread, cuts_at_questions=cuts_at_questions)
        new = await self._without_forgotten(following)
        if whole and self._may_repeat:
            new = new[await self._count_repeated(new, keys={one.key for one in said}) :]
        # One by one, each under its key: a run that was cut off is gone on with where it ended.
        for one in new[:-1]:
            await self._add([one], turn_id=one.key)
        await self._add(new[-1:], turn_id=new[-1].key if new else None, ended=ended)

    async def anew(self, said: Sequence[HostMessage], *, thread: str, cuts_at_questions: bool) -> list[HostMessage]:
        """What `afollow` would append; what a thread has no more is taken back."""
        new = await self._following(said, thread, cuts_at_questions=cuts_at_questions)
        return await self._standing(new) if len(new) > 1 else new

    async def _following(
        self, said: Sequence[HostMessage], thread: str, *, cuts_at_questions: bool
    ) -> list[HostMessage]:
        """What follows the newest message that the log has of a host, forgotten or not."""
        known = await self._read_newest(said, thread)
        if thread:
            known = await self._step_back(said, known, thread, cuts_at_questions=cuts_at_questions)
        newest = {one.key for one in known}
        start = max((place for place, one in enumerate(said, 1) if one.key in newest), default=0)
        return [one._replace(thread=(thread or one.thread) if one.key else "") for one in said[start:]]

    async def ashown(self, query: str | None = None) -> list[HostMessage]:
        """The view, for the words that are being answered; what it shows of the log in the host's form too."""
        self._may_repeat = True
        shown = await self.memory.amessages(query, catch_up=False)
        pairs = zip(shown, shown.entries, strict=True)
        return [self._to_message(entry) if entry else HostMessage(message) for message, entry in pairs]

    async def aall(self, limit: int | None = None) -> list[HostMessage]:
        """What was said, oldest first: all, or the newest of it."""
        self._may_repeat = True
        return await self._newest(limit)

    async def arewind(self, said: Sequence[HostMessage]) -> list[int]:
        """Take messages back, newest ones as a rule: what was not learnt from them is not learnt anew.

        The host may bring them again.

        Returns:
            The numbers of those that were there, and that nobody else took back meanwhile.

        Raises:
            UnsupportedError: The store cannot delete single messages.
        """
        seqs = [one.seq for one in said]
        return await forget_messages(self.memory.store, self.memory.conversation_id, seqs, for_good=False)

    async def atake_back(self, ids: Collection[str], newest: int | None = None, *, thread: str = "") -> None:
        """Take back what the host took back: messages by the host's ids.

        Args:
            ids: The ids.
            newest: They are among so many of the newest; by default anywhere.
            thread: Take back what was appended for this thread alone; "" for all.
        """
        said = [one for one in await self._newest(newest) if thread in ("", one.thread)]
        gone = [one for one in said if one.key.partition("/")[0] in ids]
        if not gone:
            return
        try:
            await self.arewind(gone)
        except UnsupportedError as error:
            logger.warning("%r keeps what its host took back: %s", self.memory.conversation_id, error)

    def record(self, said: HostMessage) -> Record:
        """A message as it is kept, with the host's own form beside it.

        What cannot be a chat message is one of its text: a run that has done its work does not fail here.
        """
        fields = {self.field: written(said.own), _THREAD: said.thread or None}
        return Record(fitting(said.message), {name: text for name, text in fields.items() if text is not None})

    def _to_message(self, entry: Entry) -> HostMessage:
        thread = entry.fields.get(_THREAD) or ""
        return HostMessage(entry.message, self._own(entry.fields), entry.turn_id, entry.seq, thread)

    def _own(self, fields: Mapping[str, str | None]) -> JSON:
        own = fields.get(self.field)
        return None if own is None else json.loads(own)

    async def _read_newest(self, said: Sequence[HostMessage], thread: str) -> list[HostMessage]:
        """The newest messages of the log, as far as a host that has these can be compared with it."""
        # More than the host has given: the log may end with what was saved in another way.
        size, keys = 2 * len(said) + _FIRST_PAGE, {one.key for one in said}
        asked = max((place for place, one in enumerate(said) if one.message["role"] == "user"), default=0)
        # Who went back to an early answer has left any number of messages behind.
        went_on = bool(thread) and any(is_answer(one.message) for one in said[:asked])
        while True:
            known = await self._newest(size)
            if not went_on or len(known) < size or any(one.key in keys for one in known):
                return known
            size *= 4

    async def _step_back(
        self, said: Sequence[HostMessage], known: list[HostMessage], thread: str, *, cuts_at_questions: bool
    ) -> list[HostMessage]:
        """Take back what a thread has no more, and what follows a message that has other words now; give the rest."""
        now = {one.key: one.message for one in said if one.key}
        first = next((one for one in known if one.key in now), None)
        if first is None:
            return known
        own, begin = [one for one in known if one.thread == thread], first.seq
        talk = [one for one in said if not is_instruction(one.message)]
        if cuts_at_questions and talk and talk[0].key == first.key and first.message["role"] != "user":
            asked = (one.seq for one in own if one.seq < begin and one.message["role"] == "user")
            begin = max(asked, default=begin)
        words = {one.key: self._redactor.message(fitting(now[one.key])) for one in own if one.key in now}
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

    async def _without_forgotten(self, new: list[HostMessage]) -> list[HostMessage]:
        """What was not forgotten. The store tells for each message that is appended; many are asked for at once."""
        first, second = ([one.message["role"] for one in new] + ["", ""])[:2]
        if len(new) <= _FIRST_PAGE and (first, second) != ("user", "user"):
            return new
        return await self._standing(new)

    async def _standing(self, new: list[HostMessage]) -> list[HostMessage]:
        forgotten = set(await tombstones_of(self.memory.store, self.memory.conversation_id))
        return [one for one in new if not one.key or tombstone(one.key) not in forgotten]

    async def _newest(self, limit: int | None) -> list[HostMessage]:
        newest = await self.memory.aentries(limit, newest_first=True)
        return [self._to_message(entry) for entry in reversed(newest)]

    async def _count_repeated(self, said: Sequence[HostMessage], keys: Collection[str] = ()) -> int:
        """Count the questions in front that are the newest unanswered ones, of which the host has none by key."""
        asked = [self._as_kept(one) for one in itertools.takewhile(lambda one: one.message["role"] == "user", said)]
        if not asked:
            return 0
        waiting = [
            one for one in await self._find_unanswered() if one.message["role"] == "user" and one.key not in keys
        ]
        # What keys tell apart has its time and id in the host's own form: there, words are compared alone.
        compared = attrgetter("message") if keys else attrgetter("message", "own")
        lengths = range(min(len(asked), len(waiting)), 0, -1)
        return next((n for n in lengths if list(map(compared, asked[:n])) == list(map(compared, waiting[-n:]))), 0)

    def _as_kept(self, said: HostMessage) -> HostMessage:
        kept = self._redactor.record(self.record(said))
        return said._replace(message=kept.message, own=self._own(kept.fields))

    async def _find_unanswered(self) -> list[HostMessage]:
        """What was said after the newest answer, oldest first."""
        size = _FIRST_PAGE
        # Nearly always the first page has an answer: the cost does not grow with the conversation.
        while True:
            said = await self._newest(size)
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


class VirtualSubclass:
    """Passes for a class of a host wherever one is asked for, once the host has been imported."""

    # In which modules, and what the class is called there.
    host_modules: ClassVar[tuple[str, ...]]
    host_class: ClassVar[str] = "BaseMemory"

    @property
    def __class__(self) -> type:  # pyright: ignore[reportIncompatibleMethodOverride]
        # Hosts check with isinstance, which asks for this. A subclass would need the host whenever it is imported.
        found = (getattr(sys.modules.get(name), self.host_class, None) for name in self.host_modules)
        return next(filter(None, found), type(self))

    @__class__.setter
    def __class__(self, value: type) -> None:
        raise TypeError(f"a {type(self).__name__} cannot become a {value.__name__}")
