"""Measures the share of evidence that a search shows: `python -m memzoo.benchmarks.research retrieval`."""

import functools
import tempfile
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any, TypeVar

import typer

from memzoo.benchmarks.measure.counting import TextCounter, named_counter
from memzoo.benchmarks.measure.statistics import difference
from memzoo.benchmarks.research.inputs import LOCOMO, REALMEM, conversations, limits_of, refusals
from memzoo.benchmarks.research.minilm import CachedMiniLM
from memzoo.benchmarks.research.retrieval_peers import PEERS
from memzoo.benchmarks.research.retrieving import Found, find, memory_maker
from memzoo.benchmarks.research.tables import mean_shown, show, table
from memzoo.benchmarks.transcripts.conversations import Transcript
from memzoo.errors import MissingExtraError, OptionError
from memzoo.memories import Embedder, HashEmbedder
from memzoo.memories.models.embedders import Embedded, as_embedder
from memzoo.sync import drive
from memzoo.types import Spent

_MEMORY = "memzoo"
_CACHE = Path(tempfile.gettempdir()) / "memzoo-minilm"
_Key = TypeVar("_Key", bound=Hashable)


class _Weightless:
    """An embedder whose embeddings do not count in a search."""

    name = "none"
    weight = 0.0

    async def embed(self, texts: Sequence[str]) -> Embedded:
        return Embedded([b"\0\0\x80\x3f"] * len(texts), Spent())


class _Counted:
    """An embedder that counts its calls."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.name, self.weight = embedder.name, embedder.weight
        self.calls = 0

    async def embed(self, texts: Sequence[str]) -> Embedded:
        self.calls += 1
        return await self._embedder.embed(texts)

    def rows(self, texts: list[str]) -> Any:
        """Return a vector for each text, as other libraries expect of an embedding function."""
        import numpy

        return [numpy.frombuffer(vector, "<f4") for vector in drive(self.embed(texts)).vectors]


def embedder_named(name: str, cache: Path) -> Embedder:
    """Return the embedder with this name: `none`, `hashing` or `minilm`. For `minilm`, embeddings are kept in `cache`.

    Raises:
        OptionError: The name is unknown.
        MissingExtraError: The embedder needs a package that is not installed.
    """
    makers: Mapping[str, Callable[[], Embedder]] = {
        "none": _Weightless,
        "hashing": HashEmbedder,
        "minilm": lambda: as_embedder(CachedMiniLM(cache)),
    }
    if name not in makers:
        raise OptionError(f"--embedder must be one of {', '.join(makers)}, not {name!r}")
    return makers[name]()


def retrieval(
    transcript: Annotated[
        Path, typer.Argument(help="A file of conversations with questions, 'locomo' or 'realmem'.")
    ] = LOCOMO,
    *,
    embedder: Annotated[str, typer.Option(help="none, hashing or minilm.")] = "none",
    budgets: Annotated[str, typer.Option(help="Tokens that may be shown.")] = "250,500,1000,2000,4000",
    cache: Annotated[Path, typer.Option(help="Folder for embeddings.")] = _CACHE,
    peers: Annotated[bool, typer.Option("--peers", help="Others beside the memory.")] = False,
) -> None:
    """Measure the share of evidence that searches show for questions, at each budget."""
    with refusals():
        limits = limits_of(budgets)
        talks = conversations({"locomo": LOCOMO, "realmem": REALMEM}.get(str(transcript), transcript))
        counter, counted = named_counter("o200k_base"), _Counted(embedder_named(embedder, cache))
        search = functools.partial(
            find, transcripts=talks, budgets=limits, counter=counter, calls=lambda: counted.calls
        )
        found, missing = {_MEMORY: search(memory_maker(counted))}, list[str]()
        for name, make in PEERS.items() if peers else ():
            try:
                found[name] = search(functools.partial(make, embed=counted.rows))
            except MissingExtraError as error:
                missing.append(f"not run: {name} ({error})")
    show(*_report(found, talks, embedder, counter), *missing)


def _report(
    found: Mapping[str, Sequence[Found]], talks: Sequence[Transcript], embedder: str, counter: TextCounter
) -> list[str]:
    """Return the tables: recall at each budget, the intervals of recall, and differences from other libraries."""
    first, *others = found
    budgets = [f"{budget:,} tokens" for budget in _grouped(found[first], lambda one: one.budget)]
    rows = [_row(name, some) for name, some in found.items()]
    kinds = _grouped(found[first], lambda one: one.category)
    rows += [_row(f"{first}: {kind}", some) for kind, some in kinds.items()]
    questions = sum(len(one.measured) for one in talks)
    title = f"{questions} questions about {len(talks)} conversations; embeddings: {embedder}"
    means = [[name, *(mean_shown(one) for one in _recalls(some))] for name, some in found.items()]
    caption = (
        f"Evidence recall, in brackets the share of questions with all evidence; tokens by {counter.name}; "
        f"{sum(map(len, found.values()))} views were counted, 0 of them over their budget. Calls: how often embeddings "
        "were asked for, to load and to save an exchange; no model was asked."
    )
    parts = [
        table(["", *budgets, "tokens shown", "ms CPU: load + save", "calls"], rows, title),
        caption,
        table(["", *budgets], means, "Recall with its 95% interval"),
    ]
    if others:
        less = [[name, *_differences(found[first], found[name])] for name in others]
        title = f"{first}'s recall less that of each of the others, question by question: mean and 95% interval"
        parts.append(table(["", *budgets], less, title))
    return parts


def _row(name: str, found: Sequence[Found]) -> list[str]:
    at = _grouped(found, lambda one: one.budget).values()
    return [
        name,
        *(f"{fmean(one.recall for one in some):.3f} ({fmean(one.recall == 1 for one in some):.3f})" for some in at),
        " ".join(f"{fmean(one.tokens for one in some):.0f}" for some in at),
        f"{1000 * fmean(one.seconds for one in found):.1f} + {1000 * fmean(one.save_seconds for one in found):.1f}",
        f"{fmean(one.calls for one in found):.0f} + {fmean(one.save_calls for one in found):.0f}",
    ]


def _recalls(found: Sequence[Found]) -> list[list[float]]:
    """Return for each budget the recall of each question."""
    return [[one.recall for one in some] for some in _grouped(found, lambda one: one.budget).values()]


def _differences(found: Sequence[Found], other: Sequence[Found]) -> list[str]:
    pairs = zip(_recalls(found), _recalls(other), strict=True)
    known = [difference(dict(enumerate(one)), dict(enumerate(two))) for one, two in pairs]
    return [f"{one.mean:+.3f} ({one.low:+.3f} to {one.high:+.3f})" if one else "" for one in known]


def _grouped(found: Sequence[Found], key: Callable[[Found], _Key]) -> dict[_Key, list[Found]]:
    groups: dict[Any, list[Found]] = {}
    for one in found:
        groups.setdefault(key(one), []).append(one)
    return dict(sorted(groups.items()))
