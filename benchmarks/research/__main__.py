"""The measurements that the documentation quotes: `python -m memzoo.benchmarks.research --help` lists them."""

from pathlib import Path
from typing import Annotated

import typer

from memzoo.benchmarks import Settings
from memzoo.benchmarks.comparing import compare
from memzoo.benchmarks.measure.counting import named_counter
from memzoo.benchmarks.report.charts import course_chart
from memzoo.benchmarks.report.tabulating import counter_note
from memzoo.benchmarks.research.ablation import ablation, hashed
from memzoo.benchmarks.research.answered import answered
from memzoo.benchmarks.research.arena import arena
from memzoo.benchmarks.research.cache import cache
from memzoo.benchmarks.research.growth import growth
from memzoo.benchmarks.research.lifebench import lifebench
from memzoo.benchmarks.research.memorybank import memorybank
from memzoo.benchmarks.research.page import page
from memzoo.benchmarks.research.planted import planted
from memzoo.benchmarks.research.portions import portions
from memzoo.benchmarks.research.retrieval import retrieval
from memzoo.benchmarks.research.retrieval_cost import retrieval_cost
from memzoo.benchmarks.research.speed import speed
from memzoo.benchmarks.research.strong_model import learn, strong_model
from memzoo.benchmarks.research.updates import updates
from memzoo.benchmarks.research.verdict import verdict
from memzoo.benchmarks.research.weight import weight
from memzoo.benchmarks.research.written import written
from memzoo.benchmarks.results import OFFLINE
from memzoo.benchmarks.transcripts import sample_transcripts

app = typer.Typer(help="Measurements for the documentation.", no_args_is_help=True)
for command in (
    *(
        ablation,
        answered,
        arena,
        cache,
        growth,
        hashed,
        learn,
        lifebench,
        memorybank,
        page,
        planted,
        portions,
        retrieval,
    ),
    *(retrieval_cost, speed, strong_model, updates, verdict, weight, written),
):
    app.command()(command)


@app.command()
def picture(out: Annotated[Path, typer.Argument(help="The SVG file to write.")]) -> None:
    """Draw the chart `docs/comparison.svg`: the tokens that each strategy shows over the bundled conversation."""
    counter = named_counter("o200k_base")
    results = compare(sample_transcripts(), settings=Settings(model=OFFLINE, budgets=[1000], counter=counter)).results
    subtitle = f"; bundled conversation; budget 1,000 tokens ({counter_note(counter.name)}); the offline model (rules)"
    out.write_text(course_chart(results, subtitle=subtitle, alone=True), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    app()
