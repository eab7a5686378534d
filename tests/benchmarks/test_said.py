"""What was said so far, against what a buffer really shows."""

import random
from collections.abc import Iterator, Sequence

import pytest

from memzoo.benchmarks.measure.counting import TextCounter
from memzoo.benchmarks.measure.fitting import Said, fit
from memzoo.memories import ConversationBufferMemory
from memzoo.memories.text import messages as texts
from memzoo.stores import Message


def exchanges(chance: random.Random, count: int) -> Iterator[list[Message]]:
    """Exchanges with rules, tool calls, and results that are missing or belong to no call."""
    for number in range(count):
        said: list[Message] = [{"role": "user", "content": "word " * chance.randint(0, 9)}]
        if chance.random() < 0.3:
            said.insert(0, {"role": "system", "content": "rule " * chance.randint(1, 3)})
        if chance.random() < 0.2:
            said.append({"role": "system", "content": "other rule"})
        if chance.random() < 0.4:
            call = {"id": f"c{number}", "type": "function", "function": {"name": "look", "arguments": "{}"}}
            said.append({"role": "assistant", "content": "hm", "tool_calls": [call]})
            if chance.random() < 0.8:
                said.append({"role": "tool", "tool_call_id": f"c{number}", "content": "seen " * chance.randint(1, 9)})
        said.append({"role": "assistant", "content": "yes " * chance.randint(1, 9)})
        yield said


@pytest.mark.parametrize("seed", range(8))
def test_it_shows_what_a_buffer_shows(seed: int, words: TextCounter) -> None:
    """At each exchange, at any budget, and whole."""
    memory, said = ConversationBufferMemory(), Said(words)
    for exchange in exchanges(random.Random(seed), 40):  # noqa: S311
        memory.add_messages(exchange)
        said.add(exchange)
        shown = memory.messages()
        assert said.whole() == shown
        assert said.tokens == words.of_messages(shown)
        for budget in (1, 7, 30, 200):
            assert said.end(budget) == fit(shown, budget, words)


@pytest.mark.parametrize("first", ["user", "assistant"])
def test_its_request_begins_as_that_of_a_buffer(first: str, words: TextCounter) -> None:
    """A conversation that begins with an answer has a short user message before it."""
    memory, said = ConversationBufferMemory(), Said(words)
    talk = [{"role": "user", "content": "one"}, {"role": "assistant", "content": "two"}]
    talk = [*talk[first == "assistant" :], *talk]
    memory.add_messages(talk)
    said.add(talk)
    assert [*said.opening, *said.whole()] == memory.request("three")[:-1]


def test_a_look_at_the_end_costs_what_it_shows(words: TextCounter, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 20,000 messages, few are looked at."""
    looked: list[int] = []
    said = Said(words)
    for _ in range(10_000):
        said.add([{"role": "user", "content": "one two"}, {"role": "assistant", "content": "three"}])

    def sendable(messages: Sequence[Message]) -> list[Message]:
        looked.append(len(messages))
        return texts.sendable(messages)

    monkeypatch.setattr("memzoo.benchmarks.measure.fitting.sendable", sendable)
    assert words.of_messages(said.end(30)) == 30
    assert sum(looked) <= 60
