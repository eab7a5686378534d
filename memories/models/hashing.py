"""Embeddings without a model: words and pieces of words, hashed into a vector.

Texts get similar vectors if they share words, stems or groups of letters. Meaning plays no part: "dog" and "puppy" are
unrelated. Nothing is downloaded, and a text has the same vector in every process.
"""

import functools
import zlib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from memzoo.errors import OptionError
from memzoo.memories.text.language import STOPWORDS, stem, words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DIMENSIONS = 256
MIN_DIMENSIONS = 8
MAX_DIMENSIONS = 4096

_BATCH = 512
_CACHED_LENGTH = 32
_PIECE = 4
_STOPWORD_WEIGHT = 0.2
_PIECES_WEIGHT = 0.8


def hash_embedding(texts: Sequence[str], dimensions: int = DIMENSIONS) -> "NDArray[np.float32]":
    """Return the embeddings of texts by feature hashing.

    Args:
        texts: The texts, one for each row of the result, in order.
        dimensions: The number of components of a vector, from 8 to 4096. With few dimensions, unrelated texts get
            similar vectors.

    Returns:
        An array of shape `(len(texts), dimensions)`. Each row is a unit vector, so the dot product of two rows
        is their cosine similarity.

    Raises:
        OptionError: `dimensions` is out of range.
    """
    import numpy as np

    if not MIN_DIMENSIONS <= dimensions <= MAX_DIMENSIONS:
        raise OptionError(f"dimensions={dimensions!r}: it must be from {MIN_DIMENSIONS} to {MAX_DIMENSIONS}")
    vectors = np.empty((len(texts), dimensions), dtype=np.float32)
    for start in range(0, len(texts), _BATCH):
        vectors[start : start + _BATCH] = _embed(texts[start : start + _BATCH], dimensions)
    return vectors


def _embed(texts: Sequence[str], dimensions: int) -> "NDArray[np.float64]":
    import numpy as np

    features = [_features(text) for text in texts]
    counts = [len(codes) for codes, _ in features]
    codes = np.array([code for found, _ in features for code in found], dtype=np.int64)
    weights = np.array([weight for _, found in features for weight in found], dtype=np.float64)
    cells = np.repeat(np.arange(len(texts)), counts) * dimensions + (codes >> 1) % dimensions
    signed = np.where(codes & 1, weights, -weights)
    sums = np.bincount(cells, signed, minlength=len(texts) * dimensions).reshape(len(texts), dimensions)
    # A text without features has no direction; all such texts get the same vector.
    sums[~sums.any(axis=1), 0] = 1.0
    lengths: NDArray[np.float64] = np.sqrt((sums * sums).sum(axis=1, keepdims=True))
    return sums / lengths


def _features(text: str) -> tuple[list[int], list[float]]:
    """Return the hashes and the weights of a text's features; repeated words count once."""
    codes: list[int] = []
    weights: list[float] = []
    for word in dict.fromkeys(words(text) or text.split()):
        found, weight = _cached_word_features(word) if len(word) <= _CACHED_LENGTH else _word_features(word)
        codes += found
        weights += weight
    return codes, weights


def _word_features(word: str) -> tuple[tuple[int, ...], tuple[float, ...]]:
    if word in STOPWORDS:
        return (_hash(word),), (_STOPWORD_WEIGHT,)
    root = stem(word)
    pieces = tuple(map(_hash, _pieces(f"^{root}$")))
    # Long words are rarer and more informative; length is the only available measure of rarity.
    weight = len(word) ** 0.5
    share = _PIECES_WEIGHT * weight / len(pieces) ** 0.5
    return (_hash(root), *pieces), (weight, *(share for _ in pieces))


_cached_word_features = functools.lru_cache(maxsize=1 << 15)(_word_features)


def _pieces(word: str) -> Iterable[str]:
    # In scripts without spaces, such as Chinese, a "word" is a whole clause, so use pairs of characters.
    size = _PIECE if word.isascii() else 2
    return dict.fromkeys(word[start : start + size] for start in range(max(1, len(word) - size + 1)))


def _hash(feature: str) -> int:
    return zlib.crc32(feature.encode("utf-8", "surrogatepass"))
