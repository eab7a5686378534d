"""Traces and metrics by OpenTelemetry. Until `instrument` is called, nothing is measured, and nothing is slower.

The places that are watched stand in one table, `seams`: methods that are replaced by ones which tell of each call, as
OpenTelemetry's own instrumentations do it. `uninstrument` puts the originals back.
"""

import functools
import inspect
import json
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple

from memzoo.stores.errors import MissingExtraError

if TYPE_CHECKING:
    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import Span, TracerProvider

__all__ = ["Seam", "instrument", "seams", "uninstrument"]

_ORIGINALS: dict[tuple[type, str], Any] = {}
# The conversation that is loaded or saved: model calls and searches do not know it.
_conversation: ContextVar[str] = ContextVar("memzoo_telemetry_conversation", default="")

_ID, _OPERATION, _MODEL = "gen_ai.conversation.id", "gen_ai.operation.name", "gen_ai.request.model"


class Seam(NamedTuple):
    """A method that is watched.

    Attributes:
        owner: Its class.
        method: Its name.
        span: The name of its spans.
        before: What is known before the call: of the object and the arguments.
        after: What is known of the result.
    """

    owner: type
    method: str
    span: str
    before: Callable[..., Mapping[str, Any]]
    after: Callable[[Any], Mapping[str, Any]] = lambda _: {}


def instrument(
    *,
    tracer_provider: "TracerProvider | None" = None,
    meter_provider: "MeterProvider | None" = None,
    content: bool = False,
) -> None:
    """Tell OpenTelemetry of every load, save, model call, search and step of a store from now on, in this process.

    Without an SDK that is configured, OpenTelemetry drops it all.

    Args:
        tracer_provider: Where spans go; by default the global one.
        meter_provider: Where metrics go; by default the global one.
        content: Put the words of prompts and replies into spans. They are the users'.

    Raises:
        MissingExtraError: opentelemetry-api is not installed.

    Example:
        >>> from memzoo.telemetry import instrument, uninstrument
        >>> instrument()
        >>> uninstrument()
    """
    try:
        from opentelemetry import metrics, trace
    except ImportError as error:
        raise MissingExtraError.of("telemetry", "telemetry") from error
    uninstrument()
    told = _Telling(trace.get_tracer("memzoo", tracer_provider=tracer_provider), content=content)
    told.measure(metrics.get_meter("memzoo", meter_provider=meter_provider))
    for seam in seams():
        _put(seam.owner, seam.method, told.watching(seam))
    _watch_learning(told)


def uninstrument() -> None:
    """Tell of nothing any more."""
    while _ORIGINALS:
        (owner, method), original = _ORIGINALS.popitem()
        setattr(owner, method, original)


class _Telling:
    """Writes spans and metrics."""

    def __init__(self, tracer: Any, *, content: bool) -> None:
        self._tracer = tracer
        self._content = content

    def measure(self, meter: Any) -> None:
        """Make the instruments."""
        self.seconds = meter.create_histogram("gen_ai.client.operation.duration", "s", "Time of a model call")
        self.tokens = meter.create_histogram("gen_ai.client.token.usage", "{token}", "Tokens of a model call")
        self.calls = meter.create_counter("memzoo.calls", "{call}", "Calls of models and embedders")
        self.pending = meter.create_histogram("memzoo.pending", "{exchange}", "Exchanges that wait to be learnt from")
        self.aside = meter.create_counter("memzoo.set_aside", "{exchange}", "Exchanges at which a model always fails")

    def watching(self, seam: Seam) -> Any:
        """The method of a seam as one that tells of each call."""
        original = vars(seam.owner)[seam.method]

        @functools.wraps(original)
        async def waiting(*args: Any, **kwargs: Any) -> Any:
            with self._span(seam, args, kwargs) as told:
                result = await original(*args, **kwargs)
                told(result)
            return result

        @functools.wraps(original)
        def at_once(*args: Any, **kwargs: Any) -> Any:
            with self._span(seam, args, kwargs) as told:
                result = original(*args, **kwargs)
                told(result)
            return result

        return waiting if inspect.iscoroutinefunction(original) else at_once

    @contextmanager
    def _span(self, seam: Seam, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Generator[Callable[[Any], None]]:
        before = dict(seam.before(*args, **kwargs))
        if id_ := before.get(_ID) or _conversation.get():
            before[_ID] = id_
        token, start = _conversation.set(id_), time.perf_counter()
        options = {"record_exception": False, "set_status_on_exception": False}
        with self._tracer.start_as_current_span(_name(seam, before), attributes=before, **options) as span:
            try:
                yield lambda result: self._told(span, seam, before, args, result)
            except BaseException as error:
                # Without its text: an error may quote what was said.
                _failed(span, error)
                raise
            finally:
                _conversation.reset(token)
                if _OPERATION in before:
                    self._count(before, time.perf_counter() - start)

    def _told(self, span: "Span", seam: Seam, before: Mapping[str, Any], args: Sequence[Any], result: Any) -> None:
        after = seam.after(result)
        span.set_attributes({**after})
        kinds = {key: after.get(f"gen_ai.usage.{key}_tokens") for key in ("input", "output")}
        for kind, tokens in kinds.items():
            if tokens is not None:
                self.tokens.record(tokens, {**_kind_of(before), "gen_ai.token.type": kind})
        if self._content and before.get(_OPERATION) == "chat":
            answer = {"role": "assistant", "content": result.text}
            span.set_attribute("gen_ai.input.messages", _worded(args[1]))
            span.set_attribute("gen_ai.output.messages", _worded([answer]))

    def _count(self, before: Mapping[str, Any], seconds: float) -> None:
        kind = _kind_of(before)
        self.seconds.record(seconds, kind)
        self.calls.add(1, kind)


def _kind_of(before: Mapping[str, Any]) -> dict[str, Any]:
    """What a metric is told apart by: no conversations, of which there are too many."""
    return {key: before[key] for key in (_OPERATION, _MODEL, "gen_ai.provider.name", "memzoo.purpose")}


def _name(seam: Seam, before: Mapping[str, Any]) -> str:
    return f"{before[_OPERATION]} {before[_MODEL]}" if _OPERATION in before else seam.span


def _worded(messages: Sequence[Mapping[str, Any]]) -> str:
    """Chat messages in the form that the conventions give them."""
    said = [{"role": one["role"], "parts": [{"type": "text", "content": one["content"]}]} for one in messages]
    return json.dumps(said, ensure_ascii=False)


def _failed(span: "Span", error: BaseException) -> None:
    from opentelemetry.trace import StatusCode

    span.set_attribute("error.type", type(error).__name__)
    span.set_status(StatusCode.ERROR)


def _put(owner: type, method: str, new: Any) -> None:
    _ORIGINALS[owner, method] = vars(owner)[method]
    setattr(owner, method, new)


def seams() -> list[Seam]:
    """All that is watched with spans."""
    from memzoo.memories.base import BaseMemory
    from memzoo.memories.engine.learner import Learner
    from memzoo.memories.graph.graph import KnowledgeGraph
    from memzoo.memories.models import chat, embedders
    from memzoo.memories.search.bm25 import WordIndex
    from memzoo.memories.search.vectors import VectorSearch
    from memzoo.stores.memory import InMemoryStore
    from memzoo.stores.sql.store import SQLStore

    functions: list[tuple[type, str]] = [
        *((vars(chat)[name], provider) for name, provider in (("ChatModel", "openai"), ("_FunctionModel", "function"))),
    ]
    vectors: list[tuple[type, str]] = [
        (vars(embedders)[name], provider)
        for name, provider in (("OpenAIEmbedder", "openai"), ("_FunctionEmbedder", "function"))
    ]
    return [
        Seam(BaseMemory, "_current_view", "memzoo.load", _of_memory, _of_view),
        Seam(BaseMemory, "_append", "memzoo.save", _of_memory),
        Seam(Learner, "derived", "memzoo.derive", _of_learning),
        *(Seam(model, "complete", "", functools.partial(_of_call, provider), _spent) for model, provider in functions),
        *(Seam(one, "embed", "", functools.partial(_of_embedding, provider), _spent) for one, provider in vectors),
        Seam(WordIndex, "scores", "memzoo.search words", _nothing, _of_found),
        Seam(VectorSearch, "search", "memzoo.search vectors", _nothing, _of_found),
        Seam(KnowledgeGraph, "around", "memzoo.search graph", _nothing, _of_found),
        *(
            Seam(store, method, f"memzoo.store {method}", _of_store)
            for store in (InMemoryStore, SQLStore)
            for method in ("append", "read", "read_state", "commit")
        ),
    ]


def _watch_learning(told: _Telling) -> None:
    """Count what waits after each attempt to learn, and what is set aside."""
    from memzoo.memories.engine.learner import Learner
    from memzoo.memories.engine.patience import Attempts
    from memzoo.memories.engine.steps import exchange_ends

    catch_up, set_aside = Learner.catch_up, Attempts.set_aside

    @functools.wraps(catch_up)
    async def counting(self: Learner, **options: Any) -> Any:
        try:
            return await catch_up(self, **options)
        finally:
            waiting, _ = await self.waiting(await self.refresh())
            told.pending.record(sum(1 for _ in exchange_ends(waiting)), {"memzoo.strategy": self.name})

    @functools.wraps(set_aside)
    def counted(self: Attempts, first: int, last: int) -> Attempts:
        told.aside.add(1)
        return set_aside(self, first, last)

    _put(Learner, "catch_up", counting)
    _put(Attempts, "set_aside", counted)


def _nothing(*_: Any, **__: Any) -> dict[str, Any]:
    return {}


def _of_memory(memory: Any, *_: Any, **__: Any) -> dict[str, Any]:
    return {_ID: memory.conversation_id, "memzoo.strategy": memory.name}


def _of_view(view: Any) -> dict[str, Any]:
    return {"memzoo.messages": len(view.entries), "memzoo.texts": len(view.texts)}


def _of_learning(_: Any, state: Any, entries: Sequence[Any], *__: Any) -> dict[str, Any]:
    return {"memzoo.messages": len(entries), "memzoo.learnt_through": state.watermark}


def _of_call(provider: str, model: Any, messages: Sequence[Any], purpose: str) -> dict[str, Any]:
    return {
        _OPERATION: "chat",
        _MODEL: model.name,
        "gen_ai.provider.name": "memzoo" if model.name == "offline" else provider,
        "memzoo.purpose": purpose,
        "memzoo.messages": len(messages),
    }


def _of_embedding(provider: str, embedder: Any, texts: Sequence[str]) -> dict[str, Any]:
    about = {_MODEL: embedder.name, "gen_ai.provider.name": provider, "memzoo.purpose": "embedding"}
    return {_OPERATION: "embeddings", **about, "memzoo.texts": len(texts)}


def _spent(result: Any) -> dict[str, Any]:
    spent = result.spent
    return {
        "gen_ai.usage.input_tokens": spent.prompt_tokens,
        "gen_ai.usage.output_tokens": spent.completion_tokens,
    }


def _of_found(found: Any) -> dict[str, Any]:
    return {"memzoo.found": len(found)}


def _of_store(_: Any, conversation_id: str, *__: Any, **___: Any) -> dict[str, Any]:
    return {_ID: conversation_id}
