"""Helpers for the contracts of memories."""

from typing import Any, ClassVar

import pytest

from memzoo.memories.base import BaseMemory
from memzoo.memories.models.chat import as_model
from memzoo.memories.strategies.model_backed import ModelBackedMemory
from memzoo.testing.scripted import FlakyModel

SAID = [("My sister Anna lives in Oslo.", "Noted: Anna lives in Oslo."), ("Anna works at Equinor.", "Good for Anna!")]
QUESTION = {"input": "Where does Anna live?"}


def tell(memory: BaseMemory, *exchanges: tuple[str, str]) -> None:
    """Save exchanges, each a pair of a user message and an answer."""
    for said, answer in exchanges:
        memory.save_context({"input": said}, {"output": answer})


class ContractTools:
    """Makes the memories that a contract tests."""

    strategy: ClassVar[type[BaseMemory]]

    @property
    def asks_model(self) -> bool:
        """True if the strategy asks a model itself."""
        return issubclass(self.strategy, ModelBackedMemory)

    def options(self) -> dict[str, Any]:
        """Return the options with which the tests make memories, without `store` and `conversation_id`.

        If `llm` is among the options, all tests use this model, and some tests make it fail.
        """
        return {"token_counter": "approximate"}

    def make(self, **options: Any) -> BaseMemory:
        """Return a memory with the given options, and those of `options()`.

        By default, the memory learns at each save and asks `model()`.
        """
        given = {"learn_every": 1} | self.options() | options
        if self.asks_model and "llm" not in given:
            given["llm"] = self.model()
        return self.strategy(**given)

    def model(self) -> FlakyModel:
        """Return the `llm` of `options()`, or else the offline model, wrapped in a `FlakyModel`.

        Skip the test if the strategy has no model.
        """
        if not self.asks_model:
            pytest.skip("asks no model")
        return FlakyModel(as_model(self.options().get("llm", "offline")))

    def told(self, **options: Any) -> BaseMemory:
        """Return a memory with two exchanges."""
        memory = self.make(**options)
        tell(memory, *SAID)
        return memory

    def asking_early(self) -> dict[str, Any]:
        """Return options with which the strategy learns from each exchange, beginning with the first."""
        limit = self.strategy.__dataclass_fields__.get("max_token_limit")
        waits = self.strategy.due is not BaseMemory.due
        asks_when_full = self.asks_model and waits and limit is not None and limit.default is not None
        return {"learn_every": 1} | ({"max_token_limit": 1} if asks_when_full else {})
