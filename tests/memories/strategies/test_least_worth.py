"""What goes first where a state may not grow any further."""

from datetime import UTC, datetime
from typing import Any

from memzoo.memories import Fact
from memzoo.memories.engine.prompt_limit import count_for_prompt
from memzoo.memories.strategies.entity_notes import notes_within_state
from memzoo.memories.strategies.knowledge_graph import facts_within
from memzoo.types import Source

NOW = datetime(2026, 5, 8, tzinfo=UTC)


def fact(obj: str, seq: int, superseded_by: int = 0) -> Fact:
    """A fact about Sam, of a message."""
    return Fact("Sam", "has", obj, sources=(Source(seq, "user", NOW),), superseded_by=superseded_by)


def test_of_facts_the_corrected_go_first_and_then_the_oldest() -> None:
    """What fits exactly stays whole; with each token less, what is worth least goes, and nothing that need not."""
    facts = [fact("a dog", 1), fact("a cat", 2, superseded_by=9), fact("an ox", 3)]
    items = {one.key: one.as_json() for one in facts}
    sizes = [count_for_prompt(one.triple) for one in facts]
    assert facts_within(items, {}, sum(sizes)) == {}
    assert list(facts_within(items, {}, sum(sizes) - 1)) == [facts[1].key]
    assert list(facts_within(items, {}, sizes[0] + sizes[2])) == [facts[1].key]
    assert set(facts_within(items, {}, sizes[0] + sizes[2] - 1)) == {facts[1].key, facts[0].key}
    changes = {"sam\thas\ta dog": None, "sam\thas\ta hen": fact("a hen", 4).as_json()}
    tokens = sizes[2] + count_for_prompt("Sam | has | a hen")
    assert facts_within(items, changes, tokens) == changes | {facts[1].key: None}


def note(name: str, *statements: tuple[str, int, bool]) -> dict[str, Any]:
    """A note with statements: their text, the number of their message, whether they hold."""
    told = [{"text": text, "seq": [seq], **({} if holds else {"ended_by": 9})} for text, seq, holds in statements]
    return {"name": name, "statements": told}


def test_what_was_said_again_is_as_new_as_that() -> None:
    """The newest message that said it counts; what nobody knows when it was said goes before all others."""
    told = {"Sam is.": "1", "A dog.": "29", "An ox.": "3", "A hen.": "1", "Yes.": ""}
    statements = [{"text": text, **({"seq": [*map(int, seq)]} if seq else {})} for text, seq in told.items()]
    items = {"sam": {"name": "Sam", "statements": statements}}
    order, left = list[str](), [*told]
    while len(left) > 1:
        after: Any = notes_within_state(items, {}, sum(map(count_for_prompt, left)) - 1)["sam"]
        now = [one["text"] for one in after["statements"]]
        order += [text for text in left if text not in now]
        left = now
    assert order == ["Yes.", "A hen.", "An ox.", "A dog."]


def test_of_notes_what_they_are_on_goes_last() -> None:
    """First what was corrected, then what was said longest ago, then first statements, with the note and its names."""
    items = {
        "sam": note("Sam", ("Sam is.", 1, True), ("A dog.", 2, True), ("A cat.", 3, False), ("An ox.", 4, True)),
        "sammy": {"name": "Sammy", "of": "sam"},
        "eve": note("Eve", ("Eve is.", 5, True)),
    }
    texts = ("A cat.", "A dog.", "An ox.", "Sam is.", "Eve is.")
    total = sum(map(count_for_prompt, texts))
    assert notes_within_state(items, {}, total) == {}
    left: list[list[str]] = []
    for gone in range(1, 4):
        after = notes_within_state(items, {}, total - sum(map(count_for_prompt, texts[:gone])))
        assert set(after) == {"sam"}
        left.append([one["text"] for one in after["sam"]["statements"]])
    assert left == [["Sam is.", "A dog.", "An ox."], ["Sam is.", "An ox."], ["Sam is."]]
    assert notes_within_state(items, {}, count_for_prompt("Eve is.")) == {"sam": None, "sammy": None}
    assert notes_within_state(items, {"eve": None}, 0) == {"eve": None, "sam": None, "sammy": None}
