"""Whether what was shown says what an answer says."""

import json
from pathlib import Path

import pytest

from memzoo.benchmarks.measure.answers import answer_found

SAID = {
    "in another order, with other endings": ("the Church Organs", "He tunes an organ. The church was cold."),
    "in capitals": ("Mara's boxes", "MARA has one box"),
    "irregular forms": ("bought children's books", "She buys a book for each child."),
    "thousands": ("£1,900", "It will be 1900 pounds a month."),
    "thousands in short": ("£2,500", "It cost 2.5k."),
    "number words": ("twenty-one days", "21 days"),
    "hundreds in words": ("£150", "a hundred and fifty pounds"),
    "per cent": ("6.4%", "at 6.4 per cent"),
    "decimals": ("£5.50", "It costs 5.5 pounds."),
    "ordinals": ("the third floor", "on the third floor"),
    "ordinals in digits": ("the third floor", "on the 3rd floor"),
    "compound ordinals": ("her 21st birthday", "It was her twenty-first birthday."),
    "a date the other way round": ("7 May 2023", "They met on May 7th, 2023."),
    "a date in words": ("1 July", "from the first of July on"),
    "the last day of a month": ("31 May", "on May 31"),
    "a compound ordinal": ("21 June", "on the twenty-first of June"),
    "an ISO date": ("7 July 2026", "2026-07-07: the cellar"),
    "a date without its year": ("7 July 2026", "On 7 July the cellar was flooded."),
    "a date without its weekday": ("Saturday 20 June", "20 June"),
    "a month of a date": ("September 2025", "since 3 September 2025"),
    "a date over the line": (
        "the Friday before 15 July 2023",
        "15 July 2023:\nMel: So busy. Nothing new. Last Fri I went.",
    ),
    "parts far apart": ("a stool, £85", "I owe her a stool.\nIt rains. It pours.\nThat was £85."),
    "in several messages": ("a stool and a lamp", "a stool\n\n\na lamp"),
    "most of many words": ("a tiled floor from the 1920s", "The tiled floor below was from the 1920s, he said."),
    "a name with commas": ("Pell, Marrow & Co.", "from the agents Pell, Marrow & Co., above the chemist"),
    "a denial": ("not allergic to nuts", "He isn't allergic to nuts."),
    "a denial after no": ("No, she doesn't eat fish", "She never eats fish."),
    "what is said after a denial": ("Bergen", "She is not in Oslo but in Bergen."),
    "Chinese without spaces": ("上海", "我住在上海。"),
    "Chinese in between": ("修钢琴", "他修了四十年钢琴才退休"),
    "Chinese numbers": ("一千九百五", "租金降到1950"),
    "a Chinese year": ("1984", "一九八四年"),
    "Chinese tens": ("15公斤", "每箱别超过十五公斤"),
    "Chinese zeros": ("两千零四", "2004"),
    "a thousand": ("£1,000", "a thousand pounds"),
    "what is five words behind a denial": ("Bergen", "I can't wait to see my sister Anna in Bergen."),
    "a denial behind": ("meat, fish not", "He eats meat but no fish."),
    "three of four words": ("brass oven door handles", "an oven door with handles"),
    "a bound": ("30 litres", "no more than 30 litres"),
    "money in words": ("85 pounds for a stool", "a stool for £85"),
    "traditional characters": ("兩千", "2000"),
    "Chinese hundreds": ("两千四百五十", "2450"),
    "Chinese ten thousands": ("十二万", "120000元"),
    "Chinese millions": ("三亿", "300000000人"),
    "cents before a full stop": ("£2.90", "The bun is £2.90. It glows."),
    "Chinese units after digits": ("1.2万", "12000"),
    "billions": ("$1.5 billion", "1,500,000,000 dollars"),
    "hundreds of thousands": ("two hundred thousand", "200,000"),
    "a month alone": ("October", "It is decided in October 2026."),
    "four of six words": ("a heavy old oven stone plates handles", "an old oven with stone plates"),
    "Chinese in three pieces": ("蓝色丝绸雨伞", "蓝色的,丝绸做的雨伞"),
    "Chinese in pairs": ("蓝色丝绸雨伞", "蓝色粗丝绸做雨伞"),
    "Chinese dates": ("10月17日", "寿宴改在十月十七号,星期六"),
    "Chinese weekdays": ("星期天", "周日上午十点"),
    "Chinese titles": ("《红楼梦》《西游记》", "读《西游记》,也读《红楼梦》"),
    "Chinese parts": ("莫教练、洪阿婆", "莫教练教我游泳。\n洪阿婆教我腌菜。"),
    "Chinese days that are parts": ("星期三和星期天", "周三晚上七点、周日上午十点"),
    "a Chinese denial": ("没有写", "第四条太见外了,我不写。"),
    "what is said after a Chinese denial": ("五楼", "不是四楼,是五楼。"),
    "a Chinese word that only looks like a denial": ("修钢琴", "不过他会修钢琴"),
    "a Chinese answer that denies the question": ("不对,喜欢晴天", "我喜欢晴天"),
    "a time": ("at 9 am, by 14:30", "From 9:00 am to 14:30."),
}
NOT_SAID = {
    "a part of it": ("church organs", "He tuned an organ."),
    "the digits apart": ("£1,900", "It will be 1 pound, or 900."),
    "another number": ("30 sacks a month of the mill", "40 sacks a month of the mill"),
    "a number within another": ("14 Weir Street", "at 141 Weir Street"),
    "another day": ("7 May 2023", "They met on 8 May 2023."),
    "another year": ("7 May 2023", "They met on 7 May 2022."),
    "a month without its year": ("September 2025", "since last September"),
    "a month for a day": ("7 May 2023", "They met in May 2023."),
    "a day that has to be worked out": ("7 May 2023", "8 May 2023: we met yesterday"),
    "the verb may": ("in May", "We may go."),
    "words far apart": ("church organ", "In a church. It rained. It poured. He has an organ."),
    "words in two lines": ("church organ", "in a church\nan organ"),
    "what is denied": ("Oslo", "She does not live in Oslo but in Bergen."),
    "what holds no longer": ("14 Weir Street", "no longer at 14 Weir Street"),
    "a denial that is not made": ("not allergic to nuts", "He is allergic to nuts."),
    "like words": ("organic flour", "an organ in a mill for flour"),
    "another Chinese name": ("上海", "我住在北京。"),
    "what is denied in Chinese": ("四楼", "不是四楼,是五楼。"),
    "a Chinese number within another": ("七根", "断了十七根弦"),
    "another ordinal": ("the third floor", "on the second floor"),
    "words without their number": ("7 heavy old oven stone plates", "heavy old oven stone plates"),
    "what is denied four words on": ("salmon", "She never eats cooked smoked salmon."),
    "two of three words": ("brass oven handles", "an oven with handles"),
    "three of five words": ("oven stone plates brass handles", "an oven with stone plates"),
    "Chinese characters apart": ("蓝布雨伞", "蓝色的粗布做的雨伞"),
    "a Chinese character that is missing": ("蓝色丝绸雨伞", "蓝色的丝绸伞"),
    "a day in Chinese": ("星期三和星期天", "周三晚上八点"),
    "a part in Chinese": ("杜阿尔特、何蔚", "导演叫杜阿尔特"),
    "a Chinese denial that is not made": ("没有写", "第四条我写了"),
    "half of a time": ("14", "The train leaves at 14:30."),
    "half of a time in Chinese": ("14号桌", "14:30在3号桌"),
}


@pytest.mark.parametrize(("answer", "shown"), SAID.values(), ids=SAID)
def test_what_is_said_is_found(answer: str, shown: str) -> None:
    """However it is written: order, endings, numbers, dates, currencies; in English and Chinese."""
    assert answer_found(answer, [shown])


@pytest.mark.parametrize(("answer", "shown"), NOT_SAID.values(), ids=NOT_SAID)
def test_what_is_not_said_is_not_found(answer: str, shown: str) -> None:
    """Though its words, or some of them, stand there."""
    assert answer_found(answer, [shown]) is False


def test_a_rule_is_found_as_a_prohibition_and_not_as_its_opposite() -> None:
    """In other words, too; and its words count in a denial."""
    said = [("no raisins", "Raisins are forbidden."), ("no raisins", "Never any raisins."), ("raisins", "No raisins.")]
    said += [("不能吃花生", "小宝不能吃花生。")]
    opposite = [("no raisins", "Give Leo raisins every day."), ("never nuts", "Feel free to give Leo nuts.")]
    opposite += [("不能吃花生", "小宝能吃花生,请给他花生")]
    assert [answer_found(rule, [shown], denied=True) for rule, shown in said] == [True] * len(said)
    assert [answer_found(rule, [shown], denied=True) for rule, shown in opposite] == [False] * len(opposite)


@pytest.mark.parametrize("answer", ["Yes", "", "yes, it was", "No.", "是的", "没有"])
def test_an_answer_that_says_nothing_to_look_for_is_not_judged(answer: str) -> None:
    """What it says depends on the question."""
    assert answer_found(answer, ["Yes! No. 是的"]) is None


@pytest.mark.parametrize("between", [", ", " "], ids=["parts", "words of a part"])
def test_of_an_endless_answer_the_first_sixty_count(between: str) -> None:
    """No answer of a question has more, and none takes hours."""
    numbers = [str(number) for number in range(100, 161)]
    assert answer_found(between.join(numbers), [" ".join(numbers[:60])])
    assert answer_found(between.join(numbers), [" ".join(numbers[:59])]) is False


def test_what_nothing_was_shown_for_is_not_found() -> None:
    """An empty view says nothing."""
    assert answer_found("Oslo", []) is False


def test_answers_agree_with_a_reader() -> None:
    """Of 137 labelled texts, on nine in ten, and far more than by chance (Cohen's kappa)."""
    lines = (Path(__file__).parent / "labels" / "answers.jsonl").read_text(encoding="utf-8").splitlines()
    labels = [json.loads(line) for line in lines]
    pairs = [(label["said"], bool(answer_found(label["answer"], [label["text"]]))) for label in labels]
    agreed = sum(said == found for said, found in pairs) / len(pairs)
    said, found = (sum(column) / len(pairs) for column in zip(*pairs, strict=True))
    chance = said * found + (1 - said) * (1 - found)
    assert agreed >= 0.9
    assert (agreed - chance) / (1 - chance) >= 0.8
