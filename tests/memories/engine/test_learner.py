"""How a state follows the log: whatever fails, the next call catches up, and nothing is lost or doubled."""

import itertools
import re
from collections.abc import Callable
from typing import Any

import pytest

from memzoo.errors import ModelError
from memzoo.memories import BaseMemory, ConversationBufferMemory, ConversationKGMemory
from memzoo.memories.models.chat import ChatFunction
from memzoo.stores import InMemoryStore, Message
from memzoo.strategy import State
from memzoo.sync import drive

Make = Callable[..., BaseMemory]

MODEL_BACKED = ["summary", "summary-buffer", "entity", "knowledge-graph"]
QUESTION = {"input": "Who is Sam?"}
SAID = [
    ("Sam lives in Oslo", "How is Oslo?"),
    ("Sam likes tea", "Noted"),
    ("Sam lives in Rome", "Fine"),
    ("Sam does not like tea", "I see"),
    ("Eve likes milk", "Good for Eve"),
]


def outcome(memory: BaseMemory) -> tuple[object, ...]:
    """All that can be seen of a memory: its history, its state, its view."""
    shown = (memory.load_memory_variables(QUESTION), memory.messages("Who is Sam?"))
    state = drive(memory.store.read_state("a", memory.learners[0].name))
    return memory.history(), state.watermark, state.changes, *shown


def undisturbed(memory: BaseMemory) -> tuple[tuple[object, ...], int]:
    """What comes out if nothing fails, and how many calls the saves took."""
    for said, answer in SAID:
        memory.save_context({"input": said}, {"output": answer})
    calls = memory.usage.total.calls
    return outcome(memory), calls


class FailsOnce:
    """A model that is the clerk, but for one call."""

    def __init__(self, clerk: ChatFunction, position: int, fault: BaseException | str) -> None:
        self._clerk: Any = clerk
        self._calls = itertools.count()
        self._position, self._fault = position, fault

    def __call__(self, messages: list[Message]) -> str:
        """The clerk's answer, or the fault."""
        if next(self._calls) != self._position:
            answer: str = self._clerk(messages)
            return answer
        if isinstance(self._fault, str):
            return self._fault
        raise self._fault


class Watched:
    """A model that keeps the prompts it is sent."""

    def __init__(self, llm: ChatFunction) -> None:
        self._llm: Any = llm
        self.prompts: list[str] = []

    def __call__(self, messages: list[Message]) -> str:
        """The model's answer."""
        self.prompts.append(str(messages[-1]["content"]))
        answer: str = self._llm(messages)
        return answer

    @property
    def learnt(self) -> list[str]:
        """The new lines of each prompt; "" for a prompt that has none."""
        return [prompt.partition("<new_lines>")[2] for prompt in self.prompts]


def save_all(memory: BaseMemory) -> None:
    """Save all exchanges, whatever is raised."""
    for said, answer in SAID:
        try:
            memory.save_context({"input": said}, {"output": answer})
        except (ModelError, KeyboardInterrupt):
            continue


@pytest.mark.parametrize("name", MODEL_BACKED)
@pytest.mark.parametrize(
    "fault", [OSError("down"), "I'm sorry, but I can't help with that.", KeyboardInterrupt()], ids=repr
)
class TestFaults:
    """A fault at each call, one after the other."""

    def test_are_made_up_for_by_the_next_call(
        self, name: str, fault: BaseException | str, make: Make, clerk: ChatFunction
    ) -> None:
        """After a fault at any call, the next calls lead to what would be without it (I3, I4, F1, F2, F3)."""
        expected, calls = undisturbed(make(name))
        for position in range(calls):
            memory = make(name, llm=FailsOnce(clerk, position, fault))
            save_all(memory)
            assert outcome(memory) == expected, f"after a fault at call {position} of {calls}"

    def test_are_made_up_for_by_another_process(
        self, name: str, fault: BaseException | str, make: Make, clerk: ChatFunction
    ) -> None:
        """The same holds if the process ends with the fault, and another one goes on with the conversation (I2, P2)."""
        expected, calls = undisturbed(make(name))
        for position in range(calls):
            memory = make(name, llm=FailsOnce(clerk, position, fault))
            for said, answer in SAID:
                try:
                    memory.save_context({"input": said}, {"output": answer})
                except (ModelError, KeyboardInterrupt):
                    memory = make(name, memory.store)
            assert outcome(memory) == expected, f"after a fault at call {position} of {calls}"


@pytest.mark.parametrize("name", MODEL_BACKED)
class TestOpening:
    """A log that another strategy wrote."""

    def test_sends_several_bounded_prompts(self, name: str, make: Make, clerk: ChatFunction) -> None:
        """A long log is taken in by steps: no prompt has more than some pages, and each message is in one of them."""
        store = InMemoryStore()
        buffer = ConversationBufferMemory(store=store, conversation_id="a")
        for number in range(150):
            buffer.save_context({"input": f"#{number}# {'blah ' * 40}"}, {"output": "ok"})
        short = "The user talks."  # the clerk's own summaries grow with the log
        model = Watched(lambda sent: short if "Task: summary." in sent[-1]["content"] else clerk(sent))
        make(name, store, llm=model).load_memory_variables(QUESTION)
        assert max(map(len, model.prompts)) < 25_000
        assert 3 <= sum(map(bool, model.learnt)) <= 20
        assert [sum(f"#{number}#" in lines for lines in model.learnt) for number in range(150)] == [1] * 150

    def test_cuts_a_message_that_no_prompt_has_room_for(self, name: str, make: Make, clerk: ChatFunction) -> None:
        """The beginning and the end of a long message are learnt from, with a note of what is missing in between."""
        store = InMemoryStore()
        writer = ConversationBufferMemory(store=store, conversation_id="a")
        for text in ("small", f"BEGINNING {'x' * 50_000} END", "small again"):
            writer.save_context({"input": text}, {"output": "ok"})
        model = Watched(clerk)
        memory = make(name, store, llm=model)
        memory.load_memory_variables(QUESTION)
        cut = next(lines for lines in model.learnt if "BEGINNING" in lines)
        assert re.search(r"BEGINNING x+\n\[\.\.\. [\d,]+ characters left out \.\.\.\]\nx+ END", cut)
        assert max(map(len, model.learnt)) < 12_000
        assert drive(store.read_state("a", memory.learners[0].name)).watermark >= 4
        assert memory.set_aside() == []


@pytest.mark.parametrize("name", ["summary", "knowledge-graph"])
def test_a_long_exchange_is_learnt_in_parts(name: str, make: Make, clerk: ChatFunction) -> None:
    """Of an exchange that no prompt has room for, each message is learnt from once and as it is."""
    store = InMemoryStore()
    steps: list[Message] = [{"role": "assistant", "content": f"step {n}, {'on we go, ' * 400}"} for n in range(10)]
    writer = ConversationBufferMemory(store=store, conversation_id="a")
    writer.add_messages([{"role": "user", "content": "Go."}, *steps])
    model = Watched(clerk)
    make(name, store, llm=model).settle()
    assert [sum(f"step {n}," in lines for lines in model.learnt) for n in range(10)] == [1] * 10
    assert not any("left out" in lines for lines in model.learnt)


@pytest.mark.parametrize("name", ["summary", "entity", "knowledge-graph"])
def test_never_cuts_a_turn(name: str, make: Make, clerk: ChatFunction) -> None:
    """What was saved together is learnt from together, however the steps fall (T2)."""
    store = InMemoryStore()
    writer = ConversationBufferMemory(store=store, conversation_id="a")
    for _ in range(40):
        writer.add_messages([{"role": "user", "content": f"part {part} {'of it ' * 80}"} for part in range(3)])
    model = Watched(clerk)
    make(name, store, llm=model).settle()
    assert sum(lines.count("part 0") for lines in model.learnt) == 40
    assert sum(map(bool, model.learnt)) > 2
    assert [lines.count("part 0") for lines in model.learnt] == [lines.count("part 2") for lines in model.learnt]


@pytest.mark.parametrize("name", MODEL_BACKED)
def test_a_save_is_stored_before_the_model_is_asked(name: str, make: Make, clerk: ChatFunction) -> None:
    """When the model is asked, what was said is in the store already (I2)."""
    store = InMemoryStore()
    seen: list[int] = []

    def watching(messages: list[Message]) -> str:
        seen.append(len(drive(store.read("a"))))
        answer: Any = clerk(messages)
        return str(answer)

    memory = make(name, store, llm=watching)
    for said, answer in SAID[:2]:
        memory.save_context({"input": said}, {"output": answer})
    assert set(seen) <= {2, 4}
    assert seen


@pytest.mark.parametrize("name", MODEL_BACKED)
def test_a_retry_learns_nothing_twice(name: str, make: Make, clerk: ChatFunction) -> None:
    """Saving a turn again that failed after it was stored changes nothing but what it failed to learn (I2, F2)."""
    expected, _ = undisturbed(make(name))
    memory = make(name, llm=FailsOnce(clerk, 0, OSError("down")))
    for number, (said, answer) in enumerate(SAID):
        for _ in range(2):
            try:
                memory.save_context({"input": said}, {"output": answer}, turn_id=f"{number}")
            except ModelError:
                continue
    assert outcome(memory) == expected


def test_what_another_thread_hears_of_meanwhile_is_learnt_by_the_next_load() -> None:
    """An exchange that comes when the learner has just looked for one is not taken for what it has seen."""
    other = ConversationBufferMemory(conversation_id="a")

    class Interrupted(ConversationKGMemory):
        """The exchange comes, and this memory reads it, while it is told that nothing else is due."""

        def is_over_limit(self, state: State) -> bool:
            if state.watermark == 2:
                other.save_context({"input": "Meanwhile"}, {"output": "ok"})
                drive(self.log.refreshed())
            return super().is_over_limit(state)

    memory = Interrupted(llm=lambda _: "NONE", store=other.store, conversation_id="a", learn_every=1)
    memory.save_context({"input": "hi"}, {"output": "hello"})
    memory.load_memory_variables({"input": "hi"})
    assert drive(memory.store.read_state("a", memory.learners[0].name)).watermark == 4
