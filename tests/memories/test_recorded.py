"""The strategies that ask a model, against recorded answers.

Recorded with `make record`: from the offline model's server, or from OPENAI_BASE_URL where OPENAI_API_KEY is set.
What is asserted holds for any sensible model.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memzoo.cassettes import Cassette, UnmatchedRequestError, UnplayedInteractionError, use_cassette
from memzoo.memories import (
    BaseMemory,
    ChatModel,
    ConversationEntityMemory,
    ConversationKGMemory,
    ConversationSummaryBufferMemory,
    ConversationSummaryMemory,
)

SAID = [
    ("My sister Anna lives in Oslo and works at Equinor.", "Oslo is lovely. What does Anna do at Equinor?"),
    ("She is an engineer. Actually, she moved to Bergen last week.", "Then Anna lives in Bergen now, good to know."),
    ("My dog Bruno is allergic to chicken.", "I will remember that Bruno must not eat chicken."),
]

UNREACHABLE = ChatModel("gpt-4o-mini", temperature=0, base_url="http://127.0.0.1:9/v1", api_key="none")


def called(memory: BaseMemory, method: str, *args: Any) -> Any:
    """The synchronous method."""
    return getattr(memory, method)(*args)


def awaited(memory: BaseMemory, method: str, *args: Any) -> Any:
    """Its asynchronous twin, awaited in a loop of its own."""
    return asyncio.run(getattr(memory, f"a{method}")(*args))


@pytest.fixture
def model(cassette: Cassette, recording_endpoint: Callable[[], dict[str, str]]) -> ChatModel:
    """A model that is really asked while recording, and cannot be reached while replaying."""
    if not cassette.recording:
        return UNREACHABLE
    endpoint = recording_endpoint()
    return ChatModel("gpt-4o-mini", temperature=0, base_url=endpoint["base_url"], api_key=endpoint["api_key"])


def told(memory: BaseMemory, call: Callable[..., Any]) -> BaseMemory:
    """The memory after three exchanges."""
    for said, answer in SAID:
        call(memory, "save_context", {"input": said}, {"output": answer})
    return memory


@pytest.mark.cassette
@pytest.mark.parametrize("call", [called, awaited], ids=["sync", "async"])
class TestRecorded:
    """Each strategy remembers what the recorded model made of three exchanges."""

    def test_summary(self, model: ChatModel, call: Callable[..., Any]) -> None:
        """The summary has the names of all exchanges, one call each."""
        memory = told(ConversationSummaryMemory(llm=model), call)
        summary = call(memory, "load_memory_variables", {})["history"]
        assert all(name in summary for name in ("Anna", "Bergen", "Bruno"))
        assert memory.usage["summary"].calls == len(SAID)

    def test_summary_buffer(self, model: ChatModel, call: Callable[..., Any]) -> None:
        """The newest exchange is shown word for word, behind a summary of the others."""
        memory = told(ConversationSummaryBufferMemory(llm=model, max_token_limit=25, token_counter="approximate"), call)
        shown = call(memory, "load_memory_variables", {})["history"]
        assert shown.startswith("System: ")
        assert SAID[-1][1] in shown
        assert "Anna" in shown.partition("\n")[0]

    def test_entity(self, model: ChatModel, call: Callable[..., Any]) -> None:
        """The notes are about those whom the input speaks of."""
        memory = told(ConversationEntityMemory(llm=model, k=2), call)
        entities = call(memory, "load_memory_variables", {"input": "What must Bruno not eat?"})["entities"]
        assert "chicken" in entities["Bruno"]

    def test_knowledge_graph(self, model: ChatModel, call: Callable[..., Any]) -> None:
        """Whom "she" means is asked, and the facts are found by the name."""
        memory = told(ConversationKGMemory(llm=model), call)
        facts = call(memory, "load_memory_variables", {"input": "Tell me about Anna. Where does she work?"})["history"]
        assert facts.startswith("On Anna: ")
        assert "Equinor" in facts


RECORDING = Path(__file__).parents[2] / "cassettes/memories/test_recorded/TestRecorded.test_summary[sync].yaml"


class TestPromptDrift:
    """A prompt that is not the recorded one never passes on an old answer."""

    def replay(self, **options: Any) -> None:
        """Tell the recorded conversation to a summary memory, while its cassette plays."""
        with use_cassette(RECORDING):
            told(ConversationSummaryMemory(llm=UNREACHABLE, **options), called)

    def test_same_prompt_replays(self) -> None:
        """With the recorded templates the recording plays to its end."""
        self.replay()

    def test_changed_prompt_fails(self) -> None:
        """A changed template fails the replay and is named."""
        with pytest.raises(UnmatchedRequestError) as caught:
            self.replay(prompts={"summary": "Task: summary.\nShorter! {{ summary }} {{ new_lines }}"})
        assert any("summary.jinja" in note for note in caught.value.__notes__)

    def test_changed_prompt_fails_though_errors_are_deferred(self) -> None:
        """A memory that puts model errors off does not put off a replay that does not fit."""
        with pytest.raises(UnmatchedRequestError):
            self.replay(on_model_error="defer", prompts={"summary": "{{ summary }} {{ new_lines }}"})

    def test_missing_call_fails(self) -> None:
        """A conversation that asks the model less often than recorded fails."""
        with pytest.raises(UnplayedInteractionError), use_cassette(RECORDING):
            ConversationSummaryMemory(llm=UNREACHABLE).save_context({"input": SAID[0][0]}, {"output": SAID[0][1]})
