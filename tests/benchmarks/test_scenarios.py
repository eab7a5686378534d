"""What is compared."""

import pytest

from memzoo.benchmarks.scenarios import BASELINES, SCENARIOS, chosen
from memzoo.memories import STRATEGIES, create_memory
from memzoo.memories.strategies.named import FURTHER
from memzoo.stores.errors import UnknownStrategyError


def test_every_strategy_is_compared_under_its_own_name() -> None:
    """No strategy can be added without an entry here, and none is compared twice."""
    competing = {name: one.strategy for name, one in SCENARIOS.items() if not one.baseline}
    assert competing == {name: name for name in (*STRATEGIES, *FURTHER)}


def test_two_baselines_frame_the_table() -> None:
    """The floor comes first, the ceiling last, and only the ceiling is not cut."""
    names = list(SCENARIOS)
    assert (names[0], names[-1]) == BASELINES == ("none", "everything")
    assert [name for name in names if not SCENARIOS[name].cut] == ["everything"]


def test_further_species_are_marked_as_such() -> None:
    """The seven are compared unless told otherwise; what is not one of them only if it is named."""
    assert {name for name, one in SCENARIOS.items() if one.further} == set(FURTHER)
    assert [one.name for one in chosen(["CombinedMemory"])] == ["none", "combined", "everything"]


@pytest.mark.parametrize("name", [*STRATEGIES, *FURTHER])
def test_the_options_are_those_of_the_strategy(name: str) -> None:
    """A memory can be made from each entry."""
    create_memory(name, **SCENARIOS[name].options(500))


def test_strategies_are_chosen_by_either_name() -> None:
    """Short names and class names mean the same, in any order; the baselines come by themselves."""
    names = [one.name for one in chosen(["ConversationKGMemory", "window"])]
    assert names == ["none", "window", "knowledge-graph", "everything"]
    assert [one.name for one in chosen([])] == [name for name, one in SCENARIOS.items() if not one.further]


def test_an_unknown_name_is_named() -> None:
    """The error says which name is unknown and which there are."""
    with pytest.raises(
        UnknownStrategyError, match=r"there is no strategy 'windwo'; there are 'buffer' .* Did you mean 'window'"
    ):
        chosen(["window", "windwo"])
