"""The task of a public table, for files in LoCoMo's layout: `python -m memzoo.benchmarks.research.lmeb FILES`.

LMEB (arXiv 2603.12572, in MTEB) asks an embedder for the turns that answer a question about a conversation of LoCoMo,
and reports recall@10 and nDCG@10, the mean over the categories of questions, those without a true answer included.
Here each turn is a message of its own, and the search ranks the turns of the conversation that is asked about.
"""

import math
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Annotated, NamedTuple

import numpy
import typer

from memzoo.benchmarks.research.inputs import LOCOMO, conversations, refusals
from memzoo.benchmarks.research.retrieval import CACHE, embedder_named
from memzoo.benchmarks.research.retrieval_paired import mean_shown
from memzoo.benchmarks.research.tables import show, table
from memzoo.benchmarks.transcripts.conversations import Transcript
from memzoo.errors import OptionError
from memzoo.memories import Embedder
from memzoo.memories.search.weights import Weights
from memzoo.memories.search.word_index import WordIndex
from memzoo.strategy import Passage
from memzoo.sync import drive

__all__ = ["Ranked", "app", "gain", "lmeb", "rank_turns", "recall"]

_FIRST = 10
_NEAREST = 200
_NOT_COMPARABLE = (
    "not comparable with the public table: that has all ten conversations of LoCoMo, and the weights of this search "
    "were decided on the five development conversations"
)

app = typer.Typer(help="recall@10 and nDCG@10 by turn.")


class Ranked(NamedTuple):
    """What a search ranked for one question.

    Attributes:
        category: The kind of question.
        recall: The share of the turns it rests on that are among the first ten.
        gain: The same weighed by their ranks: nDCG.
    """

    category: str
    recall: float
    gain: float


def recall(order: Sequence[str], wanted: Collection[str]) -> float:
    """The share of what is wanted that is among the first ten.

    Example:
        >>> recall(["a", "b"], {"b", "c"})
        0.5
    """
    return len({one for one in order[:_FIRST] if one in wanted}) / len(wanted)


def gain(order: Sequence[str], wanted: Collection[str]) -> float:
    """The discounted cumulative gain of the first ten, as a share of the best there is.

    Example:
        >>> gain(["a", "b"], {"a"}), round(gain(["b", "a"], {"a"}), 3)
        (1.0, 0.631)
    """
    discounts = [1 / math.log2(rank + 2) for rank in range(_FIRST)]
    found = sum(value for value, one in zip(discounts, order, strict=False) if one in wanted)
    return found / sum(discounts[: len(wanted)])


def rank_turns(transcripts: Sequence[Transcript], embedder: Embedder) -> Iterator[Ranked]:
    """Rank the turns of each conversation for all of its questions that cite some."""
    for transcript in transcripts:
        turns = list(_turns(transcript))
        index, vectors = WordIndex(), _vectors(embedder, [f"{one.speaker}: {one.text}" for one in turns])
        index.add(turns)
        share = Weights().embeddings * embedder.weight
        for question in transcript.questions:
            if question.evidence:
                near = vectors @ _vectors(embedder, [question.text])[0]
                similar = {int(place) + 1: float(near[place]) for place in numpy.argsort(-near)[:_NEAREST]}
                scores = index.scores(question.text, similar if share else {}, share)
                order = [turns[seq - 1].text for seq in scores]
                wanted = set(question.evidence)
                yield Ranked(question.category, recall(order, wanted), gain(order, wanted))


@app.command()
def lmeb(
    files: Annotated[list[Path] | None, typer.Argument(help="Files in LoCoMo's layout.")] = None,
    *,
    embedder: Annotated[str, typer.Option(help="none, hashing, minilm, or openai:MODEL.")] = "none",
    cache: Annotated[Path, typer.Option(help="Folder for embeddings.")] = CACHE,
) -> None:
    """Measure recall@10 and nDCG@10 by turn, the mean over the categories."""
    with refusals():
        transcripts = conversations(*(files or [LOCOMO]))
        found = list(rank_turns(transcripts, embedder_named(embedder, cache)))
        if not found:
            raise OptionError("no question cites a turn")
    show(
        _table(found),
        f"{len(found)} questions about {len(transcripts)} conversations; embeddings: {embedder}; {_NOT_COMPARABLE}.",
    )


def _turns(transcript: Transcript) -> Iterator[Passage]:
    labels = {"user": transcript.user, "assistant": transcript.assistant}
    seq = 0
    for exchange in transcript.exchanges:
        for message, cited in zip(exchange.messages, exchange.evidence, strict=True):
            for text in cited.values():
                seq += 1
                yield Passage(seq, labels[str(message["role"])], text, exchange.said_at, begins=True)


def _vectors(embedder: Embedder, texts: list[str]) -> "numpy.typing.NDArray[numpy.float32]":
    return numpy.stack([numpy.frombuffer(vector, "<f4") for vector in drive(embedder.embed(texts)).vectors])


def _table(found: Sequence[Ranked]) -> str:
    categories = sorted({one.category for one in found})
    groups = {category: [one for one in found if one.category == category] for category in categories}
    rows = [
        [category, str(len(some)), mean_shown([one.recall for one in some]), mean_shown([one.gain for one in some])]
        for category, some in groups.items()
    ]
    means = ((fmean(one.recall for one in some), fmean(one.gain for one in some)) for some in groups.values())
    rows.append(["mean of the categories", str(len(found)), *(f"{fmean(one):.3f}" for one in zip(*means, strict=True))])
    return table(["category", "questions", "recall@10", "nDCG@10"], rows)


if __name__ == "__main__":
    app()
