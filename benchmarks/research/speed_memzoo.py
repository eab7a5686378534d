"""memzoo's calls that `speed` times.

Each function sets up the timing of one call; see `Maker` in `speed_timing`.
"""

import itertools
import shutil
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from memzoo.benchmarks.research.speed_talk import exchanges, messages, question
from memzoo.benchmarks.research.speed_timing import Maker, Place, Prepare, Repeat, again
from memzoo.memories import (
    BaseMemory,
    ConversationBufferMemory,
    ConversationBufferWindowMemory,
    ConversationSummaryBufferMemory,
    TokenWindowMemory,
    VectorStoreRetrieverMemory,
)
from memzoo.stores import Message, Store, open_store

_TURN = 500
"""The number of messages saved in one turn to set up a long conversation, which is not measured."""

_ENCODING = "o200k_base"


def buffer_load(count: int) -> Maker:
    """Return a `Maker` for loading a buffer of `count` exchanges as text."""
    return lambda _: _prepare_load(fill_memory(ConversationBufferMemory(), messages(2 * count)))


def buffer_turn(count: int) -> Maker:
    """Return a `Maker` for loading a buffer of `count` exchanges as text, and saving a new exchange."""

    def make(_: Place) -> Prepare:
        memory = fill_memory(ConversationBufferMemory(), messages(2 * count))
        save = make_save(memory)

        def turn() -> None:
            memory.load_memory_variables({})
            save()

        return again(turn)

    return make


def buffer_save(_: Place) -> Prepare:
    """Prepare to save exchanges in a buffer with an in-memory store."""
    return again(make_save(ConversationBufferMemory()))


def window_load(count: int) -> Maker:
    """Return a `Maker` for loading the last five of `count` exchanges from a window memory."""
    return lambda _: _prepare_load(fill_memory(ConversationBufferWindowMemory(k=5), messages(2 * count)))


def window_load_sqlite(count: int) -> Maker:
    """Return a `Maker` for loading the last five of `count` exchanges from a window memory on SQLite."""
    return lambda place: _prepare_load(_window_on_sqlite(place, count))


def window_save_sqlite(count: int) -> Maker:
    """Return a `Maker` for saving a new exchange in a window memory of `count` exchanges on SQLite."""
    return lambda place: again(make_save(_window_on_sqlite(place, count)))


def token_buffer_load(limit: int) -> Maker:
    """Return a `Maker` for loading a token buffer that is at its limit."""
    return lambda _: _prepare_load(_full(limit))


def token_buffer_save(limit: int) -> Maker:
    """Return a `Maker` for saving an exchange in a token buffer that is at its limit."""
    return lambda _: again(make_save(_full(limit)))


def retriever_load(words: range) -> Maker:
    """Return a `Maker` for searching 10,000 messages with a retriever whose store is in memory.

    `words` says which words to search for, by their numbers; see `speed_talk.question`.
    """

    def make(_: Place) -> Prepare:
        memory = fill_memory(VectorStoreRetrieverMemory(**_tokens(1000)), messages(10_000, rare_words=True))
        return _prepare_question(memory, question(words))

    return make


def token_buffer_open(place: Place) -> Prepare:
    """Prepare to open 10,000 stored messages as a token buffer, and to load the buffer."""

    def open_memory(store: Store) -> BaseMemory:
        return TokenWindowMemory(store=store, conversation_id="a", **_tokens(2000))

    # The tokenizer's vocabulary is loaded before, as in a process that has run for a while.
    open_memory(open_store("memory://")).render.counter({"role": "user", "content": "tea"})
    original = _store_messages(place, lambda store: ConversationBufferMemory(store=store, conversation_id="a"))
    return _prepare_opening(place, original, open_memory, "tea")


def retriever_open(words: range) -> Maker:
    """Return a `Maker` for opening a retriever with 10,000 stored messages, and searching them.

    `words` says which words to search for, by their numbers; see `speed_talk.question`.
    """

    def open_memory(store: Store) -> BaseMemory:
        return VectorStoreRetrieverMemory(store=store, conversation_id="a", **_tokens(1000))

    def make(place: Place) -> Prepare:
        original = _store_messages(place, open_memory, rare_words=True)
        return _prepare_opening(place, original, open_memory, question(words))

    return make


def model_calls(_: Place) -> int:
    """Return the number of model calls of a summary-buffer memory at its limit, in 40 exchanges of 100 tokens."""
    calls = 0

    def answer(_: object) -> str:
        nonlocal calls
        calls += 1
        return "They talked about tea and ships."

    memory = ConversationSummaryBufferMemory(llm=answer, **_tokens(2000))
    said = exchanges()
    while not calls:
        _save(memory, *next(said))
    calls = 0
    for user, assistant in itertools.islice(said, 40):
        _save(memory, user, assistant)
    return calls


def fill_memory(memory: BaseMemory, said: list[Message]) -> BaseMemory:
    """Save messages to a memory, 500 at a time, and return the memory."""
    for start in range(0, len(said), _TURN):
        memory.add_messages(said[start : start + _TURN])
    return memory


def make_save(memory: BaseMemory) -> Callable[[], None]:
    """Return a function that saves a new exchange at each call."""
    said = exchanges()
    return lambda: _save(memory, *next(said))


def _save(memory: BaseMemory, user: str, assistant: str) -> None:
    memory.save_context({"input": user}, {"output": assistant})


def _prepare_load(memory: BaseMemory) -> Prepare:
    return again(lambda: memory.load_memory_variables({}))


def _prepare_question(memory: BaseMemory, asked: str) -> Prepare:
    return again(lambda: memory.load_memory_variables({"input": asked}))


def _full(limit: int) -> BaseMemory:
    return fill_memory(TokenWindowMemory(**_tokens(limit)), messages(limit // 50 + 40))


def _tokens(limit: int) -> dict[str, Any]:
    return {"max_token_limit": limit, "token_counter": _ENCODING}


def _window_on_sqlite(place: Place, count: int) -> BaseMemory:
    store = _open_file(place, place.folder / "memzoo.db")
    return fill_memory(ConversationBufferWindowMemory(k=5, store=store, conversation_id="a"), messages(2 * count))


def _open_file(place: Place, path: Path) -> Store:
    store = open_store(f"sqlite:///{path}")
    place.stack.callback(store.close)
    return store


def _store_messages(place: Place, open_memory: Callable[[Store], BaseMemory], *, rare_words: bool = False) -> Path:
    """Return the path of an SQLite file with 10,000 messages saved by a memory."""
    path = place.folder / "original.db"
    store = open_store(f"sqlite:///{path}")
    fill_memory(open_memory(store), messages(10_000, rare_words=rare_words))
    store.close()
    return path


def _prepare_opening(place: Place, original: Path, open_memory: Callable[[Store], BaseMemory], asked: str) -> Prepare:
    """Set up this measurement: open a memory on a new copy of a file, and load; a first load may change the file."""

    def prepare() -> Repeat:
        copy = place.folder / f"{uuid.uuid4().hex}.db"
        shutil.copy(original, copy)
        return _prepare_question(open_memory(_open_file(place, copy)), asked)()

    return prepare
