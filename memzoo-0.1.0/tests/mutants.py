"""Mutants: changes the code in small ways, one at a time, and lists those that no test notices.

`python -m tests.mutants` does it to a copy of the working tree, so that nothing here changes meanwhile.
"""

import ast
import copy
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

ROOT = Path(__file__).parents[1]
# Which tests have to notice a change: the quickest first, because the first failure ends the run.
TESTS = {
    "stores/sql": [
        *("test_sql.py", "test_each_statement.py", "test_waiting.py", "test_sql_sharing.py", "test_sql_costs.py"),
        *("test_schema.py", "test_fork.py", "test_opening.py", "test_erasure.py"),
    ],
    "stores/sql/postgres.py": [
        *("test_postgres.py", "test_each_statement.py", "test_postgres_sharing.py", "test_postgres_failures.py"),
        *("test_postgres_costs.py", "test_fork.py"),
    ],
    "memories/engine": ["../memories/engine", "../memories/test_asking.py", "../faults/test_operations.py"],
}
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
_LONGEST = 600

app = typer.Typer(help=__doc__)


class Mutant(NamedTuple):
    """A changed file.

    Attributes:
        file: Which one, from the root.
        line: Where.
        what: What was done there.
        text: The file as it is then.
    """

    file: str
    line: int
    what: str
    text: str


@app.command()
def main(
    targets: Annotated[list[str] | None, typer.Argument(help="Files or folders; by default those with tests.")] = None,
    sample: Annotated[int, typer.Option(help="Only so many, chosen by the seed; 0 for all.")] = 0,
    seed: Annotated[int, typer.Option(help="Of the choice.")] = 0,
    jobs: Annotated[int, typer.Option(help="How many at once.")] = 2,
) -> None:
    """Change, run the tests, and list what survived; the exit code says whether anything did."""
    files = [file for target in targets or ["stores/sql", "memories/engine"] for file in _files(target)]
    mutants = [mutant for file in files for mutant in mutants_of(file)]
    if sample:
        mutants = random.Random(seed).sample(mutants, min(sample, len(mutants)))  # noqa: S311 - chance that repeats
    with ThreadPoolExecutor(jobs) as pool:
        survivors = [
            mutant for mutant, noticed in zip(mutants, pool.map(_noticed, mutants), strict=True) if not noticed
        ]
    for mutant in survivors:
        typer.echo(f"survived: {mutant.file}:{mutant.line}: {mutant.what}")
    typer.echo(f"{len(mutants)} mutants, {len(mutants) - len(survivors)} noticed, {len(survivors)} survived")
    raise typer.Exit(bool(survivors))


def mutants_of(file: str) -> Iterator[Mutant]:
    """All changes to a file, one at a time."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    for number, node in enumerate(ast.walk(tree)):
        for what, change in _changes(node):
            changed = copy.deepcopy(tree)
            change(next(one for place, one in enumerate(ast.walk(changed)) if place == number))
            yield Mutant(file, getattr(node, "lineno", 0), what, ast.unparse(changed))


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
        case _:
            pass


def _other(op: ast.AST) -> ast.AST:
    return _SWAPPED[type(op)]()


def _without_not(node: ast.AST) -> None:
    node.__setattr__("op", ast.Not())
    node.__setattr__("operand", ast.UnaryOp(op=ast.Not(), operand=getattr(node, "operand")))  # noqa: B009


def _files(target: str) -> list[str]:
    path = ROOT / target
    return [str(one.relative_to(ROOT)) for one in ([path] if path.is_file() else sorted(path.rglob("*.py")))]


def _noticed(mutant: Mutant) -> bool:
    """Whether a test fails, or does not end, with that change."""
    folder = max((name for name in TESTS if mutant.file.startswith(name)), key=len)
    tests = [os.path.normpath(f"tests/stores/{name}") for name in TESTS[folder]]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        tree = Path(place) / "tree"
        skipped = shutil.ignore_patterns(".venv*", ".git", "*.egg-info", "__pycache__", ".*_cache", ".hypothesis")
        shutil.copytree(ROOT, tree, symlinks=True, ignore=skipped)
        (tree / mutant.file).write_text(mutant.text, encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:randomly", *tests]
        paths = {"PYTHONPATH": f"{tree / '.links'}{os.pathsep}{tree}", "TMPDIR": place, "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            done = subprocess.run(
                command, cwd=tree, env=os.environ | paths, capture_output=True, timeout=_LONGEST, check=False
            )
        except subprocess.TimeoutExpired:
            return True
    typer.echo(f"{'noticed' if done.returncode else 'SURVIVED'}: {mutant.file}:{mutant.line}: {mutant.what}")
    return done.returncode != 0


if __name__ == "__main__":
    app()
