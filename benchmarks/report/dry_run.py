"""Builds the table of a dry run, in which rules answer: the calls and tokens to expect of a run with a real model."""

from dataclasses import dataclass

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from memzoo.benchmarks.measure.counting import APPROXIMATE
from memzoo.benchmarks.money import EMBEDDING, Prices, cost_of
from memzoo.benchmarks.results import OFFLINE, Compared, Row
from memzoo.benchmarks.verdict import write_number

_CENT = 0.005  # a cost below it is written with one digit that is not 0
# The strategies whose number of calls to load or to save does not depend on the model's replies.
_KNOWN = {
    "summary": {"load", "save"},
    "summary-buffer": {"load"},
    "summarizing-window": {"load", "save"},
    "entity": {"load"},
    "knowledge-graph": {"save"},
}


@dataclass(frozen=True, slots=True)
class Expected:
    """A number to expect in the run with a model.

    Attributes:
        amount: The number in the dry run, with rules in place of a model.
        exact: True if the number does not depend on the model's replies.
    """

    amount: float
    exact: bool

    def __str__(self) -> str:
        return f"{'' if self.exact else '≈ '}{self.amount:,.0f}"


def list_expected(row: Row, budget: int) -> dict[str, Expected]:
    """Return the numbers to expect for a memory, by name: "tokens shown", "calls to load", and so on.

    "calls to load" includes the calls for the questions of the transcript.
    """
    # Rules replaced the model, so only numbers that do not depend on replies are exact.
    known = {"load", "save"} if not row.memory.model else _KNOWN.get(row.memory.strategy, set())
    spent = row.upkeep + row.asking + row.relearning
    asks = bool(row.memory.model and spent.calls)
    return {
        "tokens shown": Expected(row.budgets[budget].tokens, not row.memory.model),
        "tokens paid": Expected(row.budgets[budget].paid or 0.0, not row.memory.model),
        "calls to load": Expected(row.load.calls + row.asking.calls, "load" in known),
        "calls to save": Expected(row.save.calls + row.relearning.calls, "save" in known),
        "tokens sent": Expected(spent.prompt_tokens, not asks),
        "received": Expected(spent.completion_tokens, not asks),
    }


def dry_run_table(found: Compared, model: str, judge: str = "") -> Group:
    """Return the table of a dry run for a terminal.

    `found` is the comparison with rules in place of models. `model` and `judge` name the models of the real run.
    """
    prices = found.results.run.prices
    budget = found.results.main_budget
    rows = [row for row in found.rows if not row.error]
    drawn = Table(box=box.SIMPLE_HEAD, title=f"Expected, within {write_number(budget, 'token')}", title_justify="left")
    drawn.add_column("memory")
    figures = dict.fromkeys(title for row in rows for title in list_expected(row, budget))
    cost_title = f"cost {found.results.run.currency}".strip()
    for title in (*figures, *([cost_title] if prices else [])):
        drawn.add_column(title.replace(" ", "\n"), justify="right")
    for row in rows:
        cost = [_cost(row, prices, model)] if prices else []
        drawn.add_row(row.memory.name, *map(str, list_expected(row, budget).values()), *cost)
    return Group(drawn, Text("\n".join(_notes(found, judge))))


def _cost(row: Row, prices: Prices, model: str) -> str:
    # The offline model stands for the model of the run; a model in the memory's own options has its own price.
    asked = model if row.memory.model == OFFLINE else row.memory.model
    spent = row.upkeep + row.asking + row.relearning - row.embedding
    amount = cost_of(prices, asked, spent) + cost_of(prices, EMBEDDING, row.embedding)
    text = f"{amount:,.2f}" if amount >= _CENT or not amount else f"{amount:.1g}"
    return f"{'≈ ' if row.memory.model else ''}{text}"


def _notes(found: Compared, judge: str) -> list[str]:
    notes = ["Dry run: no model was asked, nothing was spent or written."]
    if found.results.run.counter == APPROXIMATE:
        notes.append("Tokens are estimated.")
    if any(row.memory.model for row in found.rows):
        notes.append(
            "≈ marks an estimate, which depends on a model's replies: rules stood in for the model. Unless a call "
            f"fails, the other {'calls' if found.results.run.counter == APPROXIMATE else 'figures'} are exact."
        )
    if len(found.results.run.budgets) > 1:
        notes.append(
            "A memory whose options name the budget runs once for each budget, which costs more; this table has the "
            f"run for {write_number(found.results.main_budget, 'token')}."
        )
    if judge and (judged := sum(bool(one.question.answer) for one in found.results.questions)):
        rows = sum(row.memory.name != "everything" for row in found.rows)
        answers = judged * rows * len(found.results.run.budgets)
        notes.append(f"With the judge: {write_number(answers, 'answer')}, and a judgement of each that is not empty.")
    return notes
