"""Static word vectors."""

import importlib.util

import pytest

from memzoo.benchmarks.research.static_vectors import StaticVectors
from memzoo.errors import MissingExtraError

INSTALLED = all(map(importlib.util.find_spec, ("wordllama", "safetensors", "tokenizers")))


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its packages, an error says how to install them."""
    monkeypatch.setattr("memzoo.benchmarks.research.static_vectors._PACKAGE", "no_such_package")
    with pytest.raises(MissingExtraError, match=r"no_such_package, .*pip install --no-deps wordllama"):
        StaticVectors()


@pytest.mark.skipif(not INSTALLED, reason="the packages with the vectors are not installed")
def test_the_order_of_words_changes_nothing() -> None:
    """A text has the mean of its words; what is about the same is nearer than what is about something else."""
    rows = StaticVectors()(["a dog barks", "barks a dog", "a puppy howls", "the bank raised interest rates", ""])
    assert rows.shape == (5, 256)
    assert rows[0] == pytest.approx(rows[1], abs=1e-6)
    assert rows[0] @ rows[2] > rows[0] @ rows[3]
