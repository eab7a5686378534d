"""What is shown of what was found: short messages whole, long ones as the excerpt that matters, within the limit."""

import functools
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from memzoo.memories import VectorStoreRetrieverMemory
from memzoo.memories.search.excerpt import GAP, Clipper, evidence, fit_found, fit_passages
from memzoo.memories.search.words import Analyser
from memzoo.stores import InMemoryStore, Message
from memzoo.strategy import Passage
from memzoo.sync import drive

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


def said(*texts: str, day: datetime = NOON) -> list[Passage]:
    """Passages of Anna, all of one day."""
    return [Passage(seq, "Anna", text, day, begins=True) for seq, text in enumerate(texts, start=1)]


class TestRoom:
    """What fits."""

    @pytest.mark.parametrize(("limit", "shown"), [(6, 0), (7, 1), (10, 1), (11, 2), (16, 2), (17, 3), (25, 3), (26, 4)])
    def test_is_used_to_the_last_token(self, limit: int, shown: int) -> None:
        """A line has its speaker, each day its date once, with a year for the first of the year."""
        same, later, before = said("a b c", "d e f"), NOON + timedelta(days=1), NOON - timedelta(days=300)
        others = [Passage(3, "Anna", "g h i", later, begins=True), Passage(0, "Anna", "j k l m n", before, begins=True)]
        chosen = fit_passages(limit, [*same, *others], words)
        assert len(chosen) == shown
        assert not chosen or words(evidence(chosen)[0]) <= limit

    @pytest.mark.parametrize(("long", "shown"), [(19, 2), (20, 1)])
    def test_is_not_looked_for_without_end(self, long: int, shown: int) -> None:
        """After twenty in a row that do not fit, no more are tried; one that fits begins the count anew."""
        texts = ["a", *["b " * 99] * long, "c"]
        assert len(fit_passages(20, said(*texts), words)) == shown
        assert len(fit_passages(20, said(*texts[1:]), words)) == shown - 1
        again = ["a", *["b " * 99] * 19, "c", *["b " * 99] * 19, "d"]
        assert len(fit_passages(20, said(*again), words)) == 3

    @pytest.mark.parametrize(
        ("limit", "length", "whole"), [(400, 150, True), (400, 151, False), (1_000, 250, True), (1_000, 251, False)]
    )
    def test_is_not_taken_by_one_message(self, limit: int, length: int, *, whole: bool) -> None:
        """A message of a quarter of the limit, or of 150 tokens, is shown whole; of a longer one an excerpt."""
        text = "It rains in Oslo. " * 300
        cut = " ".join(text.split()[: length - 1])
        (shown,) = fit_passages(limit, said(cut), words, lambda text, most: " ".join(text.split()[: most // 2]))
        assert (shown.text == cut) == whole
        assert fit_passages(limit, said(cut), words)[0].text == cut

    def test_is_not_given_to_nothing(self) -> None:
        """A message of which no excerpt fits is left out, and the next is shown."""
        chosen = fit_passages(400, said("long " * 200, "short"), words, lambda text, _: text[:0])
        assert [passage.text for passage in chosen] == ["short"]


@pytest.mark.parametrize(
    ("count", "room", "asked"), [(10, 50, [64]), (64, 999, [64, 128]), (200, 999, [64, 128, 256]), (200, 50, [64])]
)
def test_only_as_many_are_read_as_are_looked_at(count: int, room: int, asked: list[int]) -> None:
    """Messages are ranked and read by dozens, twice as many each time, while there is room for more."""
    counts: list[int] = []

    def ranked(most: int) -> list[int]:
        counts.append(most)
        return list(range(1, count + 1))[:most]

    async def read(seqs: Sequence[int]) -> list[Passage]:
        return [Passage(seq, "Anna", "Hi", NOON, begins=True) for seq in seqs]

    shown = drive(fit_found(room, ranked, read, words))
    assert counts == asked
    assert len(shown) == min(count, (room - 3) // 2)


@pytest.mark.parametrize(
    ("most", "shown"),
    [
        (99, "It rained. The boat lies here. We ate. We slept. Bye now."),
        (13, "It rained. The boat lies here. [...]"),
        (6, "[...] The boat lies here. [...]"),
        (5, "It rained. [...]"),
        (3, ""),
    ],
)
def test_marks_stand_where_something_is_left_out(most: int, shown: str) -> None:
    """At the beginning, between and at the end; not between sentences that follow each other."""
    assert clip("Where is the boat?", "It rained. The boat lies here. We ate. We slept. Bye now.", most) == shown


def test_a_word_of_one_sentence_counts_for_more_than_a_word_of_two() -> None:
    """Where there is room for one sentence, it is the one with the rarer word, wherever it stands."""
    text = "The boat one. Far a. Far b. Far c. The boat two. Far d. Far e. Far f. A harmonium three. Far g."
    assert clip("boat harmonium", text, 5) == "[...] A harmonium three. [...]"


def test_sentences_beside_a_find_come_before_others() -> None:
    """What stands beside the words of the question tells more than what stands far from them."""
    text = "Far one. Far two. Near one. The boat lies here. Near two. Far three. Far four."
    assert clip("boat", text, 16) == "[...] Near one. The boat lies here. Near two. [...]"


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
    memory = talk().clone(max_token_limit=limit)

    def share(thing: int) -> float:
        said = [f"My thing{thing} has the fact{number}." for number in range(60) if number % 7 == thing]
        shown = memory.load_memory_variables({"input": f"What do you know about my thing{thing}?"})["history"]
        return fmean(one in shown for one in said)

    return fmean(map(share, range(7)))


@settings(max_examples=8)
@given(some.integers(40, 600))
def test_more_room_never_finds_less(limit: int) -> None:
    """In a talk with long replies, twice the room shows at least as much of what counts."""
    assert recall(2 * limit) >= recall(limit)


def test_rare_words_count_for_more() -> None:
    """Of two sentences with a word of the question each, the one whose word no other sentence has is shown."""
    hay = "The boat was red and old. " * 8
    shown = clip("Which boat has a harmonium?", f"{hay}A harmonium stood below in it. {hay}", 12)
    assert "harmonium" in shown
