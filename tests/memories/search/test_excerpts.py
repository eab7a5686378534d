"""What is shown of what was found: short messages whole, long ones as the excerpt that matters, within the limit."""

import functools
from datetime import UTC, datetime, timedelta
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from memzoo.memories import VectorStoreRetrieverMemory
from memzoo.memories.search.analysis import Analyser
from memzoo.memories.search.clipping import GAP, Clipper
from memzoo.memories.search.excerpt import evidence, fit_passages
from memzoo.memories.text.view import Passage
from memzoo.stores import InMemoryStore, Message

NOON = datetime(2026, 5, 8, 12, tzinfo=UTC)
ANALYSER = Analyser()
STORY = " ".join(f"Sentence {number} tells of the weather." for number in range(200))


def words(text: str) -> int:
    """Counts tokens."""
    return len(text.split())


def count(message: Message) -> int:
    """Counts the tokens of a message."""
    return words(str(message["content"]))


def clip(query: str, text: str, most: int) -> str:
    """An excerpt of so many words."""
    return Clipper(ANALYSER, query, words)(text, most)


class TestExcerpt:
    """What is left of a long message."""

    def test_is_what_matters(self) -> None:
        """The sentence with the words of the question stays, with marks where something is left out."""
        shown = clip("Where is the red boat?", f"{STORY} The red boat lies in Oslo. {STORY}", 40)
        assert "The red boat lies in Oslo." in shown
        assert GAP in shown.partition("The red boat")[0]
        assert shown.endswith(GAP)
        assert words(shown) <= 40

    @pytest.mark.parametrize(
        ("query", "needle", "hay"),
        [
            ("Wo liegt das Boot?", "Das Boot liegt in Kiel.", "Es regnet in der Stadt. "),
            ("\u8239\u5728\u54ea\u91cc", "\u8239\u5728\u5965\u65af\u9646\u3002", "\u4eca\u5929\u4e0b\u96e8\u3002"),
        ],
    )
    def test_is_found_in_other_languages(self, query: str, needle: str, hay: str) -> None:
        """German and Chinese sentences are found like English ones."""
        assert needle in Clipper(ANALYSER, query, len)(hay * 60 + needle + hay * 60, 120)

    @settings(max_examples=40)
    @given(some.text("ab .!?\n\u6211", max_size=400), some.integers(1, 60))
    def test_fits(self, text: str, most: int) -> None:
        """It never has more tokens than it may, whatever the text."""
        assert len(Clipper(ANALYSER, "a b", len)(text, most)) <= most


class TestShown:
    """What is shown of several messages."""

    def test_short_ones_are_whole(self) -> None:
        """A message that takes no more than its part is shown word for word; a long one as an excerpt."""
        short = Passage(1, "Anna", "The red boat is mine.", NOON, begins=True)
        long = Passage(2, "AI", f"{STORY} The red boat lies in Oslo.", NOON, begins=True)
        shown = fit_passages(1_000, [long, short], words, Clipper(ANALYSER, "the red boat", words))
        assert [passage.text == short.text for passage in shown] == [False, True]
        assert "The red boat lies in Oslo." in shown[0].text
        assert words(evidence(shown)[0]) <= 1_000 // 4 + 20

    def test_the_year_stands_where_it_changes(self) -> None:
        """A date needs its year only once."""
        days = (NOON - timedelta(days=300), NOON, NOON + timedelta(days=1))
        passages = [Passage(seq, "Anna", "Hi", day, begins=True) for seq, day in enumerate(days, start=1)]
        dates = [line for line in evidence(passages)[0].splitlines() if line.endswith(":")]
        assert dates == ["12 July 2025:", "8 May 2026:", "9 May:"]


@functools.cache
def talk() -> VectorStoreRetrieverMemory:
    """A talk in which long replies say again what users said, and much besides."""
    memory = VectorStoreRetrieverMemory(store=InMemoryStore(clock=lambda: NOON), token_counter=count)
    for number in range(60):
        reply = f"You said fact{number} of thing{number % 7}. {STORY[: 200 * (number % 5)]}"
        said: list[Message] = [
            {"role": "user", "content": f"My thing{number % 7} has the fact{number}."},
            {"role": "assistant", "content": reply},
        ]
        memory.add_messages(said)
    return memory


def recall(limit: int) -> float:
    """The mean share of what the user said about a thing that is shown."""
    memory = talk()
    memory.max_token_limit = limit

    def share(thing: int) -> float:
        said = [f"My thing{thing} has the fact{number}." for number in range(60) if number % 7 == thing]
        shown = memory.load_memory_variables({"input": f"What do you know about my thing{thing}?"})["history"]
        return fmean(one in shown for one in said)

    return fmean(map(share, range(7)))


@settings(max_examples=12)
@given(some.integers(40, 600))
def test_more_room_never_finds_less(limit: int) -> None:
    """In a talk with long replies, twice the room shows at least as much of what counts."""
    assert recall(2 * limit) >= recall(limit)


def test_rare_words_count_for_more() -> None:
    """Of two sentences with a word of the question each, the one whose word no other sentence has is shown."""
    hay = "The boat was red and old. " * 8
    shown = clip("Which boat has a harmonium?", f"{hay}A harmonium stood below in it. {hay}", 12)
    assert "harmonium" in shown
