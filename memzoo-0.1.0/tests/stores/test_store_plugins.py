"""Kinds of stores that other packages bring."""

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

SCRIPT = """
import sys
from memzoo.stores import open_store
for url in sys.argv[1:]:
    try:
        store = open_store(url)
        print(type(store).__name__, getattr(store, "url", ""))
    except Exception as error:
        print(type(error).__name__, error)
"""


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """A folder with an installed package that knows three kinds of stores."""
    (tmp_path / "shelves.py").write_text(PLUGIN, encoding="utf-8")
    info = tmp_path / "memzoo_shelves-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: memzoo-shelves\nVersion: 1.0\n", encoding="utf-8")
    points = "[memzoo.stores]\nshelf = shelves:opened\nbroken = no_such_module:opened\nmemory = shelves:opened\n"
    (info / "entry_points.txt").write_text(points, encoding="utf-8")
    return tmp_path


def opened(packages: Path, *urls: str) -> list[str]:
    """What a process that has the package says to each URL."""
    script = f"import sys; sys.path.insert(0, {str(packages)!r}){SCRIPT}"
    done = subprocess.run([sys.executable, "-c", script, *urls], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_a_plugin_opens_its_scheme(packages: Path):
    """The function that the entry point names gets the URL; a built-in kind stays what it is."""
    assert opened(packages, "shelf://top", "memory://") == ["Shelf shelf://top", "InMemoryStore "]


def test_a_broken_plugin_is_named(packages: Path):
    """The error names the package that cannot be loaded; other kinds go on working."""
    broken, shelf = opened(packages, "broken://", "shelf://")
    assert broken.startswith("PluginError the package 'memzoo-shelves'")
    assert "no_such_module" in broken
    assert shelf == "Shelf shelf://"


def test_plugins_are_listed_where_a_scheme_is_unknown(packages: Path):
    """Who mistypes a scheme sees all that there are."""
    (said,) = opened(packages, "redis://")
    assert said.endswith("sqlite://, postgresql://, postgres://, broken://, shelf://")
