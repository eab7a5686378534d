"""Static word vectors, for measuring: a vector for each piece of a word, whatever stands around it, and their mean.

They are those of the package `wordllama`, which has them in its wheel: `pip install --no-deps wordllama safetensors
tokenizers`. Only its data are read, none of its code is run.
"""

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy

from memzoo.stores.errors import MissingExtraError

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
        self._vectors, self._tokenizer = _loaded(_folder())

    def __call__(self, texts: Sequence[str]) -> "NDArray[numpy.float32]":
        """One row for each text, in order; a text without words has the numbers of none."""
        encoded = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        means = numpy.array([self._vectors[one.ids or [0]].mean(axis=0) for one in encoded])
        lengths = numpy.linalg.norm(means, axis=1, keepdims=True)
        units: NDArray[numpy.float32] = means / numpy.maximum(lengths, 1e-9)
        return units


def _folder() -> Path:
    """Where the vectors are; the package is found, not run."""
    needed = {name: importlib.util.find_spec(name) for name in (_PACKAGE, "safetensors", "tokenizers")}
    found = needed[_PACKAGE]
    if not all(needed.values()) or found is None or found.origin is None:
        missing = ", ".join(name for name, spec in needed.items() if spec is None)
        raise MissingExtraError(f"static word vectors need {missing}, which is not installed: {_INSTALL}")
    return Path(found.origin).parent


def _loaded(folder: Path) -> "tuple[NDArray[numpy.float32], Any]":
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    (vectors,) = load_file(folder / "weights" / "l2_supercat_256.safetensors").values()
    tokenizer = Tokenizer.from_file(str(folder / "tokenizers" / "l2_supercat_tokenizer_config.json"))
    return vectors.astype(numpy.float32), tokenizer
