"""Tests the tests: changes the code in small ways, one at a time, and lists the changes that no test notices.

`python -m tools.mutants` changes copies of the working tree only. The tests run once with `coverage`. Then, for each
change, only the tests that reach the changed line run, the quickest first. A change is also noticed if a test takes
much longer than before. `--skip` continues a run that was stopped.
"""

import ast
import copy
import itertools
import json
import os
import queue
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, NamedTuple

import coverage
import typer

from tests.hosts.__main__ import HOSTS, IN_FRAMEWORKS, OPTIONS, TESTS, python_of
from tools.covering import SECONDS
from tools.forked import QUIETLY, Forked

ROOT = Path(__file__).parents[1]


class Room(NamedTuple):
    """A part of the package, and the tests that should notice its changes.

    Attributes:
        files: The files and folders of the part.
        tests: The files and folders of the tests, chosen so that a run takes minutes.
        host: The agent framework whose environment runs the tests; "" for this environment.
    """

    files: tuple[str, ...]
    tests: tuple[str, ...]
    host: str = ""

    @property
    def python(self) -> str:
        """The path of the interpreter."""
        return str(python_of(self.host)) if self.host else sys.executable

    @property
    def options(self) -> tuple[str, ...]:
        """The options for pytest."""
        return (*OPTIONS, "--assert=plain") if self.host else QUIETLY


ROOMS = {
    "measure": Room(
        ("benchmarks/measure", "benchmarks/recorded_states.py"),
        (
            *(f"tests/benchmarks/test_{name}.py" for name in ("answers", "evidence", "numerals", "fitting", "said")),
            *(
                f"tests/benchmarks/test_{name}.py"
                for name in ("statistics", "measuring", "recorded_states", "recorded_compare")
            ),
        ),
    ),
    "verdict": Room(("benchmarks/verdict.py",), ("tests/benchmarks/test_verdict.py",)),
    "report": Room(
        ("benchmarks/report",),
        ("tests/benchmarks/report", "tests/benchmarks/test_comparing.py", "tests/benchmarks/test_command.py"),
    ),
    "search": Room(
        ("memories/search",),
        (
            "tests/memories/search",
            "tests/memories/strategies/test_vector_retriever.py",
            "tests/memories/strategies/test_combined.py",
        ),
    ),
    "graph": Room(
        ("memories/graph",),
        (
            "tests/memories/graph",
            "tests/memories/strategies/test_knowledge_graph.py",
            "tests/cli/test_graph_command.py",
        ),
    ),
    "strategies": Room(
        ("memories/strategies",),
        (
            "tests/memories/strategies",
            "tests/memories/engine/test_cut_replies.py",
            *(f"tests/memories/text/test_{name}.py" for name in ("explaining", "stepping")),
            *(f"tests/memories/test_{name}.py" for name in ("contract", "registry", "options", "assigning")),
            *(f"tests/stores/test_{name}.py" for name in ("plugins", "import_fuzz", "transfer")),
        ),
    ),
    "migrate": Room(
        ("hosts/migrate",),
        (
            "tests/hosts/migrate",
            *(f"tests/benchmarks/test_{name}.py" for name in ("formats", "transcripts")),
            "tests/memories/engine/test_system_message.py",
        ),
    ),
    "engine": Room(("memories/engine",), ("tests/memories",)),
    "sql": Room(("stores/sql",), ("tests/stores",)),
}
"""The parts by name, with their tests."""

_SHARED = ("hosts/shared.py", "hosts/messages.py")
_ADAPTERS = {"langchain": ("hosts/langchain_agents.py", "hosts/langchain_threads.py")}
HOST_ROOMS = (
    Room(_SHARED, ("tests/hosts/test_follow.py", "tests/hosts/test_messages.py")),
    *(
        Room(
            (*_ADAPTERS.get(name, (f"hosts/{name.replace('-', '_')}.py",)), *_SHARED),
            (f"{TESTS}/{host.file}",),
            name,
        )
        for name, host in HOSTS.items()
    ),
)
"""The parts of the room "hosts": one part for each framework's adapter; every framework also tests the shared code."""

_SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
}
_OTHER_NAMES = {"all": "any", "any": "all", "min": "max", "max": "min"}
# A test may take so many times as long as before, and so many seconds more.
_SLOWER, _PAUSE = 10, 30
# What `coverage` names no test for ran when a module was loaded, so any test may show it.
_IMPORTING = ""

app = typer.Typer(help=__doc__)


class Mutant(NamedTuple):
    """A changed file.

    Attributes:
        file: The path of the file, relative to the project's root.
        line: The first line of the change.
        end: The last line of the change.
        what: A description of the change.
        text: The whole text of the changed file.
    """

    file: str
    line: int
    end: int
    what: str
    text: str

    @property
    def told(self) -> str:
        """Return the place and the description of the change."""
        return f"{self.file}:{self.line}: {self.what}"


class _Place:
    """A copy of the working tree, with a process that runs tests in the copy."""

    def __init__(self, source: Path, folder: Path, room: Room) -> None:
        self.tree, own = copied_tree(source, folder)
        self.environment = os.environ | own | (IN_FRAMEWORKS if room.host else {})
        self.tests = Forked(self.tree, self.environment, room.python)


class _Work:
    """The work on one room: the copies of the working tree, and the function that finds the tests for a change."""

    def __init__(self, room: Room, files: Sequence[str], folder: Path, jobs: int, seconds: float) -> None:
        self.room, self.files = room, [file for file in files if file in _files_of(room)]
        self.places = [_Place(ROOT, folder / "0", room)]
        self.tests = _reaching(self.places[0], self.files, room, seconds)
        self.places += [_Place(self.places[0].tree, folder / str(number), room) for number in range(1, jobs)]
        self.free = queue.Queue[_Place]()
        for place in self.places:
            self.free.put(place)

    def close(self) -> None:
        """End the processes that run tests in the copies."""
        for place in self.places:
            place.tests.close()


def copied_tree(source: Path, folder: Path) -> tuple[Path, dict[str, str]]:
    """Copy the working tree into a folder; return the copy, and the environment variables that run its code."""
    skipped = shutil.ignore_patterns(".venv*", ".git", "*.egg-info", ".*_cache", ".hypothesis", "node_modules")
    tree = Path(shutil.copytree(source, folder / "tree", symlinks=True, ignore=skipped))
    own = {"PYTHONPATH": str(tree), "TMPDIR": str(folder)}
    # Whatever changes was not compiled before: what is compiled is known by its second and its size.
    return tree, {"PYTHONDONTWRITEBYTECODE": "1"} | own


@app.command()
def main(
    targets: Annotated[
        list[str] | None,
        typer.Argument(help=f"Rooms ({', '.join([*ROOMS, 'hosts'])}), files or folders; sql and engine if none."),
    ] = None,
    *,
    sample: Annotated[int, typer.Option(help="Only so many, chosen by the seed; 0 for all.")] = 0,
    seed: Annotated[int, typer.Option(help="Of the choice.")] = 0,
    skip: Annotated[int, typer.Option(help="Leave out so many of the chosen, as seen already.")] = 0,
    jobs: Annotated[int, typer.Option(help="How many at once.")] = 2,
    seconds: Annotated[
        float, typer.Option(help="Each change meets as many of the quickest tests as keep the processor busy so long.")
    ] = 60.0,
) -> None:
    """Change the code, run the tests, and list the changes that no test noticed; the exit code is 1 if any."""
    rooms = [room for target in targets or ["sql", "engine"] for room in _rooms(target)]
    files = dict.fromkeys(file for room in rooms for file in _files_of(room))
    mutants = [mutant for file in files for mutant in mutants_of(file)]
    if sample:
        mutants = random.Random(seed).sample(mutants, min(sample, len(mutants)))  # noqa: S311 - chance that repeats
    mutants = mutants[skip:]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, ThreadPoolExecutor(jobs) as pool:
        changed = sorted({mutant.file for mutant in mutants})
        told = [room for room in rooms if set(changed) & set(_files_of(room))]
        work = [_Work(room, changed, Path(folder) / str(number), jobs, seconds) for number, room in enumerate(told)]
        noticed = [*pool.map(_noticed, mutants, itertools.repeat(work))]
        for one in work:
            one.close()
    survivors = [mutant for mutant, seen in zip(mutants, noticed, strict=True) if not seen]
    for mutant in survivors:
        typer.echo(f"survived: {mutant.told}")
    typer.echo(f"{len(mutants)} mutants, {len(mutants) - len(survivors)} noticed, {len(survivors)} survived")
    raise typer.Exit(bool(survivors))


def mutants_of(file: str) -> Iterator[Mutant]:
    """Yield all changes to a file, each by itself."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    passed_over = {one for node in ast.walk(tree) for one in _unseen(node)}
    for number, node in enumerate(ast.walk(tree)):
        for what, change in () if node in passed_over else _changes(node):
            changed = copy.deepcopy(tree)
            change(next(one for place, one in enumerate(ast.walk(changed)) if place == number))
            first = getattr(node, "lineno", 0)
            yield Mutant(file, first, _last_line(node, first), what, ast.unparse(changed))


def _unseen(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes whose change no test can notice."""
    match node:
        # How instances are kept (frozen, slots).
        case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
            parts: Sequence[ast.AST] = node.decorator_list
        # How much is kept for the next time; that `zip` is to stop the program if lengths differ, which they never do.
        case ast.keyword(arg="maxsize" | "strict"):
            parts = [node]
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return iter((node,))
        case _:
            parts = []
    return (one for part in parts for one in ast.walk(part))


def _last_line(node: ast.AST, first: int) -> int:
    """Return the last line of the changed part of a node; the changed part of an `if` is its condition."""
    changed = node.test if isinstance(node, ast.If) else node
    return getattr(changed, "end_lineno", None) or first


def _changes(node: ast.AST) -> Iterator[tuple[str, Callable[[ast.AST], None]]]:
    match node:
        case ast.Compare(ops=[op]) if type(op) in _SWAPPED:
            yield f"{ast.unparse(node)}: {type(op).__name__}", lambda one: one.__setattr__("ops", [_other(op)])
        case ast.BoolOp(op=op):
            yield f"{ast.unparse(node)}: {type(op).__name__}", lambda one: one.__setattr__("op", _other(op))
        case ast.BinOp(op=ast.Add() | ast.Sub() as op, right=ast.Constant()):
            yield f"{ast.unparse(node)}: {type(op).__name__}", lambda one: one.__setattr__("op", _other(op))
        case ast.UnaryOp(op=ast.Not()):
            yield f"{ast.unparse(node)}: without not", _without_not
        case ast.If(test=test):
            yield f"if {ast.unparse(test)}: never", lambda one: one.__setattr__("test", ast.Constant(value=False))
        case ast.Expr(value=ast.Call() | ast.Await() as call):
            yield f"{ast.unparse(call)}: left out", lambda one: one.__setattr__("value", ast.Constant(value=None))
        case ast.Constant(value=bool() as value):
            yield f"{value}: turned", lambda one: one.__setattr__("value", not value)
        case ast.Constant(value=int() | float() as value):
            yield f"{value}: one more", lambda one: one.__setattr__("value", value + 1)
        case ast.Name(id=name) if name in _OTHER_NAMES:
            yield f"{name}: {_OTHER_NAMES[name]}", lambda one: one.__setattr__("id", _OTHER_NAMES[name])
        case _:
            pass


def _other(op: ast.AST) -> ast.AST:
    return _SWAPPED[type(op)]()


def _without_not(node: ast.AST) -> None:
    node.__setattr__("op", ast.Not())
    node.__setattr__("operand", ast.UnaryOp(op=ast.Not(), operand=getattr(node, "operand")))  # noqa: B009


def _rooms(target: str) -> Sequence[Room]:
    """Return the rooms with this name; for a file or folder, a room with all tests of its part of the package."""
    if target == "hosts":
        return HOST_ROOMS
    of_hosts = [room._replace(files=(target,)) for room in HOST_ROOMS if target in room.files]
    return of_hosts or [ROOMS.get(target) or Room((target,), (f"tests/{Path(target).parts[0]}",))]


def _files_of(room: Room) -> list[str]:
    return [file for target in room.files for file in _files(target)]


def _files(target: str) -> list[str]:
    path = ROOT / target
    return [str(one.relative_to(ROOT)) for one in ([path] if path.is_file() else sorted(path.rglob("*.py")))]


def _reaching(place: _Place, files: Sequence[str], room: Room, most: float) -> Callable[[Mutant], dict[str, float]]:
    """Run the tests once; return a function from a mutant to the tests that reach its lines, with their seconds.

    Tests that fail without a change are reported, and left out.
    """
    data, seconds = place.tree.parent / "coverage", place.tree.parent / "seconds"
    # Without the project's own settings, which measure all of it.
    include = f"--include={','.join(f'*/{file}' for file in files)}"
    measuring = ["coverage", "run", f"--rcfile={os.devnull}", f"--data-file={data}", include, "-m"]
    command = [room.python, "-m", *measuring, "pytest", *room.options, "-p", "tools.covering", *room.tests]
    environment = place.environment | {SECONDS: str(seconds), "PYTHONDONTWRITEBYTECODE": ""}
    done = subprocess.run(command, cwd=place.tree, env=environment, capture_output=True, check=False, text=True)
    if not seconds.exists():
        sys.exit(f"the tests cannot be run:\n{(done.stdout + done.stderr)[-4000:]}")
    known = coverage.CoverageData(str(data))
    known.read()
    ran = json.loads(seconds.read_text(encoding="utf-8"))
    # On a busy machine a test takes longer, but not more work.
    taken, work = ({test: took[at] for test, took in ran["passed"].items()} for at in range(2))
    for test in ran["failed"]:
        typer.echo(f"fails unchanged, and shows nothing: {test}")
    typer.echo(f"{len(taken)} tests pass unchanged, {len(ran['failed'])} fail")
    paths = known.measured_files()
    by_file = {file: known.contexts_by_lineno(path) for file in files for path in paths if path.endswith(file)}

    def reaching(mutant: Mutant) -> dict[str, float]:
        lines = by_file.get(mutant.file, {})
        found = {test for line in range(mutant.line, mutant.end + 1) for test in lines.get(line, [])}
        # What none reaches may run in another process that a test starts.
        if not found or _IMPORTING in found:
            found = {test for tests in lines.values() for test in tests}
        # What only ran when its module was loaded, such as a class of numbers, any test of the room may show.
        quickest = sorted(found & taken.keys() or taken, key=work.__getitem__)
        until = [*itertools.accumulate(work[test] for test in quickest)]
        return {test: taken[test] for test, seconds in zip(quickest, until, strict=True) if seconds <= most}

    return reaching


def _noticed(mutant: Mutant, work: Sequence[_Work]) -> bool:
    """Return whether a test fails, or takes too long, in a copy with the change."""
    shown = [(one, one.tests(mutant)) for one in work if mutant.file in one.files]
    failed = any(_fails(mutant, *one) for one in shown)
    number = sum(len(tests) for _, tests in shown)
    typer.echo(f"{'noticed' if failed else 'SURVIVED'}: {mutant.told} ({number} tests reach it)")
    return failed


def _fails(mutant: Mutant, work: _Work, tests: Mapping[str, float]) -> bool:
    if not tests:
        return False
    place = work.free.get()
    file = place.tree / mutant.file
    before = file.read_text(encoding="utf-8")
    too_long = f"--timeout={_PAUSE + _SLOWER * max(tests.values()):.0f}"
    try:
        file.write_text(mutant.text, encoding="utf-8")
        return place.tests.fails([*work.room.options, "-x", too_long, *tests])
    finally:
        file.write_text(before, encoding="utf-8")
        work.free.put(place)


if __name__ == "__main__":
    app()
