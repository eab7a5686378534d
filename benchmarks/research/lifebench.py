"""Measures the search in a year of a person's messages: `python -m memzoo.benchmarks.research lifebench`."""

import functools
import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

import typer

from memzoo.benchmarks.contenders.environments import is_installed
from memzoo.benchmarks.contenders.known import find_adapter
from memzoo.benchmarks.contenders.memory import ContenderMemory
from memzoo.benchmarks.contenders.process import Contender
from memzoo.benchmarks.measure.counting import TextCounter, named_counter
from memzoo.benchmarks.measure.evidence import Texts
from memzoo.benchmarks.measure.statistics import difference
from memzoo.benchmarks.research.inputs import LIFEBENCH, limits_of, refusals
from memzoo.benchmarks.research.retrieval_peers import PEERS, find_plain_words
from memzoo.benchmarks.research.retrieving import Make, memory_maker
from memzoo.benchmarks.research.tables import show, table
from memzoo.benchmarks.transcripts.conversations import UNDATED, Exchange, Question, Transcript
from memzoo.errors import OptionError
from memzoo.strategy import text_of

_MEASURES: Mapping[str, Callable[[Sequence[bool]], float]] = {
    "share of the evidence": fmean,
    "at least one message": any,
    "the message with the answer": lambda shown: shown[0],
}


def lifebench(
    path: Annotated[Path, typer.Argument(help="LifeBench's messages and questions, as JSON.")] = LIFEBENCH,
    *,
    budgets: Annotated[str, typer.Option(help="Tokens that may be shown.")] = "250,500,1000,2000",
    bm25s: Annotated[bool, typer.Option("--bm25s", help="The contender bm25s, too.")] = False,
) -> None:
    """Measure the evidence that the search and BM25 show in a year of messages, in each language."""
    with refusals():
        show(*language_tables(lives(path), budgets, bm25s=bm25s))


def language_tables(lives: Mapping[str, Sequence[Transcript]], budgets: str, *, bm25s: bool = False) -> list[str]:
    """Return tables for each language: the evidence shown by memzoo and by BM25, and the differences.

    Args:
        lives: The conversations of each language.
        budgets: The budgets in tokens, with commas between them.
        bm25s: True to compare with the package bm25s too.

    Raises:
        OptionError: bm25s is not installed as a contender.
    """
    limits, counter = limits_of(budgets), named_counter("o200k_base")
    makers: dict[str, Make] = {
        "memzoo": memory_maker(None),
        "BM25": functools.partial(PEERS["BM25 over exchanges"], embed=lambda _: []),
    }
    parts: list[str] = []
    if bm25s and not is_installed(find_adapter("bm25s")):
        raise OptionError("--bm25s needs an environment: memzoo compare --with bm25s --install makes it")
    if bm25s:
        makers["bm25s"] = _Contending
    for language, talks in lives.items():
        shown = dict[tuple[str, int], list[Sequence[bool]]]()
        for name, make in makers.items():
            for talk in talks:
                retriever = make(talk, counter)
                for exchange in talk.exchanges:
                    retriever.hear(exchange)
                for question in talk.questions:
                    for limit in limits:
                        view = Texts([retriever.show(question, limit)])
                        shown.setdefault((name, limit), []).append([one in view for one in question.evidence])
        rows = [
            [f"{name}: {measure}", *(f"{fmean(map(of, shown[name, limit])):.3f}" for limit in limits)]
            for measure, of in _MEASURES.items()
            for name in makers
        ]
        title = f"{language}: {sum(len(one.questions) for one in talks)} questions about {len(talks)} people"
        heads = ["", *(f"{limit:,} tokens" for limit in limits)]
        parts.append(table(heads, rows, title))
        for other in list(makers)[1:]:
            pair = "memzoo", other
            ahead = [
                [
                    measure,
                    *(_difference([[of(one)] for one in shown[name, limit]] for name in pair) for limit in limits),
                    _difference(
                        [[*map(of, each)] for each in zip(*(shown[name, limit] for limit in limits), strict=True)]
                        for name in pair
                    ),
                ]
                for measure, of in _MEASURES.items()
            ]
            title = f"{language}: memzoo less {other}, question by question: mean and 95% interval"
            parts.append(table([*heads, "all"], ahead, title))
    return parts


class _Contending:
    """The contender bm25s as a retriever; each budget has a process, which gets all exchanges before any question."""

    def __init__(self, transcript: Transcript, counter: TextCounter) -> None:
        self._count = counter
        self._names = {"human_prefix": transcript.user, "ai_prefix": transcript.assistant}
        self._now, self._heard = UNDATED, list[Exchange]()
        self._told: dict[int, ContenderMemory] = {}

    def hear(self, exchange: Exchange) -> None:
        """Add the next exchange."""
        self._heard.append(exchange)

    def show(self, question: Question, budget: int) -> str:
        """Return the text to show for a question, within a budget of tokens."""
        if budget not in self._told:
            contender = Contender(find_adapter("bm25s"))
            start = {"options": {}, "budget": budget, **self._names}
            self._told[budget] = memory = ContenderMemory(contender, self._count, lambda: self._now, **start)
            for number, exchange in enumerate(self._heard):
                self._now = exchange.said_at
                memory.add_messages(exchange.records, str(number))
        return "\n".join(text_of(one) for one in self._told[budget].messages(question.text))


def _difference(measured: Iterable[Sequence[Sequence[float]]]) -> str:
    """Return, as a text, how much more the first of two searches shows than the second, with a 95% interval."""
    one, other = (dict(enumerate(map(fmean, each))) for each in measured)
    known = difference(one, other)
    return f"{known.mean:+.3f} ({known.low:+.3f} to {known.high:+.3f})" if known else ""


def lives(path: Path) -> dict[str, list[Transcript]]:
    """Return a dict from language to conversations. A conversation has all messages of one person, sorted by time.

    Raises:
        OptionError: The file does not exist.
    """
    if not path.exists():
        raise OptionError(f"there is no {path}: nothing to measure on")
    talks = dict[str, list[Transcript]]()
    for life in json.loads(path.read_text(encoding="utf-8")):
        talks.setdefault(life["language"], []).append(_transcript_of(life))
    return talks


def _transcript_of(life: Mapping[str, Any]) -> Transcript:
    said = [(talk["with"], one) for talk in life["conversations"] for one in talk["messages"]]
    said.sort(key=lambda one: one[1]["at"])
    words = {one["id"]: frozenset(find_plain_words(one["text"])) for _, one in said}
    texts = {one["id"]: one["text"] for _, one in said}
    counts = Counter(word for one in words.values() for word in one)
    questions = list[Question]()
    for one in life["questions"]:
        answer = frozenset(find_plain_words(one["answer"]))
        rareness = {
            id_: sum(math.log(len(said) / counts[word]) for word in sorted(words[id_] & answer))
            for id_ in one["evidence"]
        }
        evidence = [texts[id_] for id_ in sorted(rareness, key=lambda id_: -rareness[id_])]
        questions.append(Question(one["question"], one["answer"], tuple(dict.fromkeys(evidence)), one["category"]))
    return Transcript(life["person"], tuple(_exchange(*one) for one in said), tuple(questions), "User", "Assistant")


def _exchange(contact: str, message: Mapping[str, str]) -> Exchange:
    said = {"role": "assistant" if message["by"] == "assistant" else "user", "content": message["text"]}
    if message["by"] == "contact":
        said["name"] = contact
    return Exchange((said,), ({},), datetime.fromisoformat(message["at"]).replace(tzinfo=UTC))
