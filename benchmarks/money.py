"""Computes the cost of model calls, and keeps a comparison within a spending limit."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from memzoo.benchmarks.outcomes import Sum
from memzoo.benchmarks.results import OFFLINE, Cost, Figures, Row, Run
from memzoo.benchmarks.variants import read_config
from memzoo.errors import MemoryZooError, ModelError, OptionError
from memzoo.memories import Model
from memzoo.stores import Message
from memzoo.strategy import text_of
from memzoo.types import Completion

Prices: TypeAlias = Mapping[str, tuple[float, float]]
"""Prices of a million tokens, as (input, output) by model name. "*" stands for any other model."""

EMBEDDING = "embedding"
"""The key in `Prices` for the price of embeddings."""

_MILLION = 1_000_000
_CHARACTERS_PER_TOKEN = 3  # in English about four: a low value overestimates the cost of a call
_REPLY = 1_000  # the assumed longest reply, in tokens, of a model without a limit for replies
_PATIENCE = 10  # failures in a row


class LimitReachedError(MemoryZooError):
    """The next model call might cost more than is left of the limit.

    Attributes:
        needed: The highest possible cost of the call.
    """

    def __init__(self, spent: float, limit: float, needed: float) -> None:
        super().__init__(f"{spent:.4f} of {limit:g} have been spent, and the next call might cost {needed:.4f}")
        self.spent, self.needed = spent, needed


@dataclass
class SpendingLimit:
    """The spending limit of one task (a memory in a conversation), and the amount spent so far.

    Attributes:
        limit: The limit, in the currency of the prices.
        spent: The amount spent so far, including the amounts reserved for calls under way.
    """

    prices: Prices
    limit: float
    spent: float = 0.0

    def reserve(self, model: str, messages: Sequence[Message], reply: int = _REPLY) -> float:
        """Reserve the highest possible cost of a call, and return this amount; `settle` needs it after the call.

        Raises:
            LimitReachedError: Too little is left.
        """
        # A generous estimate: `settle` gives back the unused part.
        sent = _tokens_in(messages) + _REPLY // 10
        price = price_of(self.prices, model)
        amount = (sent * price[0] + reply * price[1]) / _MILLION
        if self.spent + amount > self.limit:
            raise LimitReachedError(self.spent, self.limit, amount)
        self.spent += amount
        return amount

    def settle(self, reserved: float, model: str, sent: int, received: int) -> None:
        """Replace the amount reserved for a call with the actual cost."""
        price = price_of(self.prices, model)
        self.spent += (sent * price[0] + received * price[1]) / _MILLION - reserved


class SharedBudget:
    """A spending limit that is divided among the running tasks. A task measures one memory in one conversation.

    The sum of the shares and the amount spent never exceeds the limit. If little is left, fewer tasks run at once.

    `most` is the highest number of tasks that run at once.
    """

    def __init__(self, limit: float, most: int) -> None:
        self.limit, self.spent = limit, 0.0
        self._most = most
        self._shares: list[float] = []
        self._dearest = 0.0  # the highest amount that any unit so far has spent or needed

    @property
    def under_way(self) -> int:
        """The number of running tasks."""
        return len(self._shares)

    def share(self) -> float | None:
        """Return the amount that a new task may spend; `None` if it must wait until another task has finished."""
        left = self.limit - self.spent
        units = self._most if not self._dearest else max(1, min(self._most, int(left / (2 * self._dearest))))
        if len(self._shares) >= units:
            return None
        share = (left - sum(self._shares)) / (units - len(self._shares))
        if self._shares and share < self._dearest:
            return None
        self._shares.append(share)
        return share

    def book(self, share: float, spent: float, needed: float = 0.0) -> bool:
        """Record the spending of a finished task, and free the rest of its share.

        Args:
            share: The task's own spending limit, as the method `share` returned it.
            spent: The amount that the task spent.
            needed: The highest possible cost of the call that was refused at the limit; 0 if no call was refused.

        Returns:
            True if a call was refused and no larger share is possible, because the task already had all that was left.
        """
        all_of_it = share >= self.limit - self.spent and not self._shares[1:]
        self._shares.remove(share)
        self.spent += spent
        self._dearest = max(self._dearest, spent, 2 * share if needed else 0.0, spent + needed)
        return bool(needed) and all_of_it


class MeteredModel:
    """A model whose calls keep within a spending limit, and stop after ten failures in a row.

    Attributes:
        given_up: True once the model has failed ten times in a row. Then it is no longer asked.
    """

    def __init__(self, model: Model, spending_limit: SpendingLimit | None) -> None:
        self.name = model.name
        self.given_up = False
        self._model = model
        self._spending_limit = spending_limit
        self._failed, self._last = 0, ""

    def __repr__(self) -> str:
        return f"MeteredModel({self._model!r})"

    async def complete(self, messages: Sequence[Message], purpose: str) -> Completion:
        """Ask the model and return its reply, unless the call might exceed the limit.

        Raises:
            ModelError: The call failed, or the model had already failed ten times in a row.
            LimitReachedError: The call might cost more than is left.
        """
        if self.given_up:
            raise ModelError(
                f"the model {self.name!r} failed {_PATIENCE} times in a row and is not asked again: {self._last}"
            )
        reserved = (
            self._spending_limit.reserve(self.name, messages, _longest_reply(self._model))
            if self._spending_limit
            else 0.0
        )
        sent = received = 0
        try:
            found = await self._model.complete(messages, purpose)
        except ModelError as error:
            self._failed += 1
            self.given_up, self._last = self._failed == _PATIENCE, str(error)
            spent: Any = getattr(error, "spent", None)
            sent, received = (spent.prompt_tokens, spent.completion_tokens) if spent else (0, 0)
            raise
        else:
            self._failed = 0
            sent, received = found.spent.prompt_tokens, found.spent.completion_tokens
            if not sent:  # the endpoint reports no usage
                sent, received = _tokens_in(messages), len(found.text) // _CHARACTERS_PER_TOKEN
            return found
        finally:
            # After a failure too: a failed call may have cost something.
            if self._spending_limit:
                self._spending_limit.settle(reserved, self.name, sent, received)


def _tokens_in(messages: Sequence[Message]) -> int:
    return sum(len(text_of(message)) for message in messages) // _CHARACTERS_PER_TOKEN


def _longest_reply(model: Model) -> int:
    parameters: Mapping[str, Any] = getattr(model, "parameters", {})
    return int(parameters.get("max_completion_tokens") or parameters.get("max_tokens") or _REPLY)


def price_of(prices: Prices, model: str) -> tuple[float, float]:
    """Return a model's prices per million tokens of input and of output; 0 for a model without a price."""
    return prices.get(model) or (prices.get("*") if model != EMBEDDING else None) or (0.0, 0.0)


def check_prices(prices: Prices, models: Iterable[str]) -> None:
    """Check that each model that is asked has a price, since a call without one would count as free.

    Nothing is checked without prices, and the offline model needs none.

    Raises:
        OptionError: A model has no price.
    """
    for name in models:
        if prices and "*" not in prices and name not in (*prices, OFFLINE):
            raise OptionError(
                f"the prices have none for {name!r}, only for {', '.join(map(repr, prices))}; '*' is any other model"
            )


def cost_of(prices: Prices, model: str, spent: Sum) -> float:
    """Return the total cost of model calls."""
    price_in, price_out = price_of(prices, model)
    return (spent.prompt_tokens * price_in + spent.completion_tokens * price_out) / _MILLION


def cost_of_thousand(row: Row, run: Run, figures: Figures) -> Cost:
    """Return the cost of 1,000 exchanges of a memory within the budget of `figures`."""
    paid = figures.tokens if figures.paid is None else figures.paid
    upkeep, embedding = (_for_thousand(one, row.exchanges) for one in (figures.upkeep, figures.embedding))
    kept = cost_of(run.prices, row.memory.model, upkeep) + cost_of(run.prices, EMBEDDING, embedding)
    reading = paid * 1000 * price_of(run.prices, run.model)[0] / _MILLION
    return Cost(upkeep=round(kept, 6), reading=round(reading, 6))


def _for_thousand(spent: Sum, exchanges: int) -> Sum:
    # Rounded to whole tokens: a cost must follow from a number of tokens that can occur.
    each = 1000 / max(exchanges, 1)
    sent, received = round(spent.prompt_tokens * each), round(spent.completion_tokens * each)
    return Sum(prompt_tokens=sent, completion_tokens=received)


def prices_given(
    file: Path | None, table: Any, where: str, others: tuple[float, float]
) -> tuple[dict[str, tuple[float, float]], str]:
    """Read the prices of models, and the currency, from a file and from a configuration.

    Prices are per million tokens. Each model has two prices, for input and output, or one price for both.

    Args:
        file: A TOML file with prices.
        table: The prices of a configuration, which override the prices of the file.
        where: The configuration's name, for error messages.
        others: The two prices for any other model.

    Returns:
        A pair: a dict from each model to its two prices, and the currency ("" if none is named).

    Raises:
        OptionError: The file cannot be read, or a price is not a number of at least 0.
    """
    document = read_config(file) if file else {}
    prices, currency = _prices_of(document.get("prices", document), str(file))
    more, other = _prices_of(table, where)
    prices |= more | ({"*": others} if any(others) else {})
    return prices, currency or str(document.get("currency", "")) or other


def _prices_of(table: Any, where: str) -> tuple[dict[str, tuple[float, float]], str]:
    if not isinstance(table, dict):
        raise OptionError(f"{where}, 'prices': expected a table of prices by model, not {table!r}")
    known: dict[str, Any] = dict(table)  # pyright: ignore[reportUnknownArgumentType]
    currency = str(known.pop("currency", ""))
    return {name: _price(name, value, where) for name, value in known.items()}, currency


def _price(name: str, value: Any, where: str) -> tuple[float, float]:
    pair: list[Any] = value if isinstance(value, list) else [value, value]
    if len(pair) != 2 or not all(isinstance(one, int | float) and one >= 0 for one in pair):  # noqa: PLR2004
        raise OptionError(
            f"{where}, {name!r}: expected [price of input, price of output] per million tokens, not {value!r}"
        )
    return float(pair[0]), float(pair[1])
