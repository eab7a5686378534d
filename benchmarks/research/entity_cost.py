"""What eight names in an exchange cost the entity memory: `python -m memzoo.benchmarks.research entity-cost`."""

from collections.abc import Sequence
from dataclasses import dataclass

from memzoo.benchmarks.outcomes import Sum
from memzoo.benchmarks.report.tabulating import model_note
from memzoo.benchmarks.research.tables import table
from memzoo.memories import ConversationEntityMemory
from memzoo.strategy import ModelOption, as_model

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

    load: Sum
    save: Sum
    notes: int


def entity_cost(model: ModelOption = "offline") -> list[ExchangeCost]:
    """Run a few exchanges that all name the same eight people, and count."""
    memory = ConversationEntityMemory(llm=as_model(model), conversation_id="entity-cost")
    costs: list[ExchangeCost] = []
    for said, answered in _EXCHANGES:
        before = Sum.of(memory.usage.total)
        memory.load_memory_variables({"input": said})
        loaded = Sum.of(memory.usage.total)
        memory.save_context({"input": said}, {"output": answered})
        saved = Sum.of(memory.usage.total)
        costs.append(ExchangeCost(loaded - before, saved - loaded, len(memory.entities)))
    return costs


def report(costs: Sequence[ExchangeCost], model: str) -> str:
    """The costs as a table, and what they are to be held against."""
    rows = [
        [*map(str, (number, cost.load.calls, cost.save.calls, (cost.load + cost.save).prompt_tokens, cost.notes))]
        for number, cost in enumerate(costs, start=1)
    ]
    return (
        f"{table(['exchange', 'calls to load', 'calls to save', 'prompt tokens', 'notes'], rows)}\n\n"
        f"model: {model_note(model)}\nLangChain makes {LANGCHAIN_CALLS} calls for such an exchange: 1 to load, "
        f"{len(NAMES)} to save\n(langchain-classic 1.0.8, memory/entity.py; read, not run)"
    )
