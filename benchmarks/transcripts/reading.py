"""Reading transcripts: OpenAI chat messages, JSON Lines of them, memzoo's own format, or LoCoMo's.

The content tells the format. `docs/comparing.md` shows each of them.
"""

import importlib.resources
import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, cast

from pydantic import Field, PlainValidator

from memzoo.benchmarks.transcripts import locomo
from memzoo.benchmarks.transcripts.conversations import UNCATEGORISED, Question, Said, Transcript, exchanges_of
from memzoo.benchmarks.transcripts.validation import ChatMessage, Date, Item, Text, shown, validated
from memzoo.memories.text.messages import text_of
from memzoo.stores import Message
from memzoo.stores.errors import TranscriptError

__all__ = ["load_transcripts", "sample_transcripts"]

_EXPECTED = (
    "OpenAI chat messages (a list of {'role', 'content'}, or an object with 'messages'), JSON Lines of either, "
    "memzoo's own format (an object with 'sessions'), or LoCoMo's list (objects with 'conversation' and 'qa')"
)


def load_transcripts(path: str | Path) -> list[Transcript]:
    """Read the conversations of a file, in its order; the content tells the format.

    Raises:
        TranscriptError: The file cannot be read or understood; the error names the line or the index, and what is
            expected there.
    """
    path = Path(path)
    items = _items(_read(path), str(path))
    if all(_is_message(item) for _, item in items):
        messages = {"messages": [item for _, item in items]}
        return [_chat(messages, str(path), path.stem, places=[where for where, _ in items])]
    many = len(items) > 1
    return [
        _transcript(item, where, f"{path.stem} {number}" if many else path.stem)
        for number, (where, item) in enumerate(items, start=1)
    ]


def sample_transcripts() -> list[Transcript]:
    """Read the conversation that comes with the package: a bakery moves house, in seven sessions."""
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
    """List the top-level items of a file, each with its place."""
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


def _transcript(found: Any, where: str, title: str) -> Transcript:
    if not isinstance(found, dict):
        raise TranscriptError(f"{where}: expected {_EXPECTED}, not {shown(found)}")
    item = cast("dict[str, Any]", found)
    if locomo.is_locomo(item):
        return locomo.transcript_of(item, where, title)
    if "sessions" in item:
        document = validated(_Sessions, item, where)
        said = [
            _said(message, session.date, opens=not number)
            for session in document.sessions
            for number, message in enumerate(session.messages)
        ]
        return _finished(document, said, where, title)
    if "messages" in item:
        return _chat(item, where, title)
    raise TranscriptError(f"{where}: there are only {', '.join(map(shown, item)) or 'no keys'}; expected {_EXPECTED}")


def _chat(item: dict[str, Any], where: str, title: str, places: Sequence[str] = ()) -> Transcript:
    document = validated(_Chat, item, where, places)
    return _finished(document, [_said(message, document.date) for message in document.messages], where, title)


def _said(message: Message, date: datetime | None, *, opens: bool = False) -> Said:
    # The "id" is for questions to cite and is not part of the message.
    id_ = message.pop("id", None)
    return Said(message, {} if id_ is None else {str(id_): text_of(message)}, date, opens)


def _finished(document: "_Document", said: list[Said], where: str, title: str) -> Transcript:
    if not said:
        raise TranscriptError(f"{where}: there is no message in it")
    texts, unusable = _texts(said), list[str]()
    return Transcript(
        document.title or title,
        exchanges_of(said),
        tuple(_question(question, texts, unusable) for question in document.questions),
        document.user or "Human",
        document.assistant or "AI",
        tuple(unusable),
    )


def _texts(said: Sequence[Said]) -> dict[str, str]:
    """Map ids and places from 0 to the texts of messages; ids alone, if these are numbers themselves."""
    ids = {id_: text for one in said for id_, text in one.evidence.items()}
    if any(map(str.isdecimal, ids)):
        return ids
    return {str(place): text_of(one.message) for place, one in enumerate(said)} | ids


def _question(item: "_Question", texts: dict[str, str], unusable: list[str]) -> Question:
    ids = dict.fromkeys(map(str, item.evidence))
    unusable += [id_ for id_ in ids if not texts.get(id_)]
    cited = tuple(dict.fromkeys(texts[id_] for id_ in ids if texts.get(id_)))
    return Question(item.question, str(item.answer or ""), cited, item.category or UNCATEGORISED)


def _citation(value: Any) -> Any:
    if not isinstance(value, str | int):
        raise ValueError(f"expected the 'id' of a message or its place from 0, not {shown(value)}")  # noqa: TRY004
    return value


class _Question(Item):
    EXPECTED = "a question with 'question', 'answer' and 'evidence'"
    question: Text
    answer: Any = None
    evidence: list[Annotated[Any, PlainValidator(_citation)]] = Field(default=[])
    category: Text | None = None


class _Session(Item):
    EXPECTED = "a session with 'date' and 'messages'"
    date: Date | None = None
    messages: list[ChatMessage] = Field(default=[])


class _Document(Item):
    title: Text | None = None
    user: Text | None = None
    assistant: Text | None = None
    questions: list[_Question] = Field(default=[])


class _Sessions(_Document):
    sessions: list[_Session]


class _Chat(_Document):
    date: Date | None = None
    messages: list[ChatMessage]
