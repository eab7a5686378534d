"""Windows that move in steps: how much they show, where they begin, and that this follows from the log alone."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from memzoo.memories import BaseMemory, create_memory
from memzoo.memories.text.eviction import Steps
from memzoo.stores import Entries, InMemoryStore, Message
from tests.conversations import call, result, said


def silent(messages: object) -> str:
    """A model that learns nothing."""
    return "NONE"


STEPPED: dict[str, dict[str, Any]] = {
    "window": {"k": 3, "step": 4},
    "message-window": {"max_messages": 6, "step": 8},
    "token-window": {"max_token_limit": 300, "step": 200},
    "entity": {"k": 3, "step": 4, "llm": silent},
}
IN_MESSAGES = ("window", "message-window", "entity")


def words(message: Message) -> int:
    """A token counter: a token for each word."""
    return len(str(message["content"]).split())


def opened(name: str, store: InMemoryStore, **options: Any) -> BaseMemory:
    """A memory over a store, as any process opens it."""
    return create_memory(
        name, store=store, conversation_id="a", token_counter=words, **STEPPED[name] | options, learn_every=1
    )


def seqs(memory: BaseMemory) -> list[int]:
    """The numbers of what is shown."""
    return [entry.seq for entry in memory.messages("x").entries if entry]


def exchanges(memory: BaseMemory, sizes: list[int]) -> None:
    """Save exchanges whose answers have so many words."""
    for number, size in enumerate(sizes):
        memory.add_messages([said("user", f"question {number}"), said("assistant", "word " * size)])


class TestSteps:
    """Where a window begins."""

    @given(some.integers(0, 20), some.integers(1, 20), some.lists(some.integers(1, 3), min_size=1, max_size=60))
    def test_numbers_are_shown_at_least_and_at_most(self, limit: int, step: int, gaps: list[int]) -> None:
        """Of things that count one each, the limit at least, the step more at most, whatever numbers they have."""
        numbers = [sum(gaps[: place + 1]) for place in range(len(gaps))]
        shown = len(numbers) - Steps.above(limit, step, 2).first(numbers, [1] * len(numbers))
        assert min(limit, len(numbers)) <= shown <= limit + step

    @given(some.integers(1, 60), some.integers(1, 60), some.lists(some.integers(0, 40), min_size=1, max_size=60))
    def test_tokens_are_a_limit(self, limit: int, step: int, sizes: list[int]) -> None:
        """Never more than the limit; less than the step allows only if the next message does not fit."""
        first = Steps.below(limit, step).first(range(1, len(sizes) + 1), sizes)
        assert sum(sizes[first:]) <= limit
        assert first == 0 or sum(sizes[first:]) >= limit - step or sum(sizes[first - 1 :]) > limit

    @given(some.sampled_from([Steps.above(4, 6), Steps.below(40, 30)]), some.lists(some.integers(1, 9), max_size=60))
    def test_it_never_goes_back(self, steps: Steps, sizes: list[int]) -> None:
        """While messages are added, the window begins where it began or later."""
        begins = [steps.first(range(1, end + 1), sizes[:end]) for end in range(len(sizes) + 1)]
        assert begins == sorted(begins)

    @given(some.sampled_from([Steps.above(4, 6), Steps.below(40, 30)]), some.lists(some.integers(1, 9), max_size=60))
    def test_the_room_is_what_can_be_added(self, steps: Steps, sizes: list[int]) -> None:
        """As much as there is room for leaves the beginning alone, and one more message may move it."""
        numbers = range(1, len(sizes) + 1)
        first = steps.first(numbers, sizes)
        room = steps.room(numbers, sizes, len(sizes), begins=first)

        def begins(more: int) -> int:
            return steps.first(range(1, len(sizes) + more + 1), [*sizes, *[1] * more])

        if room >= 0:
            assert {begins(more) for more in range(room + 1)} == {first}
            assert begins(room + 1) > first

    @given(
        some.sampled_from([Steps.above(4, 6), Steps.above(3, 9), Steps.below(40, 30), Steps.below(20, 30)]),
        some.lists(some.integers(1, 9), max_size=30),
        some.lists(some.integers(0, 9), max_size=12),
    )
    def test_whatever_is_added_within_the_room_moves_nothing(
        self, steps: Steps, sizes: list[int], added: list[int]
    ) -> None:
        """In messages of any size; one that cannot be sent yet (0 here) has a number, and takes room as any other."""
        first = steps.first(range(1, len(sizes) + 1), sizes)
        room = steps.room(range(1, len(sizes) + 1), sizes, len(sizes), begins=first)
        shown = [(number, size) for number, size in enumerate([*sizes, *added], 1) if size]
        if sum(max(size, 1) for size in added) <= room:
            assert steps.first([number for number, _ in shown], [size for _, size in shown]) == first


@pytest.mark.parametrize("name", STEPPED)
class TestWindows:
    """Each window with a step."""

    def test_it_moves_seldom(self, name: str) -> None:
        """Over 60 exchanges it begins with the same message at most turns."""
        memory, begins = opened(name, InMemoryStore()), list[int]()
        for number in range(60):
            memory.add_messages([said("user", f"question {number}"), said("assistant", "word " * 30)])
            begins.append(seqs(memory)[0])
        moved = sum(one != other for one, other in pairwise(begins))
        assert 5 <= moved <= 20, moved
        assert begins == sorted(begins)

    @given(sizes=some.lists(some.integers(1, 90), max_size=20))
    def test_another_process_shows_the_same(self, name: str, sizes: list[int]) -> None:
        """What was shown before does not matter, only what was said."""
        store = InMemoryStore()
        followed = opened(name, store)
        for number in range(len(sizes)):
            exchanges(followed, sizes[number : number + 1])
            assert followed.messages("x") == opened(name, store).messages("x")

    @given(sizes=some.lists(some.integers(1, 60), min_size=8, max_size=20), data=some.data())
    def test_what_is_forgotten_takes_nothing_with_it(self, name: str, sizes: list[int], data: some.DataObject) -> None:
        """All else stays in view; where the limit is in tokens, older messages may come into its room.

        An answer whose question was forgotten is one more of the answers to the question before.
        """
        memory = opened(name, InMemoryStore())
        exchanges(memory, sizes)
        before, gone = seqs(memory), data.draw(some.integers(1, 2 * len(sizes)))
        memory.forget([gone])
        orphaned = {gone + 1} if gone == before[0] else set[int]()
        assert set(before) - {gone} - orphaned <= set(seqs(memory))
        if name in IN_MESSAGES and gone not in before:
            assert seqs(memory) == before

    def test_what_is_deleted_behind_it_is_not_needed(self, name: str) -> None:
        """With `keep_history=False` it shows what it shows with the whole log."""
        whole, short = opened(name, InMemoryStore()), opened(name, InMemoryStore(), keep_history=False)
        for number in range(40):
            for memory in (whole, short):
                memory.add_messages(
                    [said("user", f"question {number}"), said("assistant", "word " * (10 + number % 7))]
                )
            assert whole.messages("x") == short.messages("x")
        assert len(short.history()) < 40

    def test_a_long_log_is_not_read(self, name: str) -> None:
        """To open a long conversation, only the newest messages are read."""
        store = InMemoryStore()
        exchanges(opened(name, store), [6] * 200)
        read, rows = store.read, list[int]()

        async def counted(*args: Any, **bounds: Any) -> Entries:
            found = await read(*args, **bounds)
            rows.append(len(found))
            return found

        store.read = counted  # type: ignore[method-assign]
        opened(name, store).messages("x", catch_up=False)
        assert sum(rows) <= 200


class TestMessages:
    """What counts messages."""

    def test_a_call_and_its_results_count_one_by_one_and_go_together(self) -> None:
        """As many as `max_messages` are shown at least, and up to the step more; no result without its call."""
        memory = create_memory("message-window", max_messages=4, step=6)
        for number in range(12):
            tools = [call(f"a{number}", f"b{number}"), result(f"a{number}"), result(f"b{number}")]
            memory.add_messages([said("user", "?"), *tools, said("assistant", "!")])
            shown = memory.messages()
            assert min(4, 5 * (number + 1)) <= len(shown) <= 10
            assert shown[0]["role"] != "tool"

    def test_whole_exchanges_go_at_once(self) -> None:
        """With `evict="exchange"` what is shown begins with a user message, and is as many messages as it has to be."""
        memory = create_memory("message-window", max_messages=4, step=6, evict="exchange")
        for number in range(30):
            memory.add_messages([said("user", "?"), *[said("assistant", "!")] * (1 + number % 2)])
            shown = memory.messages()
            assert shown[0]["role"] == "user"
            assert len(shown) == len(memory.history()) or 4 <= len(shown) <= 10


def test_waiting_messages_are_no_exchange() -> None:
    """A question that is not answered yet comes besides."""
    memory = opened("window", InMemoryStore())
    exchanges(memory, [1] * 7)
    before = memory.messages()
    memory.add_messages([said("user", "and now?")])
    assert memory.messages()[:-1] == before
