"""Questions that rules draft: what the user said, with a gap."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memzoo.benchmarks.drafting import GAP, gap_questions
from memzoo.benchmarks.transcripts import Transcript, sample_transcripts
from memzoo.benchmarks.transcripts.conversations import TranscriptMessage, exchanges_of


def talk(*texts: str) -> Transcript:
    """A conversation in which the user says these, and the assistant the same each time."""
    said = [
        ({"role": "user", "content": text}, {"role": "assistant", "content": "Lovely, Sir Nigel."}) for text in texts
    ]
    return Transcript("talk", exchanges_of(TranscriptMessage(one) for exchange in said for one in exchange))


@pytest.mark.parametrize(
    ("said", "question", "answer", "kind"),
    [
        ("My sister lives with Anna Berg in Oslo.", "My sister lives with ___ in Oslo.", "Anna Berg", "name"),
        ("We paid the plumber £1,240 for it.", "We paid the plumber ___ for it.", "£1,240", "number"),
        ("The flight back leaves on 3 June at last.", "The flight back leaves on ___ at last.", "3 June", "date"),
        (
            "At breakfast I really like rye bread with honey.",
            "At breakfast I really like ___ with honey.",
            "rye bread",
            "preference",
        ),
        ("It is actually the 14th of May, sorry.", "It is actually the ___, sorry.", "14th of May", "correction"),
        ("The booking has the code KX4471-B, for two.", "The booking has the code ___, for two.", "KX4471-B", "number"),
        ("我妹妹其实搬到“绿湖”住了三年", "我妹妹其实搬到___住了三年", "“绿湖”", "correction"),
        ("早饭我最爱吃豆沙包\uff0c别的都不要", "早饭我最爱吃___\uff0c别的都不要", "豆沙包", "preference"),
        ("老师让我四十一号去学校开家长会", "老师让我___号去学校开家长会", "四十一", "number"),
    ],
)
def test_what_is_left_out(said: str, question: str, answer: str, kind: str) -> None:
    """A name, a number, a date, what somebody likes, or what was corrected; the message is the evidence."""
    [found] = gap_questions(talk(said), 1)
    assert found in gap_questions(talk(said), 10**18)
    assert (found.text, found.answer, found.evidence, found.category) == (question, answer, (said,), f"drafted {kind}")


@pytest.mark.parametrize(
    "said",
    [
        "Do you know whether Anna lives in Oslo now?",
        "Yes, on Monday.",
        "Look at https://example.org/Anna/2024 when you can.",
        "This is what we do when the weather is nice.",
        "It is called McDonaldXy42z by people around here.",
        "run `make Install` on 3 June for the build",
        "my number at home is +31 6 87654321 and 020/7946 0018",
    ],
)
def test_what_is_not_asked_about(said: str) -> None:
    """Questions, bits, links, code, and sentences in which nothing of the kind stands."""
    assert gap_questions(talk(said)) == []


def test_nothing_is_asked_of_the_assistants_words() -> None:
    """Only what the user said tells what he wants remembered."""
    assert not any("Nigel" in one.answer for one in gap_questions(talk("My sister Anna lives in Oslo now.")))


def test_what_is_said_all_the_time_is_no_answer() -> None:
    """An answer that stands in more than three messages would be shown by anything."""
    often = [f"My cat Tom ate {number} of the fish today." for number in (21, 32, 43, 54)]
    assert {one.answer for one in gap_questions(talk(*often))} == {"21", "32", "43", "54"}


def test_they_are_spread_over_the_conversation() -> None:
    """Of a hundred exchanges with something to ask about, ten questions ask about each part."""
    texts = [f"The train number {number} was late again this week." for number in range(100, 200)]
    places = [int(one.answer) // 10 for one in gap_questions(talk(*texts), 10)]
    assert places == list(range(10, 20))


@pytest.mark.parametrize(("language", "kinds"), [("en", 5), ("zh", 4)])
def test_of_the_bundled_conversations(language: str, kinds: int) -> None:
    """As many as are wanted, of several kinds, none about what is not said."""
    [bundled] = sample_transcripts(language)
    drafted = gap_questions(bundled, 20)
    assert len(drafted) == 20
    assert len({one.category for one in drafted}) >= kinds
    assert all(one.text.count(GAP) == 1 and one.answer in one.evidence[0] for one in drafted)


@given(st.lists(st.text(alphabet="Ab 3.,?!我喜欢“”_\n", max_size=60), max_size=8), st.integers(1, 9))
def test_whatever_is_said(texts: list[str], count: int) -> None:
    """Never more than asked for; each has one gap, and its answer stands in its evidence."""
    found = gap_questions(talk("Hello there.", *texts), count)
    assert len(found) <= count
    assert all(GAP in one.text and one.answer and one.answer in one.evidence[0] for one in found)
