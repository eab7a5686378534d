"""Messages of hosts that put text, calls and results of tools into one message, in blocks."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from memzoo.memories.hosts.shared import HostMessage
from memzoo.stores import JSON, Message

__all__ = ["PART", "Blocks", "Result", "ToolCall", "said_in_blocks"]

PART = ""
"""What stands for the host's own form of the further chat messages that one message of the host became."""


class ToolCall(NamedTuple):
    """A call of a tool: its id, the tool's name and the arguments, as JSON or written."""

    id: str
    name: str
    arguments: JSON


class Result(NamedTuple):
    """The result of a tool: the id of the call, and a text."""

    id: str
    text: str


class Blocks(NamedTuple):
    """What the blocks of one message say.

    Attributes:
        role: Whose message it is: user, assistant, system.
        texts: What is said.
        calls: Which tools are called.
        results: What tools gave back.
        others: The kinds of what has no text, such as "image".
    """

    role: str
    texts: Sequence[str] = ()
    calls: Sequence[ToolCall] = ()
    results: Sequence[Result] = ()
    others: Iterable[str] = ()

    @classmethod
    def of(cls, message: Message) -> "Blocks":
        """The blocks that a chat message would be."""
        calls = [ToolCall(call["id"], *_called(call.get("function") or {})) for call in message.get("tool_calls") or ()]
        content: Any = message.get("content") or ()
        texts = [content] if isinstance(content, str) else [part["text"] for part in content if "text" in part]
        if message["role"] == "tool":
            return cls("tool", results=[Result(message["tool_call_id"], "\n".join(texts))])
        return cls(message["role"], texts, calls)

    def chat(self) -> list[Message]:
        """The chat messages that say the same: one for each result, then one for the rest."""
        said: list[Message] = [
            {"role": "tool", "tool_call_id": result.id, "content": result.text} for result in self.results
        ]
        text, others = "\n".join(self.texts), [{"type": kind} for kind in self.others]
        content = [*([{"type": "text", "text": text}] if text else ()), *others] if others else text
        if self.calls:
            said.append({"role": "assistant", "content": content or None, "tool_calls": list(map(_call, self.calls))})
        elif content or not said:
            said.append({"role": self.role, "content": content})
        return said


def said_in_blocks(blocks: Blocks, own: JSON, key: str) -> list[HostMessage]:
    """A host's message on its way into the log; where it becomes several, the first one has all of its own form."""
    return [
        HostMessage(message, PART if place else own, f"{key}/{place}" if place and key else key)
        for place, message in enumerate(blocks.chat())
    ]


def _called(function: Mapping[str, Any]) -> tuple[str, JSON]:
    written = function.get("arguments") or "{}"
    try:
        return str(function.get("name")), json.loads(written)
    except ValueError:
        return str(function.get("name")), {"arguments": written}


def _call(call: ToolCall) -> dict[str, Any]:
    written = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments, ensure_ascii=False)
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": written}}
