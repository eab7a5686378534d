"""The summarising window: past a number of messages, all before the newest question become one summary message."""

from typing import Any

import pytest

from memzoo.errors import ModelError
from memzoo.memories import SummarizingWindowMemory
from memzoo.stores import InMemoryStore
from memzoo.testing import MemoryContract, ScriptedModel
from tests.conversations import call, result, said

S = said("system", "Be brief.")


def told(model: ScriptedModel, *exchanges: tuple[str, str], **options: Any) -> SummarizingWindowMemory:
    """A memory that distils four messages, and was told some exchanges."""
    memory = SummarizingWindowMemory(llm=model, max_messages=4, **options)
    for question, answer in exchanges:
        memory.save_context({"input": question}, {"output": answer})
    return memory


NEMO = [("Hey there! I'm Nemo.", "Hello!"), ("How are you today?", "Fine thanks!"), ("What is my name?", "Nemo.")]


def contents(memory: SummarizingWindowMemory) -> list[str]:
    """What is shown."""
    return [message["content"] for message in memory.messages()]


def test_distils_all_but_the_newest_exchange() -> None:
    """LangChain.js' example: with four messages before the newest question, they become one."""
    model = ScriptedModel("Nemo greeted the assistant.")
    memory = told(model, *NEMO[:2])
    assert len(memory.messages()) == 4
    assert model.asked == []
    memory.save_context({"input": NEMO[2][0]}, {"output": NEMO[2][1]})
    assert contents(memory) == ["Nemo greeted the assistant.", "What is my name?", "Nemo."]
    assert "Human: How are you today?" in model.asked[0][1]
    assert "What is my name?" not in model.asked[0][1]
    assert len(memory.history()) == 6


def test_works_while_the_question_is_open() -> None:
    """A question that was stored before it is answered is kept word for word, at once behind the summary."""
    memory = told(ScriptedModel("Nemo greeted the assistant."), *NEMO[:2])
    memory.add_messages([said("user", "What is my name?")])
    assert memory.messages() == [said("system", "Nemo greeted the assistant."), said("user", "What is my name?")]


def test_the_summary_is_distilled_with_the_rest_the_next_time() -> None:
    """A summary counts as one message, and the next one takes it in."""
    model = ScriptedModel("first", "second")
    memory = told(model, *NEMO, ("4", "four"))
    assert len(model.asked) == 1
    memory.save_context({"input": "5"}, {"output": "five"})
    assert contents(memory) == ["second", "5", "five"]
    assert "first" in model.asked[1][1]
    assert "How are you" not in model.asked[1][1]


def test_a_failing_model_hides_nothing() -> None:
    """While the model fails all messages are shown, and the next save distils them (I4)."""
    model = ScriptedModel(ModelError("down"), "summary")
    memory = told(model, *NEMO[:2])
    with pytest.raises(ModelError):
        memory.save_context({"input": "3"}, {"output": "three"})
    assert contents(memory)[-2:] == ["3", "three"]
    assert len(memory.messages()) == 6
    memory.save_context({"input": "4"}, {"output": "four"})
    assert contents(memory) == ["summary", "4", "four"]


def test_the_system_message_is_no_part_of_it() -> None:
    """The system message stays as it was said, before the summary; another one replaces it."""
    model = ScriptedModel("first", "second")
    memory = SummarizingWindowMemory(llm=model, max_messages=4)
    memory.add_messages([S])
    for question, answer in NEMO:
        memory.save_context({"input": question}, {"output": answer})
    assert contents(memory)[:2] == ["Be brief.", "first"]
    assert "Be brief" not in model.asked[0][1]
    memory.add_messages([said("system", "Be kind.")])
    assert contents(memory)[:2] == ["Be kind.", "first"]
    for question, answer in NEMO[:2]:
        memory.save_context({"input": question}, {"output": answer})
    assert contents(memory)[:2] == ["Be kind.", "second"]


def test_tools_and_pictures_are_told_in_words() -> None:
    """The model reads what was called, what came of it, and that there was a picture."""
    model = ScriptedModel("summary")
    memory = SummarizingWindowMemory(llm=model, max_messages=4)
    picture = {"type": "image_url", "image_url": {"url": "https://example.com/cat.png"}, "caption": "a cat"}
    memory.add_messages([{"role": "user", "content": [{"type": "text", "text": "Who is it?"}, picture]}])
    memory.add_messages([call("c"), result("c", "It is Pixel."), said("assistant", "Pixel."), said("user", "Sure?")])
    asked = model.asked[0][1]
    assert "Human: Who is it?\n[image: a cat]" in asked
    assert 'AI: [calls look_up({"what": "tea"})]\nTool: It is Pixel.\nAI: Pixel.' in asked
    assert contents(memory) == ["summary", "Sure?"]


def test_a_live_tool_loop_is_never_distilled() -> None:
    """What follows the newest question stays, however much it is."""
    model = ScriptedModel("summary")
    memory = told(model, *NEMO[:2])
    memory.add_messages([said("user", "Look it up.")])
    for number in range(9):
        memory.add_messages([call(f"{number}"), result(f"{number}")])
    assert memory.messages()[1:] == memory.history()[4:]
    assert len(model.asked) == 1


def test_survives_being_opened_again() -> None:
    """Another memory of the conversation shows the same and asks for nothing."""
    store = InMemoryStore()
    first = told(ScriptedModel("summary"), *NEMO, store=store, conversation_id="a")
    assert contents(told(ScriptedModel(), store=store, conversation_id="a")) == contents(first)


class TestContract(MemoryContract):
    """The contract of all strategies."""

    strategy = SummarizingWindowMemory

    def flaky(self, **options: Any) -> Any:
        """The first exchange is never distilled: see above for what a failing model does."""
        pytest.skip("asks no model at the first exchange")
