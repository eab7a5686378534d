"""LoCoMo's format."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memzoo.benchmarks import load_transcripts
from memzoo.errors import TransferError

Saved = Callable[..., Path]

_DEV = Path(__file__).parents[2] / ".." / "shared" / "data" / "locomo" / "dev.json"


def turn(speaker: str, id_: str, text: str, **more: Any) -> dict[str, Any]:
    """A turn as LoCoMo has it."""
    return {"speaker": speaker, "dia_id": id_, "text": text, **more}


@pytest.fixture
def talk() -> dict[str, Any]:
    """A short talk of two people over two sessions."""
    return {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Bob",
            "session_10": [turn("Ann", "D10:1", "Bye.")],
            "session_10_date_time": "1:56 pm on 8 May, 2023",
            "session_2_date_time": "9:05 am on 1 May, 2023",
            "session_2": [
                turn("Bob", "D2:1", "Hi Ann!"),
                turn("Ann", "D2:2", "Hi."),
                turn("Ann", "D2:3", "Look:", blip_caption="a cat on a chair", query="cat"),
                turn("Bob", "D2:4", "Nice."),
            ],
        },
        "qa": [
            {"question": "What was shown?", "answer": 2022, "evidence": ["D2:3"], "category": 4},
            {"question": "Who?", "answer": "Ann", "evidence": ["D:2:2; D10:01", "D", "D7:7"], "category": 1},
            {"question": "Why?", "adversarial_answer": "so", "evidence": ["D2:1"], "category": 5},
            {"question": "When?", "answer": "never", "evidence": [], "category": 2},
        ],
    }


class TestTurns:
    """Turns become messages, messages become exchanges."""

    def test_turns_of_one_speaker_are_one_message(self, talk: dict[str, Any], saved: Saved) -> None:
        """Speaker a is the user; sessions follow their numbers; each opens an exchange, whoever speaks."""
        (loaded,) = load_transcripts(saved([talk]))
        said = [[(one["role"], one["content"]) for one in exchange.messages] for exchange in loaded.exchanges]
        assert said == [
            [("assistant", "Hi Ann!")],
            [("user", "Hi.\nLook: [image: a cat on a chair]"), ("assistant", "Nice.")],
            [("user", "Bye.")],
        ]
        assert (loaded.title, loaded.user, loaded.assistant) == ("conv-1", "Ann", "Bob")

    def test_each_turn_keeps_its_own_evidence(self, talk: dict[str, Any], saved: Saved) -> None:
        """A joined message has an evidence id for each of its turns, with the text to look for."""
        (loaded,) = load_transcripts(saved([talk]))
        assert loaded.exchanges[1].evidence[0] == {"D2:2": "Hi.", "D2:3": "Look: [image: a cat on a chair]"}

    def test_dates_are_those_of_the_sessions(self, talk: dict[str, Any], saved: Saved) -> None:
        """LoCoMo's way to write a date is understood."""
        (loaded,) = load_transcripts(saved([talk]))
        dates = [exchange.date for exchange in loaded.exchanges]
        assert dates == [datetime(2023, 5, 1, 9, 5, tzinfo=UTC)] * 2 + [datetime(2023, 5, 8, 13, 56, tzinfo=UTC)]


class TestQuestions:
    """Questions and what they cite."""

    def test_categories_have_names_and_the_adversarial_one_is_left_out(
        self, talk: dict[str, Any], saved: Saved
    ) -> None:
        """Answers may be numbers."""
        (loaded,) = load_transcripts(saved([talk]))
        asked = [(question.text, question.answer, question.category) for question in loaded.measured]
        assert asked == [("What was shown?", "2022", "single-hop"), ("Who?", "Ann", "multi-hop")]
        assert (loaded.adversarial, loaded.without_evidence) == (1, 1)

    def test_malformed_citations_are_read_where_they_can_be(self, talk: dict[str, Any], saved: Saved) -> None:
        """Several ids in one text, a colon or a zero too many: understood. Ids of nothing: reported."""
        (loaded,) = load_transcripts(saved([talk]))
        assert loaded.questions[1].evidence == ("Hi.", "Bye.")
        assert loaded.unusable_evidence == ("D", "D7:7")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"conversation": []}, "item 0, 'conversation': expected an object with speakers and sessions, not []"),
        (
            {"conversation": {"speaker_a": "Ann"}},
            "item 0, 'conversation', 'speaker_b': expected a text that is not empty; it is missing",
        ),
        ({"qa": [{"question": "?", "category": 9}]}, "item 0, qa 0, 'category': expected a number from 1 to 5, not 9"),
        ({"qa": ["?"]}, "qa 0: expected a question with"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(
    change: dict[str, Any], expected: str, talk: dict[str, Any], saved: Saved
) -> None:
    """Each error names the file, the place in it, and what would be right."""
    with pytest.raises(TransferError) as caught:
        load_transcripts(saved([talk | change]))
    assert expected in str(caught.value)


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        (
            "session_2",
            [turn("Zoe", "D2:1", "Hi")],
            "session_2, turn 0, 'speaker': expected one of 'Ann', 'Bob', not 'Zoe'",
        ),
        ("session_2", [turn("Ann", "D2:1", "Hi"), "oops"], "session_2, turn 1: expected a turn with"),
        ("session_2", "oops", "session_2, 'turns': expected a list, not 'oops'"),
        (
            "session_2_date_time",
            "yesterday",
            "session_2, 'date': expected a date such as '1:56 pm on 8 May, 2023', not 'yesterday'",
        ),
    ],
)
def test_a_wrong_session_is_named(key: str, value: Any, expected: str, talk: dict[str, Any], saved: Saved) -> None:
    """The session and the turn are part of the error."""
    talk["conversation"][key] = value
    with pytest.raises(TransferError) as caught:
        load_transcripts(saved([talk]))
    assert expected in str(caught.value)


@pytest.mark.skipif(not _DEV.exists(), reason="LoCoMo's data is not here (../shared/data/locomo/dev.json)")
def test_the_real_data_is_read_in_full() -> None:
    """All evidence of all measured questions stands in the conversations, word for word."""
    loaded = load_transcripts(_DEV)
    assert [len(one.measured) for one in loaded] == [150, 152, 178, 150, 156]
    assert [one.unusable_evidence for one in loaded] == [(), (), (), ("D4:36",), ()]
    for one in loaded:
        said = "\n".join(message["content"] for exchange in one.exchanges for message in exchange.messages)
        assert all(text in said for question in one.measured for text in question.evidence)
