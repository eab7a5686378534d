"""StateBench's timelines: short talks with corrections of values, and strings that must or must not be mentioned."""

from datetime import UTC, datetime
from typing import Any

from memzoo.benchmarks.transcripts.conversations import Question, Transcript, TranscriptMessage, exchanges_of
from memzoo.benchmarks.transcripts.validation import Item, Text, validate

__all__ = ["TRACKS", "is_statebench", "transcript_of"]

TRACKS = ("supersession_detection", "repair_propagation")
"""The tracks whose corrections are said in words; the questions of others are not asked."""


def is_statebench(item: dict[str, Any]) -> bool:
    """Tell whether an object looks like one of StateBench's timelines."""
    return isinstance(item.get("events"), list) and "track" in item


def transcript_of(item: dict[str, Any], where: str, title: str) -> Transcript:
    """Read a timeline: its turns, and its queries as questions with the strings that somebody said as evidence.

    What an ideal system would have written down is left out, as nobody says it. So is a string that must not be
    mentioned if the very turn that corrects it says it, too.

    Args:
        item: A line of the file.
        where: File and line, for error messages.
        title: The title, if it has no "id".

    Raises:
        TranscriptError: It is malformed.
    """
    document = validate(_Document, item, where)
    said: list[TranscriptMessage] = []
    questions: list[Question] = []
    for number, event in enumerate(item["events"]):
        place = f"{where}, event {number}"
        match event:
            case {"type": "conversation_turn"}:
                turn = validate(_Turn, event, place)
                role = "user" if turn.speaker == "user" else "assistant"
                said.append(TranscriptMessage({"role": role, "content": turn.text}, {}, turn.date))
            case {"type": "query"}:
                questions.append(_question(validate(_Query, event, place), document.track, said))
            case _:
                continue
    return Transcript(document.id or title, exchanges_of(said), tuple(questions))


def _question(query: "_Query", track: str, said: list[TranscriptMessage]) -> Question:
    texts = [one.message["content"] for one in said]
    wanted = tuple(dict.fromkeys(one for one in query.strings("must_mention") if any(one in text for text in texts)))
    # The correcting turn: it may name the old value, as in "150, not 50", which then is no stale statement.
    newest = next((text for text in reversed(texts) if any(one in text for one in wanted)), "")
    forbidden = query.strings("must_not_mention")
    stale = tuple(one for one in forbidden if one not in newest and any(one in text for text in texts))
    after = len(exchanges_of(said))  # what comes later has not been said when it is asked
    evidence = wanted if track in TRACKS else ()
    return Question(query.prompt, str(query.ground_truth.get("decision") or ""), evidence, track, after, stale)


class _Turn(Item):
    EXPECTED = "a turn with 'speaker' and 'text'"
    speaker: Text
    text: Text
    ts: Text | None = None

    @property
    def date(self) -> datetime | None:
        """When it was said."""
        try:
            date = datetime.fromisoformat(self.ts) if self.ts else None
        except ValueError:
            return None
        return date if date is None or date.tzinfo else date.replace(tzinfo=UTC)


class _Query(Item):
    EXPECTED = "a query with 'prompt' and 'ground_truth'"
    prompt: Text
    ground_truth: dict[str, Any]

    def strings(self, key: str) -> list[str]:
        """List the strings under a key."""
        return [one for one in self.ground_truth.get(key) or () if isinstance(one, str) and one.strip()]


class _Document(Item):
    EXPECTED = "a timeline with 'track' and 'events'"
    id: Text | None = None
    track: Text
