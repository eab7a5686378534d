"""Cutting at the budget."""

from hypothesis import given
from hypothesis import strategies as st

from memzoo.benchmarks.measure.fitting import cut_to_budget, fit
from memzoo.stores import Message

_TEXTS = st.lists(st.text("ab ", max_size=12), max_size=6)
_BUDGETS = st.integers(0, 60)


def view_of(recalled: list[str], said: list[str]) -> list[Message]:
    """A view: what was recalled, then what was said."""
    return [{"role": "system", "content": text} for text in recalled] + [
        {"role": "user", "content": text} for text in said
    ]


def size(messages: list[Message]) -> int:
    """Their characters together."""
    return sum(len(message["content"]) for message in messages)


def roles(messages: list[Message], role: str) -> list[str]:
    """The texts of one role."""
    return [message["content"] for message in messages if message["role"] == role]


@given(_TEXTS, _TEXTS, _BUDGETS)
def test_it_is_never_over_the_budget(recalled: list[str], said: list[str], budget: int) -> None:
    """Whatever is shown, its tokens are within the budget."""
    assert size(fit(view_of(recalled, said), budget, len)) <= budget


@given(_TEXTS, _TEXTS, _BUDGETS)
def test_it_keeps_the_newest_whole(recalled: list[str], said: list[str], budget: int) -> None:
    """Of the messages word for word the newest are kept, uncut, and the next older one would not have fitted."""
    fitted = fit(view_of(recalled, said), budget, len)
    kept = roles(fitted, "user")
    assert kept == said[len(said) - len(kept) :]
    if len(kept) < len(said) and roles(fitted, "system") == recalled:
        assert size(fitted) + len(said[-len(kept) - 1]) > budget


@given(_TEXTS, _TEXTS, _BUDGETS)
def test_what_is_recalled_comes_first_and_is_cut_at_its_end(recalled: list[str], said: list[str], budget: int) -> None:
    """The recalled texts that are shown are a beginning of all of them."""
    shown = "".join(roles(fit(view_of(recalled, said), budget, len), "system"))
    assert shown == "".join(recalled)[:budget]


@given(_TEXTS, _TEXTS)
def test_what_fits_is_left_alone(recalled: list[str], said: list[str]) -> None:
    """A view within the budget is shown as it is."""
    view = view_of(recalled, said)
    assert fit(view, size(view), len) == view


@given(st.text(max_size=40), _BUDGETS)
def test_a_text_is_cut_at_the_last_place_that_fits(text: str, budget: int) -> None:
    """The beginning is as long as the budget allows."""
    assert cut_to_budget(text, budget, len) == text[:budget]


def test_nothing_follows_a_recalled_text_that_was_cut() -> None:
    """A budget that is spent is spent, even if an empty place or two is left by rounding."""
    view = view_of(["one two three", "four"], ["five"])
    shown = fit(view, 3, lambda text: 2 * len(text.split()))
    assert [message["content"].strip() for message in shown] == ["one"]


def test_a_tool_result_is_not_shown_without_its_call() -> None:
    """What is shown could be sent to a provider."""
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    view: list[Message] = [
        {"role": "assistant", "content": "a long story", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "a cat"},
        {"role": "user", "content": "nice"},
    ]
    assert fit(view, 12, len) == [{"role": "user", "content": "nice"}]
