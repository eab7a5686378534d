"""The rules for every strategy about failing models and simultaneous saves."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from memzoo.errors import ModelError, ModelReplyError
from memzoo.memories.base import BaseMemory
from memzoo.stores import Message
from memzoo.sync import drive
from memzoo.testing.scripted import FlakyModel
from memzoo.testing.tools import QUESTION, SAID, ContractTools, tell

_BAD = "unspeakable"
# After this many exchanges, even a memory that learns from ten exchanges at a time has set a bad exchange aside.
_ENOUGH = 24


class FailingTalk:
    """A conversation with a model that can be made to fail. Half a minute of simulated time passes per exchange.

    Attributes:
        now: The simulated time in seconds.
        failed: For each load and each save, in order, the number of failed model calls.
        asked: For each load and each save, in order, the number of model calls.
    """

    def __init__(self, contract: ContractTools, **options: Any) -> None:
        self.model = contract.model()
        self.now = 0.0
        self.failed: list[int] = []
        self.asked: list[int] = []
        self._made = {"llm": self.model, "clock": lambda: self.now, "on_model_error": "defer", "conversation_id": "a"}
        self._contract, self._options, self._turns = contract, contract.asking_early() | options, 0
        self.memory = contract.make(**self._made, **self._options)

    def open_again(self) -> BaseMemory:
        """Continue the conversation with a new memory, as another process would, and return this memory."""
        self.memory = self._contract.make(**self._made, **self._options, store=self.memory.store)
        return self.memory

    def take_turns(self, count: int, *, bad: int = -1) -> None:
        """Load and save `count` times.

        Args:
            count: The number of exchanges to save.
            bad: The position, from 0, of an exchange that contains a special word; -1 for none. To make the model
                refuse this exchange, set `FlakyModel.refused` to the special word.
        """
        for turn in range(count):
            self.now += 30
            said = f"My sister Anna owns {self._turns} cats{f', and {_BAD}' if turn == bad else ''}."
            self._turns += 1
            self._watch(lambda: self.memory.load_memory_variables({"input": "Who is Anna?"}))
            self._watch(lambda text=said: tell(self.memory, (text, "Noted.")))

    def _watch(self, call: Any) -> None:
        calls, failures = self.model.calls, self.model.failures
        call()
        for learner in self.memory.learners:
            drive(learner.wait())  # learning in the background
        self.asked.append(self.model.calls - calls)
        self.failed.append(self.model.failures - failures)


class FailureContract(ContractTools):
    """The rules about failures: no message is lost or stored twice, and learning goes on after a refused exchange."""

    def flaky(self, **options: Any) -> tuple[BaseMemory, FlakyModel]:
        """Return a memory and its `FlakyModel`, which fails on demand. Skip the test if the strategy has no model."""
        model = self.model()
        return self.make(llm=model, **options), model

    def talk(self, **options: Any) -> FailingTalk:
        """Return a conversation whose model can be made to fail. Skip the test if the strategy has no model."""
        return FailingTalk(self, **options)

    def test_failing_model_loses_nothing(self) -> None:
        """If a save raises a model error, its messages are still stored and shown, and learnt from later."""
        memory, model = self.flaky(**self.asking_early())
        model.fault = ModelError("the model is down")
        with pytest.raises(ModelError):
            tell(memory, SAID[0])
        assert [message["content"] for message in memory.history()] == list(SAID[0])
        assert SAID[0][0] in str(memory.messages("Anna"))
        model.fault = None
        tell(memory, SAID[1])
        assert memory.history() == self.told(conversation_id="x", **self.asking_early()).history()
        assert "anna" in str(memory.load_memory_variables(QUESTION)).lower()

    def test_defers_model_errors_if_told_to(self) -> None:
        """With `on_model_error="defer"`, a save succeeds even if the model fails."""
        memory, model = self.flaky(on_model_error="defer", **self.asking_early())
        model.fault = ModelError("the model is down")
        tell(memory, SAID[0])
        assert SAID[0][0] in str(memory.messages("Anna"))

    @pytest.mark.parametrize("reply", ["I'm sorry, but I can't help with that.", "Sorry, I cannot do this"])
    def test_bad_reply_changes_nothing(self, reply: str) -> None:
        """A refusal by the model does not replace the state, and the messages stay in view."""
        memory, model = self.flaky(**self.asking_early())
        tell(memory, SAID[0])
        before = str(memory.load_memory_variables(QUESTION))
        model.reply = reply
        with pytest.raises(ModelReplyError):
            tell(memory, SAID[1])
        model.reply = None
        model.fault = ModelError("the model is down")
        assert SAID[1][0] in str(memory.messages("Anna"))
        model.fault = None
        assert "oslo" in before.lower()
        assert "oslo" in str(memory.load_memory_variables(QUESTION)).lower()

    @pytest.mark.parametrize("reply", ["NOTHING NEW", "none", "- Nothing new."])
    def test_nothing_new_changes_nothing(self, reply: str) -> None:
        """If the model replies that nothing is new, the state stays as it is."""
        memory, model = self.flaky()
        tell(memory, SAID[0])
        before = memory.load_memory_variables(QUESTION)
        model.reply = reply
        tell(memory, ("Thanks!", "You are welcome."))
        model.reply = None
        after = memory.load_memory_variables(QUESTION)
        assert "oslo" in str(after).lower()
        assert after.get("entities") == before.get("entities")

    def test_threads_lose_nothing(self) -> None:
        """When eight threads save to one memory, each exchange is stored exactly once."""
        memory = self.make()

        def save(n: int) -> None:
            tell(memory, (f"I own {n} cats", "ok"))

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(save, range(8)))
        assert sorted(m["content"] for m in memory.history()[::2]) == [f"I own {n} cats" for n in range(8)]

    def test_tasks_lose_nothing(self) -> None:
        """When eight tasks save through two memories of one conversation, each exchange is stored exactly once."""
        first = self.make(conversation_id="a")
        memories = [first, self.make(store=first.store, conversation_id="a")]

        async def save_all() -> list[Message]:
            saves = [memories[n % 2].asave_context({"input": f"I own {n} cats"}, {"output": "ok"}) for n in range(8)]
            await asyncio.gather(*saves)
            return await memories[0].ahistory()

        said = asyncio.run(save_all())
        assert sorted(m["content"] for m in said[::2]) == [f"I own {n} cats" for n in range(8)]

    def test_one_bad_exchange_stops_nothing(self) -> None:
        """An exchange that the model refuses is set aside but still shown. Other exchanges are learnt from."""
        talk = self.talk()
        talk.model.refused = _BAD
        talk.take_turns(_ENOUGH, bad=3)
        assert [entry.seq for entry in talk.memory.set_aside()] in ([7, 8], [7])
        assert _BAD in str(talk.memory.history())
        if "max_token_limit" not in self.asking_early():  # with the limit of 1 token, no message fits
            assert _BAD in str(talk.memory.messages("Who is Anna?"))
        assert max(talk.failed) == 1
        # Ten exchanges are halved until only the bad exchange is left, which is then tried alone: a handful of calls.
        assert sum(talk.failed) <= 12
        assert sum(talk.failed[-10:]) == 0

    def test_another_process_goes_on_with_a_bad_exchange(self) -> None:
        """Failed attempts are counted in the store, so they also count for another memory of the conversation."""
        talk = self.talk()
        talk.model.refused = _BAD
        for turn in range(_ENOUGH):
            talk.take_turns(1, bad=0 if turn == 3 else -1)
            talk.open_again()
        assert [entry.seq for entry in talk.memory.set_aside()] in ([7, 8], [7])
        assert sum(talk.failed) <= 12

    def test_takes_up_what_was_set_aside(self) -> None:
        """`relearn(only_set_aside=True)` learns from set-aside exchanges. If the model fails again, nothing changes."""
        talk = self.talk()
        talk.model.refused = _BAD
        talk.take_turns(_ENOUGH, bad=3)
        aside = talk.memory.set_aside()
        with pytest.raises(ModelError):
            talk.memory.relearn(only_set_aside=True)
        assert talk.memory.set_aside() == aside != []
        talk.model.refused = None
        talk.memory.relearn(only_set_aside=True)
        assert talk.open_again().set_aside() == []

    def test_learns_anew(self) -> None:
        """`relearn` learns the facts again. If the model fails meanwhile, the view stays the same."""
        talk = self.talk()
        talk.take_turns(_ENOUGH)
        shown = talk.memory.messages("Who is Anna?")
        talk.model.fault = ModelError("the model is down")
        with pytest.raises(ModelError):
            talk.memory.relearn()
        talk.model.fault = None
        assert talk.memory.messages("Who is Anna?") == shown
        talk.memory.relearn()
        assert "anna" in str(talk.memory.messages("Who is Anna?")).lower()
        assert talk.memory.set_aside() == []

    @pytest.mark.parametrize("gone", [[7, 8], None])
    def test_forgets_what_was_set_aside(self, gone: list[int] | None) -> None:
        """Forgetting the only set-aside exchange, or the whole conversation, leaves no exchange set aside."""
        talk = self.talk()
        talk.model.refused = _BAD
        talk.take_turns(_ENOUGH, bad=3)
        assert talk.memory.set_aside()
        talk.memory.forget(gone)
        assert talk.memory.set_aside() == []
        talk.take_turns(12)
        assert talk.open_again().set_aside() == []

    def test_an_outage_is_made_up_for(self) -> None:
        """A model that is down is asked less and less often. Once it works again, all exchanges are learnt from."""
        talk = self.talk(max_pending_tokens=500)
        talk.model.fault = ModelError("the model is down")
        talk.take_turns(100)
        # Calls come in pairs, a load and a save. Saves soon stop asking for 300 seconds, the time of ten exchanges.
        assert sum(talk.asked[::2]) <= 1
        assert max(talk.asked) <= 1
        assert sum(talk.asked) <= 25
        waiting = "".join(str(message["content"]) for message in talk.memory.messages("Who is Anna?"))
        assert "99 cats" in waiting
        assert "earlier messages are not shown" in waiting
        assert len(waiting) < 3000
        talk.model.fault = None
        talk.now += 1000  # longer than any pause between requests
        talk.take_turns(1)
        talk.memory.settle()
        assert "earlier messages are not shown" not in str(talk.memory.messages("Who is Anna?"))
        assert talk.memory.set_aside() == []

    def test_catches_up_with_a_small_context(self) -> None:
        """Once an error names the endpoint's context size, prompts fit this size, even if many messages wait."""
        talk = self.talk()
        talk.model.fault = ModelError("the model is down")
        talk.take_turns(60)
        tell(talk.memory, (f"A report: {'of Anna, ' * 5000}", "Long."))
        talk.model.fault, talk.model.context = None, 2048
        failures = talk.model.failures
        talk.now += 1000  # longer than any pause between requests
        talk.take_turns(4)
        assert talk.model.failures - failures <= 3
        assert talk.memory.set_aside() == []
        assert "earlier messages are not shown" not in str(talk.memory.messages("Who is Anna?"))
