"""The base of the windows over messages: the newest that fit a limit, as a view of the log."""

import copy
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from memzoo.memories.base import BaseMemory
from memzoo.memories.engine.log import Log
from memzoo.memories.engine.state import Changes, State
from memzoo.memories.options import one_of, whole_number
from memzoo.memories.strategies import langchain4j
from memzoo.memories.text.eviction import Evict, Fitted, Weighed, fitted
from memzoo.memories.text.grouping import is_instruction
from memzoo.memories.text.messages import checked, without_empty_calls
from memzoo.memories.text.view import View
from memzoo.stores import Entry, Message, Record
from memzoo.stores.driving import blocking
from memzoo.stores.errors import OptionError, OverBudgetError

__all__ = ["Limit", "WindowMemory"]

Limit: TypeAlias = int | Callable[[str], int]
"""A number, or a function from the conversation's id to one, asked each time."""

_FEWEST_ENTRIES = 32


@dataclass(kw_only=True, eq=False)
class WindowMemory(BaseMemory):
    """What the windows share: one system message, the newest messages that fit a limit, nothing that cannot be sent.

    A window deletes nothing. A smaller limit hides messages, a larger one brings them back.

    Args:
        evict: What goes at once when the limit is passed: `"message"`, the oldest message, with a tool call its
            results; or `"exchange"`, all up to the next user message, so that what is shown begins with one.
        oversized: When the system message, the newest user message and the tool calls that it led to so far are over
            the limit by themselves: `"raise"` an `OverBudgetError`, or `"keep"` them, and only them.
        system_first: Show the system message first. `False` shows it where it was said, which for a changed one is
            behind what was said before. `None` is `True`, but `False` with LangChain4j's rules.
        rules: `"langchain4j"` for LangChain4j's behaviour, message for message, also where it sends what providers
            refuse or forgets what was just said (`docs/windows.md` lists it). Then evicted messages do not come back
            once another was added, though the log has them.
        **common: See `BaseMemory`.
    """

    evict: Evict = "message"
    oversized: Literal["raise", "keep"] = "raise"
    system_first: bool | None = None
    rules: Literal["memzoo", "langchain4j"] = "memzoo"

    limit_name: ClassVar[str]
    unit: ClassVar[str] = "tokens"

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("evict", self.evict, "message", "exchange")
        one_of("oversized", self.oversized, "raise", "keep")
        one_of("rules", self.rules, "memzoo", "langchain4j")
        one_of("system_first", self.system_first, None, True, False)  # noqa: FBT003
        if self._is_langchain4j and self.evict == "exchange":
            raise OptionError("evict must be 'message' with LangChain4j's rules, not 'exchange'")
        if not callable(getattr(self, self.limit_name)):
            self.limit()
        self._first = not self._is_langchain4j if self.system_first is None else self.system_first

    @abstractmethod
    def weight(self, message: Message) -> int:
        """What a message counts towards the limit."""

    def limit(self) -> int:
        """The limit as it is now.

        Raises:
            OptionError: It is no whole number of at least 1.
        """
        option: Limit = getattr(self, self.limit_name)
        limit = option(self.conversation_id) if callable(option) else option
        whole_number(self.limit_name, limit, at_least=1)
        return limit

    @property
    def state_name(self) -> str:
        """What LangChain4j's rules hold is another state."""
        return f"{self.name}/{self.rules}" if self._is_langchain4j else self.name

    def waits_for_more(self, entries: Sequence[Entry]) -> bool:
        """Only a system message has to be known before there are many."""
        return not self._is_langchain4j and not any(is_instruction(entry.message) for entry in entries)

    async def derive(self, state: State, entries: Sequence[Entry], log: Log) -> Changes:
        """Remember which system message holds; with LangChain4j's rules, what the memory holds."""
        if self._is_langchain4j:
            return Changes({"held": _plain(self._held(state, entries))})
        return Changes({"system": _plain(self._system(state, entries))})

    async def view(self, log: Log, state: State, query: str | None) -> View:
        """The newest messages that fit."""
        limit, waiting = self.limit(), await log.after(state.watermark)
        if self._is_langchain4j:
            return _view(langchain4j.evicted(self._held(state, waiting), limit))
        left = await self._fitted(log, state, self._system(state, waiting), limit)
        if left.size > limit and self.oversized == "raise":
            advice = f"; a larger {self.limit_name} shows them, or oversized='keep'"
            what = "the system message, the newest user message and the tool calls that it led to"
            raise OverBudgetError.of(what, left.size, limit, self.unit, advice)
        return _view(Weighed(one.number, without_empty_calls(one.message), one.weight) for one in left.kept)

    def as_messages(self, view: View) -> list[Message]:
        """The view as it is: it can be sent already."""
        return list(view.messages)

    def as_request(self, view: View) -> list[Message]:
        """The view as it is: it can be sent already."""
        return list(view.messages)

    async def completed(self, view: View) -> View:
        """The view as it is: it has the newest user message already, and LangChain4j's rules may not want it."""
        return view

    async def aset_messages(self, messages: Sequence[Message]) -> None:
        """Let the view start anew with these messages, oldest first; what is said later follows them.

        The log keeps what was said, and `history` shows that. Where nothing was said yet, they are the beginning of the
        conversation.

        Raises:
            MessageError: One of them is refused; nothing was changed.
        """
        new = [checked(message) for message in messages]
        if not await self._log.tail(1):
            await self._append(list(map(Record, new)), None)
        while last := await self._log.tail(1):
            if await self._upkeep.put(self._started_with(new, last[0].seq), last[0].seq):
                break

    set_messages = blocking(aset_messages)

    @property
    def _is_langchain4j(self) -> bool:
        return self.rules == "langchain4j"

    def _started_with(self, messages: Sequence[Message], since: int) -> Changes:
        # Numbers up to 0: they stand before all that the log has.
        base = [self._weighed(place - len(messages), said) for place, said in enumerate(messages, 1)]
        if self._is_langchain4j:
            return Changes({"held": _plain(langchain4j.evicted(base, self.limit()))})
        return Changes({"base": _plain(base), "since": since, "system": _plain(_newest_system([], base))})

    def _held(self, state: State, entries: Sequence[Entry]) -> list[Weighed]:
        held = self._stored(state, "held")
        for entry in entries:
            new = self._weighed(entry.seq, entry.message)
            held = langchain4j.added(held, new, self.limit(), system_first=self._first)
        return held

    def _system(self, state: State, entries: Sequence[Entry]) -> list[Weighed]:
        new = (self._weighed(entry.seq, entry.message) for entry in entries if is_instruction(entry.message))
        return _newest_system(self._stored(state, "system"), new)

    async def _fitted(self, log: Log, state: State, system: list[Weighed], limit: int) -> Fitted:
        """What fits; only so much of the log is read as is needed."""
        size = _FEWEST_ENTRIES
        while True:
            tail = await log.tail(size, after=state.items.get("since", 0))
            whole = len(tail) < size
            said = self._stored(state, "base") if whole else []
            said += [self._weighed(entry.seq, entry.message) for entry in tail]
            items = [*system, *(one for one in said if not is_instruction(one.message))]
            items.sort(key=lambda one: one.number)
            left = fitted(items, limit, evict=self.evict, system_first=self._first)
            if whole or left.settled:
                return left
            size *= 2

    def _stored(self, state: State, name: str) -> list[Weighed]:
        return [self._weighed(number, message) for number, message in copy.deepcopy(state.items.get(name, []))]

    def _weighed(self, number: int, message: Message) -> Weighed:
        return Weighed(number, message, self.weight(message))


def _newest_system(known: list[Weighed], said: Iterable[Weighed]) -> list[Weighed]:
    """The system message that holds, if there is one: one that is equal to it changes nothing, another replaces it."""
    for one in said:
        if is_instruction(one.message) and (not known or known[0].message != one.message):
            known = [one]
    return known


def _plain(items: Iterable[Weighed]) -> list[list[object]]:
    return [[one.number, one.message] for one in items]


def _view(items: Iterable[Weighed]) -> View:
    shown = list(items)
    return View(messages=[one.message for one in shown], numbers=tuple(one.number for one in shown))
