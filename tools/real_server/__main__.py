"""Runs the strategies with a real small model: `python -m tools.real_server`, started by `make real-server`."""

import logging
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, cast

import typer
from rich.console import Console

from tools.real_server.families import show_refused
from tools.real_server.runs import NAMES, WAYS, Row, Servers, Way, run
from tools.real_server.server import found, served, version
from tools.real_server.talk import SAID

MARKS = "<!-- figures -->", "<!-- end of figures -->"
TESTS = "tests/real_server/test_recorded_server.py"
_HEAD = (
    "| strategy | way | exchanges | learnt | set aside | not due yet | pending | left by a working model "
    "| model calls | prompt tokens | errors |"
)

app = typer.Typer(help=__doc__)


@app.command()
def main(  # noqa: PLR0917 - one for each option
    strategies: Annotated[list[str] | None, typer.Argument(help=f"Of {', '.join(NAMES)}; all by default.")] = None,
    ways: Annotated[str, typer.Option(help="How they are called.")] = ",".join(WAYS),
    exchanges: Annotated[int, typer.Option(help="So many of the talk's exchanges.")] = len(SAID),
    max_tokens: Annotated[int, typer.Option(help="An answer has at most so many tokens.")] = 48,
    out: Annotated[Path | None, typer.Option(help="The page whose table is replaced, after each row.")] = None,
    families: Annotated[  # noqa: FBT002
        bool, typer.Option(help="First, send all requests with chat templates of ten families.")
    ] = True,
    record: Annotated[bool, typer.Option(help="Record what the tests replay, instead.")] = False,  # noqa: FBT002
) -> None:
    """Let every strategy talk with a small model, and count learnt, refused and lost exchanges."""
    chosen, called = strategies or NAMES, ways.split(",")
    for given, known in ((chosen, NAMES), (called, WAYS)):
        if unknown := set(given) - set(known):
            raise typer.BadParameter(f"{', '.join(sorted(unknown))}: there is only {', '.join(known)}")
    refused = show_refused(chosen) if families and not record else 0
    with served() as chat, served(embeddings=True) as embeddings:
        servers = Servers(chat, embeddings, max_tokens)
        if record:
            raise typer.Exit(_recorded(servers))
        rows: list[Row] = []
        for name in chosen:
            rows += _shown(name, cast("list[Way]", called), servers, exchanges)
            if out:
                _write(out, _table(rows))
    Console().print(f"llama.cpp {version(found('LLAMA_SERVER'))}", markup=False)
    raise typer.Exit(code=bool(refused) or any(row.wrong or row.left for row in rows))


def _shown(name: str, ways: Sequence[Way], servers: Servers, exchanges: int) -> list[Row]:
    rows: list[Row] = []
    for way in ways:
        rows.append(row := run(name, way, servers, SAID[:exchanges]))
        console = Console(soft_wrap=True)
        console.print(_line(row), f"{row.seconds:.0f} s", markup=False)
        for wrong in row.wrong:
            console.print(f"  WRONG: {wrong}", markup=False)
    return rows


def _recorded(servers: Servers) -> int:
    place = {"REAL_SERVER": servers.chat, "REAL_SERVER_EMBEDDINGS": servers.embeddings}
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "--cassettes=all", TESTS]
    return subprocess.run(command, env=os.environ | place, check=False).returncode


def _table(rows: Sequence[Row]) -> str:
    rule = "|---|---|" + "---:|" * 8 + "---|"
    return "\n".join([_HEAD, rule, *map(_line, rows), _line(_sum(rows))])


def _sum(rows: Sequence[Row]) -> Row:
    whole = Row("all", "sync")
    whole.way = cast("Way", "")
    for name in ("exchanges", "learnt", "aside", "waiting", "pending", "left", "calls", "tokens"):
        setattr(whole, name, sum(getattr(row, name) or 0 for row in rows))
    whole.errors = sum((row.errors for row in rows), Counter[str]())
    return whole


def _line(row: Row) -> str:
    learns = row.learnt is not None
    counts: list[Any] = [row.learnt, row.aside, row.waiting, row.pending, row.left] if learns else ["-"] * 5
    errors = ", ".join(f"{count} {kind}" for kind, count in sorted(row.errors.items())) or "-"
    return f"| {' | '.join(map(str, [row.strategy, row.way, row.exchanges, *counts, row.calls, row.tokens, errors]))} |"


def _write(page: Path, table: str) -> None:
    text, (start, end) = page.read_text(encoding="utf-8"), MARKS
    page.write_text(re.sub(f"(?s){start}.*{end}", f"{start}\n{table}\n{end}", text), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    logging.getLogger("memzoo").setLevel(logging.CRITICAL)  # The table counts what would be logged.
    app()
