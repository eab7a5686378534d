"""What is known, found by words."""

import gc
import random
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as some

from memzoo.memories.search.kinds import RULE, find_asked_kinds, tells_rule
from memzoo.memories.search.unit_index import KnownUnit, UnitIndex, introduce
from memzoo.memories.search.weights import UnitWeights
from memzoo.memories.text.names import FULL_NAME

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
# Who saw whom, and who plays instead.
KETTLES = [
    KnownUnit("Ann has seen The Kettles", ("ann", "the kettles"), 3, DAY),
    KnownUnit("Ann booked Velvet Harbour (instead of The Kettles)", ("ann", "velvet harbour"), 9, DAY),
    KnownUnit("Bo likes The Kettles too", ("bo", "music"), 11, DAY),
    KnownUnit("Cleo rents the red hall (instead of the blue one)", ("cleo", "the red hall"), 12, DAY),
]
APART = UnitWeights(around=0, neighbours=0)


def empty(weights: UnitWeights | None = None) -> UnitIndex:
    """An index of items that are lists of units."""
    return UnitIndex(lambda _, item: item, weights)


def index_of(units: list[KnownUnit], weights: UnitWeights | None = None) -> UnitIndex:
    """An index with an item for each unit."""
    index = empty(weights)
    index.apply({str(number): [unit] for number, unit in enumerate(units)})
    return index


def unnamed(_: str) -> dict[str, float]:
    """A line names nothing."""
    return {}


def texts(index: UnitIndex, query: str, **named: Any) -> list[str]:
    """What is found, best first."""
    return [known.unit.text for known in index.search(query, named)]


class TestFinding:
    """What is found by what."""

    def test_by_words_in_any_form(self) -> None:
        """A word finds what has it, whatever its ending."""
        assert texts(index_of(FACTS), "How much does it weigh?")[0] == "the oven weighs 640 kilos"

    def test_by_its_very_first_word(self) -> None:
        """The first word of all that is known finds like any other."""
        units = [KnownUnit("zebras run", ("anna",)), KnownUnit("cats sleep", ("bo",))]
        assert texts(index_of(units, UnitWeights(profile=0)), "zebra") == ["zebras run"]

    def test_by_what_took_its_place(self) -> None:
        """A later unit that names a rare name as replaced is found for it (I15); one without such a word is not."""
        seen, booked, *_ = KETTLES
        index = index_of([*KETTLES, *FACTS])
        assert [[two.unit for two in index.find_later(one)] for one in (seen, booked)] == [[booked], []]

    def test_a_name_of_signs_alone_has_no_successor(self) -> None:
        """Without a word in the name, nothing can be said to have taken its place."""
        assert index_of([liked := KnownUnit("Ann likes ♥", ("ann", "♥"), 3, DAY)]).find_later(liked) == []

    def test_leads_from_a_role_to_a_name(self) -> None:
        """Who is called the head baker is found with all that is known of him, before what others did."""
        found = texts(index_of(FACTS, APART), "Where did my head baker learn?")
        assert found[:2] == [FACTS[0].text, FACTS[1].text] or found[:2] == [FACTS[1].text, FACTS[0].text]

    def test_by_what_was_said_around(self) -> None:
        """What the same message said as a find, or one beside it, is found behind it; what others said is not."""
        beside = [KnownUnit(f"a lamp {seq}", (f"lamp {seq}",), seq, DAY) for seq in (19, 20, 21, 22, 23)]
        found = texts(index_of([*FACTS, *beside], UnitWeights(profile=0)), "quote")
        assert found == ["Mara asked for a quote", "a lamp 20", "a lamp 21", "a lamp 22"]

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

    @pytest.mark.parametrize(
        ("question", "first"),
        [
            ("Where does the oven come from?", "the oven comes from Linz"),
            ("What do I have to do to clean the oven?", "the oven must be cold before cleaning it"),
            ("How heavy is the oven?", "the oven has a weight of many kilos"),
        ],
    )
    def test_by_the_kind_of_answer(self, question: str, first: str) -> None:
        """A place, a rule and a measure come first if the question asks for one."""
        others = ["the oven comes often", "the oven has a clean door", "the oven is hot work"]
        units = [KnownUnit(text, ("the oven",)) for text in others]
        assert texts(index_of([*units, KnownUnit(first, ("the oven",))], APART), question)[0] == first

    @pytest.mark.parametrize(
        ("question", "first", "other"),
        [
            ("小王的家乡是哪里?", "小王的家乡是上海", "小王现在很好"),
            ("小王可以做什么?", "小王会做面", "小王特别爱干净"),
        ],
    )
    def test_chinese_words_that_only_look_like_a_place_or_a_rule(self, question: str, first: str, other: str) -> None:
        """In Chinese, "now" is no place, and "especially" forbids nothing."""
        assert texts(index_of([KnownUnit(other, ("x",)), KnownUnit(first, ("x",))], APART), question)[0] == first

    def test_without_its_words_by_the_kind_of_answer(self) -> None:
        """The newest units with such a value are found, unless the question has a full name or no known word."""
        index = index_of([KnownUnit("Rex lives in Bern", ("rex",)), KnownUnit("Mia sings", ("mia",))], APART)
        assert texts(index, "Where does she sing?") == ["Mia sings", "Rex lives in Bern"]
        assert texts(index, "Where does Mia sing?", mia=FULL_NAME) == ["Mia sings"]
        assert texts(index, "Where is everybody?") == []

    def test_rules_are_found_by_any_question(self) -> None:
        """A rule is the last result without its words, and gains if the question asks for something forbidden."""
        rule = KnownUnit("Rex must not have grapes", ("rex",), 5, DAY, rule=True)
        index = index_of([rule, KnownUnit("Rex likes soft food", ("rex",), 7, DAY), *FACTS], APART)
        assert texts(index, "What weighs 640 kilos?")[-1] == texts(index, "Which fruit is forbidden?")[0] == rule.text
        assert texts(index, "Which soft food must Rex never get?")[0] == rule.text
        index.apply({"0": []})
        assert texts(index, "Which fruit is forbidden?") == []

    @pytest.mark.parametrize(
        "text",
        [
            "Ann's rule is no strobe in the hall",
            "Strobes are banned in the hall",
            "Ann's rules: no strobe, no smoke",
            "老师的规矩是进门换鞋",
        ],
    )
    def test_a_rule_is_known_by_its_words(self, text: str) -> None:
        """A ban, and a statement that calls itself a rule, are rules; "the school rules the district" is none."""
        assert tells_rule(text)
        assert find_asked_kinds("Which effect is banned here?") == RULE
        assert not tells_rule("the school rules the district, and the rule book is old")

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

    def test_by_another_name_that_stands_in_the_question(self) -> None:
        """Who is asked about by a name that no word finds is found by it, though words find something else."""
        found = texts(index_of(FACTS, APART), "Where did Tiger learn chemistry?", mara=1.0)
        assert "Mara asked for a quote" in found

    def test_in_chinese(self) -> None:
        """Words of scripts without spaces are found, too."""
        units = [KnownUnit("陈明住在南京", ("陈明",), 1, DAY), KnownUnit("小雨喜欢喝茶", ("小雨",), 2, DAY)]
        assert texts(index_of(units, APART), "谁喜欢茶\uff1f")[0] == "小雨喜欢喝茶"

    def test_in_chinese_a_character_of_other_words_counts_little(self) -> None:
        """Two characters of the question in a row count more than three that stand apart."""
        units = [KnownUnit(text, (text,)) for text in ("平台上时间到了请吃", "老人喝茶爱安静")]
        assert texts(index_of(units, APART), "我平时喝茶吃")[0] == "老人喝茶爱安静"

    def test_in_chinese_by_characters_in_a_row(self) -> None:
        """Two characters that stand together in the question count more than the same ones apart."""
        units = [KnownUnit(text, (text,)) for text in ("新房在家乡", "家里换新灯", "新家很大")]
        assert texts(index_of(units, APART), "新家怎么样")[0] == "新家很大"

    def test_of_nothing_is_nothing(self) -> None:
        """An empty index, and a query without words, find nothing."""
        assert texts(empty(), "tea") == []
        assert texts(index_of(FACTS), " ") == []
        assert [*empty().search("tea").items()] == []


class TestFound:
    """What a search found, as a prompt or an explanation shows it."""

    def test_introduces_names(self) -> None:
        """Each name with what says who it is, though something else was found before that."""
        found = index_of(FACTS, APART).search("Who learnt his trade, and who studies chemistry?")
        likely = {name: unit.text for name, unit in introduce(found).items()}
        assert likely == {"devin achterberg": FACTS[0].text, "noor": FACTS[2].text}

    def test_introduces_at_most_40_names(self) -> None:
        """The names of the best units."""
        boats = [KnownUnit("a boat", (f"boat {number:02}",), number) for number in range(50)]
        found = index_of(boats).search("boat")
        assert [*introduce(found)] == [one.unit.names[0] for one in [*found][:40]]

    def test_comes_best_first_and_each_once(self) -> None:
        """However many have a word, each comes once, the best first; of very many, the last that came."""
        units = [KnownUnit(f"boat {number} " + "is red " * (number % 7), (f"n{number}",)) for number in range(900)]
        for count, found in ((60, 60), (900, 64)):
            scores = [score for _, score in index_of(units[:count]).search("boat").items()]
            assert scores == sorted(scores, reverse=True)
            assert len({one.key for one in index_of(units[:count]).search("boat")}) == len(scores) == found

    @pytest.mark.parametrize("seed", range(5))
    def test_is_the_same_however_the_index_was_filled(self, seed: int) -> None:
        """What was put in bit by bit, taken out and put back is found as in an index that was filled at once."""
        chance = random.Random(seed)  # noqa: S311 - chance that repeats
        words = "boat likes red old Anna Bo Cleo".split()
        items: dict[str, list[KnownUnit]] = {f"item {number}": [] for number in range(8)}
        index = empty()
        for seq in range(120):
            units = items[key := chance.choice(list(items))]
            gone = chance.sample(units, min(len(units), chance.choice((0, 0, 1, 3))))
            index.apply({key: [one for one in units if one not in gone]})
            for _ in range(3):
                text = " ".join(chance.choices(words, k=4))
                units.append(KnownUnit(f"{text} {chance.randrange(9**9)}", (key, chance.choice(words).lower()), seq))
            index.apply({key: units})
        anew = empty()
        anew.apply(dict(reversed(items.items())))
        for query in ("Who likes a boat?", "Anna and Bo", "Is it red, or is it old?"):
            assert [*index.search(query)] == [*anew.search(query)] != []
            assert [*index.find_touched(query, unnamed)] == [*anew.find_touched(query, unnamed)]


class TestTouched:
    """What new lines may change."""

    def test_is_found_for_each_line(self) -> None:
        """A short line among others finds what it is about: what fits any one line best comes first."""
        index = index_of(FACTS, APART)
        lines = "The oven weighs less, and the oven is from Graz\n\nchemistry"
        touched = index.find_touched(lines, lambda line: {"the oven": 1.0} if "oven" in line else {})
        assert {one.unit.text for one in [*touched][:3]} == {
            "the oven weighs 640 kilos",
            "the oven comes from Linz",
            "Noor studies food chemistry",
        }

    def test_of_nothing_is_nothing(self) -> None:
        """Where nothing is known, or nothing said, nothing changes."""
        assert [*empty().find_touched("tea", unnamed)] == []
        assert [*empty().find_touched("tea", unnamed).items()] == []
        assert [*index_of(FACTS).find_touched("", unnamed)] == []


class TestChanges:
    """An index follows what it is told."""

    def test_of_one_text_go_one_by_one(self) -> None:
        """Two units of an item with the same words and message, but other names, are two."""
        one, other = (KnownUnit("Ann lives in Oslo", names, 1) for names in (("ann",), ("ann", "oslo")))
        index = index_of([])
        index.apply({"k": [one, other]})
        index.apply({"k": [one]})
        assert texts(index, "Where does Ann live?") == ["Ann lives in Oslo"]

    def test_take_the_place_of_what_was_there(self) -> None:
        """An item is searched as it is now; one without units is found no more."""
        index = index_of(FACTS)
        index.apply({"5": [KnownUnit("the oven weighs 700 kilos", ("the oven",), 17, DAY)], "3": []})
        found = texts(index, "Noor's chemistry, and how much the oven weighs")
        assert "the oven weighs 700 kilos" in found
        assert not {"the oven weighs 640 kilos", "Noor studies food chemistry"} & set(found)

    def test_let_go_of_what_went(self) -> None:
        """What was replaced again and again is kept no more; what was found before is still what it was."""
        index = empty()
        index.apply({"kettle": [KnownUnit("the kettle holds 0 cups", ("the kettle",))]})
        found = index.search("kettle")
        for number in range(1, 100):
            index.apply({"kettle": [KnownUnit(f"the kettle holds {number} cups", ("the kettle",))]})
        held = [one for one in gc.get_objects() if isinstance(one, KnownUnit) and one.text.endswith("cups")]
        assert len(held) < 10
        assert [known.unit.text for known in found] == ["the kettle holds 0 cups"]
        assert texts(index, "kettle") == ["the kettle holds 99 cups"]

    @given(
        some.lists(
            some.tuples(some.integers(0, 6), some.sampled_from([None, *FACTS, *KETTLES])),
            max_size=12,
        )
    )
    @example([(7, KETTLES[3]), (8, KETTLES[0]), (9, KETTLES[1])])
    def test_find_the_same_whatever_came_before(self, changes: list[tuple[int, KnownUnit | None]]) -> None:
        """An index that followed changes ranks as one that was filled with what is left."""
        followed = index_of(FACTS)
        now: dict[int, KnownUnit | None] = dict(enumerate(FACTS))
        for place, unit in changes:
            followed.apply({str(place): [unit] if unit else []})
            now[place] = unit
            followed.find_later(KETTLES[0])
        filled = empty()
        filled.apply({str(place): [unit] for place, unit in now.items() if unit})
        for query in ("Where did my head baker learn?", "the oven", "May"):
            one, other = (index.search(query, {"noor": 1.0}) for index in (followed, filled))
            assert [*one] == [*other]
            assert [score for _, score in one.items()] == pytest.approx([score for _, score in other.items()])
        for unit in KETTLES:
            assert followed.find_later(unit) == filled.find_later(unit)

    def test_keep_nothing_of_what_can_no_longer_be_read(self) -> None:
        """An item that is damaged later, and then deleted, is found no more: a forgotten text stays nowhere."""
        index = UnitIndex(lambda _, item: [one for one in FACTS if one.text == item["text"]])
        index.apply({"oven": {"text": FACTS[4].text}})
        assert texts(index, "oven") == [FACTS[4].text]
        index.apply({"oven": {}})
        with pytest.raises(KeyError):
            texts(index, "oven")
        index.apply({}, reset=True)
        assert texts(index, "oven") == []
