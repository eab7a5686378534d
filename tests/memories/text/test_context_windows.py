"""Limits as a share of what a model has room for."""

import copy
import pickle
from pathlib import Path
from typing import Any

import pytest

from memzoo import Conversation, create_memory, open_store, trim_messages
from memzoo.errors import OptionError
from memzoo.memories.text.context_windows import AS_OF, CONTEXT_WINDOWS, context_window


@pytest.mark.parametrize(
    ("model", "window"),
    [
        ("gpt-4o", 128_000),
        ("gpt-4o-mini-2024-07-18", 128_000),
        ("gpt-4", 8_192),
        ("gpt-4-0613", 8_192),
        ("gpt-4-turbo-preview", 128_000),
        ("gpt-5.4-mini", 400_000),
        ("openrouter/anthropic/claude-sonnet-4-5", 200_000),
        ("claude-sonnet-4-6", 1_000_000),
        ("o1-mini", 128_000),
        ("o10", None),
        ("gpt-4x", None),
        ("llama-of-mine", None),
        ("offline", None),
        ("", None),
    ],
)
def test_a_model_is_known_by_how_its_name_begins(model: str, window: int | None) -> None:
    """The longest beginning counts; a name that goes on otherwise is another model's."""
    assert context_window(model) == window


def test_every_known_model_finds_itself() -> None:
    """No entry of the table hides another."""
    assert {name: context_window(name) for name in CONTEXT_WINDOWS} == CONTEXT_WINDOWS


@pytest.mark.parametrize(
    ("name", "option"),
    [
        ("token-window", "max_token_limit"),
        ("summary-buffer", "max_token_limit"),
        ("vector-retriever", "max_token_limit"),
        ("entity", "max_token_limit"),
        ("knowledge-graph", "max_token_limit"),
    ],
)
def test_a_limit_is_a_share_of_the_window(name: str, option: str, tmp_path: Path) -> None:
    """A clone with another share has its tokens; a copy and a pickle have the tokens too."""
    store = open_store(f"sqlite:///{tmp_path}/chat.db")
    given: dict[str, Any] = {option: "10%", "token_counter": "gpt-4o", "llm": "offline", "store": store}
    memory = create_memory(name, **given)
    assert getattr(memory, option) == 12_800
    memory = memory.clone(**{option: "12.5%"})
    assert getattr(memory, option) == 16_000
    assert getattr(copy.copy(memory), option) == 16_000
    again = pickle.loads(pickle.dumps(memory))  # noqa: S301 - it is ours
    assert getattr(again, option) == 16_000
    again.close()
    store.close()


def test_the_model_that_is_asked_tells_the_window_too() -> None:
    """Where no counter names a model."""
    assert create_memory("summary-buffer", llm="gpt-4", max_token_limit="50%").max_token_limit == 4_096


@pytest.mark.parametrize(
    ("limit", "options", "told"),
    [
        ("80%", {}, "no model is known here"),
        ("80%", {"token_counter": "approximate"}, "'approximate' is not known here"),
        ("0%", {"token_counter": "gpt-4o"}, "not '0%'"),
        ("120%", {"token_counter": "gpt-4o"}, "not '120%'"),
        ("a lot", {"token_counter": "gpt-4o"}, "not 'a lot'"),
    ],
)
def test_a_window_that_nobody_knows_is_refused(limit: str, options: dict[str, Any], told: str) -> None:
    """With what would be right, and the date of the table."""
    with pytest.raises(OptionError, match=told) as refused:
        create_memory("token-window", max_token_limit=limit, **options)
    assert "'80%'" in str(refused.value) or AS_OF in str(refused.value)


def test_views_requests_and_lists_take_a_share() -> None:
    """A small model's half is less than what was said, word by word."""
    memory = create_memory("buffer", token_counter="approximate")
    for number in range(40):
        memory.save_context({"input": f"{number} " + "word " * 200}, {"output": "ok"})
    with pytest.raises(OptionError, match="is not known here"):
        memory.messages(max_tokens="50%")
    memory = memory.clone(token_counter="gpt-4")
    shown = memory.messages(max_tokens="50%")
    assert 0 < sum(map(memory.render.counter, shown)) <= 4_096 < sum(map(memory.render.counter, memory.history()))
    assert memory.explain(max_tokens="50%").shown
    with pytest.raises(OptionError, match="'offline' is not known here"):
        Conversation("offline", max_tokens="80%")
    with pytest.raises(OptionError, match="is not known here"):
        trim_messages(memory.history(), "50%", "approximate")
