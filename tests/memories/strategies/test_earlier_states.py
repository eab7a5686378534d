"""States that were written before memories learnt by amendments: entity, knowledge graph and summary go on from them.

`data/before-amendments.sql` was written by commit a09f364, with scripted replies of the kind that a large model gives.
"""

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from memzoo.memories import ConversationEntityMemory, ConversationKGMemory, ConversationSummaryMemory
from memzoo.stores import SQLStore
from memzoo.testing import ScriptedModel

DUMP = Path(__file__).parent / "data" / "before-amendments.sql"
SUMMARY = (
    "The user runs Crumb & Candle. Devin Achterberg is the head baker, Noor the apprentice. The rent at 14 Weir Street "
    "is £1,320. The flight to Ljubljana is on 12 May."
)
MOVED = {"input": "The rent at Weir Street is £1,400 now, Devin says."}, {"output": "Noted."}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SQLStore]:
    """The database, opened by the code of today."""
    file = tmp_path / "before.db"
    with contextlib.closing(sqlite3.connect(file)) as connection:
        connection.executescript(DUMP.read_text(encoding="utf-8"))
    with contextlib.closing(SQLStore(f"sqlite:///{file}")) as store:
        yield store


def test_notes_open_without_a_call(store: SQLStore) -> None:
    """All notes and other names are there, though each note was one text then."""
    memory = ConversationEntityMemory(llm=ScriptedModel(), store=store, conversation_id="bakery")
    assert memory.aliases == {"Devin": "Devin Achterberg"}
    assert memory.entities["Dr. Hall"] == "The vet. The dog saw Dr. Hall."
    assert len(memory.entities) == 7
    assert "The dog saw Dr. Hall." in str(memory.load_memory_variables({"input": "Who is Dr. Hall?"}))


def test_notes_go_on(store: SQLStore) -> None:
    """An old note is amended sentence by sentence; what nobody spoke of stays as it was."""
    model = ScriptedModel(
        lambda prompt: f"{prompt.partition(' The rent is £1,320')[0][-3:]} -> The rent is £1,400.\nDevin: Called."
    )
    memory = ConversationEntityMemory(llm=model, store=store, conversation_id="bakery")
    before = memory.entities
    memory.save_context(*MOVED)
    assert memory.entities["14 Weir Street"] == "The new shop. The rent is £1,400."
    assert memory.entities["Devin Achterberg"] == "Head baker of Crumb & Candle. Called."
    changed = {"14 Weir Street", "Devin Achterberg"}
    assert {name: note for name, note in memory.entities.items() if name not in changed} == {
        name: note for name, note in before.items() if name not in changed
    }


def test_facts_open_and_go_on(store: SQLStore) -> None:
    """The facts are there without a call, and a new price ends the old one."""
    model = ScriptedModel("14 Weir Street | costs | £1,400 a month | from today")
    memory = ConversationKGMemory(llm=model, store=store, conversation_id="bakery")
    assert [str(one.fact) for one in memory.why("Noor")] == ["Noor is the apprentice of user"]
    assert model.asked == []
    memory.save_context(*MOVED)
    assert [(str(one.fact), one.holds) for one in memory.why("14 Weir Street")] == [
        ("14 Weir Street costs £1,320 a month", False),
        ("14 Weir Street costs £1,400 a month (from today)", True),
    ]


def test_summaries_open_and_go_on(store: SQLStore) -> None:
    """The summary is shown without a call, and is in the next prompt."""
    model = ScriptedModel("The rent is £1,400.")
    memory = ConversationSummaryMemory(llm=model, store=store, conversation_id="bakery")
    assert memory.load_memory_variables({}) == {"history": SUMMARY}
    memory.save_context(*MOVED)
    assert SUMMARY in model.asked[0][1]
    assert memory.summary == "The rent is £1,400."
