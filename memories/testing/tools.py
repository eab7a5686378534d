"""Makes the memories that contracts are tested with."""

from typing import Any, ClassVar

from memzoo.memories.base import BaseMemory
from memzoo.memories.models.chat import as_model
from memzoo.memories.strategies.model_backed import ModelBackedMemory
from memzoo.memories.testing.scripted import ScriptedModel
from memzoo.stores.driving import drive

__all__ = ["QUESTION", "SAID", "ContractTools", "watched_model"]

SAID = [("My sister Anna lives in Oslo.", "Noted: Anna lives in Oslo."), ("Anna works at Equinor.", "Good for Anna!")]
QUESTION = {"input": "Where does Anna live?"}


class ContractTools:
    """Makes the memories that a contract is tested with."""

    strategy: ClassVar[type[BaseMemory]]

    def options(self) -> dict[str, Any]:
        """Options that the strategy is tested with, besides `store` and `conversation_id`."""
        return {"token_counter": "approximate"}

    def make(self, **options: Any) -> BaseMemory:
        """A memory to be tested."""
        return self.strategy(**(self.options() | options))

    def told(self, **options: Any) -> BaseMemory:
        """A memory that was told two exchanges."""
        memory = self.make(**options)
        for said, answer in SAID:
            memory.save_context({"input": said}, {"output": answer})
        return memory

    def asking_early(self) -> dict[str, Any]:
        """Options that make the strategy ask its model from the first exchange on."""
        limit = self.strategy.__dataclass_fields__.get("max_token_limit")
        asks_when_full = (
            issubclass(self.strategy, ModelBackedMemory) and limit is not None and limit.default is not None
        )
        return {"max_token_limit": 1} if asks_when_full else {}


def watched_model() -> ScriptedModel:
    """A model that answers as the offline one does, however often, and keeps what it was asked."""
    offline, model = as_model("offline"), ScriptedModel()

    def answer(prompt: str) -> str:
        model.enqueue(answer)
        return drive(offline.complete([{"role": "user", "content": prompt}], model.asked[-1][0])).text

    model.enqueue(answer)
    return model
