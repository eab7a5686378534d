"""Other libraries' calls that `speed` times, to compare with memzoo's.

Each function sets up the timing of one library's memory; see `Maker` in `speed_timing`. The argument `calls` names the
calls to time, in order: "load", "save". A library is imported only when it is measured.
"""

import asyncio
import importlib
import itertools
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from memzoo.benchmarks.research.speed_talk import exchanges, messages, question
from memzoo.benchmarks.research.speed_timing import Maker, Place, Prepare, again

_ENCODING = "o200k_base"


def langchain_buffer(count: int, *calls: str) -> Maker:
    """Prepare to time `calls` ("load", "save" or both) of a `ConversationBufferMemory` with `count` exchanges."""
    return lambda _: _langchain_calls(_langchain("ConversationBufferMemory", _history(count)), calls)


def langchain_window(count: int, *calls: str, sqlite: bool = False) -> Maker:
    """Prepare to time `calls` ("load", "save" or both) of a `ConversationBufferWindowMemory` with `count` exchanges.

    A load returns the last five exchanges. The history is in memory; with `sqlite`, it is in an SQLite database.
    """

    def make(place: Place) -> Prepare:
        history = _history_on_sqlite(place, count) if sqlite else _history(count)
        return _langchain_calls(_langchain("ConversationBufferWindowMemory", history, k=5), calls)

    return make


def langchain_token_buffer(limit: int, *calls: str) -> Maker:
    """Prepare to time `calls` ("load", "save" or both) of a `ConversationTokenBufferMemory` at its limit."""

    def make(_: Place) -> Prepare:
        options = {"llm": _langchain_model(), "max_token_limit": limit}
        memory = _langchain("ConversationTokenBufferMemory", _history(limit // 100 + 20), **options)
        _langchain_save(memory, exchanges())()  # The memory drops old messages only when saving.
        return _langchain_calls(memory, calls)

    return make


def langchain_retriever(words: range) -> Maker:
    """Prepare to time the search of a `VectorStoreRetrieverMemory` with vectors of `HashEmbedder`.

    `words` says which words to search for, by their numbers; see `speed_talk.question`.
    """

    def make(_: Place) -> Prepare:
        from memzoo.memories import HashEmbedder
        from memzoo.sync import drive

        numpy = importlib.import_module("numpy")
        embedder = HashEmbedder()

        class Embeddings(_import("langchain_core.embeddings").Embeddings):  # type: ignore[misc]
            def embed_documents(self, texts: list[str]) -> list[list[float]]:
                vectors = drive(embedder.embed(texts)).vectors
                return [numpy.frombuffer(vector, "<f4").tolist() for vector in vectors]

            def embed_query(self, text: str) -> list[float]:
                return self.embed_documents([text])[0]

        vectors = _import("langchain_core.vectorstores").InMemoryVectorStore(Embeddings())
        vectors.add_texts([str(message["content"]) for message in messages(10_000, rare_words=True)])
        memory = _import("langchain_classic.memory").VectorStoreRetrieverMemory(retriever=vectors.as_retriever())
        asked = {"input": question(words)}
        return again(lambda: memory.load_memory_variables(asked))

    return make


def langchain_model_calls(_place: Place) -> int:
    """Return the number of model calls of LangChain's summary-buffer, at its limit, in 40 exchanges of 100 tokens."""
    model = _langchain_model()
    memory = _import("langchain_classic.memory").ConversationSummaryBufferMemory(llm=model, max_token_limit=2000)
    said = exchanges()
    save = _langchain_save(memory, said)
    while not model.calls:
        save()
    before = model.calls
    for _ in range(40):
        save()
    return int(model.calls - before)


def llama_buffer(count: int, *calls: str) -> Maker:
    """Prepare to time `calls` ("load", "save" or both) of llama-index's `ChatMemoryBuffer` without a limit."""
    utils = "llama_index.core.base.llms.generic_utils"

    def make(_: Place) -> Prepare:
        memory = _llama(count, 10**9)
        as_text = _import(utils).messages_to_history_str
        return _in_order({"load": lambda: as_text(memory.get_all()), "save": _llama_save(memory)}, calls)

    return make


def llama_token_buffer(limit: int, *calls: str) -> Maker:
    """Prepare to time `calls` ("load", "save" or both) of llama-index's `ChatMemoryBuffer` at its limit."""

    def make(_: Place) -> Prepare:
        memory = _llama(limit // 100 + 20, limit)
        return _in_order({"load": memory.get, "save": _llama_save(memory)}, calls)

    return make


def sessions(count: int, *calls: str) -> Maker:
    """Prepare to time `calls` ("load", "save" or both) of openai-agents' `SQLiteSession` with `count` exchanges.

    A load returns the last 20 messages; a save adds two messages.
    """

    def make(place: Place) -> Prepare:
        session = _import("agents").SQLiteSession("a", place.folder / "agents.db")
        runner = place.stack.enter_context(asyncio.Runner())
        place.stack.callback(session.close)
        runner.run(session.add_items(messages(2 * count)))
        said = messages(2)

        # One event loop for all calls of a sample, so that the start of the loop does not count.
        async def repeat(times: int) -> None:
            for _, call in itertools.product(range(times), calls):
                await (session.get_items(limit=20) if call == "load" else session.add_items(said))

        return lambda: lambda times: runner.run(repeat(times))

    return make


def _import(module: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # All of LangChain's memories warn that they are deprecated.
        return importlib.import_module(module)


def _langchain(name: str, history: Any, **options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(_import("langchain_classic.memory"), name)(chat_memory=history, **options)


def _history(count: int) -> Any:
    history = _import("langchain_core.chat_history").InMemoryChatMessageHistory()
    history.add_messages(_langchain_messages(count))
    return history


def _history_on_sqlite(place: Place, count: int) -> Any:
    history = _import("langchain_community.chat_message_histories").SQLChatMessageHistory(
        session_id="a", connection=f"sqlite:///{place.folder}/langchain.db"
    )
    place.stack.callback(history.engine.dispose)
    history.add_messages(_langchain_messages(count))
    return history


def _langchain_messages(count: int) -> list[Any]:
    found = _import("langchain_core.messages")
    kinds = {"user": found.HumanMessage, "assistant": found.AIMessage}
    return [kinds[message["role"]](content=message["content"]) for message in messages(2 * count)]


def _langchain_calls(memory: Any, calls: tuple[str, ...]) -> Prepare:
    works = {"load": lambda: memory.load_memory_variables({}), "save": _langchain_save(memory, exchanges())}
    return _in_order(works, calls)


def _langchain_save(memory: Any, said: Any) -> Callable[[], object]:
    def save() -> None:
        user, assistant = next(said)
        memory.save_context({"input": user}, {"output": assistant})

    return save


def _langchain_model() -> Any:
    """Return a LangChain model that counts its calls, and counts tokens with the same encoding as memzoo."""
    base = _import("langchain_core.language_models.chat_models").SimpleChatModel

    class Scripted(base):  # type: ignore[misc, valid-type]
        calls: int = 0

        @property
        def _llm_type(self) -> str:
            return "scripted"

        def _call(self, *_: Any, **__: Any) -> str:
            self.calls += 1
            return "They talked about tea and ships."

    return Scripted(custom_get_token_ids=_encode())


def _encode() -> Callable[[str], list[int]]:
    import tiktoken

    return tiktoken.get_encoding(_ENCODING).encode


def _llama(count: int, limit: int) -> Any:
    message = _import("llama_index.core.llms").ChatMessage
    kind = _import("llama_index.core.memory").ChatMemoryBuffer
    memory = kind.from_defaults(token_limit=limit, tokenizer_fn=_encode())
    memory.set([message(content=one["content"], role=one["role"]) for one in messages(2 * count)])
    return memory


def _llama_save(memory: Any) -> Callable[[], object]:
    message, said = _import("llama_index.core.llms").ChatMessage, exchanges()

    def save() -> None:
        user, assistant = next(said)
        memory.put(message(content=user, role="user"))
        memory.put(message(content=assistant, role="assistant"))

    return save


def _in_order(works: Mapping[str, Callable[[], object]], calls: tuple[str, ...]) -> Prepare:
    chosen = [works[name] for name in calls]
    if len(chosen) == 1:
        return again(chosen[0])

    def turn() -> None:
        for call in chosen:
            call()

    return again(turn)
