"""Each strategy that asks a model, against recorded answers. What is asserted holds for any sensible model."""

from typing import Any

import pytest

from memzoo.cassettes import ReplayError, use_cassette
from memzoo.memories import (
    STRATEGIES,
    BaseMemory,
    ChatModel,
    CombinedMemory,
    ConversationEntityMemory,
    ConversationKGMemory,
    ConversationSummaryBufferMemory,
    ConversationSummaryMemory,
    OpenAIEmbedder,
    SummarizingWindowMemory,
    VectorStoreRetrieverMemory,
)
from memzoo.memories.strategies.model_backed import ModelBackedMemory
from memzoo.memories.strategies.named import further_names, strategy_named
from tests.recording import CASSETTES, Call, called, each_way, recorded

SAID = [
    ("My sister Anna lives in Oslo and works at Equinor.", "Oslo is lovely. What does Anna do at Equinor?"),
    ("She is an engineer. Actually, she moved to Bergen last week.", "Then Anna lives in Bergen now, good to know."),
    ("My dog Bruno is allergic to chicken.", "I will remember that Bruno must not eat chicken."),
]

RECORDINGS = CASSETTES / "memories/test_recorded"
UNREACHABLE = ChatModel("gpt-4o-mini", temperature=0, base_url="http://127.0.0.1:9/v1", api_key="none")


def told(memory: BaseMemory, call: Call) -> BaseMemory:
    """The memory after three exchanges."""
    for said, answer in SAID:
        call(memory, "save_context", {"input": said}, {"output": answer})
    return memory


def shown(memory: BaseMemory, call: Call, question: str = "") -> Any:
    """What the memory shows for a question."""
    return call(memory, "load_memory_variables", {"input": question})["history"]


@each_way
class TestRecorded:
    """Each strategy remembers what the recorded model made of three exchanges."""

    @recorded("summary")
    def test_summary(self, recorded_model: ChatModel, call: Call) -> None:
        """One call an exchange, and the summary has all that was said, the corrected address among it."""
        memory = told(ConversationSummaryMemory(llm=recorded_model, learn_every=1), call)
        assert all(name in shown(memory, call) for name in ("Anna", "Equinor", "Bergen", "Bruno", "chicken"))
        assert memory.usage["summary"].calls == len(SAID)

    @recorded("summary-buffer")
    def test_summary_buffer(self, recorded_model: ChatModel, call: Call) -> None:
        """The newest answer stands word for word behind a summary of what was before it."""
        options: dict[str, Any] = {"max_token_limit": 33, "token_counter": "approximate"}
        memory = told(ConversationSummaryBufferMemory(llm=recorded_model, **options), call)
        summary, *newest = shown(memory, call).splitlines()
        assert summary.startswith("System: ")
        assert newest[-1] == f"AI: {SAID[-1][1]}"
        assert all(name in shown(memory, call) for name in ("Anna", "Bergen", "Bruno"))

    @recorded("summarizing-window")
    def test_summarizing_window(self, recorded_model: ChatModel, call: Call) -> None:
        """One call distils two exchanges into a message; the third is shown as it was said."""
        memory = told(SummarizingWindowMemory(llm=recorded_model, max_messages=4), call)
        summary, *newest = call(memory, "messages", "")
        assert all(name in summary["content"] for name in ("Anna", "Equinor", "Bergen"))
        assert tuple(message["content"] for message in newest) == SAID[-1]
        assert memory.usage["summary"].calls == 1

    @recorded("entity")
    def test_entity(self, recorded_model: ChatModel, call: Call) -> None:
        """The note on whom the question names is shown first."""
        memory = told(ConversationEntityMemory(llm=recorded_model, k=2, learn_every=1), call)
        entities = call(memory, "load_memory_variables", {"input": "What must Bruno not eat?"})["entities"]
        assert next(iter(entities)) == "Bruno"
        assert "chicken" in entities["Bruno"]

    @recorded("knowledge-graph")
    def test_knowledge_graph(self, recorded_model: ChatModel, call: Call) -> None:
        """Whom "she" means is known, and Anna lives in Bergen alone, for she has moved."""
        memory = told(ConversationKGMemory(llm=recorded_model, learn_every=1), call)
        facts = shown(memory, call, "Tell me about Anna. Where does she live and work?")
        assert facts.startswith("Anna ")
        assert all(known in facts for known in ("works at Equinor", "lives in Bergen", "engineer"))
        assert "in Oslo" not in facts
        assert "good to know" not in facts

    @recorded("vector-retriever")
    def test_vector_retriever(self, recorded_embedder: OpenAIEmbedder, call: Call) -> None:
        """The one exchange that the question is about is found; each text is embedded once."""
        memory = told(VectorStoreRetrieverMemory(embedder=recorded_embedder, k=1), call)
        assert shown(memory, call, "What is the dog allergic to?") == f"input: {SAID[2][0]}\noutput: {SAID[2][1]}"
        assert memory.usage["embedding"].calls == len(SAID) + 1

    @recorded("combined")
    def test_combined(self, recorded_model: ChatModel, call: Call) -> None:
        """Each member learns by itself: the summary knows of Bergen, the graph whose dog it is that is allergic."""
        graph = {"memory_key": "facts", "llm": recorded_model}
        memory = CombinedMemory(
            memories=[("summary", {"llm": recorded_model}), ("knowledge-graph", graph)], learn_every=1
        )
        loaded = call(told(memory, call), "load_memory_variables", {"input": "What must Bruno not eat?"})
        assert all(name in loaded["summary"] for name in ("Anna", "Bergen", "Bruno"))
        assert "allergic to chicken" in loaded["facts"]


def test_every_strategy_that_asks_a_model_is_recorded() -> None:
    """A new one is refused until it is."""
    classes = {name: strategy_named(name) for name in (*STRATEGIES, *further_names())}
    asking = {name for name, one in classes.items() if issubclass(one, ModelBackedMemory) or hasattr(one, "embedder")}
    assert {path.stem for path in RECORDINGS.iterdir()} >= asking


class TestPromptDrift:
    """A prompt that is not the recorded one never passes on an old answer."""

    def replay(self, **options: Any) -> None:
        """Tell the recorded conversation to a summary memory, while its cassette plays."""
        with use_cassette(RECORDINGS / "summary.yaml", ignore=["$.model"]):
            told(ConversationSummaryMemory(llm=UNREACHABLE, **options, learn_every=1), called)

    def test_same_prompt_replays(self) -> None:
        """With the recorded templates the recording plays to its end."""
        self.replay()

    def test_changed_prompt_fails(self) -> None:
        """A changed template fails the replay and is named."""
        with pytest.raises(ReplayError) as caught:
            self.replay(prompts={"summary": "Task: summary.\nShorter! {{ summary }} {{ new_lines }}"})
        assert any("summary.jinja" in note for note in caught.value.__notes__)

    def test_changed_prompt_fails_though_errors_are_deferred(self) -> None:
        """A memory that puts model errors off does not put off a replay that does not fit."""
        with pytest.raises(ReplayError):
            self.replay(on_model_error="defer", prompts={"summary": "{{ summary }} {{ new_lines }}"})

    def test_missing_call_fails(self) -> None:
        """A conversation that asks the model less often than recorded fails."""
        with (
            pytest.raises(ReplayError),
            use_cassette(RECORDINGS / "summary.yaml", ignore=["$.model"]),
        ):
            ConversationSummaryMemory(llm=UNREACHABLE, learn_every=1).save_context(
                {"input": SAID[0][0]}, {"output": SAID[0][1]}
            )
