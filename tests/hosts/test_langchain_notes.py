"""Notes that are written with LangChain's two prompts: names are found first, then whole notes are written anew."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from memzoo import langchain
from memzoo.hosts.langchain.entities import write_notes
from memzoo.langchain import ConversationEntityMemory
from memzoo.memories import BaseMemory
from memzoo.memories import ConversationEntityMemory as PlainEntity
from memzoo.memories.strategies.entity_notes import EntityNotes, NoteStatement, statements_in
from memzoo.stores import Message
from memzoo.testing import ScriptedModel
from tests.memories.strategies.test_nothing_is_lost import checked, exchanges, limits

NAMES = "Names in {input}, after {history}?"
NOTES = "About {entity}: {summary}\n{input}"


def make(*replies: str, **options: Any) -> tuple[ConversationEntityMemory, list[str]]:
    """A memory with such prompts, and what its model is asked."""
    left, asked = iter(replies), list[str]()

    def answer(messages: list[Message]) -> str:
        asked.append(str(messages[-1]["content"]))
        return next(left)

    given = {"entity_extraction_prompt": NAMES, "entity_summarization_prompt": NOTES, **options}
    return ConversationEntityMemory(llm=answer, on_model_error="raise", **given), asked


@pytest.mark.parametrize("name", ["ConversationSummaryMemory", "ConversationEntityMemory", "ConversationKGMemory"])
def test_each_save_learns(name: str) -> None:
    """As in LangChain: the plain classes learn from several exchanges at a time."""
    asked = list[Message]()

    def answer(messages: Sequence[Message]) -> str:
        asked.extend(messages)
        return "Sam | likes | tea"

    memory = getattr(langchain, name)(llm=answer)
    for calls in (1, 2, 3):
        memory.save_context({"input": f"Sam likes tea number {calls}"}, {"output": "ok"})
        assert len(asked) == calls
    assert getattr(langchain, name)(llm=str, learn_every=4).plain.learners[0].rules.portion == 4


def test_ask_for_names_and_for_notes() -> None:
    """Of nobody, no notes are asked for."""
    memory, asked = make("Sam", "Sam: Sam is 30.", "NONE", "Sam", "sam: Sam is 31.\nShe: is tall.", ask_at_load=False)
    for said in ("Sam is 30", "It is raining frogs", "Sam is 31"):
        memory.save_context({"input": said}, {"output": "ok"})
    assert [prompt.startswith("Names in") for prompt in asked] == [True, False, True, True, False]
    assert asked[-1].startswith("About Sam: Sam is 30.\nHuman: Sam is 31\nAI: ok")
    assert dict(memory.entity_store.store) == {"Sam": "Sam is 31."}


@pytest.mark.parametrize("k", [0, 2])
def test_take_the_names_from_the_load_before(k: int) -> None:
    """What a load asked about an input need not be asked again when that input is saved."""
    memory, asked = make("Sam", "Sam: Sam is 30.", "Sam", "Sam: Sam is 31.", k=k)
    for said in ("Sam is 30", "Sam is 31"):
        memory.load_memory_variables({"input": said})
        memory.save_context({"input": said}, {"output": "ok"})
    assert [prompt.startswith("Names in") for prompt in asked] == [True, False, True, False]
    assert dict(memory.entity_store.store) == {"Sam": "Sam is 31."}


@pytest.mark.parametrize(
    "saved",
    [
        [{"role": "user", "content": "Eve is 30"}, {"role": "assistant", "content": "ok"}],
        [{"role": "user", "content": "Sam is 30"}],
        [{"role": "user", "content": "Sam is 30"}, {"role": "user", "content": "ok"}],
    ],
)
def test_ask_again_about_another_exchange(saved: list[Message]) -> None:
    """Other words, and no answer: the load was of something else."""
    memory, asked = make("Sam", "NONE")
    memory.load_memory_variables({"input": "Sam is 30"})
    memory.plain.add_messages(saved)
    assert [prompt.startswith("Names in") for prompt in asked] == [True, True]


def test_ask_again_if_something_else_was_said_meanwhile() -> None:
    """By whoever it was: whom the words mean may be another now. What was found out is of use once."""
    memory, asked = make("Sam", *["NONE"] * 3)
    memory.load_memory_variables({"input": "Sam is 30"})
    other = PlainEntity(
        llm=ScriptedModel("NOTHING NEW"), store=memory.plain.store, conversation_id=memory.plain.conversation_id
    )
    other.save_context({"input": "Eve is 29"}, {"output": "I see."})
    for _ in range(2):
        memory.save_context({"input": "Sam is 30"}, {"output": "ok"})
    assert [prompt.startswith("Names in") for prompt in asked] == [True, True, True]


def test_one_prompt_is_enough() -> None:
    """In place of a template that was not given, memzoo's asks for the same."""
    memory, asked = make("Sam", "Sam: is 30.", entity_summarization_prompt=None, ask_at_load=False)
    memory.save_context({"input": "Sam is 30"}, {"output": "ok"})
    assert [prompt.splitlines()[0] for prompt in asked] == [
        "Names in Human: Sam is 30",
        "Task: entity_update.",
    ]
    memory, asked = make("Sam", "Sam: is 30.", entity_extraction_prompt=None, ask_at_load=False)
    memory.save_context({"input": "Sam is 30"}, {"output": "ok"})
    assert [prompt.splitlines()[0] for prompt in asked] == ["Task: current_entities.", "About Sam: "]
    assert dict(memory.entity_store.store) == {"Sam": "is 30."}


def test_notes_without_room_are_amended() -> None:
    """What no prompt has room for is not written anew: statements are added, and what nobody could see stays."""
    notes = [f"{name}: {name} sings {'very ' * 480}well." for name in ("Anna", "Bo")]
    memory, asked = make(
        *("Anna\nBo", "\n".join(notes)),
        *("Anna\nBo", "Anna: Anna rests."),
        max_prompt_tokens=1536,
        ask_at_load=False,
    )
    for _ in range(2):
        memory.save_context({"input": "Anna and Bo"}, {"output": "ok"})
    assert asked[-1].startswith("Task: entity_notes.")
    anna, bo = (note.partition(": ")[2] for note in notes)
    assert dict(memory.entity_store.store) == {"Anna": f"{anna} Anna rests.", "Bo": bo}


def test_what_was_corrected_stays_when_a_note_is_written_anew() -> None:
    """The new text takes the place of what held; a sentence that was corrected and is said again is no history."""
    told = [NoteStatement("Bob lives in Oslo.", ended_by=9), NoteStatement("Bob likes tea.", seq=(2,))]
    notes = EntityNotes({"bob": {"name": "Bob", "statements": [one.as_json() for one in told]}})

    def written(text: str) -> dict[str, tuple[bool, tuple[int, ...]]]:
        item: Any = write_notes(notes, {"bob": text})["bob"]
        return {one.text: (one.holds, one.seq) for one in statements_in(item)}

    assert written("Bob likes milk.") == {"Bob lives in Oslo.": (False, ()), "Bob likes milk.": (True, ())}
    assert written("Bob likes tea.")["Bob likes tea."] == (True, (2,))
    assert written("Bob lives in Oslo.") == {"Bob lives in Oslo.": (True, ())}


@given(exchanges, limits, some.sampled_from([1, 60, 300]), some.integers(0, 7))
def test_nothing_is_lost(said: list[tuple[int, bool]], limit: int, size: int, left: int) -> None:
    """No sentence leaves a note unless the model saw it and left it out."""

    def made(**options: Any) -> BaseMemory:
        given = {"entity_extraction_prompt": NAMES, "entity_summarization_prompt": NOTES, **options}
        return ConversationEntityMemory(**given, on_model_error="raise").plain

    checked(made, said, limit, size=size, left=left)
