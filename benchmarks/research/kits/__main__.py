"""Compares replay kits by features and speed: `python -m memzoo.benchmarks.research.kits [--only speed]`."""

import random
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import httpx
import typer

from memzoo import prompts
from memzoo.benchmarks.research.kits.bench import PROMPT, Bench, chat
from memzoo.benchmarks.research.kits.contenders import KITS, Kit, versions
from memzoo.benchmarks.research.kits.server import Server, server
from memzoo.benchmarks.research.kits.wishes import ROWS
from memzoo.benchmarks.research.tables import show, table


def compare_kits(
    changes: Annotated[int, typer.Option(help="One-word changes of prompts.")] = 1000,
    calls: Annotated[
        int, typer.Option(help="Calls in the measurement of speed; it also runs half and twice as many.")
    ] = 1000,
    only: Annotated[Literal["all", "wishes", "changes", "speed"], typer.Option(help="Run one part only.")] = "all",
    alone: Annotated[bool, typer.Option("--alone", help="Measure the speed of memzoo.cassettes alone.")] = False,  # noqa: FBT002 - typer's
    check: Annotated[str, typer.Option(hidden=True)] = "",
) -> None:
    """Print three tables: the kits' features, the changed prompts that they notice, and their CPU times."""
    if check:
        raise typer.Exit(0 if _run_check(check) else 1)
    typer.echo(f"As of {datetime.now(UTC):%Y-%m-%d}: " + "; ".join(map(versions, KITS[:1] if alone else KITS)) + "\n")
    if only in {"all", "wishes"}:
        show_table("wish", [(name, [_score(kit, name) for kit in KITS]) for name in ROWS])
    with server() as running:
        if only in {"all", "changes"}:
            _show_caught(running, changes)
        if only in {"all", "speed"}:
            _show_speed(running, (calls // 2, calls, 2 * calls), KITS[:1] if alone else KITS)


def show_table(title: str, rows: list[tuple[str, list[str]]], kits: tuple[Kit, ...] = KITS) -> None:
    """Print a table with a column for each kit."""
    show(table([title, *(kit.name for kit in kits)], [[name, *cells] for name, cells in rows]), "")


def _score(kit: Kit, row: str) -> str:
    passed = sum(_passes(kit, row, number) for number in range(len(ROWS[row])))
    total = len(ROWS[row])
    return "yes" if passed == total else f"{passed} of {total}" if passed else "no"


def _passes(kit: Kit, row: str, number: int) -> bool:
    # In a process of its own: a kit that is not made for threads leaves its patches behind.
    check = f"{KITS.index(kit)}:{list(ROWS).index(row)}:{number}"
    command = [sys.executable, "-W", "ignore", "-m", "memzoo.benchmarks.research.kits", "--check", check]
    try:
        return subprocess.run(command, check=False, timeout=60, capture_output=True).returncode == 0  # noqa: S603
    except subprocess.TimeoutExpired:
        return False


def _run_check(check: str) -> bool:
    kit, row, number = map(int, check.split(":"))
    with tempfile.TemporaryDirectory() as folder, server() as running:
        return list(ROWS.values())[row][number](Bench(KITS[kit], running, Path(folder)))


def _measure_caught(kit: Kit, running: Server, changes: int, *, best: bool) -> float:
    """Change one word of a recorded prompt at a time; return the share of changes that make a replay fail."""
    order = random.Random(17)  # noqa: S311 - no secret
    texts = [text.split(" ") for text in _prompts()]
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{place}.yaml" for place in range(len(texts))]
        benches = [Bench(kit, running, path.parent) for path in paths]
        for path, words, bench in zip(paths, texts, benches, strict=True):
            with kit.open(path, record=True):
                bench.ask(chat(" ".join(words)))
        return sum(_fails(kit, benches, paths, texts, order, best=best) for _ in range(changes)) / changes


def _fails(
    kit: Kit, benches: list[Bench], paths: list[Path], texts: list[list[str]], order: random.Random, *, best: bool
) -> bool:
    place = order.randrange(len(texts))
    words = list(texts[place])
    words[order.randrange(len(words))] += order.choice(["s", " not", "-", "."])
    try:
        with kit.open(paths[place], best=best):
            benches[place].ask(chat(" ".join(words)))
    except Exception:  # noqa: BLE001 - each kit has its own
        return True
    return False


def _prompts() -> list[str]:
    """Return the templates of memzoo's own prompts, as texts."""
    folder = Path(prompts.__file__ or "").parent
    return [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.jinja"))]


def _show_caught(running: Server, changes: int) -> None:
    rows = list[tuple[str, list[str]]]()
    for name, best in (("by default", False), ("best settings", True)):
        shares = [f"{_measure_caught(kit, running, changes, best=best):.1%}" for kit in KITS]
        rows.append((f"{changes:,} changed words, {name}", shares))
    show_table("caught", rows)


def _show_speed(running: Server, sizes: tuple[int, ...], kits: tuple[Kit, ...]) -> None:
    """Print each kit's milliseconds, and in brackets the ratio to memzoo's milliseconds."""
    took = {size: [_speed(kit, running, size) for kit in kits] for size in sizes}
    for what in ("load", "one call, with httpx", "save"):
        rows = [(f"{size:,} calls", [one[what] for one in took[size]]) for size in sizes]
        show_table(what, [(name, [f"{ms:,.2f} ms ({ms / row[0]:.2f})" for ms in row]) for name, row in rows], kits)


def _speed(kit: Kit, running: Server, calls: int) -> dict[str, float]:
    """Return a kit's CPU milliseconds: to load a cassette, for one call of httpx matched by body, and to save.

    Only 100 of the calls are replayed, evenly spread over the recordings: a kit that searches all recordings for each
    call would take too long.
    """
    bodies: list[Any] = [chat(f"{PROMPT[:500]} Question {number}") for number in range(calls)]
    with tempfile.TemporaryDirectory() as folder, httpx.Client() as client:
        path, url = Path(folder) / "tape.yaml", f"{running.url}/chat/completions"
        opened = kit.open(path, record=True)
        opened.__enter__()
        for body in bodies:
            client.post(url, json=body)
        saved = _time_call(lambda: opened.__exit__(None, None, None))
        opened = kit.open(path, best=True)
        loaded = _time_call(opened.__enter__)
        drawn = bodies[:: max(1, calls // 100)]
        played = _time_call(lambda: [client.post(url, json=body) for body in drawn])
        with suppress(AssertionError):  # of ours: not all were sent
            opened.__exit__(None, None, None)
    return {"load": loaded, "one call, with httpx": played / len(drawn), "save": saved}


def _time_call(call: Any) -> float:
    start = time.process_time()
    call()
    return (time.process_time() - start) * 1000


if __name__ == "__main__":
    typer.run(compare_kits)
