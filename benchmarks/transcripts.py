"""Reading transcripts: OpenAI chat messages, JSON Lines of them, memzoo's own format, or LoCoMo's.

The format is told by the content. `docs/comparing.md` shows each of them.
"""

import importlib.resources
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from memzoo.benchmarks import locomo
from memzoo.benchmarks.conversations import (
    UNCATEGORISED,
    Exchange,
    Question,
    Said,
    Transcript,
    exchanges_of,
)
from memzoo.benchmarks.fields import as_object, date_field, list_field, shown, text_field
from memzoo.memories.text.messages import checked, text_of
from memzoo.stores.errors import MessageError, TranscriptError

__all__ = ["Exchange", "Question", "Transcript", "load_transcripts", "sample_transcripts"]

_EXPECTED = (
    "OpenAI chat messages (a list of {'role', 'content'}, or an object with 'messages'), JSON Lines of either, "
    "memzoo's own format (an object with 'sessions'), or LoCoMo's list (objects with 'conversation' and 'qa')"
)


def load_transcripts(path: str | Path) -> list[Transcript]:
    """The conversations in a file, in its order; what format they have is told by the content.

    Raises:
        TranscriptError: The file cannot be read or understood; the text names the line or the index, and what is
            expected there.
    """
    path = Path(path)
    items = _items(_read(path), str(path))
    if all(_is_message(item) for _, item in items):
        return [_chat({"messages": [item for _, item in items]}, [where for where, _ in items], str(path), path.stem)]
    many = len(items) > 1
    return [
        _transcript(item, where, f"{path.stem} {number}" if many else path.stem)
        for number, (where, item) in enumerate(items, start=1)
    ]


def sample_transcripts() -> list[Transcript]:
    """The conversation that comes with the package: a baker moves house, in seven sessions."""
    with importlib.resources.as_file(importlib.resources.files("memzoo.benchmarks.data") / "sample.json") as path:
        return load_transcripts(path)


def _read(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise TranscriptError(f"{path} cannot be read as UTF-8 text: {error}") from error
    if not text.strip():
        raise TranscriptError(f"{path} is empty; expected {_EXPECTED}")
    return text


def _items(text: str, file: str) -> list[tuple[str, Any]]:
    """The top-level items of a file, each with where it stands."""
    try:
        document = _parsed(text)
    except ValueError as error:
        if not _is_json(text.strip().split("\n")[0]):
            place = f"{file}, line {error.lineno}" if isinstance(error, json.JSONDecodeError) else file
            raise TranscriptError(f"{place}: this is not JSON ({_reason(error)}); expected {_EXPECTED}") from error
        return list(_lines(text, file))
    if document == []:
        raise TranscriptError(f"{file} is an empty list; expected {_EXPECTED}")
    if isinstance(document, list):
        listed: list[Any] = document  # pyright: ignore[reportUnknownVariableType]
        return [(f"{file}, item {number}", item) for number, item in enumerate(listed)]
    return [(file, document)]


def _lines(text: str, file: str) -> Iterator[tuple[str, Any]]:
    # Not splitlines(): JSON may hold other line ends, such as U+2028, within its texts.
    for number, line in enumerate(text.split("\n"), start=1):
        where = f"{file}, line {number}"
        if not line.strip():
            continue
        try:
            yield where, _parsed(line)
        except ValueError as error:
            raise TranscriptError(
                f"{where}: this is not JSON ({_reason(error)}); expected a message or a conversation on each line"
            ) from error


def _parsed(text: str) -> Any:
    try:
        document = json.loads(text)
        # Half an emoji, as cut-off exports have it, is legal JSON but cannot be written to any file.
        return (
            json.loads(json.dumps(document, ensure_ascii=False).encode("utf-8", "replace"))
            if "\\ud" in text.lower()
            else document
        )
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _is_json(line: str) -> bool:
    try:
        _parsed(line)
    except ValueError:
        return False
    return True


def _reason(error: ValueError) -> str:
    return error.msg if isinstance(error, json.JSONDecodeError) else str(error)


def _is_message(item: Any) -> bool:
    return isinstance(item, dict) and "role" in item


def _transcript(item: Any, where: str, title: str) -> Transcript:
    item = as_object(item, where, _EXPECTED)
    if locomo.is_locomo(item):
        return locomo.transcript_of(item, where, title)
    if "sessions" in item:
        return _in_sessions(item, where, title)
    if "messages" in item:
        places = [f"{where}, message {n}" for n in range(len(list_field(item, "messages", where)))]
        return _chat(item, places, where, title)
    raise TranscriptError(f"{where}: there are only {', '.join(map(shown, item)) or 'no keys'}; expected {_EXPECTED}")


def _in_sessions(item: dict[str, Any], where: str, title: str) -> Transcript:
    said: list[Said] = []
    for number, entry in enumerate(list_field(item, "sessions", where)):
        place = f"{where}, session {number}"
        session = as_object(entry, place, "a session with 'date' and 'messages'")
        date = date_field(session, "date", place)
        for n, message in enumerate(list_field(session, "messages", place)):
            said.append(_said(message, f"{place}, message {n}", Said({}, date=date, opens=not n)))
    return _finished(item, said, where, title)


def _chat(item: dict[str, Any], places: list[str], where: str, title: str) -> Transcript:
    date = date_field(item, "date", where)
    said = [_said(message, place, Said({}, date=date)) for message, place in zip(item["messages"], places, strict=True)]
    return _finished(item, said, where, title)


def _said(item: Any, where: str, blank: Said) -> Said:
    """A message of the file; its "id" is for questions to cite and is not part of the message."""
    try:
        message = checked(item)
    except MessageError as error:
        raise TranscriptError(f"{where}: {error}") from error
    id_ = message.pop("id", None)
    evidence = {} if id_ is None else {str(id_): text_of(message)}
    return Said(message, evidence, blank.date, blank.opens)


def _finished(item: dict[str, Any], said: list[Said], where: str, title: str) -> Transcript:
    if not said:
        raise TranscriptError(f"{where}: there is no message in it")
    unusable: list[str] = []
    questions = tuple(_questions(list_field(item, "questions", where), _texts(said), where, unusable))
    return Transcript(
        text_field(item, "title", where, title),
        exchanges_of(said),
        questions,
        text_field(item, "user", where, "Human"),
        text_field(item, "assistant", where, "AI"),
        tuple(unusable),
    )


def _texts(said: Sequence[Said]) -> dict[str, str]:
    """The text of each message, by its id and by its place from 0; by id only, if ids are numbers themselves."""
    ids = {id_: text for one in said for id_, text in one.evidence.items()}
    if any(map(str.isdecimal, ids)):
        return ids
    return {str(place): text_of(one.message) for place, one in enumerate(said)} | ids


def _questions(items: list[Any], texts: dict[str, str], where: str, unusable: list[str]) -> Iterator[Question]:
    for number, item in enumerate(items):
        place = f"{where}, question {number}"
        question = as_object(item, place, "a question with 'question', 'answer' and 'evidence'")
        cited = list_field(question, "evidence", place)
        if wrong := [id_ for id_ in cited if not isinstance(id_, str | int)]:
            raise TranscriptError(
                f"{place}: 'evidence' must name messages by 'id' or by place from 0, not {shown(wrong[0])}"
            )
        ids = dict.fromkeys(map(str, cited))
        unusable += [id_ for id_ in ids if not texts.get(id_)]
        yield Question(
            text_field(question, "question", place),
            str(question.get("answer") or ""),
            tuple(dict.fromkeys(texts[id_] for id_ in ids if texts.get(id_))),
            text_field(question, "category", place, UNCATEGORISED),
        )
