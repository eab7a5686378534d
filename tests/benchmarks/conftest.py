"""What the tests of the comparisons share: a short conversation, a counter of words, a model that answers by rule."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from memzoo.benchmarks import Transcript, load_transcripts
from memzoo.benchmarks.measure.counting import TextCounter
from memzoo.memories.models.chat import ChatFunction
from memzoo.stores import Message

_SAID = [
    ("My cat is called Tom.", "A fine name for a cat."),
    ("I live in Oslo, by the river.", "It must be cold there."),
    ("The boat costs 4,200 crowns.", "That is a fair price."),
]
_REPLIES = {
    "summary": "The user has a cat called Tom.",
    "current_entities": "Tom",
    "entity_notes": "Tom: Tom is a cat.",
    "triple_extraction": "Tom | is | a cat",
}


@pytest.fixture(scope="session")
def chat_text() -> str:
    """A short conversation in memzoo's own format."""
    chat: dict[str, Any] = {
        "title": "Cat & boat",
        "user": "Ann",
        "assistant": "Bot",
        "sessions": [
            {
                "date": "2026-03-02T09:15:00+00:00",
                "messages": [
                    {"id": f"{number}{side}", "role": role, "content": text}
                    for number, pair in enumerate(_SAID, start=1)
                    for side, role, text in zip("ab", ("user", "assistant"), pair, strict=True)
                ],
            }
        ],
        "questions": [
            {"question": "What is my cat called?", "answer": "Tom", "evidence": ["1a"], "category": "old"},
            {
                "question": "What does the boat cost?",
                "answer": "4200 crowns",
                "evidence": ["3a", "3b"],
                "category": "new",
            },
            {"question": "Who is Zoe?", "answer": "nobody", "evidence": [], "category": "adversarial"},
        ],
    }
    return json.dumps(chat)


@pytest.fixture
def chat(chat_text: str) -> dict[str, Any]:
    """The same conversation, to be changed."""
    return cast("dict[str, Any]", json.loads(chat_text))


@pytest.fixture
def saved(tmp_path: Path) -> Callable[..., Path]:
    """Writes a value as JSON, or a text as it is, into a file, and returns its path."""

    def save(content: Any, name: str = "chat.json") -> Path:
        path = tmp_path / name
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return path

    return save


@pytest.fixture
def transcript(chat: dict[str, Any], saved: Callable[..., Path]) -> Transcript:
    """The short conversation, loaded."""
    (loaded,) = load_transcripts(saved(chat))
    return loaded


@pytest.fixture
def words() -> TextCounter:
    """Counts words, so that figures can be worked out by hand."""
    return TextCounter("words", lambda text: len(text.split()))


@pytest.fixture
def rules() -> ChatFunction:
    """A model that gives the same answer to the same kind of prompt."""

    def answer(messages: list[Message]) -> str:
        task = messages[-1]["content"].split(".", 1)[0].removeprefix("Task: ")
        return _REPLIES[task]

    return answer
