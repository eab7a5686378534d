"""The commands that show, check, export, re-record and serve cassettes."""

import json
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memzoo.cli.options import write_count
from memzoo.cli.terminal import echo, row
from memzoo.errors import MemoryZooError, OptionError

if TYPE_CHECKING:
    from memzoo.cassettes.format import CassetteFile

app = typer.Typer(
    name="cassettes",
    help="Look into recorded model calls, check them, and record them again.",
    no_args_is_help=True,
    add_completion=False,
    rich_help_panel="Replay tests",
)

_FOLDER = Path("cassettes")
_NO_TESTS = 5
_MOST_GAPS = 3
Where = Annotated[Path, typer.Argument(help="A cassette, or a folder of them.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON Lines, one for each step.")]


def _paths(where: Path) -> list[Path]:
    from memzoo.cassettes.library import paths_in

    if not where.exists():
        raise OptionError(f"there is no folder or file {str(where)!r}")
    return paths_in(where)


def _files(where: Path) -> "list[CassetteFile]":
    paths = _paths(where)
    from memzoo.cassettes.format import read_cassette

    return list(map(read_cassette, paths))


@app.command()
def show(where: Where = _FOLDER, *, as_json: AsJson = False) -> None:
    """Show the run in a cassette step by step: models, tools, a memory's own model calls, answers and tokens.

    For a folder, list its cassettes, one per line: date, calls, tokens, bytes, models. The last line has totals.
    Exit with 1 if a file cannot be read.
    """
    from memzoo.cassettes.library import show_steps
    from memzoo.cassettes.steps import list_steps

    if where.is_dir() and not as_json:
        _show_folder(where)
        return
    for file in _files(where):
        steps = list_steps(file.recordings)
        if as_json:
            place = {"cassette": str(file.path)} if where.is_dir() else {}
            for step in steps:
                echo(json.dumps(place | asdict(step), ensure_ascii=False))
            continue
        head = {name: value for name, value in file.head.items() if name not in ("recorder", "counts")}
        row("  ".join([f"{file.path}:", *(f"{name}: {value}" for name, value in head.items())]))
        for line in show_steps(steps):
            echo(line)
        row(f"{write_count(len(steps), 'step')}, {file.statistics.tokens}")


def _show_folder(where: Path) -> None:
    from memzoo.cassettes.conversation import Statistics

    total, failed = Statistics(), 0
    for path in _paths(where):
        try:
            (file,) = _files(path)
        except MemoryZooError as error:
            failed += 1
            row(f"not read: {error}")
            continue
        statistics = file.statistics
        total += statistics
        date, calls = str(file.head.get("recorded", "?")), write_count(len(file.recordings), "call")
        size, models = file.path.stat().st_size, ", ".join(statistics.models)
        row(f"{date:10}  {calls:>10}  {statistics.tokens:24}  {size:9,} B  {file.path}  {models}")
    row(f"{write_count(total.responses, 'call')}  {total.tokens}")
    raise typer.Exit(1 if failed else 0)


@app.command("diff")
def show_diff(
    old: Annotated[Path, typer.Argument(help="A cassette.")],
    new: Annotated[Path, typer.Argument(help="A cassette of another run of the same program.")],
) -> None:
    """Compare two runs step by step, with their tokens; exit with 1 if they differ."""
    from memzoo.cassettes.library import show_changes, steps_of_both
    from memzoo.cassettes.steps import compare_steps

    for path in (old, new):
        if path.is_dir():
            raise OptionError(f"{str(path)!r} is a folder; give a cassette")
    files = [file for path in (old, new) for file in _files(path)]
    before, after = steps_of_both(files[0], files[1])
    for line in show_changes(before, after):
        echo(line)
    for file in files:
        row(f"{file.path}: {write_count(len(file.recordings), 'step')}, {file.statistics.tokens}")
    raise typer.Exit(any(mark != "=" for mark, *_ in compare_steps(before, after)))


@app.command()
def check(
    where: Where = _FOLDER,
    *,
    fix: Annotated[
        bool, typer.Option("--fix", help="Delete orphans, remove secrets, and convert vcrpy's cassettes.")
    ] = False,
) -> None:
    """Report files that belong to no test, are damaged, or hold a secret; exit with 1 if any remain."""
    from memzoo.cassettes.library import clean

    paths, faults, mended = _paths(where), list[str](), list[str]()
    orphans, doubt = _orphans(where)
    said = f"perhaps used by no test ({doubt})" if doubt else "used by no test"
    for path in paths:
        if fix and path in orphans and not doubt:
            path.unlink()
            mended.append(f"deleted: {path}")
            continue
        faults += [f"{said}: {path}"] if path in orphans else []
        try:
            (file,) = _files(path)
        except MemoryZooError as error:
            faults.append(f"damaged: {error}")
            continue
        secret, foreign = clean(file), file.head.get("recorder") == "vcrpy"
        if not (fix and (secret or foreign)):
            faults += [f"holds a secret: {path}"] if secret else []
            continue
        fresh = path if path.name.endswith((".yaml", ".yaml.gz")) else path.with_suffix(".yaml")
        if fresh != path and fresh.exists():
            faults.append(f"not converted, because {fresh} exists: {path}")
            continue
        clean(file, fresh)
        mended.append(f"{'secrets removed' if secret else 'converted'}: {fresh}")
        if fresh != path:
            path.unlink()
    for line in (*mended, *faults):
        row(line)
    found = f"{write_count(len(paths), 'cassette')}, {write_count(len(faults), 'fault')}"
    row(found + (f", {len(mended)} fixed" if fix else ""))
    raise typer.Exit(1 if faults else 0)


@app.command()
def export(
    source: Annotated[Path, typer.Argument(help="A cassette, or a folder of them.")],
    target: Annotated[
        Path, typer.Argument(help="The folder to write to; for a single cassette, the folder or the file.")
    ],
    *,
    origin: Annotated[
        str, typer.Option(help="Scheme and host for the requests; memzoo's cassettes do not record them.")
    ] = "https://api.openai.com",
) -> None:
    """Write cassettes for vcrpy and pytest-recording. Data that vcrpy's format cannot hold is left out."""
    from memzoo.cassettes.exporting import export_cassette

    failed = 0
    is_file = target.name.endswith((".yaml", ".yml", ".yaml.gz")) and not target.is_dir()
    if is_file and source.is_dir():
        raise OptionError(f"{str(source)!r} is a folder, so write to a folder too, not to the file {str(target)!r}")
    for path in _paths(source):
        below = path.relative_to(source) if source.is_dir() else Path(path.name)
        name = below.name.split(".yaml")[0].removesuffix(".yml").removesuffix(".json")
        fresh = target if is_file else target / below.with_name(f"{name}.yaml")
        try:
            (file,) = _files(path)
        except MemoryZooError as error:
            failed += 1
            row(f"not read: {error}")
            continue
        export_cassette(file.path, fresh, origin=origin)
        row(f"{write_count(len(file.recordings), 'call'):>10}: {path} -> {fresh}")
    raise typer.Exit(1 if failed else 0)


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def rerecord(
    context: typer.Context,
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Replace them; by default, only show the changes.")] = False,
) -> None:
    """Record all tests anew, show the changes, and replace the old cassettes only with --yes.

    Models are called (and cost money) even without --yes. Further arguments go to pytest.
    """
    from memzoo.cassettes.files import shorten_path
    from memzoo.cassettes.library import drift
    from memzoo.cassettes.settings import LIST_FOLDER

    _, lines = _list_tests()
    where = next(Path(line.removeprefix(LIST_FOLDER)) for line in lines if line.startswith(LIST_FOLDER))
    with tempfile.TemporaryDirectory() as folder:
        fresh = Path(folder)
        code = _pytest("--cassettes=all", "-o", f"cassette_dir={fresh}", "-q", *context.args)
        recorded = _files(fresh)
        for new in recorded:
            old = where / new.path.relative_to(fresh)
            lines = list(drift(_files(old)[0], new)) if old.exists() else ["a new cassette"]
            echo("\n  ".join([f"{shorten_path(old)}:", *(lines or ["no drift"])]))
            if yes:
                old.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(new.path, old)
        replaced = f"{write_count(len(recorded), 'cassette')} replaced."
        row(replaced if yes and recorded else "Nothing was replaced" + ("." if yes else "; --yes replaces."))
    raise typer.Exit(code)


@app.command()
def proxy(
    path: Annotated[Path, typer.Argument(help="The cassette.")],
    *,
    record: Annotated[
        str | None, typer.Option(help="Record the replies of this API, such as https://api.openai.com.")
    ] = None,
    port: Annotated[int, typer.Option(help="Port on loopback; 0 picks a free one.", min=0, max=65535)] = 0,
    ignore: Annotated[
        list[str] | None, typer.Option(help="A part of a request that may vary; can be repeated.")
    ] = None,
) -> None:
    """Answer the requests of other processes from a cassette, or record the requests, until interrupted."""
    from memzoo.cassettes.proxy import CassetteProxy

    server = CassetteProxy(
        path,
        upstream=record,
        port=port,
        record="all" if record else "none",
        ignore=ignore or [],
        record_command=f"memzoo cassettes proxy {shlex.quote(str(path))} --record https://...",
    )
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    row(f"{'recording' if record else 'replaying'} {path} at {server.url}")
    sys.stdout.flush()
    server.serve()
    server.close()


def _orphans(where: Path) -> tuple[list[Path], str]:
    """Return the files that belong to no test, and the reasons why the list of tests may be incomplete ("" if none)."""
    from memzoo.cassettes.settings import LIST_FOLDER, LIST_GAP

    code, lines = _list_tests()
    folders = [Path(line.removeprefix(LIST_FOLDER)).resolve() for line in lines if line.startswith(LIST_FOLDER)]
    gaps = [line.removeprefix(LIST_GAP) for line in lines if line.startswith(LIST_GAP)]
    known = {Path(line).resolve() for line in lines if not line.startswith("# ")}
    # The plugin has a folder for each module; files next to these folders may come from `use_cassette`.
    found = [path for path in _paths(where) if path.resolve() not in known and path.resolve().parent not in folders]
    gaps += [
        f"the tests here keep their cassettes in {str(one)!r}"
        for one in folders
        if not where.resolve().is_relative_to(one)
    ]
    if code and not gaps:
        gaps.append("pytest finds no tests here" if code == _NO_TESTS else f"pytest ended with {code}")
    more = f", and {len(gaps) - _MOST_GAPS} more" if len(gaps) > _MOST_GAPS else ""
    return found, "; ".join(gaps[:_MOST_GAPS]) + more


def _list_tests() -> tuple[int, list[str]]:
    """Return pytest's exit code, and its list of the tests' cassettes."""
    with tempfile.TemporaryDirectory() as place:
        listed = Path(place) / "cassettes.txt"
        code = _pytest("--collect-only", "-qq", f"--cassette-list={listed}", quiet=True)
        if not listed.exists():
            raise OptionError(
                "pytest cannot collect the tests here, so their cassettes are unknown;"
                " run pytest --collect-only for the reason"
            )
        return code, listed.read_text(encoding="utf-8").splitlines()


def _pytest(*arguments: str, quiet: bool = False) -> int:
    command = [sys.executable, "-m", "pytest", "-p", "memzoo.cassettes", *arguments]
    return subprocess.run(command, check=False, capture_output=quiet).returncode  # noqa: S603 - the user's own tests
