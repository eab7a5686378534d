"""Messages of Strands Agents, which have the form of Amazon Bedrock's, as chat messages and back."""

import json
from typing import Any

from memzoo.memories.hosts.blocks import PART, Blocks, Result, ToolCall, said_in_blocks
from memzoo.memories.hosts.shared import HostMessage, host_module

__all__ = ["said_of", "strands_message"]


def said_of(message: dict[str, Any]) -> list[HostMessage]:
    """A message of Strands on its way into the log."""
    blocks: list[dict[str, Any]] = message["content"]
    calls = [ToolCall(one["toolUseId"], one["name"], one["input"]) for one in _of("toolUse", blocks)]
    results = [Result(one["toolUseId"], _text(one["content"])) for one in _of("toolResult", blocks)]
    encode = host_module("strands.types.session", "strands").encode_bytes_values
    others = [kind for block in blocks for kind in block if kind in ("audio", "document", "image", "video")]
    said = Blocks(message["role"], _of("text", blocks), calls, results, others)
    return said_in_blocks(said, encode(message), message["tracking_id"])


def _of(kind: str, blocks: list[dict[str, Any]]) -> list[Any]:
    return [block[kind] for block in blocks if kind in block]


def _text(blocks: list[dict[str, Any]]) -> str:
    return "\n".join([block["text"] if "text" in block else json.dumps(block, default=str) for block in blocks])


def strands_message(said: HostMessage) -> dict[str, Any] | None:
    """A message as Strands has it; `None` for what stands in the system prompt, or in the message before."""
    blocks = Blocks.of(said.message)
    if blocks.role in ("system", "developer") or said.own == PART:
        return None
    if said.own is not None:
        return dict(host_module("strands.types.session", "strands").decode_bytes_values(said.own))
    calls = [{"toolUse": {"toolUseId": one.id, "name": one.name, "input": one.arguments}} for one in blocks.calls]
    results = [
        {"toolResult": {"toolUseId": one.id, "content": [{"text": one.text}], "status": "success"}}
        for one in blocks.results
    ]
    content = [*results, *({"text": text} for text in blocks.texts), *calls]
    return {"role": "assistant" if blocks.role == "assistant" else "user", "content": content}
