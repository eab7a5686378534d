"""Whatever is said, whatever fails and however small the limit: what every strategy shows can be sent (I6)."""

import pytest

from memzoo.stores import Message
from memzoo.strategy import View
from tests.conversations import call, result, said
from tests.memories.sequences import SPECIES, sequence, tried
from tests.provider import refusal


@pytest.mark.parametrize("seed", range(2 * len(SPECIES)))
def test_what_is_shown_can_be_sent(seed: int) -> None:
    """No orphan result, no call without results, no newest user message lost, nothing over a limit without an error.

    Two of the sequences of `make sequences` on each strategy.
    """
    counts = sequence(seed, steps=12)
    assert counts["views"] + counts["errors"] == 24


BROKEN: list[list[Message]] = [
    [],
    [result("a")],
    [call("a")],
    [call("a"), said("user")],
    [call("a", "b"), result("a")],
    [call("a"), result("b"), result("a")],
    [call("a"), result("a"), result("a")],
    [call("a"), said("user"), result("a")],
    [{"role": "function", "name": "f", "content": "1"}],
    [said("user"), said("system")],
    [said("robot")],
    [{"role": "assistant", "content": "x", "tool_calls": []}],
    [{"role": "assistant", "content": None}],
    [{"role": "tool", "tool_call_id": "a", "content": None}],
    [{"role": "assistant", "content": [{"type": "image_url", "image_url": {"url": ""}}]}],
]


@pytest.mark.parametrize("messages", BROKEN)
def test_the_provider_of_the_tests_is_strict(messages: list[Message]) -> None:
    """What providers refuse, ours refuses."""
    assert refusal(messages)


def test_the_checks_find_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """A strategy that does not show the newest user message does not pass."""
    monkeypatch.setattr(View, "ending_with", _as_it_is)
    seeds = range(SPECIES.index("summary"), 500, len(SPECIES))
    with pytest.raises(AssertionError, match="the newest user message is lost"):
        [sequence(seed, steps=12) for seed in seeds]


def test_the_long_run_goes_on_after_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is wrong is told with the number of its sequence."""
    monkeypatch.setattr(View, "ending_with", _as_it_is)
    found = [tried(seed, steps=12) for seed in range(SPECIES.index("summary"), 120, len(SPECIES))]
    faults = [one for one in found if isinstance(one, str)]
    assert 0 < len(faults) < len(found)
    assert all("lost" in one and "in sequence" in one and "on summary" in one for one in faults)


def _as_it_is(view: View, newest: object, *, is_open: bool) -> View:
    return view
