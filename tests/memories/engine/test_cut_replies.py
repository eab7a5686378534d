"""A reply that is cut off is never learnt from: it is asked for again, shorter, and nothing is lost."""

import json
import re
from typing import Any

import openai
import pytest

from memzoo.errors import ModelReplyError
from memzoo.http_library import http
from memzoo.memories import ChatModel, ConversationKGMemory, ConversationSummaryMemory, create_memory
from memzoo.sync import drive

SAID = [f"My friend {name} moved to Oslo." for name in ("Anna", "Bo", "Cleo", "Dan", "Eve")]


class Terse:
    """An endpoint whose answers may have so many lines or letters; longer ones are cut off there."""

    def __init__(self, lines: int = 100, letters: int = 10_000) -> None:
        self.prompts: list[str] = []
        self._lines, self._letters = lines, letters
        sending = http.Client(transport=http.MockTransport(self._respond))
        self.model = ChatModel("terse", openai.OpenAI(api_key="none", max_retries=0, http_client=sending))

    def _respond(self, request: http.Request) -> http.Response:
        prompt = json.loads(request.content)["messages"][0]["content"]
        self.prompts.append(prompt)
        text = self._answer(prompt)
        whole = len(text) <= self._letters and text.count("\n") < self._lines
        given = "\n".join(text[: self._letters].split("\n")[: self._lines])
        message = {"role": "assistant", "content": given}
        choice: dict[str, Any] = {"index": 0, "finish_reason": "stop" if whole else "length", "message": message}
        return http.Response(200, json={"choices": [choice]})

    def _answer(self, prompt: str) -> str:
        if "at most " in prompt:
            most = int(prompt.partition("at most ")[2].partition(" tokens")[0])
            return ("Everybody moved to Oslo. " * 400)[: 4 * most]
        new = prompt.partition("<new_lines>")[2].partition("</new_lines>")[0]
        moved = re.findall(r"My friend (\w+) moved", new)
        notes = prompt.startswith("Task: entity_notes")
        return "\n".join(f"{name}: {name} moved." if notes else f"{name} | moved to | Oslo" for name in moved)


@pytest.mark.parametrize("name", ["entity", "knowledge-graph"])
def test_that_to_several_exchanges_is_asked_for_with_fewer(name: str) -> None:
    """Where the notes or facts of five exchanges do not fit a reply, fewer are asked for at once, in the same call."""
    terse = Terse(lines=2)
    memory = create_memory(name, llm=terse.model, learn_every=1)
    for text in SAID:
        memory.add_messages(
            [{"role": "user", "content": text}, {"role": "assistant", "content": "I see."}], learn=False
        )
    memory.settle()
    asked = [prompt.partition("<new_lines>")[2].count("My friend") for prompt in terse.prompts]
    assert asked[0] == len(SAID)
    assert max(asked[1:]) < len(SAID)
    shown = str(memory.load_memory_variables({"input": "Where do Anna, Bo, Cleo, Dan and Eve live?"}))
    assert all(name in shown for name in ("Anna", "Bo", "Cleo", "Dan", "Eve"))


@pytest.mark.parametrize("name", ["entity", "knowledge-graph"])
def test_that_to_one_exchange_is_asked_for_with_pieces_of_it(name: str) -> None:
    """Where the reply to one exchange is cut off, its messages are learnt one by one, and of one message the halves."""
    terse = Terse(lines=1)
    memory = create_memory(name, llm=terse.model, learn_every=1)
    memory.save_context({"input": " ".join(SAID)}, {"output": "My friend Flo moved to Oslo."})
    shown = str(memory.load_memory_variables({"input": "Anna, Bo, Cleo, Dan, Eve, Flo?"}))
    assert all(f"{name} moved" in shown for name in ("Anna", "Bo", "Cleo", "Dan", "Eve", "Flo"))
    asked = [prompt.partition("<new_lines>")[2].count("My friend") for prompt in terse.prompts]
    assert asked[0] == len(SAID) + 1
    assert asked.count(1) == len(SAID) + 1
    memory.relearn()
    assert str(memory.load_memory_variables({"input": "Anna, Bo, Cleo, Dan, Eve, Flo?"})) == shown


@pytest.mark.parametrize("name", ["entity", "knowledge-graph"])
def test_that_to_one_sentence_changes_nothing(name: str) -> None:
    """Of the beginning of a reply nothing is learnt; what was said is stored, and shown as long as it waits."""
    terse = Terse(lines=1)
    memory = create_memory(name, llm=terse.model, learn_every=1)
    said = "My friend Anna moved, and My friend Bo moved to Oslo"
    with pytest.raises(ModelReplyError, match="was cut off after"):
        memory.save_context({"input": f"My friend Cleo moved. {said}"}, {"output": "I see."})
    assert len(memory.history()) == 2
    assert said in str(memory.load_memory_variables({"input": "Who is Bo?"}))
    assert memory.usage.total.calls == len(terse.prompts) == 4
    assert drive(memory.learners[0].refresh()).items == {}


def test_of_a_summary_is_asked_for_once_more_shorter() -> None:
    """The second request allows three quarters of what came; the summary is whole."""
    terse = Terse(letters=1000)
    memory = ConversationSummaryMemory(llm=terse.model, learn_every=1)
    memory.save_context({"input": SAID[0]}, {"output": "I see."})
    allowed = [int(prompt.partition("at most ")[2].partition(" tokens")[0]) for prompt in terse.prompts]
    assert allowed == [1425, 192]
    assert len(memory.summary) <= 4 * 192
    assert memory.summary.startswith("Everybody moved to Oslo.")


def test_of_a_summary_by_a_template_without_a_length_is_an_error() -> None:
    """Where the template names no length, asking again would bring the same."""
    terse = Terse(letters=1)
    memory = ConversationSummaryMemory(
        llm=terse.model, prompts={"summary": "Sum up in at most 9 tokens {{ new_lines }}"}, learn_every=1
    )
    with pytest.raises(ModelReplyError):
        memory.save_context({"input": SAID[0]}, {"output": "I see."})
    assert (len(terse.prompts), memory.summary) == (1, "")


def test_tells_how_much_came() -> None:
    """The error says how many characters the model wrote."""
    with pytest.raises(ModelReplyError) as caught:
        ConversationKGMemory(llm=Terse(letters=4).model, learn_every=1).save_context(
            {"input": SAID[0]}, {"output": "I see."}
        )
    assert caught.value.cut_after == 4
