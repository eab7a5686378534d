"""Traces and metrics for OpenTelemetry. Until you call `instrument`, nothing is measured.

`instrument` replaces the methods in `instrumented_calls` with wrappers that report each call. It returns a function
that puts the original methods back.
"""

import functools
import inspect
import json
import time
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import ExitStack, aclosing, contextmanager, nullcontext, suppress
from contextvars import ContextVar
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from memzoo.errors import MissingExtraError

if TYPE_CHECKING:
    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import Span, TracerProvider

_ORIGINALS: dict[tuple[Any, str], Any] = {}
# The id of the conversation being loaded or saved, for model calls and searches, which do not receive the id.
_conversation: ContextVar[str] = ContextVar("memzoo_telemetry_conversation", default="")

_ID, _OPERATION, _MODEL = "gen_ai.conversation.id", "gen_ai.operation.name", "gen_ai.request.model"
_COUNT = "gen_ai.memory.record.count"
_KIND = (_OPERATION, _MODEL, "gen_ai.provider.name", "memzoo.purpose")


class InstrumentedCall(NamedTuple):
    """A method or function whose calls are reported.

    Attributes:
        owner: The class or module with the method or function.
        method: The name of the method or function.
        span: The name of the span for a call.
        before: A function that makes span attributes from the arguments, including a method's `self`.
        after: A function that makes span attributes from the result.
        said: A function that makes span attributes with the texts of users and models, from the arguments (including
            `self`) and the result.
    """

    owner: type | ModuleType
    method: str
    span: str
    before: Callable[..., Mapping[str, Any]]
    after: Callable[[Any], Mapping[str, Any]] = lambda _: {}
    said: Callable[[Sequence[Any], Any], Mapping[str, Any]] = lambda _args, _result: {}


def instrument(
    *,
    tracer_provider: "TracerProvider | None" = None,
    meter_provider: "MeterProvider | None" = None,
    content: bool = False,
) -> Callable[[], None]:
    """From now on, report loads, saves, model calls, searches and store operations to OpenTelemetry.

    Without a configured SDK, OpenTelemetry drops all reports.

    Args:
        tracer_provider: The provider for spans; by default the global one.
        meter_provider: The provider for metrics; by default the global one.
        content: True to report the texts of prompts, replies, questions and memories too.

    Returns:
        A function that stops the reports.

    Raises:
        MissingExtraError: opentelemetry-api is not installed.

    Example:
        >>> from memzoo.telemetry import instrument
        >>> stop = instrument()
        >>> stop()
    """
    try:
        from opentelemetry import metrics, trace
    except ImportError as error:
        raise MissingExtraError.of("telemetry", "telemetry") from error
    stop_reporting()
    tracer = trace.get_tracer("memzoo", tracer_provider=tracer_provider)
    told = _Instrumentation(tracer, metrics.get_meter("memzoo", meter_provider=meter_provider), content=content)
    for call in instrumented_calls():
        _put(call.owner, call.method, told.watch_call(call))
    _watch_learning(told)
    return stop_reporting


def stop_reporting() -> None:
    """Put back everything that `instrument` replaced."""
    while _ORIGINALS:
        (owner, method), original = _ORIGINALS.popitem()
        setattr(owner, method, original)


class _Instrumentation:
    """Writes spans and metrics."""

    def __init__(self, tracer: Any, meter: Any, *, content: bool) -> None:
        self._tracer, self._content = tracer, content
        self._seconds = meter.create_histogram("gen_ai.client.operation.duration", "s", "Time of a model call")
        self._tokens = meter.create_histogram("gen_ai.client.token.usage", "{token}", "Tokens of a model call")
        self._calls = meter.create_counter("memzoo.calls", "{call}", "Calls of models and embedders")
        self.pending = meter.create_histogram("memzoo.pending", "{exchange}", "Exchanges that wait to be learnt from")
        self.aside = meter.create_counter(
            "memzoo.set_aside", "{exchange}", "Exchanges at which the model fails every time"
        )

    def watch_call(self, call: InstrumentedCall) -> Any:
        """Return the watched method, wrapped to report each call."""
        original = vars(call.owner)[call.method]

        @functools.wraps(original)
        async def await_original(*args: Any, **kwargs: Any) -> Any:
            with self._span(call, args, kwargs) as told:
                result = await original(*args, **kwargs)
                told(result)
            return result

        @functools.wraps(original)
        async def yield_original(*args: Any, **kwargs: Any) -> Any:
            piece = None
            async with aclosing(original(*args, **kwargs)) as pieces:
                # Without attributes, there is nothing to report.
                is_told = bool(call.before(*args, **kwargs))
                with self._span(call, args, kwargs, is_current=False) if is_told else nullcontext(_nothing) as told:
                    async for piece in pieces:
                        yield piece
                    told(piece)

        @functools.wraps(original)
        def call_original(*args: Any, **kwargs: Any) -> Any:
            with self._span(call, args, kwargs) as told:
                result = original(*args, **kwargs)
                told(result)
            return result

        if inspect.isasyncgenfunction(original):
            return yield_original
        return await_original if inspect.iscoroutinefunction(original) else call_original

    @contextmanager
    def _span(
        self, call: InstrumentedCall, args: Sequence[Any], kwargs: Mapping[str, Any], *, is_current: bool = True
    ) -> Generator[Callable[[Any], None]]:
        from opentelemetry.trace import StatusCode

        before = dict(call.before(*args, **kwargs))
        if id_ := before.get(_ID) or _conversation.get():
            before[_ID] = id_
        # The dimensions of a metric. The conversation is not a dimension, because there are too many conversations.
        kind = {key: before[key] for key in _KIND if key in before} if _MODEL in before else {}
        name = f"{before[_OPERATION]} {before[_MODEL]}" if kind else call.span
        options = {"record_exception": False, "set_status_on_exception": False}
        start = time.perf_counter()
        with ExitStack() as ending:
            if is_current:
                span = ending.enter_context(self._tracer.start_as_current_span(name, attributes=before, **options))
                ending.callback(_conversation.reset, _conversation.set(id_))
            else:  # between two pieces of an answer, the caller's own span is the current one
                span = self._tracer.start_span(name, attributes=before, **options)
                ending.callback(span.end)
            try:
                yield lambda result: self._tell(call, span, kind, args, result)
            except GeneratorExit:  # the application needs no more of a stream
                raise
            except BaseException as error:
                # The error's text is not reported, because an error may quote users' words.
                span.set_attribute("error.type", type(error).__name__)
                span.set_status(StatusCode.ERROR)
                raise
            finally:
                if kind:
                    self._seconds.record(time.perf_counter() - start, kind)
                    self._calls.add(1, kind)

    def _tell(
        self, call: InstrumentedCall, span: "Span", kind: Mapping[str, Any], args: Sequence[Any], result: Any
    ) -> None:
        span.set_attributes({**(after := call.after(result))})
        for way in ("input", "output"):
            if (tokens := after.get(f"gen_ai.usage.{way}_tokens")) is not None:
                self._tokens.record(tokens, {**kind, "gen_ai.token.type": way})
        if self._content:
            span.set_attributes({**call.said(args, result)})


def _to_convention(messages: Sequence[dict[str, Any]]) -> str:
    """Return chat messages as JSON in the form of OpenTelemetry's conventions."""
    from memzoo.strategy import text_of

    said = [{"role": one["role"], "parts": [{"type": "text", "content": text_of(one)}]} for one in messages]
    return json.dumps(said, ensure_ascii=False)


def _put(owner: Any, method: str, new: Any) -> None:
    _ORIGINALS[owner, method] = vars(owner)[method]
    setattr(owner, method, new)


def instrumented_calls() -> list[InstrumentedCall]:
    """Return all methods and functions whose calls are reported."""
    from memzoo.memories import Conversation, KnowledgeGraph
    from memzoo.memories.engine.learner import Learner
    from memzoo.memories.models import chat, embedders
    from memzoo.memories.search.unit_index import UnitIndex
    from memzoo.memories.search.vectors import VectorSearch
    from memzoo.memories.search.word_index import WordIndex
    from memzoo.stores import InMemoryStore, SQLStore

    stores: list[Any] = [InMemoryStore, SQLStore]
    with suppress(MissingExtraError):  # the extra "telemetry" does not bring Redis
        from memzoo.stores.redis.store import RedisStore

        stores.append(RedisStore)
    # Classes by their names, because two of them are private.
    asked = (
        (chat, "ChatModel", "complete", functools.partial(_of_model, "chat", "openai"), _describe_request),
        (chat, "_FunctionModel", "complete", functools.partial(_of_model, "chat", "function"), _describe_request),
        (embedders, "OpenAIEmbedder", "embed", functools.partial(_of_model, "embeddings", "openai"), _unsaid),
        (embedders, "_FunctionEmbedder", "embed", functools.partial(_of_model, "embeddings", "function"), _unsaid),
    )
    return [
        *_of_memories(),
        InstrumentedCall(Conversation, "_hear", "", _of_answer, _describe_cost, _describe_request),
        InstrumentedCall(Learner, "derive", "memzoo.derive", _of_learning),
        *(
            InstrumentedCall(vars(module)[name], method, "", before, _describe_cost, said)
            for module, name, method, before, said in asked
        ),
        InstrumentedCall(WordIndex, "rank", "memzoo.search words", _nothing, _of_found),
        InstrumentedCall(VectorSearch, "search", "memzoo.search vectors", _nothing, _of_found),
        InstrumentedCall(KnowledgeGraph, "around", "memzoo.search graph", _nothing, _of_found),
        InstrumentedCall(UnitIndex, "search", "memzoo.search known", _nothing, _of_found),
        *(
            InstrumentedCall(store, method, f"memzoo.store {method}", _of_store)
            for store in stores
            for method in ("append", "read", "read_state", "commit")
        ),
    ]


def _of_memories() -> list[InstrumentedCall]:
    """Return the watched calls of memories, with OpenTelemetry's names; a "memory store" there is a conversation.

    https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/gen-ai-spans.md#memory
    """
    from memzoo.memories.engine import loading, saving
    from memzoo.memories.engine.turns import Replaced
    from memzoo.strategy import BaseMemory

    # Synchronous methods call the asynchronous ones.
    operations = (
        (BaseMemory, "__post_init__", "create_memory_store", _nothing, _nothing, _unsaid),
        (loading, "view_of", "search_memory", _nothing, _of_view, _describe_search),
        (loading, "view_to_send", "search_memory", _nothing, _of_view_to_send, _describe_search_to_send),
        (saving, "save", "upsert_memory", _number_saved, _nothing, _describe_question),
        (BaseMemory, "arelearn", "update_memory", _nothing, _nothing, _unsaid),
        (BaseMemory, "aforget", "delete_memory", _number_forgotten, _nothing, _unsaid),
        (BaseMemory, "arewind", "delete_memory", _nothing, _number_taken_back, _unsaid),
        (Replaced, "delete", "delete_memory", _nothing, _number_taken_back, _unsaid),
        (BaseMemory, "aclear", "delete_memory_store", _nothing, _nothing, _unsaid),
    )
    return [
        InstrumentedCall(owner, method, name, functools.partial(_of_operation, name, before), after, said)
        for owner, method, name, before, after, said in operations
    ]


def _of_operation(name: str, before: Callable[..., Mapping[str, Any]], of: Any, *args: Any, **more: Any) -> Any:
    memory = getattr(of, "memory", of)
    own = {_OPERATION: name, "gen_ai.memory.store.id": memory.conversation_id}
    return {**own, **_of_memory(memory), **before(*args, **more)}


def _number_saved(records: Sequence[Any], *_: Any, **__: Any) -> dict[str, Any]:
    return {_COUNT: len(records)}


def _number_forgotten(ids: Collection[int] | None, **_: Any) -> dict[str, Any]:
    if ids is None:
        return {_OPERATION: "delete_memory_store"}
    if not isinstance(ids, Collection):  # pyright: ignore[reportUnnecessaryIsInstance] - which is refused
        return {}
    return {_COUNT: len(ids)} | ({"gen_ai.memory.record.id": str(next(iter(ids)))} if len(ids) == 1 else {})


def _number_taken_back(gone: Sequence[Any]) -> dict[str, Any]:
    return {_COUNT: len(gone)}


def _describe_search(args: Sequence[Any], view: Any) -> dict[str, Any]:
    from memzoo.strategy import text_of

    recalled = [{"content": text} for text in view.texts]
    shown = [{"id": str(one.seq), "content": text_of(one.message)} for one in view.entries]
    return ({"gen_ai.memory.query.text": args[1]} if args[1] else {}) | _records([*recalled, *shown])


def _describe_search_to_send(_args: Sequence[Any], sent: tuple[Any, str | None]) -> dict[str, Any]:
    view, query = sent
    return _describe_search((None, query), view)


def _describe_question(args: Sequence[Any], _: Any) -> dict[str, Any]:
    from memzoo.strategy import text_of

    return _records([{"content": text_of(one.message)} for one in args[1]])


def _records(records: Sequence[Mapping[str, str]]) -> dict[str, Any]:
    return {"gen_ai.memory.records": json.dumps(records, ensure_ascii=False)}


def _describe_request(args: Sequence[Any], result: Any) -> dict[str, Any]:
    answer = getattr(result, "message", None) or {"role": "assistant", "content": result.text}
    asked, answered = (_to_convention(said) for said in (args[1], [answer]))
    return {"gen_ai.input.messages": asked, "gen_ai.output.messages": answered}


def _unsaid(_args: Sequence[Any], _result: Any) -> dict[str, Any]:
    return {}


def _watch_learning(told: _Instrumentation) -> None:
    """Wrap two methods, to count waiting and set-aside exchanges after each attempt to learn."""
    from memzoo.memories.engine.learner import Learner
    from memzoo.memories.engine.retry import Decision, RetryPolicy
    from memzoo.memories.text.grouping import exchange_ends

    catch_up, after_failure = Learner.catch_up, RetryPolicy.after_failure

    @functools.wraps(catch_up)
    async def count_waiting(self: Learner, *args: Any, **options: Any) -> Any:
        try:
            return await catch_up(self, *args, **options)
        finally:
            waiting = await self.find_waiting(await self.refresh())
            due = waiting.entries[: waiting.due]
            told.pending.record(sum(1 for _ in exchange_ends(due)), {"memzoo.strategy": self.name})

    @functools.wraps(after_failure)
    def count_set_aside(self: RetryPolicy, *failure: Any, **options: Any) -> Decision:
        decision = after_failure(self, *failure, **options)
        if decision.set_aside:
            told.aside.add(1)
        return decision

    _put(Learner, "catch_up", count_waiting)
    _put(RetryPolicy, "after_failure", count_set_aside)


def _nothing(*_: Any, **__: Any) -> dict[str, Any]:
    return {}


def _of_memory(memory: Any, *_: Any, **__: Any) -> dict[str, Any]:
    return {_ID: memory.conversation_id, "memzoo.strategy": memory.name}


def _of_view(view: Any) -> dict[str, Any]:
    messages, texts = len(view.entries), len(view.texts)
    return {_COUNT: messages + texts, "memzoo.messages": messages, "memzoo.texts": texts}


def _of_view_to_send(sent: tuple[Any, str | None]) -> dict[str, Any]:
    view, _ = sent
    return _of_view(view)


def _of_learning(_: Any, state: Any, entries: Sequence[Any], *__: Any) -> dict[str, Any]:
    return {"memzoo.messages": len(entries), "memzoo.learnt_through": state.watermark}


def _of_model(
    operation: str, provider: str, model: Any, asked: Sequence[Any], purpose: str = "embedding"
) -> dict[str, Any]:
    return {
        _OPERATION: operation,
        _MODEL: model.name,
        "gen_ai.provider.name": "memzoo" if model.name == "offline" else provider,
        "memzoo.purpose": purpose,
        "memzoo.messages" if operation == "chat" else "memzoo.texts": len(asked),
    }


def _of_answer(conversation: Any, request: Sequence[Any], *_: Any, **__: Any) -> dict[str, Any]:
    from memzoo.memories import ChatModel

    model = cast("object", vars(conversation)["_model"])
    if not isinstance(model, ChatModel):  # which reports its call by itself
        return {}
    return {_ID: conversation.memory.conversation_id, **_of_model("chat", "openai", model, request, "chat")}


def _describe_cost(result: Any) -> dict[str, Any]:
    spent = result.spent
    cached = {"cache_read": spent.cached_tokens, "cache_creation": spent.cache_write_tokens}
    return {
        "gen_ai.usage.input_tokens": spent.prompt_tokens,
        "gen_ai.usage.output_tokens": spent.completion_tokens,
        # Most endpoints do not report a cache, even if they have a cache.
        **{f"gen_ai.usage.{name}.input_tokens": tokens for name, tokens in cached.items() if tokens},
    }


def _of_found(found: Any) -> dict[str, Any]:
    return {"memzoo.found": len(found)}


def _of_store(_: Any, conversation_id: str, *__: Any, **___: Any) -> dict[str, Any]:
    return {_ID: conversation_id}
