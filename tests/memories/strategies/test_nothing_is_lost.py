"""No sentence leaves a state unless the model saw it and left it out, however long what is known and what is said."""

import itertools
import re
from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as some

from memzoo.errors import ModelReplyError
from memzoo.memories import (
    BaseMemory,
    ConversationEntityMemory,
    ConversationKGMemory,
    ConversationSummaryBufferMemory,
    ConversationSummaryMemory,
)
from memzoo.memories.strategies.entity_notes import statements_in
from memzoo.memories.text.language import sentences
from memzoo.stores import Message
from memzoo.sync import drive

NAMES = ["Anna", "Bo", "Cleo Hall"]
exchanges = some.lists(some.tuples(some.sampled_from([1, 40, 400]), some.booleans()), min_size=1, max_size=8)


class Forgetful:
    """A model that leaves out some of what it is shown, and adds a long sentence of its own each time."""

    def __init__(self, size: int, leaves_out: int, most: int = 1000) -> None:
        self._numbers, self._size, self._leaves_out, self._most = itertools.count(1), size, leaves_out, most
        self.prompts: list[str] = []

    def __call__(self, messages: list[Message]) -> str:
        """Answer by what the prompt asks for."""
        prompt = str(messages[-1]["content"])
        if prompt.partition("<new_lines>")[2].count(" met at ") > self._most:
            error = ModelReplyError("cut off")
            error.cut_after = 0
            raise error
        self.prompts.append(prompt)
        number = next(self._numbers)
        new = f"Fact {number} is {'very ' * self._size}true."
        if prompt.startswith("Task: summary"):
            old = prompt.partition("<summary>\n")[2].partition("\n</summary>")[0]
            return " ".join([*self._kept(old), new])
        if prompt.startswith("Names"):
            return "\n".join(NAMES)
        if "triple_extraction" in prompt:
            return f"Anna | knows | fact {number}"
        lines = re.findall(r"^(?:About )(Anna|Bo|Cleo Hall): ?(.*)$", prompt, re.MULTILINE)
        if prompt.startswith("Task: entity_notes"):
            return "\n".join([f"{name}: {new}" for name in NAMES] + ["[1] -> NO LONGER"] * (number % 3 == 0))
        return "\n".join(f"{name}: {' '.join([*self._kept(note), new])}" for name, note in lines)

    def _kept(self, text: str) -> list[str]:
        return [one for place, one in enumerate(sentences(text)) if place % 7 != self._leaves_out]


def told(memory: BaseMemory) -> set[str]:
    """All sentences in the state, also those that hold no more."""
    items: Mapping[str, Any] = drive(memory.store.read_state(memory.conversation_id, memory.learners[0].name)).changes
    if "summary" in items:
        return set(sentences(items["summary"]))
    facts = {f"{one['subject']} {one['relation']} {one['object']}" for one in items.values() if "subject" in one}
    return facts | {told.text for item in items.values() if "statements" in item for told in statements_in(item)}


def checked(
    make: Callable[..., BaseMemory], said: list[tuple[int, bool]], limit: int, *, size: int, left: int, most: int = 1000
) -> None:
    """Save exchanges, some of them several at once, and look after each what is gone from the state."""
    model = Forgetful(size, left, most)
    memory = make(llm=model, max_prompt_tokens=limit)
    for number, (words, at_once) in enumerate(said):
        before, asked = told(memory), len(model.prompts)
        exchange = [
            {"role": "user", "content": f"Anna and Bo met at {number}. {'They talked. ' * words}"},
            {"role": "assistant", "content": "Cleo Hall too?"},
        ]
        memory.add_messages(exchange * (3 if at_once else 1))
        seen = "\n".join(model.prompts[asked:])
        assert [one for one in before - told(memory) if one not in seen] == []
        assert not re.search(r"<(?:summary|known)>(?:(?!</).)*characters left out", seen, re.DOTALL)


limits = some.sampled_from([1536, 1800, 2500, 6000])


@given(exchanges, limits, some.sampled_from([1, 60, 300]), some.integers(0, 7), some.sampled_from([None, 5, 100, 1000]))
def test_of_a_summary(said: list[tuple[int, bool]], limit: int, size: int, left: int, most: int | None) -> None:
    """A summary that has no room in a prompt is written anew in part; one over its limit is shortened by the model."""

    def make(**options: Any) -> BaseMemory:
        return ConversationSummaryMemory(max_state_tokens=most, token_counter="approximate", **options, learn_every=1)

    checked(make, said, limit, size=size, left=left)


@settings(max_examples=10)
@given(exchanges, limits, some.sampled_from([1, 60, 300]), some.integers(0, 7))
def test_of_a_summary_before_newer_messages(said: list[tuple[int, bool]], limit: int, size: int, left: int) -> None:
    """As that of all: what it has not taken in is still shown."""

    def make(**options: Any) -> BaseMemory:
        return ConversationSummaryBufferMemory(max_token_limit=40, token_counter="approximate", **options)

    checked(make, said, limit, size=size, left=left)


@settings(max_examples=10)
@given(exchanges, limits, some.sampled_from([1, 60, 300]))
def test_of_notes(said: list[tuple[int, bool]], limit: int, size: int) -> None:
    """Notes grow by amendments: nothing leaves them at all."""
    checked(ConversationEntityMemory, said, limit, size=size, left=7)


@settings(max_examples=10)
@given(exchanges, limits)
def test_of_a_graph(said: list[tuple[int, bool]], limit: int) -> None:
    """Facts stay, shown or not."""
    checked(ConversationKGMemory, said, limit, size=1, left=7)


@settings(max_examples=10)
@given(
    exchanges, limits, some.sampled_from([ConversationEntityMemory, ConversationKGMemory, ConversationSummaryMemory])
)
def test_of_replies_that_are_cut_off(said: list[tuple[int, bool]], limit: int, make: Callable[..., BaseMemory]) -> None:
    """Where a model answers to one exchange at most, several are learnt one after another, and nothing is lost."""
    checked(make, said, limit, size=1, left=7, most=1)


def test_a_limit_of_notes_takes_the_least_worth() -> None:
    """Where notes may not grow any further, what was corrected goes first, then what was said longest ago."""
    replies = iter(["Bo: Is a cat.\nBo: Is 3.", "[2] -> Is 4.\nBo: Likes tea.", "Bo: Likes milk.", "Bo: Likes fish."])
    memory = ConversationEntityMemory(llm=lambda _: next(replies), max_state_tokens=13, learn_every=1)
    left: list[set[str]] = []
    for said in ("Bo is a cat of 3", "No, of 4, Bo likes tea", "Bo likes milk", "Bo likes fish"):
        memory.save_context({"input": said}, {"output": "ok"})
        left.append(told(memory))
    assert left[1:] == [
        {"Is a cat.", "Is 3.", "Is 4.", "Likes tea."},
        {"Is a cat.", "Is 4.", "Likes tea.", "Likes milk."},
        {"Is a cat.", "Likes milk.", "Likes fish."},
    ]


def test_a_limit_of_facts_takes_the_least_worth() -> None:
    """A graph lets go of what was corrected, then of what was said longest ago."""
    replies = iter(["Bo | lives in | Oslo", "Bo | lives in | Rome\nBo | likes | tea", "Bo | likes | milk"])
    memory = ConversationKGMemory(llm=lambda _: next(replies), max_state_tokens=20, learn_every=1)
    for said in ("Bo lives in Oslo", "Bo lives in Rome now, and likes tea", "Bo likes milk"):
        memory.save_context({"input": said}, {"output": "ok"})
    assert told(memory) == {"Bo lives in Rome", "Bo likes tea", "Bo likes milk"}
