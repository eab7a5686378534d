"""Defines what is compared: one entry for each strategy, and two baselines that frame the table.

The names are permanent: results of different days can be laid side by side.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from memzoo.memories.strategies.model_backed import ModelBackedMemory
from memzoo.memories.strategies.named import short_name, strategy_named

__all__ = ["BASELINES", "SCENARIOS", "Scenario", "asks_model", "chosen"]

Options = Callable[[int], Mapping[str, Any]]


def _as_is(_budget: int) -> Mapping[str, Any]:
    return {}


@dataclass(frozen=True, slots=True)
class Scenario:
    """How a strategy is set up for a comparison.

    Attributes:
        name: Its permanent name; for a strategy, its short name.
        about: What it shows, in a few words.
        strategy: The strategy's short name; `None` remembers nothing.
        options: The budget in tokens -> the strategy's own options.
        cut: Whether what it shows is cut at the budget.
        baseline: Whether it frames the table instead of competing.
        further: Whether it is not one of the seven, and is compared only if it is named.
    """

    name: str
    about: str
    strategy: str | None
    options: Options = _as_is
    cut: bool = True
    baseline: bool = False
    further: bool = False


SCENARIOS: dict[str, Scenario] = {
    scenario.name: scenario
    for scenario in (
        Scenario("none", "no memory at all: the floor", None, baseline=True),
        Scenario("buffer", "all that was said, cut at the budget: the newest messages", "buffer"),
        Scenario("window", "the last 5 exchanges", "window", lambda _: {"k": 5}),
        Scenario("summary", "a running summary", "summary"),
        Scenario(
            "summary-buffer",
            "a summary, then as many of the newest messages as the budget leaves room for",
            "summary-buffer",
            lambda budget: {"max_token_limit": budget, "count_summary": True},
        ),
        Scenario(
            "entity", "notes on whom the question is about, and the last 3 exchanges", "entity", lambda _: {"k": 3}
        ),
        Scenario(
            "vector-retriever",
            "the exchanges that fit the question best, up to the budget",
            "vector-retriever",
            lambda budget: {"max_token_limit": budget},
        ),
        Scenario(
            "knowledge-graph",
            "facts about whom the question is about",
            "knowledge-graph",
            lambda _: {"k": 2, "mine_ai": True},
        ),
        Scenario(
            "combined",
            "the exchanges that fit the question best, and the newest messages with what they leave of the budget",
            "combined",
            lambda budget: {
                "memories": [["vector-retriever", {"max_token_limit": budget}], ["window", {"k": 5}]],
                "max_token_limit": budget,
                "shares": [1, 0],
            },
            further=True,
        ),
        Scenario(
            "message-window", "the last 20 messages", "message-window", lambda _: {"max_messages": 20}, further=True
        ),
        Scenario(
            "token-window",
            "as many of the newest messages as the budget has room for",
            "token-window",
            lambda budget: {"max_tokens": budget, "oversized": "keep"},
            further=True,
        ),
        Scenario(
            "token-buffer",
            "the same by LangChain's name",
            "token-buffer",
            lambda budget: {"max_token_limit": budget, "oversized": "keep"},
            further=True,
        ),
        Scenario(
            "summarizing-window",
            "a summary of all but the newest exchanges, renewed each time that these are 10 messages",
            "summarizing-window",
            lambda _: {"max_messages": 10},
            further=True,
        ),
        Scenario("everything", "the full buffer, whatever it costs: the ceiling", "buffer", cut=False, baseline=True),
    )
}
"""The scenarios by name, in the order of the table."""

BASELINES = tuple(scenario.name for scenario in SCENARIOS.values() if scenario.baseline)
"""The names of those that frame the table: the floor first, the ceiling last."""


def asks_model(scenario: Scenario) -> bool:
    """Tell whether the strategy asks a model."""
    return scenario.strategy is not None and issubclass(strategy_named(scenario.strategy), ModelBackedMemory)


def chosen(names: Iterable[str]) -> list[Scenario]:
    """Look up the scenarios of some strategies, in the order of the table, between the baselines.

    Args:
        names: Short names or class names; none at all stands for the seven. A strategy that an installed package adds
            is compared with its own defaults.

    Raises:
        UnknownStrategyError: One of them is no strategy.
    """
    wanted = list(dict.fromkeys(name if name in SCENARIOS else short_name(name) for name in names))
    *known, ceiling = SCENARIOS.values()
    every = [*known, *(_of_plugin(name) for name in wanted if name not in SCENARIOS), ceiling]
    return [one for one in every if one.baseline or (one.name in wanted if wanted else not one.further)]


def _of_plugin(name: str) -> Scenario:
    about = (strategy_named(name).__doc__ or "").partition("\n")[0]
    return Scenario(name, about, name, further=True)
