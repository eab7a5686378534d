"""What waits to be learnt is learnt, in all conversations of a store."""

import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from memzoo.errors import OptionError, UnsupportedError
from memzoo.memories import create_memory, upkeep
from memzoo.stores import EncryptedStore, InMemoryStore, ManagedStore, Message, MessageListStore
from memzoo.sync import drive
from memzoo.types import Upkept

IDS = [f"{user}/{number}" for user in ("anna", "bo") for number in range(6)]


class Model:
    """A model that keeps whom it was asked about, and can fail for some."""

    def __init__(self, fails: str = "nobody") -> None:
        self.asked: list[str] = []
        self.fails = fails

    def __call__(self, messages: list[Message]) -> str:
        """A summary."""
        who = re.findall(r"I am (\S+)\.", messages[-1]["content"])
        if self.fails in who:
            raise RuntimeError("no")
        self.asked += who
        return f"It was {', '.join(who)}."


def filled(store: ManagedStore) -> ManagedStore:
    """A store in which each conversation has something to learn."""
    for id_ in IDS:
        memory = create_memory("summary", store=store, conversation_id=id_, llm="offline", learn="later")
        memory.save_context({"input": f"I am {id_}."}, {"output": "Hello!"})
    return store


@pytest.fixture
def store() -> ManagedStore:
    """Such a store."""
    return filled(InMemoryStore())


def shown(store: ManagedStore, id_: str) -> str:
    """What a summary shows without asking anybody."""
    memory = create_memory("summary", store=store, conversation_id=id_, llm="offline", learn="later")
    return str(memory.load_memory_variables({})["history"])


@pytest.mark.parametrize("threads", [0, 4])
def test_each_conversation_is_learnt_once(store: ManagedStore, threads: int) -> None:
    """All that are behind are brought up to their ends; then there is nothing to do."""
    model = Model()
    with ThreadPoolExecutor(threads or 1) as pool:
        done = upkeep(store, "summary", llm=model, executor=pool if threads else None)
    assert sorted(model.asked) == IDS
    assert (done.conversations, done.learnt, done.failed, done.spent.calls) == (12, 12, {}, 12)
    assert [shown(store, id_) for id_ in IDS] == [f"It was {id_}." for id_ in IDS]
    assert drive(store.conversations(behind="summary")) == []
    assert upkeep(store, "summary", llm=model) == Upkept()


def test_some_of_them_can_be_named(store: ManagedStore) -> None:
    """By how their ids begin, or one by one; who has learnt everything costs nothing."""
    model, told = Model(), list[tuple[int, int | None]]()
    upkeep(store, "summary", prefix="anna/", llm=model)
    assert sorted(model.asked) == IDS[:6]
    done = upkeep(store, "summary", [IDS[0], IDS[7]], llm=model, progress=lambda one, of: told.append((one, of)))
    assert model.asked[6:] == [IDS[7]]
    assert (done.conversations, done.learnt, told) == (2, 1, [(1, 2), (2, 2)])


def test_one_that_fails_does_not_stop_the_others(store: ManagedStore) -> None:
    """Its error is told by its id; when the model works, the next call makes up for it."""
    model = Model(fails=IDS[3])
    done = upkeep(store, "summary", llm=model)
    assert (done.conversations, done.learnt) == (12, 11)
    assert done.failed == {IDS[3]: "ModelError: llm 'Model' failed for prompt 'summary': RuntimeError: no"}
    model.fails = "nobody"
    assert upkeep(store, "summary", llm=model).learnt == 1
    assert sorted(model.asked) == IDS


def test_what_was_interrupted_goes_on(store: ManagedStore) -> None:
    """What was learnt before stays learnt, and is not asked again."""
    model = Model()

    def interrupt(done: int, _: int | None) -> None:
        if done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        upkeep(store, "summary", llm=model, progress=interrupt)
    assert len(model.asked) == 5
    assert upkeep(store, "summary", llm=model).learnt == 7
    assert sorted(model.asked) == IDS


def test_what_cannot_travel_is_named() -> None:
    """A store in memory ends with its process, so no other one can have it."""
    with pytest.raises(
        OptionError, match=r"the store cannot be sent to the workers.*a store in memory ends with its process"
    ):
        upkeep(filled(InMemoryStore()), "summary", llm="offline", executor=2)


def test_each_state_of_a_combined_memory_is_learnt(store: ManagedStore) -> None:
    """Also that of an embedder, which has its own name."""

    def embedder(texts: list[str]) -> list[list[float]]:
        return [[len(text), 1.0] for text in texts]

    members: Any = [("summary", {"llm": Model()}), ("vector-retriever", {"embedder": embedder})]
    done = upkeep(store, "combined", memories=members)
    assert (done.conversations, done.learnt) == (12, 12)
    assert len(drive(store.embeddings(IDS[0], next(s for s in drive(store.states(IDS[0])) if "/" in s)))) == 2
    assert upkeep(store, "combined", memories=members).learnt == 0


def test_a_store_that_encrypts_is_kept_up() -> None:
    """It lists what is behind in the store within."""
    store = filled(EncryptedStore(InMemoryStore(), EncryptedStore.new_key()))
    assert upkeep(store, "summary", llm="offline").learnt == 12


def test_what_cannot_be_kept_up_is_refused(store: ManagedStore) -> None:
    """A strategy that learns nothing, an unknown option, and a store that cannot tell what it has."""
    with pytest.raises(OptionError, match="'buffer' learns nothing"):
        upkeep(store, "buffer")
    with pytest.raises(OptionError, match="no option 'every_day'"):
        upkeep(store, "summary", llm="offline", every_day=True)
    lists = MessageListStore(get=lambda _: [], update=lambda _, __: None, delete=lambda _: None)
    with pytest.raises(UnsupportedError, match="'conversations'"):
        upkeep(lists, "summary", llm="offline")
    assert upkeep(lists, "summary", ["a"], llm="offline").learnt == 0
