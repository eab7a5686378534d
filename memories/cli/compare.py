"""The commands `memzoo compare` and `memzoo questions`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from memzoo.memories.cli.options import Asked, Counter, write
from memzoo.memories.cli.terminal import Terminal
from memzoo.stores.errors import OptionError

__all__ = ["compare", "questions"]

console = Terminal()


@dataclass(frozen=True)
class Compared:
    """What is compared. Its attributes are those of `memzoo.benchmarks.running.Wanted`."""

    transcripts: Annotated[
        list[Path] | None,
        typer.Argument(help="Files and folders with conversations, - for standard input; else a bundled sample."),
    ] = None
    memories: Annotated[
        list[str] | None,
        typer.Option("--memory", help="A strategy, or name:option=value,...; repeat it. All seven by default."),
    ] = None
    config: Annotated[Path | None, typer.Option(help="A TOML file with memories by name, and prices.")] = None


@dataclass(frozen=True)
class Measured:
    """How it is measured, and what becomes of the figures. Its attributes are those of `Wanted`, too."""

    judge: Annotated[str, typer.Option(help="A model that marks the answers that --model gives.")] = ""
    budgets: Annotated[str, typer.Option("--budget", help="Tokens that a memory may show; several with commas.")] = (
        "1000"
    )
    out: Annotated[Path, typer.Option(help="Folder for the results; a run that was interrupted goes on there.")] = Path(
        "memzoo-compare"
    )
    price_in: Annotated[float, typer.Option(min=0, help="Price of a million tokens that a model is sent.")] = 0.0
    price_out: Annotated[float, typer.Option(min=0, help="Price of a million tokens that a model writes.")] = 0.0
    prices: Annotated[Path | None, typer.Option(help="A TOML file with prices by model, and of embeddings.")] = None
    currency: Annotated[str, typer.Option(help="Of the prices, such as $.")] = ""
    per_month: Annotated[int | None, typer.Option(min=1, help="Your exchanges a month, for their cost.")] = None
    stop_at: Annotated[float | None, typer.Option(min=0, help="End before more than this is spent.")] = None
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count calls and tokens; ask no model.")] = False
    prompts: Annotated[Path | None, typer.Option(help="A folder with templates of your own for --judge.")] = None
    jobs: Annotated[int, typer.Option(min=1, help="Processes.")] = 1
    fail_under: Annotated[
        list[str] | None, typer.Option(help="End with 1 if no memory reaches it, such as recall=0.5; repeat it.")
    ] = None
    baseline: Annotated[Path | None, typer.Option(help="The results.json of an earlier run: shows changes.")] = None


def compare(*, compared: Compared, asked: Asked, measured: Measured, counter: Counter = None) -> None:
    """Compare memories on conversations: what each remembers, what it costs, how slow it is."""
    from memzoo.benchmarks.running import Wanted, run_comparison

    given = {name: value for name, value in (vars(compared) | vars(measured)).items() if value is not None}
    given |= {"budgets": _budgets(measured.budgets), "token_counter": counter}
    wanted = Wanted(model=asked.model, make_model=asked.named, check_model=asked.check, **given)
    try:
        code = run_comparison(wanted, console)
    except KeyboardInterrupt:
        kept = f"What is finished is kept in {measured.out}; the same command goes on from there."
        console.print(f"\nEnded by hand. {kept}", markup=False)
        code = 130  # as a shell tells that Ctrl-C ended a command
    raise typer.Exit(code)


def questions(
    *,
    transcript: Annotated[Path, typer.Argument(help="A file with one conversation.")],
    asked: Asked,
    count: Annotated[int, typer.Option(min=1, help="How many questions, about.")] = 20,
    out: Annotated[Path | None, typer.Option(help="A YAML file to write; otherwise it is printed.")] = None,
) -> None:
    """Draft questions with evidence about a conversation that has none, for you to check and to compare with."""
    from memzoo.benchmarks.drafting import drafted

    if asked.model == "offline" and not asked.base_url:
        raise OptionError("the offline model cannot write questions: name another with --model")
    write(out, [drafted(transcript, asked.made(), count)])
    if out:
        console.print(f"wrote {out}: read it, correct it, then: memzoo compare {out}", markup=False, highlight=False)


def _budgets(text: str) -> list[int]:
    try:
        found = [int(one.replace("_", "")) for one in text.split(",")]
    except ValueError:
        found = [0]
    if min(found) < 1:
        raise OptionError(f"--budget must be tokens, at least 1, several with commas between them; not {text!r}")
    return found
