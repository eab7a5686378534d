"""What is known, found by words, names and neighbours."""

import gc
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from memzoo.memories.search.unit_index import UnitIndex
from memzoo.memories.search.units import KnownUnit
from memzoo.memories.search.weights import UnitWeights

DAY = datetime(2026, 5, 8, tzinfo=UTC)
# One talk: who works in a bakery, and what became of the oven.
FACTS = [
    KnownUnit("Devin Achterberg is the head baker", ("devin achterberg", "the head baker"), 1, DAY, tells=True),
    KnownUnit("Devin Achterberg learnt his trade in Ghent", ("devin achterberg", "ghent"), 9, DAY),
    KnownUnit("Noor is the apprentice", ("noor", "the apprentice"), 3, DAY, tells=True),
    KnownUnit("Noor studies food chemistry", ("noor", "food chemistry"), 11, DAY),
    KnownUnit("the oven comes from Linz", ("the oven", "linz"), 13, DAY),
    KnownUnit("the oven weighs 640 kilos", ("the oven", "640 kilos"), 17, DAY),
    KnownUnit("Mara asked for a quote", ("mara", "a quote"), 21, DAY),
]
APART = UnitWeights(window=1)


def index_of(units: list[KnownUnit], weights: UnitWeights | None = None) -> UnitIndex:
    """An index with an item for each unit."""
    index = UnitIndex(weights)
    index.put({str(number): [unit] for number, unit in enumerate(units)})
    return index


def texts(index: UnitIndex, query: str, **named: Any) -> list[str]:
    """What is found, best first."""
    return [known.unit.text for known in index.search(query, named)]


class TestFinding:
    """What is found by what."""

    def test_by_words_in_any_form(self) -> None:
        """A word finds what has it, whatever its ending."""
        assert texts(index_of(FACTS), "How much does it weigh?")[0] == "the oven weighs 640 kilos"

    def test_by_words_before_names_alone(self) -> None:
        """What has the words of a question, and what is known of the same, come before what has only a name in it."""
        found = texts(index_of(FACTS, APART), "chemistry", mara=1.0)
        assert found == ["Noor studies food chemistry", "Noor is the apprentice", "Mara asked for a quote"]

    def test_one_step_away_unless_more_are_asked_for(self) -> None:
        """By default, what shares a name with a find; with each step more, what shares a name with that."""
        chain = [KnownUnit(f"{one} {other}", (one, other)) for one, other in ("ab", "bc", "cd", "de")]
        index = index_of(chain, UnitWeights(window=1, profile=0))
        reach = {steps: {one.unit.text for one in index.search("a", {}, steps)} for steps in (1, 2)}
        assert {one.unit.text for one in index.search("a")} == reach[1]
        assert len(reach[2]) > len(reach[1])

    def test_by_its_very_first_word(self) -> None:
        """The first word of all that is known finds like any other."""
        units = [KnownUnit("zebras run", ("anna",)), KnownUnit("cats sleep", ("bo",))]
        assert texts(index_of(units, UnitWeights(window=1, profile=0, neighbours=0)), "zebra") == ["zebras run"]

    def test_leads_from_a_role_to_a_name(self) -> None:
        """Who is called the head baker is found with all that is known of him, before what others did."""
        found = texts(index_of(FACTS, APART), "Where did my head baker learn?")
        assert found[:2] == [FACTS[0].text, FACTS[1].text] or found[:2] == [FACTS[1].text, FACTS[0].text]

    def test_a_name_counts_once(self) -> None:
        """What shares a name with a find gains no more by that where the words known under the name gave it as much."""
        note = [KnownUnit(text, ("noor",)) for text in ("Noor is the apprentice", "Noor studies food chemistry")]

        def gained(profile: float) -> list[str]:
            found = index_of([*note, *FACTS[4:]], replace(APART, profile=profile)).search("chemistry")
            return [one.unit.text for one, _ in found.by("neighbours")]

        assert "Noor is the apprentice" in gained(0.1)
        assert gained(10.0) == []

    def test_leads_to_what_shares_a_name(self) -> None:
        """What else is known of the best find is found too; what has nothing to do with it is not."""
        found = texts(index_of(FACTS, APART), "chemistry")
        assert found == ["Noor studies food chemistry", "Noor is the apprentice"]

    def test_by_names_without_words(self) -> None:
        """A name that is asked about finds what is known of it, whatever the words of the question."""
        found = texts(index_of(FACTS, APART), "?", noor=1.0)
        assert set(found) == {"Noor is the apprentice", "Noor studies food chemistry"}

    def test_by_what_was_said_around(self) -> None:
        """What was said beside a find is found behind it."""
        found = texts(index_of(FACTS, UnitWeights(profile=0, neighbours=0)), "quote")
        assert found[0] == "Mara asked for a quote"
        assert "the oven weighs 640 kilos" in found

    @pytest.mark.parametrize(("length", "together"), [(300, True), (301, False)])
    def test_by_what_was_said_around_to_the_last_character(self, length: int, *, together: bool) -> None:
        """Two things of 600 characters together are each found by the words of the other; longer ones are not."""
        said = [("boat" + " x" * 400)[:300], ("harbour" + " y" * 400)[:length]]
        units = [KnownUnit(text, (str(place),), place, DAY) for place, text in enumerate(said, start=1)]
        index = index_of(units)
        assert set(texts(index, "boat")) == set(said if together else said[:1])
        assert set(texts(index, "harbour")) == set(said if together else said[1:])

    def test_by_the_day(self) -> None:
        """A day in the question finds what was said on it, and so does one that was meant."""
        later = datetime(2026, 6, 20, tzinfo=UTC)
        units = [KnownUnit("Anna came", ("anna",), 1, DAY), KnownUnit("Bo came", ("bo",), 2, later)]
        units.append(KnownUnit("Cleo left yesterday", ("cleo",), 3, datetime(2026, 8, 2, tzinfo=UTC)))
        index = index_of(units, APART)
        assert texts(index, "Who came in June?")[0] == "Bo came"
        assert texts(index, "1 August")[0] == "Cleo left yesterday"

    @pytest.mark.parametrize(
        ("question", "first"), [("When does the oven come?", "the oven comes on Monday"), ("the oven?", "the oven is")]
    )
    def test_by_what_kind_of_thing_is_asked_for(self, question: str, first: str) -> None:
        """Of what has the same words, that comes first which has a date, if the question asks when."""
        units = [KnownUnit(f"the oven {rest}", ("the oven",)) for rest in ("is hot stone", "comes on Monday")]
        assert texts(index_of(units, APART), question)[0].startswith(first)

    def test_by_words_in_a_row(self) -> None:
        """Two words that stand in the unit as in the question count more than the same words apart."""
        units = [KnownUnit(text, (text,)) for text in ("a film for the club", "the club saw a film", "a film club")]
        assert texts(index_of(units, APART), "our film club")[0] == "a film club"

    def test_words_of_every_talk_count_little(self) -> None:
        """A word that all questions have decides nothing, however rare it is in what is known."""
        units = [KnownUnit(text, (text,)) for text in ("Sam has a nice boat", "Eve has a kayak", "Bo has a kayak")]
        found = texts(index_of([*units, *FACTS], APART), "Who has a nice kayak?")
        assert set(found[:2]) == {"Eve has a kayak", "Bo has a kayak"}

    def test_words_that_hold_others_together_count_little(self) -> None:
        """What is "behind" something in the question is not what is behind something else."""
        units = [KnownUnit(text, (text,)) for text in ("Graham sits behind his boat", "the paws hurt", "the paws itch")]
        found = texts(index_of([*units, *FACTS], APART), "What is behind the paws?")
        assert set(found[:2]) == {"the paws hurt", "the paws itch"}

    def test_what_the_assistant_advised_comes_after_what_is_so(self) -> None:
        """Advice has words of everything: it comes behind what is known, unless the assistant is asked about."""
        advised, known = "assistant advises on the mill to ask what it costs", "the mill wants £900"
        units = [KnownUnit(known, ("the mill",), 18, DAY), *FACTS]
        units.append(KnownUnit(advised, ("assistant", "to ask what it costs"), 19, DAY, advice=True))
        question = "What does the mill cost, if I ask?"
        assert texts(index_of(units, replace(APART, advice=1.0)), question)[0] == advised
        found = texts(index_of(units, APART), question)
        assert found.index(known) < found.index(advised)
        assert texts(index_of(units, APART), question, assistant=0.5)[0] == advised
        assert texts(index_of(units, APART), f"{question} What did the assistant say?")[0] == advised

    def test_by_words_where_somebody_is_named(self) -> None:
        """A name in the question is a word: what only shares it, or shares a name with the finds, comes behind."""
        named = texts(index_of(FACTS, APART), "Did Noor ask for the quote?", noor=1.0)
        assert named == texts(index_of(FACTS, replace(APART, names=0, neighbours=0)), "Did Noor ask for the quote?")
        far = texts(index_of(FACTS, replace(APART, profile=0)), "Noor's chemistry", noor=1.0)
        assert far == ["Noor studies food chemistry", "Noor is the apprentice"]

    def test_what_words_find_best_comes_first(self) -> None:
        """In the first places stands what words alone find; nothing that only shares a name with it takes them."""
        question, alone = "my baker's quote for food", replace(APART, names=0, neighbours=0)
        first = texts(index_of(FACTS, alone), question)[:3]
        assert texts(index_of(FACTS, APART), question)[:3] == first
        assert texts(index_of(FACTS, replace(APART, first=0)), question)[:3] != first

    def test_by_another_name_that_stands_in_the_question(self) -> None:
        """Who is asked about by a name that no word finds is found by it, though words find something else."""
        found = texts(index_of(FACTS, APART), "Where did Tiger learn chemistry?", mara=1.0)
        assert "Mara asked for a quote" in found

    def test_what_corrected_something_comes_sooner(self) -> None:
        """Of all that is known of who is meant, what took the place of something comes before what was always so."""
        units = [KnownUnit("Pumpernickel is the dog", ("pumpernickel",), 1, DAY, tells=True)]
        units += [KnownUnit(f"Pumpernickel likes {what}", ("pumpernickel",), 2, DAY) for what in ("butter", "tea")]
        units.append(KnownUnit("Pumpernickel is allergic to mites", ("pumpernickel",), 9, DAY))
        before = KnownUnit("Pumpernickel is allergic to chicken", ("pumpernickel",), 3, DAY, corrected_by=9)
        question = "What is behind the dog's sore feet?"
        assert texts(index_of(units, APART), question)[1] == "Pumpernickel likes butter"
        corrected = texts(index_of([*units, before], APART), question)
        assert corrected[1] == "Pumpernickel is allergic to mites"
        assert before.text not in corrected

    def test_in_chinese(self) -> None:
        """Words of scripts without spaces are found, too."""
        units = [KnownUnit("陈明住在南京", ("陈明",), 1, DAY), KnownUnit("小雨喜欢喝茶", ("小雨",), 2, DAY)]
        assert texts(index_of(units, APART), "谁喜欢茶\uff1f")[0] == "小雨喜欢喝茶"

    def test_in_chinese_by_characters_in_a_row(self) -> None:
        """Two characters that stand together in the question count more than the same ones apart."""
        units = [KnownUnit(text, (text,)) for text in ("新房在家乡", "家里换新灯", "新家很大")]
        assert texts(index_of(units, APART), "新家怎么样")[0] == "新家很大"

    def test_of_nothing_is_nothing(self) -> None:
        """An empty index, and a query without words, find nothing."""
        assert texts(UnitIndex(), "tea") == []
        assert texts(index_of(FACTS), " ") == []
        assert [*UnitIndex().search("tea").scores] == []


class TestFound:
    """What a search found, as a prompt or an explanation shows it."""

    def test_is_told_by_its_parts(self) -> None:
        """Of each part of the search, those that it gave something, best first; together they make up the score."""
        found = index_of(FACTS, APART).search("chemistry", {"mara": 1.0})
        assert found.parts == ("words", "names", "neighbours")
        given = {part: {one.unit.text: score for one, score in found.by(part)} for part in found.parts}
        assert set(given["names"]) == {"Mara asked for a quote"}
        assert next(iter(given["words"])) == "Noor studies food chemistry"
        assert "Mara asked for a quote" not in given["words"]
        assert all(score > 0 for scores in given.values() for score in scores.values())
        assert all([*scores.values()] == sorted(scores.values(), reverse=True) for scores in given.values())
        assert len(found) == len([*found])

    @pytest.mark.parametrize("most", [0, 1, 2, 9])
    def test_introduces_so_many_names(self, most: int) -> None:
        """Each name with what says who it is, though something else was found before that."""
        found = index_of(FACTS, APART).search("Who learnt his trade, and who studies chemistry?")
        likely = {name: unit.text for name, unit in found.introduce(most).items()}
        assert len(likely) == min(most, 2)
        introductions = {"devin achterberg": FACTS[0].text, "noor": FACTS[2].text}
        if most > 1:
            assert likely == introductions

    def test_comes_in_the_same_order_however_many(self) -> None:
        """Far more finds than are looked at at once come each once, the best first."""
        units = [KnownUnit(f"boat {number} " + "is red " * (number % 7), (f"n{number}",)) for number in range(200)]
        found = index_of(units).search("boat")
        scores = [score for _, score in found.scores]
        assert scores == sorted(scores, reverse=True)
        assert len({one.key for one in found}) == len(found) == 200


class TestTouched:
    """What new lines may change."""

    def test_is_found_for_each_line(self) -> None:
        """A short line among others finds what it is about: what fits any one line best comes first."""
        index = index_of(FACTS, APART)
        lines: list[tuple[str, dict[str, float]]] = [
            ("The oven weighs less, and the oven is from Graz", {"the oven": 1.0}),
            ("chemistry", {}),
        ]
        assert {one.unit.text for one in [*index.find_touched(lines)][:3]} == {
            "the oven weighs 640 kilos",
            "the oven comes from Linz",
            "Noor studies food chemistry",
        }

    def test_of_nothing_is_nothing(self) -> None:
        """Where nothing is known, or nothing said, nothing changes."""
        assert [*UnitIndex().find_touched([("tea", {})])] == []
        assert [*UnitIndex().find_touched([("tea", {})]).scores] == []
        assert [*index_of(FACTS).find_touched([])] == []


class TestChanges:
    """An index follows what it is told."""

    def test_take_the_place_of_what_was_there(self) -> None:
        """An item is searched as it is now; one without units is found no more."""
        index = index_of(FACTS)
        index.put({"5": [KnownUnit("the oven weighs 700 kilos", ("the oven",), 17, DAY)], "3": []})
        found = texts(index, "Noor's chemistry, and how much the oven weighs")
        assert "the oven weighs 700 kilos" in found
        assert not {"the oven weighs 640 kilos", "Noor studies food chemistry"} & set(found)

    def test_of_the_order_of_an_item_change_what_stands_around(self) -> None:
        """What a note says now in one order has its neighbours in that order, whatever the order was before."""
        boat, harbour, cat, dog = (
            KnownUnit(f"{word} {'so ' * 20}", (word,), 1, DAY) for word in ("boat", "harbour", "cat", "dog")
        )
        index = UnitIndex(UnitWeights(window=150, profile=0, neighbours=0))
        index.put({"note": [boat, cat, dog, harbour]})
        assert set(texts(index, "boat")) == {boat.text, cat.text}
        index.put({"note": [boat, harbour, cat, dog]})
        assert set(texts(index, "boat")) == {boat.text, harbour.text}

    def test_let_go_of_what_went(self) -> None:
        """What was replaced again and again is kept no more; what was found before is still what it was."""
        index = UnitIndex()
        index.put({"kettle": [KnownUnit("the kettle holds 0 cups", ("the kettle",))]})
        found = index.search("kettle")
        for number in range(1, 100):
            index.put({"kettle": [KnownUnit(f"the kettle holds {number} cups", ("the kettle",))]})
        held = [one for one in gc.get_objects() if isinstance(one, KnownUnit) and one.text.endswith("cups")]
        assert len(held) < 10
        assert [known.unit.text for known in found] == ["the kettle holds 0 cups"]
        assert texts(index, "kettle") == ["the kettle holds 99 cups"]

    @given(
        some.lists(
            some.tuples(some.integers(0, 6), some.sampled_from([None, *FACTS, replace(FACTS[0], corrected_by=9)])),
            max_size=12,
        )
    )
    def test_find_the_same_whatever_came_before(self, changes: list[tuple[int, KnownUnit | None]]) -> None:
        """An index that followed changes ranks as one that was filled with what is left."""
        followed = index_of(FACTS)
        now: dict[int, KnownUnit | None] = dict(enumerate(FACTS))
        for place, unit in changes:
            followed.put({str(place): [unit] if unit else []})
            now[place] = unit
        filled = UnitIndex()
        filled.put({str(place): [unit] for place, unit in now.items() if unit})
        for query in ("Where did my head baker learn?", "the oven", "May"):
            one, other = (index.search(query, {"noor": 1.0}) for index in (followed, filled))
            assert [*one] == [*other]
            assert [score for _, score in one.scores] == pytest.approx([score for _, score in other.scores])
