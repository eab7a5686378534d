"""Reads RealMem's JSON: conversations between a user and an assistant over months, with questions at many points."""

import re
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from memzoo.benchmarks.transcripts.conversations import (
    UNCATEGORISED,
    Citations,
    Question,
    Transcript,
    TranscriptMessage,
    exchanges_of,
)
from memzoo.benchmarks.transcripts.validation import Item, Text, show_value, validate

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_LABEL = re.compile(r"^\s*【[^】]*】\s*")  # "【Travel Plan】 ...": a label that is not part of the text
_ROLES = {"User": "user", "Assistant": "assistant"}


def transcript_of(item: dict[str, Any], where: str, title: str) -> Transcript:
    """Return a user's conversation of RealMem as a transcript.

    A question is asked just before the exchange that its `asked_at` names.

    Args:
        item: An object of the list.
        where: File and index, for error messages.
        title: The title for an object without "user".

    Raises:
        TransferError: The object is malformed. (Evidence that names a missing turn is accepted.)
    """
    document = validate(_Document, item, where)
    said, before, texts = list[TranscriptMessage](), dict[str, int](), dict[str, str]()
    exchanges = 0
    for number, session in enumerate(document.sessions):
        for place, turn in enumerate(session.turns):
            # Counted as in `exchanges_of`: each session and each user's turn begins an exchange.
            exchanges += not place or turn.speaker == "user" or not said
            cited = str([number, place])
            before[cited], texts[cited] = exchanges - 1, turn.content
            message = {"role": turn.speaker, "content": turn.content}
            said.append(TranscriptMessage(message, {f"{number}:{place}": turn.content}, session.time, opens=not place))
    citations = Citations(texts)
    questions = tuple(
        Question(
            one.question,
            "\n".join(_LABEL.sub("", memory) for memory in one.memories),
            citations.texts(one.evidence),
            one.category or UNCATEGORISED,
            before.get(one.asked_at),
            unusable=citations.unusable(one.evidence),
        )
        for one in document.questions
    )
    return Transcript(document.user or title, exchanges_of(said), questions)


def _place(value: Any) -> str:
    match value:
        case [int(), int()]:
            return str(value)
        case _:
            raise ValueError(f"expected [session, turn], not {show_value(value)}")


def _date(value: Any) -> datetime | None:
    found = _DATE.search(str(value))
    try:
        return datetime.fromisoformat(found[0]).replace(tzinfo=UTC) if found else None
    except ValueError:
        return None


def _speaker(value: Any) -> str:
    if value not in _ROLES:
        raise ValueError(f"expected 'User' or 'Assistant', not {show_value(value)}")
    return _ROLES[value]


Place = Annotated[str, BeforeValidator(_place)]


class _Turn(Item):
    EXPECTED = "a turn with 'speaker' and 'content'"
    speaker: Annotated[str, BeforeValidator(_speaker)]
    content: str


class _Session(Item):
    EXPECTED = "a session with 'time' and 'turns'"
    time: Annotated[datetime | None, BeforeValidator(_date)] = None
    turns: list[_Turn]


class _Question(Item):
    EXPECTED = "a question with 'question', 'asked_at' and 'evidence'"
    question: Text
    asked_at: Place
    evidence: list[Place] = Field(default=[])
    category: Text | None = None
    memories: list[str] = Field(default=[])


class _Document(Item):
    EXPECTED = "an object with 'sessions' and 'questions'"
    user: Text | None = None
    sessions: list[_Session]
    questions: list[_Question] = Field(default=[])
