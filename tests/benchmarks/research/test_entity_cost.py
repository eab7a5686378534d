"""What eight names in an exchange cost the entity memory."""

from rich.console import Console

from memzoo.benchmarks.research.entity_cost import LANGCHAIN_CALLS, entity_cost, report
from memzoo.strategy import ChatFunction


def test_an_exchange_costs_one_call_however_many_it_names(rules: ChatFunction) -> None:
    """One to save; a load asks nobody."""
    assert [(cost.load.calls, cost.save.calls) for cost in entity_cost(rules)] == [(0, 1)] * 3


def test_the_table_states_where_the_other_figure_comes_from(rules: ChatFunction) -> None:
    """LangChain's calls are read from its source, and the table says so."""
    console = Console(width=100)
    with console.capture() as captured:
        console.print(report(entity_cost(rules), "offline"))
    assert LANGCHAIN_CALLS == 9
    assert "LangChain makes 9 calls" in captured.get()
    assert "read, not run" in captured.get()
