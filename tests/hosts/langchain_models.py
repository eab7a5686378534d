"""A scripted chat model for the tests of LangChain and LangGraph."""

import threading
from collections.abc import Sequence
from typing import Any

import pytest

from memzoo.stores import Message
from tests.hosts.contract import Call, Step

chat_models: Any = pytest.importorskip(
    "langchain_core.language_models.chat_models", reason="LangChain is not installed"
)
messages: Any = pytest.importorskip("langchain_core.messages")
outputs: Any = pytest.importorskip("langchain_core.outputs")


class ScriptedChat(chat_models.BaseChatModel):  # type: ignore[misc]
    """Does what the script says, and keeps what it was sent."""

    script: list[Any]
    sent: list[Any] = []  # noqa: RUF012 - pydantic copies it
    lock: Any = threading.Lock()

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **_: Any) -> "ScriptedChat":
        """The script knows which tool to call."""
        return self

    def _generate(self, messages: list[Any], stop: Any = None, run_manager: Any = None, **_: Any) -> Any:
        self.sent.append(list(messages))
        step: Step = self.script.pop(0)
        if isinstance(step, Exception):
            raise step
        return outputs.ChatResult(generations=[outputs.ChatGeneration(message=_answer(step))])


def _answer(step: str | Call) -> Any:
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    if isinstance(step, str):
        return messages.AIMessage(step, usage_metadata=usage)
    return messages.AIMessage("", tool_calls=[{"name": "weather", "args": {"place": step.place}, "id": step.id}])


def chat(sent: Sequence[Any]) -> list[Message]:
    """What the model was sent, as chat messages."""
    return list(messages.convert_to_openai_messages(sent))
