"""Reads StateBench's timelines: short conversations with corrections.

For each question, a timeline has strings that the answer must or must not contain.
"""

from datetime import UTC, datetime
from typing import Any

from memzoo.benchmarks.transcripts.conversations import Question, Transcript, TranscriptMessage, exchanges_of
from memzoo.benchmarks.transcripts.validation import Item, Text, validate

TRACKS = ("supersession_detection", "repair_propagation")
"""The tracks with corrections in the conversation itself; questions of other tracks are not asked."""


def transcript_of(item: dict[str, Any], where: str, title: str) -> Transcript:
    """Return a timeline of StateBench as a transcript, with its queries as questions.

    Strings that an answer must contain become the evidence. Strings that an answer must not contain become
    `Question.stale`, except old values that the correction itself repeats ("150, not 50").

    Args:
        item: A line of the file.
        where: File and line, for error messages.
        title: The title for a timeline without "id".

    Raises:
        TransferError: The timeline is malformed.
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
    # The correcting turn may also contain the old value, as in "150, not 50"; the old value is then not stale.
    newest = next((text for text in reversed(texts) if any(one in text for one in wanted)), "")
    forbidden = query.strings("must_not_mention")
    stale = tuple(one for one in forbidden if one not in newest and any(one in text for text in texts))
    after = len(exchanges_of(said))  # the question comes before all later exchanges
    evidence = wanted if track in TRACKS else ()
    return Question(query.prompt, str(query.ground_truth.get("decision") or ""), evidence, track, after, stale)


class _Turn(Item):
    EXPECTED = "a turn with 'speaker' and 'text'"
    speaker: Text
    text: Text
    ts: Text | None = None

    @property
    def date(self) -> datetime | None:
        """The date of the turn, in UTC if it has no time zone; `None` if missing or malformed."""
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
        """Return the non-empty strings under a key of the ground truth."""
        return [one for one in self.ground_truth.get(key) or () if isinstance(one, str) and one.strip()]


class _Document(Item):
    EXPECTED = "a timeline with 'track' and 'events'"
    id: Text | None = None
    track: Text
