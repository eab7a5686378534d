"""Conversations with a model that has a memory and tools."""

import contextlib
import itertools
import json
import logging
import operator
import sys
from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, cast, get_args

from memzoo.errors import (
    AsyncOnlyError,
    MessageError,
    ModelError,
    ModelReplyError,
    OptionError,
    OverBudgetError,
)
from memzoo.memories.base import BaseMemory
from memzoo.memories.chat.completions import ask_model
from memzoo.memories.chat.provider import check_default_id, default_of
from memzoo.memories.chat.room import Oversized, Room
from memzoo.memories.chat.tools import Called, Tool, run, toolbox
from memzoo.memories.engine.turns import Busy, OnFailure, Turn, check_turn_options
from memzoo.memories.models.answer import Answer
from memzoo.memories.models.chat import ChatModel, ModelOption, as_model
from memzoo.memories.models.cleaning import extract_spoken
from memzoo.memories.models.clients import as_responses
from memzoo.memories.models.refusals import is_too_long
from memzoo.memories.models.usage import Spent, Usage
from memzoo.memories.options import one_of, refuse_pickling, whole_number
from memzoo.memories.registry import create_memory
from memzoo.memories.strategies.named import strategy_named
from memzoo.memories.text.context_windows import Tokens, is_unknown_share, tokens_of
from memzoo.memories.text.estimating import tokenizer_of
from memzoo.memories.text.families import Family, family_of
from memzoo.memories.text.messages import text_of, with_words
from memzoo.memories.text.order import lead_with, make_request
from memzoo.memories.text.responses import Api, by_responses
from memzoo.memories.text.view import Piece, Shown
from memzoo.stores import Message, Record, Store
from memzoo.stores.base import ANSWER
from memzoo.sync import Closing, blocking, drive, iterated, together

logger = logging.getLogger("memzoo")


class Reply(str):
    """The answer in a conversation: a string with details of the turn as attributes.

    Attributes:
        calls: The turn's tool calls, in order.
        immediate: True if the text is not the model's, but the results of tools with `Tool.immediate`.
        finish_reason: The model's reason for stopping, such as `"stop"`, or `"length"` for a cut-off answer.
        spent: The cost of the turn: model calls, tokens, seconds.
    """

    __slots__ = ("calls", "finish_reason", "immediate", "spent")

    calls: tuple[Called, ...]
    immediate: bool
    finish_reason: str
    spent: Spent

    @classmethod
    def of(cls, text: str, calls: Iterable[Called], finish_reason: str, *, immediate: bool = False) -> "Reply":
        """Return a reply with the given attributes; `spent` is zero."""
        reply = cls(text)
        reply.calls, reply.immediate, reply.finish_reason = tuple(calls), immediate, finish_reason
        reply.spent = Spent()
        return reply

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Callable[[Any], Any]) -> Any:
        # FastAPI reads the return annotation of an endpoint, and must treat a reply as text.
        return handler(str)


class Conversation(Closing):
    """A conversation with a model that has a memory and may call tools. Each message you send begins a turn.

    The turn is stored once the answer has arrived; `on_failure` decides whether a failed turn is stored. If the memory
    cannot learn from a finished turn, you still get the answer, and a later call catches up.

    Attributes:
        memory: The memory.
        system: Instructions sent first in each request. Instructions are not stored, so you can change them at any
            time.
        tools: A dict from name to tool.
        usage: The cost of the conversation's model calls, under `"chat"`; `memory.usage` has the memory's cost.

    Example:
        >>> conversation = Conversation("offline", "window", system="Answer from what was said.")
        >>> _ = conversation.send("My cat is called Pixel.")
        >>> conversation.send("What is my cat called?")
        'From what was said: My cat is called Pixel.'
        >>> len(conversation.memory.history())
        4

    To continue after a restart: `Conversation("gpt-4o-mini", "summary-buffer", store="sqlite:///chat.db",
    conversation_id="user-42")`. The end of a `with` block learns from waiting messages, and closes a store opened by
    URL.
    """

    def __init__(
        self,
        llm: ModelOption,
        memory: BaseMemory | str = "buffer",
        *,
        store: Store | str | None = None,
        conversation_id: str | None = None,
        default_id: Callable[[], str] | None = None,
        system: str = "",
        tools: Iterable[Tool | Callable[..., Any]] = (),
        max_rounds: int = 8,
        max_tokens: Tokens | None = None,
        oversized: Oversized = "raise",
        on_failure: OnFailure = "keep",
        busy: Busy = "wait",
        mark_stable: Callable[[Message], Message] | None = None,
        family: Family | str | None = None,
        api: Api = "chat",
        **options: Any,
    ) -> None:
        """Start a conversation, or continue the memory's conversation.

        Args:
            llm: A `ChatModel`, a model's name, `"offline"`, or a function from chat messages to text (without tools).
            memory: A memory, or the name of a strategy; a memory created by name uses the same `llm` for its upkeep.
            store: The store (or its URL) of a memory created by name; `close` closes a store opened by URL.
            conversation_id: The id of the conversation in the store; by default a new conversation.
            default_id: A function that returns the id if `conversation_id` is not given; called once, now.
            system: Instructions for the model, sent first in each request.
            tools: Functions that the model may call, with annotations and docstrings.
            max_rounds: The maximum number of rounds of tool calls in one turn.
            max_tokens: The token limit for system message, memory, turn and tools together, or a share of the model's
                window such as `"80%"`. If memzoo does not know the window, it asks the endpoint at the first turn. The
                memory's oldest messages are left out to fit; if the turn still does not fit, an `OverBudgetError` is
                raised.
            oversized: With `"shorten"`, a text longer than half of `max_tokens` is cut in the middle before sending;
                the memory keeps the whole text.
            on_failure: If a turn fails, `"keep"` its messages so far, marked as unfinished, or `"rollback"` to store
                nothing.
            busy: While another turn of the conversation runs, `"wait"` for its end, or `"refuse"`.
            mark_stable: A function that marks a message for a provider's prompt cache, such as `memzoo.cache_control`
                for Anthropic. Each request begins with messages that the next turn's request will repeat; the function
                is applied to the last of these messages before sending. See `Shown.stable_upto`.
            family: The family of the endpoint, as in `BaseMemory.request`. By default, it is recognised by the
                endpoint's address and the model's name; or by the model file that the endpoint reports, if memzoo
                asks the endpoint for the model's window.
            api: `"responses"` to use OpenAI's Responses API. OpenAI is told to store nothing, so the next request
                includes the model's reasoning. The memory's own calls are chat completions.
            **options: Further options for a memory created by name, such as `k=3`.

        Raises:
            OptionError: An option is invalid, or is only for a memory created by name.
            StoreError: The store cannot be opened.
        """
        whole_number("max_rounds", max_rounds, at_least=0)
        check_turn_options(on_failure, busy)
        if not (mark_stable is None or callable(mark_stable)):
            raise OptionError(
                f"mark_stable must be a function of a message, such as cache_control, not {mark_stable!r}"
            )
        _check_order(llm, memory)
        self.tools = toolbox(tools)
        self._model = as_model(llm)
        if self.tools and not isinstance(self._model, ChatModel):
            raise OptionError(
                f"llm {self._model!r} gives text only; to call tools it must be a ChatModel or a model's name"
            )
        check_default_id(default_id)
        lead_with(system, ())  # refuses anything but a text
        given = {"store": store, "conversation_id": conversation_id, "default_id": default_id}
        options |= {name: value for name, value in given.items() if value is not None}
        if isinstance(memory, str):
            if (make_id := options.pop("default_id", None)) and conversation_id is None:
                options["conversation_id"] = default_of(make_id)
            options.setdefault("llm", llm)
            self.memory = create_memory(memory, **options)
        else:
            self.memory = _check_memory(memory, options)
        if tokenizer_of(self._model.name).name and (estimate := self.memory.render.counter.estimate):
            estimate.suit(self._model.name)
        self._opened = isinstance(store, str)
        self.system = system
        self.usage = Usage()
        # An unknown model's window, and its family, are found before the first turn, when the endpoint can be asked.
        is_asked = isinstance(self._model, ChatModel) and self._model.name != "offline"
        self._share = max_tokens if is_asked and is_unknown_share(max_tokens, self._model.name) else None
        limit: Any = max_tokens
        if limit is not None:
            limit = sys.maxsize if self._share else tokens_of("max_tokens", max_tokens, self._model.name)
        self._room = Room(limit, oversized, lambda: self.memory.render.counter)
        self._max_rounds = max_rounds
        self._on_failure: OnFailure = on_failure
        self._busy: Busy = busy
        self._mark = mark_stable
        self._family = family_of(self._model.name, getattr(self._model, "base_url", ""), family)
        self._takes_told = family is None and api == "chat"
        one_of("api", api, *get_args(Api))
        self._api: Api = api
        if api == "responses":
            if not isinstance(self._model, ChatModel) or self._model.name == "offline":
                raise OptionError(f"for api='responses', llm must be a ChatModel of an endpoint, not {self._model!r}")
            as_responses(self._model.parameters)
            self._family = by_responses(self._family)

    async def asend(self, user: str | Message | None, *, after: int | None = None) -> Reply:
        """Send a message and return the answer.

        Args:
            user: A text, or a user message (with pictures, for example); `None` requests a new answer to the last
                question.
            after: A log number: the turn replaces everything after this number, as in `aedit`.

        Raises:
            ModelError: The model failed.
            OverBudgetError: The message is too long for `max_tokens`; nothing is sent or stored.
            ModelReplyError: The model still asked for tools after `max_rounds` rounds.
            TurnError: See `BaseMemory.turn`.
            TurnError: There is no question to answer again.
        """
        [reply] = [piece async for piece in self._turn(user, after, stream=False) if isinstance(piece, Reply)]
        return reply

    async def aregenerate(self) -> Reply:
        """Return a new answer to the last question; the new answer replaces the old answer.

        `astream(None)` yields the new answer in pieces. If the call fails (see `asend`), the old answer stays.
        """
        return await self.asend(None)

    async def aedit(self, id: int, text: str | Message) -> Reply:  # noqa: A002 - the page calls it so
        """Change a user message and return the new answer. The new turn replaces the message and everything after it.

        Args:
            id: The log number of a user message (see `BaseMemory.aentries`).
            text: The new text (pictures and files of the old message stay), or a whole new message.

        Raises:
            MessageError: No user message has this number; nothing was changed.
            MessageError: `text` is neither a string nor a user message; nothing was changed.
            UnsupportedError: The memory's store cannot delete single messages.
            ModelError: The model failed. The old messages stay. With `on_failure="keep"`, the new message is stored
                after them, without an answer.
            OverBudgetError, ModelReplyError, TurnError: See `asend`. The old messages stay.
        """
        return await self.asend(await _edit(self.memory, id, text), after=id - 1)

    async def astream(self, user: str | Message | None, *, after: int | None = None) -> AsyncGenerator[str]:
        """Send a message and yield the pieces of the answer as they arrive, including texts before tool calls.

        See `asend` for `user` and `after`. The turn is stored once you have taken the last piece. If you stop reading
        early, the turn fails; use `aclosing` or `aclose()` to end it at once.

        Raises:
            ModelError, OverBudgetError, ModelReplyError, TurnError: See `asend`; possibly after some pieces.
        """
        async with contextlib.aclosing(self._turn(user, after, stream=True)) as pieces:
            async for piece in pieces:
                if not isinstance(piece, Reply):
                    yield piece

    send = blocking(asend)
    regenerate = blocking(aregenerate)
    edit = blocking(aedit)

    def stream(self, user: str | Message | None, *, after: int | None = None) -> Generator[str]:
        """Do the same as `astream`, for synchronous code."""
        return iterated(self.astream(user, after=after))

    async def aclose(self) -> None:
        """Learn from waiting messages, even from fewer than `learn_every` exchanges, and close a store opened by URL.

        A store that you passed in stays open. If the model fails, the failure is logged, and a later call catches up.
        """
        try:
            await together(learner.finish() for learner in self.memory.learners)
        finally:
            if self._opened:
                self.memory.close()

    def close(self) -> None:
        """Do the same as `aclose`, for synchronous code.

        If the model works only in asynchronous code, nothing is learnt now; a later call learns from the messages.
        """
        try:
            drive(self.aclose())
        except AsyncOnlyError as error:
            logger.warning("learning the rest of a portion is left for later: %s", error)

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    __reduce_ex__ = refuse_pickling("pickle its memory, and make another Conversation(llm, memory) of that")

    def __repr__(self) -> str:
        return f"<Conversation of {self._model.name!r} with {self.memory!r}>"

    async def _turn(self, user: str | Message | None, after: int | None, *, stream: bool) -> AsyncGenerator[str]:
        """Run one turn: with `stream`, yield pieces of text; finally, yield the `Reply`."""
        lead_with(self.system, ())  # may have been changed to something else
        if self._share and isinstance(self._model, ChatModel):
            window = await self._model.find_window()
            limit: Any = tokens_of("max_tokens", self._share, self._model.name, window)
            self._room.max_tokens, self._share = limit, None
            self._family = self._model.family if self._takes_told else self._family
        turn = self.memory.turn(user, after=after, on_failure=self._on_failure, busy=self._busy)
        called: list[Called] = []
        reply, left, spent = None, self._max_rounds, Spent()
        try:
            async with turn:
                if user is None:
                    repeated = [call for call in turn.open_calls if self._may_repeat(call)]
                    called += await self._run(turn, repeated)
                while reply is None:
                    said: str | Answer = ""
                    heard = list[str]()
                    try:
                        async with contextlib.aclosing(self._ask(turn, stream=stream)) as pieces:
                            async for said in pieces:
                                if isinstance(said, str):
                                    heard.append(said)
                                    yield said
                    except BaseException:
                        _keep_heard(turn, "".join(heard))
                        raise
                    answer = cast("Answer", said)
                    reply = await self._take(turn, answer, called, left)
                    left, spent = left - 1, spent + answer.spent
                reply.spent = spent
                if stream and reply.immediate:
                    yield str(reply)
                yield reply
        except ModelError as error:
            # A finished turn has an answer, so only the memory's upkeep failed.
            if not turn.finished:
                self.usage.add("chat", getattr(error, "spent", None) or Spent())
                raise
            logger.warning("%r is stored, but not all of it learnt from yet: %s", self.memory.conversation_id, error)

    async def _ask(self, turn: Turn, *, stream: bool) -> AsyncGenerator[str | Answer]:
        """Yield the model's answer; if the model refuses the request as too long, retry with less of the memory."""
        tools = [tool.schema for tool in self.tools.values()]
        remembered = await self._recall(turn)
        said = turn.pieces
        before = lead_with(self.system, remembered.pieces)
        stable = before[: remembered.stable_upto + len(before) - len(remembered.pieces)]
        try:
            pieces = self._room.fit(before, said, tools, self._family)
        except OverBudgetError:
            _let_go_of(turn)
            raise
        begun = False
        while not begun:
            if await turn.alearn_left_out(pieces):
                async with contextlib.aclosing(self._ask(turn, stream=stream)) as again:
                    async for piece in again:
                        yield piece
                return
            try:
                request = self._write(pieces, stable)
                async with contextlib.aclosing(self._hear(request, tools, stream=stream)) as heard:
                    async for piece in heard:
                        begun = True
                        yield piece
            except ModelError as error:
                if begun or not is_too_long(error):
                    raise
                shorter = self._room.shorten(pieces, said)
                if shorter is None:
                    _let_go_of(turn)
                    raise
                pieces = shorter

    async def _hear(
        self, request: Sequence[Message], tools: Sequence[Mapping[str, Any]], *, stream: bool
    ) -> AsyncGenerator[str | Answer]:
        """Yield the pieces of the model's answer, and then the whole answer, which corrects the token estimate."""
        asked = ask_model(self._model, request, tools, stream=stream, api=self._api)
        async with contextlib.aclosing(asked) as heard:
            async for piece in heard:
                yield self._learn_to_count(request, tools, piece) if isinstance(piece, Answer) else piece

    def _write(self, pieces: Sequence[Piece], stable: Sequence[Piece]) -> list[Message]:
        """Return the request for the pieces; the last message that the next turn's request repeats is marked."""
        still = sum(1 for _ in itertools.takewhile(operator.truth, map(operator.is_, pieces, stable)))
        request = make_request(pieces, self._family, stable=still, ends=True)
        if self._mark and request.stable_upto:
            request[request.stable_upto - 1] = self._mark(request[request.stable_upto - 1])
        return request

    def _learn_to_count(self, request: Sequence[Message], tools: Sequence[Mapping[str, Any]], answer: Answer) -> Answer:
        """Correct the token estimate by the endpoint's count of the request; return the answer with the new factors."""
        estimate = self.memory.render.counter.estimate
        # The offline model has no tokenizer.
        if self._model.name == "offline" or not estimate:
            return answer
        counted = estimate.learn(request, tools, answer.spent.prompt_tokens)
        if counted:
            self.usage.estimated[self._model.name] = counted
        return replace(answer, counted=counted)

    async def _recall(self, turn: Turn) -> Shown:
        """Return the memory before the turn."""
        try:
            return await turn.abefore()
        except OverBudgetError as error:
            # The error concerns an older message, which this turn will replace.
            logger.warning("%r: the model is asked without the memory: %s", self.memory.conversation_id, error)
            return Shown()

    async def _take(self, turn: Turn, said: Answer, called: list[Called], left: int) -> Reply | None:
        """Add the model's answer and the tools' results to the turn; return the reply, or `None` for another round."""
        self.usage.add("chat", said.spent)
        calls = said.message.get("tool_calls") or []
        if calls and not left:
            raise ModelReplyError(
                f"the model still asked for tools after {self._max_rounds} rounds of calls (max_rounds): "
                f"{', '.join(call['function']['name'] for call in calls)}"
            )
        turn.add(Record(said.message, _describe(said)))
        if not calls:
            return Reply.of(text_of(said.message), called, said.finish_reason)
        await turn.akeep()
        called += (results := await self._run(turn, calls))
        if not all(result.immediate for result in results):
            await turn.akeep()
            return None
        return Reply.of("\n".join(result.text for result in results), called, said.finish_reason, immediate=True)

    def _may_repeat(self, call: Message) -> bool:
        tool = self.tools.get(call.get("function", {}).get("name"))
        return tool is not None and tool.repeatable

    async def _run(self, turn: Turn, calls: Sequence[Message]) -> list[Called]:
        """Run the called tools and add their results to the turn; after an error, add the results so far."""
        done: dict[int, Called] = {}

        async def run_one(place: int, call: Message) -> None:
            done[place] = await run(self.tools, call)

        try:
            with turn.waiting():
                await together(run_one(place, call) for place, call in enumerate(calls))
        finally:
            results = [done[place] for place in sorted(done)]
            turn.add(*(result.message for result in results))
        return results


def _keep_heard(turn: Turn, text: str) -> None:
    """Add the text that the user has read of an interrupted answer to the turn."""
    # The last piece may end in half a character, which cannot be stored.
    if text := extract_spoken(text.encode("utf-8", "ignore").decode()):
        turn.add(Record.unfinished({"role": "assistant", "content": text}))


def _describe(said: Answer) -> dict[str, str | None]:
    """Return an answer's fields for the log: the model and the cost."""
    model = {"model": said.model} if said.model else {}
    spent = {name: amount for name, amount in asdict(said.spent).items() if amount}
    counted = {"counted": said.counted} if said.counted else {}
    return {ANSWER: json.dumps(model | {"usage": spent} | counted)}


def _let_go_of(turn: Turn) -> None:
    """Roll back a turn that is too long and has only a user message: it would make later requests too long, too."""
    if len(turn.said) == 1:
        turn.roll_back()


async def _edit(memory: BaseMemory, id_: int, text: str | Message) -> Message:
    whole_number("id", id_, at_least=1)
    if text is None:  # pyright: ignore[reportUnnecessaryComparison] - a turn would answer the last question again
        raise MessageError("text must be the user's new text, or a user message, not None")
    found = await memory.aentries(1, after=id_ - 1, before=id_ + 1)
    if not found or found[0].message["role"] != "user":
        raise MessageError(f"{memory.conversation_id!r} has no user message {id_}")
    return with_words(found[0].message, text) if isinstance(text, str) else text


def _check_order(llm: object, memory: object) -> None:
    """Check that the model is the first argument and the memory is the second.

    Raises:
        OptionError: The arguments are in the wrong order.
    """

    def remembers(one: object) -> bool:
        if isinstance(one, str):
            with contextlib.suppress(OptionError):
                return bool(strategy_named(one))
        return isinstance(one, BaseMemory)

    if remembers(llm) and not remembers(memory):
        raise OptionError(
            f"the model comes first, then the memory: Conversation({memory!r}, {llm!r}), not the other way round"
        )


def _check_memory(memory: BaseMemory, options: Mapping[str, Any]) -> BaseMemory:
    if not isinstance(memory, BaseMemory):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise OptionError(f"memory must be a memory or the name of a strategy, not {memory!r}")
    if options:
        raise OptionError(
            f"{', '.join(options)} can only be given with the name of a strategy, not with a {type(memory).__name__}"
        )
    return memory
