"""Evidence recall at budgets of tokens."""

import functools
import itertools
import sys
from statistics import fmean
from typing import Any

import pytest

from memzoo.benchmarks import Exchange, Question, Transcript
from memzoo.benchmarks.measure.counting import TextCounter
from memzoo.benchmarks.research.retrieval_peers import PEERS
from memzoo.benchmarks.research.retrieving import Found, Make, OverBudgetError, Retriever, find, memory_maker
from memzoo.errors import MissingExtraError
from memzoo.memories import HashEmbedder
from memzoo.memories.models.hashing import hash_embedding


def embed(texts: list[str]) -> Any:
    """Texts hashed into vectors."""
    return hash_embedding(texts, 64)


class Shouting:
    """Shows more than it may."""

    def hear(self, exchange: Exchange) -> None:
        """See `Retriever.hear`."""

    def show(self, question: Question, budget: int) -> str:
        """See `Retriever.show`."""
        return "word " * (budget + 1)


def shouting(transcript: Transcript, counter: TextCounter) -> Shouting:
    """Takes in nothing."""
    return Shouting()


def told(make: Make, transcript: Transcript, words: TextCounter) -> Retriever:
    """What was made, when it has heard the conversation."""
    retriever = make(transcript, words)
    for exchange in transcript.exchanges:
        retriever.hear(exchange)
    return retriever


def peer(name: str) -> Make:
    """Makes one of the others."""
    return functools.partial(PEERS[name], embed=embed)


def recalls(found: list[Found]) -> list[float]:
    """The share of evidence shown for each question."""
    return [one.recall for one in found]


def test_the_memory_finds_what_was_said(transcript: Transcript, words: TextCounter) -> None:
    """With room for all of it, all evidence is shown; with room for one message, some of it."""
    found = find(memory_maker(HashEmbedder()), [transcript], [12, 1000], words)
    assert recalls([one for one in found if one.budget == 1000]) == [1.0, 1.0]
    assert 0 < fmean(recalls([one for one in found if one.budget == 12])) < 1
    assert all(one.tokens <= one.budget for one in found)


def test_dates_and_speakers_are_shown_and_paid_for(transcript: Transcript, words: TextCounter) -> None:
    """A message of five words costs its speaker and the date as well."""
    retriever = told(memory_maker(None), transcript, words)
    shown = retriever.show(transcript.measured[0], 9)
    assert shown == "2 March 2026:\nAnn: My cat is called Tom."
    assert retriever.show(transcript.measured[0], 8) != shown


def test_two_runs_agree(transcript: Transcript, words: TextCounter) -> None:
    """All but the time is the same."""
    runs = [find(memory_maker(None), [transcript], [12, 20], words, timer=lambda: 0.0) for _ in range(2)]
    assert runs[0] == runs[1]


def test_showing_too_much_ends_the_run(transcript: Transcript, words: TextCounter) -> None:
    """A view over its budget is an error that says by how much, not a figure."""
    with pytest.raises(OverBudgetError, match="6 tokens were shown at a budget of 5"):
        find(shouting, [transcript], [5], words)


class TestPeers:
    """Others under the same rule."""

    def test_words_find_the_exchange(self, transcript: Transcript, words: TextCounter) -> None:
        """BM25 shows the exchange with the words of the question first, as one."""
        shown = told(peer("BM25 over exchanges"), transcript, words).show(Question("my cat"), 18)
        assert shown == "2 March 2026:\nAnn: My cat is called Tom.\nBot: A fine name for a cat."

    def test_the_newest_come_first(self, transcript: Transcript, words: TextCounter) -> None:
        """Whatever is asked, the last exchange is shown."""
        assert "boat" in told(peer("last messages"), transcript, words).show(Question("my cat"), 18)

    def test_the_oracle_shows_evidence_alone(self, transcript: Transcript, words: TextCounter) -> None:
        """It knows the evidence, and shows nothing else."""
        shown = told(peer("oracle"), transcript, words).show(transcript.measured[0], 100)
        assert shown == "2 March 2026:\nAnn: My cat is called Tom."

    @pytest.mark.parametrize("library", ["langchain-classic", "LlamaIndex"])
    def test_libraries_show_dates_and_speakers_within_the_budget(
        self, library: str, transcript: Transcript, words: TextCounter
    ) -> None:
        """With room for all, all is shown; with little, whole exchanges that fit."""
        try:
            retriever = told(peer(library), transcript, words)
        except MissingExtraError as error:
            pytest.skip(str(error))
        shown = retriever.show(transcript.measured[0], 100)
        assert "2 March 2026" in shown
        assert shown.count("Ann: ") == shown.count("Bot: ") == 3
        assert "Ann: My cat is called Tom." in shown
        some = retriever.show(transcript.measured[0], 20)
        assert words(some) <= 20
        assert some.count("Ann: ") == some.count("Bot: ") == 1

    def test_a_library_that_is_missing_is_named(
        self, transcript: Transcript, words: TextCounter, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """An error says what is not installed, and the run goes on without it."""
        monkeypatch.setitem(sys.modules, "langchain_classic.memory", None)
        monkeypatch.setitem(sys.modules, "llama_index.core.memory", None)
        for library in ("langchain-classic", "LlamaIndex"):
            with pytest.raises(MissingExtraError, match="is not installed"):
                PEERS[library](transcript, words, embed)


def test_time_and_calls_are_told(transcript: Transcript, words: TextCounter) -> None:
    """Embeddings asked for to load and to save an exchange, and the time of both."""
    ticks = itertools.count()
    asked = itertools.count()
    found = find(
        memory_maker(None), [transcript], [20], words, timer=lambda: float(next(ticks)), calls=lambda: next(asked)
    )
    assert {(one.seconds, one.calls) for one in found} == {(1, 1)}
    assert [(one.save_seconds, one.save_calls) for one in found] == [pytest.approx((1 / 3, 1 / 3))] * len(found)
