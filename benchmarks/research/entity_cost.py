"""What eight names in an exchange cost the entity memory: `python -m memzoo.benchmarks.research entity-cost`."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich import box
from rich.table import Table

from memzoo.benchmarks.report.tabulating import model_note
from memzoo.memories import ConversationEntityMemory, Spent
from memzoo.memories.models.chat import ModelOption, as_model

__all__ = ["LANGCHAIN_CALLS", "ExchangeCost", "entity_cost", "report"]

NAMES = ("Amina", "Boris", "Clara", "Dmitri", "Elena", "Farouk", "Greta", "Hiroshi")

LANGCHAIN_CALLS = 1 + len(NAMES)
"""From its source, langchain_classic/memory/entity.py of langchain-classic 1.0.8; it was not run.

`load_memory_variables` asks once for the names in the input, `save_context` once for each of these names.
"""

_EXCHANGES = [
    (
        f"{', '.join(NAMES[:-1])} and {NAMES[-1]} are coming to the dinner in {month}.",
        f"Then {NAMES[0]} can sit beside {NAMES[1]}, and {NAMES[2]} beside {NAMES[3]}.",
    )
    for month in ("May", "June", "July")
]


@dataclass(frozen=True, slots=True)
class ExchangeCost:
    """One exchange.

    Attributes:
        load: Model calls made to load.
        save: Model calls made to save.
        notes: How many people there are notes about afterwards.
    """

    load: Spent
    save: Spent
    notes: int


def entity_cost(model: ModelOption = "offline") -> list[ExchangeCost]:
    """Run a few exchanges that all name the same eight people, and count."""
    memory = ConversationEntityMemory(llm=as_model(model), conversation_id="entity-cost")
    costs: list[ExchangeCost] = []
    for said, answered in _EXCHANGES:
        before = memory.usage.total
        memory.load_memory_variables({"input": said})
        loaded = memory.usage.total
        memory.save_context({"input": said}, {"output": answered})
        saved = memory.usage.total
        costs.append(ExchangeCost(_difference(loaded, before), _difference(saved, loaded), len(memory.entities)))
    return costs


def report(costs: Sequence[ExchangeCost], model: str) -> Table:
    """The costs as a table for a terminal."""
    table = Table(
        box=box.SIMPLE_HEAD,
        caption=f"model: {model_note(model)}\nLangChain makes {LANGCHAIN_CALLS} calls for such an exchange: 1 to load, "
        f"{len(NAMES)} to save\n(langchain-classic 1.0.8, memory/entity.py; read, not run)",
        caption_justify="left",
    )
    for title in ("exchange", "calls to load", "calls to save", "prompt tokens", "notes"):
        table.add_column(title, justify="right")
    for number, cost in enumerate(costs, start=1):
        tokens = cost.load.prompt_tokens + cost.save.prompt_tokens
        table.add_row(*map(str, (number, cost.load.calls, cost.save.calls, tokens, cost.notes)))
    return table


def _difference(after: Spent, before: Spent) -> Spent:
    return Spent(after.calls - before.calls, after.prompt_tokens - before.prompt_tokens)
