"""The hooks of a strategy: who has one is asked, and nobody else."""

from collections.abc import Mapping, Sequence

import pytest

from memzoo.strategy import JSON, BaseMemory, Changes, Entry, Log, State, View, strategy


@strategy
class Plain(BaseMemory):
    """Shows the newest exchange, as a package that knows of two hooks only."""

    name = "plain"

    async def view(self, log: Log, state: State, query: str | None) -> View:
        """The newest exchange."""
        return View.of(await log.exchanges(1))


@strategy
class Counting(Plain):
    """Counts what was said."""

    name = "counting"

    async def derive(self, state: State, entries: Sequence[Entry], log: Log) -> Changes:
        """How many messages there were."""
        return Changes({"count": state.items.get("count", 0) + len(entries)})


@strategy
class Following(Counting):
    """Follows its state."""

    name = "following"
    seen = 0

    async def on_state_change(self, changes: Mapping[str, JSON], *, reset: bool) -> None:
        """The newest count."""
        self.seen = changes.get("count", self.seen)


@pytest.mark.parametrize(("kind", "count"), [(Plain, 0), (Counting, 4), (Following, 4)])
def test_who_has_a_hook_is_asked(kind: type[BaseMemory], count: int) -> None:
    """A class with `derive` learns; one with `on_state_change` hears of what was learnt."""
    memory = kind()
    for said in ("hi", "and now?"):
        memory.save_context({"input": said}, {"output": "ok"})
    assert getattr(memory, "seen", count) == count
    assert memory.load_memory_variables({}) == {"history": "Human: and now?\nAI: ok"}
    learnt = {learner.name: learner.cached_state.newest.items for learner in memory.learners}
    assert learnt == ({kind.name: {"count": count}} if count else {})


def test_who_looks_at_the_state_while_hearing_of_it_sees_the_one_before() -> None:
    """`on_state_change` may ask for the state: it is told once, and waits for nobody."""
    counts = list[JSON]()

    @strategy
    class Looking(Following):
        """Looks at the state at each change."""

        name = "looking"

        async def on_state_change(self, changes: Mapping[str, JSON], *, reset: bool) -> None:
            """What is known by then."""
            known = await self.learners[0].refresh()
            if changes:
                counts.append(known.items.get("count"))

    memory = Looking()
    for said in ("hi", "and now?"):
        memory.save_context({"input": said}, {"output": "ok"})
    assert counts == [None, 2]
