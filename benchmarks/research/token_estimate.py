"""How far the estimate of tokens is from what a tokenizer counts."""

import html
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean
from typing import Annotated, Any

import typer

from memzoo.benchmarks.research.tables import show, table
from memzoo.memories.text.tokens import count_text, estimate_tokens

__all__ = ["measure_errors", "token_estimate"]

ENCODING = "o200k_base"
_NO_TEXT = (".pyc", ".dat", ".u8", ".css", ".png")  # the second and third belong to collections of sayings
_LONG, _SHORT, _LINES = 200, 20, 30
_PARAGRAPH = re.compile(r"(?s)<(?:p|li)\b.*?</(?:p|li)>")


def token_estimate(
    paths: Annotated[list[Path], typer.Argument(help="Files or folders: JSON, HTML, Python, or texts.")],
) -> None:
    """Compare the estimate of tokens with o200k_base's count, path by path.

    A text is a string of a JSON file, a paragraph of an HTML file, 30 lines of code, or what stands between blank
    lines or lines with a "%" elsewhere. Long texts are made of short ones, in their order.
    """
    header = ["path", "long texts", "mean error", "single messages", "most too few", "over 25% too few"]
    rows: list[Sequence[str]] = []
    for path in paths:
        errors, singles = measure_errors(_texts(path))
        few = sum(error < -0.25 for error in singles)  # noqa: PLR2004 - the header says so
        worst = f"{-min(singles, default=0):.0%}"
        rows.append([path.name, str(len(errors)), f"{mean(map(abs, errors)):.1%}", str(len(singles)), worst, str(few)])
    show(table(header, rows))


def measure_errors(texts: Iterator[str]) -> tuple[list[float], list[float]]:
    """The relative errors of the estimate, below 0 where it is too low.

    Returns:
        Those of long texts, which have 200 tokens or more, and those of the single texts of 20 tokens or more.
    """
    long, single, estimated, counted = list[float](), list[float](), 0, 0
    for text in texts:
        guess, tokens = estimate_tokens(text), count_text(text, ENCODING)
        if tokens >= _SHORT:
            single.append(guess / tokens - 1)
        estimated, counted = estimated + guess, counted + tokens
        if counted >= _LONG:
            long.append(estimated / counted - 1)
            estimated = counted = 0
    return long, single


def _texts(path: Path) -> Iterator[str]:
    for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
        if not file.is_file() or file.suffix in _NO_TEXT:
            continue
        text = file.read_text(encoding="utf-8", errors="replace")
        if file.suffix == ".json":
            yield from _strings(json.loads(text))
        elif file.suffix == ".html":
            for paragraph in _PARAGRAPH.findall(text):
                yield " ".join(html.unescape(re.sub(r"<[^>]*>", "", paragraph)).split())
        elif file.suffix in (".py", ".js", ".h", ".c"):
            lines = text.splitlines()
            yield from ("\n".join(lines[start : start + _LINES]) for start in range(0, len(lines), _LINES))
        else:
            yield from re.split(r"\n\s*%?\n", text)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for one in value.values() if isinstance(value, dict) else value:  # pyright: ignore[reportUnknownVariableType]
            yield from _strings(one)
