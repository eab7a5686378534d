"""Shared parts of the adapters of agent frameworks: a memory's log as the host's own messages."""

import importlib
import itertools
import json
import logging
import math
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from operator import attrgetter
from typing import Any, ClassVar, TypeAlias, cast

from memzoo.errors import ConversationIdError, MissingExtraError, UnsupportedError
from memzoo.hosts.messages import HostMessage, dump_json, fit_message, host_text
from memzoo.memories import MemoryProvider
from memzoo.memories.engine.turns import Replaced
from memzoo.memories.text.grouping import is_of_tools
from memzoo.memories.text.redaction import Redactor
from memzoo.stores import JSON, UNFINISHED, Entry, Record
from memzoo.stores.base import find_lacking
from memzoo.stores.forgetting import forget_messages
from memzoo.stores.tombstones import tombstone, tombstones_of
from memzoo.strategy import BaseMemory, is_answer, is_instruction

__all__ = ["HostLog", "Memories", "VirtualSubclass", "host_module", "memory_of"]

Memories: TypeAlias = BaseMemory | MemoryProvider | Callable[[str], BaseMemory]
"""A memory for one conversation; or a provider, or a function from the host's id to a memory, for many."""

logger = logging.getLogger("memzoo")

_FIRST_PAGE = 16
# The field of a record for the host's thread. No host has this name.
_THREAD = "@thread"


class HostLog:
    """A memory for an adapter.

    It learns from an exchange when it is answered, however many pieces the host saves it in; a load learns nothing.

    Attributes:
        memory: The memory.
        field: The field of a record that holds the host's own form of the message.
    """

    def __init__(self, memory: BaseMemory, host: str) -> None:
        self.memory = memory
        self.field = f"@{host}"
        # For comparing only: the memory redacts and counts saved messages itself.
        self._redactor = Redactor(memory.redact)
        self._may_repeat = True

    async def aadd(self, said: Sequence[HostMessage], *, turn_id: str | None = None, ended: bool = False) -> None:
        """Append messages as one turn, and learn from them if the last one is the answer.

        A run that begins with the question that the last run left unanswered repeats that run, and does not store the
        question again. A new run begins if the host has read something since its last save, or saves for the first
        time; otherwise, the same words saved twice are two messages.

        Args:
            said: The messages, oldest first.
            turn_id: Saving the same turn again changes nothing.
            ended: Learn in any case, because nothing else follows.
        """
        if self._may_repeat:
            said = said[await self._count_repeated(said) :]
        await self._add(said, turn_id=turn_id, ended=ended)

    async def _add(self, said: Sequence[HostMessage], *, turn_id: str | None, ended: bool = False) -> None:
        records = [self.record(one) for one in said]
        learn = ended or bool(said and is_answer(said[-1].message) and not said[-1].unfinished)
        if said and said[0].message["role"] != "user" and (stopped := await self._find_stopped(said[0].thread)):
            await self.memory.aadd_messages(records, turn_id=turn_id, learn=False)
            await self._arewind_if_possible(stopped)
            records = []
        await self.memory.aadd_messages(records, turn_id=turn_id, learn=learn)
        self._may_repeat = False

    async def _find_stopped(self, thread: str) -> list[HostMessage]:
        """Return the newest message if it is a stopped answer that the thread's answer replaces; else none."""
        waiting = await self._find_unanswered()
        asked = [one.thread for one in waiting if one.message["role"] == "user"]
        # A thread that waits for an answer to another question does not replace it.
        is_others = thread in asked and asked[-1] != thread
        return [one for one in waiting[-1:] if one.unfinished and not is_others]

    async def afollow(
        self,
        said: Sequence[HostMessage],
        *,
        ended: bool = False,
        thread: str = "",
        cuts_at_questions: bool = False,
        whole: bool = True,
    ) -> None:
        """Bring the log in step with a host: append the messages after the newest one that the log has.

        Skips forgotten messages. With a `thread`, the log also follows it back: it takes back messages that the thread
        no longer has, and appends everything again from a message with changed words. Messages taken back return when
        the host sends them again, as when an earlier branch is resumed.

        Args:
            said: The host's messages, each with a key, oldest first: all, or the newest ones.
            ended: As in `aadd`.
            thread: The thread whose newest messages these are, without gaps; "" if others may come between them. Only
                messages appended for the same thread are ever taken back.
            cuts_at_questions: The host drops old messages only before a question, so if the thread begins with
                something else, its question was removed. Otherwise, messages before the first one stay.
            whole: The host has no other messages in this run. So an unanswered message in the log with the same words
                is the question of a failed run, and is not stored again. Two equal messages of the host are two
                messages.
        """
        new = await self._find_new(said, thread, cuts_at_questions=cuts_at_questions)
        # The store tells for each appended message whether it was forgotten; many are checked at once.
        if len(new) > _FIRST_PAGE or [one.message["role"] for one in new[:2]] == ["user", "user"]:
            new = await self._drop_forgotten(new)
        if whole and self._may_repeat:
            new = new[await self._count_repeated(new, keys={one.key for one in said}) :]
        # One by one, each under its key, so that a run that was cut off continues where it ended.
        for one in new[:-1]:
            await self._add([one], turn_id=one.key)
        await self._add(new[-1:], turn_id=new[-1].key if new else None, ended=ended)

    async def afind_new(
        self, said: Sequence[HostMessage], *, thread: str, cuts_at_questions: bool
    ) -> list[HostMessage]:
        """Return the messages that `afollow` would append in a new run, after taking back those the thread lost."""
        new = await self._find_new(said, thread, cuts_at_questions=cuts_at_questions)
        new = await self._drop_forgotten(new) if len(new) > 1 else new
        return new[await self._count_repeated(new, keys={one.key for one in new}) :]

    async def _find_new(
        self, said: Sequence[HostMessage], thread: str, *, cuts_at_questions: bool
    ) -> list[HostMessage]:
        """Return the messages after the newest one that the log has, or had before it was forgotten."""
        known = await self._read_newest(said, thread)
        if thread:
            known = await self._step_back(said, known, thread, cuts_at_questions=cuts_at_questions)
        newest = {one.key for one in known}
        start = max((place for place, one in enumerate(said, 1) if one.key in newest), default=0)
        return [one._replace(thread=(thread or one.thread) if one.key else "") for one in said[start:]]

    async def aread_view(self, query: str | None = None) -> list[HostMessage]:
        """Return the view for the words being answered, with the host's own form of messages from the log.

        If these are the question of a stopped answer, the view leaves out that answer.

        Args:
            query: The words; by default the log's newest question.
        """
        self._may_repeat = True
        last = await self._find_asked_again(query)
        # Pyright takes a cached property for another type than the protocol's.
        replaced = Replaced(cast("Any", self.memory), last, ()) if last else None
        shown = await (
            replaced.show(query, catch_up=False) if replaced else self.memory.amessages(query, catch_up=False)
        )
        pairs = zip(shown, shown.entries, strict=True)
        return [self._to_message(entry) if entry else HostMessage(message) for message, entry in pairs]

    async def _find_asked_again(self, query: str | None) -> int:
        """Return the number before the newest message if that is a stopped answer to these words; else 0."""
        waiting = await self._find_unanswered()
        asked = [host_text(one.message["content"]) for one in waiting if one.message["role"] == "user"]
        if not asked or not waiting[-1].unfinished or find_lacking(self.memory.store, "forget"):
            return 0
        # Each host joins the parts of a text in its own way.
        is_same = query is None or self._redactor.text(query).split() == asked[-1].split()
        return waiting[-1].seq - 1 if is_same else 0

    async def aall(self, limit: int | None = None) -> list[HostMessage]:
        """Return the messages of the log, oldest first: all, or the newest `limit`."""
        self._may_repeat = True
        return await self._newest(limit)

    async def arewind(self, said: Sequence[HostMessage]) -> list[int]:
        """Take back messages, usually the newest, with a stopped answer to them.

        Only states learnt from them are learnt again. The host may send them again.

        Returns:
            The numbers of the messages taken back, without missing ones and ones that others took back meanwhile.

        Raises:
            UnsupportedError: The store cannot delete single messages.
        """
        seqs = {one.seq for one in said}
        following = await self.memory.aentries(after=min(seqs) - 1) if seqs else []
        for before, entry in itertools.pairwise(following):
            if before.seq in seqs and entry.unfinished:
                seqs.add(entry.seq)
        return await forget_messages(self.memory.store, self.memory.conversation_id, seqs, for_good=False)

    async def atake_back(self, ids: Collection[str], newest: int | None = None, *, thread: str = "") -> None:
        """Take back messages that the host took back, by the host's ids.

        Args:
            ids: The ids.
            newest: Look only among this many newest messages; by default among all.
            thread: Take back only messages appended for this thread; "" for all.
        """
        said = [one for one in await self._newest(newest) if thread in ("", one.thread)]
        gone = [one for one in said if one.key.partition("/")[0] in ids]
        if gone:
            await self._arewind_if_possible(gone)

    async def _arewind_if_possible(self, said: Sequence[HostMessage]) -> bool:
        try:
            await self.arewind(said)
        except UnsupportedError as error:
            logger.warning("%r keeps messages that its host took back: %s", self.memory.conversation_id, error)
            return False
        return True

    def record(self, said: HostMessage) -> Record:
        """Return a message as it is stored, with the host's own form beside it.

        Anything that cannot be a chat message is stored as text, so that a run that has done its work does not fail
        here.
        """
        fields = {self.field: dump_json(said.own), _THREAD: said.thread or None}
        known = {name: text for name, text in fields.items() if text is not None}
        return Record(fit_message(said.message), {**known, **(UNFINISHED if said.unfinished else {})})

    def _to_message(self, entry: Entry) -> HostMessage:
        thread = entry.fields.get(_THREAD) or ""
        own = self._own(entry.fields)
        return HostMessage(entry.message, own, entry.turn_id, entry.seq, thread, entry.unfinished)

    def _own(self, fields: Mapping[str, str | None]) -> JSON:
        own = fields.get(self.field)
        return None if own is None else json.loads(own)

    async def _read_newest(self, said: Sequence[HostMessage], thread: str) -> list[HostMessage]:
        """Return the newest messages of the log, enough to compare it with the host's messages."""
        # More than the host has passed in, because the log may end with messages saved in another way.
        size, keys = 2 * len(said) + _FIRST_PAGE, {one.key for one in said}
        asked = max((place for place, one in enumerate(said) if one.message["role"] == "user"), default=0)
        # Going back to an early answer leaves any number of messages behind.
        went_on = bool(thread) and any(is_answer(one.message) for one in said[:asked])
        while True:
            known = await self._newest(size)
            if not went_on or len(known) < size or any(one.key in keys for one in known):
                return known
            size *= 4

    async def _step_back(
        self, said: Sequence[HostMessage], known: list[HostMessage], thread: str, *, cuts_at_questions: bool
    ) -> list[HostMessage]:
        """Take back messages that a thread no longer has, and those after a changed one; return the rest."""
        now = {one.key: one.message for one in said if one.key}
        first = next((one for one in known if one.key in now), None)
        if first is None:
            return known
        own, begin = [one for one in known if one.thread == thread], first.seq
        talk = [one for one in said if not is_instruction(one.message)]
        if cuts_at_questions and talk and talk[0].key == first.key and first.message["role"] != "user":
            asked = (one.seq for one in own if one.seq < begin and one.message["role"] == "user")
            begin = max(asked, default=begin)
        words = {one.key: self._redactor.message(fit_message(now[one.key])) for one in own if one.key in now}
        edited = min((one.seq for one in own if words.get(one.key, one.message) != one.message), default=math.inf)
        gone = [one for one in own if one.seq >= begin and (one.key not in now or one.seq >= edited)]
        gone = _without_tools_work(own, gone, now)
        if not gone or not await self._arewind_if_possible(gone):
            return known
        return [one for one in known if one not in gone]

    async def _drop_forgotten(self, new: list[HostMessage]) -> list[HostMessage]:
        forgotten = set(await tombstones_of(self.memory.store, self.memory.conversation_id))
        return [one for one in new if not one.key or tombstone(one.key) not in forgotten]

    async def _newest(self, limit: int | None) -> list[HostMessage]:
        newest = await self.memory.aentries(limit, newest_first=True)
        return [self._to_message(entry) for entry in reversed(newest)]

    async def _count_repeated(self, said: Sequence[HostMessage], keys: Collection[str] = ()) -> int:
        """Count the first questions that repeat the newest unanswered ones, none of which the host has by key."""
        asked = [self._as_kept(one) for one in itertools.takewhile(lambda one: one.message["role"] == "user", said)]
        if not asked:
            return 0
        waiting = [
            one for one in await self._find_unanswered() if one.message["role"] == "user" and one.key not in keys
        ]
        # Messages with keys have time and id in the host's own form, so compare only their words.
        compared = attrgetter("message") if keys else attrgetter("message", "own")
        lengths = range(min(len(asked), len(waiting)), 0, -1)
        return next((n for n in lengths if list(map(compared, asked[:n])) == list(map(compared, waiting[-n:]))), 0)

    def _as_kept(self, said: HostMessage) -> HostMessage:
        kept = self._redactor.record(self.record(said))
        return said._replace(message=kept.message, own=self._own(kept.fields))

    async def _find_unanswered(self) -> list[HostMessage]:
        """Return the messages after the newest answer, oldest first."""
        size = _FIRST_PAGE
        # The first page nearly always has an answer, so the cost does not grow with the conversation.
        while True:
            said = await self._newest(size)
            answers = [place for place, one in enumerate(said) if is_answer(one.message) and not one.unfinished]
            if answers or len(said) < size:
                return said[answers[-1] + 1 :] if answers else said
            size *= 4


def _without_tools_work(
    own: Sequence[HostMessage], gone: Sequence[HostMessage], now: Collection[str]
) -> list[HostMessage]:
    """Leave out calls and results of a failed run, because a thread with its question runs it again.

    They are taken back together with the question before them, or with the answer after them.
    """
    stays = {one.key for one in own} - {one.key for one in gone}
    groups = [list(group) for _, group in itertools.groupby(own, key=lambda one: is_of_tools(one.message))]
    for before, work, *behind in (groups[place : place + 3] for place in range(len(groups) - 1)):
        around = [before[-1], *(group[0] for group in behind)]
        if is_of_tools(work[0].message) and all(one.key in stays for one in around):
            gone = [one for one in gone if one not in work or one.key in now]
    return list(gone)


def memory_of(memories: Memories, host_id: str | None) -> BaseMemory:
    """Return the memory for a host's conversation id.

    Raises:
        ConversationIdError: The id is missing, or a single memory was given and belongs to another conversation.
    """
    if not isinstance(memories, BaseMemory):
        if not host_id:
            raise ConversationIdError(f"the host's run has no conversation id, but {host_id!r}")
        return memories.get(host_id) if isinstance(memories, MemoryProvider) else memories(host_id)
    if host_id not in (None, memories.conversation_id):
        raise ConversationIdError(
            f"the memory belongs to conversation {memories.conversation_id!r}, and the host is in {host_id!r}: pass a "
            "MemoryProvider, which has a memory for each conversation"
        )
    return memories


def host_module(name: str, extra: str) -> Any:
    """Import a module of a host, hidden from type checkers because it need not be installed.

    Raises:
        MissingExtraError: It is not installed; the message says which extra installs it.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise MissingExtraError.of(f"{name}: memzoo in this framework", extra) from error


class VirtualSubclass:
    """Counts as a subclass of a host's class once the host has been imported."""

    # The modules of the host's class, and its name there.
    host_modules: ClassVar[tuple[str, ...]]
    host_class: ClassVar[str] = "BaseMemory"

    @property
    def __class__(self) -> type:  # pyright: ignore[reportIncompatibleMethodOverride]
        # Hosts check with isinstance, which uses this. A real subclass would need the host at import time.
        found = (getattr(sys.modules.get(name), self.host_class, None) for name in self.host_modules)
        return next(filter(None, found), type(self))

    @__class__.setter
    def __class__(self, value: type) -> None:
        raise TypeError(f"a {type(self).__name__} cannot become a {value.__name__}")
