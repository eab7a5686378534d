"""Dates that are told from the day on which something is said."""

from datetime import UTC, date, datetime, timedelta

import pytest

from memzoo.memories.search.languages.telling import find_dates
from memzoo.memories.search.word_index import WordIndex
from memzoo.strategy import Passage

MONDAY = date(2023, 5, 1)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("We met Yesterday.", "30 April 2023"),
        ("the day before yesterday", "29 April 2023"),
        ("last week we went hiking", "April 2023"),
        ("two months ago", "March 2023"),
        ("a year ago", "2022"),
        ("3 days ago", "28 April 2023"),
        ("last Friday", "28 April 2023"),
        ("last Monday", "24 April 2023"),
        ("next Monday", "8 May 2023"),
        ("next month", "June 2023"),
        ("Gestern waren wir wandern", "30 April 2023"),
        ("letzte Woche", "April 2023"),
        ("vor zwei Monaten", "March 2023"),
        ("\u6628\u5929\u6211\u4eec\u53bb\u722c\u5c71", "30 April 2023"),
        ("\u4e0a\u5468", "April 2023"),
        ("\u4e24\u4e2a\u6708\u524d", "March 2023"),
        ("tomorrow", "2 May 2023"),
        ("last night", "30 April 2023"),
        ("the day after tomorrow", "3 May 2023"),
        ("next week", "May 2023"),
        ("last month", "April 2023"),
        ("next year", "2024"),
        ("last year", "2022"),
        ("next Sunday", "7 May 2023"),
        ("last Sunday", "30 April 2023"),
        ("an hour and a day ago", "30 April 2023"),
        ("a couple of weeks ago", "April 2023"),
        ("a couple of days ago", "29 April 2023"),
        ("ten days ago", "21 April 2023"),
        ("four months ago", "January 2023"),
        ("five months ago", "December 2022"),
        ("vorgestern", "29 April 2023"),
        ("\u00fcbermorgen", "3 May 2023"),
        ("n\u00e4chstes Jahr", "2024"),
        ("letzten Freitag", "28 April 2023"),
        ("vor einem Jahr", "2022"),
        ("vor einer Woche", "April 2023"),
        ("vor 4 Tagen", "27 April 2023"),
        ("\u524d\u5929", "29 April 2023"),
        ("\u660e\u5929", "2 May 2023"),
        ("\u540e\u5929", "3 May 2023"),
        ("\u4e0b\u4e2a\u6708", "June 2023"),
        ("\u4e0a\u4e2a\u6708", "April 2023"),
        ("\u4e24\u5e74\u524d", "2021"),
        ("\u4e09\u5929\u524d", "28 April 2023"),
        ("at last we ate", ""),
        ("下周二我去上海", "May 2023"),
        ("Anteayer fuimos a la montaña", "29 April 2023"),
        ("el lunes pasado", "24 April 2023"),
        ("hace dos meses", "March 2023"),
        ("el próximo año", "2024"),
        ("Mañana por la mañana", ""),
        ("Ontem fomos à praia", "30 April 2023"),
        ("na sexta-feira passada", "28 April 2023"),
        ("há três dias", "28 April 2023"),
        ("no próximo mês", "June 2023"),
        ("Вчера мы гуляли", "30 April 2023"),
        ("в прошлую пятницу", "28 April 2023"),
        ("неделю назад", "April 2023"),
        ("пять лет назад", "2018"),
        ("на следующей неделе", "May 2023"),
        ("50 years ago", "1973"),
    ],
)
def test_are_resolved(text: str, meant: str) -> None:
    """A phrase gives the words of the day, month or year that it means."""
    assert find_dates(text, MONDAY) == meant.split()


@pytest.mark.parametrize(
    ("text", "said", "meant"),
    [
        ("next month", date(2023, 12, 31), "January 2024"),
        ("last month", date(2023, 1, 31), "December 2022"),
        ("a month ago", date(2023, 12, 1), "November 2023"),
        ("last week", date(2023, 1, 7), "December 2022"),
        ("last week", date(2023, 1, 8), "January 2023"),
        ("next week", date(2023, 12, 25), "January 2024"),
        ("next week", date(2023, 12, 24), "December 2023"),
        ("tomorrow", date(2023, 12, 31), "1 January 2024"),
        ("last Wednesday", date(2023, 5, 4), "3 May 2023"),
        ("next Wednesday", date(2023, 5, 4), "10 May 2023"),
    ],
)
def test_cross_the_ends_of_months_and_years(text: str, said: date, meant: str) -> None:
    """A week has seven days, a year twelve months, whatever month it is."""
    assert find_dates(text, said) == meant.split()


@pytest.mark.parametrize("text", ["99 years ago", "99 months ago", "yesterday", "last week"])
def test_before_the_first_year_are_none(text: str) -> None:
    """What would lie before the calendar begins gives no date, and no error."""
    assert find_dates(text, date.min) == []


@pytest.mark.parametrize(
    ("said", "on", "asked"),
    [
        ("We went hiking last week.", date(2023, 5, 8), "What did we do in early May 2023?"),
        ("We went hiking last week.", date(2023, 5, 8), "What did we do at the beginning of May?"),
        ("We went hiking yesterday.", date(2023, 6, 1), "What did we do on 31 May?"),
        ("Wir waren gestern wandern.", date(2023, 6, 1), "Was war am 31 May?"),
        ("\u6628\u5929\u6211\u4eec\u53bb\u722c\u5c71\u4e86\u3002", date(2023, 6, 1), "31 May\uff1f"),
    ],
)
def test_find_what_was_said_of_them(said: str, on: date, asked: str) -> None:
    """What somebody said of a day is found by the date of that day, before what was said at other times."""
    noon = datetime(on.year, on.month, on.day, 12, tzinfo=UTC)
    index = WordIndex()
    others = [(noon + timedelta(days=40 * number), "We had lunch.") for number in range(-4, 5) if number]
    texts = sorted([*others, (noon, said)])
    index.add(Passage(seq, "Human", text, when, begins=True) for seq, (when, text) in enumerate(texts, start=1))
    assert texts[next(iter(index.scores(asked))) - 1][1] == said


@pytest.mark.parametrize(
    ("texts", "asked"),
    [
        (
            ["Meine Katze mag Fisch.", "Das Wetter ist gut.", "Ich habe zwei Katzen.", "Wir a\u00dfen."],
            "Was mag die Katze?",
        ),
        (
            [
                "\u6211\u7684\u732b\u559c\u6b22\u5403\u9c7c\u3002",
                "\u4eca\u5929\u5929\u6c14\u5f88\u597d\u3002",
                "\u6211\u4eec\u5403\u996d\u4e86\u3002",
            ],
            "\u732b\u559c\u6b22\u4ec0\u4e48\uff1f",
        ),
    ],
)
def test_other_languages_are_searched_by_their_words(texts: list[str], asked: str) -> None:
    """German is found word by word, Chinese character by character."""
    now = datetime(2023, 5, 1, tzinfo=UTC)
    index = WordIndex()
    index.add(
        Passage(seq, "Human", text, now + seq * timedelta(hours=2), begins=True)
        for seq, text in enumerate(texts, start=1)
    )
    assert next(iter(index.scores(asked))) == 1
