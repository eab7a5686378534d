"""Reads LongMemEval's JSON: a question about many dated sessions between a user and an assistant."""

from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import BeforeValidator

from memzoo.benchmarks.transcripts.conversations import (
    ADVERSARIAL,
    Question,
    Transcript,
    TranscriptMessage,
    exchanges_of,
)
from memzoo.benchmarks.transcripts.validation import Item, Text, show_value, validate
from memzoo.errors import TransferError

_ABSTENTION = "_abs"
"""The suffix of a question's id, if nobody has mentioned the thing that it asks for."""


def transcript_of(item: dict[str, Any], where: str, title: str) -> Transcript:  # noqa: ARG001 - every instance has an id
    """Return an item of LongMemEval as a transcript: its sessions in order of date, then its question.

    The turns with `has_answer` are the evidence.

    Raises:
        TransferError: The object is malformed.
    """
    document = validate(_Document, item, where)
    if len(document.haystack_dates) != len(document.haystack_sessions):
        raise TransferError(
            f"{where}: there are {len(document.haystack_dates)} 'haystack_dates' for "
            f"{len(document.haystack_sessions)} 'haystack_sessions'; expected a date for each"
        )
    dated = sorted(zip(document.haystack_dates, document.haystack_sessions, strict=True), key=lambda pair: pair[0])
    said = [
        TranscriptMessage({"role": turn.role, "content": turn.content}, {}, date, opens=not place)
        for date, session in dated
        for place, turn in enumerate(session)
    ]
    if not said:
        raise TransferError(f"{where}: there is no message in 'haystack_sessions'")
    evidence = dict.fromkeys(turn.content for _, session in dated for turn in session if turn.has_answer)
    category = ADVERSARIAL if document.question_id.endswith(_ABSTENTION) else document.question_type
    question = Question(document.question, str(document.answer), tuple(evidence), category)
    return Transcript(document.question_id, exchanges_of(said), (question,))


def _date(value: Any) -> datetime:
    try:
        return datetime.strptime(value, "%Y/%m/%d (%a) %H:%M").replace(tzinfo=UTC)
    except (TypeError, ValueError) as error:
        raise ValueError(f"expected a date such as '2023/05/20 (Sat) 02:21', not {show_value(value)}") from error


def _role(value: Any) -> str:
    if value not in ("user", "assistant"):
        raise ValueError(f"expected 'user' or 'assistant', not {show_value(value)}")
    return str(value)


class _Turn(Item):
    EXPECTED = "a turn with 'role' and 'content'"
    role: Annotated[str, BeforeValidator(_role)]
    content: str
    has_answer: Any = False


class _Document(Item):
    EXPECTED = "an object with 'question_id', 'question' and 'haystack_sessions'"
    question_id: Text
    question_type: Text
    question: Text
    answer: Any
    haystack_dates: list[Annotated[datetime, BeforeValidator(_date)]]
    haystack_sessions: list[list[_Turn]]
