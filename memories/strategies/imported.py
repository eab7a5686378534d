"""Checks, before an import, that strategies can continue the conversation."""

import contextlib
import logging
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, cast

from memzoo.errors import ModelError
from memzoo.memories.base import BaseMemory
from memzoo.memories.strategies.model_backed import ModelBackedMemory
from memzoo.memories.strategies.named import FURTHER, SEVEN, strategy_named
from memzoo.memories.text.messages import checked
from memzoo.stores import Entry, InMemoryStore, Store, StoredState

__all__ = ["check_import"]

_ID, _COUNTER = "imported", "approximate"

logger = logging.getLogger("memzoo")

_trying: ContextVar[bool] = ContextVar("memzoo_trying", default=False)


async def check_import(entries: Sequence[Entry], states: Mapping[str, StoredState]) -> None:
    """Check the messages and the states of a conversation to be imported.

    Each strategy must be able to load its state. No model is asked. States of strategies outside memzoo are skipped.

    Raises:
        ValueError: A message is invalid, or a strategy cannot load its state; the error names the message or the state.
    """
    for entry in entries:
        checked(entry.message)
    for name, state in states.items():
        _check_names(name, state)
        scratch = InMemoryStore()
        await scratch.restore(_ID, entries, {name: state})
        for memory in _owners(name, scratch):
            try:
                await _try(memory, state)
            except Exception as error:
                raise ValueError(f"{type(memory).__name__} cannot load the state {name!r}: {error!r}") from error


async def _try(memory: BaseMemory, state: StoredState) -> None:
    # A query with all texts of the state makes the strategy read the whole state.
    query = " ".join(sorted({*state.items, *_texts(state.items)}))
    with _silence():
        await memory.aload_memory_variables({"input": query})
        await memory.amessages(query)


@contextlib.contextmanager
def _silence() -> Generator[None]:
    """Silence memzoo's warnings, such as "no model answers", in this context only."""

    def passes(_: logging.LogRecord) -> bool:
        return not _trying.get()

    token = _trying.set(True)
    logger.addFilter(passes)
    try:
        yield
    finally:
        logger.removeFilter(passes)
        _trying.reset(token)


def _owners(name: str, store: Store) -> Iterator[BaseMemory]:
    """Yield the memory that keeps the state with this name; nothing for a state of a strategy outside memzoo."""
    short, _, rest = name.partition("/")
    if short not in {**SEVEN, **FURTHER} or short == "combined":
        return
    options: dict[str, Any] = {"rules": "langchain4j"} if rest == "langchain4j" else {}
    if issubclass(strategy_named(short), ModelBackedMemory):
        options |= {"llm": _no_model, "on_model_error": "defer"}
    memory = strategy_named(short)(store=store, conversation_id=_ID, token_counter=_COUNTER, **options)
    if name in [learner.name for learner in memory.learners]:
        yield memory


def _no_model(_: object) -> str:
    raise ModelError("an import asks no model")


def _check_names(name: str, state: StoredState) -> None:
    """Refuse a state with a circle of other names, such as A for B and B for A."""
    others: dict[str, str] = {key: str(item["of"]) for key, item in state.items.items() if "of" in _members(item)}
    for first, other in others.items():
        seen, key = {first}, other
        while key in others and key not in seen:
            seen.add(key)
            key = others[key]
        if key in seen:
            raise ValueError(f"in the state {name!r}, the other names of {key!r} lead back to {key!r}")


def _members(value: Any) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _texts(value: Any) -> Iterator[str]:
    """Yield all texts in JSON values."""
    if isinstance(value, str):
        yield value
    inner: Iterable[Any] = _members(value).values() or (value if isinstance(value, list) else ())
    for one in inner:
        yield from _texts(one)
