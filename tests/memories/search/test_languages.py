"""Languages: words of a question find their other forms in messages."""

from pathlib import Path

import pytest

from memzoo.memories.search.languages.telling import stem_words, tell_language
from memzoo.memories.search.word_index import WordIndex
from memzoo.strategy import Passage

PROBES = sorted((Path(__file__).parent / "data" / "languages").glob("*.txt"))


@pytest.mark.parametrize("path", PROBES, ids=[path.stem for path in PROBES])
def test_inflected_words_find(path: Path) -> None:
    """Each of twenty questions finds its own fact first, though the question has other forms of the words."""
    probes = [line.split(" | ") for line in path.read_text(encoding="utf-8").splitlines()]
    index = WordIndex()
    index.add(Passage(seq, "Human", fact, None, begins=True) for seq, (fact, _) in enumerate(probes, start=1))
    found = [(question, next(iter(index.scores(question)), 0)) for _, question in probes]
    assert found == [(question, seq) for seq, (_, question) in enumerate(probes, start=1)]
    assert len(found) == 20


@pytest.mark.parametrize(
    ("text", "stemmer"),
    [
        ("Wo wohnt meine Schwester?", "german"),
        ("Mis hermanas viven en Lisboa.", "spanish"),
        ("Os meus primos moram em Lisboa.", "portuguese"),
        ("Где живут мои сёстры?", "russian"),
        ("Where do my sisters live?", ""),
        ("Lisboa", ""),
        ("我住在奥斯陆。", ""),
        ("", ""),
    ],
)
def test_a_language_is_told_from_the_text(text: str, stemmer: str) -> None:
    """Stop words tell a language; a text without any is read as English."""
    assert tell_language(text).stemmer == stemmer


def test_a_run_of_letters_that_is_no_word_stays() -> None:
    """A key in a German text is searched as it is; it is not stemmed, which would take a second for a page of it."""
    key = "laufenden" * 10
    assert stem_words(f"Das ist der {key} und nicht laufenden").endswith(f"{key} und nicht laufend")


def test_months_are_read_in_each_language() -> None:
    """A month has the same term as the month of a message's date."""
    for text in ("Das war am 3. März.", "Eso fue el 3 de marzo.", "Isso foi no dia 3 de março.", "Это было 3 марта."):
        assert "march" in stem_words(text)
