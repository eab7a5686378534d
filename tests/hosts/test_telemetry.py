"""What OpenTelemetry is told, and that nothing is done for it until it is asked for."""

import asyncio
import contextlib
import gc
import itertools
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from memzoo.errors import MissingExtraError, ModelError, OptionError
from memzoo.hosts import telemetry
from memzoo.memories import (
    BaseMemory,
    ChatModel,
    Conversation,
    ConversationSummaryMemory,
    HashEmbedder,
    create_memory,
)
from memzoo.stores import InMemoryStore, open_store
from memzoo.telemetry import instrument
from memzoo.testing import ScriptedModel
from tests.memories.models.test_cached_usage import model_telling

PAGE = (Path(__file__).parents[2] / "docs" / "telemetry.md").read_text(encoding="utf-8")
SAID = {"input": "My secret is 42."}, {"output": "I keep it."}


class Seen:
    """What OpenTelemetry was told."""

    def __init__(self, **options: bool) -> None:
        self._exporter, self._reader = InMemorySpanExporter(), InMemoryMetricReader()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self._exporter))
        instrument(tracer_provider=provider, meter_provider=MeterProvider([self._reader]), **options)

    @property
    def spans(self) -> list[ReadableSpan]:
        """The spans, in the order in which they began."""
        return sorted(self._exporter.get_finished_spans(), key=lambda span: span.start_time or 0)

    def named(self, name: str) -> dict[str, Any]:
        """The attributes of the first span of a name."""
        return next(dict(span.attributes or {}) for span in self.spans if span.name == name)

    def metrics(self) -> dict[str, list[Any]]:
        """The points of each metric."""
        data: Any = self._reader.get_metrics_data()
        scopes = [scope for resource in data.resource_metrics for scope in resource.scope_metrics]
        return {metric.name: list(metric.data.data_points) for scope in scopes for metric in scope.metrics}


@pytest.fixture(autouse=True)
def _put_back() -> Iterator[None]:
    yield
    telemetry.stop_reporting()


def summarizing(*replies: str | Exception, **options: Any) -> BaseMemory:
    """A memory that asks its model once an exchange."""
    model = ScriptedModel(*replies)
    return ConversationSummaryMemory(
        llm=lambda messages: _said(model, messages),
        conversation_id="c",
        token_counter="approximate",
        **options,
        learn_every=1,
    )


async def _said(model: ScriptedModel, messages: list[dict[str, Any]]) -> str:
    return (await model.complete(messages, "summary")).text


def test_a_call_is_told_by_the_conventions() -> None:
    """A model call has operation, model, tokens and conversation, and lies within the step that needed it."""
    seen, memory = Seen(), create_memory("summary", llm="offline", conversation_id="c", learn_every=1)
    memory.save_context(*SAID)
    call = seen.named("chat offline")
    assert call["gen_ai.usage.input_tokens"] == memory.usage.total.prompt_tokens > 0
    assert call["gen_ai.usage.output_tokens"] == memory.usage.total.completion_tokens > 0
    kinds = "gen_ai.operation.name", "gen_ai.request.model", "gen_ai.conversation.id", "memzoo.purpose"
    assert [call[kind] for kind in kinds] == ["chat", "offline", "c", "summary"]
    spans = {span.context.span_id: span for span in seen.spans if span.context}
    (asked,) = (span for span in seen.spans if span.name == "chat offline")
    above: list[str] = []
    while asked.parent:
        asked = spans[asked.parent.span_id]
        above.append(asked.name)
    assert above == ["memzoo.derive", "upsert_memory"]


@pytest.mark.parametrize("stream", [False, True])
def test_the_answers_of_a_conversation_are_told(stream: bool) -> None:  # noqa: FBT001 - a case
    """With tokens, conversation and words; between two pieces, the span of the caller is the current one."""
    seen, around = Seen(content=True), trace.get_current_span()
    chat = Conversation("offline", create_memory("buffer", conversation_id="c"))
    said = chat.stream("My cat is Pixel.") if stream else [chat.send("My cat is Pixel.")]
    assert [(piece, trace.get_current_span()) for piece in said] == [("Noted.", around)]
    call, total = seen.named("chat offline"), chat.usage.total
    assert [call["gen_ai.usage.input_tokens"], call["gen_ai.usage.output_tokens"]] == [
        total.prompt_tokens,
        total.completion_tokens,
    ]
    assert [call["gen_ai.conversation.id"], call["memzoo.purpose"]] == ["c", "chat"]
    assert "Pixel" in call["gen_ai.input.messages"]
    assert "Noted." in call["gen_ai.output.messages"]
    assert [point.value for point in seen.metrics()["memzoo.calls"]] == [1]


def test_an_answer_of_a_function_is_told_once() -> None:
    """And a failed call of an endpoint by its error."""
    seen = Seen()
    Conversation(lambda _: "Noted.", "buffer").send("Hello.")
    endpoint = ChatModel("m", base_url="http://127.0.0.1:1/v1", api_key="-", max_retries=0)
    with pytest.raises(ModelError):
        Conversation(endpoint, "buffer").send("Hello.")
    told = [span for span in seen.spans if span.name.startswith("chat ")]
    assert [(span.attributes or {}).get("error.type") for span in told] == [None, "ModelError"]


def test_a_call_tells_what_its_provider_had_in_its_cache() -> None:
    """By the conventions' names, where the endpoint tells of a cache at all."""
    seen = Seen()
    usage = {"prompt_tokens": 2000, "completion_tokens": 9, "prompt_tokens_details": {"cached_tokens": 1920}}
    memory = ConversationSummaryMemory(llm=model_telling(usage | {"cache_creation_input_tokens": 7}), learn_every=1)
    memory.save_context(*SAID)
    call = seen.named("chat gpt-4o")
    names = "gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_creation.input_tokens"
    assert [call[name] for name in names] == [1920, 7]


@pytest.mark.parametrize(("name", "search"), [("vector-retriever", "words"), ("knowledge-graph", "known")])
def test_searches_and_stores_are_told(name: str, search: str) -> None:
    """Loading tells of its search, with how much was found, and of what it read."""
    options: dict[str, Any] = {"llm": "offline"} if name == "knowledge-graph" else {"embedder": HashEmbedder()}
    seen, memory = Seen(), create_memory(name, conversation_id="c", **options, learn_every=1)
    memory.save_context({"input": "Anna lives in Oslo."}, {"output": "ok"})
    memory.messages("Anna?")
    assert seen.named(f"memzoo.search {search}")["memzoo.found"] > 0
    assert seen.named("search_memory")["memzoo.strategy"] == name
    assert {"memzoo.store append", "memzoo.store read", "memzoo.store commit"} <= {span.name for span in seen.spans}
    assert {str((span.attributes or {}).get("gen_ai.conversation.id")) for span in seen.spans} == {"c"}


def test_every_server_is_told_of(redis_url: str) -> None:
    """A store on Redis reports its steps as the others do."""
    seen = Seen()
    with open_store(redis_url) as store:
        create_memory("buffer", store=store, conversation_id="c").save_context(*SAID)
    assert "memzoo.store append" in {span.name for span in seen.spans}


def test_no_server_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other stores report their steps where the client of Redis is not installed."""
    monkeypatch.setitem(sys.modules, "redis", None)
    for name in [one for one in sys.modules if one.startswith(("redis.", "memzoo.stores.redis"))]:
        monkeypatch.delitem(sys.modules, name)
    seen = Seen()
    create_memory("buffer", conversation_id="c").save_context(*SAID)
    assert "memzoo.store append" in {span.name for span in seen.spans}


def test_a_stream_that_nobody_reads_to_its_end_is_no_error() -> None:
    """The application stops it, not the model."""
    seen = Seen()
    with contextlib.closing(Conversation("offline", "buffer").stream("My cat is Pixel.")) as pieces:
        next(pieces)
    [call] = [span for span in seen.spans if span.name == "chat offline"]
    assert call.status.is_unset
    assert "error.type" not in (call.attributes or {})


def test_members_of_a_combined_memory_are_told_while_they_are_watched() -> None:
    """Their loads are reported to the newest `instrument`, and to none after its end."""
    memory = create_memory("combined", memories=["window", "buffer"])
    first = Seen(content=True)
    memory.messages("a secret")
    second = Seen()
    memory.messages("a secret")
    telemetry.stop_reporting()
    memory.messages("a secret")
    loads = [[span for span in seen.spans if span.name == "search_memory"] for seen in (first, second)]
    assert list(map(len, loads)) == [3, 3]


def test_the_save_of_a_turn_is_told() -> None:
    """What a turn stores at its end is a save like another."""
    seen, memory = Seen(), create_memory("buffer", conversation_id="c")
    with memory.turn("hi") as turn:
        turn.add("hello")
    assert seen.named("upsert_memory")["memzoo.strategy"] == "buffer"
    assert len([span for span in seen.spans if span.name == "upsert_memory"]) == 1


def operate(memory: BaseMemory) -> None:
    """Do to a memory what the conventions have a name for."""
    memory.save_context(*SAID)
    memory.messages("secret")
    memory.relearn()
    memory.forget([1])
    memory.rewind(1)
    memory.forget(None)
    memory.clear()


def test_what_is_done_to_a_memory_has_the_names_of_the_conventions() -> None:
    """Each with its operation, the conversation as its store of memories, and how many records it is about."""
    seen = Seen()
    operate(create_memory("vector-retriever", conversation_id="c"))
    told = [dict(span.attributes or {}) for span in seen.spans if "gen_ai.memory.store.id" in (span.attributes or {})]
    operations = [(one["gen_ai.operation.name"], one.get("gen_ai.memory.record.count")) for one in told]
    assert operations == [
        ("create_memory_store", None),
        ("upsert_memory", 2),
        ("search_memory", 1),
        ("update_memory", None),
        ("create_memory_store", None),  # the object that learns anew
        ("delete_memory", 1),
        ("delete_memory", 1),
        ("delete_memory_store", None),
        ("delete_memory_store", None),
    ]
    assert {str(one["gen_ai.memory.store.id"]) for one in told} == {"c"}
    assert [one["gen_ai.memory.record.id"] for one in told if "gen_ai.memory.record.id" in one] == ["1"]
    assert not any(name in str(told) for name in ("secret", "gen_ai.memory.query.text", "gen_ai.memory.records"))


@pytest.mark.parametrize(("again", "gone"), [("edit", 2), ("regenerate", 1)])
def test_what_a_turn_takes_the_place_of_is_a_deletion(again: str, gone: int) -> None:
    """It lies in the save of the turn, and says how many messages went."""
    chat = Conversation(lambda _: "Noted.", create_memory("buffer", conversation_id="c"))
    chat.send("My cat is Pixel.")
    seen = Seen()
    _ = chat.edit(1, "My dog is Rex.") if again == "edit" else chat.regenerate()
    assert seen.named("delete_memory")["gen_ai.memory.store.id"] == "c"
    assert seen.named("delete_memory")["gen_ai.memory.record.count"] == gone
    spans = {span.name: span for span in seen.spans}
    deletion, save = spans["delete_memory"].parent, spans["upsert_memory"].context
    assert deletion
    assert save
    assert deletion.span_id == save.span_id


def test_questions_and_records_are_told_when_they_are_asked_for() -> None:
    """As text and as JSON, by the names of the conventions."""
    seen = Seen(content=True)
    memory = create_memory("buffer", conversation_id="c")
    memory.save_context(*SAID)
    memory.messages("secret?")
    assert seen.named("search_memory")["gen_ai.memory.query.text"] == "secret?"
    found = [{"id": "1", "content": "My secret is 42."}, {"id": "2", "content": "I keep it."}]
    assert json.loads(seen.named("search_memory")["gen_ai.memory.records"]) == found
    saved = [{"content": "My secret is 42."}, {"content": "I keep it."}]
    assert json.loads(seen.named("upsert_memory")["gen_ai.memory.records"]) == saved


def test_what_is_refused_is_refused_as_without_it() -> None:
    """A wrong argument is the memory's error, not one of looking at it."""
    Seen()
    with pytest.raises(OptionError, match="log numbers"):
        create_memory("buffer").forget(3)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def test_asynchronous_calls_are_told_the_same() -> None:
    """Spans are the same, and children of the same parents."""

    async def talk(memory: BaseMemory) -> None:
        await memory.asave_context(*SAID)
        await memory.amessages("secret")

    def names(seen: Seen) -> list[str]:
        return [span.name for span in seen.spans]

    seen, memory = Seen(), create_memory("vector-retriever")
    memory.save_context(*SAID)
    memory.messages("secret")
    again = Seen()
    asyncio.run(talk(create_memory("vector-retriever")))
    assert names(again) == names(seen) != []


def test_no_words_are_told_unless_asked_for() -> None:
    """What was said stands in no span, not even in an error; with `content`, prompts and replies do."""
    seen = Seen()
    memory = summarizing("They share a secret: 42.", ModelError("could not sum up 'My secret is 42.'"))
    memory.save_context(*SAID)
    with pytest.raises(ModelError):
        memory.save_context(*SAID)
    told = [str((span.name, span.attributes, span.events, span.status.description)) for span in seen.spans]
    assert [one for one in told if "42" in one or "secret" in one] == []
    assert any("'error.type': 'ModelError'" in one for one in told)
    more = Seen(content=True)
    summarizing("They share a secret.").save_context(*SAID)
    (call,) = (dict(span.attributes or {}) for span in more.spans if span.name.startswith("chat "))
    assert "My secret is 42." in str(call["gen_ai.input.messages"])
    assert "They share a secret." in str(call["gen_ai.output.messages"])


def test_metrics_count_what_waits_and_what_is_set_aside() -> None:
    """Calls, seconds and tokens of models; exchanges that wait after a failure; exchanges that are set aside."""

    def answer(messages: list[dict[str, Any]]) -> str:
        if "bad" in messages[-1]["content"]:
            raise ModelError("no")
        return "Fine."

    seen, clock = Seen(), itertools.count(step=1000.0)
    memory = ConversationSummaryMemory(llm=answer, on_model_error="defer", clock=clock.__next__, learn_every=1)
    for said in ("bad", "good", "good", "good", "good"):
        memory.save_context({"input": said}, {"output": "ok"})
    assert len(memory.set_aside()) == 2
    points = seen.metrics()
    assert sum(point.value for point in points["memzoo.set_aside"]) == 1
    assert [(point.min, point.max) for point in points["memzoo.pending"]] == [(0, 3)]
    assert {point.attributes["memzoo.strategy"] for point in points["memzoo.pending"]} == {"summary"}
    calls = sum(point.value for point in points["memzoo.calls"])
    assert calls == sum(point.count for point in points["gen_ai.client.operation.duration"]) > 3


@pytest.mark.parametrize("name", ["vector-retriever", "summary-buffer", "summarizing-window"])
def test_a_memory_with_nothing_to_learn_has_nothing_pending(name: str) -> None:
    """Messages that a memory need not learn from yet, or never, do not count as waiting."""
    seen, memory = Seen(), create_memory(name, llm="offline")
    for _ in range(5):
        memory.save_context(*SAID)
    assert [point.max for point in seen.metrics()["memzoo.pending"]] == [0]


def test_off_costs_nothing() -> None:
    """Before and after, the very functions run that were written: a save and a load make as many calls."""

    def calls() -> int:
        count = 0

        def counting(_: Any, event: str, __: Any) -> None:
            nonlocal count
            count += event == "call"

        memory = create_memory("window", store=InMemoryStore(), conversation_id="c")
        memory.save_context(*SAID)
        gc.disable()  # What it would call has nothing to do with this.
        sys.setprofile(counting)
        try:
            memory.save_context(*SAID)
            memory.messages("secret")
        finally:
            sys.setprofile(None)
            gc.enable()
        return count

    watched = telemetry.instrumented_calls()
    originals = [vars(call.owner)[call.method] for call in watched]
    calls()  # What is done once in a process is done by now.
    before = calls()
    stop = instrument()
    assert [vars(call.owner)[call.method] for call in watched] != originals
    stop()
    assert [vars(call.owner)[call.method] for call in watched] == originals
    assert calls() == before


def test_nothing_of_it_is_imported_until_it_is_asked_for() -> None:
    """A program that does not call `instrument` never loads OpenTelemetry."""
    program = (
        "import sys; from memzoo import create_memory; memory = create_memory('window'); "
        "memory.save_context({'input': 'a'}, {'output': 'b'}); memory.messages(); "
        "print([name for name in sys.modules if name.startswith(('opentelemetry', 'memzoo.hosts'))])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_without_the_package_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever has not installed it is told how to."""
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'memzoo\[telemetry\]'"):
        instrument()


def test_every_warning_is_on_the_page() -> None:
    """What the library logs stands in the page's table, with what to do about it."""
    folders = [Path(__file__).parents[2] / name for name in ("memzoo", "memories", "stores", "hosts", "testing")]
    sources = [path.read_text(encoding="utf-8") for folder in folders for path in folder.rglob("*.py")]
    logged = {text for source in sources for text in re.findall(r"logger\.(?:warning|exception)\(\s*\"(.*?)\"", source)}
    table = re.sub(r"`|\\", "", PAGE)
    missing = [text for text in logged if re.sub(r"%[rsd]", "…", text).strip("…:. ") not in table]
    assert (missing, len(logged) >= 8) == ([], True)
