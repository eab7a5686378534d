"""Reads memzoo's own format: chat messages, or sessions of them, with questions that cite messages."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any

from pydantic import AliasChoices, ConfigDict, Field, PlainValidator

from memzoo.benchmarks.transcripts.conversations import (
    KINDS,
    UNCATEGORISED,
    UNWANTED_KINDS,
    Citations,
    Mark,
    Question,
    Transcript,
    TranscriptMessage,
    Unwanted,
    exchanges_of,
)
from memzoo.benchmarks.transcripts.validation import ChatMessage, Date, Item, Text, show_value, validate
from memzoo.errors import MemoryZooError, TransferError
from memzoo.hosts.exports.messages import conversation_of, spell_out
from memzoo.hosts.exports.readers.chat_messages import SYSTEM_NAMES
from memzoo.stores import Message
from memzoo.strategy import text_of

_MARKS = ("id", "keep", "forgets")
"""The keys that a file adds to chat messages: an id to cite, a mark, and the ids of messages to delete."""


def sessions_of(item: dict[str, Any], where: str, title: str) -> Transcript:
    """Make a transcript from an object whose messages are grouped in sessions.

    The arguments and errors are the same as in `chat_of`.
    """
    document = validate(_Sessions, item, where)
    said = [
        _to_message(message, session.date, where, opens=not number)
        for session in document.sessions
        for number, message in enumerate(session.messages)
    ]
    places = {str(place): place for place in range(len(said))}
    return _finish(document, said, places, where, title)


def chat_of(item: Any, where: str, title: str) -> Transcript:
    """Make a transcript from a list of messages, or from an object with such a list.

    Args:
        item: The list or object.
        where: File and index, for error messages.
        title: The title for an object without "title".

    Raises:
        TransferError: The item is malformed.
    """
    document = validate(_Chat, item if isinstance(item, dict) else {"messages": item}, where)
    try:
        messages = [spell_out(one) for one in document.messages]
        items = [
            {**one, "place": place} if isinstance(one, dict) else one
            for place, one in enumerate(messages)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        ]
        log = conversation_of(title, items, keep=(*_MARKS, "place"), system=document.system)
    except MemoryZooError as error:
        raise TransferError(f"{where}, {error}") from error
    places = {str(message.pop("place")): now for now, message in enumerate(log.messages) if "place" in message}
    dates = (date or document.date for date in log.dates)
    said = [_to_message(message, date, where) for message, date in zip(log.messages, dates, strict=True)]
    return replace(_finish(document, said, places, where, title), notes=tuple(log.notes))


def _to_message(message: Message, date: datetime | None, where: str, *, opens: bool = False) -> TranscriptMessage:
    id_, keep, forgets = (message.pop(key, None) for key in _MARKS)
    mark = None if keep is None else _mark(keep, text_of(message), where)
    evidence = {} if id_ is None else {str(id_): text_of(message)}
    if not isinstance(forgets, list | None):
        raise TransferError(f"{where}, 'forgets': expected a list of message ids, not {show_value(forgets)}")
    return TranscriptMessage(message, evidence, date, opens, mark, tuple(map(str, forgets or ())))


def _mark(keep: Any, text: str, where: str) -> Mark:
    told: dict[str, Any] = keep if isinstance(keep, dict) else {"kind": keep}
    kind, means, question = told.get("kind"), told.get("means", ""), told.get("question", "")
    texts = isinstance(means, str) and isinstance(question, str)
    if kind not in KINDS or not texts or not told.keys() <= {"kind", "means", "question"}:
        expected = (
            f"expected one of {', '.join(map(repr, KINDS))}, or an object with such a 'kind', and optionally the "
            "strings 'means' (the words that carry the meaning) and 'question' (which asks for them)"
        )
        raise TransferError(f"{where}, 'keep' of {show_value(text)}: {expected}, not {show_value(keep)}")
    if means and means.casefold() in question.casefold():
        raise TransferError(f"{where}, 'keep' of {show_value(text)}: the question must not contain {means!r}")
    if means and not question and means not in text:  # the question is the line with a gap there
        raise TransferError(
            f"{where}, 'keep' of {show_value(text)}: give a 'question', because the line does not contain {means!r}"
        )
    return Mark(str(kind), text, means, question)


def _finish(
    document: "_Document",
    said: list[TranscriptMessage],
    places: Mapping[str, int],
    where: str,
    title: str,
) -> Transcript:
    if not said:
        raise TransferError(f"{where}: there is no message in it")
    ids = {id_: place for place, one in enumerate(said) for id_ in one.evidence}
    # A number never means two things.
    ids = ids if any(map(str.isdecimal, ids)) else {**places, **ids}
    citations = Citations({id_: text_of(said[place].message) for id_, place in ids.items()})
    questions = [_question(one, citations) for one in document.questions]
    questions += [
        Question(mark.question, mark.means or mark.text, (mark.text,), mark.kind)
        for one in said
        if (mark := one.mark) and mark.question
    ]
    unwanted = tuple(_unwanted(one, citations, where) for one in document.must_not)
    cited = [id_ for one in said for id_ in one.forgets]
    if unknown := citations.unusable(cited):
        raise TransferError(f"{where}, 'forgets': no message with text has the id {' or '.join(unknown)}")
    gone = set[str]()
    for place, one in enumerate(said):
        if wrong := [id_ for id_ in one.forgets if ids[id_] > place or id_ in gone]:
            told = f"expected messages said before, which no other message forgets, not {' or '.join(wrong)}"
            raise TransferError(f"{where}, 'forgets' of {show_value(text_of(one.message))}: {told}")
        gone.update(one.forgets)
    exchanges = exchanges_of(said, {id_: place + 1 for id_, place in ids.items()})
    people = document.user or "Human", document.assistant or "AI"
    return Transcript(document.title or title, exchanges, tuple(questions), *people, unwanted)


def _unwanted(item: "_Unwanted", citations: Citations, where: str) -> Unwanted:
    (text,) = citations.texts([item.id]) or ("",)
    if item.kind not in UNWANTED_KINDS or not text:
        kinds = ", ".join(map(repr, UNWANTED_KINDS))
        raise TransferError(
            f"{where}, 'must_not' of {item.means!r}: expected one of {kinds} as 'kind', and a message's id as 'id', "
            f"not {show_value(item.kind)} and {show_value(item.id)}"
        )
    return Unwanted(item.kind, text, item.means, tuple(item.unless), item.question or "")


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


class _Unwanted(Item):
    EXPECTED = "a statement with 'kind', 'id' and 'means'"
    model_config = ConfigDict(extra="forbid")
    kind: Text
    id: _Citation
    means: Text
    unless: list[Text] = Field(default=[])
    question: Text | None = None


class _Session(Item):
    EXPECTED = "a session with 'date' and 'messages'"
    date: Date | None = None
    messages: list[ChatMessage] = Field(default=[])


class _Document(Item):
    title: Text | None = None
    user: Text | None = None
    assistant: Text | None = None
    questions: list[_Question] = Field(default=[])
    must_not: list[_Unwanted] = Field(default=[])


class _Sessions(_Document):
    sessions: list[_Session]


class _Chat(_Document):
    date: Date | None = None
    system: Any = Field(default=None, validation_alias=AliasChoices(*SYSTEM_NAMES))
    messages: list[Any]
