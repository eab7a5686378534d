"""Imports point one way: each room imports only what stands to its right in one list (DESIGN 3)."""

import ast
import functools
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("memzoo", "memories", "prompts", "stores", "testing", "cassettes", "benchmarks", "hosts", "cli")

# From the left, which may import everything, to the right, which may import nothing. Rooms that stand together
# must not import each other. "memories" is the package's own list of public names, not what lies in its folder.
ORDER = (
    ("memzoo",),
    ("benchmarks",),
    ("hosts",),
    ("cassettes",),
    ("cli",),
    ("memories",),
    ("types",),
    ("chat", "maintenance"),
    ("testing",),
    ("strategy",),
    ("registry",),
    ("option_types",),
    ("strategies",),
    ("base",),
    ("search", "graph"),
    ("engine",),
    ("models",),
    ("text",),
    ("options",),
    ("prompts",),
    ("stores",),
    ("ground",),
)
PLACE = {room: place for place, rooms in enumerate(ORDER) for room in rooms}


# What everything stands on: the rest of the folder is the package's own list of public names.
GROUND = (
    "_lazy",
    "counting",
    "dispatch",
    "errors",
    "forks",
    "http_library",
    "plugins",
    "sync",
    "text",
    "warned",
    "_version",
)


def module_name(path: Path) -> str:
    """The name under which a file is imported."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(("memzoo", *parts)).removesuffix(".__init__").replace("memzoo.memzoo", "memzoo")


def room(name: str) -> str:
    """The room of a module: a folder or file of memories/, or a package."""
    package, *inside = name.split(".")[1:] or ["memzoo"]
    if package == "memories":
        return inside[0] if inside else package
    if package in GROUND:
        return "ground"
    # What a strategy of one's own imports, and what programs annotate.
    if package in {"strategy", "types"}:
        return package
    return package if package in PACKAGES else "memzoo"


FILES = {module_name(path): path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))}
ROOMS = sorted({room(name) for name in FILES})


def imported(tree: ast.Module) -> Iterator[str]:
    """The imports of a module when it runs, in functions too; of a package, which of its modules."""
    types = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    at_run_time = [node for node in tree.body if node not in types] + [node for one in types for node in one.orelse]
    for node in ast.walk(ast.Module(at_run_time, [])):
        if isinstance(node, ast.ImportFrom):
            assert not node.level, "imports are absolute"
            whole = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in FILES else node.module or "" for name in whole)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


@functools.cache
def imports_of(source: str) -> frozenset[str]:
    """The same of a text, which is read once."""
    return frozenset(imported(ast.parse(source)))


def forbidden(name: str, source: str) -> list[str]:
    """The imports of a module that point to the left, or to a room that stands beside its own."""
    own = room(name)
    ours = {target for target in imports_of(source) if target.split(".")[0] == "memzoo"}
    return sorted(target for target in ours if room(target) != own and PLACE[room(target)] <= PLACE[own])


def sources(*rooms: str) -> Iterator[tuple[str, str]]:
    """Names and texts of the modules of some rooms."""
    for name, path in FILES.items():
        if room(name) in rooms:
            yield name, path.read_text(encoding="utf-8")


def test_every_room_has_a_place() -> None:
    """A new folder or file in the root of memories/ is put into the list before anything else."""
    assert set(ROOMS) <= PLACE.keys()


@pytest.mark.parametrize("own", ROOMS)
def test_imports_point_to_the_right(own: str) -> None:
    """Imports inside functions count as well: a circle of rooms is one, whenever it closes. Those for types do not."""
    found = {name: targets for name, source in sources(own) if (targets := forbidden(name, source))}
    assert found == {}


@pytest.mark.parametrize(
    ("name", "line", "found"),
    [
        (
            "memzoo.memories.graph.graph",
            "from memzoo.memories.strategies import named",
            "memzoo.memories.strategies.named",
        ),
        (
            "memzoo.memories.graph.graph",
            "from memzoo.memories.search.words import Grain",
            "memzoo.memories.search.words",
        ),
        ("memzoo.memories.text.view", "def f():\n from memzoo.memories import BaseMemory", "memzoo.memories"),
        ("memzoo.memories.base", "from memzoo.memories.strategies import window", "memzoo.memories.strategies.window"),
        (
            "memzoo.stores.base",
            "if TYPE_CHECKING:\n import os\nelse:\n import memzoo.cassettes.http",
            "memzoo.cassettes.http",
        ),
        ("memzoo.prompts", "from memzoo import compare", "memzoo"),
    ],
)
def test_imports_to_the_left_are_seen(name: str, line: str, found: str) -> None:
    """Each kind of import that would close a circle is found."""
    assert forbidden(name, line) == [found]


def test_no_circle_of_files() -> None:
    """No file imports itself by way of others when it runs, in functions too."""
    arrows = {name: imports_of(path.read_text(encoding="utf-8")) - {name} for name, path in FILES.items()}
    TopologicalSorter(arrows).prepare()  # a circle is an error, which names it


def test_the_command_imports_benchmarks_lazily() -> None:
    """`memzoo chat` and `import memzoo` do not pay for what only `compare` needs."""
    for name, source in sources("cli", "memzoo"):
        at_once = [node for node in ast.parse(source).body if isinstance(node, (ast.Import, ast.ImportFrom))]
        assert "benchmarks" not in map(room, imported(ast.Module(list(at_once), []))), name


def test_research_is_imported_by_nothing_that_ships() -> None:
    """The wheel leaves `benchmarks/research` out."""
    shipped = {name: source for name, source in sources(*ROOMS) if "research" not in name.split(".")}
    found = [name for name, source in shipped.items() for target in imports_of(source) if "research" in target]
    assert found == []


def test_test_tools_are_imported_for_tests_only() -> None:
    """A test library is needed by the shipped contract suites and the replay plugin, by nothing else."""
    users = {name for name, source in sources(*ROOMS) if {"pytest", "hypothesis"} & imports_of(source)}
    assert [name for name in users if "testing" not in name.split(".") and room(name) != "cassettes"] == []
