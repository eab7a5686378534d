"""The command `memzoo compare`."""

import functools
import importlib.util
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

from memzoo.benchmarks import comparing, inputs, money, variants
from memzoo.benchmarks.contenders import environments
from memzoo.benchmarks.contenders.known import adapters
from memzoo.benchmarks.drafting import draft_questions
from memzoo.benchmarks.measure.caching import CacheName
from memzoo.benchmarks.measure.settings import Settings
from memzoo.benchmarks.progress import watch_progress
from memzoo.benchmarks.report import changes, dry_run
from memzoo.benchmarks.report.writing import table
from memzoo.benchmarks.results import OFFLINE, Results
from memzoo.cli.options import Asked, Workers, command, write, write_count
from memzoo.cli.terminal import Terminal, progress_bars, row, tell
from memzoo.errors import MissingExtraError, OptionError
from memzoo.hosts.exports.forms import known_forms
from memzoo.hosts.exports.options import HELP
from memzoo.memories import STRATEGIES, ChatModel, Model
from memzoo.memories.text.tokens import token_counter

console, beside = Terminal(), Terminal(stderr=True)

_REMARKS = 20
_LONGEST = 20
_NUMBER = r"(\d++\.?+\d*+|\.\d++)"
_PRICES = re.compile(rf"([^\d.,/\\=-]*+){_NUMBER},{_NUMBER}(?:,{_NUMBER})?")
_MONTHS = "January February March April May June July August September October November December".split()
_BEFORE_YEAR = "|".join(
    f"(?<={before})"
    for before in (
        *(r"\b\d[-/.]", r"\b\d\d[-/.]", r"[^\W\d_] \d, ", r"[^\W\d_] \d\d, "),
        *(rf"\d{mark} [^\W\d_]{{{length}}} " for mark in ("", r"\.") for length in range(3, 11)),
        *(rf"\b{name} " for month in _MONTHS for name in {month, month[:3]}),
    )
)
"""The text before the year of a date, by its length: a look behind in an expression needs a fixed one."""
_PERSONAL = {
    "email": r"[^\s@<>()]+@[^\s@<>()]+\.\w+",
    # With +, 0 or an area code in front, or of ten digits and more: dates, years and most amounts are none.
    "phone": r"(?<![A-Za-z0-9_.,/-])(?!\d{1,2}([-/])\d{1,2}\1\d{2,4})"
    r"(?:\+\d[\d ()/-]{5,}\d|\(?0\d[\d ()/-]{5,}\d|\(?\d{3}[)-] ?\d{3}[- ]\d{4}|\d{10,13})(?![A-Za-z0-9_-])",
    # Years stay in dates such as 2026-05-12, 12/05/2026, 12 May 2026, 12. Mai 2026, May 12, 2026 and May 2026.
    "number": rf"(?<!\d)(?!(?:19|20)\d\d(?:[-/.]\d\d?(?!\d)|年)|(?:{_BEFORE_YEAR})(?:19|20)\d\d(?!\d))\d{{4,}}",
    "link": r"https?://\S+",
}
_TRIED = (125, 250, 500, 1000, 2000, 4000)

_APPROXIMATED = (
    "Tokens are estimated, which is the default with the offline model; --token-counter o200k_base counts them exactly."
)

_DRAFTED = (
    "These conversations have no questions, so rules drafted some from the user's words. "
    "--write-questions FILE writes them to a file for you to correct."
)


@dataclass(frozen=True)
class Inputs:
    """The options for the conversations and memories to compare."""

    transcripts: Annotated[
        list[str] | None,
        typer.Argument(
            help="Files, folders or URLs with conversations, - for standard input, or sample:en (the default), "
            f"sample:zh and sample:survival, the bundled conversations. {HELP}"
        ),
    ] = None
    memories: Annotated[
        list[str] | None,
        typer.Option("--memory", help="A strategy, or name:option=value,...; can be repeated. By default all seven."),
    ] = None
    contenders: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            help="Memories of other libraries, with commas between them: a name that --contenders lists, or "
            "the path of an adapter.py; can be repeated.",
        ),
    ] = None
    install: Annotated[
        bool, typer.Option("--install", help="Create the missing environments for --with, using venv and pip.")
    ] = False
    config: Annotated[Path | None, typer.Option(help="A TOML file with named memories, and with prices.")] = None
    redact: Annotated[
        list[str] | None,
        typer.Option(
            help=f"In all input, replace {', '.join(_PERSONAL)}, or matches of NAME=PATTERN, with the name; can be "
            "repeated."
        ),
    ] = None
    formats: Annotated[
        bool, typer.Option("--formats", help="Only list the file formats that are recognised, and how to get them.")
    ] = False
    ways: Annotated[
        bool, typer.Option("--contenders", help="Only list the memories of other libraries that --with can name.")
    ] = False


@dataclass(frozen=True)
class Measured:
    """The options for measuring, and for the output."""

    judge: Annotated[str, typer.Option(help="A model that judges the answers that --model gives.")] = ""
    budgets: Annotated[
        str,
        typer.Option(
            "--budget", help="Token limit for a view, or for the price of a request (500paid); several: 500,1000."
        ),
    ] = "1000"
    counter: Annotated[
        str | None,
        typer.Option(
            "--token-counter",
            help="Token counter: a model or encoding that tiktoken knows, or 'approximate' for an estimate. The "
            "default is the model's own tokenizer if tiktoken knows it, otherwise the estimate.",
        ),
    ] = None
    out: Annotated[
        str, typer.Option(help="Folder or URL for the results. Run again to continue an interrupted run.")
    ] = "memzoo-compare"
    prices: Annotated[
        str,
        typer.Option(
            help="Per million tokens: input,output or input,output,cached, such as 0.15,0.60 or, in quotes, "
            "'$0.15,0.60'; or a TOML file."
        ),
    ] = ""
    cache: Annotated[CacheName, typer.Option(help="The provider whose rules for cached prompts apply.")] = "openai"
    system_tokens: Annotated[
        int, typer.Option(min=0, help="Tokens before the memory in each request: instructions and tools.")
    ] = 0
    stop_at: Annotated[float | None, typer.Option(min=0, help="Stop before spending more than this.")] = None
    survival: Annotated[
        bool,
        typer.Option(
            "--survival",
            help="Ask about each marked line, early, late and at the end; by default in sample:survival.",
        ),
    ] = False
    relearn: Annotated[
        int, typer.Option(min=0, help="With --survival, learn everything anew this many times, and ask again.")
    ] = 0
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count calls and tokens, without asking a model.")] = (
        False
    )
    write_questions: Annotated[
        Path | None,
        typer.Option(
            help="Only draft questions about the conversations, and write them to this YAML file, for you to correct."
        ),
    ] = None
    fail_under: Annotated[
        list[str] | None,
        typer.Option(help="Exit with 1 if no memory reaches this, such as recall=0.5; can be repeated."),
    ] = None
    baseline: Annotated[
        Path | None, typer.Option(help="The results.json of an earlier run; shows all changes since.")
    ] = None


@command("Compare")
def compare(*, compared: Inputs, asked: Asked, measured: Measured, workers: Workers) -> None:
    """Compare the recall, cost and speed of memories on conversations.

    If no conversation has questions, at most 20 conversations are compared: the longest.
    FILE:last=20 takes the newest instead.

    With --write-questions, --model drafts the questions. By default, rules draft them: each question is a sentence by
    the user, with a gap in place of a name, a number, a date or a preference.
    """
    if compared.formats:
        for form in known_forms():
            row(form.name, "not read" if isinstance(form.read, str) else "read", form.known, form.get)
        return
    if compared.ways:
        for adapter in adapters().values():
            state = "ready" if environments.is_installed(adapter) else "not installed"
            for name, way in adapter.ways.items():
                row(f"{adapter.name}/{name}", state, " ".join(adapter.requires), way.about)
        return
    files = inputs.Files(
        compared.transcripts or (["sample:survival"] if measured.survival else ()),
        longest=_LONGEST,
        redact=_read_patterns(compared.redact or ()),
    )
    try:
        if measured.write_questions:
            code = _write_questions(measured.write_questions, files, asked)
        else:
            code = _run(files, compared, asked, measured, workers)
    except KeyboardInterrupt:
        kept = f"Finished work is kept in {measured.out}; run the same command again to continue."
        beside.print(f"\nInterrupted. {kept}", markup=False)
        code = 130  # the exit code of a command that Ctrl-C ended
    raise typer.Exit(code)


def _run(files: inputs.Files, compared: Inputs, asked: Asked, measured: Measured, workers: Workers) -> int:
    (budgets, paid), where = _read_budgets(measured.budgets), str(compared.config)
    configured = variants.read_config(compared.config) if compared.config else {}
    named = [name for given in compared.contenders or () for name in ([given] if ":" in given else given.split(","))]
    beside_ours = [one for name in named for one in variants.contender_variants(name)]
    needed = {one.contender.file: one.contender for one in beside_ours if one.contender and compared.install}
    for adapter in needed.values():
        environments.install(adapter, lambda said: beside.print(said, markup=False, highlight=False))
    own = [*(compared.memories or ()), *variants.variants_of(configured, where)]
    memories = variants.choose_variants([*(own or STRATEGIES), *beside_ours])
    limits = changes.thresholds(measured.fail_under or (), survival=measured.survival)
    earlier = changes.earlier_results(measured.baseline)
    file, others, price_cached, currency = _read_prices(measured.prices)
    prices, told = money.prices_given(file, configured.get("prices", {}), where, others)
    money.check_prices(prices, filter(None, [asked.model, measured.judge]))
    dry = measured.dry_run
    settings = Settings(
        model=OFFLINE if dry else asked.model,
        make_model=_rules if dry else asked.make_named,
        budgets=budgets,
        counter=measured.counter or token_counter(None, asked.model).chosen,
        judge=None if dry else measured.judge or None,
        prices=prices,
        currency=currency or told,
        stop_at=None if dry else measured.stop_at,
        learnt=not dry,
        cache=measured.cache,
        price_cached=price_cached,
        system_tokens=measured.system_tokens,
        paid=paid,
        draft=False,
        survival=measured.survival,
        relearn=measured.relearn,
    )
    if not dry:
        _check_models(asked, measured.judge, [one.model for one in memories if one.asks_model])
    counting = progress_bars(SpinnerColumn(), TextColumn("{task.completed} conversations read"), TimeElapsedColumn())
    with counting:
        files.advance = functools.partial(counting.advance, counting.add_task("", total=None))
        drafts = inputs.draft_missing(files)
        talks = drafts or files
        looked = inputs.Survey(talks)
    if earlier:
        changes.check_same(looked, earlier, measured.baseline, survival=measured.survival)
    # Nothing is printed before all input is checked, so that an error is the only line.
    if measured.counter is None and asked.model == OFFLINE:
        beside.print(_APPROXIMATED, markup=False, highlight=False)
    if drafts:
        beside.print(_DRAFTED, markup=False, highlight=False)
    _tell_of_files(files)
    for remark in looked.remarks[:_REMARKS]:
        tell("[yellow]note:[/]", remark)
    if (more := len(looked.remarks) - _REMARKS) > 0:
        tell("[yellow]note:[/]", f"and {write_count(more, 'more note')}")
    if asked.model == OFFLINE and not dry:
        memories = comparing.beside_learnt(talks, memories)
    names = [one.name for one in memories]
    with workers.open_executor(asked) as executor, watch_progress(talks, names, beside) as advance:
        found = comparing.compare(
            talks,
            memories,
            settings,
            out=None if dry else measured.out,
            executor=executor,
            progress=advance,
        )
    if dry:
        console.print(dry_run.dry_run_table(found, asked.model, measured.judge), highlight=False)
        return int(bool(files.unread))
    return show_found(found, measured.out, (console, beside), limits, earlier) or int(bool(files.unread))


def _rules(_name: str) -> Model:
    """Return the offline model, which replaces every model in a dry run."""
    return ChatModel(OFFLINE)


def show_found(
    found: comparing.Comparison,
    out: str | Path,
    consoles: tuple[Console, Console],
    limits: Mapping[str, float] | None = None,
    earlier: Results | None = None,
) -> int:
    """Print the results of a comparison, and write its files.

    Args:
        found: The comparison.
        out: The folder or URL for the files.
        consoles: The console for the results, and the console for everything else.
        limits: The thresholds: a dict from a figure, such as "recall", to the share that the best memory must reach.
        earlier: Results of an earlier run to compare with.

    Returns:
        The exit code: 1 if a model failed, the spending limit was reached, or even the best memory missed a threshold;
        else 0.
    """
    console, beside = consoles
    console.print(table(found), highlight=False)
    for path in found.save(out):
        beside.print(f"wrote {path}", markup=False, highlight=False)
    if earlier is not None:
        console.print("\n".join(changes.changes(found.results, earlier)), markup=False, highlight=False)
    faults = changes.list_missed(found.results, limits or {})
    if found.ended:
        faults.append(f"stopped: {found.ended}; finished work is kept in {out}")
    for line in faults:
        beside.print(line, style="red", markup=False, highlight=False)
    return int(bool(faults or found.results.failed))


def _check_models(asked: Asked, judge: str, named: Iterable[str | None]) -> None:
    """Check each model that will be asked, so that a missing key is reported before anything runs."""
    for name in sorted({one or asked.model for one in named} | ({asked.model, judge} if judge else set())):
        asked.check(name)


def _write_questions(file: Path, files: inputs.Files, asked: Asked) -> int:
    if file.suffix.lower() not in (".yaml", ".yml"):  # by which `compare` knows it
        raise OptionError(f"--write-questions writes YAML: give {file.with_suffix('.yaml')}")
    if file.exists():
        raise OptionError(f"{file} exists, perhaps with your corrections; give the name of a new file")
    model = None if asked.is_rules else asked.make_model()
    transcripts = list(files())
    write(file, [draft_questions(transcripts, model)])
    for one in transcripts:
        for note in one.notes:
            tell("[yellow]note:[/]", f"{one.title}: {note}")
    _tell_of_files(files)
    beside.print(f"wrote {file}: read and correct it, then run: memzoo compare {file}", markup=False, highlight=False)
    if file.suffix.lower() in (".yaml", ".yml") and importlib.util.find_spec("yaml") is None:
        beside.print(f"{MissingExtraError.of('Reading YAML', 'replay')}", markup=False, highlight=False)
    return int(bool(files.unread))


def _tell_of_files(files: inputs.Files) -> None:
    for note in filter(None, (files.taken, files.repeated)):
        tell("[yellow]note:[/]", note)
    for error in files.unread:
        tell("[bold red]not read:[/]", error)


def _read_patterns(given: Iterable[str]) -> dict[str, str] | None:
    patterns: dict[str, str] = {}
    for one in given:
        name, _, pattern = one.partition("=")
        if not pattern and name not in _PERSONAL:
            raise OptionError(f"--redact must be one of {', '.join(_PERSONAL)}, or NAME=PATTERN, not {one!r}")
        patterns[name] = pattern or _PERSONAL[name]
    return patterns or None


def _read_prices(text: str) -> tuple[Path | None, tuple[float, float], float | None, str]:
    """Parse `--prices`: return a file, or else the prices of input and output, of cached input, and the currency."""
    given = _PRICES.fullmatch(text)
    if not given:
        if text and not Path(text).exists():
            raise OptionError(f"--prices {text!r} is neither prices, such as 0.15,0.60, nor an existing TOML file")
        return Path(text) if text else None, (0.0, 0.0), None, ""
    currency, sent, received, cached = given.groups()
    if currency.endswith("sh") and sent.startswith("."):  # $0 is the shell's name
        raise OptionError(f"--prices is {text!r}: put a price with $ in quotes, such as '$0.15,0.60'")
    return None, (float(sent), float(received)), float(cached) if cached else None, currency


def _read_budgets(text: str) -> tuple[list[int], list[int]]:
    """Parse `--budget`: return the budgets of shown tokens, and the limits of paid tokens.

    If the text has only limits of paid tokens, a default list of budgets is tried.
    """
    given = [one.strip().replace("_", "") for one in text.split(",")]
    paid = [one.removesuffix("paid") for one in given if one.endswith("paid")]
    try:
        shown, limits = [int(one) for one in given if not one.endswith("paid")], list(map(int, paid))
    except ValueError:
        shown, limits = [0], []
    if min([*shown, *limits]) < 1:
        raise OptionError(
            f"--budget must be one or more numbers of tokens from 1, such as 500 or 500,1000, not {text!r}; 500paid "
            "limits the price of a request instead"
        )
    return shown or list(_TRIED), limits
