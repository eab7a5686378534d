"""Remember the newest messages that fit a limit: a number of messages or a number of tokens."""

import functools
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from memzoo.errors import OptionError, OverBudgetError
from memzoo.memories.base import BaseMemory
from memzoo.memories.engine import saving
from memzoo.memories.engine.log import Log
from memzoo.memories.engine.state import Changes, State
from memzoo.memories.options import AtLeast, strategy, whole_number
from memzoo.memories.text.eviction import (
    Evict,
    Fitted,
    Steps,
    Weighed,
    add_as_langchain4j,
    evict_as_langchain4j,
    fit_messages,
)
from memzoo.memories.text.grouping import is_instruction
from memzoo.memories.text.messages import check_several, checked
from memzoo.memories.text.thoughts import set_thoughts_apart
from memzoo.memories.text.view import View, as_room
from memzoo.stores import Entry, Message, Record
from memzoo.sync import blocking

Limit: TypeAlias = int | Callable[[str], int]
"""A number, or a function that returns a number for the conversation's id; the function is called at each load."""

# The number of messages to read at first; doubled until there are enough.
_FEWEST_ENTRIES = 32
_NEVER = datetime.min.replace(tzinfo=UTC)
# Marks the beginning of the view in the log, for `set_messages`. The mark is a message, which any store can keep.
_START: Message = {"role": "system", "name": "set_messages", "content": ""}


def _check_limit(name: str, value: object) -> None:
    """Check the limit of a window; the result of a function is checked later, at each load."""
    if not callable(value):
        whole_number(name, value, at_least=1)


@strategy
class WindowMemory(BaseMemory):
    """Shows the system message and the newest messages that fit a limit.

    With a `step`, the window moves in steps: on most turns, the window begins with the same message as before, and a
    provider's prompt cache stays valid. Memories with the same log, limit and step show the same window (see `Steps` in
    `memzoo.memories.text.eviction`).

    A smaller limit hides messages; a larger limit shows them again, unless `keep_history=False` deleted the messages.

    State: none. With LangChain4j's rules, `held`: a list of the messages shown, each with its log number.
    """

    _learns_system = True
    _lease_seconds = 0.0

    evict: Evict = "message"
    """The unit dropped once the limit is passed: `'message'`, the oldest message (a tool call with its results);
    or `'exchange'`, everything up to the next user message, so that the view begins with a user message.
    """
    oversized: Literal["raise", "keep"] = "raise"
    """The action if the messages that must stay exceed the limit: raise an `OverBudgetError`, or keep only these
    messages. They are the system message, pinned messages, and the newest user message with the tool calls that it led
    to.
    """
    rules: Literal["memzoo", "langchain4j"] = "memzoo"
    """`'langchain4j'` for LangChain4j's behaviour, message for message, even where it sends requests that providers
    refuse or forgets the newest words (`docs/windows.md` lists it). An evicted message then does not come back once
    another message is added, though the log has it.
    """

    step: Annotated[int, AtLeast(0)] = 0
    """The messages or tokens by which the window moves at once, in the unit of its limit. A window of messages shows at
    least its limit, and up to `step` more; a window of tokens stays within its limit, and as a rule shows up to `step`
    less. At 0, the window moves with each message.
    """

    limit_name: ClassVar[str]
    """The name of the option that sets the limit."""
    unit: ClassVar[str] = "tokens"
    """The unit of the limit: "tokens" or "messages"."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self._is_langchain4j and self.evict == "exchange":
            raise OptionError("evict must be 'message' with LangChain4j's rules, not 'exchange'")
        if self._is_langchain4j and self.step:
            raise OptionError(f"step must be 0 with LangChain4j's rules, which move with each message, not {self.step}")
        self._sliding = SlidingWindow(self.weight, lambda: self.render.counter.name if self.unit == "tokens" else "")

    def weight(self, entry: Entry) -> float:
        """Return the weight of a message towards the limit: the message's tokens."""
        return self.render.tokens(entry)

    def limit(self) -> int:
        """Return the current limit.

        Raises:
            OptionError: The limit is not a whole number of at least 1.
        """
        option: Limit = getattr(self, self.limit_name)
        limit = option(self.conversation_id) if callable(option) else option
        whole_number(self.limit_name, limit, at_least=1)
        return limit

    def limits(self) -> tuple[int, Steps | None]:
        """Return a pair: the maximum to show, in messages or tokens, and the window's `Steps` (`None` for no steps).

        A window of messages shows up to `step` messages beyond its limit. A window of tokens never exceeds its limit.
        """
        limit = self.limit()
        if not self.step:
            return limit, None
        steps = (Steps.below if self.unit == "tokens" else Steps.above)(limit, self.step)
        return steps.most, steps

    @property
    def _state_name(self) -> str:
        """The name of the state, which depends on the rules: memzoo's or LangChain4j's."""
        return f"{self.name}/{self.rules}" if self._is_langchain4j else self.name

    async def derive(self, state: State, entries: Sequence[Entry], log: Log) -> Changes:
        """Return the new value of the state's item `held`: the messages that LangChain4j's rules keep."""
        held = [[one.number, one.message] for one in self._replay(state, entries)]
        return Changes({"held": held if self.keep_history else None})

    async def oldest_needed(self, log: Log, state: State) -> int:
        """Return the log number of the oldest message that views may still show."""
        if not self._is_langchain4j:
            return (await self._fit(log, await self._rules(), self.limits())).oldest_needed
        # The system message stays in any case.
        rules = {one.number for one in await self._rules()}
        held = (one.number for one in await self._held(log, state) if one.number not in rules)
        return min(held, default=log.cached.last + 1)

    async def view(self, log: Log, state: State, query: str | None) -> View:
        """Return a view of the newest messages that fit the limit."""
        limits = limit, steps = self.limits()
        if self._is_langchain4j:
            pinned, held = {entry.seq for entry in self.log.pins.entries}, await self._held(log, state)
            if self.oversized == "raise":
                self.log.pins.room(limit, self.weight, self.unit)
            room = limit - sum(map(self.weight, self.log.pins.entries))
            return await self._view(log, evict_as_langchain4j((one for one in held if one.number not in pinned), room))
        system = await self._rules()
        is_plain = not (steps or system or self.log.pins.entries) and self.evict == "message"
        if is_plain and (fitting := await self._sliding.fit(log, limit)):
            entries, spare = fitting
            find_room = functools.partial(as_room, spare, entries, self.weight)
            return View(entries=entries, final=True, room=find_room, texts_stay=True)
        left = await self._fit(log, system, limits)
        if left.size > limit and self.oversized == "raise":
            advice = f"; a larger {self.limit_name} shows them, or oversized='keep'"
            self.log.pins.room(limit, self.weight, self.unit)
            what = "the system message, the newest user message and the tool calls that it led to"
            if self.log.pins.entries:
                what = f"{what}, and the pinned messages"
            raise OverBudgetError.of(what, left.size, limit, self.unit, advice)
        shown = await self._view(log, left.kept)
        return replace(shown, room=as_room(left.room, shown.entries, self.weight))

    async def aset_messages(self, messages: Sequence[Message]) -> None:
        """Make the view begin with these messages, given oldest first; messages saved later follow them.

        The messages are added to the log as one turn, after an empty system message that marks the new beginning.
        Earlier messages stay in the log; to show them again, delete the mark with `forget`.

        Raises:
            MessageError: A message is invalid; nothing was changed.
        """
        check_several(messages)
        new = [self._redactor.message(set_thoughts_apart(checked(message))) for message in messages]
        if await (await self.log.refreshed()).tail(1):
            new.insert(0, dict(_START))
        await saving.save(self, list(map(Record, new)), None)

    set_messages = blocking(aset_messages)

    @property
    def _is_langchain4j(self) -> bool:
        return self.rules == "langchain4j"

    @property
    def _learns(self) -> bool:
        # Only LangChain4j's rules depend on each message in turn.
        return self._is_langchain4j

    def _replay(self, state: State, entries: Sequence[Entry]) -> list[Weighed]:
        held = [self._weigh(_entry(number, message)) for number, message in state.items.get("held", [])]
        for entry in entries:
            held = [] if entry.message == _START else add_as_langchain4j(held, self._weigh(entry), self.limit())
        return held

    async def _held(self, log: Log, state: State) -> list[Weighed]:
        """Return the messages that LangChain4j's memory would hold now."""
        # Without history there is no state: the log has exactly the held messages, also when it is opened anew.
        known = state if self.keep_history else State()
        return self._replay(known, await log.after(known.watermark))

    async def _rules(self) -> list[Weighed]:
        """Return a list with the system message in force; `[]` without a system message."""
        newest = await self.log.system.current()
        return [self._weigh(newest)] if newest else []

    async def _fit(self, log: Log, system: list[Weighed], limits: tuple[int, Steps | None]) -> Fitted:
        """Return the messages that fit, and read no more of the log than needed."""
        limit, steps = limits
        size, pinned = _FEWEST_ENTRIES, {entry.seq for entry in self.log.pins.entries}
        count = await log.counter() if steps else int
        while True:
            tail = await log.tail(size)
            newest = tail[-1].seq if tail else 0
            starts = [place for place, entry in enumerate(tail) if entry.message == _START]
            begins = tail[starts[-1]].seq if starts else 0
            whole = bool(starts) or len(tail) < size
            tail = tail[starts[-1] + 1 :] if starts else tail
            said = map(self._weigh, (*self.log.pins.besides(tail), *tail))
            items = {one.number: one for one in said if one.number in pinned or not is_instruction(one.message)}
            items |= {one.number: one for one in system}
            ordered = [items[number] for number in sorted(items)]
            rules: dict[str, Any] = {"evict": self.evict, "steps": steps, "count": count}
            left = fit_messages(ordered, limit, pinned=pinned, newest=newest, **rules)
            if whole or (left.settled and any(entry.message["role"] == "user" for entry in tail)):
                return replace(left, oldest_needed=max(left.oldest_needed, begins))
            size *= 2

    async def _view(self, log: Log, items: Sequence[Weighed]) -> View:
        """Return a view of messages, with the log's entries (turn and time) for messages that the log has."""
        said = (one.number for one in items if one.number > 0 and not is_instruction(one.message))
        first, system = next(said, None), await self.log.system.current()
        entries = [*([system] if system else []), *(await log.after(first - 1) if first else [])]
        known = {entry.seq: entry for entry in entries}
        pairs = ((known.get(one.number) or _entry(one.number, one.message), one.message) for one in items)
        entries = [replace(entry, message=message) for entry, message in pairs]
        return View(entries=entries, final=True, texts_stay=True)

    def _weigh(self, entry: Entry) -> Weighed:
        return Weighed(entry.seq, entry.message, self.weight(entry))


def _entry(number: int, message: Message) -> Entry:
    return Entry(number, message, "", _NEVER)


@strategy
class MessageWindowMemory(WindowMemory):
    """Shows the newest `max_messages` messages, always with the system message.

    Each message counts as one, regardless of length. Use this memory for experiments, or if messages are of similar
    length. A tool call and its results count separately, but leave the window together.

    Costs: no call; tokens grow with the length of messages.

    State: none; with `rules="langchain4j"`, the messages that LangChain4j would hold.

    Example:
        >>> memory = MessageWindowMemory(max_messages=3)
        >>> memory.add_messages([{"role": "system", "content": "Be brief."}])
        >>> for number in (1, 2):
        ...     memory.save_context({"input": f"question {number}"}, {"output": f"answer {number}"})
        >>> [message["content"] for message in memory.messages()]
        ['Be brief.', 'question 2', 'answer 2']
    """

    name = "message-window"
    limit_name = "max_messages"
    unit = "messages"

    max_messages: Annotated[Limit, _check_limit] = 20
    """Limit for messages to show: a number, or a function that returns one for the conversation's id, called at each
    load.
    """

    def weight(self, entry: Entry) -> int:
        """Return the weight of a message towards the limit: 1, since the limit counts messages."""
        return 1


@strategy
class TokenWindowMemory(WindowMemory):
    """Shows the newest messages that fit a number of tokens, always with the system message.

    Messages are shown whole or not at all. The view stays within the limit even if messages are long.
    `create_memory` also takes LangChain's names for this memory: "ConversationTokenBufferMemory" and "token-buffer".

    Costs: no call; tokens up to the limit.
    Needs: nothing.

    State: none; with `rules="langchain4j"`, the messages that LangChain4j would hold.

    Example:
        >>> memory = TokenWindowMemory(max_token_limit=6, token_counter=lambda message: len(message["content"].split()))
        >>> memory.save_context({"input": "I am Sam."}, {"output": "Hello Sam!"})
        >>> memory.save_context({"input": "How are you?"}, {"output": "Well!"})
        >>> [message["content"] for message in memory.messages()]
        ['Hello Sam!', 'How are you?', 'Well!']
    """

    name = "token-window"
    limit_name = "max_token_limit"

    max_token_limit: Annotated[Limit, _check_limit] = 2000
    """Token limit for all messages together: a number, or a function that returns one for the conversation's id,
    called at each load.
    """


class SlidingWindow:
    """Caches the messages that fit a limit, for a log that has only user messages and answers.

    The cost of a load depends only on the messages added and dropped since the last load. For any other log, use
    `fit_messages`.

    Args:
        weight: Returns the weight of an entry towards the limit.
        counted_by: Returns the name of the token counter; if the name changes, all weights are computed again.
    """

    def __init__(self, weight: Callable[[Entry], float], counted_by: Callable[[], str]) -> None:
        self._weight = weight
        self._counted_by = counted_by
        # The cache's conditions, the entries, and their weight. One tuple: threads see all of the cache or nothing.
        self._known: tuple[Hashable, list[Entry], float] | None = None

    async def fit(self, log: Log, limit: int) -> tuple[Sequence[Entry], float] | None:
        """Return the entries that fit, oldest first, and the free weight: new entries of more weight drop old ones.

        Returns `None` if no user message fits, or if a message is neither a user message nor an answer. Then use
        `fit_messages`.
        """
        known, about = self._known, (limit, log.cached.epoch, self._counted_by())
        if known and known[0] == about:
            _, kept, size = known
            new = await log.after(kept[-1].seq)
        else:
            kept, size = [], 0.0
            new = await self._longest_end(log, limit)
        if new:
            kept, size, gone = [*kept, *new], size + sum(map(self._weight, new)), 0
            while size > limit:
                size -= self._weight(kept[gone])
                gone += 1
            kept = kept[gone:]
        newest = reversed(kept)
        # `fit_messages` never evicts the newest user message, so that message must be among the kept ones.
        if all(map(_is_plain, new)) and any(entry.message["role"] == "user" for entry in newest):
            self._known = about, kept, size
            # If older messages are hidden already, any addition drops the oldest entry.
            return kept, limit - size if kept[0].seq == 1 else 0
        self._known = None
        return None

    async def _longest_end(self, log: Log, limit: int) -> list[Entry]:
        """Return the newest entries of the log: enough entries to exceed the limit, or all entries."""
        count = _FEWEST_ENTRIES
        while True:
            tail = await log.tail(count)
            if len(tail) < count or sum(map(self._weight, tail)) > limit:
                return tail
            count *= 2


def _is_plain(entry: Entry) -> bool:
    message = entry.message
    return message["role"] in ("user", "assistant") and not ("tool_calls" in message or "function_call" in message)
