"""What other packages bring: kinds of stores, strategies, checks of what is imported."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PLUGIN = """
from memzoo.stores import InMemoryStore

class Shelf(InMemoryStore):
    pass

def opened(url, *, clock):
    shelf = Shelf(clock=clock)
    shelf.url = url
    return shelf
"""

POINTS = """
[memzoo.stores]
shelf = shelves:opened
broken = no_such_module:opened
memory = shelves:opened

[memzoo.strategies]
broken = no_such_module:BrokenMemory
shelf = shelves:Shelf

[memzoo.import_checks]
broken = no_such_module:check
"""

OPENED = """
import sys
from memzoo.stores import open_store
for url in sys.argv[1:]:
    try:
        store = open_store(url)
        print(type(store).__name__, getattr(store, "url", ""))
    except Exception as error:
        print(type(error).__name__, error)
"""

MADE = """
import sys
from memzoo import create_memory
for name in sys.argv[1:]:
    try:
        create_memory(name)
    except Exception as error:
        print(type(error).__name__, error)
"""

IMPORTED = """
from memzoo import InMemoryStore, create_memory, export_conversation, import_conversation
memory, store = create_memory("buffer", conversation_id="a"), InMemoryStore()
memory.save_context({"input": "hi"}, {"output": "hello"})
try:
    import_conversation(store, export_conversation(memory.store, "a"))
except Exception as error:
    print(type(error).__name__, error)
print(create_memory("buffer", store=store, conversation_id="a").history())
"""


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """A folder with an installed package that adds something that works, and something that cannot be loaded."""
    (tmp_path / "shelves.py").write_text(PLUGIN, encoding="utf-8")
    info = tmp_path / "memzoo_shelves-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: memzoo-shelves\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(POINTS, encoding="utf-8")
    return tmp_path


def said(packages: Path, *arguments: str) -> list[str]:
    """What a Python that has the package prints."""
    command, environment = [sys.executable, *arguments], os.environ | {"PYTHONPATH": str(packages)}
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout.splitlines()


def broken(line: str) -> bool:
    """Whether an error names the package and what it lacks."""
    return line.startswith("PluginError the package 'memzoo-shelves' adds 'broken'") and "no_such_module" in line


def test_a_plugin_opens_its_scheme(packages: Path):
    """The function that the entry point names gets the URL; a built-in kind stays what it is."""
    assert said(packages, "-c", OPENED, "shelf://top", "memory://") == ["Shelf shelf://top", "InMemoryStore "]


def test_a_broken_plugin_is_named(packages: Path):
    """The error names the package that cannot be loaded; other kinds go on working."""
    error, shelf = said(packages, "-c", OPENED, "broken://", "shelf://")
    assert broken(error)
    assert shelf == "Shelf shelf://"


def test_plugins_are_listed_where_a_scheme_is_unknown(packages: Path):
    """Who mistypes a scheme sees all that there are."""
    (error,) = said(packages, "-c", OPENED, "mysql://")
    assert error.endswith("redis+cluster://, rediss+cluster://, broken://, shelf://")


def test_a_broken_strategy_is_named(packages: Path):
    """The error names the package that cannot be loaded, or what is no memory."""
    error, no_memory = said(packages, "-c", MADE, "BrokenMemory", "shelf")
    assert broken(error)
    assert no_memory.startswith("PluginError shelves:Shelf, the strategy 'shelf', is <class 'shelves.Shelf'>")


def test_broken_strategies_are_listed_with_the_rest(packages: Path):
    """`memzoo list` tells what is wrong in the line of the strategy."""
    lines = dict(line.split("\t", 1) for line in said(packages, "-m", "memzoo", "list"))
    assert "no_such_module" in lines["broken"]
    assert "must be a BaseMemory" in lines["shelf"]
    assert "ConversationBufferMemory" in lines["buffer"]


@pytest.mark.parametrize("ends", ["SystemExit(3)", "KeyboardInterrupt", "GeneratorExit"])
def test_a_package_that_wants_to_end_the_program(packages: Path, ends: str):
    """Whatever a package raises when it is loaded, it is told in its line, and the others are listed."""
    (packages / "no_such_module.py").write_text(f"raise {ends}", encoding="utf-8")
    lines = dict(line.split("\t", 1) for line in said(packages, "-m", "memzoo", "list"))
    assert ends.partition("(")[0] in lines["broken"]
    assert "ConversationBufferMemory" in lines["buffer"]


def test_a_broken_check_stops_an_import(packages: Path):
    """What cannot be checked is not imported: the error names the package, and nothing is stored."""
    error, history = said(packages, "-c", IMPORTED)
    assert broken(error)
    assert history == "[]"
