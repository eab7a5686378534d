"""Finds that stay: what was shown stays at the beginning, new finds come behind it, and nothing stale stays."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from memzoo.errors import OptionError
from memzoo.memories import BaseMemory, create_memory
from memzoo.memories.search.excerpt import Staying
from memzoo.memories.text.framing import frame_text, in_frame
from memzoo.memories.text.messages import text_of
from memzoo.stores import Message

THINGS = ("boat", "garden", "piano", "bicycle")


def words(message: Message) -> int:
    """A token counter: a token for each word."""
    return len(text_of(message).split())


def model(messages: Sequence[Message]) -> str:
    """Takes note of the colour of a thing; what was red is no longer when it is painted green."""
    said = text_of(messages[-1])
    new = said[said.rindex("Human: ") :]
    thing = next(one for one in THINGS if one in new)
    if "triple" in said or "relation" in said:
        return f"{thing} | has the colour | {'green' if 'painted' in new else 'red'}"
    return f"{thing}: The {thing} is red."


def told(name: str, **options: Any) -> BaseMemory:
    """A memory that was told of four things."""
    memory = create_memory(name, llm=model, token_counter=words, **{"max_token_limit": 30, **options})
    for thing in THINGS:
        memory.save_context({"input": f"My {thing} is red"}, {"output": "A good colour"})
    return memory


def recalled(memory: BaseMemory, question: str) -> str:
    """What is recalled, as one text."""
    shown = memory.messages(question)
    return "\n".join(in_frame(text_of(one)) for one, made in zip(shown, shown.recalled, strict=True) if made)


class TestStaying:
    """The rule."""

    @given(some.lists(some.lists(some.integers(0, 30), unique=True, max_size=6), max_size=12), some.integers(6, 20))
    def test_it_shows_what_is_wanted_within_the_limit(self, asked: list[list[int]], limit: int) -> None:
        """All that is wanted is there, once, never more than fits; it begins as before or is chosen anew."""
        staying, before = Staying[int](), list[int]()
        for wanted in asked:
            blocks = staying.with_new(wanted, "epoch", lambda blocks: sum(map(len, blocks)) <= limit)
            now = [one for block in blocks for one in block]
            assert set(wanted) <= set(now)
            assert len(set(now)) == len(now) <= limit
            assert now[: len(before)] == before or now == wanted
            before = now

    def test_it_begins_anew_when_hardly_anything_is_wanted(self) -> None:
        """The talk has gone elsewhere."""
        staying = Staying[int]()
        staying.with_new(range(20), "epoch", lambda _: True)
        assert staying.with_new([90, 91], "epoch", lambda _: True) == [[90, 91]]

    @pytest.mark.parametrize(("about", "holds"), [("other", True), ("epoch", False)])
    def test_it_begins_anew_when_something_changed(self, about: str, holds: bool) -> None:  # noqa: FBT001
        """Something was deleted, or does not hold any more."""
        staying = Staying[int]()
        staying.with_new([1, 2], "epoch", lambda _: True)
        assert staying.with_new([2, 3], about, lambda _: True, lambda _: holds) == [[2, 3]]


@pytest.mark.parametrize("name", ["vector-retriever", "entity", "knowledge-graph"])
class TestMemories:
    """The memories that search."""

    def test_what_was_found_stays_at_the_beginning(self, name: str) -> None:
        """The block of the second question begins with that of the first."""
        memory = told(name, stay_tokens=200, **({"k": 0} if name == "entity" else {}))
        first = recalled(memory, "What of the boat?")
        second = recalled(memory, "What of the boat and the piano?")
        assert second.startswith(first)
        assert "piano" in second

    def test_what_fits_the_limit_stays_in_any_case(self, name: str) -> None:
        """A `stay_tokens` below the limit asks for no less than the limit allows."""
        memory = told(name, stay_tokens=1, max_token_limit=200, **({"k": 0} if name == "entity" else {}))
        first = recalled(memory, "What of the boat?")
        assert "boat" in first
        assert recalled(memory, "What of the boat and the piano?").startswith(first)

    def test_the_limit_holds(self, name: str) -> None:
        """When not all fits any more, only what is wanted is shown."""
        frame = 0 if name == "knowledge-graph" else len(frame_text("").split())
        limits = {"max_token_limit": frame + 14, "stay_tokens": frame + 22}
        memory = told(name, **limits, **({"k": 0} if name == "entity" else {}))
        for thing in THINGS * 2:
            shown = recalled(memory, f"What of the {thing}?")
            assert thing in shown
            assert len(shown.split()) <= 22

    def test_what_was_forgotten_does_not_stay(self, name: str) -> None:
        """Nothing of it is shown once more."""
        memory = told(name, stay_tokens=200)
        assert "boat" in recalled(memory, "What of the boat?")
        memory.forget([1, 2])
        assert "boat" not in recalled(memory, "What of the boat and the piano?")

    def test_another_limit_is_needed(self, name: str) -> None:
        """Of what is shown whole, nothing is chosen."""
        options = {"k": 2} if name == "vector-retriever" else {"max_token_limit": None}
        with pytest.raises(OptionError, match="stay_tokens"):
            create_memory(name, stay_tokens=100, **options)


def test_a_fact_that_was_corrected_does_not_stay() -> None:
    """What a user says later is never hidden behind what was said before (I15)."""
    memory = told("knowledge-graph", stay_tokens=200, single_valued=["has the colour"])
    assert "red" in recalled(memory, "What colour has the boat?")
    memory.save_context({"input": "My boat was painted green"}, {"output": "Nice"})
    shown = recalled(memory, "What colour has the boat?")
    assert "boat has the colour green" in shown
    assert "boat has the colour red" not in shown


def test_a_message_that_was_corrected_is_shown_with_its_correction() -> None:
    """What stays from an earlier question gets the correction that came since."""
    memory = create_memory("vector-retriever", max_token_limit=200, stay_tokens=900)
    for text in ("My sister lives in Oslo.", "I like tea.", "The weather is fine."):
        memory.save_context({"input": text}, {"output": "I see."})
    assert "Oslo" in recalled(memory, "Where does my sister live?")
    memory.save_context({"input": "Correction: my sister lives in Bergen now, not in Oslo."}, {"output": "Noted."})
    assert "Bergen" in recalled(memory, "Where does my sister live? And do I like tea?")
