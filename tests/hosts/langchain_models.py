"""A scripted chat model for the tests of LangChain and LangGraph."""

import json
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from memzoo.memories import BaseMemory
from memzoo.stores import Message
from tests.hosts.contract import SAID_THEN, Call, Step
from tests.hosts.samples import members, samples

chat_models: Any = pytest.importorskip(
    "langchain_core.language_models.chat_models", reason="LangChain is not installed"
)
messages: Any = pytest.importorskip("langchain_core.messages")
lc_content: Any = pytest.importorskip("langchain_core.messages.content")
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


async def gone_back(graph: Any, config: Any, how: str) -> None:
    """Go back in a thread that ends with two exchanges, as LangGraph does it, to where the model answers."""
    question, answer = (await graph.aget_state(config)).values["messages"][-2:]
    given: Any = {"messages": [messages.HumanMessage(SAID_THEN[how])]}
    if how == "fork":
        states = [one async for one in graph.aget_state_history(config) if not one.next]
        config = next(one.config for one in states if one.values["messages"][-1].text == "Answer 0")
    elif how == "remove":
        removed = [messages.RemoveMessage(id=one.id) for one in (question, answer)]
        await graph.aupdate_state(config, {"messages": removed})
    else:
        changed = [messages.HumanMessage(SAID_THEN[how], id=question.id), messages.RemoveMessage(id=answer.id)]
        config, given = await graph.aupdate_state(config, {"messages": changed}, as_node="__start__"), None
    await graph.ainvoke(given, config)


def thread_shapes() -> Iterator[Any]:
    """Messages of every kind that LangChain knows, with contents of every kind that it knows."""
    blocks = [dict(block) for kind in members(lc_content.ContentBlock) for block in samples(kind)]
    for kind in members(messages.AnyMessage):
        needed = {name: "name" for name in ("role", "name", "tool_call_id") if name in kind.model_fields}
        for content in ("Words", *([block] for block in blocks), [{"type": "unheard-of", "x": 1}], ["Words", *blocks]):
            yield kind(content, id="shape", **needed)
    call: dict[str, Any] = {"name": "weather", "args": {}, "id": None}
    yield messages.AIMessage(
        "", tool_calls=[call], invalid_tool_calls=[{**call, "args": "{", "error": "?"}], id="shape"
    )
    yield messages.HumanMessage("half a character: \ud800", id="shape")


def kept_of(memory: BaseMemory, id_: str) -> Any:
    """A message of LangChain's as the log has it."""
    (own,) = [one.fields["@langchain"] for one in memory.entries() if one.turn_id == id_]
    return messages.messages_from_dict([json.loads(own or "")])[0]
