"""Static word vectors, for measuring: a vector for each piece of a word, whatever stands around it, and their mean.

They are those of the package `wordllama`, which has them in its wheel: `pip install --no-deps wordllama safetensors
tokenizers`. Only its data are read, none of its code is run.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy

from memzoo.benchmarks.research.packaged import folder_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["StaticVectors"]

_PACKAGE = "wordllama"
_INSTALL = "pip install --no-deps wordllama safetensors tokenizers"


class StaticVectors:
    """Texts -> unit vectors of 256 numbers.

    Raises:
        MissingExtraError: A package that it needs is not installed.
    """

    def __init__(self) -> None:
        self._vectors, self._tokenizer = _load_files(folder_of(_PACKAGE, needed_by="this embedder", install=_INSTALL))

    def __call__(self, texts: Sequence[str]) -> "NDArray[numpy.float32]":
        """One row for each text, in order; a text without words has the numbers of none."""
        encoded = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        means = numpy.array([self._vectors[one.ids or [0]].mean(axis=0) for one in encoded])
        lengths = numpy.linalg.norm(means, axis=1, keepdims=True)
        units: NDArray[numpy.float32] = means / numpy.maximum(lengths, 1e-9)
        return units


def _load_files(folder: Path) -> "tuple[NDArray[numpy.float32], Any]":
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    (vectors,) = load_file(folder / "weights" / "l2_supercat_256.safetensors").values()
    tokenizer = Tokenizer.from_file(str(folder / "tokenizers" / "l2_supercat_tokenizer_config.json"))
    return vectors.astype(numpy.float32), tokenizer
