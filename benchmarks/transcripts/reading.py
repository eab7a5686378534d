"""Reads transcripts from files, folders and standard input, in common formats.

A file's format is recognised mostly by its content, not by its name. `docs/comparing.md` shows the formats.
"""

import importlib
import importlib.resources
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TextIO, cast

from memzoo.benchmarks.paths import is_remote, path_of
from memzoo.benchmarks.transcripts import locomo, longmemeval, realmem, statebench
from memzoo.benchmarks.transcripts.conversations import Transcript, TranscriptMessage, exchanges_of
from memzoo.benchmarks.transcripts.own import EXPECTED, chat_of, sessions_of
from memzoo.benchmarks.transcripts.validation import show_value
from memzoo.errors import MissingExtraError, OptionError, TranscriptError
from memzoo.hosts.migrate import (
    ChatLog,
    is_message,
    logs_of,
    message_of,
    read_csv,
    read_sessions,
    read_text,
    reason,
)
from memzoo.stores.checking import is_sqlite

__all__ = ["STDIN", "load_transcripts", "read_transcripts", "sample_path", "sample_transcripts"]

_SUFFIXES = {".json", ".jsonl", ".ndjson", ".txt", ".md", ".csv", ".tsv", ".yaml", ".yml", ".db", ".sqlite", ".sqlite3"}
STDIN = "-"
"""The path that stands for standard input."""

_SAMPLE = "sample:"
_SAMPLES = {"en": "sample.json", "zh": "sample_zh.json", "survival": "survival.json"}


def read_transcripts(paths: Iterable[str | Path]) -> Iterator[Transcript]:
    """Yield the conversations of files, folders and URLs.

    "-" stands for standard input; "sample:en", "sample:zh" and "sample:survival" stand for bundled conversations.

    A file of JSON Lines with a conversation on each line is read line by line.

    Raises:
        TranscriptError: A file cannot be read or understood; the text names the line or index, and the expected format.
    """
    for path in paths:
        if (language := str(path).removeprefix(_SAMPLE)) != str(path):
            files = [sample_path(language)]
        else:
            files = _files(path_of(path)) if str(path) != STDIN else [Path(STDIN)]
        for file in files:
            yield from _read(file)


def load_transcripts(path: str | Path) -> list[Transcript]:
    """Return the conversations of a file or folder, or of `sample:en` and the like; see `sample_path`."""
    return list(read_transcripts([path]))


def sample_path(language: str = "en") -> Path:
    """Return the path of a bundled conversation.

    Args:
        language: "en" for the move of a bakery, in ten sessions; "zh" for the move of a lemon tree, in eight sessions,
            in Chinese; "survival" for ten conversations in both languages, with marked lines.

    Raises:
        OptionError: There is no bundled conversation in this language.
    """
    if language not in _SAMPLES:
        raise OptionError(f"there is no bundled conversation in {language!r}; there are: {', '.join(_SAMPLES)}")
    return Path(str(importlib.resources.files("memzoo.benchmarks.data") / _SAMPLES[language]))


def sample_transcripts(language: str = "en") -> list[Transcript]:
    """Return a bundled conversation, in a list; see `sample_path`."""
    return load_transcripts(sample_path(language))


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    found = sorted(file for file in path.rglob("*") if file.suffix.lower() in _SUFFIXES and file.is_file())
    if not found:
        raise TranscriptError(f"{path} has no transcripts in it: files that end in {', '.join(sorted(_SUFFIXES))}")
    return found


def _read(path: Path) -> Iterator[Transcript]:
    try:
        yield from _of_file(path)
    except (TranscriptError, MissingExtraError):
        raise
    except UnicodeDecodeError as error:
        raise TranscriptError(f"{path} cannot be read as UTF-8 text: {error}") from error
    except OSError as error:
        raise TranscriptError(f"{path} cannot be read: {error.strerror or error}") from error
    except Exception as error:
        # A file from elsewhere may cause any error.
        raise TranscriptError(f"{path} cannot be read: {reason(error)}; expected {EXPECTED}") from error


def _of_file(path: Path) -> Iterator[Transcript]:
    if str(path) == STDIN:
        yield from _of_text(sys.stdin.read(), path)
    elif is_sqlite(path):
        if is_remote(path):
            raise TranscriptError(f"{path} is an SQLite database, which is read from a disk: copy it to this machine")
        yield from (_of_log(log) for draft in read_sessions(path) if (log := draft.read()).messages)
    else:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            yield from _of_lines(file, path)


def _of_lines(file: TextIO, path: Path) -> Iterator[Transcript]:
    """Yield the conversations of a file, line by line if each line is a conversation, else from the whole text."""
    # A file with a single conversation is read whole, because JSON may have line breaks anywhere.
    first = file.readline()
    while first and not first.strip():
        first = file.readline()
    item = _json_or_none(first)
    # If each line is a message, all lines together are one conversation.
    second = file.readline() if isinstance(item, dict) and not is_message(item) else ""
    if not second.strip():
        yield from _of_text(first + second + file.read(), path)
        return
    file.seek(0)
    for number, (where, document) in enumerate(_lines(file, str(path)), start=1):
        yield from _of_item(document, where, f"{path.stem} {number}")


def _of_text(text: str, path: Path) -> Iterator[Transcript]:
    if not text.strip():
        raise TranscriptError(f"{path} is empty; expected {EXPECTED}")
    title = path.stem if str(path) != STDIN else "standard input"
    if path.suffix.lower() in {".csv", ".tsv"}:
        yield from map(_of_log, read_csv(text, str(path), title))
        return
    is_yaml = path.suffix.lower() in {".yaml", ".yml"}
    if not is_yaml and text.lstrip()[0] not in "[{" and (log := read_text(text, title)):
        yield _of_log(log)
        return
    items = _items_of(_yaml(text, path), str(path)) if is_yaml else _items(text, str(path))
    if all(_is_said(item) for _, item in items):
        messages = [(where, _to_openai(item)) for where, item in items]
        kept = [(where, message) for where, message in messages if message is not None]
        yield chat_of({"messages": [one for _, one in kept]}, str(path), title, places=[where for where, _ in kept])
        return
    many = len(items) > 1
    for number, (where, item) in enumerate(items, start=1):
        yield from _of_item(item, where, f"{title} {number}" if many else title)


def _yaml(text: str, path: Path) -> Any:
    try:
        yaml: Any = importlib.import_module("yaml")
    except ImportError as error:
        raise MissingExtraError.of("Reading YAML", "replay") from error
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise TranscriptError(f"{path} cannot be read as YAML: {error}") from error


def _is_said(item: Any) -> bool:
    # An object with a role is meant as a message, so a mistake in it gets an error about the message.
    return is_message(item) or (isinstance(item, dict) and "role" in item)


def _to_openai(item: Any) -> dict[str, Any] | None:
    """Return a message in OpenAI's form; `None` for an object without a role that is not a message.

    An object with a role that is not a message is returned unchanged, so that validation reports the mistake.
    """
    found = message_of(item)
    if not isinstance(item, dict):  # a pair of a role and a content
        return found
    if found is None or found["role"] == item.get("role"):
        return item if found is not None or "role" in item else None
    return found | ({"id": item["id"]} if "id" in item and "role" in item else {})


def _of_log(log: ChatLog) -> Transcript:
    said = [TranscriptMessage(dict(message), {}, date) for message, date in zip(log.messages, log.dates, strict=True)]
    if not said:
        raise TranscriptError(f"{log.title}: there is no message in it")
    return Transcript(log.title, exchanges_of(said))


def _of_item(found: Any, where: str, title: str) -> Iterator[Transcript]:
    if not isinstance(found, dict):
        raise TranscriptError(f"{where}: expected {EXPECTED}, not {show_value(found)}")
    item = cast("dict[str, Any]", found)
    for is_one, read in _LABELLED:
        if is_one(item):
            yield read(item, where, title)
            return
    if "sessions" in item:
        yield sessions_of(item, where, title)
    elif "messages" in item:
        listed: Any = item["messages"]
        if isinstance(listed, list) and listed and all(map(is_message, listed)):  # pyright: ignore[reportUnknownArgumentType]
            item = item | {"messages": [one for each in listed if (one := _to_openai(each))]}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        yield chat_of(item, where, title)
    elif logs := [log for log in logs_of(item, title) if log.messages]:
        yield from map(_of_log, logs)
    elif "memzoo" in item:
        raise TranscriptError(f"{where}: this is a file of `memzoo export`; give what `memzoo history --json` prints")
    else:
        raise TranscriptError(
            f"{where}: there are only {', '.join(map(show_value, item)) or 'no keys'}; expected {EXPECTED}"
        )


_LABELLED = (
    (locomo.is_locomo, locomo.transcript_of),
    (longmemeval.is_longmemeval, longmemeval.transcript_of),
    (realmem.is_realmem, realmem.transcript_of),
    (statebench.is_statebench, statebench.transcript_of),
)


def _items(text: str, file: str) -> list[tuple[str, Any]]:
    """Return the top-level items of a file, each with its place for error messages."""
    try:
        document = _parse(text)
    except ValueError as error:
        if _json_or_none(text.strip().split("\n")[0]) is None:
            place = f"{file}, line {error.lineno}" if isinstance(error, json.JSONDecodeError) else file
            raise TranscriptError(f"{place}: this is not JSON ({_reason(error)}); expected {EXPECTED}") from error
        return list(_lines(text.split("\n"), file))
    return _items_of(document, file)


def _items_of(document: Any, file: str) -> list[tuple[str, Any]]:
    if document == []:
        raise TranscriptError(f"{file} is an empty list; expected {EXPECTED}")
    if isinstance(document, list):
        listed: list[Any] = document  # pyright: ignore[reportUnknownVariableType]
        return [(f"{file}, item {number}", item) for number, item in enumerate(listed)]
    return [(file, document)]


def _lines(lines: Iterable[str], file: str) -> Iterator[tuple[str, Any]]:
    # Split at "\n" only, because JSON strings may contain other line breaks, such as U+2028.
    for number, line in enumerate(lines, start=1):
        where = f"{file}, line {number}"
        if not line.strip():
            continue
        try:
            yield where, _parse(line)
        except ValueError as error:
            raise TranscriptError(
                f"{where}: this is not JSON ({_reason(error)}); expected a message or a conversation on each line"
            ) from error


def _parse(text: str) -> Any:
    try:
        document = json.loads(text)
        # A lone surrogate, as in cut-off exports, is legal JSON but cannot be encoded.
        return (
            json.loads(json.dumps(document, ensure_ascii=False).encode("utf-8", "replace"))
            if "\\ud" in text.lower()
            else document
        )
    except json.JSONDecodeError:
        raise
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    except ValueError as error:  # Python's limit for the digits of an integer
        raise ValueError("a number in it has too many digits") from error


def _json_or_none(line: str) -> Any:
    try:
        return _parse(line)
    except ValueError:
        return None


def _reason(error: ValueError) -> str:
    return error.msg if isinstance(error, json.JSONDecodeError) else str(error)
