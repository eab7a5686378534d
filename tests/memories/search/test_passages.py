"""Windows of context around messages, which are bounded in number however short the messages are."""

from datetime import UTC, datetime

import numpy
import pytest

from memzoo.memories.search.passages import ROW, reach, rows_of, windows
from memzoo.memories.search.rows import Rows
from memzoo.memories.search.weights import Weights
from memzoo.memories.search.word_index import WordIndex
from memzoo.memories.search.words import Analyser
from memzoo.strategy import Passage

NOW = datetime(2026, 5, 8, tzinfo=UTC)
WINDOW = Weights().window


def passages(text: str, count: int) -> list[Passage]:
    """Messages that all say the same, one right after the other."""
    return [Passage(seq, "Human", text, NOW, begins=True) for seq in range(1, count + 1)]


@pytest.mark.parametrize("text", ["", "k", "ok", "Yes, sure."])
def test_short_messages_fill_a_window_and_a_segment(text: str) -> None:
    """Each takes ten characters at least: a window has 85 of them, and no segment more than some hundreds (I13)."""
    said = passages(text, 2_000)
    _, counts = Analyser().terms(one.text for one in said)
    rows = rows_of(said, counts, numpy.empty(0, ROW))
    first, end = windows(rows, numpy.arange(len(rows)), WINDOW)
    assert int((end - first).max()) == reach(WINDOW) == WINDOW // 10
    assert int(numpy.diff(numpy.flatnonzero(rows["opens"])).max()) <= 300


@pytest.mark.parametrize("text", ["", "ok"])
def test_a_new_message_looks_at_few_old_ones(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is looked at anew with each message does not grow with their number, however short they are (I10, I13)."""
    looked_at: list[int] = []

    def counted(rows: Rows, places: numpy.ndarray, size: int) -> object:
        looked_at.append(len(places))
        return windows(rows, places, size)

    monkeypatch.setattr("memzoo.memories.search.word_index.windows", counted)
    index = WordIndex()
    for passage in passages(text, 300):
        index.add([passage])
    assert len(looked_at) == 300
    assert max(looked_at) <= reach(WINDOW) + 1


@pytest.mark.parametrize(("length", "together"), [(425, True), (426, False)])
def test_a_window_is_filled_to_the_last_character(length: int, together: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """Of two messages of 850 characters together, each is found by the words of the other; of longer ones, neither."""
    texts = ("boat" + " x" * length)[:length], ("harbour" + " x" * length)[:length]
    index = WordIndex(Weights(segment=0))
    index.add(Passage(seq, "Human", text, NOW, begins=True) for seq, text in enumerate(texts, start=1))
    assert set(index.scores("boat")) == ({1, 2} if together else {1})
    assert set(index.scores("harbour")) == ({1, 2} if together else {2})
