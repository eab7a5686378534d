"""Counts what becomes of other people's cassettes: `python -m memzoo.benchmarks.research.kits.published`.

pydantic-ai's source distributions had its tests until some time after 1.0. They are fetched with pip, and not kept.
"""

import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from memzoo.cassettes.errors import CassetteError
from memzoo.cassettes.exporting import export_cassette, to_vcrpy
from memzoo.cassettes.format import CassetteFile, read_cassette
from memzoo.cassettes.http import Recorded
from memzoo.cassettes.library import clean, drift, paths_in
from memzoo.cassettes.player import Player
from memzoo.cassettes.scrubbing import Scrubber
from memzoo.cassettes.settings import CassetteSettings

__all__ = ["count_published"]

_MATCHED = ["method", "scheme", "host", "port", "path", "query", "body"]


def count_published(
    version: Annotated[str, typer.Option(help="A release of pydantic-ai; 43 MB.")] = "1.0.0",
    before: Annotated[str, typer.Option(help="An earlier one, to list what was recorded anew since.")] = "0.8.1",
    every: Annotated[int, typer.Option(help="Take only each n-th file.")] = 1,
) -> None:
    """Read and convert each cassette of a release, play what it recorded, and compare it with an earlier one."""
    found, drifted = Counter[str](), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        try:
            now, then = (_fetch(Path(folder), one) for one in (version, before))
        except subprocess.CalledProcessError:
            typer.echo("skipped: pip cannot fetch pydantic-ai from here")
            return
        for path in paths_in(now)[::every]:
            found["files"] += 1
            try:
                file = read_cassette(path)
                found.update(_try_converted(file, path.with_name("fresh.yaml")))
                found.update(_try_exported(file, path.with_name("fresh.yaml"), path.with_name("exported.yaml")))
                if (old := then / path.relative_to(now)).is_file():
                    drifted.update(_drift(read_cassette(old), file))
            except CassetteError as error:
                found["not read"] += 1
                typer.echo(f"not read: {path.name}: {str(error).splitlines()[0][-200:]}")
    typer.echo(f"pydantic-ai {version}: {', '.join(f'{count:,} {what}' for what, count in found.items())}")
    typer.echo(f"since {before}: {', '.join(f'{count:,} {what}' for what, count in drifted.items())}")


def _fetch(folder: Path, version: str) -> Path:
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", "pydantic-ai", "-d"]
    subprocess.run([*command, str(folder), f"pydantic-ai=={version}"], check=True)  # noqa: S603 - pip
    name = f"pydantic_ai-{version}"
    with tarfile.open(folder / f"{name}.tar.gz") as source:
        source.extractall(folder, [one for one in source if "/cassettes/" in one.name], filter="data")
    return folder / name


def _try_converted(file: CassetteFile, fresh: Path) -> Counter[str]:
    """Convert a cassette, and ask the result what the cassette was asked."""
    unclean = clean(file, fresh)
    converted = read_cassette(fresh).recordings
    player = Player(converted, scrubber=Scrubber(), path=fresh, settings=CassetteSettings())
    played = Counter(_outcome(player, one) for one in file.recordings)
    fresh.unlink()
    return Counter({"read": 1, "of them with secrets": int(unclean), "calls": len(file.recordings)}) + played


def _try_exported(file: CassetteFile, fresh: Path, target: Path) -> Counter[str]:
    """Convert a cassette, export the result, and ask vcrpy's own player of that what the result was asked."""
    clean(file, fresh)
    export_cassette(fresh, target)
    converted, loaded = read_cassette(fresh).recordings, to_vcrpy(read_cassette(fresh))["interactions"]
    vcrpy: Any = import_module("vcr")
    found = Counter[str]()
    with vcrpy.use_cassette(str(target), record_mode="none", match_on=_MATCHED) as player:
        for one, said in zip(converted, loaded, strict=True):
            request = vcrpy.request.Request(
                one.request.method, said["request"]["uri"], one.request.body, one.request.headers
            )
            answer = player.play_response(request)
            found["the same by vcrpy"] += all(answer[part] == one.response[part] for part in ("status", "body"))
        found["files not played whole by vcrpy"] += not player.all_played
    target.unlink()
    fresh.unlink()
    return found


def _outcome(player: Player, one: Recorded) -> str:
    try:
        player.play(one.request)
    except CassetteError as error:
        return f"refused with {type(error).__name__}"
    return "replayed"


def _drift(old: CassetteFile, new: CassetteFile) -> Counter[str]:
    lines = drift(old.recordings, new.recordings)
    kinds = Counter(line.split(":")[0] for line in lines)
    return Counter({"compared": 1, "with drift": int(bool(lines)), "lines": len(lines)}) + kinds


if __name__ == "__main__":
    typer.run(count_published)
