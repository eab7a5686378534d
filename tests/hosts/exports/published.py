"""Reads the files that other projects publish for their tests: `python -m tests.hosts.exports.published FOLDER...`.

Each folder is a project's, and each file in it is read alone. Without the readers, the longer texts in a file of JSON
are looked up in what was read; those that stand in no message are counted by their place, for a person to judge.
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, cast

from memzoo.hosts.exports import ChatLog
from memzoo.hosts.exports.reading import Choice, read_conversations

SHORTEST = 24
"""The length from which on a text with a space in it may be somebody's words."""


def main(*folders: str) -> None:
    """Print a line for each file, and the places of the texts that nothing of the file was read from."""
    for folder in map(Path, folders):
        totals = Counter[str]()
        for path in sorted(one for one in folder.rglob("*") if one.is_file()):
            read = list(read_conversations([path], Choice(all_branches=True)))
            logs = [one for one in read if isinstance(one, ChatLog)]
            errors = [str(one).replace(f"{folder}/", "") for one in read if not isinstance(one, ChatLog)]
            notes = Counter(re.sub(r"\d+", "N", note) for log in logs for note in log.notes)
            verdict = "refused" if not logs else "in part" if errors else "with notes" if notes else "read"
            totals[verdict] += 1
            said = sum(len(log.messages) for log in logs)
            dated = sum(date is not None for log in logs for date in log.dates)
            sys.stdout.write(f"{verdict}: {path.relative_to(folder)}: {len(logs)} talks, {said} said, {dated} dated\n")
            for line in (*errors[:3], *notes, *unread(path, logs)):
                sys.stdout.write(f"    {line:.300}\n")
        sys.stdout.write(f"{folder.name}: {', '.join(f'{n} {verdict}' for verdict, n in sorted(totals.items()))}\n")


def unread(path: Path, logs: list[ChatLog]) -> Iterator[str]:
    """Yield the places of texts that are in no message, with their number and the first."""
    if not logs or path.suffix not in (".json", ".jsonl"):
        return
    whole = _plain("\n".join(text for log in logs for message in log.messages for _, text in _texts(message)))
    places: dict[str, list[str]] = {}
    for place, text in _texts(_values(path.read_text(encoding="utf-8-sig"))):
        if len(text) >= SHORTEST and " " in text and _plain(text)[:200] not in whole:
            places.setdefault(place, []).append(text)
    for place, texts in places.items():
        yield f"unread: {len(texts)} at {place}, such as {texts[0]!r:.100}"


def _values(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        lines = [line for line in text.split("\n") if line.strip()]
    values: list[Any] = []
    for line in lines:
        try:
            values.append(json.loads(line))
        except ValueError:
            continue
    return values


def _texts(value: Any, place: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, str) and value.startswith(("{", "[")):
        value = _values(value) or value
    if isinstance(value, str):
        yield place, value
    members: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, dict):
        members = cast("dict[Any, Any]", value).items()
    elif isinstance(value, list):
        members = enumerate(cast("list[Any]", value))
    for key, one in members:
        name = key if isinstance(key, str) and re.fullmatch(r"[A-Za-z_.]{1,40}", key) else "*"
        yield from _texts(one, f"{place}.{name}" if place else name)


def _plain(text: str) -> str:
    return re.sub(r"\W", "", text)


if __name__ == "__main__":
    main(*sys.argv[1:])
