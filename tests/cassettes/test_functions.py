"""Recordings above HTTP: functions from messages to text, and ChatModels."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memzoo import ChatModel, create_memory
from memzoo.cassettes import ReplayError, use_cassette
from memzoo.errors import OptionError

if TYPE_CHECKING:
    from tests.cassettes.conftest import ModelServer, Pipeline

ASKED = [{"role": "user", "content": "What is the capital of Norway?"}]


def never(_: Any) -> str:
    """A model that must not be asked."""
    raise AssertionError("the model was asked")


def test_functions(path: Path) -> None:
    """A function is asked once, and then its recording answers; another question fails like over HTTP."""

    def model(messages: Any) -> str:
        return f"Oslo, as the answer to {messages[-1]['content']!r}"

    with use_cassette(path, record="once") as cassette:
        recorded = cassette.model(model)(ASKED)
    never.__name__ = "model"
    with use_cassette(path) as cassette:
        assert cassette.model(never)(ASKED) == recorded
    with (
        pytest.raises(ReplayError, match="- user: What is the capital of Norway"),
        use_cassette(path) as cassette,
    ):
        cassette.model(never)([{"role": "user", "content": "And of Sweden?"}])
    with pytest.raises(ReplayError), use_cassette(path) as cassette:
        cassette.model(never)


def test_asynchronous_functions(path: Path) -> None:
    """An asynchronous function stays one, and objects that are called are functions, too."""

    class Model:
        async def __call__(self, messages: Any) -> str:
            return "Oslo"

    for record in ("once", "none"):
        with use_cassette(path, record=record) as cassette:  # type: ignore[arg-type]
            assert asyncio.run(cassette.model(Model())(ASKED)) == "Oslo"


def test_what_happens_below_is_not_recorded(server: "ModelServer", pipeline: "Pipeline", path: Path) -> None:
    """The HTTP requests of a model that is recorded are no part of the recording; others are."""

    def model(messages: Any) -> str:
        return pipeline.ask(messages[-1]["content"], at=server.url) or ""

    with use_cassette(path, record="once") as cassette:
        assert cassette.model(model)(ASKED) == "You said: What is the capital of Norway?"
        pipeline.ask("beside", at=server.url)
    server.stop()
    with use_cassette(path) as cassette:
        assert cassette.model(model)(ASKED) == "You said: What is the capital of Norway?"
        pipeline.ask("beside")
    assert path.read_text().count("- request:") == 2
    assert path.read_text().count("method: CALL") == 1


def test_chat_models_in_memories(path: Path) -> None:
    """A memory with a recorded ChatModel replays, synchronously and not, from one recording."""

    def run(llm: Any) -> Any:
        memory = create_memory("summary", llm=llm, conversation_id="c", learn_every=1)
        memory.save_context({"input": "My sister Anna lives in Oslo."}, {"output": "Nice."})
        return memory.load_memory_variables({})

    async def run_async(llm: Any) -> Any:
        memory = create_memory("summary", llm=llm, conversation_id="c", learn_every=1)
        await memory.asave_context({"input": "My sister Anna lives in Oslo."}, {"output": "Nice."})
        return await memory.aload_memory_variables({})

    with use_cassette(path, record="once") as cassette:
        recorded = run(cassette.model(ChatModel("offline")))
    assert "Anna" in recorded["history"]
    gone = ChatModel("offline", base_url="http://dead.invalid/v1", api_key="none")
    with use_cassette(path) as cassette:
        assert run(cassette.model(gone)) == recorded
    with use_cassette(path) as cassette:
        assert asyncio.run(run_async(cassette.model(gone))) == recorded


def test_wrong_models(path: Path) -> None:
    """What is no model, or answers no text, is refused by its value."""
    with use_cassette(path, record="once") as cassette:
        with pytest.raises(OptionError, match="model=17 is neither"):
            cassette.model(17)
        with pytest.raises(OptionError, match="returned None; it must return a string"):
            cassette.model(print)(ASKED)
