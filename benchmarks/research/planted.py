"""Puts the facts of a bundled conversation at the start of another: `python -m memzoo.benchmarks.research planted`.

Use the result with `memzoo compare --survival`, which asks for the facts after a long talk on other subjects.
"""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from memzoo.benchmarks.measure.answers import answer_found
from memzoo.benchmarks.research.inputs import refusals
from memzoo.benchmarks.transcripts import Exchange, read_transcripts, sample_transcripts
from memzoo.errors import OptionError
from memzoo.strategy import text_of


def planted(
    file: Annotated[str, typer.Argument(help="A file with conversations; the first one is used.")],
    out: Annotated[Path, typer.Argument(help="The file to write.")],
    *,
    number: Annotated[int, typer.Option(help="The bundled conversation with the facts.", min=1, max=10)] = 1,
    exchanges: Annotated[int, typer.Option(help="The exchanges after the facts.", min=1)] = 48,
) -> None:
    """Write a conversation that begins with the facts of a bundled one, and goes on with exchanges from a file."""
    source = sample_transcripts("survival")[number - 1]
    last = max(place for place, one in enumerate(source.exchanges) if one.marks)
    with refusals():
        other = next(read_transcripts([file]))
        if len(other.exchanges) < exchanges:
            raise OptionError(f"--exchanges must be at most {len(other.exchanges)} for {file}, not {exchanges}")
    later = other.exchanges[:exchanges]
    said = [text_of(message) for one in later for message in one.messages]
    messages = [one for each in [*source.exchanges[: last + 1], *later] for one in _messages_of(each, said)]
    texts = {text_of(one): f"m{place}" for place, one in enumerate(messages)}
    unwanted = [
        {key: value for key, value in (asdict(one) | {"id": texts[one.text]}).items() if key != "text"}
        for one in source.unwanted
        if one.kind not in ("forgotten", "order") and not answer_found(one.means, said)
    ]
    document = {
        "title": f"{other.title}, after {source.title}",
        "user": other.user,
        "assistant": other.assistant,
        "messages": [{**one, "id": f"m{place}"} for place, one in enumerate(messages)],
        "must_not": unwanted,
    }
    out.write_text(json.dumps(document, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n")
    kept = sum("keep" in one for one in messages)
    typer.echo(f"wrote {out}: {kept} facts, then {exchanges} exchanges of {other.title}")


def _messages_of(exchange: Exchange, later: list[str]) -> list[dict[str, Any]]:
    """Return the messages of an exchange with their marks, except marks whose answer a later text happens to have."""
    marks = {one.text: one for one in exchange.marks if not answer_found(one.means, later)}
    return [
        {**one, **({"keep": {key: value for key, value in asdict(mark).items() if key != "text"}} if mark else {})}
        for one in exchange.messages
        for mark in [marks.get(text_of(one))]
    ]
