"""The page."""

import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest

from memzoo.benchmarks import Comparison, TextCounter, Transcript, compare
from memzoo.benchmarks.report.examples import telling_example
from memzoo.benchmarks.report.pages import page
from memzoo.benchmarks.transcripts.conversations import Exchange, Question
from memzoo.memories.models.chat import ChatFunction

_VOID = {"meta", "br", "link", "img", "input", "hr"}


class Reader(HTMLParser):
    """Collects attributes and checks that tags are closed."""

    def __init__(self) -> None:
        super().__init__()
        self.attributes: list[tuple[str, str | None]] = []
        self.tags: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember a tag."""
        self.attributes += attrs
        self.tags.append(tag)
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember a tag that closes itself."""
        self.attributes += attrs
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close the innermost tag."""
        assert self.open.pop() == tag


def read(text: str) -> Reader:
    """The page, read."""
    reader = Reader()
    reader.feed(text)
    reader.close()
    assert reader.open == []
    return reader


@pytest.fixture
def comparison(transcript: Transcript, words: TextCounter, rules: ChatFunction) -> Comparison:
    """All strategies in the short conversation."""
    return compare([transcript], [], model=rules, budget=14, counter=words, prices=(2.0, 8.0))


class TestSelfContained:
    """Nothing is fetched, nothing runs."""

    def test_nothing_outside_is_referred_to(self, comparison: Comparison) -> None:
        """No address anywhere but in the names of XML namespaces."""
        text = page(comparison)
        pointing = [value or "" for name, value in read(text).attributes if name in {"src", "href", "xlink:href"}]
        assert all(value.startswith("#") for value in pointing)
        assert "url(http" not in text
        assert "@import" not in text
        assert set(re.findall(r"(\S+)=\"https?://", text)) <= {"xmlns", "xmlns:xlink"}

    def test_there_is_no_script(self, comparison: Comparison) -> None:
        """Neither an element nor an attribute that runs."""
        reader = read(page(comparison))
        assert "script" not in reader.tags
        assert not [name for name, _ in reader.attributes if name.startswith("on")]

    def test_ids_are_unique(self, comparison: Comparison) -> None:
        """The pictures do not get into each other's way."""
        ids = Counter(value for name, value in read(page(comparison)).attributes if name == "id")
        assert [value for value, count in ids.items() if count > 1] == []

    def test_two_runs_give_the_same_pictures(self, comparison: Comparison) -> None:
        """The page of the same figures is the same page."""
        assert page(comparison) == page(comparison)


class TestContent:
    """What there is to see."""

    def test_it_has_three_pictures_in_the_colours_of_the_page(self, comparison: Comparison) -> None:
        """Tokens, recall, calls; readable in the dark."""
        text = page(comparison)
        assert text.count("<svg ") == 3
        assert "var(--ink)" in text[text.index("<svg") :]
        assert "#010203" not in text

    def test_the_example_marks_the_evidence(self, comparison: Comparison) -> None:
        """In what the strategies would have shown."""
        assert "<mark>The boat costs 4,200 crowns.</mark>" in page(comparison)

    def test_without_questions_there_is_neither_recall_nor_an_example(
        self, transcript: Transcript, words: TextCounter
    ) -> None:
        """What was not measured is not shown."""
        silent = replace(transcript, questions=())
        text = page(compare([silent], ["window"], model="offline", budget=14, counter=words))
        assert text.count("<svg ") == 2
        assert "An example" not in text

    def test_a_conversation_of_one_exchange_will_do(self, transcript: Transcript, words: TextCounter) -> None:
        """The pictures bear a single point, and all figures 0."""
        short = replace(transcript, exchanges=transcript.exchanges[:1], questions=())
        assert page(compare([short], ["window"], model="offline", budget=14, counter=words)).count("<svg ") == 2


def test_text_of_users_is_escaped(words: TextCounter) -> None:
    """Nothing that a transcript holds becomes markup: titles, names, messages, questions, answers, categories."""
    evil = "</style></p><script>alert(1)</script><img src=x onerror=alert(1)>\"'{{ 7 * 7 }} $x^2$"
    said: list[dict[str, Any]] = [{"role": "user", "content": evil}, {"role": "assistant", "content": evil}]
    exchange = Exchange(tuple(said), ({"1": evil}, {"2": evil}))
    questions = tuple(Question(evil, evil, (evil,), f"{evil} {number}") for number in (1, 2))
    transcript = Transcript(evil, (exchange, exchange), questions, evil, evil, (evil,))
    text = page(compare([transcript], ["window", "buffer"], model="offline", budget=1000, counter=words))
    reader = read(text)
    assert not {"script", "img"} & set(reader.tags)
    assert "{{ 7 * 7 }}" in text
    assert "&lt;script&gt;" in text


def test_the_example_is_the_question_that_tells_strategies_apart(comparison: Comparison) -> None:
    """More strategies know what is new than what is old, but some do and some do not."""
    example = telling_example(comparison)
    assert example is not None
    assert example.question.text == "What does the boat cost?"
    assert {sight.probe.recall for sight in example.sights} >= {0, 1}
    assert [sight.row.scenario.name for sight in example.sights][:2] == ["buffer", "window"]
