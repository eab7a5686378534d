"""What is forgotten is gone everywhere, and what is left is derived from without it."""

import contextlib
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memzoo.errors import ModelError, StoreError
from memzoo.memories import (
    STRATEGIES,
    BaseMemory,
    CombinedMemory,
    ConversationBufferMemory,
    ConversationSummaryMemory,
    HashEmbedder,
    VectorStoreRetrieverMemory,
)
from memzoo.memories.models.chat import as_model
from memzoo.stores import InMemoryStore, Message, SQLStore
from memzoo.stores.base import managed
from memzoo.stores.indexes.index import ExactIndex
from memzoo.sync import drive
from memzoo.testing import ScriptedModel
from memzoo.testing.scripted import FlakyModel

Make = Callable[..., BaseMemory]

TOWN = "Zanzibar"
SAID = ["Sam lives in Oslo", f"Sam lives in {TOWN}", "Eve likes milk"]
QUESTION = {"input": f"Where do Sam and Eve live, in {TOWN.lower()}?"}


def tell(memory: BaseMemory) -> BaseMemory:
    """Three exchanges, of which the second has a secret."""
    for said in SAID:
        memory.save_context({"input": said}, {"output": f"You say: {said}"})
    return memory


def shown(memory: BaseMemory) -> str:
    """All that a memory shows and keeps."""
    states = [drive(learner.refresh()) for learner in memory.learners]
    return f"{memory.load_memory_variables(QUESTION)} {memory.messages('Who is Sam? Who is Eve?')} {states}"


class CountingEmbedder:
    """Counts the texts that it embeds."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def __call__(self, texts: list[str]) -> list[list[float]]:
        """Any vectors."""
        self.texts += texts
        return [[len(text), 1.0] for text in texts]


class BrokenIndex(ExactIndex):
    """An index that cannot be reached."""

    async def known(self, conversation_id: str, space: str) -> dict[int, str]:
        """See `VectorIndex.known`."""
        raise StoreError("the index is down")


@pytest.mark.parametrize("name", STRATEGIES)
def test_it_is_in_no_file(name: str, make: Make, tmp_path: Path) -> None:
    """After thorough forgetting, the text is in no file of the store, and the other process that had it shows none."""
    url = f"sqlite:///{tmp_path}/chat.db?synchronous=normal"
    with contextlib.closing(SQLStore(url)) as store, contextlib.closing(SQLStore(url)) as elsewhere:
        memory = tell(make(name, store))
        other = make(name, elsewhere)
        assert TOWN in f"{shown(other)} {other.history()}"
        assert TOWN.encode() in b"".join(path.read_bytes() for path in tmp_path.iterdir())
        receipt = memory.forget([3, 4], thorough=True)
        assert (receipt.erased, receipt.remains) == (True, "")
        assert TOWN not in f"{shown(other)} {shown(memory)} {memory.history()}"
        assert TOWN.encode() not in b"".join(path.read_bytes() for path in tmp_path.iterdir())
        assert "Oslo" in str(memory.history())


@pytest.mark.parametrize("name", STRATEGIES)
@given(gone=st.sets(st.integers(1, 6)))
@settings(max_examples=10)
def test_it_is_as_if_it_had_never_been_said(name: str, make: Make, gone: set[int]) -> None:
    """Whatever is forgotten, view and state are those of a conversation that never had it."""
    memory, fresh = tell(make(name)), make(name)
    memory.load_memory_variables(QUESTION)
    if name == "summary-buffer":
        # What it shows word for word is no part of its summary, which stays as it is when only that is forgotten.
        gone = gone | {1}
    memory.forget(gone)
    if left := memory.entries():
        drive(managed(fresh.store, "restore").restore("a", left, {}))
        fresh.settle()
    for one in (memory, make(name, memory.store)):
        assert one.history() == fresh.history()
        assert one.load_memory_variables(QUESTION) == fresh.load_memory_variables(QUESTION)
        assert one.messages("Who is Sam?") == fresh.messages("Who is Sam?")
    assert learnt(memory) == learnt(fresh)


def learnt(memory: BaseMemory) -> tuple[Any, ...]:
    """The items and embeddings of a memory's state."""
    embeddings = managed(memory.store, "embeddings").embeddings
    return tuple((drive(one.refresh()).items, drive(embeddings("a", one.name))) for one in memory.learners)


@pytest.mark.parametrize(("whole", "left"), [(False, {1, 2, 5, 6}), (True, set[int]())])
def test_chroma_never_held_the_text(tmp_path: Path, *, whole: bool, left: set[int]) -> None:
    """Chroma's folder holds no text before or after, and afterwards only the vectors of what is left."""
    pytest.importorskip("chromadb", reason="needs the 'chroma' extra")
    from memzoo.stores import ChromaIndex

    with contextlib.closing(ChromaIndex(path=tmp_path)) as index:
        memory = tell(VectorStoreRetrieverMemory(embedder=HashEmbedder(), index=index, conversation_id="a secret id"))
        assert TOWN in str(memory.load_memory_variables({"input": TOWN}))
        assert set(drive(index.known("a secret id", memory.learners[0].name))) == {1, 2, 3, 4, 5, 6}
        memory.forget(None if whole else [3, 4])
        assert set(drive(index.known("a secret id", memory.learners[0].name))) == left
        files = {path.name: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
        for name in ("data_level0.bin", "length.bin"):
            files.pop(name, None)  # hnswlib writes memory that it never set: anything may be in it
        assert sum(map(len, files.values())) > 10_000
        secrets = [text.encode() for text in (TOWN, TOWN.lower(), "secret id", "Oslo")]
        assert [(name, text) for name, content in files.items() for text in secrets if text in content] == []


def test_embeddings_are_not_paid_for_again() -> None:
    """Forgetting embeds nothing, and neither does the next load but its question."""
    embedder, store = CountingEmbedder(), InMemoryStore()
    memory = tell(VectorStoreRetrieverMemory(embedder=embedder, store=store, conversation_id="a"))
    memory.load_memory_variables({"input": "Oslo"})
    embedder.texts.clear()
    receipt = memory.forget([3, 4])
    assert (receipt.rederived, receipt.outstanding, receipt.calls) == ((), (), 0)
    other = VectorStoreRetrieverMemory(embedder=embedder, store=store, conversation_id="a")
    for one in (memory, other):
        assert TOWN not in str(one.load_memory_variables({"input": "Oslo"}))
    assert embedder.texts == ["Oslo", "Oslo"]


@pytest.mark.parametrize("name", ["summary", "summary-buffer", "entity", "knowledge-graph"])
def test_the_receipt_tells_what_was_derived_anew(name: str, make: Make) -> None:
    """State and calls of this memory are in the receipt; the states of other strategies are outstanding."""
    store = InMemoryStore()
    tell(make("summary", store))
    memory = make(name, store)
    memory.settle()
    receipt = memory.forget([3])
    assert receipt.removed == (3,)
    assert receipt.rederived == (name,)
    assert receipt.outstanding == (("summary",) if name != "summary" else ())
    assert receipt.calls > 0


def test_what_comes_before_is_not_derived_anew(make: Make) -> None:
    """A state that had not reached the forgotten message is left as it is, and goes on from there."""
    store = InMemoryStore()
    memory = make("summary", store)
    memory.save_context({"input": SAID[0]}, {"output": "x"})
    buffer = make("buffer", store)
    buffer.save_context({"input": SAID[1]}, {"output": "y"})
    receipt = buffer.forget([3, 4])
    assert (receipt.rederived, receipt.outstanding, receipt.calls) == ((), (), 0)
    calls = memory.usage.total.calls
    assert "Oslo" in shown(memory)
    assert memory.usage.total.calls == calls


class TestFailingModel:
    """A model that fails while the rest is derived anew."""

    def test_the_error_says_that_the_messages_are_gone(self, make: Make, clerk: Any) -> None:
        """What was forgotten stays so, and the next call catches up."""
        model = FlakyModel(as_model(clerk))
        memory = tell(make("summary", llm=model))
        model.fault = ModelError("down")
        with pytest.raises(ModelError, match="down") as caught:
            memory.forget([3, 4])
        assert "[3, 4] are forgotten" in str(caught.value.__notes__)
        assert "Oslo" in shown(memory)
        assert TOWN not in shown(memory)
        model.fault = None
        assert TOWN not in shown(memory)
        assert drive(memory.store.read_state("a", "summary")).watermark == 6

    def test_deferred_it_is_outstanding(self, clerk: Any) -> None:
        """Where model errors are deferred, the receipt names the state."""
        model = FlakyModel(as_model(clerk))
        memory = tell(ConversationSummaryMemory(llm=model, on_model_error="defer", learn_every=1))
        model.fault = ModelError("down")
        assert memory.forget([3, 4]).outstanding == ("summary",)
        assert TOWN not in shown(memory)

    def test_the_background_derives_later(self, clerk: Any) -> None:
        """In the background, the state is outstanding until that has caught up."""
        opened = threading.Event()

        def answer(messages: list[Message]) -> str:
            assert opened.wait(30)
            reply: str = clerk(messages)
            return reply

        opened.set()
        memory = tell(ConversationSummaryMemory(llm=answer, learn="background", learn_every=1))
        memory.settle()
        opened.clear()
        assert memory.forget([3, 4]).outstanding == ("summary",)
        opened.set()
        memory.settle()
        assert "Eve likes milk" in str(memory.load_memory_variables({}))
        assert TOWN not in shown(memory)


def test_a_derivation_under_way_is_refused(clerk: Any) -> None:
    """What a model learnt from a message that was forgotten meanwhile is not kept."""
    store, other = InMemoryStore(), ConversationBufferMemory
    forgetting: list[BaseMemory] = []

    def answer(messages: list[Message]) -> str:
        if forgetting and TOWN in str(messages):
            forgetting.pop().forget([3, 4])
        reply: str = clerk(messages)
        return reply

    memory = ConversationSummaryMemory(llm=answer, store=store, conversation_id="a", learn_every=1)
    forgetting.append(other(store=store, conversation_id="a"))
    tell(memory)
    assert not forgetting
    assert TOWN not in shown(memory)
    assert "Oslo" in shown(memory)


def test_an_index_that_cannot_be_reached_is_outstanding() -> None:
    """Everything else is done, and the receipt says what is not."""
    memory = tell(VectorStoreRetrieverMemory(embedder=HashEmbedder(), index=BrokenIndex()))
    receipt = memory.forget([3, 4])
    assert receipt.removed == (3, 4)
    assert receipt.outstanding == (f"{memory.learners[0].name}: the index is down",)


def test_a_held_up_store_is_in_the_receipt(tmp_path: Path) -> None:
    """While another process reads an old state of the file, remains are left, and the receipt says so."""
    url = f"sqlite:///{tmp_path}/chat.db?timeout=0"
    with (
        contextlib.closing(SQLStore(url)) as store,
        contextlib.closing(sqlite3.connect(tmp_path / "chat.db", isolation_level=None)) as reader,
    ):
        memory = tell(ConversationBufferMemory(store=store))
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM memzoo_messages").fetchall()
        assert not memory.forget([3, 4], thorough=True).erased
        reader.execute("ROLLBACK")
        assert memory.forget([5], thorough=True).erased


@pytest.mark.parametrize("ids", [[3, 4], None])
def test_a_store_that_cannot_be_scrubbed_is_in_the_receipt(
    ids: list[int] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is forgotten is forgotten, and the receipt says that remains may be in the files, and why."""

    async def fail(self: InMemoryStore, *, thorough: bool = False) -> bool:
        raise StoreError("the disk is full")

    monkeypatch.setattr(InMemoryStore, "scrub", fail)
    memory = tell(ConversationBufferMemory())
    receipt = memory.forget(ids)
    assert (receipt.outstanding, receipt.erased) == (("deleted data remains in the files: the disk is full",), False)
    assert set(receipt.removed) >= {3, 4}
    assert TOWN not in shown(memory)


def test_by_default_no_file_is_rewritten(tmp_path: Path) -> None:
    """Forgetting leaves the file as long as it is, so that nobody waits, and the receipt says what removes the rest."""
    with contextlib.closing(SQLStore(f"sqlite:///{tmp_path}/chat.db")) as store:
        memory = tell(ConversationBufferMemory(store=store))
        memory.save_context({"input": "long " * 50_000}, {"output": "ok"})
        drive(store.scrub())
        size = (tmp_path / "chat.db").stat().st_size
        receipt = memory.forget([7])
        assert not receipt.erased
        assert "memzoo forget --thorough" in receipt.remains
        assert (tmp_path / "chat.db").stat().st_size == size
        assert b"long long" not in b"".join(path.read_bytes() for path in tmp_path.iterdir())
        assert memory.forget([8], thorough=True).erased
        assert (tmp_path / "chat.db").stat().st_size < size / 2


def test_a_clear_that_leaves_remains_says_so(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """`clear` has no receipt; it logs what is left."""
    url = f"sqlite:///{tmp_path}/chat.db?timeout=0"
    with (
        contextlib.closing(SQLStore(url)) as store,
        contextlib.closing(sqlite3.connect(tmp_path / "chat.db", isolation_level=None)) as reader,
    ):
        memory = tell(ConversationBufferMemory(store=store, conversation_id="a"))
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM memzoo_messages").fetchall()
        memory.clear()
    assert "deleted data remains in the files" in caplog.text


def test_what_was_cleared_is_not_learnt_again() -> None:
    """A save right after `clear` learns from what is said then, not from what was said before."""
    model = ScriptedModel("Sam lives in Zanzibar.", "Eve likes milk.")
    memory = ConversationSummaryMemory(llm=model, learn_every=1)
    memory.save_context({"input": SAID[1]}, {"output": "ok"})
    memory.clear()
    memory.save_context({"input": SAID[2]}, {"output": "ok"})
    prompt = model.asked[1][1]
    assert TOWN not in prompt
    assert SAID[2] in prompt


def test_combined_memories_forget_together(make: Make, clerk: Any) -> None:
    """Each member derives anew, in one call."""
    members = ["window", ("summary", {"llm": clerk}), ("knowledge-graph", {"llm": clerk}), "vector-retriever"]
    memory = tell(CombinedMemory(memories=members, max_token_limit=10_000, token_counter="approximate", learn_every=1))
    assert TOWN in str(memory.load_memory_variables(QUESTION))
    receipt = memory.forget([3, 4])
    assert receipt.rederived == ("knowledge-graph", "summary")
    assert receipt.outstanding == ()
    assert TOWN not in f"{memory.load_memory_variables(QUESTION)} {memory.messages('Sam')} {memory.history()}"
    assert memory.forget(None).removed == (1, 2, 5, 6)
    assert memory.history() == memory.messages("Sam") == []


def test_half_a_tool_call_is_never_sent() -> None:
    """Of a call and its result, what is left stays in the log, but not in what is sent."""
    call = {"id": "1", "type": "function", "function": {"name": "map", "arguments": "{}"}}
    memory = ConversationBufferMemory()
    memory.add_messages(
        [
            {"role": "user", "content": "Where am I?"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "1", "content": TOWN},
        ]
    )
    memory.forget([3])
    assert [message["role"] for message in memory.history()] == ["user", "assistant"]
    assert [message["role"] for message in memory.messages()] == ["user"]
