"""The command that measures evidence recall."""

import json
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest
from typer.testing import CliRunner

from memzoo.benchmarks.research.retrieval import app, embedder_named
from memzoo.errors import OptionError
from memzoo.memories import HashEmbedder, OpenAIEmbedder

Saved = Callable[..., Path]


def test_writes_the_same_figures_twice(chat: dict[str, Any], saved: Saved, tmp_path: Path) -> None:
    """Table, JSON and picture are made; the JSON of two runs is the same, byte for byte."""
    outs = [tmp_path / "1.json", tmp_path / "2.json"]
    arguments = [str(saved(chat)), "--budgets", "20,100", "--peers", "--ablation"]
    for out in outs:
        done = CliRunner().invoke(app, [*arguments, "--out", str(out), "--picture", str(tmp_path / "out.svg")])
        assert done.exit_code == 0, done.output
        assert "0 of them over their budget" in done.output
        assert "memzoo's recall less that of each of the others" in done.output
    assert outs[0].read_bytes() == outs[1].read_bytes()
    figures = json.loads(outs[0].read_text())["figures"]
    (best,) = (row for row in figures if (row["name"], row["category"], row["budget"]) == ("oracle", "all", 100))
    assert best["recall, low, high"] == [1.0, 1.0, 1.0]
    assert best["memzoo less it"] == [0.0, 0.0, 0.0]
    names = {row["name"] for row in json.loads(outs[0].read_text())["figures"]}
    assert names >= {"memzoo", "memzoo without embeddings", "oracle", "last messages"}
    picture = (tmp_path / "out.svg").read_text(encoding="utf-8")
    assert ET.fromstring(picture).tag.endswith("svg")  # noqa: S314 - it was made a line ago
    assert "oracle" in picture


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["no-such-file.json"], "there is no no-such-file.json"),
        (["--budgets", "many"], "--budgets must be whole numbers"),
        (["--budgets", "0"], "--budgets must be 1 or more"),
        (["--embedder", "word2vec"], "--embedder must be none, hashing, minilm, static or openai:MODEL"),
    ],
)
def test_says_what_is_wrong(arguments: list[str], reason: str, chat: dict[str, Any], saved: Saved) -> None:
    """A wrong option or an absent file is named in one line, and nothing is measured."""
    paths = [] if arguments[0].endswith(".json") else [str(saved(chat))]
    done = CliRunner().invoke(app, [*paths, *arguments])
    assert done.exit_code == 1
    assert reason in done.output


def test_embedders_by_name(tmp_path: Path) -> None:
    """Nothing, hashing, and an endpoint's model by its name."""
    assert embedder_named("none", tmp_path).weight == 0
    assert isinstance(embedder_named("hashing", tmp_path), HashEmbedder)
    openai = embedder_named("openai:text-embedding-3-large", tmp_path)
    assert isinstance(openai, OpenAIEmbedder)
    assert openai.name == "text-embedding-3-large"
    with pytest.raises(OptionError, match="'word2vec'"):
        embedder_named("word2vec", tmp_path)


def test_weightless_embeddings_are_vectors(chat: dict[str, Any], saved: Saved) -> None:
    """Without embeddings the search is by words."""
    done = CliRunner().invoke(app, [str(saved(chat)), "--budgets", "100", "--embedder", "none"])
    assert done.exit_code == 0, done.output
    assert numpy.frombuffer(b"\0\0\x80\x3f", "<f4").tolist() == [1.0]
