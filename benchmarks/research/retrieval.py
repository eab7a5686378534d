"""How much of what an answer rests on a search shows: `python -m memzoo.benchmarks.research.retrieval`."""

import functools
import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from memzoo.benchmarks.measure.counting import TextCounter, named_counter
from memzoo.benchmarks.research.inputs import LOCOMO, REALMEM, conversations, limits_of, refusals
from memzoo.benchmarks.research.minilm import CachedMiniLM
from memzoo.benchmarks.research.retrieval_misses import misses_table, room_table
from memzoo.benchmarks.research.retrieval_paired import apart, intervals_table, mean_shown, paired_table, spread
from memzoo.benchmarks.research.retrieval_peers import PEERS
from memzoo.benchmarks.research.retrieval_picture import recall_curves
from memzoo.benchmarks.research.retrieval_showing import Embed
from memzoo.benchmarks.research.retrieving import ABLATIONS, Found, by_budget, by_category, figures, find, memory_maker
from memzoo.benchmarks.research.static_vectors import StaticVectors
from memzoo.benchmarks.research.tables import show, table
from memzoo.benchmarks.transcripts.conversations import Transcript
from memzoo.errors import MissingExtraError, OptionError
from memzoo.memories import Embedder, HashEmbedder, OpenAIEmbedder
from memzoo.memories.models.embedders import Embedded, as_embedder
from memzoo.memories.search.weights import Weights
from memzoo.sync import drive
from memzoo.types import Spent

__all__ = ["CACHE", "Counted", "app", "embedder_named", "measure_retrieval", "report"]

MEMORY = "memzoo"

CACHE = Path(tempfile.gettempdir()) / "memzoo-minilm"
_HASHING = "hashing"
_OPENAI = "openai:"

_SHARES: Mapping[str, Callable[[Found], float]] = {
    "whole": lambda one: one.recall,
    "covered": lambda one: one.covered,
    "sessions": lambda one: one.sessions,
}

app = typer.Typer(help="Evidence recall at budgets of tokens.")


class _Weightless:
    """Embeddings that weigh nothing."""

    name = "none"
    weight = 0.0

    async def embed(self, texts: Sequence[str]) -> Embedded:
        return Embedded([b"\0\0\x80\x3f"] * len(texts), Spent())


class Counted:
    """An embedder, and how often it was asked."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.name, self.weight = embedder.name, embedder.weight
        self.calls = 0

    async def embed(self, texts: Sequence[str]) -> Embedded:
        """See `Embedder.embed`."""
        self.calls += 1
        return await self._embedder.embed(texts)


def embedder_named(name: str, cache: Path) -> Embedder:
    """The embedder that a name on the command line stands for.

    Args:
        name: `none`, `hashing`, `minilm`, `static`, or `openai:` and a model.
        cache: Folder for embeddings that took long to compute.

    Raises:
        OptionError: It stands for none.
        MissingExtraError: It needs a package that is not installed.
    """
    makers: Mapping[str, Callable[[], Embedder]] = {
        "none": _Weightless,
        _HASHING: HashEmbedder,
        "minilm": lambda: as_embedder(CachedMiniLM(cache)),
        "static": lambda: as_embedder(StaticVectors()),
    }
    if name.startswith(_OPENAI):
        return OpenAIEmbedder(name.removeprefix(_OPENAI))
    if name not in makers:
        raise OptionError(f"--embedder must be {', '.join(makers)} or {_OPENAI}MODEL, not {name!r}")
    return makers[name]()


def measure_retrieval(
    transcripts: Sequence[Transcript],
    budgets: Sequence[int],
    *,
    counter: TextCounter,
    embedder: Embedder,
    peers: bool = False,
    ablation: bool = False,
) -> tuple[dict[str, list[Found]], dict[str, str]]:
    """What the memory, its peers and the memory without each of its parts find.

    Returns:
        What was found, by name, the memory first; and why peers did not run, by name.
    """
    found: dict[str, list[Found]] = {}
    missing: dict[str, str] = {}
    counted = Counted(embedder)
    search = functools.partial(
        find, transcripts=transcripts, budgets=budgets, counter=counter, calls=lambda: counted.calls
    )
    for part, weights in ABLATIONS.items() if ablation else [("nothing", Weights())]:
        name = MEMORY if part == "nothing" else f"{MEMORY} without {part}"
        found[name] = search(memory_maker(counted, weights))
    for name, make in PEERS.items() if peers else ():
        try:
            found[name] = search(functools.partial(make, embed=_function(counted)))
        except MissingExtraError as error:
            missing[name] = str(error)
    return found, missing


def report(found: Mapping[str, Sequence[Found]], title: str) -> str:
    """A table: recall, and in brackets the share of questions with all evidence, at each budget."""
    rows = [_row(name, all_of_it) for name, all_of_it in found.items()]
    first = found[next(iter(found))]
    at = by_budget(first)
    for label, value in _SHARES.items():
        means = (mean_shown([value(one) for one in some]) for some in at.values())
        rows.append([f"{MEMORY}: {label}", *means, "", "", ""])
    rows += [_row(f"{MEMORY}: {category}", some) for category, some in by_category(first).items()]
    heads = ["", *(f"{budget:,} tokens" for budget in at), "tokens shown", "ms CPU: load + save", "calls"]
    return table(heads, rows, title)


@app.command()
def retrieval(
    transcript: Annotated[
        Path, typer.Argument(help="A file of conversations with questions, 'locomo' or 'realmem'.")
    ] = LOCOMO,
    *,
    embedder: Annotated[str, typer.Option(help="none, hashing, minilm, static, or openai:MODEL.")] = _HASHING,
    budgets: Annotated[str, typer.Option(help="Tokens that may be shown.")] = "250,500,1000,2000,4000",
    out: Annotated[Path | None, typer.Option(help="A JSON file for all figures, but for times.")] = None,
    picture: Annotated[Path | None, typer.Option(help="An SVG file for the curves.")] = None,
    cache: Annotated[Path, typer.Option(help="Folder for embeddings.")] = CACHE,
    misses: Annotated[int | None, typer.Option(help="Also tell what was not found at this budget, by kind.")] = None,
    peers: Annotated[bool, typer.Option("--peers", help="Others beside the memory.")] = False,
    ablation: Annotated[bool, typer.Option("--ablation", help="The memory without each of its parts.")] = False,
) -> None:
    """Measure how much of what the answers rest on is shown, at each budget."""
    with refusals():
        limits = limits_of(f"{budgets},{misses}" if misses else budgets)
        talks = conversations({"locomo": LOCOMO, "realmem": REALMEM}.get(str(transcript), transcript))
        counter = named_counter("o200k_base")
        found, missing = measure_retrieval(
            talks,
            limits,
            counter=counter,
            embedder=embedder_named(embedder, cache),
            peers=peers,
            ablation=ablation,
        )
    parts = [report(found, _title(talks, embedder)), _caption(found, counter)]
    if len(found) > 1:
        parts += [intervals_table(found), paired_table(found)]
    if misses:
        parts += [misses_table(found[MEMORY], talks, misses), room_table(found[MEMORY], misses)]
    show(*parts, *(f"not run: {name} ({reason})" for name, reason in missing.items()))
    if out:
        out.write_text(json.dumps(_results(found, missing), indent=1) + "\n", encoding="utf-8")
    if picture:
        picture.write_text(recall_curves(_curves(found), f"embeddings: {embedder}"), encoding="utf-8", newline="\n")


def _function(embedder: Embedder) -> Embed:
    """An embedder as a function, for libraries that know no embedders of ours."""
    import numpy

    def embed(texts: list[str]) -> Any:
        return [numpy.frombuffer(vector, "<f4") for vector in drive(embedder.embed(texts)).vectors]

    return embed


def _row(name: str, found: Sequence[Found]) -> list[str]:
    at = [figures(some) for some in by_budget(found).values()]
    shares = [f"{one.recall:.3f} ({one.complete:.3f})" for one in at]
    means = figures(found)
    spent = f"{means.milliseconds:.1f} + {means.save_milliseconds:.1f}"
    calls = f"{means.calls:.0f} + {means.save_calls:.0f}"
    return [name, *shares, " ".join(f"{one.tokens:.0f}" for one in at), spent, calls]


def _title(talks: Sequence[Transcript], embedder: str) -> str:
    questions = sum(len(one.measured) for one in talks)
    return f"{questions} questions about {len(talks)} conversations; embeddings: {embedder}"


def _caption(found: Mapping[str, Sequence[Found]], counter: TextCounter) -> str:
    return (
        f"Evidence recall, in brackets the share of questions with all evidence; tokens by {counter.name}; "
        f"{sum(map(len, found.values()))} views were counted, 0 of them over their budget. Whole, covered, sessions: "
        "means of the first row and 95% intervals; covered: half of a long message will do; sessions: those with "
        "evidence of which anything was shown. Calls: how often embeddings were asked for, to load and to save an "
        "exchange; no model was asked."
    )


def _results(found: Mapping[str, Sequence[Found]], missing: Mapping[str, str]) -> dict[str, Any]:
    """All figures that two runs agree on."""
    rows: list[dict[str, Any]] = []
    for name, all_of_it in found.items():
        for category, some in {"all": all_of_it, **by_category(all_of_it)}.items():
            for budget, at in by_budget(some).items():
                means = asdict(figures(at))
                del means["milliseconds"], means["save_milliseconds"]
                first = [one for one in found[MEMORY] if category in ("all", one.category)]
                known = {"recall, low, high": spread(some, budget), f"{MEMORY} less it": apart(first, some, budget)}
                intervals = {key: [one.mean, one.low, one.high] for key, one in known.items() if one}
                rows.append({"name": name, "category": category, "budget": budget, **means, **intervals})
    return {"figures": rows, "not run": dict(missing)}


def _curves(found: Mapping[str, Sequence[Found]]) -> dict[str, dict[int, float]]:
    return {
        name: {budget: figures(at).recall for budget, at in by_budget(some).items()}
        for name, some in found.items()
        if " without " not in name
    }


if __name__ == "__main__":
    app()
