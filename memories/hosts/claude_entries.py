"""Entries of the Claude Agent SDK's transcripts: as records of a store, and what is said in them."""

import json
import secrets
from collections.abc import Sequence
from typing import Any

from memzoo.memories.hosts.blocks import Blocks, Result, ToolCall, said_in_blocks
from memzoo.memories.hosts.shared import HostMessage, host_text
from memzoo.stores import Entry, Record

__all__ = ["entry_of", "said_of", "turns_of"]

_FIELD = "@claude-agent"
# What the CLI, or a subagent, wrote for itself.
_HIDDEN = ("isMeta", "isSidechain", "isCompactSummary", "isApiErrorMessage")


def entry_of(kept: Entry) -> Any:
    """An entry as the SDK gave it."""
    return json.loads(kept.fields[_FIELD] or "")


def turns_of(entries: Sequence[Any]) -> list[tuple[str, list[Record]]]:
    """Entries by their uuids. One without goes with the one before it, so that a batch sent again changes nothing."""
    first = next((entry["uuid"] for entry in entries if entry.get("uuid")), None)
    turns: list[tuple[str, list[Record]]] = [(f"before-{first or secrets.token_hex(16)}", [])]
    for entry in entries:
        if entry.get("uuid"):
            turns.append((entry["uuid"], []))
        # A message that is never sent: the entry is the SDK's, and opaque.
        message = {"role": "tool", "tool_call_id": "", "content": str(entry.get("type"))}
        turns[-1][1].append(Record(message, {_FIELD: json.dumps(entry)}))
    return [turn for turn in turns if turn[1]]


def said_of(entry: Any) -> list[HostMessage]:
    """What was said in an entry: nothing in those that the CLI or a subagent wrote for itself."""
    if entry.get("type") not in ("user", "assistant") or any(entry.get(one) for one in _HIDDEN):
        return []
    content = (entry.get("message") or {}).get("content") or []
    blocks: list[dict[str, Any]] = [{"type": "text", "text": content}] if isinstance(content, str) else content
    of = {kind: [block for block in blocks if block["type"] == kind] for kind in ("text", "tool_use", "tool_result")}
    calls = [ToolCall(call["id"], call["name"], call["input"]) for call in of["tool_use"]]
    results = [Result(result["tool_use_id"], host_text(result.get("content"))) for result in of["tool_result"]]
    others = [block["type"] for block in blocks if block["type"] in ("image", "document")]
    said = Blocks(entry["type"], [block["text"] for block in of["text"]], calls, results, others)
    return said_in_blocks(said, None, str(entry.get("uuid") or "")) if said.texts or calls or results or others else []
