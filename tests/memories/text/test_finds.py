"""Finds that stay: what was shown stays at the beginning, new finds come behind it, and nothing stale stays."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from memzoo.errors import OptionError
from memzoo.memories import BaseMemory, create_memory
from memzoo.memories.text.framing import frame_text, in_frame
from memzoo.memories.text.messages import text_of
from memzoo.memories.text.view import Finds
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
    limited: dict[str, Any] = {"max_token_limit": 30, **options}
    memory = create_memory(name, llm=model, token_counter=words, **limited, learn_every=1)
    for thing in THINGS:
        memory.save_context({"input": f"My {thing} is red"}, {"output": "A good colour"})
    return memory


def recalled(memory: BaseMemory, question: str) -> str:
    """What is recalled, as one text."""
    shown = memory.messages(question)
    return "\n".join(in_frame(text_of(one)) for one, made in zip(shown, shown.recalled, strict=True) if made)


def show(
    found: Sequence[int], earlier: Sequence[Sequence[int]], most: int = 100, *, holds: bool = True
) -> list[list[int]]:
    """The blocks that are shown for a question; each number is a word."""
    finds = Finds(found, lambda blocks: tuple(" ".join(map(str, block)) for block in blocks), most, lambda _: holds)
    blocks, texts = finds.behind(earlier, lambda text: len(text.split()))
    assert len("\n".join(texts).split()) == sum(map(len, blocks))
    return [[*block] for block in blocks]


class TestFinds:
    """The rule."""

    @given(some.lists(some.lists(some.integers(0, 30), unique=True, max_size=6), max_size=12), some.integers(6, 20))
    def test_it_shows_what_is_found_within_the_limit(self, asked: list[list[int]], limit: int) -> None:
        """All that is found is there, once, never more than fits; it begins as before or is chosen anew."""
        blocks, before = list[list[int]](), list[int]()
        for found in asked:
            blocks = show(found, blocks, limit)
            now = [one for block in blocks for one in block]
            assert set(found) <= set(now)
            assert len(set(now)) == len(now) <= limit
            assert now[: len(before)] == before or now == found
            before = now

    def test_it_begins_anew_when_hardly_anything_is_found_again(self) -> None:
        """The talk has gone elsewhere."""
        assert show([90, 91], [[*range(20)]]) == [[90, 91]]

    def test_it_begins_anew_when_something_does_not_hold_any_more(self) -> None:
        """Something was corrected."""
        assert show([2, 3], [[1, 2]]) == [[1, 2], [3]]
        assert show([2, 3], [[1, 2]], holds=False) == [[2, 3]]


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
        options: dict[str, Any] = {"k": 2} if name == "vector-retriever" else {"max_token_limit": None}
        options["stay_tokens"] = 100
        with pytest.raises(OptionError, match="stay_tokens"):
            create_memory(name, **options)


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


def test_an_excerpt_stays_as_long_as_the_limit_has_room() -> None:
    """A `stay_tokens` below the limit does not change what was quoted from a long message: the next comes behind it."""
    memory = create_memory("vector-retriever", token_counter=words, max_token_limit=1000, stay_tokens=1)
    said = " ".join(f"Thing{number} is kept in room {number} of the house." for number in range(60))
    memory.save_context({"input": said}, {"output": "I see."})
    memory.save_context({"input": "Both things are heavy."}, {"output": "Which?"})
    first = recalled(memory, "Where is the heavy Thing40?")
    assert "Thing40" in first
    assert "Thing50" not in first
    second = recalled(memory, "Where is the heavy Thing50?")
    assert second.startswith(first)
    assert "Thing50" in second
