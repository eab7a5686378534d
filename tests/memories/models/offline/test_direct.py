"""The offline model without a client between, against the same model behind the `openai` client."""

import asyncio
import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest

from memzoo.benchmarks.transcripts import sample_transcripts
from memzoo.errors import ModelError, ModelReplyError
from memzoo.memories import ChatModel, create_memory, offline_client
from memzoo.stores import Message
from memzoo.sync import drive
from memzoo.types import Completion

ASKED: list[Message] = [
    {"role": "system", "content": "Answer."},
    {"role": "user", "content": [{"type": "text", "text": "Ann likes tea. What does Ann like?"}]},
]


def told(found: Completion) -> Completion:
    """A completion without its time."""
    return replace(found, spent=replace(found.spent, seconds=0.0))


@pytest.mark.parametrize("name", ["summary", "entity", "knowledge-graph"])
def test_it_answers_and_counts_what_the_client_brings(name: str) -> None:
    """For every prompt of a strategy, over the bundled conversation."""
    behind_a_client, pairs = ChatModel("offline"), list[tuple[Completion, Completion]]()

    class Both:
        """Asks both."""

        name = "offline"

        async def complete(self, messages: Any, purpose: str) -> Completion:
            """Give the answer of the one without a client."""
            found = await behind_a_client.direct().complete(messages, purpose)
            pairs.append((told(found), told(await behind_a_client.complete(messages, purpose))))
            return found

    memory = create_memory(name, llm=Both(), token_counter="approximate", learn_every=1)
    for exchange in sample_transcripts()[0].exchanges[:30]:
        memory.messages(exchange.user_text)
        memory.add_messages(exchange.messages)
    assert len(pairs) >= 30
    assert all(one == other for one, other in pairs)


@pytest.mark.parametrize("parameters", [{}, {"temperature": 0, "timeout": 3}, {"max_tokens": 500}])
def test_parameters_are_heeded_alike(parameters: dict[str, Any]) -> None:
    """Those without meaning for rules change nothing; texts may come in parts; async gives the same."""
    model = ChatModel("offline", **parameters)
    found = drive(model.direct().complete(ASKED, "chat"))
    assert told(found) == told(drive(model.complete(ASKED, "chat")))
    assert told(found) == told(asyncio.run(model.direct().complete(ASKED, "chat")))


@pytest.mark.parametrize(("parameters", "error"), [({"max_tokens": 1}, ModelReplyError), ({"n": 2}, ModelError)])
def test_what_fails_fails_alike(parameters: dict[str, Any], error: type[ModelError]) -> None:
    """A reply that is cut off, and a parameter that is refused."""
    model = ChatModel("offline", **parameters)
    raised = list[pytest.ExceptionInfo[ModelError]]()
    for one in (model, model.direct()):
        with pytest.raises(ModelError) as caught:
            drive(one.complete(ASKED, "chat"))
        raised.append(caught)
    assert [type(one.value) for one in raised] == [error, error]
    assert "was cut off after" in str(raised[1].value) or "n must be 1" in str(raised[1].value)


def test_a_model_of_an_endpoint_is_itself() -> None:
    """Also where the endpoint happens to know a model of the name "offline"."""
    models = [
        ChatModel("gpt-4o-mini"),
        ChatModel("offline", offline_client()),
        ChatModel("offline", base_url="http://127.0.0.1:1/v1", api_key="k"),
    ]
    assert [one.direct() for one in models] == models


def test_an_offline_comparison_needs_no_client() -> None:
    """The `openai` package, slow to load, is not even imported."""
    code = (
        "import sys; from memzoo.benchmarks import compare; "
        "compare('sample:en', ['summary-buffer']); assert 'openai' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
