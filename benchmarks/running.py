"""Runs the command `memzoo compare`: a transcript in; a table, results and a report out."""

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from memzoo.benchmarks.measure.comparing import Comparison, Prices, compare, total_steps
from memzoo.benchmarks.measure.counting import APPROXIMATE, TextCounter, named_counter
from memzoo.benchmarks.report.drawing import can_draw
from memzoo.benchmarks.report.reporting import table, write_report
from memzoo.benchmarks.scenarios import chosen
from memzoo.benchmarks.transcripts import Transcript, load_transcripts, sample_transcripts
from memzoo.stores.errors import OptionError

__all__ = ["DEFAULT_BUDGET", "DEFAULT_OUT", "run_comparison"]

DEFAULT_BUDGET = 1000
"""In tokens."""

DEFAULT_OUT = "memzoo-compare"
"""The folder, below the current one."""

_APPROXIMATED = (
    "Tokens: characters / 4, the default with the offline model; --token-counter o200k_base counts them exactly."
)


def run_comparison(
    transcript: Path | None,
    memories: Sequence[str],
    *,
    model: str,
    budget: int,
    out: Path,
    prices: Prices | None,
    token_counter: str | None,
    console: Console,
) -> Comparison:
    """Compare strategies, show the table, and write the figures as JSON and, if matplotlib is there, a report.

    Args:
        transcript: A file in one of the formats of `load_transcripts`; `None` for the bundled sample.
        memories: Names of strategies; none at all stands for all.
        model: A model's name, or `"offline"`.
        budget: Tokens that may be shown.
        out: The folder to write to; made if it is not there.
        prices: Of a million tokens: input, output.
        token_counter: As for `named_counter`; by default `"approximate"` for the offline model, so that a first run
            needs no network, and tiktoken's `"o200k_base"` for any other.
        console: Where all is shown.

    Raises:
        TranscriptError: The file cannot be understood.
        OptionError: A name or a value cannot work.
        TokenizerError: The chosen counter cannot be had.
    """
    pictures = can_draw()
    if not pictures:
        console.print("There will be no report.html: it needs matplotlib (pip install 'memzoo[report]').", markup=False)
    names = [scenario.name for scenario in chosen(memories)]
    conversations = sample_transcripts() if transcript is None else load_transcripts(transcript)
    counter = _counter(token_counter, model, console)
    _make(out)
    comparison = _watched(
        conversations, names, model=model, budget=budget, counter=counter, prices=prices, console=console
    )
    console.print(table(comparison))
    for path in write_report(comparison, out, page_too=pictures):
        console.print(f"wrote {path}", markup=False, highlight=False)
    return comparison


def _counter(name: str | None, model: str, console: Console) -> TextCounter:
    if name is None and model == "offline":
        console.print(_APPROXIMATED, markup=False, highlight=False)
        return named_counter(APPROXIMATE)
    return named_counter(name or "o200k_base")


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OptionError(f"the results cannot be written to {str(folder)!r}: {error}") from error


def _watched(
    conversations: Sequence[Transcript],
    names: Sequence[str],
    *,
    model: str,
    budget: int,
    counter: TextCounter,
    prices: Prices | None,
    console: Console,
) -> Comparison:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        tasks = {name: bar.add_task(name, total=total_steps(conversations), start=False) for name in names}

        def advance(name: str, steps: int) -> None:
            bar.start_task(tasks[name])
            bar.advance(tasks[name], steps)

        return compare(
            conversations, names, model=model, budget=budget, counter=counter, prices=prices, progress=advance
        )
