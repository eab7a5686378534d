"""The hooks of a strategy: who has one is asked, and nobody else."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from memzoo.errors import PluginError
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
    learns = True

    async def derive(self, state: State, entries: Sequence[Entry], log: Log) -> Changes:
        """How many messages there were."""
        return Changes({"count": state.items.get("count", 0) + len(entries)})


@strategy
class Following(Counting):
    """Follows its state."""

    name = "following"
    follows_state = True
    seen = 0

    async def on_state_change(self, changes: Mapping[str, JSON], *, reset: bool) -> None:
        """The newest count."""
        self.seen = changes.get("count", self.seen)


@strategy
class Silent(Following):
    """Has the hook, and does not want it called."""

    name = "silent"
    learns = False


@pytest.mark.parametrize(
    ("kind", "learns", "follows", "count"),
    [(Plain, False, False, 0), (Counting, True, False, 4), (Following, True, True, 4), (Silent, False, True, 0)],
)
def test_who_declares_a_hook_is_asked(kind: type[BaseMemory], count: int, *, learns: bool, follows: bool) -> None:
    """A class that learns has `derive` called; one that follows its state hears of what was learnt."""
    memory = kind()
    for said in ("hi", "and now?"):
        memory.save_context({"input": said}, {"output": "ok"})
    assert (kind.learns, kind.follows_state) == (learns, follows)
    assert getattr(memory, "seen", count) == count
    assert memory.load_memory_variables({}) == {"history": "Human: and now?\nAI: ok"}
    learnt = {learner.name: learner.cached_state.newest.items for learner in memory.learners}
    assert learnt == ({kind.name: {"count": count}} if learns else {})


def test_who_looks_at_the_state_while_hearing_of_it_sees_the_one_before() -> None:
    """`on_state_change` may ask for the state: it is told once, and waits for nobody."""

    @strategy
    class Looking(Following):
        """Looks at the state at each change."""

        name = "looking"
        counts: tuple[JSON, ...] = ()

        async def on_state_change(self, changes: Mapping[str, JSON], *, reset: bool) -> None:
            """What is known by then."""
            known = await self.known_state()
            if changes:
                self.counts = (*self.counts, known.items.get("count"))

    memory = Looking()
    for said in ("hi", "and now?"):
        memory.save_context({"input": said}, {"output": "ok"})
    assert memory.counts == (None, 2)


@pytest.mark.parametrize(
    ("hook", "declaration"),
    [({"derive": Counting.derive}, "learns"), ({"on_state_change": Following.on_state_change}, "follows_state")],
)
def test_a_hook_that_nothing_would_call_is_refused(hook: dict[str, Any], declaration: str) -> None:
    """A class that has a hook and does not declare it is told so when a memory is made."""
    with pytest.raises(PluginError, match=f"write `{declaration} = True`"):
        strategy(type("Undeclared", (Plain,), {"name": "undeclared", **hook}))()


def test_who_learns_and_has_nothing_to_derive_learns_nothing() -> None:
    """`derive` is no duty of a class that learns, such as a `ModelBackedMemory` that asks at a load only."""

    @strategy
    class Listening(Plain):
        """Learns nothing."""

        name = "listening"
        learns = True

    memory = Listening()
    memory.save_context({"input": "hi"}, {"output": "ok"})
    assert [learner.cached_state.newest.items for learner in memory.learners] == [{}]
