"""Turns: a question, its answer and all messages between are stored together, or marked as unfinished.

A turn may replace messages after a log number. The replaced messages are deleted only once the turn is stored:

1. At the beginning, the turn is refused if the replacement would lose something learnt (`Turn._check_replaceable`).
2. When `messages` is called, `Replaced.show` copies the conversation up to this log number into an `InMemoryStore`, and
   a memory object with the same options shows the copy. The conversation itself does not change.
3. After the turn is stored, `Replaced.take_back` deletes the replaced messages and the states learnt from them. The
   states learnt from the copy are stored instead, so that no model is asked twice.
"""

import asyncio
import contextlib
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias, get_args

from memzoo.errors import ConflictError, StoreError, TurnError
from memzoo.memories.engine import loading, saving
from memzoo.memories.engine.locks import LockOwner, turn_locks
from memzoo.memories.engine.log import CachedLog
from memzoo.memories.engine.saving import turn_name
from memzoo.memories.options import one_of
from memzoo.memories.text.families import Family
from memzoo.memories.text.grouping import find_open_calls, is_answer, is_of_tools
from memzoo.memories.text.messages import (
    as_message,
    as_record,
    find_sendable,
    is_answered,
    text_of,
    users_message,
)
from memzoo.memories.text.view import Piece, Shown
from memzoo.stores import Entry, InMemoryStore, Message, Record, StoredState
from memzoo.stores.base import find_lacking, managed
from memzoo.stores.forgetting import forget_messages
from memzoo.stores.message_list import is_over_lists
from memzoo.stores.tombstones import keeps_tombstones, tombstones_of
from memzoo.sync import Managed, blocking
from memzoo.text import copy_json

if TYPE_CHECKING:
    from memzoo.memories.base import BaseMemory

OnFailure: TypeAlias = Literal["keep", "rollback"]
"""The action after a failed turn: keep its messages so far, marked as unfinished, or store nothing."""

Busy: TypeAlias = Literal["wait", "refuse"]
"""The action while another turn is under way: wait for its end, or refuse to begin."""

_UNFINISHED = "unfinished-"

_LOST = (
    "Error: no result. The program stopped before there was one, so nobody knows whether this call was carried out. "
    "It was not repeated."
)


class Turn(Managed["Turn"]):
    """One turn of a conversation: the user's message, tool calls and results, the answer.

    The arguments are those of `BaseMemory.turn`, and `redact`, a function that redacts a message.

    Attributes:
        id: The turn's id in the log: `turn_id`, or a fresh id if none was given. A `turn_id` that belongs to a message
            to be replaced, or to a stored question to be answered again, is also replaced by a fresh id.
        finished: True once the turn has ended with an answer and without a failure.
    """

    def __init__(
        self,
        memory: "BaseMemory",
        user: str | Message | None,
        redact: Callable[[Record], Record],
        *,
        after: int | None,
        on_failure: OnFailure,
        busy: Busy,
        turn_id: str | None,
    ) -> None:
        check_turn_options(on_failure, busy)
        self.id = turn_name(turn_id)
        self.finished = False
        self._memory, self._log = memory, memory.log.cached
        self._redact = redact
        self._after = after
        # The messages that the turn replaces.
        self._replaced: Replaced | None = None
        # Ids under which the store would ignore new messages: the ids of the replaced, the continued and the kept ones.
        self._taken: set[str] = set()
        # The log numbers of the turn's stored messages: of the continued turn, and those kept before the end.
        self._seqs: list[int] = []
        # The number of the turn's stored messages, and the name of the last part kept.
        self._stored, self._part = 0, ""
        # The turn continues an unfinished turn; all messages it replaces are partial answers from stopped turns.
        self._goes_on = self._replaces_stopped = False
        self._keeps = on_failure == "keep"
        self._waits = busy == "wait"
        self._said = [] if user is None else [self._redact(Record(users_message(user)))]
        self._before: Shown | None = None
        self._lock = turn_locks.of(self._log.store, self._log.conversation_id)
        self._entered = False
        self._owner: LockOwner | None = None

    async def __aenter__(self) -> Self:
        if self._entered:
            raise TurnError("a turn can be entered once; begin another one with memory.turn(...)")
        self._owner = await self._lock.take(wait=self._waits)
        if self._owner is None:
            raise self._refusal()
        self._entered = True
        try:
            await self._look_back()
        except BaseException:
            owner, self._owner = self._owner, None
            self._lock.give_back(owner)
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        owner, self._owner = self._open(), None
        try:
            has_new = len(self._said) > self._stored and (error is None or self._keeps)
            if has_new and not await self._is_deleted(owner):
                await self._store(failed=error is not None)
        finally:
            self._lock.give_back(owner)

    async def amessages(self, *, system: str = "", family: Family | str | None = None) -> Shown:
        """Return the request to send now: the memory before this turn, the user's message, and all messages added.

        Args:
            system: The application's system text.
            family: The family of the endpoint that gets the request.

        Raises:
            TurnError: The turn is not open.
        """
        render = self._memory.render
        return render.request(await self.abefore(), self.pieces, system, render.family(family), None)

    messages = blocking(amessages)

    async def abefore(self) -> Shown:
        """Return the memory's messages from before this turn.

        Raises:
            TurnError: The turn is not open.
        """
        self._open()
        if self._before is None:
            query = text_of(self._said[0].message)
            # Without catching up, the continued messages are not learnt from, and therefore not shown twice.
            if self._replaced:
                before = await self._replaced.show(query)
            else:
                before = await self._memory.amessages(query, catch_up=not self._goes_on)
            self._before = before.without(self._seqs)
            if self._goes_on:
                self._said += map(Record, map(_make_lost, self.open_calls))
        return self._before

    async def alearn_left_out(self, sent: Iterable[Piece]) -> bool:
        """If a request leaves out a message that waits to be learnt from, learn from all waiting messages.

        Nothing is learnt if some messages of this turn are already stored: the exchange is not complete yet.

        Returns:
            True if anything was learnt, so that `abefore` now returns other messages.
        """
        if self._seqs or self._replaced or self._before is None:
            return False
        learnt = await loading.learn_left_out(self._memory, self._before.pieces, sent)
        if learnt:
            self._before = None
        return learnt

    @property
    def pieces(self) -> list[Piece]:
        """The messages of this turn, as parts of a request. Tool calls that still lack a result are left out."""
        said = _messages(self._said)
        return [Piece(said[place]) for place in find_sendable(said)]

    def add(self, *messages: str | Message | Record) -> None:
        """Add the assistant's next messages and tool results; a string is an answer of the assistant.

        The other fields of a `Record` are stored with its message.

        Raises:
            MessageError: A message is refused; nothing was added.
            TurnError: The turn is not open, so the messages would be lost.
        """
        self._open()
        given = (one if isinstance(one, Record) else as_message("assistant", one) for one in messages)
        self._said += list(map(self._redact, list(map(as_record, given))))

    @property
    def said(self) -> list[Message]:
        """The messages of this turn so far: the user's message and all messages added."""
        return copy_json(_messages(self._said))

    @property
    def open_calls(self) -> list[dict[str, Any]]:
        """The tool calls of this turn that have no result yet.

        When an interrupted turn is continued, nobody knows whether these calls were carried out. Repeat those that
        are safe to repeat, and add their results. `messages` adds an error as the result of each remaining call.
        """
        return copy_json(find_open_calls(_messages(self._said)))

    async def akeep(self) -> None:
        """Store the messages so far, marked as unfinished, so that they survive the end of the process.

        Call this before carrying out tool calls, and after adding their results. With `on_failure="rollback"`, nothing
        is stored.
        """
        if self._keeps and not await self._is_deleted(self._open()):
            await self._store_unfinished()

    keep = blocking(akeep)

    def roll_back(self) -> None:
        """Store nothing more if the turn fails, even with `on_failure="keep"`."""
        self._keeps = False

    def waiting(self) -> AbstractContextManager[None]:
        """Return a context manager for running tools.

        If a tool in the block begins another turn of this conversation, the new turn is refused at once. If
        the new turn waited for this turn, both would wait for ever, because this turn waits for the tool.
        """
        return self._open().mark_waited_for()

    def _open(self) -> LockOwner:
        if self._owner:
            return self._owner
        raise TurnError("this turn is not open; use it inside `with memory.turn(...) as turn:`")

    async def _is_deleted(self, owner: LockOwner) -> bool:
        """Return whether the conversation or the stored question of this turn was deleted during the turn.

        The rest of the turn must then not be stored: it would be an answer, or a tool's result, to nothing.
        """
        # The numbers and turn ids of a list change when another process writes it. With `keep_history=False`, a later
        # turn may have deleted the question as one that is no longer needed.
        if owner.has_ended or not self._seqs or not self._memory.keep_history or is_over_lists(self._log.store):
            return owner.has_ended
        first = self._seqs[0]
        there = await self._log.store.read(self._log.conversation_id, after=first - 1, until=first)
        return not any(entry.turn_id in self._taken for entry in there)

    async def _look_back(self) -> None:
        """Find the messages that this turn replaces or continues.

        Raises:
            TurnError: There is no question to answer again, or `keep_history=False` rules out the replacement.
            UnsupportedError: The store cannot delete single messages.
        """
        newest = await _read_newest_turn(self._log)
        replaced: Sequence[Entry] = []
        if not self._said:
            asked = [place for place, entry in enumerate(newest) if entry.message["role"] == "user"]
            if not asked:
                raise TurnError(f"{self._log.conversation_id!r} has no question to answer again")
            question, *later = newest[asked[-1] :]
            self._goes_on, self._after = _is_unfinished(newest), question.seq
            # Tool calls and results always stay in the log, but only an unfinished turn is continued.
            done = [entry for entry in later if is_of_tools(entry.message)] if self._goes_on else []
            self._said = [Record(entry.message, entry.fields) for entry in (question, *done)]
            self._seqs, self._stored = [entry.seq for entry in (question, *done)], 1 + len(done)
            self._taken = {entry.turn_id for entry in (question, *later)}
            replaced = [entry for entry in later if is_answer(entry.message)]
            self._replaces_stopped = bool(replaced) and all(one.turn_id.startswith(_UNFINISHED) for one in replaced)
        else:
            lost = find_open_calls([entry.message for entry in newest])
            # Only open calls of an unfinished turn get a result: in a finished turn, a host may have left calls open to
            # add their results later.
            if lost and newest[-1].turn_id.startswith(_UNFINISHED):
                records, name = [Record(_make_lost(call)) for call in lost], _name_next(newest[-1].turn_id)
                await saving.append(self._log.store, self._log.conversation_id, records, name)
            if self._after is not None:
                replaced = await self._log.store.read(self._log.conversation_id, after=self._after)
        # The results of immediate tools are an answer that stays, but is not shown.
        if self._after is not None and (replaced or (self._seqs and not self._goes_on)):
            await self._check_replaceable(self._after)
            shown = self._seqs[0] - 1 if self._seqs else None
            self._replaced = Replaced(self._memory, self._after, replaced, shown=shown)
            self._taken |= {entry.turn_id for entry in replaced}

    async def _check_replaceable(self, last: int) -> None:
        """Check that messages after a log number can be replaced: states learnt from them are cleared and learnt again.

        Raises:
            TurnError: A state could not be learnt again, because `keep_history=False` has deleted earlier messages.
            UnsupportedError: The store cannot delete single messages.
        """
        memory, store, id_ = self._memory, self._log.store, self._log.conversation_id
        managed(store, "forget")
        states = [] if memory.keep_history else [await learner.refresh() for learner in memory.learners]
        if not any(state.items and state.watermark > last for state in states):
            return
        if await tombstones_of(store, id_) or not keeps_tombstones(store):
            raise TurnError(
                f"this turn cannot replace messages after {last} of {id_!r}: the learnt state covers them, and cannot "
                "be learnt again, because keep_history=False has deleted earlier messages. Send the text as a new turn"
            )

    async def _store(self, *, failed: bool) -> None:
        new = self._said[self._stored :]
        if not new or (failed and not self._keeps):
            return
        if failed:
            if self._replaced and self._seqs and not self._replaces_stopped and is_answer(new[-1].message):
                # A complete answer stays until another complete answer replaces it: do not store a partial second one.
                self._said.pop()
            stored = await self._store_unfinished()
            # Of several stopped answers, only the newest stays.
            if self._replaced and self._replaces_stopped and is_answer(self._said[-1].message):
                await self._replaced.take_back(stored)
            return
        if not is_answered(_messages(self._said)):
            stored = await self._store_unfinished(but=self._taken)
            if self._replaced:
                await self._replaced.take_back(stored)
            return
        if self.id in self._taken:
            # An id is stored only once, and replaced messages with this id are deleted only after this turn is stored.
            self.id = turn_name(None)
        self.finished = True
        question = self._seqs[0] if self._seqs else None
        take_back = self._replaced.take_back if self._replaced else None
        await saving.save(self._memory, new, self.id, question=question, before_learning=take_back)

    async def _store_unfinished(self, *, but: Collection[str] = ()) -> Sequence[Entry]:
        """Store the new messages as an unfinished part, beside earlier attempts; a later call learns from them."""
        new, store, id_ = self._said[self._stored :], self._log.store, self._log.conversation_id
        while new:
            self._part = _name_next(self._part) if self._part else f"{_UNFINISHED}{self.id}"
            if self._part in but:
                continue
            stored = await saving.append(store, id_, new, self._part)
            # Another process assumed that this process had died, and stored errors for calls that have results.
            pairs = zip(stored, _messages(new), strict=False)
            if self._seqs and (lost := [had.seq for had, now in pairs if _is_lost(had.message) > _is_lost(now)]):
                await forget_messages(store, id_, lost, for_good=False)
                stored = await saving.append(store, id_, new, self._part)
            # A forgotten attempt is not stored again.
            if not stored or [entry.message for entry in stored] == _messages(new):
                self._stored += len(new)
                self._seqs += [entry.seq for entry in stored]
                self._taken.add(self._part)
                return stored
        return []

    def _refusal(self) -> TurnError:
        why = (
            "waiting here would never end, because that turn waits for this code: end it first, or close its stream"
            if self._waits
            else "busy='wait' waits for its end"
        )
        return TurnError(f"a turn of conversation {self._log.conversation_id!r} is under way; {why}")


class Replaced:
    """The messages that a turn replaces.

    Attributes:
        entries: The replaced messages, oldest first. Messages stored after the turn has begun are not replaced.

    Args:
        memory: The memory of the conversation.
        last: The log number of the message before the replaced messages.
        entries: The replaced messages.
        shown: The log number of the last message to show, by default `last`. If the turn answers a stored question
            again, this is the message before the question, because the turn itself shows the question.
    """

    def __init__(self, memory: "BaseMemory", last: int, entries: Sequence[Entry], *, shown: int | None = None) -> None:
        self.entries = entries
        self.memory, self._last, self._shown = memory, last, last if shown is None else shown
        self._store, self._id = memory.store, memory.conversation_id
        # The conversation before the replaced messages, with its states; made by `show`.
        self._copy: InMemoryStore | None = None

    async def show(self, query: str | None, *, catch_up: bool = True) -> Shown:
        """Return the messages that the memory would show if the conversation ended at the log number `shown`.

        Args:
            query: The user's next words, for a strategy that searches.
            catch_up: True to learn first from messages not learnt from yet.
        """
        entries = await self._store.read(self._id, until=self._shown)
        self._copy = InMemoryStore()
        if entries:
            names = await managed(self._store, "states").states(self._id)
            states = {name: state for name in names if (state := await self._state_before(name))}
            await self._copy.restore(self._id, entries, states)
        # The copy must not start background learning: no call would wait for it.
        changed = {"learn": "later"} if self.memory.learn == "background" else {}
        earlier = self.memory.clone(store=self._copy, **changed)
        try:
            return await earlier.amessages(query, catch_up=catch_up)
        finally:
            for purpose in earlier.usage:
                self.memory.usage.add(purpose, earlier.usage[purpose])

    async def take_back(self, new: Sequence[Entry]) -> None:
        """Delete the replaced messages. Call this only after the new turn has been stored.

        `new` has the stored entries of the new turn. If `new` is empty, nothing is deleted.
        """
        if not new or not self.entries or new[0].seq <= self._last:
            return
        try:
            await self.delete()
        except asyncio.CancelledError:
            # The caller no longer waits, but the turn is stored: the replaced messages must not stay beside it.
            await self.delete()
            raise
        except StoreError as error:
            error.add_note(
                "The turn is stored, but the messages that it replaces may still be in the log: see memory.rewind."
            )
            raise
        if self._copy:
            await self._keep_learnt(self._copy)

    async def delete(self) -> list[Entry]:
        """Delete the replaced messages that still exist, and return their entries."""
        there = await self._store.read(self._id, after=self._last, until=self.entries[-1].seq)
        # After the conversation was cleared, other messages may have the same numbers.
        if gone := [entry for entry in there if entry in self.entries]:
            await forget_messages(self._store, self._id, [entry.seq for entry in gone], for_good=False)
        for learner in self.memory.learners:
            await learner.refresh(reset=True)
        return gone

    async def _keep_learnt(self, copy: InMemoryStore) -> None:
        """Commit the states of the copy, if the conversation is still the same as the copy."""
        copied = await copy.read(self._id)
        for name in await copy.states(self._id):
            new, now = await copy.read_state(self._id, name), await self._store.read_state(self._id, name)
            if new.watermark <= now.watermark:
                continue
            # The log is read after the state: a later deletion makes the commit fail.
            there = await self._store.read(self._id, until=copied[-1].seq)
            if there != copied:
                return
            with contextlib.suppress(ConflictError):  # another writer has learnt the state meanwhile
                await self._store.commit(
                    self._id,
                    name,
                    expected=now.version,
                    watermark=new.watermark,
                    changes={**dict.fromkeys(now.changes), **new.changes},
                    embeddings=await copy.embeddings(self._id, name),
                )

    async def _state_before(self, name: str) -> StoredState | None:
        """Return a state without the embeddings of later messages; `None` if it was learnt from later messages."""
        state = await self._store.read_state(self._id, name)
        has_vectors = not find_lacking(self._store, "embeddings")
        embeddings = await managed(self._store, "embeddings").embeddings(self._id, name) if has_vectors else {}
        if state.watermark > self._shown and (state.changes or not embeddings):
            return None
        kept = {seq: one for seq, one in embeddings.items() if seq <= self._shown}
        return StoredState(min(state.watermark, self._shown), state.changes, kept)


async def find_unfinished_turn(log: CachedLog) -> list[Message]:
    """Return the messages of the newest turn if it ended without an answer; else an empty list."""
    turn = await _read_newest_turn(log)
    return copy_json([entry.message for entry in turn]) if _is_unfinished(turn) else []


def check_turn_options(on_failure: object, busy: object) -> None:
    """Raise an `OptionError` if an option of a turn has an unknown value."""
    one_of("on_failure", on_failure, *get_args(OnFailure))
    one_of("busy", busy, *get_args(Busy))


def _messages(records: Sequence[Record]) -> list[Message]:
    return [one.message for one in records]


def _is_unfinished(turn: Sequence[Entry]) -> bool:
    if not turn or turn[-1].turn_id.startswith(_UNFINISHED):
        return bool(turn)
    messages, (first, last) = [entry.message for entry in turn], (turn[0].turn_id, turn[-1].turn_id)
    # Tool results may end a turn stored as a whole, but not a turn whose messages were stored one by one under
    # different ids, as from a message list.
    waits = not is_answer(messages[-1]) and first != last and not first.startswith(_UNFINISHED)
    # A user message at the end is a question that was to be answered again, and was not.
    return waits or messages[-1]["role"] == "user" or bool(find_open_calls(messages))


def _name_next(part: str) -> str:
    """Return the name of the next part of an unfinished turn: the same name in every process."""
    name, plus, number = part.rpartition("+")
    return f"{name}+{int(number) + 1}" if plus and number.isdecimal() else f"{part}+2"


def _is_lost(message: Message) -> bool:
    return message.get("content") == _LOST


def _make_lost(call: Message) -> Message:
    return {"role": "tool", "tool_call_id": call["id"], "content": _LOST}


async def _read_newest_turn(log: CachedLog) -> list[Entry]:
    """Return the newest turn with a user message, and all later entries; an empty list without a user message."""
    await log.refresh()
    count = 8
    while True:
        entries = await log.reach(count=count)
        asked = next((entry.turn_id for entry in reversed(entries) if entry.message["role"] == "user"), None)
        first = next((place for place, entry in enumerate(entries) if entry.turn_id == asked), 0)
        if first or len(entries) < count:
            return entries[first:] if asked is not None else []
        count = 2 * len(entries)
