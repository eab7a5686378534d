"""Whether a graph's facts help a search as further keys: `python -m memzoo.benchmarks.research.retrieval_facts`."""

import functools
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from memzoo.benchmarks.measure.counting import TextCounter, named_counter
from memzoo.benchmarks.research.retrieval import LOCOMO, Counted, embedder_named, report
from memzoo.benchmarks.research.retrieving import FedMemory, Found, find, memory_maker
from memzoo.benchmarks.transcripts import load_transcripts
from memzoo.benchmarks.transcripts.conversations import Transcript
from memzoo.memories import ConversationKGMemory, VectorStoreRetrieverMemory
from memzoo.memories.engine.state import State
from memzoo.memories.models.chat import ModelOption
from memzoo.memories.search.analysis import telling_words

__all__ = ["FactKeys", "app", "with_facts"]

app = typer.Typer(help="Facts as keys of a search.")

_WEIGHT = 0.5


class FactKeys:
    """The facts that a knowledge graph takes from a conversation, searched by BM25.

    Args:
        transcript: The conversation.
        model: Takes the facts, from both speakers' words.
    """

    def __init__(self, transcript: Transcript, model: ModelOption = "offline") -> None:
        graph = ConversationKGMemory(
            llm=model, mine_ai=True, human_prefix=transcript.user, ai_prefix=transcript.assistant
        )
        for exchange in transcript.exchanges:
            graph.add_messages(exchange.messages)
        self._facts = graph.kg.facts(history=True)
        self._database = sqlite3.connect(":memory:")
        self._database.execute("CREATE VIRTUAL TABLE facts USING fts5(text, tokenize='porter unicode61')")
        texts = ((place, str(fact)) for place, fact in enumerate(self._facts))
        self._database.executemany("INSERT INTO facts (rowid, text) VALUES (?, ?)", texts)

    def __len__(self) -> int:
        return len(self._facts)

    def points(self, query: str) -> dict[int, float]:
        """Half the score of the best fact that each message stated, by log number."""
        if not (words := telling_words(query)):
            return {}
        # The best fact of a message comes last, and stays.
        search = "SELECT rowid, -bm25(facts) FROM facts WHERE facts MATCH ? ORDER BY rank DESC"
        rows = self._database.execute(search, (" OR ".join(f'"{word}"' for word in words),))
        return {source.seq: _WEIGHT * score for place, score in rows for source in self._facts[place].sources}


def _searching(keys: FactKeys) -> type[VectorStoreRetrieverMemory]:
    class Searching(VectorStoreRetrieverMemory):
        async def _points(self, state: State, query: str) -> Mapping[int, float]:
            points = dict(keys.points(query))
            for seq, more in (await super()._points(state, query)).items():
                points[seq] = points.get(seq, 0.0) + more
            return points

    return Searching


def with_facts(
    transcripts: Sequence[Transcript],
    budgets: Sequence[int],
    counter: TextCounter,
    embedder: Counted,
    model: ModelOption = "offline",
) -> tuple[list[Found], int]:
    """What the memory finds with a graph's facts as keys, and how many facts there are."""
    found: list[Found] = []
    facts = 0
    for transcript in transcripts:
        keys = FactKeys(transcript, model)
        facts += len(keys)
        make = functools.partial(FedMemory, embedder=embedder, kind=_searching(keys))
        found += find(make, [transcript], budgets, counter, calls=lambda: embedder.calls)
    return found, facts


@app.command()
def retrieval_facts(
    transcript: Annotated[Path, typer.Argument(help="A file of conversations with questions.")] = LOCOMO,
    *,
    embedder: Annotated[str, typer.Option(help="none, hashing, minilm, or openai:MODEL.")] = "hashing",
    cache: Annotated[Path, typer.Option(help="Folder for embeddings.")] = Path("memzoo-minilm"),
    model: Annotated[str, typer.Option(help="Takes the facts: a model's name, or 'offline'.")] = "offline",
) -> None:
    """Measure what is found with the facts of a knowledge graph as further keys, and without."""
    conversations, counter, budgets = (
        load_transcripts(transcript),
        named_counter("o200k_base"),
        [250, 500, 1000, 2000, 4000],
    )
    chosen = Counted(embedder_named(embedder, cache))
    plain = find(memory_maker(chosen), conversations, budgets, counter, calls=lambda: chosen.calls)
    found, facts = with_facts(conversations, budgets, counter, chosen, model)
    caption = f"facts: {facts:,}, taken by the model {model!r}; embeddings: {embedder}; tokens by {counter.name}"
    Console(width=170).print(report({"memzoo": plain, "memzoo with facts as keys": found}, caption))


if __name__ == "__main__":
    app()
