"""Transcripts: conversations as exchanges, with questions and their evidence."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import MappingProxyType

from memzoo.stores import Message, Record
from memzoo.strategy import text_of

ADVERSARIAL = "adversarial"
"""The category of questions without a true answer, which are not asked."""

DRAFTED = "drafted"
"""The first word in the categories of questions that were drafted by rules and not yet checked by a person."""

GAP = "___"
"""The gap that stands for the answer in a question made from a sentence of the user."""

UNCATEGORISED = "uncategorised"
"""The category of questions without a category in the file."""

UNDATED = datetime(2000, 1, 1, tzinfo=UTC)
"""The date used for exchanges without a date."""

_INSTRUCTIONS = ("system", "developer")


KINDS = (
    *("name", "number", "date", "preference", "constraint", "safety rule", "correction", "plan"),
    *("goal", "fact"),
)
"""The kinds of marked lines."""

RULE_KINDS = ("safety rule", "constraint")
"""The kinds of marked lines whose words count in denials too: "never raisins", "raisins are forbidden"."""

UNWANTED_KINDS = ("superseded", "forgotten", "another person", "supposed", "order")
"""The kinds of statements that no view may show as true of the user."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A marked line, such as a rule or a goal. A comparison checks whether later views still show it.

    Attributes:
        kind: The kind of the line, such as "goal"; one of `KINDS`.
        text: The whole line.
        means: The part of the line that matters, such as a name; "" if the whole line matters.
        question: A question whose answer is `means`; "" without one.
    """

    kind: str
    text: str
    means: str = ""
    question: str = ""

    @property
    def asked(self) -> str | None:
        """The question about the line: `question`, or the line with `___` for `means`; `None` without either."""
        gapped = self.text.replace(self.means, GAP) if self.means else self.text
        return self.question or (gapped if gapped != self.text else None)


@dataclass(frozen=True, slots=True)
class Unwanted:
    """A statement that no view may show as true of the user.

    Attributes:
        kind: The kind of the statement, such as "forgotten"; one of `UNWANTED_KINDS`.
        text: The whole line that contains the statement.
        means: The statement in brief.
        unless: Words that make the statement harmless if they are shown too: the new value, or the speaker's name.
        question: A question that may bring up the statement; "" without one.
    """

    kind: str
    text: str
    means: str
    unless: tuple[str, ...] = ()
    question: str = ""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A user's message, the system messages before it, and all messages after it up to the next exchange.

    Attributes:
        messages: OpenAI chat messages, oldest first. An exchange without a user's message is possible, for example if a
            session begins with the assistant.
        evidence: For each message, a dict from id to text. Questions name their evidence by these ids.
        date: The date of the exchange, with a time zone; `None` if unknown.
        marks: The marked lines in the exchange.
        forgets: The numbers (from 1) of the messages that the application deletes after the exchange.
    """

    messages: tuple[Message, ...]
    evidence: tuple[Mapping[str, str], ...]
    date: datetime | None = None
    marks: tuple[Mark, ...] = ()
    forgets: tuple[int, ...] = ()

    @property
    def said_at(self) -> datetime:
        """The date of the exchange, to set clocks by; 1 January 2000 if `date` is unknown."""
        return self.date or UNDATED

    @property
    def records(self) -> list[Record]:
        """The messages as records for a store.

        They carry no date: the store sets it by its clock. If `date` is unknown, they are marked as undated.
        """
        return [Record(message) if self.date else Record.dated(message, None) for message in self.messages]

    @property
    def user_text(self) -> str | None:
        """The text of the user's message; `None` if the exchange has none."""
        return text_of(self.asked[-1]) if self.asked else None

    @property
    def asked(self) -> Sequence[Message]:
        """The system messages at the start and the user's message after them; empty without a user's message."""
        roles = (message["role"] for message in self.messages)
        place = next(place for place, role in enumerate((*roles, "")) if role not in _INSTRUCTIONS)
        is_asked = place < len(self.messages) and self.messages[place]["role"] == "user"
        return self.messages[: place + 1] if is_asked else ()


@dataclass(frozen=True, slots=True)
class Question:
    """A question about the conversation.

    Attributes:
        text: The question.
        answer: The right answer; "" if unknown.
        evidence: The texts that contain the answer, each once, in the file's order.
        category: The kind of the question, as the file names it.
        asked_after: The number of exchanges before the question; `None` for a question at the end.
        stale: The older texts that the evidence corrects.
        unusable: The ids that the question cites, but that belong to no message.
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
    """A conversation with questions about it.

    Attributes:
        title: The name of the conversation in reports.
        exchanges: The exchanges, oldest first.
        questions: All questions of the file, in the file's order.
        user: The user's name.
        assistant: The assistant's name.
        unwanted: Statements that no view may show as true of the user.
        notes: Sentences about the parts of the file that were left out or changed.
    """

    title: str
    exchanges: tuple[Exchange, ...]
    questions: tuple[Question, ...] = ()
    user: str = "Human"
    assistant: str = "AI"
    unwanted: tuple[Unwanted, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def unusable_evidence(self) -> tuple[str, ...]:
        """All ids that questions cite, but that belong to no message."""
        return tuple(cited for question in self.questions for cited in question.unusable)

    @property
    def measured(self) -> list[Question]:
        """The questions that a comparison asks, in the order of asking.

        Two kinds are left out: questions without evidence, and adversarial questions, which nothing in the conversation
        answers.
        """
        asked = [question for question in self.questions if question.evidence and question.category != ADVERSARIAL]
        end = len(self.exchanges)
        return sorted(asked, key=lambda one: end if one.asked_after is None else one.asked_after)

    @property
    def adversarial(self) -> int:
        """The number of questions that nothing in the conversation answers."""
        return sum(question.category == ADVERSARIAL for question in self.questions)

    @property
    def without_evidence(self) -> int:
        """The number of questions without evidence, not counting adversarial questions."""
        return len(self.questions) - len(self.measured) - self.adversarial


@dataclass(frozen=True, slots=True)
class TranscriptMessage:
    """A message read from a file, which does not belong to an exchange yet.

    Attributes:
        evidence: The message's texts, as a dict from id to text. Questions name their evidence by these ids.
        date: The date, with a time zone; `None` if unknown.
        opens: True if the message is the first of a session; it then begins a new exchange.
        mark: The marked line in the message; `None` without one.
        forgets: The ids of earlier messages that the application deletes after this message.
    """

    message: Message
    evidence: Mapping[str, str] = field(default_factory=dict[str, str])
    date: datetime | None = None
    opens: bool = False
    mark: Mark | None = None
    forgets: tuple[str, ...] = ()


class Citations:
    """The texts that questions may name as evidence, by id.

    Example:
        >>> citations = Citations({"a": "I live in Oslo."})
        >>> citations.texts(["a", "b", "a"]), citations.unusable(["a", "b"])
        (('I live in Oslo.',), ('b',))
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts

    def texts(self, ids: Iterable[object]) -> tuple[str, ...]:
        """Return the texts for some ids, in the order of the ids. Each text occurs once."""
        return tuple(dict.fromkeys(text for id_ in ids if (text := self._texts.get(str(id_)))))

    def unusable(self, ids: Iterable[object]) -> tuple[str, ...]:
        """Return the given ids that have no text, each once."""
        return tuple(dict.fromkeys(str(id_) for id_ in ids if not self._texts.get(str(id_))))


def exchanges_of(
    said: Iterable[TranscriptMessage], numbers: Mapping[str, int] = MappingProxyType({})
) -> tuple[Exchange, ...]:
    """Return messages grouped into exchanges. A user message or a new session begins an exchange.

    System messages before a user message belong to the same exchange as the user message.

    `numbers` is a dict from message id to message number, from 1. The numbers replace the ids in
    `TranscriptMessage.forgets`.
    """
    groups: list[list[TranscriptMessage]] = []
    for one in said:
        begun = not groups or any(before.message["role"] not in _INSTRUCTIONS for before in groups[-1])
        if not groups or one.opens or (one.message["role"] == "user" and begun):
            groups.append([])
        groups[-1].append(one)
    return tuple(_exchange(group, numbers) for group in groups)


def _exchange(said: Sequence[TranscriptMessage], numbers: Mapping[str, int]) -> Exchange:
    messages, evidence = zip(*((one.message, one.evidence) for one in said), strict=True)
    marks = tuple(one.mark for one in said if one.mark)
    date = next((one.date for one in said if one.date), None)
    return Exchange(messages, evidence, date, marks, tuple(numbers[id_] for one in said for id_ in one.forgets))
