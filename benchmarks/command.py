"""The commands `memzoo compare` and `memzoo questions`."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from memzoo.cli.options import Asked, Counter, Workers, command, write, write_count
from memzoo.cli.terminal import Terminal, tell
from memzoo.errors import OptionError
from memzoo.strategy import token_counter

__all__ = ["compare", "questions"]

console, beside = Terminal(), Terminal(stderr=True)

OFFLINE = "offline"

_REMARKS = 20
_TRIED = (125, 250, 500, 1000, 2000, 4000)

_APPROXIMATED = (
    "Tokens are estimated, which is the default with the offline model; --token-counter o200k_base counts them exactly."
)

_DRAFTED = (
    "These conversations have no questions, so rules drafted some from what the user said. "
    "`memzoo questions FILE --out questions.yaml` writes them to a file for you to correct."
)


@dataclass(frozen=True)
class Inputs:
    """What is compared."""

    transcripts: Annotated[
        list[str] | None,
        typer.Argument(help="Files, folders or URLs with conversations, or - for standard input; by default --sample."),
    ] = None
    sample: Annotated[str, typer.Option(help="Which bundled conversation: en, or zh for the Chinese one.")] = "en"
    memories: Annotated[
        list[str] | None,
        typer.Option("--memory", help="A strategy, or name:option=value,...; can be repeated. By default all seven."),
    ] = None
    config: Annotated[Path | None, typer.Option(help="A TOML file with named memories, and with prices.")] = None


@dataclass(frozen=True)
class Measured:
    """How it is measured, and what becomes of the figures."""

    judge: Annotated[str, typer.Option(help="A model that judges the answers that --model gives.")] = ""
    budgets: Annotated[
        str,
        typer.Option(
            "--budget", help="Tokens that a memory may show, or a request may cost (500paid); several: 500,1000."
        ),
    ] = "1000"
    out: Annotated[
        str, typer.Option(help="Folder or URL for the results. An interrupted run continues from what is there.")
    ] = "memzoo-compare"
    price_in: Annotated[float, typer.Option(min=0, help="Price of a million input tokens.")] = 0.0
    price_out: Annotated[float, typer.Option(min=0, help="Price of a million output tokens.")] = 0.0
    price_cached: Annotated[
        float | None, typer.Option(min=0, help="Price of a million input tokens that the provider has cached.")
    ] = None
    cache: Annotated[str, typer.Option(help="Whose rules for cached prompts: openai, anthropic, deepseek or none.")] = (
        "openai"
    )
    system_tokens: Annotated[
        int, typer.Option(min=0, help="Tokens that stand before the memory in each request: instructions and tools.")
    ] = 0
    prices: Annotated[Path | None, typer.Option(help="A TOML file with the prices of models and embeddings.")] = None
    currency: Annotated[str, typer.Option(help="The currency of the prices, such as $.")] = ""
    per_month: Annotated[
        int | None, typer.Option(min=1, help="How many exchanges you have a month, to show what they cost.")
    ] = None
    stop_at: Annotated[float | None, typer.Option(min=0, help="Stop before spending more than this.")] = None
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count calls and tokens; ask no model.")] = False
    prompts: Annotated[Path | None, typer.Option(help="A folder with your own templates for --judge.")] = None
    no_questions: Annotated[
        bool, typer.Option("--no-questions", help="Do not draft questions for conversations that have none.")
    ] = False
    fail_under: Annotated[
        list[str] | None,
        typer.Option(help="Exit with 1 if no memory reaches this, such as recall=0.5; can be repeated."),
    ] = None
    baseline: Annotated[
        Path | None, typer.Option(help="The results.json of an earlier run; shows what has changed since.")
    ] = None


@command("Compare")
def compare(*, compared: Inputs, asked: Asked, measured: Measured, workers: Workers, counter: Counter = None) -> None:
    """Compare memories on conversations: what each remembers, what it costs, how slow it is."""
    try:
        code = _run(compared, asked, measured, workers, counter)
    except KeyboardInterrupt:
        kept = f"What is finished is kept in {measured.out}; run the same command again to continue."
        beside.print(f"\nInterrupted. {kept}", markup=False)
        code = 130  # as a shell tells that Ctrl-C ended a command
    raise typer.Exit(code)


def _run(compared: Inputs, asked: Asked, measured: Measured, workers: Workers, counter: str | None) -> int:
    from memzoo.benchmarks import comparing, money, running, survey, variants
    from memzoo.benchmarks.report import changes, expecting

    (budgets, paid), where = _read_budgets(measured.budgets), str(compared.config)
    configured = variants.read_config(compared.config) if compared.config else {}
    memories = variants.choose_variants([*(compared.memories or ()), *variants.variants_of(configured, where)])
    limits, earlier = changes.thresholds(measured.fail_under or ()), changes.earlier_results(measured.baseline)
    others = measured.price_in, measured.price_out
    prices, currency = money.prices_given(measured.prices, configured.get("prices", {}), where, others)
    dry = measured.dry_run
    if not dry:
        _check_models(asked, measured.judge, [one.model for one in memories if one.asks_model])
    files: survey.Source = running.sources(compared.transcripts or (), compared.sample)
    if drafts := None if measured.no_questions else survey.draft_missing(files):
        files = drafts
    looked = survey.Survey(survey.source_of(files))
    if earlier:
        changes.check_same(looked, earlier, measured.baseline)
    # What is wrong is told before this: in one line.
    if counter is None and asked.model == OFFLINE:
        beside.print(_APPROXIMATED, markup=False, highlight=False)
    if drafts:
        beside.print(_DRAFTED, markup=False, highlight=False)
    for remark in looked.remarks[:_REMARKS]:
        tell("[yellow]note:[/]", remark)
    if (more := len(looked.remarks) - _REMARKS) > 0:
        tell("[yellow]note:[/]", f"and {write_count(more, 'more question')}")
    if asked.model == OFFLINE and not dry:
        memories = comparing.beside_learnt(files, memories)
    names = [one.name for one in memories]
    with workers.open_executor() as executor, running.watch_progress(files, names, beside) as advance:
        found = comparing.compare(
            files,
            memories,
            model=OFFLINE if dry else asked.model,
            make_model=running.rules if dry else asked.make_named,
            budgets=budgets,
            counter=counter or token_counter(None, asked.model).chosen,
            judge=None if dry else measured.judge or None,
            prompts=measured.prompts,
            prices=prices,
            currency=measured.currency or currency,
            per_month=measured.per_month,
            stop_at=None if dry else measured.stop_at,
            out=None if dry else measured.out,
            executor=executor,
            progress=advance,
            learnt=not dry,
            cache=measured.cache,
            price_cached=measured.price_cached,
            system_tokens=measured.system_tokens,
            paid=paid,
            draft=False,
        )
    if dry:
        console.print(expecting.dry_run_table(found, asked.model, measured.judge), highlight=False)
        return 0
    return running.show_found(found, measured.out, (console, beside), limits, earlier)


def _check_models(asked: Asked, judge: str, named: Iterable[str | None]) -> None:
    """Check each model that will be asked: a key that is missing is said before anything runs."""
    for name in sorted({one or asked.model for one in named} | ({asked.model, judge} if judge else set())):
        asked.check(name)


@command("Compare")
def questions(
    *,
    transcripts: Annotated[list[str], typer.Argument(help="Files, folders or URLs with conversations.")],
    asked: Asked,
    count: Annotated[int, typer.Option(min=1, help="About how many questions for each conversation.")] = 20,
    out: Annotated[
        Path | None, typer.Option(help="The YAML file to write; without it, the questions are printed.")
    ] = None,
) -> None:
    """Draft questions about conversations that have none, for you to check and then compare with.

    Without --model, rules draft them: sentences of the user, with a gap for a name, a number, a date or a taste.
    """
    from memzoo.benchmarks.drafting import draft_questions

    model = None if asked.model == OFFLINE and not asked.base_url else asked.make_model()
    write(out, [draft_questions(transcripts, model, count)])
    if out:
        beside.print(f"wrote {out}: read and correct it, then run: memzoo compare {out}", markup=False, highlight=False)


def _read_budgets(text: str) -> tuple[list[int], list[int]]:
    """Read budgets: of tokens shown, and of tokens paid; where there are only such, several budgets are tried."""
    given = [one.strip().replace("_", "") for one in text.split(",")]
    paid = [one.removesuffix("paid") for one in given if one.endswith("paid")]
    try:
        shown, limits = [int(one) for one in given if not one.endswith("paid")], list(map(int, paid))
    except ValueError:
        shown, limits = [0], []
    if min([*shown, *limits]) < 1:
        raise OptionError(
            "--budget must be tokens, at least 1, such as 500, or 500paid for what a request may cost; several with "
            f"commas between them; not {text!r}"
        )
    return shown or list(_TRIED), limits
