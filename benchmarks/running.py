"""Runs the command `memzoo compare`: transcripts in; a verdict, a table, results and a report out."""

import functools
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from rich.console import Console
from rich.progress import Progress, TimeElapsedColumn

from memzoo.benchmarks.comparing import OFFLINE, Comparison, compare, total_steps
from memzoo.benchmarks.measure.counting import APPROXIMATE
from memzoo.benchmarks.money import prices_of, read_prices
from memzoo.benchmarks.report.changes import changes, failing, thresholds
from memzoo.benchmarks.report.expecting import dry_run_table
from memzoo.benchmarks.report.writing import table
from memzoo.benchmarks.results import Results
from memzoo.benchmarks.transcripts import read_transcripts, sample_path
from memzoo.benchmarks.variants import Variant, chosen, parse_variant, read_config, variants_of
from memzoo.memories import ChatModel, Model
from memzoo.stores.errors import OptionError

__all__ = ["DEFAULT_BUDGETS", "DEFAULT_OUT", "ProgressLines", "Wanted", "run_comparison"]

DEFAULT_BUDGETS = (1000,)
"""In tokens."""

DEFAULT_OUT = "memzoo-compare"
"""The folder, below the current one."""

_LINE_EVERY = 10.0

_APPROXIMATED = (
    "Tokens: characters / 4, the default with the offline model; --token-counter o200k_base counts them exactly."
)


@dataclass(frozen=True)
class Wanted:
    """What the command was told; see its options.

    Attributes:
        transcripts: Files and folders; none for the bundled sample.
        memories: Names, with or without options.
        config: A TOML file with memories and prices.
        model: A model's name, or "offline".
        make_model: Makes the model of a name.
        check_model: Raises an `OptionError` for the name of one that cannot be asked.
        judge: A model's name; "" for none.
        budgets: In tokens.
        out: The folder for the results.
        price_in: Of a million tokens that any model is sent.
        price_out: Of a million tokens that any model writes.
        prices: A TOML file with prices by model.
        currency: Of the prices.
        per_month: The user's own number of exchanges.
        stop_at: The most that may be spent.
        dry_run: Ask no model of an endpoint: rules stand in for it.
        token_counter: By name; `None` for the one that fits the model.
        prompts: A folder of templates.
        jobs: How many processes.
        fail_under: Thresholds such as "recall=0.5".
        baseline: The results.json of another run.
    """

    transcripts: Sequence[Path] = ()
    memories: Sequence[str] = ()
    config: Path | None = None
    model: str = OFFLINE
    make_model: Callable[[str], Model] = ChatModel
    check_model: Callable[[str], object] = ChatModel
    judge: str = ""
    budgets: Sequence[int] = DEFAULT_BUDGETS
    out: Path = Path(DEFAULT_OUT)
    price_in: float = 0.0
    price_out: float = 0.0
    prices: Path | None = None
    currency: str = ""
    per_month: int | None = None
    stop_at: float | None = None
    dry_run: bool = False
    token_counter: str | None = None
    prompts: Path | None = None
    jobs: int = 1
    fail_under: Sequence[str] = field(default_factory=list[str])
    baseline: Path | None = None


def run_comparison(wanted: Wanted, console: Console) -> int:
    """Compare memories, show what came of it, and write the results.

    Returns:
        The exit code: 1 if a model failed, a limit was reached, or a threshold was missed; else 0.

    Raises:
        TranscriptError: A file cannot be understood.
        OptionError: A name or a value cannot work.
        TokenizerError: The chosen counter cannot be had.
    """
    configured = read_config(wanted.config) if wanted.config else {}
    variants = _variants(wanted, configured)
    limits = thresholds(wanted.fail_under)
    earlier = _earlier(wanted.baseline)
    counter = _counter(wanted, console)
    prices, currency = _prices(wanted, configured)
    if not wanted.dry_run:
        _check_models(wanted, variants)
    files = _sources(wanted.transcripts)
    run = functools.partial(
        compare,
        files,
        variants,
        model=OFFLINE if wanted.dry_run else wanted.model,
        make_model=_rules if wanted.dry_run else wanted.make_model,
        budgets=wanted.budgets,
        counter=counter,
        judge=None if wanted.dry_run else wanted.judge or None,
        prompts=wanted.prompts,
        prices=prices,
        currency=currency,
        per_month=wanted.per_month,
        stop_at=None if wanted.dry_run else wanted.stop_at,
        out=None if wanted.dry_run else wanted.out,
        jobs=wanted.jobs,
    )
    with _quiet_log(), _watching(files, [one.name for one in variants], console) as advance:
        found = run(progress=advance)
    return _shown(found, wanted, limits, earlier, console)


def _shown(
    found: Comparison,
    wanted: Wanted,
    limits: Mapping[str, float],
    earlier: Results | None,
    console: Console,
) -> int:
    if wanted.dry_run:
        judged = sum(bool(one.question.answer) for one in found.results.questions) if wanted.judge else 0
        console.print(dry_run_table(found, wanted.model, found.results.run.prices, judged), highlight=False)
        return 0
    console.print(table(found), highlight=False)
    for path in found.save(wanted.out):
        console.print(f"wrote {path}", markup=False, highlight=False)
    if earlier is not None:
        console.print("\n".join(changes(found.results, earlier)), markup=False, highlight=False)
    faults = failing(found.results, limits)
    if found.ended:
        faults.append(f"stopped: {found.ended}; what was finished is kept in {wanted.out}")
    for line in faults:
        console.print(line, style="red", markup=False, highlight=False)
    return int(bool(faults or found.results.failed))


def _sources(paths: Sequence[Path]) -> list[Any]:
    """Return what is read; standard input can be read only once, and is held."""
    if Path("-") in paths:
        return list(read_transcripts(paths))
    return list(paths) or [sample_path()]


def _variants(wanted: Wanted, configured: Mapping[str, Any]) -> list[Variant]:
    given = [parse_variant(one) for one in wanted.memories]
    return chosen([*given, *variants_of(configured, str(wanted.config))])


def _prices(wanted: Wanted, configured: Mapping[str, Any]) -> tuple[dict[str, tuple[float, float]] | None, str]:
    prices, currency = read_prices(wanted.prices) if wanted.prices else ({}, "")
    more, other = prices_of(configured.get("prices", {}), str(wanted.config))
    prices |= more
    if wanted.price_in or wanted.price_out:
        prices["*"] = (wanted.price_in, wanted.price_out)
    return prices or None, wanted.currency or currency or other


def _counter(wanted: Wanted, console: Console) -> str:
    if wanted.token_counter is None and wanted.model == OFFLINE:
        console.print(_APPROXIMATED, markup=False, highlight=False)
        return APPROXIMATE
    return wanted.token_counter or "o200k_base"


def _check_models(wanted: Wanted, variants: Sequence[Variant]) -> None:
    """Check each model that will be asked: a key that is missing is said before anything runs."""
    names = {one.model or wanted.model for one in variants if one.asks_model}
    for name in sorted(names | ({wanted.model, wanted.judge} if wanted.judge else set())):
        wanted.check_model(name)


def _rules(_name: str) -> Model:
    """Make what stands in for each model when none is to be asked."""
    return ChatModel(OFFLINE)


def _earlier(path: Path | None) -> Results | None:
    if path is None:
        return None
    try:
        return Results.model_validate_json(path.read_bytes())
    except OSError as error:
        raise OptionError(f"--baseline {path} cannot be read: {error.strerror}") from error
    except ValidationError as error:
        raise OptionError(f"--baseline {path} is no results.json of this version of memzoo compare") from error


@contextmanager
def _quiet_log() -> Iterator[None]:
    """Keep the log quiet: what fails is told once, in the table, not in lines between the progress bars."""
    logger = logging.getLogger("memzoo")
    silent = logging.NullHandler()
    passing = logger.propagate
    logger.addHandler(silent)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(silent)
        logger.propagate = passing


@contextmanager
def _watching(files: Sequence[Any], names: Sequence[str], console: Console) -> Iterator[Callable[[str, int], None]]:
    total = total_steps(files)
    if not console.is_terminal:
        yield ProgressLines(total, names, console)
        return
    with Progress(*Progress.get_default_columns(), TimeElapsedColumn(), console=console, transient=True) as bar:
        tasks = {name: bar.add_task(name, total=total, start=False) for name in names}

        def advance(name: str, steps: int) -> None:
            bar.start_task(tasks[name])
            bar.advance(tasks[name], steps)

        yield advance


class ProgressLines:
    """Shows progress where no bar can be drawn: a line now and then, and one for each memory that is done."""

    def __init__(
        self, total: int, names: Sequence[str], console: Console, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._total = max(total, 1)
        self._done = dict.fromkeys(names, 0)
        self._console = console
        self._clock = clock
        self._began = self._spoke = clock()

    def __call__(self, name: str, steps: int) -> None:
        """Take in that a memory took so many steps."""
        self._done[name] += steps
        now = self._clock()
        if self._done[name] < self._total and now - self._spoke < _LINE_EVERY:
            return
        self._spoke = now
        share = sum(min(done, self._total) for done in self._done.values()) / (self._total * len(self._done))
        left = (now - self._began) * (1 - share) / max(share, 1e-9)
        done = "done" if self._done[name] >= self._total else f"{self._done[name] / self._total:.0%}"
        self._console.print(
            f"{name}: {done}; {share:.0%} of all, about {left:,.0f} s left", markup=False, highlight=False
        )
