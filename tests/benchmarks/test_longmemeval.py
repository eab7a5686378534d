"""LongMemEval's format."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memzoo.benchmarks import load_transcripts
from memzoo.benchmarks.transcripts.conversations import ADVERSARIAL
from memzoo.errors import TransferError

Saved = Callable[..., Path]


@pytest.fixture
def item() -> dict[str, Any]:
    """A question about two sessions, of which the newer one stands first."""
    return {
        "question_id": "q17",
        "question_type": "multi-session",
        "question": "How many hens has Ilka?",
        "answer": 6,
        "question_date": "2024/05/09 (Thu) 10:00",
        "haystack_session_ids": ["s2", "s1"],
        "haystack_dates": ["2024/05/08 (Wed) 18:30", "2024/05/02 (Thu) 07:05"],
        "haystack_sessions": [
            [{"role": "user", "content": "Two more hens came.", "has_answer": True}],
            [
                {"role": "user", "content": "Ilka has four hens.", "has_answer": True},
                {"role": "assistant", "content": "Do they lay?", "has_answer": False},
                {"role": "user", "content": "Daily."},
            ],
        ],
        "answer_session_ids": ["s2", "s1"],
    }


def test_the_sessions_are_exchanges_in_the_order_of_their_dates(item: dict[str, Any], saved: Saved) -> None:
    """The older session comes first, and each session opens an exchange."""
    (loaded,) = load_transcripts(saved([item]))
    assert loaded.title == "q17"
    assert [(one.user_text, one.date) for one in loaded.exchanges] == [
        ("Ilka has four hens.", datetime(2024, 5, 2, 7, 5, tzinfo=UTC)),
        ("Daily.", datetime(2024, 5, 2, 7, 5, tzinfo=UTC)),
        ("Two more hens came.", datetime(2024, 5, 8, 18, 30, tzinfo=UTC)),
    ]


def test_the_turns_with_the_answer_are_the_evidence(item: dict[str, Any], saved: Saved) -> None:
    """The answer may be a number in the file."""
    (loaded,) = load_transcripts(saved([item]))
    (question,) = loaded.measured
    assert (question.text, question.answer, question.category) == ("How many hens has Ilka?", "6", "multi-session")
    assert question.evidence == ("Ilka has four hens.", "Two more hens came.")


def test_a_question_for_abstention_is_not_asked(item: dict[str, Any], saved: Saved) -> None:
    """No turn can answer such a question, so there is nothing to recall."""
    (loaded,) = load_transcripts(saved([item | {"question_id": "q17_abs"}]))
    assert [one.category for one in loaded.questions] == [ADVERSARIAL]
    assert loaded.measured == []


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"haystack_dates": ["2024/05/08 (Wed) 18:30"]}, "there are 1 'haystack_dates' for 2 'haystack_sessions'"),
        ({"haystack_dates": ["soon", "late"]}, "expected a date such as '2023/05/20 (Sat) 02:21', not 'soon'"),
        ({"haystack_sessions": [list[Any](), list[Any]()]}, "there is no message in 'haystack_sessions'"),
        (
            {"haystack_sessions": [[{"role": "bot", "content": "Hi"}], list[Any]()]},
            "expected 'user' or 'assistant', not 'bot'",
        ),
        ({"haystack_sessions": [list[Any](), [{"role": "user"}]]}, "'content': expected a text"),
        ({"question": None}, "'question': expected a text that is not empty, not None"),
    ],
)
def test_errors_name_the_place(change: dict[str, Any], error: str, item: dict[str, Any], saved: Saved) -> None:
    """Each mistake in a file is told with its place and the expected form."""
    with pytest.raises(TransferError) as raised:
        load_transcripts(saved([item | change]))
    assert error in str(raised.value)
