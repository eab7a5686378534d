"""Turns: what belongs to one question and its answer becomes visible together, or is marked as unfinished."""

import copy
import uuid
from collections.abc import Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Literal, Protocol, Self, TypeAlias

from memzoo.memories.engine.turn_lock import Holder, floor_of
from memzoo.memories.text.messages import checked, sendable, text_of
from memzoo.stores import Entry, Message, Record, Store
from memzoo.stores.driving import Managed, blocking
from memzoo.stores.errors import MessageError, OptionError, TurnError

__all__ = ["Busy", "OnFailure", "Talker", "Turn", "TurnTaking", "check_turn_options"]

OnFailure: TypeAlias = Literal["keep", "rollback"]
"""What becomes of a turn that fails: what was said so far is kept and marked as unfinished, or nothing is stored."""

Busy: TypeAlias = Literal["wait", "refuse"]
"""What becomes of a turn that begins while another one is under way: it waits for its end, or is refused."""

_UNFINISHED = "unfinished-"
_SEED = "seed"
_INSTRUCTIONS = ("system", "developer")


class Talker(Protocol):
    """What a turn needs of a memory."""

    store: Store
    conversation_id: str

    async def amessages(self, query: str | None = None) -> list[Message]:
        """The memory as chat messages."""
        ...

    async def aadd_messages(self, messages: Sequence[Message], *, turn_id: str | None = None) -> None:
        """Save chat messages as one turn."""
        ...


class Turn(Managed["Turn"]):
    """One turn of a conversation: the user's message, whatever follows from it, the answer. See `TurnTaking.turn`.

    Attributes:
        id: What the messages of the turn have in common in the log.
        finished: It ended with an answer; nothing failed before that.
    """

    def __init__(
        self, memory: Talker, user: str | Message, *, on_failure: OnFailure, busy: Busy, turn_id: str | None
    ) -> None:
        check_turn_options(on_failure, busy)
        self.id = turn_id or uuid.uuid4().hex
        self.finished = False
        self._memory = memory
        self._keeps = on_failure == "keep"
        self._waits = busy == "wait"
        self._said = [_users(user)]
        self._before: list[Message] | None = None
        self._floor = floor_of(memory.store, memory.conversation_id)
        self._entered = False
        self._holder: Holder | None = None

    async def __aenter__(self) -> Self:
        if self._entered:
            raise TurnError("a turn can be entered once; begin another one with memory.turn(...)")
        self._holder = await self._floor.take(wait=self._waits)
        self._entered = True
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        holder, self._holder = self._open(), None
        try:
            if not self._floor.is_ended(holder):
                await self._store(failed=error is not None)
        finally:
            self._floor.give_back(holder)

    async def amessages(self) -> list[Message]:
        """What to send now: the memory as it was before this turn, the user's message, what was added since.

        Raises:
            TurnError: The turn is not open.
        """
        self._open()
        if self._before is None:
            self._before = await self._memory.amessages(text_of(self._said[0]))
        return copy.deepcopy(sendable([*self._before, *self._said]))

    messages = blocking(amessages)

    def add(self, *messages: str | Message) -> None:
        """Add what happened next: the assistant's messages, results of tools; a text is the assistant's answer.

        Raises:
            MessageError: One of them is refused; none was added.
            TurnError: The turn is not open: what is added now would be lost.
        """
        self._open()
        self._said += [checked(_worded("assistant", message)) for message in messages]

    def waiting(self) -> AbstractContextManager[None]:
        """For `with`, around tools: one that begins a turn of this very conversation is refused, as it cannot wait."""
        return self._open().waiting()

    def _open(self) -> Holder:
        if self._holder:
            return self._holder
        raise TurnError("this turn is not open; use it inside `with memory.turn(...) as turn:`")

    async def _store(self, *, failed: bool) -> None:
        if failed and not self._keeps:
            return
        if failed or not _is_answered(self._said):
            # Nothing is learnt here: a turn that fails is not to wait for a model. The next call catches up.
            records = [Record(message) for message in self._said]
            await self._memory.store.append(self._memory.conversation_id, records, turn_id=_UNFINISHED + self.id)
            return
        self.finished = True
        await self._memory.aadd_messages(self._said, turn_id=self.id)


class TurnTaking:
    """What every memory can do with turns."""

    def turn(
        self: Talker,
        user: str | Message,
        *,
        on_failure: OnFailure = "keep",
        busy: Busy = "wait",
        turn_id: str | None = None,
    ) -> Turn:
        """A turn of the conversation, for `with` or `async with`: its messages become visible together, at its end.

        At the end all of it is stored as one turn and learnt from. Two turns of one conversation never mix: within a
        process the second waits or is refused; of two processes each stores its turn whole.

        Args:
            user: The user's words, or a user message (with pictures, say).
            on_failure: What becomes of it when an exception ends it: `"keep"` stores what was said so far, and
                `unfinished_turn` tells so; `"rollback"` stores nothing. A turn without an answer is unfinished too.
            busy: `"wait"` for the end of another turn, or `"refuse"`.
            turn_id: As in `save_context`: a turn with the id of a stored one is not stored again.

        Raises:
            MessageError: What the user said is no user message.
            TurnInProgressError: On entering: another turn is under way, and waiting is not wanted or could never end,
                because this one is begun from inside that one.
            ModelError: On leaving: the turn is stored, but could not be learnt from yet, as in `save_context`.

        Example:
            >>> from memzoo.memories import ConversationBufferMemory
            >>> memory = ConversationBufferMemory()
            >>> with memory.turn("I like tea.") as turn:
            ...     turn.add(f"The model was sent {len(turn.messages())} message.")
            >>> [message["content"] for message in memory.messages()]
            ['I like tea.', 'The model was sent 1 message.']
        """
        return Turn(self, user, on_failure=on_failure, busy=busy, turn_id=turn_id)

    async def aunfinished_turn(self: Talker) -> list[Message]:
        """The messages of the newest turn if it ended without an answer, by a failure or otherwise; else none.

        They stay in the log. What of them can be sent, views show like everything else: the user's message, and calls
        of tools that have all their results.
        """
        turn = await _newest_turn(self)
        unfinished = turn and turn[0].turn_id.startswith(_UNFINISHED)
        return [entry.message for entry in turn] if unfinished else []

    async def aseed(self: Talker, examples: Sequence[Message | tuple[str, str]]) -> bool:
        """Begin an empty conversation with example exchanges, which the model takes for what was said before.

        A conversation that has nothing but a system message counts as empty; the examples stand behind it.

        Args:
            examples: Chat messages, oldest first, from a user's to the answer to the last one; or pairs of what the
                user says and what the assistant answers.

        Returns:
            Whether the conversation was empty and begins with the examples now. Two callers that find it empty at the
            same time write them once, and both are told so.

        Raises:
            MessageError: The examples are not such messages; nothing was stored.

        Example:
            >>> from memzoo.memories import ConversationBufferMemory
            >>> memory = ConversationBufferMemory()
            >>> memory.seed([("2 + 2", "4"), ("3 + 4", "7")]), memory.seed([("2 + 2", "5")])
            (True, False)
        """
        said = _exchanges(examples)
        first = await self.store.read(self.conversation_id, limit=2)
        if len(first) > 1 or any(entry.message["role"] not in _INSTRUCTIONS for entry in first):
            return False
        await self.aadd_messages(said, turn_id=_SEED)
        return True

    unfinished_turn = blocking(aunfinished_turn)
    seed = blocking(aseed)


def check_turn_options(on_failure: object, busy: object) -> None:
    """Check the options of a turn.

    Raises:
        OptionError: One of them has a value that there is not.
    """
    if on_failure not in ("keep", "rollback"):
        raise OptionError(f"on_failure must be 'keep' or 'rollback', not {on_failure!r}")
    if busy not in ("wait", "refuse"):
        raise OptionError(f"busy must be 'wait' or 'refuse', not {busy!r}")


def _worded(role: str, said: str | Message) -> Message:
    return {"role": role, "content": said} if isinstance(said, str) else said


def _users(said: str | Message) -> Message:
    message = checked(_worded("user", said))
    if message["role"] != "user":
        raise MessageError(f"a turn begins with a user message, not with {message!r}")
    return message


def _is_answered(said: Sequence[Message]) -> bool:
    return said[-1]["role"] != "user" and len(sendable(said)) == len(said)


def _exchanges(examples: Sequence[Message | tuple[str, str]]) -> list[Message]:
    said: list[Message] = []
    for example in examples:
        pair = zip(("user", "assistant"), example, strict=True) if isinstance(example, tuple) else [("", example)]
        said += [checked(_worded(role, words)) for role, words in pair]
    if not said or said[0]["role"] != "user" or not _is_answered(said) or said[-1]["role"] != "assistant":
        raise MessageError(
            "examples must be whole exchanges: from a user message to the assistant's answer to the last one, "
            f"calls of tools with their results, no system message; not {[message['role'] for message in said]}"
        )
    return said


async def _newest_turn(memory: Talker) -> list[Entry]:
    size = 8
    while True:
        entries = await memory.store.read(memory.conversation_id, limit=size, newest=True)
        turn = [entry for entry in entries if entry.turn_id == entries[-1].turn_id]
        if len(turn) < size:
            return turn
        size *= 2
