"""Embeddings by hashing."""

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from memzoo.memories.models.hashing import hash_embedding


def similarity(one: str, other: str) -> float:
    """The cosine of two texts."""
    first, second = hash_embedding([one, other])
    return float(first @ second)


def test_shared_words_and_stems_bring_texts_together() -> None:
    """Common words, endings and typing errors leave texts near each other; others are far apart."""
    assert similarity("I moved to Oslo", "she is moving to Oslo soon") > 0.6
    assert similarity("he studies and tries classes", "she studied, tried a class") > 0.7
    assert similarity("my favourite restaurant", "favorite restaurants") > 0.4
    assert abs(similarity("the quick brown fox", "payment terms of invoices")) < 0.3


def test_case_and_typographic_apostrophes_do_not_count() -> None:
    """The same words are the same text."""
    assert similarity("Noor's BIKE", "noor’s bike") == pytest.approx(1)


def test_texts_without_spaces() -> None:
    """Pairs of characters stand for words where a script has no spaces."""
    assert similarity("我喜欢北京的秋天", "北京的秋天很美") > similarity("我喜欢北京的秋天", "他买了一辆车")


def test_shape_and_type() -> None:
    """A row for each text, of the length asked for; no text, no row."""
    assert hash_embedding(["a", "b"], 8).shape == (2, 8)
    assert hash_embedding([]).shape == (0, 256)
    assert hash_embedding(["a"]).dtype == np.float32


def test_a_text_does_not_depend_on_its_neighbours() -> None:
    """Many texts in one call give the vectors that each gets by itself."""
    texts = [f"text number {number}" for number in range(1100)]
    together = hash_embedding(texts)
    assert np.array_equal(
        together[[0, 511, 512, 1099]], hash_embedding([texts[0], texts[511], texts[512], texts[1099]])
    )


@given(some.lists(some.text(some.characters(), max_size=60), min_size=1, max_size=5), some.integers(8, 300))
def test_every_vector_has_length_one(texts: list[str], dimensions: int) -> None:
    """Any text at all has a direction: also none, white space, signs and half characters."""
    lengths = np.linalg.norm(hash_embedding([*texts, "", " ", "\ud800"], dimensions), axis=1)
    assert np.allclose(lengths, 1, atol=1e-5)


def test_vectors_never_change() -> None:
    """Stored embeddings stay valid: these texts have had these vectors from the start."""
    texts = ["She moves to Oslo; he studies classes, quickly.", "我喜欢北京", "Noor’s £3,260 re-wiring isn't", "the"]
    assert (
        hashlib.blake2s(np.round(hash_embedding(texts), 5).tobytes(), digest_size=8).hexdigest() == "e6f51fd26aa52f39"
    )
