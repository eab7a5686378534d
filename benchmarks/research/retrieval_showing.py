"""What measured retrievers are made of and given: a conversation as exchanges, and a budget to fill."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol

from memzoo.benchmarks.measure.counting import TextCounter
from memzoo.benchmarks.transcripts.conversations import Exchange, Question, Transcript
from memzoo.memories.text.messages import text_of
from memzoo.memories.text.passage import Passage

__all__ = ["Embed", "Peer", "Retriever", "asked", "dated", "filled", "lines_of", "passages_of"]

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


def asked(transcript: Transcript) -> Iterator[tuple[Question, Sequence[Exchange]]]:
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
        Passage(number, speaker, text, exchange.said_at, number)
        for number, (speaker, text) in enumerate(lines, start=after + 1)
    ]


def dated(exchange: Exchange) -> str:
    """The day of an exchange, as evidence shows it."""
    return Passage(0, "", "", exchange.said_at, 0).date


def lines_of(transcript: Transcript, exchange: Exchange) -> list[tuple[str, str]]:
    """The messages of an exchange, each as its speaker and its text."""
    labels = {"user": transcript.user, "assistant": transcript.assistant}
    return [(labels.get(str(one["role"]), str(one["role"])), text_of(one)) for one in exchange.messages]


def filled(texts: Iterable[str], budget: int, tokens: Callable[[str], int]) -> str:
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
