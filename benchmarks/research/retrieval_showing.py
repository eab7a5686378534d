"""What measured retrievers are made of and given: a conversation as exchanges, or by session, and a budget to fill."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol

from memzoo.benchmarks.measure.counting import TextCounter
from memzoo.benchmarks.measure.evidence import Texts, covers
from memzoo.benchmarks.transcripts.conversations import Exchange, Question, Transcript
from memzoo.strategy import Passage, text_of

__all__ = [
    "Embed",
    "Peer",
    "Retriever",
    "Sessions",
    "day_of",
    "fill_budget",
    "lines_of",
    "passages_of",
    "walk_questions",
]

Embed = Callable[[list[str]], Any]
"""Texts -> a row of numbers for each."""


class Retriever(Protocol):
    """Whatever takes in a conversation, and shows what fits a question."""

    def hear(self, exchange: Exchange) -> None:
        """Take in the next exchange."""
        ...

    def show(self, question: Question, budget: int) -> str:
        """What the model would be shown, of at most so many tokens."""
        ...


class Peer(Protocol):
    """Makes a retriever for a conversation."""

    def __call__(self, transcript: Transcript, counter: TextCounter, embed: Embed) -> Retriever:
        """Learn who speaks, and nothing else yet."""
        ...


def walk_questions(transcript: Transcript) -> Iterator[tuple[Question, Sequence[Exchange]]]:
    """Each question that is measured, with what was said since the one before."""
    heard = 0
    for question in transcript.measured:
        until = len(transcript.exchanges) if question.asked_after is None else question.asked_after
        yield question, transcript.exchanges[heard:until]
        heard = max(heard, until)


def passages_of(transcript: Transcript, exchange: Exchange, after: int = 0, *, apart: bool = False) -> list[Passage]:
    """An exchange as a passage, or each message `apart`, numbered from the one behind `after`."""
    lines = lines_of(transcript, exchange)
    if not apart:
        (speaker, text), *others = lines
        lines = [(speaker, "\n".join([text, *(f"{label}: {said}" for label, said in others)]))]
    return [
        Passage(number, speaker, text, exchange.said_at, begins=True)
        for number, (speaker, text) in enumerate(lines, start=after + 1)
    ]


def day_of(exchange: Exchange) -> str:
    """The day of an exchange, as evidence shows it."""
    return Passage(0, "", "", exchange.said_at, begins=True).date


def lines_of(transcript: Transcript, exchange: Exchange) -> list[tuple[str, str]]:
    """The messages of an exchange, each as its speaker and its text."""
    labels = {"user": transcript.user, "assistant": transcript.assistant}
    return [(labels.get(str(one["role"]), str(one["role"])), text_of(one)) for one in exchange.messages]


def fill_budget(texts: Iterable[str], budget: int, tokens: Callable[[str], int]) -> str:
    """The first texts that fit; one that does not is passed over."""
    chosen: list[str] = []
    left = budget
    for text in texts:
        cost = tokens(f"{text}\n")
        if cost <= left:
            chosen.append(text)
            left -= cost
    # Counted as one text, tokens can differ a little from the sum.
    while chosen and tokens("\n".join(chosen)) > budget:
        chosen.pop()
    return "\n".join(chosen)


class Sessions:
    """What was said in each session; ids of messages begin with the session's, such as "3:7" or "D3:7".

    Args:
        transcript: The conversation.
    """

    def __init__(self, transcript: Transcript) -> None:
        self._lines: dict[str, list[str]] = {}
        self._session_of: dict[str, str] = {}
        labels = {"user": transcript.user, "assistant": transcript.assistant}
        for exchange in transcript.exchanges:
            for message, cited in zip(exchange.messages, exchange.evidence, strict=True):
                for id_, text in cited.items():
                    session = id_.rpartition(":")[0]
                    label = labels.get(str(message["role"]), "")
                    self._lines.setdefault(session, []).append(f"{label}: {text_of(message)}")
                    self._session_of.setdefault(text, session)

    def share(self, question: Question, shown: Texts) -> float:
        """The share of the sessions with evidence of which any message is shown."""
        wanted = {self._session_of[text] for text in question.evidence if text in self._session_of}
        return sum(self._stands(self._lines[session], shown) for session in wanted) / max(len(wanted), 1)

    @staticmethod
    def _stands(lines: Sequence[str], shown: Texts) -> bool:
        # What stands whole is found faster than what is covered.
        return any(line in shown for line in lines) or any(covers(line, shown) for line in lines)
