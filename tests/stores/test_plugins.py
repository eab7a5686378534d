"""What other packages bring: kinds of stores, strategies, checks of what is imported."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PLUGIN = """
OPEN = "shelf"

from memzoo.stores import InMemoryStore

class Shelf(InMemoryStore):
    pass

def opened(url, *, clock):
    shelf = Shelf(clock=clock)
    shelf.url = url
    return shelf

class Half:
    async def append(self, conversation_id, records, *, turn_id): ...
    async def read(self, conversation_id, *, after=0, until=None, limit=None, newest=False): ...
    def close(self): ...
    def __repr__(self): return "<Half>"

def half(url, *, clock):
    return Half()

def nothing(url, *, clock): ...

def timeless(url):
    return Shelf()
"""

POINTS = """
[memzoo.stores]
shelf = shelves:opened
broken = no_such_module:opened
memory = shelves:opened
half = shelves:half
nothing = shelves:nothing
timeless = shelves:timeless
text = shelves:OPEN

[memzoo.strategies]
broken = no_such_module:BrokenMemory
shelf = shelves:Shelf

[memzoo.import_checks]
broken = no_such_module:check

[memzoo.exports]
broken = no_such_module:FORM
shelf = shelves:Shelf
"""

URLS = "shelf://top memory:// broken:// shelf:// mysql:// shelff:// half:// nothing:// timeless:// text://".split()
USES = ["BrokenMemory", "shelf", "import", "history"]
USED = """
import sys
from memzoo import InMemoryStore, create_memory, export_conversation, import_conversation
from memzoo.stores import open_store
for url in sys.argv[1:]:
    try:
        store = open_store(url)
        print(type(store).__name__, getattr(store, "url", ""))
    except Exception as error:
        print(type(error).__name__, error)
for name in ("BrokenMemory", "shelf"):
    try:
        create_memory(name)
    except Exception as error:
        print(type(error).__name__, error)
memory, store = create_memory("buffer", conversation_id="a"), InMemoryStore()
memory.save_context({"input": "hi"}, {"output": "hello"})
try:
    import_conversation(store, export_conversation(memory.store, "a"))
except Exception as error:
    print(type(error).__name__, error)
print(create_memory("buffer", store=store, conversation_id="a").history())
"""


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """By URL what `open_store` gives, or its error, where the package is installed; and so by strategy and import."""
    packages = install(tmp_path_factory.mktemp("packages"))
    return dict(zip([*URLS, *USES], said(packages, "-c", USED, *URLS), strict=True))


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """A folder with such a package."""
    return install(tmp_path)


def install(folder: Path) -> Path:
    """Put a package into a folder that adds something that works, and something that cannot be loaded."""
    (folder / "shelves.py").write_text(PLUGIN, encoding="utf-8")
    info = folder / "memzoo_shelves-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: memzoo-shelves\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(POINTS, encoding="utf-8")
    return folder


def said(packages: Path, *arguments: str) -> list[str]:
    """What a Python that has the package prints."""
    command, environment = [sys.executable, *arguments], os.environ | {"PYTHONPATH": str(packages)}
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout.splitlines()


def broken(line: str) -> bool:
    """Whether an error names the package and what it lacks."""
    return line.startswith("PluginError the package 'memzoo-shelves' adds 'broken'") and "no_such_module" in line


def test_a_plugin_opens_its_scheme(opened: dict[str, str]):
    """The function that the entry point names gets the URL; a built-in kind stays what it is."""
    assert (opened["shelf://top"], opened["memory://"]) == ("Shelf shelf://top", "InMemoryStore ")


def test_a_broken_plugin_is_named(opened: dict[str, str]):
    """The error names the package that cannot be loaded; other kinds go on working."""
    assert broken(opened["broken://"])
    assert opened["shelf://"] == "Shelf shelf://"


def test_plugins_are_listed_where_a_scheme_is_unknown(opened: dict[str, str]):
    """Who mistypes a scheme sees all that there are."""
    assert opened["mysql://"].endswith(
        "rediss+cluster://, broken://, half://, nothing://, shelf://, text://, timeless://"
    )


def test_a_scheme_of_a_package_is_suggested(opened: dict[str, str]):
    """Who mistypes it sees the one that is near."""
    assert opened["shelff://"].endswith(". Did you mean 'shelf'?")


def test_what_opens_no_store_is_named(opened: dict[str, str]):
    """The error names the package, what it opened, and what a store has besides."""
    lacks = "read_state, commit, clear"
    wrong = {
        "half": f"opens <Half>: a store has the methods {lacks} too",
        "nothing": f"opens None: a store has the methods append, read, {lacks}, close too",
        "timeless": "must be a function of a URL and the keyword clock, not <function timeless",
        "text": "must be a function of a URL and the keyword clock, not 'shelf'",
    }
    for name, why in wrong.items():
        where = f"the package 'memzoo-shelves' adds {name!r} to memzoo.stores"
        assert opened[f"{name}://"].startswith(f"PluginError {where}, which {why}")


def test_a_broken_strategy_is_named(opened: dict[str, str]):
    """The error names the package that cannot be loaded, or what is no memory."""
    assert broken(opened["BrokenMemory"])
    assert opened["shelf"].startswith("PluginError shelves:Shelf, the strategy 'shelf', is <class 'shelves.Shelf'>")


def test_an_unusable_form_of_exports_stops_no_other(packages: Path, tmp_path: Path):
    """A file in another form is read, and a warning names each package whose form is not used."""
    chat = tmp_path / "chat.json"
    chat.write_text('[{"role": "user", "content": "Hi"}]', encoding="utf-8")
    command = [sys.executable, "-m", "memzoo", "import", str(chat), "--dry-run", "--store", "memory://"]
    environment = os.environ | {"PYTHONPATH": str(packages)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.startswith("chat\t1 read\t1 new")
    assert "not used: the package 'memzoo-shelves' adds 'broken' to memzoo.exports, which cannot be" in done.stderr
    assert "not used: the package 'memzoo-shelves' adds 'shelf' to memzoo.exports, which is not a Form" in done.stderr


def test_all_is_listed_with_what_is_wrong(packages: Path):
    """`memzoo list` tells what is wrong in the line of a strategy, whatever its package raises when it is loaded.

    A package that adds a scheme of memzoo's changes nothing in the line of that scheme.
    """
    ends = ["SystemExit(3)", "KeyboardInterrupt"]
    points = "".join(f"ends{number} = ends{number}:Memory\n" for number in range(2))
    strategies = "[memzoo.strategies]\n"
    (packages / "memzoo_shelves-1.0.dist-info" / "entry_points.txt").write_text(
        POINTS.replace(strategies, strategies + points), encoding="utf-8"
    )
    for number, end in enumerate(ends):
        (packages / f"ends{number}.py").write_text(f"raise {end}", encoding="utf-8")
    lines = dict(line.split("\t", 1) for line in said(packages, "-m", "memzoo", "list") if line)
    assert lines["memory://"] == "a new store in memory, which ends with the process"
    assert lines["shelf://"] == "of an installed package: shelves:opened"
    assert "no_such_module" in lines["broken"]
    assert "must be a BaseMemory" in lines["shelf"]
    assert "SystemExit" in lines["ends0"]
    assert "KeyboardInterrupt" in lines["ends1"]
    assert "ConversationBufferMemory" in lines["buffer"]


def test_a_check_is_a_coroutine(packages: Path):
    """One that cannot be awaited is named, and nothing is stored."""
    point = "[memzoo.import_checks]\nplain = shelves:nothing_wrong\n"
    (packages / "memzoo_shelves-1.0.dist-info" / "entry_points.txt").write_text(point, encoding="utf-8")
    with (packages / "shelves.py").open("a", encoding="utf-8") as module:
        module.write("\ndef nothing_wrong(entries, states): ...\n")
    error, history = said(packages, "-c", USED)[-2:]
    assert "adds 'plain' to memzoo.import_checks, which must be a coroutine of entries and states" in error
    assert history == "[]"


def test_a_broken_check_stops_an_import(opened: dict[str, str]):
    """What cannot be checked is not imported: the error names the package, and nothing is stored."""
    assert broken(opened["import"])
    assert opened["history"] == "[]"
