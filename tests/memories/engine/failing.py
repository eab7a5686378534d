"""What tests of failing models share: a model that answers by rule, but fails at some prompts, and a clock."""

import itertools
from collections.abc import Callable
from typing import Any

from memzoo.memories import BaseMemory, create_memory
from memzoo.memories.models.chat import ChatFunction
from memzoo.stores import Message

TURNS = 100


def count_quarters(message: Message) -> int:
    """Four characters are a token, so that the figures do not follow the estimate."""
    return -(-len(message["content"]) // 4)


ASKING: dict[str, dict[str, Any]] = {
    "summary": {},
    "summary-buffer": {"max_token_limit": 100, "token_counter": count_quarters},
    "entity": {},
    "knowledge-graph": {},
    "summarizing-window": {"max_messages": 4},
}
NEVER, POISON, ALWAYS = "healthy", "one bad exchange", "down"


class Scripted:
    """A model that answers by rule, but fails at some prompts; it counts calls and failures."""

    def __init__(self, fails: Callable[[str], bool]) -> None:
        self.fails = fails
        self.calls = self.failures = 0

    def __call__(self, messages: list[Message]) -> str:
        """An answer, or a failure."""
        prompt = str(messages[0]["content"])
        self.calls += 1
        if self.fails(prompt):
            self.failures += 1
            raise RuntimeError("400: this prompt was refused")
        return next((reply for task, reply in REPLIES.items() if f"Task: {task}" in prompt), "Sam")


REPLIES = {"summary": "A summary.", "triple_extraction": "Sam | likes | tea", "entity_notes": "Sam: likes tea"}
FAILS: dict[str, Callable[[str], bool]] = {
    NEVER: lambda _: False,
    POISON: lambda prompt: "POISON" in prompt,
    ALWAYS: lambda _: True,
}


class Clock:
    """Half a minute passes with each turn."""

    now = 0.0

    def __call__(self) -> float:
        """The time in seconds."""
        return self.now


def make(name: str, model: ChatFunction, clock: Clock | None = None, **options: Any) -> BaseMemory:
    """A memory that asks the model at each save, and logs what fails."""
    common = {"on_model_error": "defer", "token_counter": "approximate", "conversation_id": "a", "learn_every": 1}
    options = common | options
    return create_memory(name, llm=model, clock=clock or itertools.count(step=1000).__next__, **options)


def turn(memory: BaseMemory, clock: Clock, number: int, *, bad: bool = False) -> None:
    """Load and save once."""
    clock.now += 30
    memory.load_memory_variables({"input": "Sam?"})
    said = f"Sam says {number}, and {'POISON' if bad else 'other words that take their place'}"
    memory.save_context({"input": said}, {"output": f"Noted: {number}"})


def talked(name: str, weather: str) -> tuple[BaseMemory, Scripted]:
    """A memory after 100 turns."""
    model, clock = Scripted(FAILS[weather]), Clock()
    memory = make(name, model, clock, **ASKING[name])
    for number in range(TURNS):
        turn(memory, clock, number, bad=number == 5)
    return memory, model
