"""Reads memzoo's own format: chat messages, or sessions of chat messages, with questions that cite messages."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

from pydantic import AliasChoices, Field, PlainValidator

from memzoo.benchmarks.transcripts.conversations import (
    KINDS,
    UNCATEGORISED,
    Citations,
    Mark,
    Question,
    Transcript,
    TranscriptMessage,
    exchanges_of,
)
from memzoo.benchmarks.transcripts.validation import ChatMessage, Date, Item, Text, show_value, validate
from memzoo.errors import TranscriptError
from memzoo.stores import Message
from memzoo.strategy import text_of

__all__ = ["EXPECTED", "chat_of", "sessions_of"]

EXPECTED = (
    "OpenAI chat messages (a list of {'role', 'content'}, or an object with 'messages'), JSON Lines of either, "
    "memzoo's own format (an object with 'sessions'), an export of ChatGPT, ShareGPT or LangChain, lines such as "
    "'user: ...', CSV, or LoCoMo's list (objects with 'conversation' and 'qa')"
)


def sessions_of(item: dict[str, Any], where: str, title: str) -> Transcript:
    """Return an object with sessions of messages as a transcript; see `chat_of`."""
    document = validate(_Sessions, item, where)
    said = [
        _to_message(message, session.date, where, opens=not number)
        for session in document.sessions
        for number, message in enumerate(session.messages)
    ]
    return _finish(document, said, where, title)


def chat_of(item: dict[str, Any], where: str, title: str, places: Sequence[str] = ()) -> Transcript:
    """Return an object with messages as a transcript.

    Args:
        item: The object.
        where: File and index, for error messages.
        title: The title for an object without "title".
        places: The place of each message for error messages, if the file has no single list of messages.

    Raises:
        TranscriptError: The object is malformed.
    """
    document = validate(_Chat, item, where, places)
    said = [_to_message(message, document.date, where) for message in document.messages]
    return _finish(document, said, where, title)


def _to_message(message: Message, date: datetime | None, where: str, *, opens: bool = False) -> TranscriptMessage:
    # "id" serves citations, and "keep" marks the line; both keys are not part of the message.
    id_, keep = message.pop("id", None), message.pop("keep", None)
    mark = None if keep is None else _mark(keep, text_of(message), where)
    return TranscriptMessage(message, {} if id_ is None else {str(id_): text_of(message)}, date, opens, mark)


def _mark(keep: Any, text: str, where: str) -> Mark:
    told: dict[str, Any] = keep if isinstance(keep, dict) else {"kind": keep}
    kind, means = told.get("kind"), told.get("means", "")
    if kind not in KINDS or not isinstance(means, str):
        expected = (
            f"expected one of {', '.join(map(repr, KINDS))}, or such a 'kind' and what the line 'means' as a text"
        )
        raise TranscriptError(f"{where}, 'keep' of {show_value(text)}: {expected}, not {show_value(keep)}")
    return Mark(str(kind), text, means)


def _finish(document: "_Document", said: list[TranscriptMessage], where: str, title: str) -> Transcript:
    if not said:
        raise TranscriptError(f"{where}: there is no message in it")
    citations = Citations(_texts(said))
    questions = tuple(_question(one, citations) for one in document.questions)
    people = document.user or "Human", document.assistant or "AI"
    return Transcript(document.title or title, exchanges_of(said), questions, *people)


def _texts(said: Sequence[TranscriptMessage]) -> dict[str, str]:
    """Return the texts of messages by id and by place, counted from 0; only by id if an id is a number."""
    ids = {id_: text for one in said for id_, text in one.evidence.items()}
    if any(map(str.isdecimal, ids)):
        return ids
    return {str(place): text_of(one.message) for place, one in enumerate(said)} | ids


def _question(item: "_Question", citations: Citations) -> Question:
    evidence, stale = citations.texts(item.evidence), citations.texts(item.stale)
    category = item.category or UNCATEGORISED
    unusable = citations.unusable([*item.evidence, *item.stale])
    return Question(item.question, str(item.answer or ""), evidence, category, stale=stale, unusable=unusable)


def _citation(value: Any) -> Any:
    if not isinstance(value, str | int):
        raise ValueError(f"expected the 'id' of a message or its place from 0, not {show_value(value)}")  # noqa: TRY004
    return value


_Citation = Annotated[Any, PlainValidator(_citation)]


class _Question(Item):
    EXPECTED = "a question with 'question', 'answer' and 'evidence'"
    question: Text
    answer: Any = None
    evidence: list[_Citation] = Field(default=[], validation_alias=AliasChoices("evidence", "new"))
    stale: list[_Citation] = Field(default=[], validation_alias=AliasChoices("stale", "old"))
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
