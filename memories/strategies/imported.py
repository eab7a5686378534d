"""Checks, before an import, that strategies can continue the conversation."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memzoo.memories.base import BaseMemory
from memzoo.memories.strategies.named import FURTHER, SEVEN, strategy_named
from memzoo.memories.text.messages import checked
from memzoo.stores import Entry, InMemoryStore, Store, StoredState

_ID = "imported"


async def check_import(entries: Sequence[Entry], states: Mapping[str, StoredState]) -> None:
    """Check the messages and the states of a conversation to be imported.

    Each strategy must be able to load its state. No model is asked. States of strategies outside memzoo are skipped.

    Raises:
        ValueError: A message is invalid, or a strategy cannot load its state; the error names the message or the state.
    """
    for entry in entries:
        checked(entry.message)
    for name, state in states.items():
        scratch = InMemoryStore()
        await scratch.restore(_ID, entries, {name: state})
        for memory in _owners(name, scratch):
            try:
                # A query with all texts of the state makes the strategy read the whole state.
                query = json.dumps(dict(state.items), ensure_ascii=False)
                await memory.aload_memory_variables({"input": query})
                await memory.amessages(query)
            except Exception as error:
                raise ValueError(f"{type(memory).__name__} cannot load the state {name!r}: {error!r}") from error


def _owners(name: str, store: Store) -> Iterator[BaseMemory]:
    """Yield the memory that keeps the state with this name; nothing for a state of a strategy outside memzoo."""
    short, _, rest = name.partition("/")
    if short not in {**SEVEN, **FURTHER} or short == "combined":
        return
    # Without learning: a model would be asked, and its failures logged.
    options: dict[str, Any] = {"token_counter": "approximate", "llm": "offline", "learn": "later"}
    if rest == "langchain4j":
        options["rules"] = rest
    memory = strategy_named(short)(store=store, conversation_id=_ID, **options)
    if name in [learner.name for learner in memory.learners]:
        yield memory
