"""A conversation: a model, a memory and tools, in three lines."""

import contextlib
import logging
from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Mapping
from typing import Any, cast

from memzoo.memories.base import BaseMemory
from memzoo.memories.chat.completions import Answer, answered
from memzoo.memories.chat.room import Oversized, Room
from memzoo.memories.chat.tools import Called, Tool, run, toolbox
from memzoo.memories.engine.prompt_limit import is_too_long
from memzoo.memories.engine.turns import Busy, OnFailure, Turn, check_turn_options
from memzoo.memories.models.chat import ChatModel, ModelOption, as_model
from memzoo.memories.models.usage import Spent, Usage
from memzoo.memories.options import assigning, not_pickled, whole_number
from memzoo.memories.registry import create_memory, strategy_named
from memzoo.memories.text.messages import text_of
from memzoo.stores import Message, Store, open_store
from memzoo.stores.driving import Closing, blocking, iterated, together
from memzoo.stores.errors import ModelError, OptionError, OverBudgetError, ToolRoundsError

__all__ = ["Conversation", "Reply"]

logger = logging.getLogger("memzoo")


class Reply(str):
    """What a conversation answers: a text that also knows how it came about.

    Attributes:
        calls: The tools that were called on the way, in the order of the calls.
        immediate: The text consists of the results of immediate tools, not of the model's words.
        finish_reason: Why the model stopped, such as `"stop"`, or `"length"` if it was cut off.
        spent: What the turn cost: calls of the model, tokens, seconds.
    """

    __slots__ = ("calls", "finish_reason", "immediate", "spent")

    calls: tuple[Called, ...]
    immediate: bool
    finish_reason: str
    spent: Spent

    @classmethod
    def of(cls, text: str, calls: Iterable[Called], finish_reason: str, *, immediate: bool = False) -> "Reply":
        """A reply with its attributes; nothing was spent yet."""
        reply = cls(text)
        reply.calls, reply.immediate, reply.finish_reason = tuple(calls), immediate, finish_reason
        reply.spent = Spent()
        return reply

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Callable[[Any], Any]) -> Any:
        # FastAPI reads the annotation of what an endpoint returns: to it a reply is a text.
        return handler(str)


class Conversation(Closing):
    """Talks to a model that remembers and may call tools. Each message is one turn of the memory.

    The turn is stored when the answer is there, not before; if anything fails, `on_failure` says what becomes of it.
    A memory that cannot learn from a finished turn yet, because its model fails, does not keep the answer back: that
    is logged, and a later call catches up.

    Attributes:
        memory: The memory.
        system: What is sent first with each request. It is not stored, so it can be changed at any time.
        tools: The tools by name.
        usage: What the conversation spent on its model, under `"chat"`; what the memory spent is `memory.usage`.

    Example:
        >>> conversation = Conversation("offline", "window", system="Answer from what was said.")
        >>> _ = conversation.send("My cat is called Pixel.")
        >>> conversation.send("What is my cat called?")
        'From what was said: My cat is called Pixel.'
        >>> len(conversation.memory.history())
        4

    One that goes on after a restart: `Conversation("gpt-4o-mini", "summary-buffer", store="sqlite:///chat.db",
    conversation_id="user-42")`. At the end of a `with` it closes the store that it opened.
    """

    def __init__(
        self,
        llm: ModelOption,
        memory: BaseMemory | str = "buffer",
        *,
        store: Store | str | None = None,
        conversation_id: str | None = None,
        system: str = "",
        tools: Iterable[Tool | Callable[..., Any]] = (),
        max_rounds: int = 8,
        max_tokens: int | None = None,
        oversized: Oversized = "raise",
        on_failure: OnFailure = "keep",
        busy: Busy = "wait",
        **options: Any,
    ) -> None:
        """A conversation; it may go on with what the memory has already.

        Args:
            llm: A `ChatModel`, a model's name, `"offline"`, or a callable: chat messages -> text (without tools).
            memory: A memory, or the name of a strategy; the same `llm` does the upkeep of one made by name.
            store: Keeps the memory that is made by name: a store, or the URL of one, which `close` closes.
            conversation_id: Which conversation of the store to go on with; by default a fresh one.
            system: Instructions for the model, sent first with each request.
            tools: Functions that the model may call, with annotations and documentation.
            max_rounds: How often in one turn the model may be answered with results of tools.
            max_tokens: Tokens that a request may have: system message, memory, turn and tools together. The oldest
                messages of the memory are left out; a turn that does not fit by itself is an `OverBudgetError`.
            oversized: With `"shorten"`, a text of more than half of `max_tokens` is cut in the middle in what is sent;
                the memory keeps all of it.
            on_failure: See `BaseMemory.turn`.
            busy: See `BaseMemory.turn`.
            **options: Further options of the memory that is made by name, such as `k=3`.

        Raises:
            OptionError: One of them cannot work, or it belongs to a memory that is made already.
            StoreError: The store cannot be opened.
        """
        whole_number("max_rounds", max_rounds, at_least=0)
        check_turn_options(on_failure, busy)
        self.tools = toolbox(tools)
        self._model = as_model(llm)
        if self.tools and not isinstance(self._model, ChatModel):
            raise OptionError(
                f"llm {self._model!r} gives text only; to call tools it must be a ChatModel or a model's name"
            )
        given = {"store": store, "conversation_id": conversation_id}
        options |= {name: value for name, value in given.items() if value is not None}
        self.memory = _given(memory, options) if not isinstance(memory, str) else _made(memory, llm, options)
        self._opened = isinstance(store, str)
        self.system = system
        self.usage = Usage()
        self._room = Room(max_tokens, oversized, lambda: self.memory.counter)
        self._max_rounds = max_rounds
        self._on_failure: OnFailure = on_failure
        self._busy: Busy = busy

    async def asend(self, user: str | Message) -> Reply:
        """Say something, and get the answer.

        Args:
            user: Text, or a user message (with pictures, say).

        Raises:
            ModelError: The model failed.
            OverBudgetError: The message is too long for `max_tokens`; nothing of it is sent or stored.
            ToolRoundsError: It still asked for tools after `max_rounds` rounds.
            TurnInProgressError: See `BaseMemory.turn`.
        """
        [reply] = [piece async for piece in self._turn(user, stream=False) if isinstance(piece, Reply)]
        return reply

    async def astream(self, user: str | Message) -> AsyncGenerator[str]:
        """Say something, and get the answer in pieces, as the model writes it; texts before calls of tools too.

        The turn is stored when the last piece was taken. One that is not read to its end failed; `aclosing` or
        `aclose()` ends it at once.

        Raises:
            ModelError, OverBudgetError, ToolRoundsError, TurnInProgressError: As in `asend`, perhaps after some pieces.
        """
        async with contextlib.aclosing(self._turn(user, stream=True)) as pieces:
            async for piece in pieces:
                if not isinstance(piece, Reply):
                    yield piece

    send = blocking(asend)

    def stream(self, user: str | Message) -> Generator[str]:
        """Like `astream`, for synchronous code: `for piece in conversation.stream("..."):`."""
        return iterated(self.astream(user))

    def close(self) -> None:
        """Close the store that was opened for this conversation; one that was given stays open."""
        if self._opened:
            self.memory.close()

    __setattr__ = assigning("memory", "system", "tools", "usage")
    __reduce_ex__ = not_pickled("pickle its memory, and make another Conversation(llm, memory) of that")

    def __repr__(self) -> str:
        return f"<Conversation of {self._model.name!r} with {self.memory!r}>"

    async def _turn(self, user: str | Message, *, stream: bool) -> AsyncGenerator[str]:
        """Take one turn: give pieces of text if they are to be streamed, and at last the `Reply`."""
        turn = self.memory.turn(user, on_failure=self._on_failure, busy=self._busy)
        called: list[Called] = []
        reply, left, spent = None, self._max_rounds, Spent()
        try:
            async with turn:
                while reply is None:
                    said: str | Answer = ""
                    async with contextlib.aclosing(self._asked(turn, stream=stream)) as pieces:
                        async for said in pieces:
                            if isinstance(said, str):
                                yield said
                    answer = cast("Answer", said)
                    reply = await self._taken(turn, answer, called, left)
                    left, spent = left - 1, spent + answer.spent
                reply.spent = spent
                if stream and reply.immediate:
                    yield str(reply)
                yield reply
        except ModelError as error:
            # A finished turn has its answer already: what failed then is the upkeep of the memory.
            if not turn.finished:
                self.usage.add("chat", getattr(error, "spent", None) or Spent())
                raise
            logger.warning("%r is stored, but not all of it learnt from yet: %s", self.memory.conversation_id, error)

    async def _asked(self, turn: Turn, *, stream: bool) -> AsyncGenerator[str | Answer]:
        """Ask the model; if it refuses the request as too long, ask again with less of the memory."""
        rules: list[Message] = [{"role": "system", "content": self.system}] if self.system else []
        tools, least = [tool.schema for tool in self.tools.values()], [*rules, *turn.said]
        before = [message for message in await self._remembered(turn) if message not in rules]
        try:
            request = self._room.fitting(rules, before, turn.said, tools)
        except OverBudgetError:
            _let_go_of(turn)
            raise
        begun = False
        while not begun:
            try:
                async with contextlib.aclosing(answered(self._model, request, tools, stream=stream)) as pieces:
                    async for piece in pieces:
                        begun = True
                        yield piece
            except ModelError as error:
                if begun or not is_too_long(error):
                    raise
                shorter = self._room.shorter(request, least)
                if shorter is None:
                    _let_go_of(turn)
                    raise
                request = shorter

    async def _remembered(self, turn: Turn) -> list[Message]:
        """What the memory shows of what was said before the turn."""
        try:
            # The turn itself is sent besides: whatever the memory shows of it would be there twice.
            return (await turn.amessages())[: -len(turn.said)]
        except OverBudgetError as error:
            # It is about an older message. The newer one that this turn stores takes its place.
            logger.warning("%r: the model is asked without the memory: %s", self.memory.conversation_id, error)
            return []

    async def _taken(self, turn: Turn, said: Answer, called: list[Called], left: int) -> Reply | None:
        """Add what the model said and what its tools gave to the turn; give the reply, or `None` if it is to go on."""
        self.usage.add("chat", said.spent)
        calls = said.message.get("tool_calls") or []
        if calls and not left:
            raise ToolRoundsError(
                f"the model asked for tools after {self._max_rounds} rounds of them (max_rounds), at last for "
                f"{', '.join(call['function']['name'] for call in calls)}"
            )
        turn.add(said.message)
        if not calls:
            return Reply.of(text_of(said.message), called, said.finish_reason)
        with turn.waiting():
            results = await together(run(self.tools, call) for call in calls)
        turn.add(*(result.message for result in results))
        called += results
        if not all(result.immediate for result in results):
            return None
        return Reply.of("\n".join(result.text for result in results), called, said.finish_reason, immediate=True)


def _let_go_of(turn: Turn) -> None:
    """Do not store a turn that would make later requests too long as well, unless tools have acted in it."""
    if len(turn.said) == 1:
        turn.roll_back()


def _given(memory: BaseMemory, options: Mapping[str, Any]) -> BaseMemory:
    if not isinstance(memory, BaseMemory):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise OptionError(f"memory must be a memory or the name of a strategy, not {memory!r}")
    if options:
        raise OptionError(
            f"{', '.join(options)} can only be given with the name of a strategy; this {type(memory).__name__} is made"
        )
    return memory


def _made(name: str, llm: ModelOption, options: Mapping[str, Any]) -> BaseMemory:
    options = {"llm": llm, **options}
    url = options.get("store")
    if not isinstance(url, str):
        return create_memory(name, **options)
    strategy_named(name)  # a wrong name makes no file
    store = open_store(url)
    try:
        return create_memory(name, **(options | {"store": store}))
    except BaseException:
        store.close()
        raise
