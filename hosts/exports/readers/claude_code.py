"""Reads the sessions of Claude Code (JSON Lines in `~/.claude/projects`) and of Qwen Code."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from memzoo.hosts.exports.chat_log import ChatLog, count
from memzoo.hosts.exports.members import date_at, mark_of, need, pick, role_at
from memzoo.hosts.exports.messages import messages_of
from memzoo.hosts.exports.trees import tree_of
from memzoo.stores import Message

_SPOKEN = ("user", "assistant", "tool_result")
_HIDDEN = ("isMeta", "isCompactSummary", "isApiErrorMessage", "isVisibleInTranscriptOnly")
_COMMANDS = ("<command-name>", "<command-message>", "<local-command-", "<bash-", "[Request interrupted by user")
"""The beginnings of texts that the program writes in the user's name."""


def read(document: Any, title: str) -> Iterator[ChatLog]:
    """Yield the conversation of a session: the branch that ends with the last entry.

    If a summary has replaced older messages for the model, the older messages are read too.
    """
    named = {parent for entry in document for key in ("parentUuid", "logicalParentUuid") if (parent := entry.get(key))}
    # An entry without a message matters if another follows it.
    there = [
        (number, one)
        for number, one in enumerate(document, start=1)
        if "message" in one or one.get("type") in _SPOKEN or one.get("uuid") in named
    ]
    entries = {str(need(entry, "uuid", f"message {number}")): entry for number, entry in there}
    is_tree = any("parentUuid" in entry for entry in entries.values())
    parents: dict[str, Any] = {}
    for uuid, entry in entries.items():
        parent = (need(entry, "parentUuid", f"message {uuid!r}") if parents and is_tree else None) or entry.get(
            "logicalParentUuid"
        )
        # The log of a resumed session can begin with entries whose parents are in another file.
        parents[uuid] = parent if parent in entries else None
    if not any(parents.values()):  # a transcript without a tree, in the order of the file
        parents = dict(zip(entries, [None, *entries], strict=False))
    aside = [uuid for uuid, entry in entries.items() if mark_of(entry, "isSidechain", f"message {uuid!r}")]
    aside = aside if len(aside) < len(entries) else []  # the file of a subagent
    main = {uuid: parent for uuid, parent in parents.items() if uuid not in set(aside)}
    notes = [f"{count(len(aside), 'entry', 'entries')} of subagents left out"] if aside else []
    name = next((str(one["summary"]) for one in document if one.get("summary")), title)
    said = {uuid: list(_said(entries[uuid], uuid)) for uuid in main}
    shown = next((uuid for uuid in reversed(said) if said[uuid]), None)
    session = next((str(one["sessionId"]) for one in entries.values() if one.get("sessionId")), "")
    yield tree_of(name, main, said.__getitem__, shown=shown, notes=notes, id=session)


def _said(entry: dict[str, Any], uuid: str) -> Iterator[tuple[Message, datetime | None]]:
    place = f"message {uuid!r}"
    if entry.get("type") in _SPOKEN:
        need(entry, "message", place)
    if "message" not in entry or any(mark_of(entry, mark, place) for mark in _HIDDEN):
        return
    role, date = role_at(entry, "type", place, {"tool_result": "tool"}), date_at(entry, "timestamp", place)
    for message in messages_of({"role": role, "content": pick(entry, "message.content|message.parts") or ""}):
        if message["role"] != "user" or not str(message["content"]).startswith(_COMMANDS):
            yield message, date
        elif given := _inside(message["content"], "command-args"):  # the user's words behind a command
            yield {"role": "user", "content": f"{_inside(message['content'], 'command-name')} {given}".strip()}, date


def _inside(content: Any, tag: str) -> str:
    return str(content).partition(f"<{tag}>")[2].partition(f"</{tag}>")[0].strip()
