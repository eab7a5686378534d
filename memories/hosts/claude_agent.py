"""A memory in the Claude Agent SDK: `ClaudeAgentOptions(session_store=MemorySessionStore(store, memories))`."""

import logging
from collections.abc import AsyncIterator, Sequence
from typing import Any
from urllib.parse import quote, unquote

from memzoo.memories.hosts.claude_entries import entry_of, said_of, turns_of
from memzoo.memories.hosts.shared import HostLog, Memories, host_module, host_text, memory_of
from memzoo.stores import Store
from memzoo.stores.base import managed
from memzoo.stores.errors import ModelError, OptionError

__all__ = ["MemorySessionStore"]

logger = logging.getLogger("memzoo")

_PAGE, _MAIN = 100, 2


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
        for turn_id, records in turns_of(entries):
            await self._store.append(_id(**key), records, turn_id=turn_id)
        said = [one for entry in entries for one in said_of(entry)]
        if self._memories is not None and said and "subpath" not in key:
            try:
                await self._log(key["project_key"]).afollow(said)
            except ModelError as error:
                logger.warning("project %r: not learnt from yet: %s", key["project_key"], error)

    async def load(self, key: Any) -> list[Any] | None:
        """A whole transcript; `None` if there is none."""
        return list(map(entry_of, await self._store.read(_id(**key)))) or None

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
