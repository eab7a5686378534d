"""Reads the sessions of Codex CLI: one file of JSON Lines for each session, in `~/.codex/sessions`."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from memzoo.hosts.exports.chat_log import ChatLog, count
from memzoo.hosts.exports.form import having
from memzoo.hosts.exports.members import date_at, need, pick
from memzoo.hosts.exports.messages import is_call, is_part_of_answer, messages_of
from memzoo.hosts.messages import add_calls, dict_of
from memzoo.stores import Message

_INJECTED = ("<", "# AGENTS.md instructions")
"""The beginnings of texts that the program writes in the user's name: tags such as <environment_context>."""
_EVENTS = {"user_message": "user", "agent_message": "assistant"}


def is_codex(items: Any) -> bool:
    """Return whether lines belong to a session of Codex CLI, of any version."""
    first = dict_of(items[0]) if items else {}
    return having("payload", type="session_meta")(items) or {"id", "timestamp", "instructions"} <= first.keys()


def read(document: Any, title: str) -> Iterator[ChatLog]:
    """Yield the conversation of a session, without turns that were rolled back.

    The words come from the session's events; calls and results come from the items sent to the model.
    """
    kinds = {str(pick(line, "payload.type")) for line in document}
    told = {role for kind, role in _EVENTS.items() if kind in kinds}
    enveloped = "payload" in document[0]
    said: list[tuple[Message, datetime | None]] = []
    taken_back, untold = 0, Counter[str]()
    for number, line in enumerate(document, start=1):
        place = f"line {number}"
        item = dict_of(need(line, "payload", place) if enveloped else line)
        if enveloped and need(line, "type", place, str) in ("event_msg", "response_item"):
            need(item, "type", f"the payload of {place}", str)
        if item.get("type") == "thread_rolled_back":
            taken_back += (turns := need(item, "num_turns", place, int))
            _take_back(said, turns)
        elif line.get("type") == "event_msg" and (role := _EVENTS.get(str(item.get("type")))):
            said.append(({"role": role, "content": need(item, "message", place, str)}, _date(line, place)))
            untold.subtract([role])
        elif item.get("type") == "message" or "role" in item:
            spoken = _spoken(item, place)
            untold.update(one["role"] for one in spoken)
            said += [(one, _date(line, place)) for one in spoken if one["role"] not in told]
        elif is_call(item) and (new := messages_of(item)):  # none for a thought
            date = _date(line, place)
            if is_part_of_answer(item) and said and said[-1][0]["role"] == "assistant":
                message, date = said.pop()
                new = [add_calls(message, new[0]["tool_calls"])]
            said += [(one, date) for one in new]
    notes = [f"{count(taken_back, 'turn')} that the user took back left out"] if taken_back else []
    lost = sum(untold[role] for role in told if untold[role] > 0)
    notes += [f"{count(lost, 'message')} that the program did not show left out"] if lost else []
    key = str(pick(document, "0.payload.id|0.id") or "")
    yield ChatLog.of(key or title, said, notes, id=key)


def _spoken(item: dict[str, Any], place: str) -> list[Message]:
    """Return the words in an item, without those of the program."""
    role, content = need(item, "role", place), need(item, "content", place)
    return [
        message
        for message in messages_of({"role": role, "content": content})
        if message["role"] not in ("system", "developer")
        if message["role"] != "user" or not str(message["content"]).lstrip().startswith(_INJECTED)
    ]


def _date(line: Any, place: str) -> datetime | None:
    # Before version 0.40, only the first line has a time.
    return date_at(line, "timestamp|payload.timestamp", place) if "payload" in line else None


def _take_back(said: list[tuple[Message, datetime | None]], turns: int) -> None:
    places = [place for place, (message, _) in enumerate(said) if message["role"] == "user"]
    del said[places[-turns] if turns <= len(places) else 0 :]
