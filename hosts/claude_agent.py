"""A memory in the Claude Agent SDK: `ClaudeAgentOptions(session_store=MemorySessionStore(store, memories))`."""

import hashlib
import json
import logging
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from typing import Any
from urllib.parse import quote, unquote

from memzoo.errors import ModelError, OptionError
from memzoo.hosts.messages import HostMessage, chat_of, dict_of, dicts_of, host_text, in_pieces, make_call
from memzoo.hosts.shared import HostLog, Memories, host_module, memory_of
from memzoo.stores import Record, Store
from memzoo.stores.base import managed

__all__ = ["MemorySessionStore"]

logger = logging.getLogger("memzoo")

_PAGE = 100
_MAIN = 2  # slashes in the id of a main conversation; the id of a subagent's conversation has three
_FIELD = "@claude-agent"
# Fields that mark entries for the CLI's or a subagent's own use.
_HIDDEN = ("isMeta", "isSidechain", "isCompactSummary", "isApiErrorMessage")


class MemorySessionStore:
    """A memzoo store as the SDK's `SessionStore`, with a memory that learns from the sessions.

    Transcripts are kept entry for entry, so you can resume a session on another machine. Each project (the SDK's
    `project_key`, which stands for a folder) has one memory, which learns from the project's sessions but not from
    subagents. The hook `remind` shows the memory to the model. If learning fails, a warning is logged, and a later save
    learns from the missed entries too.
    """

    def __init__(self, store: Store, memories: Memories | None = None) -> None:
        """Make a session store.

        Args:
            store: The store for the transcripts. The conversation id of each transcript begins with "claude/".
            memories: A `MemoryProvider`; a function that takes a project key and returns a memory; or, for a single
                project, a memory whose conversation id is the project key.

        Raises:
            UnsupportedError: The store cannot list conversations.
        """
        self._store, self._memories = managed(store, "conversations"), memories

    async def append(self, key: Any, entries: Sequence[Any]) -> None:
        """Append entries to a transcript, except those that the transcript has already.

        An entry is recognised by its uuid. An entry without a uuid is recognised by its content and by the nearest
        uuid before it.
        """
        id_ = _id(**key)
        whole = self._memories is not None and not await self._store.read(id_, limit=1)
        for turn_id, records in await self._turns(id_, entries):
            await self._store.append(id_, records, turn_id=turn_id)
        if self._memories is not None and "subpath" not in key and any(map(_to_messages, entries)):
            try:
                await self._follow(key, entries, whole=whole)
            except ModelError as error:
                logger.warning(
                    "project %r: new messages are stored, but not learnt from yet: %s", key["project_key"], error
                )

    async def load(self, key: Any) -> list[Any] | None:
        """Return a whole transcript; `None` if it does not exist."""
        return [json.loads(kept.fields[_FIELD] or "") for kept in await self._store.read(_id(**key))] or None

    async def list_sessions(self, project_key: str) -> list[Any]:
        """Return the sessions of a project, each with the time of its newest entry, in milliseconds since 1970."""
        ids = [id_ async for id_ in self._below(_id(project_key)) if id_.count("/") == _MAIN]
        return [{"session_id": unquote(id_.split("/")[_MAIN]), "mtime": await self._mtime(id_)} for id_ in ids]

    async def list_subkeys(self, key: Any) -> list[str]:
        """Return the keys of the transcripts of a session's subagents."""
        return [unquote(id_.rpartition("/")[2]) async for id_ in self._below(_id(**key))]

    async def delete(self, key: Any) -> None:
        """Delete a transcript and the transcripts of its subagents.

        The memory of the project stays.
        """
        for id_ in [_id(**key), *[id_ async for id_ in self._below(_id(**key))]]:
            await self._store.clear(id_)

    async def remind(self, input: Any, *_: Any) -> dict[str, Any]:  # noqa: A002 - the SDK's name
        """Return the memory's view for the model. Use this method as a `UserPromptSubmit` hook.

        A memory that searches shows its view at every prompt. Any other memory shows its view only at the first
        prompt of a session.
        """
        project = host_module("claude_agent_sdk", "claude-agent").project_key_for_directory(input["cwd"])
        log = self._log(project)
        if not log.memory.needs_query and await self._store.read(_id(project, input["session_id"]), limit=1):
            return {}
        shown = [one.message for one in await log.aread_view(input["prompt"])]
        lines = [f"{message['role']}: {text}" for message in shown if (text := host_text(message["content"]))]
        text = "\n".join(["From earlier sessions:", *lines]) if lines else ""
        return {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": text}} if text else {}

    async def _follow(self, key: Any, entries: Sequence[Any], *, whole: bool) -> None:
        """Save a session's new entries to the project's memory; take back entries that a newer prompt has abandoned."""
        log, session = self._log(key["project_key"]), key["session_id"]
        left = _find_left_behind(await self._around(_id(**key), entries))
        if {_uuid(entry) for entry in entries} & set(left.values()):
            await log.atake_back(left.keys(), thread=session)
        origins = await self._origins(key["project_key"], entries)
        standing = [entry for entry in entries if _uuid(entry) not in left]
        said = [one for entry in standing for one in _to_messages(entry, origins.get(_uuid(entry)))]
        await log.afollow([one._replace(thread=session) for one in said], whole=whole)

    async def _around(self, id_: str, entries: Sequence[Any]) -> list[Any]:
        """Return the newest entries of a transcript, back to the parent of the first of the given entries."""
        before = next((dict_of(entry).get("parentUuid") for entry in entries if _uuid(entry)), None)
        size = max(_PAGE, len(entries))
        while True:
            kept = await self._store.read(id_, limit=size, newest=True)
            found = [json.loads(one.fields[_FIELD] or "") for one in kept]
            if not before or len(kept) < size or before in map(_uuid, found):
                return found
            size *= 4

    async def _origins(self, project_key: str, entries: Sequence[Any]) -> dict[str, str]:
        """Return the original uuids of entries that forks of a session have copied, by the entries' current uuids."""
        from_ = {_uuid(entry): dict_of(entry["forkedFrom"]) for entry in map(dict_of, entries) if "forkedFrom" in entry}
        origins = {uuid: str(fork.get("messageUuid") or uuid) for uuid, fork in from_.items()}
        for session in {str(fork["sessionId"]) for fork in from_.values() if fork.get("sessionId")}:
            forked = await self.load({"project_key": project_key, "session_id": session}) or []
            earlier = await self._origins(project_key, forked)
            origins = {uuid: earlier.get(origin, origin) for uuid, origin in origins.items()}
        return origins

    def _log(self, project_key: str) -> HostLog:
        if self._memories is None:
            raise OptionError("this session store has no memory: pass a memory, or a MemoryProvider, as `memories`")
        return HostLog(memory_of(self._memories, project_key), "claude-agent")

    async def _turns(self, id_: str, entries: Sequence[Any]) -> list[tuple[str, list[Record]]]:
        """Return entries as turns: ids and records. Entries that are sent again have the same turn ids."""
        first = next((place for place, entry in enumerate(entries) if _uuid(entry)), len(entries))
        before = Counter[str]()
        anchor, said = "", [_write(entry) for entry in entries]
        if first == len(entries):
            anchor, ending = await self._read_tail(id_)
            if len(said) <= len(ending) and ending[len(ending) - len(said) :] == said:
                return []
            before.update(ending)
        elif first:
            anchor = f"before-{_uuid(entries[first])}"
        turns: list[tuple[str, list[Record]]] = []
        for entry, text in zip(entries, said, strict=True):
            # The message is never sent to a model; the entry itself is in the field, unchanged.
            kind = str(dict_of(entry).get("type"))
            record = Record({"role": "tool", "tool_call_id": "", "content": kind}, {_FIELD: text})
            if uuid := _uuid(entry):
                anchor, before = uuid, Counter[str]()
                turns.append((uuid, [record]))
            else:
                before[text] += 1
                digest = hashlib.sha256(text.encode()).hexdigest()[:32]
                turns.append((f"{anchor}+{digest}:{before[text]}", [record]))
        return turns

    async def _read_tail(self, id_: str) -> tuple[str, list[str]]:
        """Return the newest uuid of a transcript and the entries after it; without a uuid, "" and all entries."""
        size = _PAGE
        while True:
            kept = [one.fields[_FIELD] or "" for one in await self._store.read(id_, limit=size, newest=True)]
            uuids = [_uuid(json.loads(text)) for text in kept]
            place = max((place for place, uuid in enumerate(uuids) if uuid), default=-1)
            if place >= 0 or len(kept) < size:
                return uuids[place] if place >= 0 else "", kept[place + 1 :]
            size *= 4

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


def _uuid(entry: Any) -> str:
    return str(dict_of(entry).get("uuid") or "")


def _write(entry: Any) -> str:
    return json.dumps(entry, default=str)


def _find_left_behind(transcript: Sequence[Any]) -> dict[str, str]:
    """Return the uuids of abandoned entries, each with the uuid of the prompt that abandoned the entry.

    A prompt abandons all entries that were already below the prompt's parent.
    """
    parents, left = dict[str, str](), dict[str, str]()
    for entry in map(dict_of, transcript):
        uuid, parent = _uuid(entry), str(entry.get("parentUuid") or "")
        if parent and parent in parents.values() and [one.message["role"] for one in _to_messages(entry)] == ["user"]:
            below = {parent}
            for other, above in parents.items():
                if above in below:
                    below.add(other)
                    left.setdefault(other, uuid)
        if uuid:
            parents[uuid] = parent
    return left


def _to_messages(entry: Any, key: str | None = None) -> list[HostMessage]:
    """Return the messages of an entry; none if only the CLI or a subagent uses the entry."""
    entry = dict_of(entry)
    if entry.get("type") not in ("user", "assistant"):
        return []
    message: Any = entry.get("message")
    content = dict_of(message).get("content", message)
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else dicts_of(content)
    kinds = ("text", "tool_use", "tool_result")
    of = {kind: [block for block in blocks if block.get("type") == kind] for kind in kinds}
    others = [block["type"] for block in blocks if block.get("type") in ("image", "document")]
    if any(entry.get(one) for one in _HIDDEN) or not (others or any(of.values())):  # only a thought
        return []
    said = chat_of(
        entry["type"],
        [str(block.get("text") or "") for block in of["text"]],
        calls=[make_call(call.get("id"), call.get("name"), call.get("input")) for call in of["tool_use"]],
        results=[(str(one.get("tool_use_id") or ""), host_text(one.get("content"))) for one in of["tool_result"]],
        others=others,
    )
    return in_pieces(said, None, key or _uuid(entry))
