"""The command that measures evidence recall."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from memzoo.benchmarks.research.__main__ import app
from memzoo.benchmarks.research.retrieval import embedder_named
from memzoo.errors import OptionError
from memzoo.memories import HashEmbedder
from tests.benchmarks.research.test_strong_model import rows

Saved = Callable[..., Path]


def test_has_a_row_for_each_that_finds(chat: dict[str, Any], saved: Saved) -> None:
    """Recall at each budget, its intervals, and how much more the memory finds than each of the others."""
    done = CliRunner().invoke(app, ["retrieval", str(saved(chat)), "--budgets", "20,100", "--peers"])
    assert done.exit_code == 0, done.output
    assert "0 of them over their budget" in done.output
    recall, intervals, less = f"\n{done.output}".split("\n**")[1:]
    assert rows(recall)["oracle"][1] == "1.000 (1.000)"
    assert rows(intervals)["oracle"][1] == "1.000 (1.000-1.000)"
    assert rows(less)["oracle"][1] == "+0.000 (+0.000 to +0.000)"
    assert set(rows(intervals)) - set(rows(less)) == {"memzoo"}
    assert {"memzoo", "oracle", "last messages", "BM25 over exchanges"} <= set(rows(intervals))


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["no-such-file.json"], "there is no no-such-file.json"),
        (["--budgets", "many"], "--budgets must be whole numbers"),
        (["--budgets", "0"], "--budgets must be 1 or more"),
        (["--embedder", "word2vec"], "--embedder must be one of none, hashing, minilm"),
    ],
)
def test_says_what_is_wrong(arguments: list[str], reason: str, chat: dict[str, Any], saved: Saved) -> None:
    """A wrong option or an absent file is named in one line, and nothing is measured."""
    paths = [] if arguments[0].endswith(".json") else [str(saved(chat))]
    done = CliRunner().invoke(app, ["retrieval", *paths, *arguments])
    assert done.exit_code == 1
    assert reason in done.output


def test_embedders_by_name(tmp_path: Path) -> None:
    """Nothing, and hashing."""
    assert embedder_named("none", tmp_path).weight == 0
    assert isinstance(embedder_named("hashing", tmp_path), HashEmbedder)
    with pytest.raises(OptionError, match="'word2vec'"):
        embedder_named("word2vec", tmp_path)


def test_weightless_embeddings_are_vectors(chat: dict[str, Any], saved: Saved) -> None:
    """Without embeddings the search is by words."""
    done = CliRunner().invoke(app, ["retrieval", str(saved(chat)), "--budgets", "100", "--embedder", "none"])
    assert done.exit_code == 0, done.output
