"""The conversation of the pages about classes, and what each class shows of it."""

from datetime import UTC, datetime
from typing import Any

import memzoo
from memzoo.memories import BaseMemory
from memzoo.stores import InMemoryStore, Message

TALK = (
    ("Hi, I'm Mara and I run a bakery.", "Nice to meet you, Mara!"),
    ("My sister Anna lives in Oslo.", "I will remember that."),
    ("We open at seven and close at four.", "Long days."),
    ("Our best seller is the cardamom bun.", "That sounds delicious."),
    ("Anna moved to Bergen last week.", "So Anna lives in Bergen now."),
    ("We need forty kilos of flour each week.", "I can help you order it."),
)
QUESTION = "Where does Anna live?"

OPTIONS: dict[str, dict[str, Any]] = {
    "ConversationBufferWindowMemory": {"k": 2},
    "ConversationSummaryMemory": {"max_state_tokens": 40, "learn_every": 1},
    "ConversationSummaryBufferMemory": {"max_token_limit": 50, "max_state_tokens": 40},
    "ConversationEntityMemory": {"k": 1, "learn_every": 1},
    "ConversationKGMemory": {"learn_every": 1},
    "VectorStoreRetrieverMemory": {"max_token_limit": 85},
    "MessageWindowMemory": {"max_messages": 5},
    "TokenWindowMemory": {"max_token_limit": 50},
    "SummarizingWindowMemory": {"max_messages": 4, "max_state_tokens": 40},
    "CombinedMemory": {"memories": [("knowledge-graph", {"llm": "offline", "learn_every": 1}), ("window", {"k": 1})]},
}
_ASKING = ("Summar", "Summary", "Entity", "KG")


def options_of(name: str) -> dict[str, Any]:
    """The options with which a class is shown; limits are small, so that they are seen to act."""
    model = {"llm": "offline"} if any(part in name for part in _ASKING) else {}
    return {**OPTIONS.get(name, {}), **model}


def made(name: str) -> BaseMemory:
    """A memory of a class."""
    store = InMemoryStore(clock=lambda: datetime(2026, 5, 8, tzinfo=UTC))
    return memzoo.create_memory(name, store=store, token_counter="approximate", **options_of(name))


def asked(exchange: int) -> str:
    """What the user says after so many exchanges."""
    return TALK[exchange][0] if exchange < len(TALK) else QUESTION


def shown(name: str) -> list[list[Message]]:
    """What the model is shown after each exchange, when the user speaks next."""
    memory, views = made(name), list[list[Message]]()
    for number, (said, answer) in enumerate(TALK, 1):
        memory.save_context({"input": said}, {"output": answer})
        views.append(memory.messages(asked(number)))
    return views


def shown_at_the_end(name: str) -> list[Message]:
    """What the model is shown for the question."""
    return shown(name)[-1]
