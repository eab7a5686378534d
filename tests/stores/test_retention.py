"""What is too old goes, when a cron job says so."""

import contextlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memzoo.errors import OptionError
from memzoo.memories import BaseMemory, HashEmbedder, VectorStoreRetrieverMemory, create_memory, delete_old
from memzoo.stores import InMemoryStore, Store, open_store
from memzoo.stores.base import managed
from memzoo.stores.indexes.index import ExactIndex
from memzoo.sync import drive
from memzoo.types import DeletionReport

START = datetime(2026, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)


class Clock:
    """A clock that is set by hand."""

    now = START

    def __call__(self) -> datetime:
        """The time it was set to."""
        return self.now


@pytest.fixture
def clock() -> Clock:
    """A new one."""
    return Clock()


@pytest.fixture(params=["memory://", "sqlite:///{}/chat.db?synchronous=normal"])
def store(request: pytest.FixtureRequest, clock: Clock, tmp_path: Path) -> Iterator[Store]:
    """A store with that clock."""
    with contextlib.closing(open_store(request.param.format(tmp_path), clock=clock)) as store:
        yield store


@pytest.fixture
def say(store: Store, clock: Clock) -> Callable[..., BaseMemory]:
    """Says something in a conversation on a day."""

    def save(conversation: str, day: int, text: str, name: str = "buffer") -> BaseMemory:
        clock.now = START + day * DAY
        memory = create_memory(name, store=store, conversation_id=conversation, learn_every=1)
        memory.save_context({"input": text}, {"output": "Noted."})
        return memory

    return save


Say = Callable[..., BaseMemory]


def left(store: Store) -> dict[str, list[int]]:
    """The numbers of the messages that are left, by conversation."""
    return {
        id_: [entry.seq for entry in drive(store.read(id_))]
        for id_ in drive(managed(store, "conversations").conversations())
    }


def test_old_messages_go(store: Store, say: Say) -> None:
    """Messages that are older go from all conversations, whole conversations with them."""
    for conversation, day in (("a", 0), ("a", 5), ("b", 0), ("c", 5)):
        say(conversation, day, "hi")
    deleted = delete_old(store, older_than=3 * DAY, now=START + 6 * DAY)
    assert deleted == DeletionReport({"a": [1, 2], "b": [1, 2]}, erased=isinstance(store, InMemoryStore), last="c")
    assert left(store) == {"a": [3, 4], "c": [1, 2]}
    assert delete_old(store, older_than=3 * DAY, now=START + 6 * DAY) == DeletionReport({}, erased=None, last="c")


def test_a_clock_that_was_ahead_keeps_no_old_message(store: Store, say: Say) -> None:
    """Nor does a newer message that was imported first."""
    for day, text in ((400, "ahead"), (0, "old"), (20, "new")):
        memory = say("a", day, text)
    deleted = delete_old(store, older_than=10 * DAY, now=START + 20 * DAY)
    assert deleted.removed == {"a": [3, 4]}
    assert [message["content"] for message in memory.history()] == ["ahead", "Noted.", "new", "Noted."]


def test_numbers_go_on_after_all_was_too_old(store: Store, say: Say) -> None:
    """A conversation that loses all its messages by their age goes on with the next number, as after `forget`."""
    memory = say("a", 0, "hi")
    delete_old(store, older_than=DAY, now=START + 2 * DAY)
    assert [entry.seq for entry in say("a", 3, "again").entries()] == [3, 4]
    memory.forget([3, 4])
    assert [entry.seq for entry in say("a", 4, "once more").entries()] == [5, 6]
    memory.forget(None)
    assert [entry.seq for entry in say("a", 5, "from the beginning").entries()] == [1, 2]


def test_idle_conversations_go(store: Store, say: Say) -> None:
    """A conversation goes as a whole when nothing was said in it for long; its oldest message does not count."""
    for conversation, day in (("a", 0), ("a", 5), ("b", 0)):
        say(conversation, day, "hi")
    assert delete_old(store, idle_for=3 * DAY, now=START + 6 * DAY).removed == {"b": [1, 2]}
    assert left(store) == {"a": [1, 2, 3, 4]}
    assert [entry.seq for entry in say("b", 7, "again").entries()] == [1, 2]


def test_both_at_once(store: Store, say: Say) -> None:
    """Age and idleness may be given together."""
    for conversation, day in (("a", 0), ("a", 9), ("b", 7)):
        say(conversation, day, "hi")
    removed = delete_old(store, older_than=8 * DAY, idle_for=2 * DAY, now=START + 10 * DAY).removed
    assert removed == {"a": [1, 2], "b": [1, 2]}
    assert left(store) == {"a": [3, 4]}


def test_what_is_exactly_as_old_stays(store: Store, say: Say) -> None:
    """The limit itself is not older than the limit."""
    say("a", 0, "hi")
    assert delete_old(store, older_than=DAY, idle_for=DAY, now=START + DAY).removed == {}


def test_what_was_learnt_goes_too(store: Store, say: Say) -> None:
    """A memory that has the conversation open shows nothing of what went, and keeps the rest."""
    memory = say("a", 0, "Anna lives in Oslo.", "vector-retriever")
    summary = say("a", 5, "Anna plays chess.", "summary")
    question = {"input": "Where in Oslo does Anna play chess?"}
    for one in (memory, summary):
        assert "Oslo" in str(one.load_memory_variables(question))
    delete_old(store, older_than=3 * DAY, now=START + 6 * DAY)
    for one in (memory, summary):
        assert "Oslo" not in str(one.load_memory_variables(question))
        assert "chess" in str(one.load_memory_variables(question))


def test_an_index_lets_go_of_it(store: Store, clock: Clock) -> None:
    """An index beside the store loses what went; what is left is put in again with the next load."""
    index, embedder = ExactIndex(), HashEmbedder()
    options: dict[str, Any] = {"store": store, "index": index, "embedder": embedder}
    for conversation in "ab":
        memory = VectorStoreRetrieverMemory(**options, conversation_id=conversation)
        for day in (0, 5 if conversation == "a" else 1):
            clock.now = START + day * DAY
            memory.save_context({"input": "Anna plays chess"}, {"output": "Noted."})
        memory.load_memory_variables({"input": "chess"})
    space = f"vector-retriever/{embedder.name}"
    delete_old(store, older_than=3 * DAY, now=START + 6 * DAY, index=index)
    assert [drive(index.known(id_, space)) for id_ in "ab"] == [{}, {}]
    again = VectorStoreRetrieverMemory(**options, conversation_id="a")
    assert "chess" in str(again.load_memory_variables({"input": "chess"}))
    assert set(drive(index.known("a", space))) == {3, 4}


def test_a_run_can_be_cut_into_pieces(store: Store, say: Say) -> None:
    """Each piece tells where the next one begins, until there is none to look at."""
    for conversation in "abcde":
        say(conversation, 0, "hi")
    found, last, pieces = dict[str, list[int]](), None, 0
    while last or not pieces:
        piece = delete_old(store, idle_for=DAY, now=START + 9 * DAY, after=last, limit=2)
        found |= piece.removed
        last, pieces = piece.last, pieces + 1
    assert (sorted(found), pieces) == (list("abcde"), 4)
    assert left(store) == {}


@pytest.mark.parametrize(
    ("older", "idle", "told"),
    [
        (None, None, "older_than or idle_for is needed"),
        (-DAY, None, "older_than must be a timedelta of at least 0"),
        (DAY, -DAY, "idle_for must be a timedelta of at least 0"),
    ],
)
def test_it_must_be_told_how_long(
    store: Store, say: Say, older: timedelta | None, idle: timedelta | None, told: str
) -> None:
    """Without a span, or with a negative one, nothing is removed."""
    say("a", 0, "hi")
    with pytest.raises(OptionError, match=told):
        delete_old(store, older_than=older, idle_for=idle)
    assert left(store) == {"a": [1, 2]}


def test_an_index_must_be_one(store: Store, say: Say) -> None:
    """Something else is refused before anything is removed."""
    say("a", 0, "hi")
    wrong: Any = "vectors"
    with pytest.raises(OptionError, match="index must be a vector index, such as a ChromaIndex, not 'vectors'"):
        delete_old(store, older_than=DAY, now=START + 9 * DAY, index=wrong)
    assert left(store) == {"a": [1, 2]}


def test_a_prefix_lists_no_others(store: Store, say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where ids begin otherwise, nothing is even listed."""
    for conversation in ("a", "user-1", "user-2", "v"):
        say(conversation, 0, "hi")
    listed, conversations = list[str](), managed(store, "conversations").conversations

    async def listing(**bounds: Any) -> list[str]:
        found = await conversations(**bounds)
        listed.extend(found)
        return found

    monkeypatch.setattr(store, "conversations", listing)
    deleted = delete_old(store, idle_for=DAY, now=START + 6 * DAY, prefix="user-")
    assert [*deleted.removed] == listed == ["user-1", "user-2"]
    assert deleted.last == "user-2"
    assert sorted(left(store)) == ["a", "v"]


def test_nothing_is_older_than_all_times() -> None:
    """A span that reaches back before the calendar removes nothing."""
    memory = create_memory("buffer")
    memory.save_context({"input": "a"}, {"output": "b"})
    assert delete_old(memory.store, older_than=timedelta.max).removed == {}
    assert delete_old(memory.store, idle_for=timedelta.max).removed == {}
    assert len(memory.history()) == 2
