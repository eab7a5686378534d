"""All measurements that the documentation quotes: `python -m memzoo.benchmarks.research --help` lists them.

Without a command, it compares all strategies on the bundled conversation and counts what eight names in an exchange
cost the entity memory.
"""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from memzoo.benchmarks import Settings
from memzoo.benchmarks.command import show_found
from memzoo.benchmarks.comparing import OFFLINE, compare
from memzoo.benchmarks.measure.counting import named_counter
from memzoo.benchmarks.report.charts import course_chart
from memzoo.benchmarks.report.tabulating import counter_note
from memzoo.benchmarks.research.agreement import agreement
from memzoo.benchmarks.research.batch_cost import batch_cost
from memzoo.benchmarks.research.cache import cache
from memzoo.benchmarks.research.drafts import drafts
from memzoo.benchmarks.research.entity_cost import entity_cost, report
from memzoo.benchmarks.research.executors import executors
from memzoo.benchmarks.research.frontier import frontier
from memzoo.benchmarks.research.growth import growth
from memzoo.benchmarks.research.knowing import knowing
from memzoo.benchmarks.research.known_cost import known_cost
from memzoo.benchmarks.research.learning import learn
from memzoo.benchmarks.research.lmeb import lmeb
from memzoo.benchmarks.research.page import page
from memzoo.benchmarks.research.retrieval import retrieval
from memzoo.benchmarks.research.retrieval_cost import retrieval_cost
from memzoo.benchmarks.research.speed import speed
from memzoo.benchmarks.research.store_cost import store_cost
from memzoo.benchmarks.research.store_waits import store_waits
from memzoo.benchmarks.research.strong_model import strong_model
from memzoo.benchmarks.research.survival import survival
from memzoo.benchmarks.research.tables import show
from memzoo.benchmarks.research.token_estimate import token_estimate
from memzoo.benchmarks.research.updates import updates
from memzoo.benchmarks.research.updates_notes import updates_notes
from memzoo.benchmarks.research.verdict import verdict
from memzoo.benchmarks.research.weight import weight
from memzoo.benchmarks.transcripts import load_transcripts, sample_transcripts

__all__ = ["app"]

app = typer.Typer(help="Measurements for the documentation.")
COMMANDS = (
    *(growth, speed, store_cost, store_waits, weight, token_estimate, retrieval, retrieval_cost),
    *(frontier, lmeb, updates, updates_notes, knowing, known_cost, page, agreement, learn, strong_model, cache),
    *(survival, drafts, executors, batch_cost, verdict),
)
for command in COMMANDS:
    app.command()(command)

Budget = Annotated[int, typer.Option(help="Tokens that may be shown.", min=1)]


@app.callback(invoke_without_command=True)
def measurements(
    context: typer.Context,
    transcript: Annotated[Path | None, typer.Option(help="Instead of the bundled conversation.")] = None,
    budget: Budget = 1000,
    out: Annotated[Path, typer.Option(help="Folder for results.json and report.html.")] = Path("memzoo-compare"),
) -> None:
    """Compare all strategies with the offline model, and count what names cost the entity memory."""
    if context.invoked_subcommand is None:
        talks = load_transcripts(transcript) if transcript else sample_transcripts()
        show_found(compare(talks, settings=Settings(budgets=[budget]), out=out), out, (Console(), Console(stderr=True)))
        names_cost()


@app.command("entity-cost")
def names_cost() -> None:
    """Count what an exchange that names eight people costs the entity memory."""
    show(report(entity_cost(), OFFLINE))


@app.command()
def picture(
    out: Annotated[Path, typer.Argument(help="The SVG file to write.")],
    budget: Budget = 1000,
    model: Annotated[str, typer.Option(help="A model's name, or 'offline'.")] = OFFLINE,
) -> None:
    """Draw how many tokens each strategy shows over the bundled conversation."""
    counter = named_counter("o200k_base")
    comparison = compare(sample_transcripts(), settings=Settings(model=model, budgets=[budget], counter=counter))
    answering = "the offline model (rules)" if model == OFFLINE else model
    subtitle = f"; bundled conversation; budget {budget:,} tokens ({counter_note(counter.name)}); {answering}"
    out.write_text(course_chart(comparison.results, subtitle=subtitle, alone=True), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    app()
