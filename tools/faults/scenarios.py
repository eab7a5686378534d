"""The scenarios of fault tests: a strategy over a store, and a talk that is the same in every run."""

import contextlib
import random
from collections.abc import Callable, Generator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from memzoo.memories import STRATEGIES, BaseMemory, CombinedMemory, create_memory
from memzoo.memories.engine.state import ATTEMPTS
from memzoo.stores import ChromaIndex, Entry, Message, Store, VectorIndex, open_store
from memzoo.stores.base import managed
from tests.clerk import clerk, eager

__all__ = [
    "ASKING",
    "CONVERSATION",
    "QUESTION",
    "SEVEN",
    "Ports",
    "Scenario",
    "aoutcome",
    "noon",
    "opened",
    "remember",
    "said",
]

SEVEN = list(STRATEGIES)
ASKING = ["summary", "summary-buffer", "entity", "knowledge-graph", "vector-retriever"]
CONVERSATION = "talk"
QUESTION = "What do Sam and Eve like?"


def noon() -> datetime:
    """Return the fixed time at which all messages are said."""
    return datetime(2026, 5, 8, 12, tzinfo=UTC)


@dataclass(frozen=True)
class Scenario:
    """A strategy over a store.

    Attributes:
        strategy: The strategy's short name, or "combined": all strategies of `ASKING` together. With an index, the
            strategy is combined with "vector-retriever", which uses the index.
        store: The URL of the store.
        index: A folder for Chroma; `None` for the exact index.
        learn_every: The number of exchanges in a portion.
    """

    strategy: str
    store: str
    index: str | None = None
    learn_every: int = 1


@dataclass(frozen=True)
class Ports:
    """The outside connections of a memory, which a fault can replace."""

    llm: Any = clerk
    embedder: Any = eager("vector-retriever")["embedder"]
    index: Callable[[VectorIndex], VectorIndex] = lambda index: index


def said(number: int, seed: int = 0) -> tuple[dict[str, str], dict[str, str]]:
    """Return the exchange with this number: a person's taste or place, which may contradict an earlier exchange."""
    chance = random.Random(f"{seed}-{number}")  # noqa: S311 - chance that repeats
    who, what = chance.choice(["Sam", "Eve", "Ann"]), chance.choice(["tea", "milk", "rice", "figs"])
    verb = chance.choice(["likes", "lives in", "does not like"])
    return {"input": f"{who} {verb} {what}{number % 7}"}, {"output": f"Noted as number {number}"}


@contextlib.contextmanager
def opened(scenario: Scenario, ports: Ports | None = None, **common: Any) -> Generator[BaseMemory]:
    """Yield the memory of a scenario; the end of the block closes its store."""
    with contextlib.ExitStack() as stack:
        store: Store = stack.enter_context(contextlib.closing(open_store(scenario.store, clock=noon)))
        index = stack.enter_context(contextlib.closing(ChromaIndex(path=scenario.index))) if scenario.index else None
        yield remember(scenario.strategy, store, ports, index, learn_every=scenario.learn_every, **common)


def remember(
    strategy: str, store: Store, ports: Ports | None = None, index: ChromaIndex | None = None, **common: Any
) -> BaseMemory:
    """Return a memory on a store that asks its model at each exchange, or each `learn_every`."""
    ports, every = ports or Ports(), common.setdefault("learn_every", 1)
    common = {"store": store, "conversation_id": CONVERSATION, "token_counter": "approximate", **common}
    searching: dict[str, Any] = {"embedder": ports.embedder} | ({"index": ports.index(index)} if index else {})
    names = ASKING if strategy == "combined" else [strategy, "vector-retriever"] if index else [strategy]
    own = {
        name: searching if name == "vector-retriever" else eager(name, ports.llm, every)
        for name in dict.fromkeys(names)
    }
    if len(own) > 1:
        return CombinedMemory(memories=list(own.items()), **common)
    return create_memory(strategy, **common | own[strategy])


async def aoutcome(memory: BaseMemory) -> dict[str, Any]:
    """Return all visible content of a memory: log, view, and each derived state with its embeddings."""
    store, id_ = memory.store, memory.conversation_id
    log: list[Entry] = await store.read(id_)
    view: list[Message] = await memory.amessages(QUESTION)
    states: dict[str, Any] = {}
    for learner in memory.learners:
        state = await store.read_state(id_, learner.name)
        known = {key: value for key, value in state.changes.items() if key != ATTEMPTS}
        states[learner.name] = (state.watermark, known)
        states[f"{learner.name} embeddings"] = await managed(store, "embeddings").embeddings(id_, learner.name)
    return {"log": log, "view": view, "variables": await memory.aload_memory_variables({"input": QUESTION}), **states}
