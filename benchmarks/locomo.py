"""LoCoMo's JSON (Maharana et al., ACL 2024): two people's talk over many sessions, and questions about it."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from memzoo.benchmarks.conversations import ADVERSARIAL, Question, Said, Transcript, exchanges_of
from memzoo.benchmarks.fields import as_object, list_field, shown, text_field
from memzoo.stores.errors import TranscriptError

__all__ = ["CATEGORIES", "is_locomo", "transcript_of"]

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: ADVERSARIAL}

_SESSION = re.compile(r"session_(\d+)")
# "D1:3", and what stands in its place here and there: "D:11:26", "D8:6; D9:17", "D30:05".
_TURN_ID = re.compile(r"D:?(\d+):(\d+)")
_DATE = "%I:%M %p on %d %B, %Y"


def is_locomo(item: dict[str, Any]) -> bool:
    """Whether an object looks like one of LoCoMo's conversations."""
    return "conversation" in item and "qa" in item


def transcript_of(item: dict[str, Any], where: str, title: str) -> Transcript:
    """One of LoCoMo's conversations: speaker_a is taken for the user, speaker_b for the assistant.

    Args:
        item: An object of LoCoMo's list.
        where: File and index, for error texts.
        title: The title, if it has no "sample_id".

    Raises:
        TranscriptError: It is malformed. Citations that name no turn are no error: they are listed.
    """
    talk = as_object(item["conversation"], f"{where}, 'conversation'", "an object with speakers and sessions")
    user, assistant = (text_field(talk, key, f"{where}, 'conversation'") for key in ("speaker_a", "speaker_b"))
    said = list(_said(talk, {user: "user", assistant: "assistant"}, where))
    texts = {id_: text for one in said for id_, text in one.evidence.items()}
    unusable: list[str] = []
    questions = tuple(_questions(list_field(item, "qa", where), texts, where, unusable))
    return Transcript(
        text_field(item, "sample_id", where, title), exchanges_of(said), questions, user, assistant, tuple(unusable)
    )


def _said(talk: dict[str, Any], roles: dict[str, str], where: str) -> Iterator[Said]:
    """The turns of all sessions; what one speaker says without a break is one message."""
    numbers = sorted(int(found[1]) for key in talk if (found := _SESSION.fullmatch(key)))
    for number in numbers:
        place = f"{where}, session_{number}"
        turns = [
            _turn(turn, f"{place}, turn {n}", roles)
            for n, turn in enumerate(list_field(talk, f"session_{number}", where))
        ]
        date = _date(talk.get(f"session_{number}_date_time"), place)
        for first, (role, said) in enumerate(groupby(turns, key=lambda turn: turn[0])):
            evidence = [(id_, text) for _, id_, text in said]
            content = "\n".join(text for _, text in evidence)
            yield Said({"role": role, "content": content}, dict(evidence), date, opens=not first)


def _turn(turn: Any, where: str, roles: dict[str, str]) -> tuple[str, str, str]:
    """A turn as its role, its id, and its text with the caption of a picture that was shared."""
    turn = as_object(turn, where, "a turn with 'speaker', 'dia_id' and 'text'")
    speaker = text_field(turn, "speaker", where)
    if speaker not in roles:
        raise TranscriptError(f"{where}: 'speaker' must be one of {', '.join(map(repr, roles))}, not {shown(speaker)}")
    caption = turn.get("blip_caption")
    text = text_field(turn, "text", where) + (f" [image: {caption}]" if caption else "")
    return roles[speaker], _plain(text_field(turn, "dia_id", where)), text


def _plain(id_: str) -> str:
    found = _TURN_ID.fullmatch(id_)
    return f"D{int(found[1])}:{int(found[2])}" if found else id_


def _date(value: Any, where: str) -> datetime | None:
    if value is None:
        return None
    try:
        return datetime.strptime(value, _DATE).replace(tzinfo=UTC)
    except (TypeError, ValueError) as error:
        raise TranscriptError(f"{where}: the date must be like '1:56 pm on 8 May, 2023', not {shown(value)}") from error


def _questions(items: list[Any], texts: dict[str, str], where: str, unusable: list[str]) -> Iterator[Question]:
    for number, item in enumerate(items):
        place = f"{where}, qa {number}"
        question = as_object(item, place, "a question with 'question', 'answer', 'evidence' and 'category'")
        category = question.get("category")
        if category not in CATEGORIES:
            raise TranscriptError(f"{place}: 'category' must be a number from 1 to 5, not {shown(category)}")
        answer = question.get("answer")
        cited = _cited(list_field(question, "evidence", place), texts, unusable)
        text = text_field(question, "question", place)
        yield Question(text, "" if answer is None else str(answer), cited, CATEGORIES[category])


def _cited(evidence: list[Any], texts: dict[str, str], unusable: list[str]) -> tuple[str, ...]:
    """The texts that are cited; what cites none is added to `unusable`."""
    cited: list[str] = []
    for entry in evidence:
        ids = [f"D{int(session)}:{int(turn)}" for session, turn in _TURN_ID.findall(str(entry))]
        unusable += [id_ for id_ in ids if id_ not in texts] if ids else [str(entry)]
        cited += [texts[id_] for id_ in ids if id_ in texts]
    return tuple(dict.fromkeys(cited))
