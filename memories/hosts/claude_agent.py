"""A memory in the Claude Agent SDK: `ClaudeAgentOptions(session_store=MemorySessionStore(store, memories))`."""

import json
import logging
import secrets
from collections.abc import AsyncIterator, Sequence
from typing import Any
from urllib.parse import quote, unquote

from memzoo.memories.hosts.messages import HostMessage, chat_of, host_text, in_pieces
from memzoo.memories.hosts.shared import HostLog, Memories, host_module, memory_of
from memzoo.memories.text.messages import tool_call
from memzoo.stores import Record, Store
from memzoo.stores.base import managed
from memzoo.stores.errors import ModelError, OptionError

__all__ = ["MemorySessionStore"]

logger = logging.getLogger("memzoo")

_PAGE = 100
_MAIN = 2  # slashes in the id of a main conversation; those of its subagents have three
_FIELD = "@claude-agent"
# What the CLI, or a subagent, wrote for itself.
_HIDDEN = ("isMeta", "isSidechain", "isCompactSummary", "isApiErrorMessage")


class MemorySessionStore:
    """A store of memzoo as the SDK's `SessionStore`, and a memory that learns from what is said in the sessions.

    Transcripts are kept entry for entry, so that a session can be resumed on another machine. The memory of a project
    (the SDK's `project_key`, which stands for a folder) learns from the main conversations in it, and the hook `remind`
    shows it to the model. If learning fails, that is logged, and a later save catches up.
    """

    def __init__(self, store: Store, memories: Memories | None = None) -> None:
        """Keep transcripts.

        Args:
            store: Keeps them, under ids that begin with "claude/".
            memories: A provider, or a function from a project key to a memory; or one memory of that conversation id.

        Raises:
            UnsupportedError: The store cannot list conversations.
        """
        self._store, self._memories = managed(store, "conversations"), memories

    async def append(self, key: Any, entries: Sequence[Any]) -> None:
        """Append entries of a transcript; one that is there already, by its uuid, is not stored again."""
        for turn_id, records in _turns(entries):
            await self._store.append(_id(**key), records, turn_id=turn_id)
        said = [one for entry in entries for one in _said(entry)]
        if self._memories is not None and said and "subpath" not in key:
            try:
                await self._log(key["project_key"]).afollow(said)
            except ModelError as error:
                logger.warning("project %r: not learnt from yet: %s", key["project_key"], error)

    async def load(self, key: Any) -> list[Any] | None:
        """A whole transcript; `None` if there is none."""
        return [json.loads(kept.fields[_FIELD] or "") for kept in await self._store.read(_id(**key))] or None

    async def list_sessions(self, project_key: str) -> list[Any]:
        """The sessions of a project, each with the time of its newest entry in milliseconds."""
        ids = [id_ async for id_ in self._below(_id(project_key)) if id_.count("/") == _MAIN]
        return [{"session_id": unquote(id_.split("/")[_MAIN]), "mtime": await self._mtime(id_)} for id_ in ids]

    async def list_subkeys(self, key: Any) -> list[str]:
        """The transcripts of a session's subagents."""
        return [unquote(id_.rpartition("/")[2]) async for id_ in self._below(_id(**key))]

    async def delete(self, key: Any) -> None:
        """Delete a transcript, and with a main one those of its subagents; what the memory learnt from it stays."""
        for id_ in [_id(**key), *[id_ async for id_ in self._below(_id(**key))]]:
            await self._store.clear(id_)

    async def remind(self, input: Any, *_: Any) -> dict[str, Any]:  # noqa: A002 - the SDK's name
        """Show the model the memory, as a hook `UserPromptSubmit`: when a session begins, or always if it searches."""
        project = host_module("claude_agent_sdk", "claude-agent").project_key_for_directory(input["cwd"])
        log = self._log(project)
        if not log.memory.needs_query and await self._store.read(_id(project, input["session_id"]), limit=1):
            return {}
        shown = [one.message for one in await log.ashown(input["prompt"])]
        lines = [f"{message['role']}: {text}" for message in shown if (text := host_text(message["content"]))]
        text = "\n".join(["From earlier sessions:", *lines]) if lines else ""
        return {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": text}} if text else {}

    def _log(self, project_key: str) -> HostLog:
        if self._memories is None:
            raise OptionError("this session store has no memory: give it a memory, or a MemoryProvider, as `memories`")
        return HostLog(memory_of(self._memories, project_key), "claude-agent")

    async def _below(self, id_: str) -> AsyncIterator[str]:
        after: str | None = f"{id_}/"
        while after is not None:
            page = await self._store.conversations(after=after, limit=_PAGE)
            found = [one for one in page if one.startswith(f"{id_}/")]
            for one in found:
                yield one
            after = found[-1] if len(found) == _PAGE else None

    async def _mtime(self, id_: str) -> int:
        (newest,) = await self._store.read(id_, limit=1, newest=True)
        return int(newest.created_at.timestamp() * 1000)


def _id(project_key: str, session_id: str = "", subpath: str = "") -> str:
    parts = [project_key, session_id, subpath]
    return "/".join(["claude", *(quote(part, safe="") for part in parts if part)])


def _turns(entries: Sequence[Any]) -> list[tuple[str, list[Record]]]:
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


def _said(entry: Any) -> list[HostMessage]:
    """What was said in an entry: nothing in those that the CLI or a subagent wrote for itself."""
    if entry.get("type") not in ("user", "assistant") or any(entry.get(one) for one in _HIDDEN):
        return []
    content = (entry.get("message") or {}).get("content") or []
    blocks: list[dict[str, Any]] = [{"type": "text", "text": content}] if isinstance(content, str) else content
    of = {kind: [block for block in blocks if block["type"] == kind] for kind in ("text", "tool_use", "tool_result")}
    others = [block["type"] for block in blocks if block["type"] in ("image", "document")]
    if not (others or any(of.values())):  # a thought alone
        return []
    said = chat_of(
        entry["type"],
        [block["text"] for block in of["text"]],
        calls=[tool_call(call["id"], call["name"], call["input"]) for call in of["tool_use"]],
        results=[(result["tool_use_id"], host_text(result.get("content"))) for result in of["tool_result"]],
        others=others,
    )
    return in_pieces(said, None, str(entry.get("uuid") or ""))
