"""The examples in the documentation of the code are true."""

import doctest
import importlib
import linecache
from collections.abc import Iterator
from pathlib import Path

import pytest

from memzoo.errors import MissingExtraError

ROOT = Path(__file__).parents[2]
SKIPPED = {"memzoo.cli.commands"}


def names() -> Iterator[str]:
    """All modules that have an example."""
    for package in ("memzoo", "memories", "prompts", "stores", "hosts", "testing", "benchmarks", "cassettes", "cli"):
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            name = ".".join(("memzoo", *parts)).removesuffix(".__init__").replace("memzoo.memzoo", "memzoo")
            if name not in SKIPPED and ">>>" in path.read_text(encoding="utf-8"):
                yield name


@pytest.mark.parametrize("name", list(names()))
def test_examples_are_true(name: str) -> None:
    """Every example of a module gives what it says."""
    if name == "memzoo.stores.indexes.chroma":
        pytest.importorskip("chromadb")
    if name == "memzoo.stores.encryption":
        pytest.importorskip("cryptography")
    try:
        module = importlib.import_module(name)
    except MissingExtraError as error:  # of an agent framework that is not installed
        pytest.skip(str(error))
    linecache.clearcache()  # each example has all files in it looked at again
    failed, _ = doctest.testmod(module, raise_on_error=False)
    assert failed == 0
