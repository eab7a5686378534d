"""The command that learns what waits to be learnt in a store."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memzoo.memories import create_memory
from memzoo.stores import open_store
from memzoo.sync import drive


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A store with three conversations from which nobody has learnt."""
    url = f"sqlite:///{tmp_path}/chat.db"
    with open_store(url) as store:
        for id_ in ("anna/1", "anna/2", "bo/1"):
            memory = create_memory("buffer", store=store, conversation_id=id_)
            memory.save_context({"input": f"I am {id_}."}, {"output": "Hello!"})
            memory.save_context({"input": "I live in Oslo."}, {"output": "Nice."})
    return url


def behind(url: str) -> list[str]:
    """The conversations whose summary is not learnt."""
    with open_store(url) as store:
        return drive(store.conversations(behind="summary"))


def test_what_waits_is_learnt(url: str, command: Callable[..., Any]) -> None:
    """In all conversations, or some; a second run has nothing to do, and no call is made."""
    ran = command("learn", "--store", url, "--memory", "summary", "--conversation", "bo*")
    assert ran[:2] == (0, "Learnt in 1 of 1 conversation, with 1 model call.\n")
    assert behind(url) == ["anna/1", "anna/2"]
    ran = command("learn", "--store", url, "--memory", "summary", "--jobs", "2")
    assert ran[:2] == (0, "Learnt in 2 of 2 conversations, with 2 model calls.\n")
    ran = command("learn", "--store", url, "--memory", "summary")
    assert ran[:2] == (0, "Learnt in 0 of 0 conversations, with 0 model calls.\n")


def test_of_one_conversation(url: str, command: Callable[..., Any]) -> None:
    """`--conversation` names it."""
    ran = command("learn", "--store", url, "--memory", "summary", "--conversation", "anna/2")
    assert ran[:2] == (0, "Learnt in 1 of 1 conversation, with 1 model call.\n")
    assert behind(url) == ["anna/1", "bo/1"]


def test_a_memory_may_have_options(url: str, command: Callable[..., Any]) -> None:
    """So that what is learnt is what the program shows that has the same options."""
    ran = command("learn", "--store", url, "--memory", "summary-buffer:max_token_limit=10")
    assert ran.output == "Learnt in 3 of 3 conversations, with 3 model calls.\n"


def test_failures_are_told(url: str, command: Callable[..., Any]) -> None:
    """By the id of the conversation; the exit code is 1, so that a cron job notices."""
    options = ("--model", "m:base_url=http://127.0.0.1:1/v1,timeout=1")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("OPENAI_API_KEY", "k")
        ran = command("learn", "--store", url, "--memory", "summary", "--conversation", "bo*", *options)
    assert ran.code == 1
    assert ran.output == "Learnt in 0 of 1 conversation, with 0 model calls.\n"
    assert "bo/1: ModelError: the call of model 'm'" in ran.errors
    assert "1 conversation failed.\n" in ran.errors


def test_a_store_that_is_not_there_is_not_made(tmp_path: Path, command: Callable[..., Any]) -> None:
    """Nor is anything learnt by a strategy that learns nothing."""
    ran = command("learn", "--store", f"sqlite:///{tmp_path}/none.db", "--memory", "summary")
    assert ran.code != 0
    assert "there is no file" in ran.errors
