"""A search in scripts whose words have joined endings, marks for vowels, or no blanks between them."""

import itertools
import unicodedata
from typing import Literal

import pytest

from memzoo.memories.search import words
from memzoo.memories.search.unit_index import KnownUnit, UnitIndex
from memzoo.memories.search.word_index import WordIndex
from memzoo.memories.text.fitting import shorten_text
from memzoo.memories.text.language import is_question, sentences
from memzoo.strategy import Passage

# The beginnings and endings of invented names, a statement, and a question.
LANGUAGES = {
    "Korean": ("민 서 지 하 도 유", "준 연 우 은 현 진", "{}는 부산에 살고 차를 좋아해요.", "{}가 어디에 살아요?"),
    "Hindi": ("सुनी विम मनो राके कवि दीप", "ता ला ज श रा का", "{} पटना में रहती है।", "{} कहाँ रहती है?"),
    "Tamil": ("கவி கம குமா மால மீனா ராதா", "தா லா ர் தி வேலு தேவி", "{} மதுரை நகரில் வசிக்கிறார்.", "{} எங்கே வசிக்கிறார்?"),
    "Thai": ("สม มา วิ ปรี กม ดวง", "ชาย ลี ภา ชา ล ใจ", "{}อาศัยอยู่ที่กระบี่", "{}อาศัยอยู่ที่ไหน"),
    "Burmese": ("အောင် ခင် စန္ တင် နီ သီ", "ကျော် မာ ဒါ တင် လာ တာ", "{}သည်ပဲခူးတွင်နေထိုင်သည်", "{}ဘယ်မှာနေလဲ"),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_name_finds_what_was_said_of_it(language: str) -> None:
    """Of 36 statements, that with the name of the question is found best, as a message and as a fact, 33 times."""
    first, last, statement, question = LANGUAGES[language]
    names = ["".join(one) for one in itertools.product(first.split(), last.split())]
    said = [statement.format(name) for name in names]
    messages, facts = WordIndex(), UnitIndex(lambda _, item: item)
    messages.add(Passage(seq, "Human", text, None, begins=True) for seq, text in enumerate(said, start=1))
    facts.apply({text: [KnownUnit(text, ("note",))] for text in said})
    asked = [question.format(name) for name in names]
    as_messages = [said[next(iter(messages.scores(one)), 0) - 1] for one in asked]
    as_facts = [next(known.unit.text for known in facts.search(one)) for one in asked]
    for found in (as_messages, as_facts):
        assert sum(one == text for one, text in zip(found, said, strict=True)) >= 33


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("अनीता पुणे में रहती है।", "उसे चाय पसंद है।"),
        ("انیتا لاہور میں رہتی ہے\u06d4", "اسے چائے پسند ہے\u06d4"),
        ("أين تسكن سلمى؟", "تسكن في دمشق."),
    ],
)
def test_sentences_end_with_their_own_marks(first: str, second: str) -> None:
    """The danda of Hindi, and the full stop and the question mark of Urdu and Arabic."""
    assert sentences(f"{first} {second}") == [first, second]
    assert shorten_text(f"{first} {second}", lambda beginning: len(beginning) <= len(first) + 2) == first
    assert is_question(first) == first.endswith("\u061f")


@pytest.mark.parametrize("said", ["Zoë wohnt in Köln.", "Hương sống ở Hà Nội.", "민준은 서울에 살아요."])
@pytest.mark.parametrize(("stored", "asked"), [("NFC", "NFD"), ("NFD", "NFC"), ("NFD", "NFD")])
def test_letters_are_found_however_they_are_composed(said: str, stored: Literal["NFC"], asked: Literal["NFC"]) -> None:
    """A name counts as the same whether its marks are letters of their own or not."""
    index = WordIndex()
    texts = ["Thanks.", unicodedata.normalize(stored, said), "Fine."]
    index.add(Passage(seq, "Human", text, None, begins=True) for seq, text in enumerate(texts, start=1))
    name = unicodedata.normalize(asked, said.split(maxsplit=1)[0].removesuffix("은"))
    assert next(iter(index.scores(name)), None) == 2


def test_long_runs_of_marks_are_broken_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Normalisation sorts each run in quadratic time."""
    given: list[str] = []

    def normalize(form: str, text: str) -> str:
        given.append(text)
        return text

    monkeypatch.setattr(words, "normalize", normalize)
    analyser = words.Analyser()
    analyser.terms(["a" + "\u0301\u0323" * 100])
    analyser.phrases("a" + "\u0301\u0323" * 100)
    assert len(given) == 2
    assert all(len(run) <= 31 for text in given for run in text.split("\u034f"))
