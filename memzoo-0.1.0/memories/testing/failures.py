"""The rules for every strategy when a model fails, and when several save at once."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from memzoo.memories.base import BaseMemory
from memzoo.memories.models.chat import as_model
from memzoo.memories.strategies.model_backed import ModelBackedMemory
from memzoo.memories.testing.scripted import FlakyModel
from memzoo.memories.testing.tools import QUESTION, SAID, ContractTools
from memzoo.stores import Message
from memzoo.stores.errors import ModelError, ModelReplyError

__all__ = ["FailureContract"]


class FailureContract(ContractTools):
    """Nothing is lost, doubled or replaced by something worse."""

    def flaky(self, **options: Any) -> tuple[BaseMemory, FlakyModel]:
        """A memory whose model can be made to fail; skips for a strategy that asks none."""
        if not issubclass(self.strategy, ModelBackedMemory):
            pytest.skip("asks no model")
        model = FlakyModel(as_model("offline"))
        return self.make(llm=model, **options), model

    def test_failing_model_loses_nothing(self) -> None:
        """What was said is stored before a model error is raised, is shown meanwhile, and is learnt from later."""
        memory, model = self.flaky(**self.asking_early())
        undisturbed = self.make(conversation_id="x", **self.asking_early())
        model.fault = ModelError("the model is down")
        with pytest.raises(ModelError):
            memory.save_context({"input": SAID[0][0]}, {"output": SAID[0][1]})
        assert [message["content"] for message in memory.history()] == list(SAID[0])
        assert SAID[0][0] in str(memory.messages("Anna"))
        model.fault = None
        memory.save_context({"input": SAID[1][0]}, {"output": SAID[1][1]})
        for said, answer in SAID:
            undisturbed.save_context({"input": said}, {"output": answer})
        assert memory.history() == undisturbed.history()
        assert "anna" in str(memory.load_memory_variables(QUESTION)).lower()

    def test_defers_model_errors_if_told_to(self) -> None:
        """With `on_model_error="defer"` a save succeeds while the model fails."""
        memory, model = self.flaky(on_model_error="defer", **self.asking_early())
        model.fault = ModelError("the model is down")
        memory.save_context({"input": SAID[0][0]}, {"output": SAID[0][1]})
        assert SAID[0][0] in str(memory.messages("Anna"))

    @pytest.mark.parametrize("reply", ["I'm sorry, but I can't help with that.", "Sorry, I cannot do this"])
    def test_bad_reply_changes_nothing(self, reply: str) -> None:
        """A refusal never replaces what is known, and what was said stays in view."""
        memory, model = self.flaky(**self.asking_early())
        memory.save_context({"input": SAID[0][0]}, {"output": SAID[0][1]})
        before = str(memory.load_memory_variables(QUESTION))
        model.reply = reply
        with pytest.raises(ModelReplyError):
            memory.save_context({"input": SAID[1][0]}, {"output": SAID[1][1]})
        model.reply = None
        model.fault = ModelError("the model is down")
        assert SAID[1][0] in str(memory.messages("Anna"))
        model.fault = None
        assert "oslo" in before.lower()
        assert "oslo" in str(memory.load_memory_variables(QUESTION)).lower()

    @pytest.mark.parametrize("reply", ["NOTHING NEW", "none", "- Nothing new."])
    def test_nothing_new_changes_nothing(self, reply: str) -> None:
        """A reply that nothing is new leaves what is known as it is."""
        memory, model = self.flaky()
        memory.save_context({"input": SAID[0][0]}, {"output": SAID[0][1]})
        before = memory.load_memory_variables(QUESTION)
        model.reply = reply
        memory.save_context({"input": "Thanks!"}, {"output": "You are welcome."})
        model.reply = None
        after = memory.load_memory_variables(QUESTION)
        assert "oslo" in str(after).lower()
        assert after.get("entities") == before.get("entities")

    def test_threads_lose_nothing(self) -> None:
        """Eight threads saving to one memory lose nothing and double nothing."""
        memory = self.make()

        def save(n: int) -> None:
            memory.save_context({"input": f"I own {n} cats"}, {"output": "ok"})

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(save, range(8)))
        assert sorted(m["content"] for m in memory.history()[::2]) == [f"I own {n} cats" for n in range(8)]

    def test_tasks_lose_nothing(self) -> None:
        """Eight tasks saving through two memories of one conversation lose nothing and double nothing."""
        first = self.make(conversation_id="a")
        memories = [first, self.make(store=first.store, conversation_id="a")]

        async def save_all() -> list[Message]:
            saves = [memories[n % 2].asave_context({"input": f"I own {n} cats"}, {"output": "ok"}) for n in range(8)]
            await asyncio.gather(*saves)
            return await memories[0].ahistory()

        said = asyncio.run(save_all())
        assert sorted(m["content"] for m in said[::2]) == [f"I own {n} cats" for n in range(8)]
