"""What has no time has no date: no view and no prompt makes one up."""

import asyncio
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from memzoo.errors import MessageError
from memzoo.memories import STRATEGIES, BaseMemory, ConversationKGMemory, ConversationSummaryMemory, create_memory
from memzoo.stores import Entry, InMemoryStore, Message, Record
from memzoo.stores.base import SAID_AT
from memzoo.sync import drive
from memzoo.testing import ScriptedModel

STORED = datetime(1987, 6, 5, 12, tzinfo=UTC)
# So views and prompts write a day. The year 2023 is an example in prompts.
A_DAY = re.compile(r"1987|\bJune\b(?! 2023)|\[[a-z]{2,}, \d|unknown", re.IGNORECASE)
ROLES = ("user", "assistant")
TALK = (
    ("My friend Sam lives in Oslo.", "Noted: Sam lives in Oslo."),
    ("Sam moved to Rome yesterday.", "So Sam lives in Rome."),
    ("I have a cat.", "How nice."),
)


def undated(*exchanges: tuple[str, str]) -> InMemoryStore:
    """A store with a conversation of which nobody knows when it was said."""
    said = [{"role": role, "content": text} for one in exchanges for role, text in zip(ROLES, one, strict=True)]
    entries = [
        Entry(seq, message, f"t{(seq - 1) // 2}", STORED, {SAID_AT: ""}) for seq, message in enumerate(said, start=1)
    ]
    store = InMemoryStore()
    drive(store.restore("a", entries, {}))
    return store


@pytest.mark.parametrize("by_async", [True, False])
@pytest.mark.parametrize("name", STRATEGIES)
def test_no_day_is_made_up(
    name: str,
    clerk: Callable[..., str],
    make: Callable[..., BaseMemory],
    by_async: bool,  # noqa: FBT001 - a case
) -> None:
    """Neither in a prompt to learn from it nor in a view, of any strategy, synchronous or not."""
    sent: list[Any] = []
    shown: list[Any]

    def overheard(messages: Sequence[Message]) -> str:
        sent.append(messages)
        return clerk(messages)

    memory = make(name, undated(*TALK), llm=overheard)
    inputs = {"input": "Where does Sam live, and since when?"}
    if by_async:
        shown = [asyncio.run(memory.aload_memory_variables(inputs)), asyncio.run(memory.amessages(inputs["input"]))]
    else:
        shown = [memory.load_memory_variables(inputs), memory.messages(inputs["input"])]
    shown.append(memory.explain(inputs["input"]))
    assert "Sam" in str(shown)
    assert A_DAY.findall(str((sent, shown))) == []


def test_what_is_said_later_has_its_day() -> None:
    """Days stand over messages whose day is known; what follows them without one is told apart."""
    store = undated(*TALK[:1])
    store.clock = lambda: STORED
    memory = create_memory("vector-retriever", store=store, conversation_id="a")
    memory.save_context({"input": "Sam likes Oslo."}, {"output": "Fine."})
    memory.add_messages([Record.dated({"role": role, "content": "Oslo is big."}, None) for role in ROLES])
    said_at = datetime.fromisoformat("2019-04-02T08:00:00+02:00")
    memory.add_messages([Record.dated({"role": role, "content": "Oslo is far."}, said_at) for role in ROLES])
    assert memory.load_memory_variables({"input": "Oslo, Sam"})["history"].splitlines() == [
        "Human: My friend Sam lives in Oslo.",
        "AI: Noted: Sam lives in Oslo.",
        "5 June 1987:",
        "Human: Sam likes Oslo.",
        "AI: Fine.",
        "Day unknown:",
        "Human: Oslo is big.",
        "AI: Oslo is big.",
        "2 April 2019:",
        "Human: Oslo is far.",
        "AI: Oslo is far.",
    ]
    model = ScriptedModel("Sam lives in Oslo.")
    ConversationSummaryMemory(llm=model, store=store, conversation_id="a", learn_every=1).load_memory_variables()
    lines = re.findall(r"^(?:\[.*|Human: \w+|AI: \w+)", model.asked[0][1], re.MULTILINE)
    assert lines == [
        *("Human: My", "AI: Noted", "[Friday, 5 June 1987]", "Human: Sam", "AI: Fine", "[Day unknown]"),
        *("Human: Oslo", "AI: Oslo", "[Tuesday, 2 April 2019]", "Human: Oslo", "AI: Oslo"),
    ]


@pytest.mark.parametrize("told", ["", "soon", "2019-04-02", "2019-04-02T08:00"])
def test_a_time_that_cannot_be_read_is_none(told: str) -> None:
    """A time without a zone is none: it could be another day."""
    assert Entry(1, {"role": "user", "content": "a"}, "t", STORED, {SAID_AT: told}).said_at is None


@pytest.mark.parametrize("told", ["soon", "2019-04-02", "2019-04-02T08:00", 5])
@pytest.mark.parametrize("by_turn", [True, False])
def test_a_time_that_cannot_be_read_is_refused(told: Any, by_turn: bool) -> None:  # noqa: FBT001 - a case
    """Nothing is stored, whichever way it came; the text names the time."""
    memory = create_memory("buffer")
    record = Record({"role": "assistant", "content": "Have a good trip!"}, {SAID_AT: told})
    with pytest.raises(MessageError, match=re.escape(repr(told))):
        memory.add_messages([record]) if not by_turn else _take_turn(memory, record)
    assert memory.history() == []


def _take_turn(memory: BaseMemory, record: Record) -> None:
    with memory.turn("I fly to Lima.", on_failure="rollback") as turn:
        turn.add(record)


@pytest.mark.parametrize("told", ["2026-05-08", 5, STORED.date()])
def test_a_record_of_what_is_no_time_is_refused(told: Any) -> None:
    """When it is saved, by the value, with nothing stored."""
    memory = create_memory("buffer")
    with pytest.raises(MessageError, match=f"(?s)@said_at.*not .*{str(told)[:4]}"):
        memory.add_messages([Record.dated({"role": "user", "content": "Hello."}, told)])
    assert memory.history() == []


def test_facts_have_no_day_either() -> None:
    """Neither those that hold nor those that were corrected, in a view, as a reason or in an export."""
    model = ScriptedModel("Sam | lives in | Oslo", "NO LONGER Sam | lives in | Oslo\nSam | lives in | Rome")
    store = undated(TALK[0])
    memory = ConversationKGMemory(llm=model, store=store, conversation_id="a", learn_every=1)
    memory.load_memory_variables({"input": "Sam?"})
    moved = [Record.dated({"role": role, "content": text}, None) for role, text in zip(ROLES, TALK[1], strict=True)]
    memory.add_messages(moved)
    assert "Sam lives in Rome" in memory.load_memory_variables({"input": "Sam?"})["history"]
    reasons = memory.why("Sam")
    assert [quote.said_at for reason in reasons for quote in reason.quotes] == [None] * 3
    forms = [memory.kg.export(form, history=True) for form in ("text", "json", "mermaid", "graphml", "html")]
    assert A_DAY.findall(str((reasons, forms))) == []
    again = ConversationKGMemory(llm=model, store=store, conversation_id="a", learn_every=1)
    assert again.why("Sam") == reasons
