"""Whatever is said and however long it is: the tail fits the limit, and summary and tail together are everything."""

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from hypothesis import given
from hypothesis import strategies as some

from memzoo.memories import ConversationSummaryBufferMemory
from memzoo.stores import InMemoryStore, Message


def listing(messages: list[Message]) -> str:
    """A model whose summary is the list of all messages that it was ever given."""
    given_to_it = str(messages[-1]["content"]).partition("<summary>")[2].partition("Write the new")[0]
    return " ".join(re.findall(r"#\d+", given_to_it))


@dataclass
class Sizes:
    """A token counter: "#3 500" has 500 tokens. It knows how often it counted each text."""

    counted: Counter[str] = field(default_factory=Counter[str])

    def __call__(self, message: Message) -> int:
        """The tokens of a message: two a word for a summary."""
        text = str(message["content"])
        self.counted[text] += 1
        return int(text.split()[1]) if message["role"] != "system" else 2 * len(text.split())


exchanges = some.lists(some.tuples(some.integers(0, 30), some.integers(0, 30)), min_size=1, max_size=12)
limits = some.lists(some.integers(0, 60), min_size=1, max_size=4)


def check(memory: ConversationSummaryBufferMemory, told: int) -> None:
    """Nothing is lost, nothing is doubled, nothing is over the limit."""
    shown = memory.load_memory_variables({})["history"]
    tail = [message for message in shown if message["role"] != "system"]
    known = [*memory.summary.split(), *(str(message["content"]).split()[0] for message in tail)]
    assert known == [f"#{number}" for number in range(told)]
    room = memory.max_token_limit - (2 * len(memory.summary.split()) if memory.count_summary else 0)
    assert sum(int(str(message["content"]).split()[1]) for message in tail) <= max(room, 0)


@given(exchanges, limits, some.fixed_dictionaries({"count_summary": some.booleans()}))
def test_tail_fits_and_nothing_is_lost(said: list[tuple[int, int]], opened: list[int], option: dict[str, Any]) -> None:
    """For any sizes, and opened again and again with any limits, the promise holds after each save (B1, B3, P1, I4)."""
    store = InMemoryStore()
    for place, exchange in enumerate(said):
        memory = ConversationSummaryBufferMemory(
            llm=listing,
            max_token_limit=opened[place % len(opened)],
            **option,
            token_counter=Sizes(),
            return_messages=True,
            store=store,
            conversation_id="a",
        )
        check(memory, 2 * place)
        calls = memory.usage["summary"].calls
        texts = [f"#{2 * place + side} {size}" for side, size in enumerate(exchange)]
        memory.save_context({"input": texts[0]}, {"output": texts[1]})
        assert memory.count_summary or memory.usage["summary"].calls - calls <= 1
        check(memory, 2 * place + 2)


@given(exchanges, limits)
def test_each_message_is_counted_once_in_its_life(said: list[tuple[int, int]], opened: list[int]) -> None:
    """A memory counts each message that it shows once, however often it is loaded (C1, I10)."""
    sizes = Sizes()
    memory = ConversationSummaryBufferMemory(llm=listing, max_token_limit=opened[0], token_counter=sizes)
    for place, exchange in enumerate(said):
        if place:
            memory.load_memory_variables({})
        memory.save_context({"input": f"#{2 * place} {exchange[0]}"}, {"output": f"#{2 * place + 1} {exchange[1]}"})
        memory.messages()
    assert sizes.counted.total() == 2 * len(said)
