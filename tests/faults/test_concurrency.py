"""Many save at the same time: a slice of `make faults`, and what they do not wait or pay for."""

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from memzoo.memories import ConversationKGMemory, ConversationSummaryMemory, create_memory
from memzoo.stores import Entry, InMemoryStore, Message, open_store
from memzoo.sync import drive
from memzoo.testing import ScriptedModel
from tests.clerk import clerk
from tools.faults.concurrency import WAYS, at_once, uncredited
from tools.faults.places import Places
from tools.faults.tally import Tally


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("store", ["sqlite", "postgresql"])
def test_nothing_is_lost_doubled_or_out_of_order(store: str, way: str, places: Places):
    """Turns are stored once, whole and in each writer's order; the same turn of all writers is stored once (I3)."""
    strategy = "entity" if way == "8 tasks" else "summary-buffer"
    for conversations in (1, 3):
        tally = Tally("concurrency", strategy, store)
        at_once(tally, places.scenario(strategy, store), way, conversations=conversations, turns=2)
        assert tally.clean, tally.examples


@pytest.mark.parametrize("memories", [1, 8])
def test_a_model_call_is_paid_for_once(memories: int, monkeypatch: pytest.MonkeyPatch):
    """Eight threads that save to one conversation, by one memory or eight, ask once for each exchange (I11)."""
    asked: list[str] = []
    stored = threading.Semaphore(0)

    def answer(messages: list[Message]) -> str:
        asked.append(str(messages[-1]["content"]))
        if len(asked) == 1:  # all others meet a state that is being worked on
            assert all(stored.acquire(timeout=60) for _ in range(8))
        return clerk(messages)

    store = InMemoryStore()  # without leases, which hold back a second call too
    append = store.append

    async def noted(*said: Any, turn_id: str) -> list[Entry]:
        entries = await append(*said, turn_id=turn_id)
        stored.release()
        return entries

    monkeypatch.setattr(store, "append", noted)
    same = [
        ConversationSummaryMemory(llm=answer, store=store, conversation_id="c", learn_every=1) for _ in range(memories)
    ]

    def save(number: int) -> None:
        same[number % memories].save_context({"input": f"Sam likes tea{number}"}, {"output": "ok"})

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(save, range(8)))
    new_lines = [prompt.rpartition("<new_lines>")[2] for prompt in asked]
    assert all(sum(f"tea{n}" in lines for lines in new_lines) == 1 for n in range(8))


@pytest.mark.parametrize("place", ["sqlite", "postgresql"])
def test_other_conversations_go_on(place: str, places: Places):
    """While one conversation waits for its model, another one saves, learns and loads (I3)."""
    asked, answered = threading.Event(), threading.Event()

    def slow(messages: list[Message]) -> str:
        asked.set()
        assert answered.wait(60)
        return clerk(messages)

    store = open_store(places.url(place))
    waiting = ConversationSummaryMemory(llm=slow, store=store, conversation_id="waiting", learn_every=1)
    other = ConversationSummaryMemory(llm=clerk, store=store, conversation_id="other", learn_every=1)
    with ThreadPoolExecutor(1) as pool:
        saved = pool.submit(waiting.save_context, {"input": "Sam likes tea"}, {"output": "ok"})
        assert asked.wait(60)
        other.save_context({"input": "Eve likes milk"}, {"output": "ok"})
        assert other.summary == "Human: Eve likes milk / AI: ok"
        assert not saved.done()
        answered.set()
        saved.result()
    assert waiting.summary == "Human: Sam likes tea / AI: ok"
    store.close()


def test_facts_are_the_same_whether_learnt_together_or_not():
    """Facts that are learnt in one step are those learnt one by one, credited to the same messages."""
    homes = ["Oslo", "Rome", "Rome"]
    replies = [f"Sam | lives in | {home}" for home in homes]
    one_by_one, together = _moved(homes, replies), _moved(homes, ["\n".join(replies)])
    assert [(fact["superseded_by"], len(fact["sources"])) for fact in one_by_one.values()] == [(3, 1), (0, 2)]
    assert [(fact["superseded_by"], len(fact["sources"])) for fact in together.values()] == [(3, 1), (0, 2)]
    assert uncredited(one_by_one) == uncredited(together)


def _moved(homes: list[str], replies: Sequence[str]) -> dict[str, Any]:
    """What a graph learnt: with one reply, from all that a buffer had stored before."""
    memory = ConversationKGMemory(llm=ScriptedModel(*replies), learn_every=1)
    said = (
        memory
        if len(replies) > 1
        else create_memory("buffer", store=memory.store, conversation_id=memory.conversation_id)
    )
    for home in homes:
        said.save_context({"input": f"Sam lives in {home}"}, {"output": "ok"})
    memory.settle()
    return dict(drive(memory.store.read_state(memory.conversation_id, memory.learners[0].name)).changes)
