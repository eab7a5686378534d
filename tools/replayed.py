"""Other people's cassettes through the replay kit: `python -m tools.replayed FOLDER...`.

The folders are checkouts of projects that publish recordings of model calls, of vcrpy or of this kit; none is part of
this project. Each file is opened, and asked all that it has recorded. An answer has to be the recorded one to the
letter, or to differ in nothing but the texts of which the kit tells.
"""

import json
import warnings
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from memzoo.cassettes import Cassette, CassetteError, HiddenKeyWarning
from memzoo.cassettes.format import read_cassette
from memzoo.cassettes.http import Response, events, is_array, is_object
from memzoo.cassettes.library import paths_in


def replayed(
    folders: Annotated[list[Path], typer.Argument(help="Where the cassettes are.", exists=True)],
    *,
    show: Annotated[bool, typer.Option(help="Print what is told of each file, too.")] = False,
) -> None:
    """Replay each cassette, and count the answers; exit with 1 if one differs otherwise than was told."""
    counts = Counter[str]()
    for path in (path for folder in folders for path in paths_in(folder) if "cassette" in str(path)):
        counts["files"] += 1
        try:
            told = _replay(path, counts)
        except CassetteError as error:
            counts["files not read"] += 1
            told = f"not read: {path}: {str(error).splitlines()[0][-200:]}"
        if show and told:
            typer.echo(told)
    typer.echo(", ".join(f"{count:,} {what}" for what, count in counts.items()))
    raise typer.Exit(1 if counts["answers that differ otherwise"] else 0)


def _replay(path: Path, counts: Counter[str]) -> str:
    """Ask a cassette for all that it has recorded; return what it tells of its answers."""
    file = read_cassette(path)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", HiddenKeyWarning)
        opened = Cassette(path, clients=False)
    for one in file.recordings:
        answer = opened.player.play(one.request)
        counts["answers"] += 1
        before, after = _values(one.response), _values(answer.response)
        if before == after:
            counts["the same"] += 1
        elif answer.hidden and _same_but_texts(before, after):
            counts["told of"] += 1
        else:
            counts["answers that differ otherwise"] += 1
            typer.echo(f"differs: {path}: {answer.request.method} {answer.request.uri}")
    opened.close()
    return "\n".join(str(warning.message) for warning in told)


def _values(response: Response) -> Any:
    """Read a body: JSON as JSON, any other as lines, and those of a stream as JSON again."""
    body: bytes = response["body"]["string"] or b""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        text = body.decode(errors="backslashreplace")
        return dict(enumerate(text.split("\n"))) | dict(events(text))


def _same_but_texts(before: Any, after: Any) -> bool:
    if isinstance(before, str) and isinstance(after, str):
        return True
    if is_object(before) and is_object(after):
        return before.keys() == after.keys() and all(_same_but_texts(before[key], after[key]) for key in before)
    if is_array(before) and is_array(after) and len(before) == len(after):
        return all(map(_same_but_texts, before, after))
    return bool(before == after)


if __name__ == "__main__":
    typer.run(replayed)
