"""Runs all fault tests: `python -m tools.faults` writes their table into docs/faults.md."""

import json
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from tests.postgres import PostgresServer
from tools.faults import concurrency, contention, crash, database, disk, host_runs, model, moving, operations, pooler
from tools.faults.places import STORES, Places
from tools.faults.tally import Cell, Tally, as_json, as_table, by_fault

KINDS: dict[str, Callable[[Places, int], Iterator[Cell]]] = {
    "crash": crash.cells,
    "model": model.cells,
    "operations": operations.cells,
    "fork": contention.fork_cells,
    "waiting": contention.waiting_cells,
    "concurrency": concurrency.cells,
    "disk": disk.cells,
    "cut connection": database.cut_cells,
    "killed server": database.restart_cells,
    "pooler": pooler.cells,
    "import killed": moving.import_cells,
    "migrate killed": moving.migrate_cells,
    "host killed in a turn": host_runs.host_cells,
}
MARKS = "<!-- figures -->", "<!-- end of figures -->"
INPUT = ["tests/faults/test_operations.py", "tests/faults/test_hostile.py"]

app = typer.Typer(help=__doc__)


@app.command()
def main(
    kinds: Annotated[
        list[str] | None, typer.Argument(help=f"Of {', '.join([*KINDS, 'input'])}; all by default.")
    ] = None,
    kills: Annotated[
        int, typer.Option(help="How often each strategy is killed on each store; below 200, fewer other faults, too.")
    ] = 200,
    jobs: Annotated[int, typer.Option(help="How many strategies are tried at once.")] = 2,
    out: Annotated[Path | None, typer.Option(help="The page whose table is replaced.")] = None,
    results: Annotated[Path, typer.Option(help="Where all figures go; those of others stay.")] = Path(
        "docs/faults.json"
    ),
) -> None:
    """Break what can be broken, and count what was lost, doubled or wrong."""
    start, console, chosen = time.monotonic(), Console(), kinds or [*KINDS, "input"]
    if unknown := {*chosen} - {*KINDS, "input"}:
        raise typer.BadParameter(f"there is no fault {', '.join(sorted(unknown))}")
    with _places() as places:
        cells = [cell for kind in chosen if kind in KINDS for cell in KINDS[kind](places, kills)]
        tallies = _run(cells, jobs, console, results)
    sound = "input" not in chosen or _input_is_sound()
    known = _known(results)
    console.print(as_table(known), markup=False, soft_wrap=True)
    console.print(f"{sum(tally.tried for tally in tallies)} faults in {time.monotonic() - start:.0f} s")
    for tally in tallies:
        for example in tally.examples:
            console.print(f"{tally.fault}, {tally.strategy}, {tally.store}: {example}", markup=False)
    if out:
        _write(out, by_fault(known))
    raise typer.Exit(code=not (sound and all(tally.clean for tally in tallies)))


@contextmanager
def _places() -> Generator[Places]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        server = PostgresServer(folder / "postgres")
        try:
            yield Places(folder, server.new_url)
        finally:
            server.cleanup()


def _run(cells: Sequence[Cell], jobs: int, console: Console, results: Path) -> list[Tally]:
    columns = SpinnerColumn(), TextColumn("{task.description}"), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=console) as progress, ThreadPoolExecutor(jobs) as pool:
        whole, lock = progress.add_task("faults", total=len(cells)), threading.Lock()

        def run(cell: Cell) -> Tally:
            tally, work = cell
            try:
                work(tally)
            except EOFError as error:  # which typer takes for the user's wish to end
                where = f"{tally.fault}, {tally.strategy}, {tally.store}"
                raise RuntimeError(f"{where}: a process ended without a word; see above") from error
            progress.console.print(
                f"{tally.fault}, {tally.strategy}, {tally.store}: {tally.tried} tried, {tally.lost} lost, "
                f"{tally.doubled} doubled, {tally.wrong} wrong"
            )
            with lock:
                _keep(results, tally)
            progress.advance(whole)
            return tally

        # An upgrade lets this process know a newer version of the tables meanwhile: nothing else may open a store.
        alone = [cell for cell in cells if cell[0].strategy == "upgrade"]
        try:
            return [*pool.map(run, [cell for cell in cells if cell not in alone]), *map(run, alone)]
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _known(results: Path) -> list[Tally]:
    return [Tally(**one) for one in json.loads(results.read_text(encoding="utf-8"))] if results.exists() else []


def _keep(results: Path, new: Tally) -> None:
    """Store a new result in place of the older result."""
    rows = {(tally.fault, tally.strategy, tally.store): tally for tally in [*_known(results), new]}
    ordered = sorted(rows.values(), key=lambda one: [list(KINDS).index(one.fault), [*STORES, "files"].index(one.store)])
    results.write_text(json.dumps(as_json(ordered), indent=1) + "\n", encoding="utf-8", newline="\n")


def _input_is_sound() -> bool:
    command = [sys.executable, "-m", "pytest", "-q", "--hypothesis-profile=thorough", *INPUT]
    return subprocess.run(command, check=False).returncode == 0


def _write(page: Path, table: str) -> None:
    text, (start, end) = page.read_text(encoding="utf-8"), MARKS
    page.write_text(re.sub(f"(?s){start}.*{end}", f"{start}\n{table}\n{end}", text), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    app()
