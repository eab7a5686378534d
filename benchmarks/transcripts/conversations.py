"""A transcript: a conversation, exchange by exchange, and questions about it with known evidence."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from memzoo.stores import SAID_AT, Message, Record
from memzoo.strategy import text_of

__all__ = [
    "ADVERSARIAL",
    "DRAFTED",
    "KINDS",
    "UNCATEGORISED",
    "UNDATED",
    "Citations",
    "Exchange",
    "Mark",
    "Question",
    "Transcript",
    "TranscriptMessage",
    "exchanges_of",
]

ADVERSARIAL = "adversarial"
"""The category of questions that have no true answer; they are left out of recall."""

DRAFTED = "drafted"
"""The prefix of the categories of questions that were drafted by rules, and not read by a person."""

UNCATEGORISED = "uncategorised"
"""The category of questions that were given none."""

UNDATED = datetime(2000, 1, 1, tzinfo=UTC)
"""Used where no date is known."""


KINDS = ("safety rule", "constraint", "goal", "preference", "fact", "correction")
"""The kinds of marked lines."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A marked line, followed through the talk to see if it is still shown.

    Attributes:
        kind: One of `KINDS`.
        text: The whole line.
        means: The words that say it, if fewer; "" for the line itself.
    """

    kind: str
    text: str
    means: str = ""


@dataclass(frozen=True, slots=True)
class Exchange:
    """The unit of a save: a user's message and everything until the next one.

    Attributes:
        messages: OpenAI chat messages, oldest first, the user's first where there is one.
        evidence: For each message, in the same order, the ids that questions may cite and the text of each.
        date: When it was said, with a time zone, if that is known.
        marks: The lines in it that are followed.
    """

    messages: tuple[Message, ...]
    evidence: tuple[Mapping[str, str], ...]
    date: datetime | None = None
    marks: tuple[Mark, ...] = ()

    @property
    def said_at(self) -> datetime:
        """Its date; if unknown, 1 January 2000 for clocks, which no model sees."""
        return self.date or UNDATED

    @property
    def records(self) -> list[Record]:
        """The messages as a memory keeps them: the clock of its store tells their date, unless none is known."""
        return [Record(message, {} if self.date else {SAID_AT: ""}) for message in self.messages]

    @property
    def user_text(self) -> str | None:
        """The user's words in it; `None` if the assistant speaks unasked."""
        first = self.messages[0]
        return text_of(first) if first["role"] == "user" else None


@dataclass(frozen=True, slots=True)
class Question:
    """A question about the conversation.

    Attributes:
        text: The question.
        answer: The right answer; "" if none is known.
        evidence: The texts that the answer rests on, each once, in the order they were cited.
        category: Any word that groups questions.
        asked_after: The number of exchanges after which it is asked; `None` for all.
        stale: Texts that the evidence corrects.
        unusable: Citations that name no message, as they stand in the file.
    """

    text: str
    answer: str = ""
    evidence: tuple[str, ...] = ()
    category: str = UNCATEGORISED
    asked_after: int | None = None
    stale: tuple[str, ...] = ()
    unusable: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Transcript:
    """A conversation, and questions about it.

    Attributes:
        title: Its name in reports.
        exchanges: Oldest first.
        questions: All that the file has, in its order.
        user: The user's name.
        assistant: The assistant's name.
    """

    title: str
    exchanges: tuple[Exchange, ...]
    questions: tuple[Question, ...] = ()
    user: str = "Human"
    assistant: str = "AI"

    @property
    def unusable_evidence(self) -> tuple[str, ...]:
        """Citations that name no message, of all questions."""
        return tuple(cited for question in self.questions for cited in question.unusable)

    @property
    def measured(self) -> list[Question]:
        """The questions to ask: all with evidence, without adversarial ones, in the order of asking."""
        asked = [question for question in self.questions if question.evidence and question.category != ADVERSARIAL]
        end = len(self.exchanges)
        return sorted(asked, key=lambda one: end if one.asked_after is None else one.asked_after)

    @property
    def adversarial(self) -> int:
        """The number of questions left out because they have no true answer."""
        return sum(question.category == ADVERSARIAL for question in self.questions)

    @property
    def without_evidence(self) -> int:
        """The number of other questions left out because their evidence is unknown."""
        return len(self.questions) - len(self.measured) - self.adversarial


@dataclass(frozen=True, slots=True)
class TranscriptMessage:
    """One message on its way into an exchange.

    Attributes:
        message: The OpenAI chat message.
        evidence: As for one message in `Exchange.evidence`.
        date: As in `Exchange`.
        opens: A session begins with it, and so an exchange, for any speaker.
        mark: Its mark.
    """

    message: Message
    evidence: Mapping[str, str] = field(default_factory=dict[str, str])
    date: datetime | None = None
    opens: bool = False
    mark: Mark | None = None


class Citations:
    """The messages that questions may cite, by id.

    Example:
        >>> citations = Citations({"a": "I live in Oslo."})
        >>> citations.texts(["a", "b", "a"]), citations.unusable(["a", "b"])
        (('I live in Oslo.',), ('b',))
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts

    def texts(self, ids: Iterable[object]) -> tuple[str, ...]:
        """Look up texts, each once, in the order in which they are cited."""
        return tuple(dict.fromkeys(text for id_ in ids if (text := self._texts.get(str(id_)))))

    def unusable(self, ids: Iterable[object]) -> tuple[str, ...]:
        """List the ids that name no text, each once."""
        return tuple(dict.fromkeys(str(id_) for id_ in ids if not self._texts.get(str(id_))))


def exchanges_of(said: Iterable[TranscriptMessage]) -> tuple[Exchange, ...]:
    """Group messages into exchanges: a new one begins with each user message and with each session."""
    groups: list[list[TranscriptMessage]] = []
    for one in said:
        if not groups or one.opens or one.message["role"] == "user":
            groups.append([])
        groups[-1].append(one)
    return tuple(_exchange(group) for group in groups)


def _exchange(said: Sequence[TranscriptMessage]) -> Exchange:
    marks = tuple(one.mark for one in said if one.mark)
    return Exchange(tuple(one.message for one in said), tuple(one.evidence for one in said), said[0].date, marks)
