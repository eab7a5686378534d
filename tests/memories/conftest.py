"""What the tests of the strategies share: a function that answers our prompts by rule, so that nothing is chance."""

import itertools
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from memzoo.memories import BaseMemory, create_memory
from memzoo.memories.models.chat import ChatFunction
from memzoo.stores import InMemoryStore, Store
from tests import clerk as rules

NOON = datetime(2026, 5, 8, 12, tzinfo=UTC)


@pytest.fixture(scope="session")
def clerk() -> ChatFunction:
    """See `tests.clerk.clerk`."""
    return rules.clerk


@pytest.fixture(scope="session")
def make(clerk: ChatFunction) -> Callable[..., BaseMemory]:
    """Makes a memory of any strategy that asks the clerk, or another `llm`, at each exchange, all at the same time."""
    # So much time passes from one call to the next that a model which failed is asked again, by another memory too.
    clock = itertools.count(step=1000).__next__

    def memory(name: str, store: Store | None = None, *, llm: Any = clerk) -> BaseMemory:
        kept: Any = store or InMemoryStore()
        kept.clock = lambda: NOON
        return create_memory(name, store=kept, conversation_id="a", clock=clock, **rules.eager(name, llm))

    return memory
