"""Search by words: any query, any script, and the words around a message count."""

import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from memzoo.memories.search.kinds import CORRECTS, SURELY, VALUES, kinds_of
from memzoo.memories.search.weights import Weights
from memzoo.memories.search.word_index import WordIndex
from memzoo.strategy import Passage
from tests.memories.search.reference import fts_scores

NOON = datetime(2026, 5, 8, 12, tzinfo=UTC)


def index_of(*texts: str, pause: timedelta = timedelta(hours=2)) -> WordIndex:
    """An index of messages, each long after the one before, so that none is context of another."""
    index = WordIndex()
    index.add(Passage(seq, "Human", text, NOON + seq * pause, begins=True) for seq, text in enumerate(texts, start=1))
    return index


def ranked(index: WordIndex, query: str) -> Sequence[int]:
    """What is found, best first."""
    return list(index.scores(query))


WORDS = [
    "cat",
    "Cats",
    "I sail.",
    "a_b",
    "a b",
    "Why?",
    "2026",
    "5,6",
    "Łódź",
    "我住",
    "é",
    "x" * 300,
    "",
    "\n",
    "cat fish " * 40,
]
ASKED_FOR = ["cat", "sailing", "a_b", "b", "why", "May", "9 May", "2026", "5,6", "anna", "lodz", "住", "E", "zebra"]
PAUSES = [0, 1, 59, 60, 61, 60 * 24]

TEXTS = some.lists(some.sampled_from(WORDS), max_size=6).map(" ".join)
SPOKEN = some.lists(some.tuples(some.sampled_from(["Anna", "Bo"]), TEXTS, some.sampled_from(PAUSES)), max_size=25)
ASKED = some.lists(some.sampled_from(ASKED_FOR), max_size=4).map(" ".join)


def spoken(said: list[tuple[str, str, int]]) -> list[Passage]:
    """Messages with speakers, and the minutes since the one before."""
    passages: list[Passage] = []
    now = NOON
    for seq, (speaker, text, minutes) in enumerate(said, start=1):
        now += timedelta(minutes=minutes)
        passages.append(Passage(3 * seq, speaker, text, now, begins=True))
    return passages


class TestScores:
    """How well messages fit."""

    @given(SPOKEN, ASKED)
    def test_are_those_of_full_text_search(self, said: list[tuple[str, str, int]], query: str) -> None:
        """Scores are those of BM25 as SQLite computes it, over the text, the window and the segment."""
        passages = spoken(said)
        index = WordIndex()
        index.add(passages)
        assert index.scores(query) == pytest.approx(fts_scores(passages, query, {"Anna", "Bo"}), abs=1e-6)

    @pytest.mark.parametrize(
        ("query", "first"),
        [
            ("How was the cat in May?", 1),
            ("Wie war die cat im Mai?", 1),
            ("cat在五月怎么样", 1),
            ("The cat in June?", 2),
        ],
    )
    def test_double_in_a_month_that_the_query_names(self, query: str, first: int) -> None:
        """Of two messages, the one said in the month named comes first; "may" in small letters is no month."""
        index, june = index_of("The cat sat on the mat, and I do not know why."), NOON + timedelta(days=30)
        index.add([Passage(2, "Human", "The cat, my cat!", june, begins=True)])
        index.add(
            Passage(seq, "Human", "It rained.", june + seq * timedelta(hours=2), begins=True) for seq in (3, 4, 5)
        )
        assert ranked(index, query)[0] == first
        assert index.scores("the cat may")[1] < index.scores("the cat May")[1]
        assert index.scores("May I see the cat?")[1] < index.scores("I see the cat in May?")[1]

    def test_double_on_a_day_that_the_query_means(self) -> None:
        """A day gains alone, not with the rest of its month; a month gains whole."""
        index, texts = WordIndex(), ["The cat sat.", *["It rained."] * 9]
        said = enumerate((day, text) for day in range(3) for text in texts)
        index.add(Passage(seq + 1, "Human", text, NOON + timedelta(days=day), begins=True) for seq, (day, text) in said)

        def gains(*words: str) -> list[int]:
            with_month, without = (
                dict(index.rank("cat", dates=dates).items())
                for dates in (words, [one for one in words if one != "May"])
            )
            return [round(with_month[seq] / without[seq]) for seq in (1, 11, 21)]

        assert gains("8", "May", "2026") == [2, 1, 1]
        assert gains("9", "May", "2026", "8") == [1, 2, 1]
        assert gains("May", "2026") == [2, 2, 2]

    def test_of_a_phrase_are_of_its_words_in_a_row(self) -> None:
        """What the tokenizer cuts into several words is found where they stand in this order, with nothing between."""
        assert sorted(ranked(index_of("tin box", "tin red box", "tin red", "box tin", "a tin box"), "tin_box")) == [
            1,
            5,
        ]

    def test_come_best_first(self) -> None:
        """The best first, the older first among equals; what embeddings find counts though words do not find it."""
        index = index_of("cat", "dog", "cat fish", "cat")
        assert list(index.scores("cat fish")) == [3, 1, 4]
        assert set(index.scores("cat fish", {2: 0.9, 99: 0.1})) == {1, 2, 3, 4}

    def test_of_a_search_without_words_are_those_of_embeddings(self) -> None:
        """With weights that leave all words out, the nearest come first."""
        index = WordIndex(weights=Weights(own=0, around=0, segment=0))
        index.add(spoken([("Anna", "cat", 1), ("Anna", "cat", 61), ("Anna", "cat", 61)]))
        assert list(index.scores("cat", {3: 0.5, 6: 0.7, 9: 0.6})) == [6, 9, 3]

    def test_do_not_depend_on_the_scale_of_an_embedder(self) -> None:
        """Similarities that are squeezed together or shifted rank messages as before."""
        index = index_of("cat", "dog", "cat fish", "cow", "hen")
        near = {1: 0.1, 2: 0.9, 3: 0.2, 4: 0.3, 5: 0.4}
        squeezed = {seq: 0.8 + similarity / 10 for seq, similarity in near.items()}
        assert index.scores("cat fish", squeezed) == pytest.approx(index.scores("cat fish", near))


class TestCost:
    """What time the search takes."""

    @pytest.mark.parametrize("text", ["", "a", "yes, I do"])
    def test_grows_with_the_number_of_messages(self, text: str) -> None:
        """Four times as many messages, however short, take about four times as long, not 16 times (I13)."""

        def steps(count: int) -> int:
            passages = spoken([("Anna", text, 0)] * count)
            return counted(lambda: WordIndex().add(passages))

        assert steps(1_200) < 8 * steps(300)

    @pytest.mark.parametrize("text", ["word ", "?! ", "a_", "我", "\n"])
    def test_grows_with_the_length_of_a_message(self, text: str) -> None:
        """A message of 200,000 characters is put in and found like any other (I13)."""
        index = index_of(text * (200_000 // len(text)), "needle")
        assert ranked(index, "needle") == [2]

    def test_of_a_long_phrase_is_bounded(self) -> None:
        """A query that is one long run of the same word does not compare all of it at each place (I13)."""
        index = index_of("a " * 20_000)
        assert ranked(index, "a_" * 20_000 + "a") == [1]


def counted(work: Callable[[], object]) -> int:
    """Lines of Python that some work takes, and numbers that NumPy goes over in it, in thousands."""
    steps = 0

    def trace(frame: FrameType, event: str, arg: object) -> Any:
        nonlocal steps
        steps += event == "line"
        if event == "line" and "growing" in frame.f_locals:
            steps += len(frame.f_locals["growing"]) // 100
        return trace

    # What follows may be traced by others, such as a measurement of what tests reach.
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return steps


class TestGrowing:
    """What is put in."""

    def test_by_many_speakers(self) -> None:
        """What was packed in pieces is as it was, with all who spoke."""
        passages = spoken([(f"Speaker {number % 40}", f"word{number} cat", 7) for number in range(1_500)])
        whole, packed = WordIndex(), WordIndex()
        whole.add(passages)
        early = WordIndex()
        early.add(passages[:30])
        packed.unpack({**early.pack(0), **whole.pack(passages[29].seq)})
        assert packed.scores("Speaker 39 word700") == whole.scores("Speaker 39 word700")
        assert len(whole.pack(0)) == 3

    def test_ignores_what_is_there(self) -> None:
        """Messages that are put in again are not found twice, and their text stays."""
        index = index_of("my cat")
        index.add([Passage(1, "Human", "my dog", NOON, begins=True), Passage(2, "Human", "my dog", NOON, begins=True)])
        assert set(ranked(index, "dog")) >= {2}
        assert set(index.scores("my")) == {1, 2}

    @given(some.lists(some.text("ab ", max_size=300), max_size=12), some.integers(1, 5))
    def test_step_by_step_is_as_all_at_once(self, texts: list[str], step: int) -> None:
        """An index that grew with the conversation finds what one finds that was built from the whole log."""
        passages = [Passage(seq, "Human", text, NOON, begins=True) for seq, text in enumerate(texts, start=1)]
        at_once, grown = WordIndex(), WordIndex()
        at_once.add(passages)
        for start in range(0, len(passages), step):
            grown.add(passages[start : start + step])
        assert grown.scores("a") == pytest.approx(at_once.scores("a"))


class TestSpeakers:
    """Who is asked about."""

    @pytest.mark.parametrize("query", ["What does Melanie like?", "melanie, what do you like?"])
    def test_are_known_by_their_labels(self, query: str) -> None:
        """Of two messages that fit alike, the one of the speaker who is named comes first, in any case of letters."""
        index = WordIndex()
        index.add(spoken([("Anna", "I like pottery", 0), ("Melanie", "I like pottery", 120)]))
        assert ranked(index, query)[0] == 6

    @pytest.mark.parametrize(
        ("label", "known"), [("Anna Lee", True), ("Old Anna Lee", True), ("Dear Old Anna Lee", False)]
    )
    def test_have_labels_of_three_words_at_most(self, label: str, *, known: bool) -> None:
        """A label is found in a question word by word; nobody is called by more words than three."""
        index = WordIndex()
        index.add(spoken([("Bo", "I like pottery", 0), (label, "I like pottery", 120)]))
        assert (ranked(index, f"Does {label} like pottery?")[0] == 6) == known

    def test_are_not_their_parts_in_the_talk(self) -> None:
        """In a question, "the user" is not who has the label User, as most have."""
        index = WordIndex()
        index.add(spoken([("AI", "I like pottery", 0), ("User", "I like pottery", 120)]))
        assert ranked(index, "Does the user like pottery?") == [3, 6]


class TestCorrections:
    """What was said later about the same."""

    @pytest.mark.parametrize(
        ("said", "later"),
        [
            ("The project budget is $50,000.", "Make that $150,000."),
            ("Schedule the meeting for Monday.", "No wait, change that to Thursday."),
            ("My sister lives in Oslo.", "My sister has moved to Bergen, she no longer lives in Oslo."),
            ("Das Treffen ist am Montag.", "Nein, doch nicht, das Treffen ist am Freitag."),
            ("Please send the parcel to Los Angeles.", "Actually, deliver it to New York."),
            ("I take 10 mg of lisinopril in the morning.", "My doctor switched the lisinopril from 10 to 20 mg."),
            ("We marry at the Grand Hotel.", "We changed our mind: we marry in the lakeside barn."),
            ("I eat meat every day.", "I don't eat meat any more."),
            ("My rent is 900 a month.", "The rent is 950 now."),
            ("My rent is 900 a month.", f"The rent is 950 now. {'Hurray! ' * 9}"),
            ("Meine Miete kostet 900 im Monat.", "Die Miete wurde geändert, auf 950."),
            ("Mi alquiler es de 900 al mes.", "El alquiler ahora es de 950."),
            ("O meu aluguel é de 900 por mês.", "O aluguel agora é de 950."),
            ("Моя аренда стоит 900 в месяц.", "Аренда теперь стоит 950."),
        ],
    )
    def test_come_with_what_they_correct(self, said: str, later: str) -> None:
        """The newest later correction stands before the statement, and the statement stays."""
        index = index_of(*["The weather is dull"] * 30, said, *["We had lunch"] * 30, later, *["Nice"] * 9)
        assert index.add_corrections([31, 5], 1_000)[:2] == [62, 31]

    def test_may_be_ones_or_surely_are(self) -> None:
        """Words tell which, and neither is one of the kinds of values."""
        said = {text: kinds_of(text) for text in ("We like tea.", "We decided on tea.", "Actually, we like tea.")}
        assert [bool(kinds & CORRECTS) for kinds in said.values()] == [False, True, True]
        assert [bool(kinds & SURELY) for kinds in said.values()] == [False, False, True]
        assert not any(kinds & VALUES for kinds in said.values())
        assert kinds_of("On Monday for $9 by Anna Lee, at 7.") == VALUES

    def test_are_later(self) -> None:
        """What was said before corrects nothing, and neither does what has nothing in common."""
        index = index_of("Actually, the budget is $10.", *["We had lunch"] * 30, "The budget is $20.", "Wait, who?")
        assert index.add_corrections([32], 1_000) == [32]

    @pytest.mark.parametrize(
        "later",
        [
            "Thanks for your help with the boat! I'll keep you updated, bye for now.",
            "A lot has changed since we talked, Anna: my job, my flat, my friends, my dog, my hair, and I am happy.",
            "Did you make it to the harbour?",
            "Is the boat in Oslo now?",
        ],
    )
    def test_are_no_small_talk(self, later: str) -> None:
        """What is said with words of correction corrects nothing, unless it is mostly about the same, or if it asks."""
        index = index_of(*["The weather is dull"] * 30, "Anna keeps the boat in the harbour of Bergen.", later)
        assert index.add_corrections([31], 1_000) == [31]

    @pytest.mark.parametrize(
        ("said", "later", "corrects"),
        [
            ("The budget is $20.", "Make that $50.", True),
            ("My sister drinks tea.", "Make that $50.", False),
            ("The budget is $20.", "Make that as you like.", False),
            (
                "The budget is $20.",
                "Fine, $50 or so is what they usually ask for, I would say, as far as we know.",
                False,
            ),
            ("The budget is $20.", f"Make that $50, {'which is rather much for so little, ' * 3}or so.", False),
        ],
    )
    def test_that_are_brief_need_only_a_value_of_the_same_kind(self, said: str, later: str, *, corrects: bool) -> None:
        """Few words that surely correct something need no word in common with it, but an amount for an amount."""
        index = index_of(*["The weather is dull"] * 30, said, later)
        assert index.add_corrections([31], 1_000) == ([32, 31] if corrects else [31])

    @pytest.mark.parametrize(("words", "corrects"), [(57, True), (58, False)])
    def test_are_said_in_few_words(self, words: int, *, corrects: bool) -> None:
        """What is longer than a paragraph tells something of its own."""
        later = "Actually, the project budget is now $50" + " budget" * (words - 7)
        index = index_of(*["The weather is dull"] * 30, "The project budget is $20.", later)
        assert index.add_corrections([31], 10_000) == ([32, 31] if corrects else [31])

    def test_are_the_newest_and_the_one_most_like_it(self) -> None:
        """Of many later corrections, at most two come: the best, and the last that fits nearly as well."""
        hay = ["We had lunch"] * 30
        said = ["The project budget is $20.", "The project budget is now $30.", "Actually, the project budget is $40."]
        index = index_of(*hay, *said, *hay, "The project budget is now $50.", *hay)
        assert index.add_corrections([31], 1_000) == [64, 31]
        assert index.add_corrections([64], 1_000) == [64]
        like = "Sam moved his red boat from the old harbour of Bergen, it is now in Oslo."
        index = index_of(
            *hay, "Sam has his red boat in the old harbour of Bergen.", like, *hay, "His red boat is now old."
        )
        assert index.add_corrections([31], 2_000)[-2:] == [32, 31]

    def test_of_three_finds_where_there_is_room_else_of_the_first(self) -> None:
        """Each stands before what it corrects; with room for little, that of the first find alone."""
        hay = ["We had lunch"] * 30
        old = [
            "The project budget is $20.",
            "The party is on Monday.",
            "My rent is 900 a month.",
            "I drive a red Volvo.",
        ]
        new = [
            "The project budget is $10 now.",
            "The party is on Friday now.",
            "My rent is 950 now.",
            "I drive a Saab now.",
        ]
        index = index_of(*hay, *old, *hay, *new, *["Nice"] * 9)
        assert index.add_corrections([31, 32, 33, 34], 1_000) == [65, 31, 66, 32, 67, 33, 34]
        assert index.add_corrections([31, 32, 33, 34], 2_000) == [65, 31, 66, 32, 67, 33, 34]
        assert index.add_corrections([31, 32, 33, 34], 600) == [65, 31, 66, 32, 33, 34]
        assert index.add_corrections([31, 32, 33, 34], 599) == [65, 31, 32, 33, 34]

    def test_that_are_clear_come_before_later_finds_too(self) -> None:
        """With room for many messages, a clear correction stands before its message, wherever that was found."""
        said, clear, perhaps = (
            "The budget is $20.",
            "No, the budget is $30 after all, I was wrong.",
            "We decided on $40.",
        )
        index = index_of("Hello", *["We had lunch"] * 30, said, *["Fine"] * 9, clear, perhaps, *["Nice"] * 9)
        assert index.add_corrections([1, 2, 3, 4, 32], 1_000) == [1, 2, 3, 4, 42, 32]
        assert index.add_corrections([1, 2, 3, 4, 32], 600) == [1, 2, 3, 4, 32]

    def test_that_are_long_do_not_take_the_room_of_all(self) -> None:
        """With room for little, a long correction is left out."""
        later = "Actually, the budget of the project is no longer what I said about the budget, it is $10 now."
        index = index_of("The project budget is $20.", *["We had lunch"] * 30, later)
        assert index.add_corrections([1], 1_000) == [32, 1]
        assert index.add_corrections([1], 60) == [1]
        assert index.add_corrections([1], 2 * len(later)) == [32, 1]
        assert index.add_corrections([1], 2 * len(later) - 1) == [1]

    def test_in_chinese_stand_beside_their_message_in_a_small_view(self) -> None:
        """The length counts in letters, not in words: Chinese has no spaces, and each of its characters is a word."""
        later = "搬家要改日子。蚂蚁雄兵说十号有大雨,提前到九号,就是明天。"
        index = index_of("搬家定在十月十号。我选了便宜的,叫蚂蚁雄兵。", *["吃饭"] * 30, later)
        assert index.add_corrections([1], 300) == [32, 1]


class TestWorth:
    """What a message is worth whatever is asked."""

    def test_of_a_long_one_is_less(self) -> None:
        """A short message comes before one that says the same and a hundred words besides."""
        index = index_of(*["The weather is dull"] * 9, "boat sail harbour " * 40, "The boat sails.")
        assert ranked(index, "Which boat sails?")[0] == 11

    def test_of_a_question_is_less(self) -> None:
        """Of messages that fit alike, one that asks comes last."""
        index = index_of(*["The weather is dull"] * 9, "Who sails a boat?", "One sails a boat.")
        assert ranked(index, "sailing a boat") == [11, 10]

    def test_of_the_speaker_himself_is_more(self) -> None:
        """Of messages that fit alike, one of "I" or "we" comes first."""
        index = index_of(*["The weather is dull"] * 9, "Now they sail a boat.", "Now we sail a boat.")
        assert ranked(index, "sailing a boat") == [11, 10]

    def test_does_not_outweigh_words(self) -> None:
        """A question with the words comes before a statement with fewer of them."""
        index = index_of(*["The weather is dull"] * 9, "Did we sail a red boat to Oslo?", "I saw a boat, I think.")
        assert ranked(index, "the red boat that sailed to Oslo")[0] == 10
