"""Reads LoCoMo's JSON: conversations between two people over many sessions, with questions."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import groupby
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from memzoo.benchmarks.transcripts.conversations import (
    ADVERSARIAL,
    Citations,
    Question,
    Transcript,
    TranscriptMessage,
    exchanges_of,
)
from memzoo.benchmarks.transcripts.validation import Item, Text, show_value, validate
from memzoo.errors import TransferError

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: ADVERSARIAL}

_SESSION = re.compile(r"session_(\d+)")
# Usually "D1:3"; the files also have "D:11:26", "D8:6; D9:17" and "D30:05".
_TURN_ID = re.compile(r"D:?(\d+):(\d+)")
_DATE = "%I:%M %p on %d %B, %Y"


def transcript_of(item: dict[str, Any], where: str, title: str) -> Transcript:
    """Return a conversation of LoCoMo as a transcript. The first speaker becomes the user, the second the assistant.

    Args:
        item: An object of LoCoMo's list.
        where: File and index, for error messages.
        title: The title for an object without "sample_id".

    Raises:
        TransferError: The object is malformed. (Evidence that names a missing turn is accepted.)
    """
    document = validate(_Document, item, where)
    user, assistant = document.conversation.speaker_a, document.conversation.speaker_b
    said = list(_read_messages(item["conversation"], {user: "user", assistant: "assistant"}, where))
    citations = Citations({id_: text for one in said for id_, text in one.evidence.items()})
    questions = tuple(_read_question(question, citations) for question in document.qa)
    name = document.sample_id or title
    return Transcript(name, exchanges_of(said), questions, user, assistant)


def _read_question(question: "_Question", citations: Citations) -> Question:
    answer = "" if question.answer is None else str(question.answer)
    cited = [id_ for entry in question.evidence for id_ in _ids(str(entry))]
    unusable = citations.unusable(cited)
    return Question(question.question, answer, citations.texts(cited), question.category, unusable=unusable)


def _read_messages(talk: dict[str, Any], roles: dict[str, str], where: str) -> Iterator[TranscriptMessage]:
    """Yield the messages of all sessions; successive turns of one speaker are one message."""
    # Sorted by number, not by name: session_10 comes after session_9.
    for number in sorted(int(found[1]) for key in talk if (found := _SESSION.fullmatch(key))):
        name = f"session_{number}"
        session = validate(_Session, {"turns": talk[name], "date": talk.get(f"{name}_date_time")}, f"{where}, {name}")
        _check_speakers(session, roles, f"{where}, {name}")
        for first, (speaker, turns) in enumerate(groupby(session.turns, key=lambda turn: turn.speaker)):
            evidence = [(turn.plain_id, turn.said) for turn in turns]
            message = {"role": roles[speaker], "content": "\n".join(text for _, text in evidence)}
            yield TranscriptMessage(message, dict(evidence), session.date, opens=not first)


def _check_speakers(session: "_Session", roles: dict[str, str], where: str) -> None:
    for place, turn in enumerate(session.turns):
        if turn.speaker not in roles:
            known = ", ".join(map(repr, roles))
            raise TransferError(
                f"{where}, turn {place}, 'speaker': expected one of {known}, not {show_value(turn.speaker)}"
            )


def _ids(entry: str) -> list[str]:
    """Return the turn ids in an entry of evidence; if there are none, the entry itself, which matches no turn."""
    return [_id(*found) for found in _TURN_ID.findall(entry)] or [entry]


def _id(session: str, turn: str) -> str:
    return f"D{int(session)}:{int(turn)}"


def _date(value: Any) -> datetime | None:
    try:
        return None if value is None else datetime.strptime(value, _DATE).replace(tzinfo=UTC)
    except (TypeError, ValueError) as error:
        raise ValueError(f"expected a date such as '1:56 pm on 8 May, 2023', not {show_value(value)}") from error


def _category(value: Any) -> str:
    if not isinstance(value, int) or value not in CATEGORIES:
        raise ValueError(f"expected a number from 1 to 5, not {show_value(value)}")
    return CATEGORIES[value]


class _Turn(Item):
    EXPECTED = "a turn with 'speaker', 'dia_id' and 'text'"
    speaker: Text
    dia_id: Text
    text: Text
    blip_caption: Any = None

    @property
    def plain_id(self) -> str:
        found = _TURN_ID.fullmatch(self.dia_id)
        return _id(*found.groups()) if found else self.dia_id

    @property
    def said(self) -> str:
        """The text, with the caption of a shared picture."""
        return self.text + (f" [image: {self.blip_caption}]" if self.blip_caption else "")


class _Session(Item):
    turns: list[_Turn]
    date: Annotated[datetime | None, BeforeValidator(_date)]


class _Question(Item):
    EXPECTED = "a question with 'question', 'answer', 'evidence' and 'category'"
    question: Text
    answer: Any = None
    evidence: list[Any] = Field(default=[])
    category: Annotated[str, BeforeValidator(_category)] = Field(default="", validate_default=True)


class _Talk(Item):
    EXPECTED = "an object with speakers and sessions"
    speaker_a: Text
    speaker_b: Text


class _Document(Item):
    conversation: _Talk
    sample_id: Text | None = None
    qa: list[_Question]
