"""What was recorded with the prompts as they were replays with `prompts="v0"`.

The recordings are those of commit a09f364, of three exchanges and a question, by the offline model of that time.
"""

from pathlib import Path
from typing import Any

import pytest

from memzoo.cassettes import UnmatchedRequestError, use_cassette
from memzoo.memories import ChatModel, create_memory

DATA = Path(__file__).parent / "data"
MODEL = ChatModel("gpt-4o-mini", temperature=0, base_url="http://127.0.0.1:9/v1", api_key="none")
SAID = [
    ("My sister Anna lives in Oslo and works at Equinor.", "Oslo is lovely. What does Anna do at Equinor?"),
    ("She is an engineer. Actually, she moved to Bergen last week.", "Then Anna lives in Bergen now, good to know."),
    ("My dog Bruno is allergic to chicken.", "I will remember that Bruno must not eat chicken."),
]
ASKED: dict[str, tuple[str, dict[str, Any]]] = {
    "summary": ("", {}),
    "summary-buffer": ("", {"max_token_limit": 25, "token_counter": "approximate"}),
    "entity": ("What must Bruno not eat?", {"k": 2, "ask_at_load": True, "max_token_limit": None}),
    "knowledge-graph": (
        "Tell me about Anna. Where does she live and work?",
        {"ask_at_load": True, "max_token_limit": None},
    ),
}


def shown(name: str, prompts: str | None) -> Any:
    """What a memory shows after the recorded conversation."""
    question, options = ASKED[name]
    with use_cassette(DATA / f"v0-{name}.yaml", ignore=["$.model"]):
        memory = create_memory(name, llm=MODEL, prompts=prompts, **options)
        for said, answer in SAID:
            memory.save_context({"input": said}, {"output": answer})
        return memory.load_memory_variables({"input": question})


@pytest.mark.parametrize("name", ASKED)
def test_a_recording_replays(name: str) -> None:
    """The requests are the same to the letter, in the same order, and what is learnt from the answers is there."""
    assert all(word in str(shown(name, "v0")) for word in {"entity": ["chicken"]}.get(name, ["Anna", "Bergen"]))


@pytest.mark.parametrize("name", ASKED)
def test_the_prompts_of_today_are_others(name: str) -> None:
    """Without that, a recording does not pass for one of today's prompts."""
    with pytest.raises(UnmatchedRequestError):
        shown(name, None)
