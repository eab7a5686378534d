"""Reads the forms that lists come in: tables in Markdown, and JSON."""

import itertools
import json
import re
from collections.abc import Iterator
from typing import Any, cast

__all__ = ["json_rows", "noted", "parsed_json", "rows_of_table"]

# Keys of an object that holds the notes, not a note.
_AROUND = frozenset(("notes", "entities", "known", "names", "result", "output", "answer"))
_BRACKETS = re.compile(r"[\[\]{}]")
_DEEPEST = 50
_NUMBER_CELL = re.compile(r"\d{1,3}[.)]?")


def rows_of_table(text: str) -> list[str]:
    r"""The lines of a text; of a table in Markdown the rows, without head, frame and numbers.

    Example:
        >>> rows_of_table("| # | Who | What |\n|---|---|---|\n| 1 | Anna | sings |")
        ['Anna | sings']
    """
    rows: list[str] = []
    for line in text.split("\n"):
        if "|" in line and "-" in line and not line.strip("|:- \t"):
            rows = rows[:-1]
        else:
            rows.append(_row(line))
    return rows


def _row(line: str) -> str:
    bare = line.strip()
    if len(bare) < 2 or not bare.startswith("|") or not bare.endswith("|"):  # noqa: PLR2004
        return line
    first, bar, rest = bare[1:-1].partition("|")
    return (rest if bar and _NUMBER_CELL.fullmatch(first.strip()) else bare[1:-1]).strip()


def parsed_json(text: str) -> Any:
    """What a JSON text says; `None` for any other text, and for lists in lists in lists without end."""
    steps = (1 if bracket in "[{" else -1 for bracket in _BRACKETS.findall(text))
    try:
        return json.loads(text) if max(itertools.accumulate(steps), default=0) <= _DEEPEST else None
    except ValueError:
        return None


def json_rows(text: str) -> list[Any] | None:
    """The rows of a JSON list, also of lists that stand in an object under some keys."""
    parsed = parsed_json(text)
    lists = list(cast("dict[str, Any]", parsed).values()) if isinstance(parsed, dict) else [parsed]
    rows: list[list[Any]] = [one for one in lists if isinstance(one, list)]
    return list(itertools.chain(*rows)) if rows else None


def noted(parsed: Any) -> Iterator[tuple[str, str]]:
    """The notes in an object by name, perhaps below some key, or in a list of objects with a name and a note each."""
    if isinstance(parsed, list):
        given: list[Any] = parsed
        rows = [list(cast("dict[str, Any]", row).values()) for row in given if isinstance(row, dict)]
        yield from ((str(row[0]), _words_of(row[1:])) for row in rows if row)
        return
    for name, note in parsed.items():
        if name.lower() in _AROUND and isinstance(note, (dict, list)):
            yield from noted(note)
        else:
            yield name, _words_of(note)


def _words_of(value: Any) -> str:
    if isinstance(value, (dict, list)):
        parts: list[Any] = list(cast("dict[str, Any]", value).values()) if isinstance(value, dict) else value
        return " ".join(map(_words_of, parts))
    return str(value)
