"""What is taken out of texts is nowhere: in no file, prompt, state, span or embedding."""

import asyncio
import base64
import contextlib
import itertools
import json
import logging
import pickle
import re
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from memzoo import langchain
from memzoo.errors import MessageError, OptionError
from memzoo.hosts.messages import HostMessage
from memzoo.hosts.shared import HostLog
from memzoo.memories import (
    STRATEGIES,
    BaseMemory,
    CombinedMemory,
    Conversation,
    ConversationBufferMemory,
    ConversationSummaryMemory,
    MemoryProvider,
    VectorStoreRetrieverMemory,
    create_memory,
)
from memzoo.memories.models.chat import as_model
from memzoo.memories.text.redaction import Redact
from memzoo.stores import InMemoryStore, Message, Record, open_store
from memzoo.telemetry import instrument
from memzoo.testing import ScriptedModel
from memzoo.text import parse_json
from memzoo.types import Completion

SECRET = "4711-Zürich-9"  # noqa: S105 - it is to be found nowhere
PATTERNS = {"pin": r"4711-Z\S+?-9", "email": re.compile(r"\S+@\S+\.org")}


def hidden(text: str) -> str:
    """A function that takes the secret out."""
    return text.replace(SECRET, "***").replace(json.dumps(SECRET)[1:-1], "***")


def failing(text: str) -> str:
    """A function that fails at the secret, and says it."""
    if SECRET in text:
        raise ValueError(f"cannot handle {text}")
    return text


class Spy:
    """A model, and an embedder, that keep what they are sent."""

    def __init__(self) -> None:
        self.sent: list[Any] = []

    def __call__(self, messages: list[Message]) -> str:
        """Answer with the words of the prompt, as far as there is room."""
        self.sent.append(messages)
        return "NONE" if "NONE" in str(messages) else "Anna is well."

    def embed(self, texts: list[str]) -> list[list[float]]:
        """Any vectors."""
        self.sent.append(texts)
        return [[1.0, len(text)] for text in texts]


class Overheard:
    """The offline model, with the spy listening."""

    def __init__(self, spy: Spy) -> None:
        self._spy, self._model = spy, as_model("offline")
        self.name = self._model.name

    async def complete(self, messages: Sequence[Message], purpose: str) -> Completion:
        """See `Model.complete`."""
        self._spy.sent.append(messages)
        return await self._model.complete(messages, purpose)


def spied(name: str, spy: Spy, **options: Any) -> BaseMemory:
    """A memory whose model, and embedder, the spy hears."""
    known = create_memory(name).__dataclass_fields__
    sees: dict[str, Any] = {"llm": Overheard(spy), "embedder": spy.embed}
    return create_memory(
        name, **{given: value for given, value in sees.items() if given in known}, **options, learn_every=1
    )


CALL = {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": json.dumps({"pin": SECRET})}}
PLACES: dict[str, Callable[[BaseMemory], object]] = {
    "the question": lambda memory: memory.save_context({"input": f"My PIN is {SECRET}."}, {"output": "ok"}),
    "the answer": lambda memory: memory.save_context({"input": "My PIN?"}, {"output": f"It is {SECRET}."}),
    "a part": lambda memory: memory.add_messages(
        [
            {"role": "user", "content": [{"type": "text", "text": f"PIN {SECRET}"}]},
            {"role": "assistant", "content": "ok"},
        ]
    ),
    "a call and its result": lambda memory: memory.add_messages(
        [
            {"role": "user", "content": "Look!"},
            {"role": "assistant", "content": None, "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "call_1", "content": json.dumps([{"deep": {SECRET: [SECRET]}}])},
            {"role": "assistant", "content": "ok"},
        ]
    ),
    "a name": lambda memory: memory.add_messages(
        [{"role": "user", "name": SECRET, "content": "a"}, {"role": "assistant", "content": "b", "extra": [SECRET]}]
    ),
    "a text like a URL": lambda memory: memory.save_context({"input": f"data:,PIN {SECRET}"}, {"output": "data: ok"}),
    "a member like a URL": lambda memory: memory.add_messages(
        [{"role": "user", "content": "a", "note": f"data: {SECRET}", "data": f"PIN {SECRET}"}]
    ),
    "the system message": lambda memory: memory.add_messages([{"role": "system", "content": f"Never say {SECRET}."}]),
    "a turn": lambda memory: take(memory, fails=False),
    "a turn that fails": lambda memory: take(memory, fails=True),
    "a host": lambda memory: asyncio.run(
        HostLog(memory, "host").afollow(
            [HostMessage({"role": "user", "content": f"PIN {SECRET}"}, {"id": "1", "parts": [{"text": SECRET}]}, "k")],
            ended=True,
            thread="t",
        )
    ),
}


def take(memory: BaseMemory, *, fails: bool) -> None:
    """A turn with the secret on both sides."""
    with contextlib.suppress(InterruptedError), memory.turn(f"PIN {SECRET}") as turn:
        assert SECRET not in str(turn.messages())
        turn.add({"role": "assistant", "content": None, "tool_calls": [CALL]})
        turn.add({"role": "tool", "tool_call_id": "call_1", "content": SECRET})
        assert SECRET not in str((turn.messages(), turn.said))
        if fails:
            raise InterruptedError
        turn.add(f"It is {SECRET}.")


def all_of(folder: Path) -> bytes:
    """All that is in the files of a folder."""
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


FORMS = [form.encode() for form in (SECRET, json.dumps(SECRET)[1:-1])]


@pytest.mark.parametrize(
    ("name", "place", "redact"),
    [
        *((name, "a turn", hidden) for name in STRATEGIES),
        *(("entity", *one) for one in zip(PLACES, itertools.cycle([PATTERNS, hidden]))),
    ],
)
def test_a_secret_is_nowhere(
    name: str, place: str, redact: Redact, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Wherever it stands, it is in no file, prompt, view or log of any strategy, and was counted."""
    spy = Spy()
    with caplog.at_level(logging.DEBUG), open_store(f"sqlite:///{tmp_path}/a.db") as store:
        memory = spied(name, spy, store=store, conversation_id="c", redact=redact)
        PLACES[place](memory)
        memory.save_context({"input": "And then?"}, {"output": "Nothing."})
        question = f"Is {SECRET} right, Anna?"
        shown = [memory.load_memory_variables({"input": question}), memory.messages(question), memory.history()]
        shown += [memory.explain(question), memory.entries(), pickle.dumps(memory.usage.redacted)]
        files = all_of(tmp_path)
    seen = str((spy.sent, shown, caplog.text)).encode()
    assert not [form for form in FORMS if form in files + seen]
    assert memory.usage.redacted[next(iter(PATTERNS)) if isinstance(redact, dict) else "redact"] >= 1


SECRETS = st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x4E20), min_size=3, max_size=6)
WORDS = st.text(st.characters(max_codepoint=0x17F, exclude_categories=("Cs",)), max_size=8)


@st.composite
def contents(draw: st.DrawFn) -> tuple[str, Any]:
    """A secret, and something JSON that has it in some place."""
    secret = draw(SECRETS)
    leaf = st.builds("{}{}{}".format, WORDS, st.just(secret), WORDS)

    def deeper(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        return st.lists(inner, min_size=1, max_size=2) | st.dictionaries(leaf, inner, min_size=1, max_size=2)

    return secret, draw(st.recursive(leaf, deeper, max_leaves=4))


@given(contents(), st.booleans(), st.text(" \t\r\n", max_size=3))
def test_no_place_hides_a_secret(planted: tuple[str, Any], escaped: bool, blanks: str) -> None:  # noqa: FBT001 - drawn
    """As text, as arguments or result of a tool, written with escapes or not, behind blanks, nested however deep."""
    secret, value = planted
    text = blanks + json.dumps(value, ensure_ascii=escaped)
    spy, store = Spy(), InMemoryStore()
    memory = ConversationSummaryMemory(llm=spy, store=store, redact={"it": re.escape(secret)}, learn_every=1)
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": text}}
    memory.add_messages(
        [
            {"role": "user", "content": f"see: {secret}"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "1", "content": text},
            {"role": "assistant", "content": [{"type": "text", "text": text}]},
        ]
    )
    everything = str((spy.sent, memory.history(), memory.messages(secret), memory.usage.redacted))
    assert secret not in everything
    assert json.dumps(secret)[1:-1] not in everything.replace("\\\\", "\\")  # as Python shows it
    kept = memory.history()
    assert json.loads(kept[1]["tool_calls"][0]["function"]["arguments"]) == json.loads(kept[2]["content"])


@st.composite
def written(draw: st.DrawFn) -> tuple[str, str]:
    """A secret, and a text that has it among other words, in JSON of JSON or bare."""
    secret = draw(
        st.builds("{}{}{}".format, SECRETS, st.sampled_from(["", "/", '"', "\\", "\n", "\t \u00e9"]), SECRETS)
    )
    text = draw(WORDS) + secret + draw(WORDS)
    for _ in range(draw(st.integers(0, 3))):
        form = draw(st.sampled_from(["{}", '{{"a": {}}}', "x({})", '\ufeff[{}, "b",]', "```json\n{}\n```", "{0}\n{0}"]))
        row = json.dumps(text, ensure_ascii=draw(st.booleans()))
        row = row.replace("/", "\\/") if draw(st.booleans()) else row
        text = draw(WORDS) + form.format(row) + draw(WORDS)
    return secret, text


@pytest.mark.parametrize("by_pattern", [True, False])
@given(written())
def test_no_words_hide_a_secret(by_pattern: bool, planted: tuple[str, str]) -> None:  # noqa: FBT001 - a case
    """Wherever it stands in what somebody says, escaped or not, it is in no file."""
    secret, text = planted
    assume("u4e" not in text.replace(secret, "").lower().partition("\\u4e")[0])
    redact: Redact = {"it": re.escape(secret)} if by_pattern else lambda said: said.replace(secret, "[it]")
    with tempfile.TemporaryDirectory() as folder:
        with open_store(f"sqlite:///{folder}/a.db") as store:
            memory = create_memory("buffer", store=store, redact=redact)
            memory.save_context({"input": text}, {"output": f"You said {text}"})
        files = all_of(Path(folder))
    assert not re.search(r"u4e|[\u4e00-\u4e20]", files.decode(errors="replace"), re.IGNORECASE)


def test_no_span_has_it() -> None:
    """Traces that have the words of prompts and replies have them as they were sent."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    stop = instrument(tracer_provider=provider, content=True)
    try:
        conversation = Conversation(Spy(), "summary", redact=PATTERNS, learn_every=1)
        conversation.send(f"My PIN is {SECRET}.")
        conversation.memory.load_memory_variables({"input": SECRET})
        with pytest.raises(MessageError):
            ConversationBufferMemory(redact=failing).save_context({"input": SECRET}, {"output": SECRET})
    finally:
        stop()
    spans = "".join(span.to_json() for span in exporter.get_finished_spans())
    assert "[pin]" in spans
    assert not [form for form in (SECRET, json.dumps(SECRET)[1:-1]) if form in spans]


def test_patterns_put_their_names(caplog: pytest.LogCaptureFixture) -> None:
    """What a pattern finds becomes its name in brackets; each find is counted, in the order of the patterns."""
    memory = ConversationBufferMemory(redact={"email": r"\S+@\S+", "word": "cat|dog"})
    memory.save_context({"input": "a@b.org, c@d.org: cat"}, {"output": r"a \1 dog"})
    assert memory.load_memory_variables() == {"history": "Human: [email] [email] [word]\nAI: a \\1 [word]"}
    assert memory.usage.redacted == {"email": 2, "word": 2}
    assert ConversationBufferMemory().usage.redacted == {}
    assert caplog.text == ""


def test_what_a_message_is_put_together_by_stays() -> None:
    """Ids of calls, names of tools, pictures and files stay, whatever a pattern fits; arguments stay JSON."""
    memory = ConversationBufferMemory(redact={"x": r"\d+|abcd|look|user"})
    arguments = '{"abcd": 17, "deep": [true, null, 1.5, {"look": "user"}]}'
    call = {"id": "call17", "type": "function", "function": {"name": "look", "arguments": arguments}}
    picture = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{'abcd' * 20}"}}
    said: list[Message] = [
        {"role": "user", "content": [picture, {"type": "file", "file": {"file_data": "abcd" * 20}}]},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call17", "name": "look", "content": "Call 17: abcd"},
    ]
    memory.add_messages(said)
    asked, called, given_back = memory.history()
    assert asked == said[0]
    function = called["tool_calls"][0].pop("function")
    assert called["tool_calls"] == [{"id": "call17", "type": "function"}]
    assert function["name"] == "look"
    assert json.loads(function["arguments"]) == {"[x]": "[x]", "deep": [True, None, "[x].[x]", {"[x]": "[x]"}]}
    assert given_back == said[2] | {"content": "Call [x]: [x]"}


def test_a_hosts_own_form_can_still_be_read() -> None:
    """Its texts are treated; its ids, times and kinds stay, and so does the thread."""
    memory = ConversationBufferMemory(redact={"digits": r"\d+"})
    own = {"kind": "request", "run_id": "run7", "timestamp": "2026-01-01", "parts": [{"content": "PIN 42", "id": "p1"}]}
    said = [HostMessage({"role": "user", "content": "PIN 42"}, own, "k1")]
    log = HostLog(memory, "host")
    for _ in range(2):
        asyncio.run(log.afollow(said, thread="thread-7"))
    (kept,) = asyncio.run(log.aall())
    assert kept.own == own | {"parts": [{"content": "PIN [digits]", "id": "p1"}]}
    assert (kept.message["content"], kept.thread, kept.seq) == ("PIN [digits]", "thread-7", 1)


def test_fields_that_a_turn_adds_have_nothing_of_it() -> None:
    """What a turn adds is treated as what is added without one: its fields too, but not what memzoo wrote there."""
    memory = create_memory("buffer", redact={"year": "2024"})
    answered = json.dumps({"model": "gpt-4o-2024-08-06"})
    with memory.turn("Go") as turn:
        turn.add(Record({"role": "assistant", "content": "In 2024"}, {"@own": '{"said": "2024"}', "@answer": answered}))
    [_, entry] = memory.entries()
    assert entry.fields == {"@own": '{"said": "[year]"}', "@answer": answered}


def test_a_retried_question_is_known_again() -> None:
    """A host that asks again before it was answered is compared by what was kept."""
    memory = ConversationBufferMemory(redact=PATTERNS)
    for _ in range(2):
        asyncio.run(HostLog(memory, "host").aadd([HostMessage({"role": "user", "content": f"PIN {SECRET}"})]))
    assert [message["content"] for message in memory.history()] == ["PIN [pin]"]


def test_a_conversation_sends_nothing_of_it() -> None:
    """Neither the user's words nor what tools gave reach the model; what it answers to the user is its own."""
    spy = Spy()
    conversation = Conversation(spy, "window", redact=PATTERNS)
    for text in (f"My PIN is {SECRET}.", "And now?"):
        assert conversation.send(text) == "Anna is well."
    assert "[pin]" in str(spy.sent[0])
    conversation.edit(1, f"It was {SECRET}!")
    conversation.regenerate()
    assert SECRET not in str((spy.sent, conversation.memory.history()))
    assert conversation.memory.usage.redacted == {"pin": 2}


def test_a_provider_hands_it_on() -> None:
    """Each conversation's memory has the option."""
    provider = MemoryProvider("buffer", redact=PATTERNS)
    provider.get("anna").save_context({"input": SECRET}, {"output": "ok"})
    assert SECRET not in str(provider.get("anna").history())


def test_members_count_together() -> None:
    """A combined memory takes out for its members, and counts once."""
    spy = Spy()
    members: Any = [("summary", {"llm": spy}), ("vector-retriever", {"embedder": spy.embed})]
    memory = CombinedMemory(memories=members, redact=PATTERNS, learn_every=1)
    memory.save_context({"input": f"PIN {SECRET}"}, {"output": "ok"})
    assert memory.usage.redacted == {"pin": 1}
    assert SECRET not in str((memory.load_memory_variables({"input": SECRET}), memory.messages(SECRET), spy.sent))
    store = InMemoryStore()
    made: list[Any] = [VectorStoreRetrieverMemory(store=store, conversation_id="c", redact=PATTERNS)]
    whole = CombinedMemory(memories=[*made, "window"], learn_every=1)
    whole.save_context({"input": SECRET}, {"output": "ok"})
    assert SECRET not in str(whole.history())


def test_what_asks_a_model_directly_is_treated_too() -> None:
    """The methods that take a text of their own send nothing of it either."""
    model = ScriptedModel("NONE", "NONE", "A summary.")
    graph = langchain.ConversationKGMemory(llm=model, redact=PATTERNS)
    graph.get_knowledge_triplets(f"PIN {SECRET}")
    graph.get_current_entities(f"PIN {SECRET}")
    summary = ConversationSummaryMemory(llm=model, redact=PATTERNS, learn_every=1)
    summary.predict_new_summary([{"role": "user", "content": SECRET}], f"Before: {SECRET}")
    assert len(model.asked) == 3
    assert SECRET not in str(model.asked)


@pytest.mark.parametrize("said", [f"PIN {SECRET}", "later"])
def test_a_function_that_fails_stores_nothing(said: str) -> None:
    """The error is typed, and has nothing of the text, nor has anything that it came from."""
    memory = ConversationBufferMemory(redact=failing)
    memory.save_context({"input": "before"}, {"output": "ok"})
    attempts: list[Callable[[], object]] = [
        lambda: memory.save_context({"input": said}, {"output": f"yes, {SECRET}"}),
        lambda: memory.add_messages([{"role": "user", "content": "a"}, {"role": "user", "content": SECRET}]),
        lambda: memory.messages(SECRET),
        lambda: memory.turn(SECRET),
    ]
    for attempt in attempts:
        with pytest.raises(MessageError, match="redact raised ValueError") as caught:
            attempt()
        assert SECRET not in str(caught.value)
        assert caught.value.__suppress_context__
    assert [message["content"] for message in memory.history()] == ["before", "ok"]


@pytest.mark.parametrize("levels", [99, 2_000, 100_000])
def test_no_number_of_levels_hides_it(levels: int) -> None:
    """JSON that is nested too deeply to be read as JSON is read as text, and its escapes with it."""
    memory = ConversationBufferMemory(redact={"pin": PATTERNS["pin"]})
    memory.add_messages([{"role": "user", "content": "[" * levels + json.dumps(SECRET) + "]" * levels}])
    assert memory.history()[0]["content"] == "[" * levels + '"[pin]"' + "]" * levels


def test_json_with_too_many_levels_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The parser would use stack space for each; brackets in strings are no levels."""
    assert parse_json(json.dumps(["[" * 200])) == ["[" * 200]
    assert parse_json("[" * 100 + "]" * 100) is not None
    monkeypatch.setattr(json, "loads", pytest.fail)
    assert parse_json("[" * 101 + "]" * 101) is None


@pytest.mark.parametrize("redact", [PATTERNS, hidden], ids=["patterns", "function"])
def test_what_is_escaped_too_often_stores_nothing(redact: Redact) -> None:
    """A text may be escaped so often that nobody can follow; then the error says so."""
    memory = ConversationBufferMemory(redact=redact)
    memory.add_messages([{"role": "user", "content": "\\" * 1_000}])
    with pytest.raises(MessageError, match="too many levels of escapes"):
        memory.add_messages([{"role": "user", "content": "\\u005c" + "u005c" * 1_000}])
    assert [message["content"] for message in memory.history()] == ["\\" * 1_000]


def test_what_is_left_of_json_is_json() -> None:
    """Only what is found is replaced, an escape of which a pattern fits a part as a whole; all else stays as it was."""
    memory = ConversationBufferMemory(redact={"digits": r"\d+"})
    row = '{"said": "a \\"b\\"\\n12 \\u0031\\u0032 34", "path": "C:\\\\new"}'
    memory.add_messages([{"role": "user", "content": f"Rows:\n{row}\n{row}"}])
    first, *rows = memory.history()[0]["content"].splitlines()
    assert [first, *map(json.loads, rows)] == [
        "Rows:",
        *[{"said": 'a "b"\n[digits] [digits] [digits]', "path": "C:\\new"}] * 2,
    ]


CODED = base64.b64encode(bytes(range(256))).decode()


@pytest.mark.parametrize(
    ("part", "is_kept"),
    [
        ({"type": "input_audio", "input_audio": {"data": CODED, "format": "wav"}}, True),
        ({"type": "file", "file": {"file_data": CODED, "filename": "a.pdf"}}, True),
        ({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": CODED}}, True),
        ({"type": "x", "inline_data": {"mime_type": "image/png", "data": CODED}}, True),
        ({"type": "image_url", "image_url": {"url": f"data:image/png;base64,{CODED}"}}, True),
        ({"type": "x", "data": CODED}, False),
        ({"type": "file", "file": {"file_data": "0123456789"}}, False),
        ({"type": "image_url", "image_url": {"url": "data:image/png;base64,0123456789"}}, False),
        ({"type": "text", "text": f"data:image/png;base64,{CODED}"}, False),
        ({"type": "text", "text": "a", "data": CODED}, False),
        ({"type": "x", "mime_type": "none", "data": CODED}, False),
    ],
)
def test_a_file_is_what_says_so_and_is_long(part: dict[str, Any], is_kept: bool) -> None:  # noqa: FBT001 - a case
    """What stands under `data` is a file if the part has a type or MIME type of files, and the text their length."""
    memory = ConversationBufferMemory(redact={"digit": r"\d"})
    said: Message = {"role": "user", "content": [part], "metadata": {"data": "4111111111111111"}}
    memory.add_messages([said])
    (kept,) = memory.history()
    assert (kept["content"] == [part]) is is_kept
    assert kept["metadata"] == {"data": "[digit]" * 16}


def nothing(text: str) -> Any:
    """A function that gives a text for none alone."""
    return None if text else text


def test_a_result_that_is_no_text_stores_nothing() -> None:
    """A function has to give a text each time."""
    memory = ConversationBufferMemory(redact=nothing)
    with pytest.raises(MessageError, match="redact returned NoneType, not a string"):
        memory.save_context({"input": "a"}, {"output": "b"})
    assert memory.history() == []


@pytest.mark.parametrize(
    ("redact", "hint"),
    [
        ({}, "a function of a text, or patterns by name"),
        ("[0-9]", "a function of a text, or patterns by name"),
        ({"digits": "["}, "'digits' is not a regular expression"),
        ({"digits": rb"\d"}, "'digits' must be a regular expression, not"),
        ({"digits": re.compile(rb"\d")}, "'digits' is not a regular expression for text"),
        ({"digits": 7}, "'digits' must be a regular expression, not 7"),
        ({"": "a"}, "name of a pattern must be a string"),
        ({7: "a"}, "name of a pattern must be a string"),
        ({"digits": r"\d*"}, "must not match an empty text"),
        (len, "redact returned int, not a string"),
        (json.loads, "redact raised JSONDecodeError"),
    ],
)
def test_what_cannot_work_is_refused_at_once(redact: Any, hint: str) -> None:
    """The error names the pattern, when the memory is made."""
    with pytest.raises(OptionError, match=re.escape(hint)):
        ConversationBufferMemory(redact=redact)
    with pytest.raises(OptionError, match=re.escape(hint)):
        MemoryProvider("buffer", redact=redact)


def test_a_memory_with_patterns_travels(tmp_path: Path) -> None:
    """A copy of the memory takes out the same, in another process too."""
    with open_store(f"sqlite:///{tmp_path}/a.db") as store:
        memory = ConversationBufferMemory(store=store, redact=PATTERNS)
        again = pickle.loads(pickle.dumps(memory))  # noqa: S301 - it is our own
        again.save_context({"input": SECRET}, {"output": "ok"})
        assert memory.history()[0]["content"] == "[pin]"
        again.close()
