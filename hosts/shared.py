"""The common part of the adapters for agent frameworks (hosts)."""

import importlib
import itertools
import json
import logging
import math
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from operator import attrgetter
from typing import Any, ClassVar, TypeAlias, cast

from memzoo.errors import MissingExtraError, OptionError, UnsupportedError
from memzoo.hosts.messages import HostMessage, dump_json, fit_message, host_text
from memzoo.memories import MemoryProvider
from memzoo.memories.engine.turns import Replaced
from memzoo.memories.text.framing import frame_text
from memzoo.memories.text.grouping import is_answer, is_instruction, is_of_tools
from memzoo.memories.text.order import arrange, tell_calls_apart
from memzoo.memories.text.redaction import Redactor
from memzoo.stores import JSON, Entry, Message, Record
from memzoo.stores.base import find_lacking
from memzoo.stores.forgetting import forget_messages
from memzoo.stores.tombstones import tombstone, tombstones_of
from memzoo.strategy import BaseMemory

Memories: TypeAlias = BaseMemory | MemoryProvider | Callable[[str], BaseMemory]
"""One memory for one conversation; or a provider, or a function from the host's conversation id to a memory."""

logger = logging.getLogger("memzoo")

_FIRST_PAGE = 16
# The field of a record for the host's thread. No host has this name.
_THREAD = "@thread"


class HostLog:
    """A memory's log, for an adapter that saves and loads the messages of a host.

    The memory learns from an exchange once the answer is saved, even if the host saves the exchange in pieces. Loads do
    not start learning.

    Attributes:
        field: The name of the field for the host's own form of a message.
    """

    def __init__(self, memory: BaseMemory, host: str) -> None:
        self.memory = memory
        self.field = f"@{host}"
        # Used only to compare messages: the memory itself redacts and counts saved messages.
        self._redactor = Redactor(memory.redact)
        self._may_repeat = True

    async def aadd(self, said: Sequence[HostMessage], *, turn_id: str | None = None, ended: bool = False) -> None:
        """Append messages as one turn. If the last message is an answer, learn from the exchange.

        The first save after a load may begin with the log's last question. If that question is still unanswered, the
        save is a retry, and the question is not stored again.

        Args:
            said: The messages, oldest first.
            turn_id: The turn's id; saving a turn again under the same id changes nothing.
            ended: True to learn even without an answer, because the turn is over.
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
        """Return the newest message, in a list, if it is a stopped answer that the thread's next answer replaces."""
        waiting = await self._find_unanswered()
        asked = [one.thread for one in waiting if one.message["role"] == "user"]
        # The thread's answer does not replace the stopped answer to another thread's question.
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
        """Update the log from a host's messages: append the new ones, except those that `forget` deleted.

        With a `thread`, messages that the host has deleted are deleted from the log too. If the host has changed a
        message, this message and all later ones are replaced.

        Args:
            said: The host's messages, all or only the newest, in order. Each has a `key`.
            ended: True to learn even without an answer, because the turn is over.
            thread: The id of the host's thread; only its messages are deleted from the log. Pass "" to delete nothing,
                because `said` might lack some of the thread's newest messages.
            cuts_at_questions: True if the host drops old messages only in whole exchanges. An answer at the beginning
                of `said` then means that the host has deleted its question.
            whole: True if `said` has all messages of the host's run. If the new ones begin with the log's last
                question, still unanswered, the run is a retry: the question is not stored again.
        """
        new = await self._find_new(said, thread, cuts_at_questions=cuts_at_questions)
        # The store itself skips a forgotten message on append, but many messages are checked faster together.
        if len(new) > _FIRST_PAGE or [one.message["role"] for one in new[:2]] == ["user", "user"]:
            new = await self._drop_forgotten(new)
        if whole and self._may_repeat:
            new = new[await self._count_repeated(new, keys={one.key for one in said}) :]
        # Each message is saved on its own under its key, so that an interrupted call can be continued.
        for one in new[:-1]:
            await self._add([one], turn_id=one.key)
        await self._add(new[-1:], turn_id=new[-1].key if new else None, ended=ended)

    async def afind_new(
        self, said: Sequence[HostMessage], *, thread: str, cuts_at_questions: bool
    ) -> list[HostMessage]:
        """Remove from the log the messages that the host has deleted, and return the host's new messages."""
        new = await self._find_new(said, thread, cuts_at_questions=cuts_at_questions)
        new = await self._drop_forgotten(new) if len(new) > 1 else new
        return new[await self._count_repeated(new, keys={one.key for one in new}) :]

    async def _find_new(
        self, said: Sequence[HostMessage], thread: str, *, cuts_at_questions: bool
    ) -> list[HostMessage]:
        """Return the host's messages after the newest one that is in the log, marked with their thread."""
        known = await self._read_newest(said, thread)
        if thread:
            known = await self._step_back(said, known, thread, cuts_at_questions=cuts_at_questions)
        newest = {one.key for one in known}
        start = max((place for place, one in enumerate(said, 1) if one.key in newest), default=0)
        return [one._replace(thread=(thread or one.thread) if one.key else "") for one in said[start:]]

    async def aread_view(self, query: str | None = None) -> list[HostMessage]:
        """Return the view for a question. Messages that come from the log have the host's own form.

        If the log ends with a stopped answer to the same question, the view leaves out that answer.

        Args:
            query: The question; by default the newest question in the log.
        """
        self._may_repeat = True
        last = await self._find_asked_again(query)
        # Pyright does not accept a cached property for a property of the protocol.
        replaced = Replaced(cast("Any", self.memory), last, ()) if last else None
        shown = await (
            replaced.show(query, catch_up=False) if replaced else self.memory.amessages(query, catch_up=False)
        )
        said = list[HostMessage]()
        for message, piece in zip(shown, shown.pieces, strict=True):
            # A system text behind messages would come first, and change all behind it for a prompt cache.
            late = piece.is_late and is_instruction(message)
            made = HostMessage(_frame(message, "user") if late else message, recalled=piece.kind == "recalled")
            said.append(self._to_message(piece.entry) if piece.entry else made)
        return said

    async def _find_asked_again(self, query: str | None) -> int:
        """Return the log number before a stopped answer to this question; 0 if the log does not end with one."""
        waiting = await self._find_unanswered()
        asked = [host_text(one.message["content"]) for one in waiting if one.message["role"] == "user"]
        if not asked or not waiting[-1].unfinished or find_lacking(self.memory.store, "forget"):
            return 0
        # Compare without white space, because each host joins the parts of a text in its own way.
        is_same = query is None or self._redactor.text(query).split() == asked[-1].split()
        return waiting[-1].seq - 1 if is_same else 0

    async def aall(self, limit: int | None = None) -> list[HostMessage]:
        """Return the newest `limit` messages of the log, by default all messages, oldest first."""
        self._may_repeat = True
        return await self._newest(limit)

    async def arewind(self, said: Sequence[HostMessage]) -> list[int]:
        """Delete the messages `said` from the log, so that the host can send them again.

        A stopped answer directly after one of them is deleted too.

        Returns:
            The log numbers of the messages that this call deleted.

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
        """Delete the messages with these ids from the log. If the store cannot delete messages, log a warning.

        Args:
            ids: The ids of the messages in the host.
            newest: Search only this many of the log's newest messages; by default all.
            thread: Delete only messages of this thread of the host; "" for any thread.
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
        """Return the record to store for a host's message.

        One field has the message in the host's own form. A message that is not a valid chat message is stored as text.
        """
        fields = {self.field: dump_json(said.own), _THREAD: said.thread or None}
        known = {name: text for name, text in fields.items() if text is not None}
        message = fit_message(said.message)
        return Record(message, {**known, **(Record.unfinished(message).fields if said.unfinished else {})})

    def _to_message(self, entry: Entry) -> HostMessage:
        thread = entry.fields.get(_THREAD) or ""
        own = self._own(entry.fields)
        return HostMessage(entry.message, own, entry.turn_id, entry.seq, thread, entry.unfinished)

    def _own(self, fields: Mapping[str, str | None]) -> JSON:
        own = fields.get(self.field)
        return None if own is None else json.loads(own)

    async def _read_newest(self, said: Sequence[HostMessage], thread: str) -> list[HostMessage]:
        """Return the newest messages of the log, enough to compare the log with the host's messages."""
        # More messages than the host passed in, because the log may end with messages saved in another way.
        size, keys = 2 * len(said) + _FIRST_PAGE, {one.key for one in said}
        asked = max((place for place, one in enumerate(said) if one.message["role"] == "user"), default=0)
        # After going back to an early answer, the log may have any number of further messages.
        went_on = bool(thread) and any(is_answer(one.message) for one in said[:asked])
        while True:
            known = await self._newest(size)
            if not went_on or len(known) < size or any(one.key in keys for one in known):
                return known
            size *= 4

    async def _step_back(
        self, said: Sequence[HostMessage], known: list[HostMessage], thread: str, *, cuts_at_questions: bool
    ) -> list[HostMessage]:
        """Take back messages that a thread no longer has, and all from a changed one on; return those that stay."""
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
        """Return how many of the first messages repeat the newest unanswered questions.

        Questions with these `keys` are left out of the comparison.
        """
        asked = [self._as_kept(one) for one in itertools.takewhile(lambda one: one.message["role"] == "user", said)]
        if not asked:
            return 0
        waiting = [
            one for one in await self._find_unanswered() if one.message["role"] == "user" and one.key not in keys
        ]
        # The host's own form of a message with a key contains a time and an id, so compare only the words.
        compared = attrgetter("message") if keys else attrgetter("message", "own")
        lengths = range(min(len(asked), len(waiting)), 0, -1)
        return next((n for n in lengths if list(map(compared, asked[:n])) == list(map(compared, waiting[-n:]))), 0)

    def _as_kept(self, said: HostMessage) -> HostMessage:
        kept = self._redactor.record(self.record(said))
        return said._replace(message=kept.message, own=self._own(kept.fields))

    async def _find_unanswered(self) -> list[HostMessage]:
        """Return the messages after the newest answer, oldest first."""
        size = _FIRST_PAGE
        # The first page nearly always contains an answer, so the cost does not grow with the conversation.
        while True:
            said = await self._newest(size)
            answers = [place for place, one in enumerate(said) if is_answer(one.message) and not one.unfinished]
            if answers or len(said) < size:
                return said[answers[-1] + 1 :] if answers else said
            size *= 4


def in_order(said: Sequence[HostMessage], *, leads: bool = False) -> list[list[HostMessage]]:
    """Return the messages of a view in groups, in an order that every model accepts.

    The caller must join each group into one message before sending it. `leads` is true if the host puts its own system
    text before all groups.
    """
    told = zip(said, tell_calls_apart(one.message for one in said), strict=True)
    # The host's own form of a message has the ids that came twice.
    said = [one if new == one.message else one._replace(message=new, own=None, key="") for one, new in told]
    rules = [one for one in said if is_instruction(one.message)]
    if leads or not all(one.recalled for one in rules):
        # The frame tells the memory's words from the application's.
        rules = [one._replace(message=_frame(one.message, "system")) if one.recalled else one for one in rules]
    others = [one for one in said if not is_instruction(one.message)]
    groups = arrange((one, one.message) for one in [*rules, *others])
    return [own or list(map(HostMessage, messages)) for messages, own in groups]


def _frame(message: Message, role: str) -> Message:
    return {"role": role, "content": frame_text(message["content"])}


def _without_tools_work(
    own: Sequence[HostMessage], gone: Sequence[HostMessage], now: Collection[str]
) -> list[HostMessage]:
    """Return the messages to take back, without the tool calls and results of a failed run.

    A host that retries the run no longer has these calls. They are taken back only together with the question before
    them or the answer after them.
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
        OptionError: The id is missing, or a single memory was given and belongs to another conversation.
    """
    if not isinstance(memories, BaseMemory):
        if not host_id:
            raise OptionError(f"the host's run needs a conversation id; it has {host_id!r}")
        return memories.get(host_id) if isinstance(memories, MemoryProvider) else memories(host_id)
    if host_id not in (None, memories.conversation_id):
        raise OptionError(
            f"the memory belongs to conversation {memories.conversation_id!r}, but the host is in {host_id!r}: pass a "
            "MemoryProvider, which has a memory for each conversation"
        )
    return memories


def host_module(name: str, extra: str) -> Any:
    """Import a module of a host. Type checkers do not see the import, because the host need not be installed.

    Raises:
        MissingExtraError: The host is not installed; the message names the extra to install.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise MissingExtraError.of(f"using memzoo with {name}", extra) from error


class VirtualSubclass:
    """A base class for adapters that pass `isinstance` checks for a host's class, without importing the host."""

    # The modules with the host's class, and the class's name.
    host_modules: ClassVar[tuple[str, ...]]
    host_class: ClassVar[str] = "BaseMemory"

    @property
    def __class__(self) -> type:  # pyright: ignore[reportIncompatibleMethodOverride]
        # Hosts check with isinstance, which calls this method. A real subclass would import the host.
        found = (getattr(sys.modules.get(name), self.host_class, None) for name in self.host_modules)
        return next(filter(None, found), type(self))

    @__class__.setter
    def __class__(self, value: type) -> None:
        raise TypeError(f"a {type(self).__name__} cannot become a {value.__name__}")

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        # For pickles and copies, which would otherwise look for the host's class.
        return object.__new__, (type(self),), self.__dict__
