"""Parses lists written as Markdown tables or JSON."""

import itertools
import re
from collections.abc import Iterator
from typing import Any, cast

from memzoo.text import parse_json

# Keys of an object that may contain the notes.
_AROUND = frozenset(("notes", "entities", "known", "names", "result", "output", "answer"))
_TRIPLE = ("subject", "relation", "object")
_NUMBER_CELL = re.compile(r"\d{1,3}[.)]?")


def rows_of_table(text: str) -> list[str]:
    r"""Return the lines of a text. For a Markdown table, return its rows without the header, outer bars or row numbers.

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


def json_rows(text: str) -> list[list[str]] | None:
    """Return the items of a JSON list, each as a list of strings; `None` for other texts.

    The list may be a member of an object. Triples are put in order: subject, relation, object.

    Example:
        >>> json_rows('{"facts": [{"object": "tea", "subject": "Sam", "relation": "likes"}, ["Eve", "is", "tall"]]}')
        [['Sam', 'likes', 'tea'], ['Eve', 'is', 'tall']]
    """
    parsed = parse_json(text)
    lists = list(cast("dict[str, Any]", parsed).values()) if isinstance(parsed, dict) else [parsed]
    rows: list[list[Any]] = [one for one in lists if isinstance(one, list)]
    return [cells(row) for row in itertools.chain(*rows)] if rows else None


def cells(row: Any) -> list[str]:
    """Return an item of a JSON list as strings: the items of an array, the values of an object, or a single value.

    If the object is a triple, its subject comes first.
    """
    values: list[Any] = row if isinstance(row, list) else [row]
    if isinstance(row, dict):
        named = cast("dict[str, Any]", row)
        values = [named[key] for key in _TRIPLE] if all(map(named.get, _TRIPLE)) else list(named.values())
    return list(map(_words_of, values))


def extract_notes(parsed: Any) -> Iterator[tuple[str, str]]:
    """Yield pairs of name and note from JSON.

    The JSON is an object with names as keys, or a list of objects, each with a name as its first value. Either may be
    inside another object: `{"notes": {"Sam": "Sam likes tea."}}`.
    """
    if isinstance(parsed, list):
        rows: list[Any] = parsed
        objects = filter(None, (cells(row) for row in rows if isinstance(row, dict)))
        yield from ((name, " ".join(note)) for name, *note in objects)
        return
    for name, note in parsed.items():
        if name.lower() in _AROUND and isinstance(note, (dict, list)):
            yield from extract_notes(note)
        else:
            yield name, _words_of(note)


def _words_of(value: Any) -> str:
    return " ".join(cells(value)) if isinstance(value, (dict, list)) else str(value)
