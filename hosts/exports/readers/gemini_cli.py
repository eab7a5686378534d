"""Reads the sessions of Gemini CLI: a JSON object or JSON Lines for each session, in `~/.gemini/tmp/*/chats`."""

from collections.abc import Iterator
from typing import Any

from memzoo.hosts.exports.chat_log import ChatLog, count
from memzoo.hosts.exports.fields import Fields
from memzoo.hosts.exports.members import as_list, mark_of, need, pick

_GIVEN = "functionResponse.response.output|functionResponse.response"


def _spell(item: Any, place: str) -> Any:
    """Return a message with its calls of tools among its parts, each with its result."""
    calls: list[Any] = []
    for one in item.get("toolCalls") or ():
        given = [pick(part, _GIVEN) or part for part in as_list(one.get("result"))]
        calls.append({"type": "tool_call"} | one | {"output": given or ""})
    said = need(item, "displayContent|content|parts", place)
    return item | {"content": [*calls, *as_list(said)] if calls else said}


FIELDS = Fields(
    messages="messages",
    role="type",
    text="content",
    date="timestamp",
    name="",
    title="sessionId",
    conversation="sessionId",
    roles={"gemini": "assistant", "info": "", "error": "", "warning": ""},
    entry=_spell,
)


def read_lines(document: Any, title: str) -> Iterator[ChatLog]:
    """Yield the conversation in the lines of a session.

    A line may also change an earlier message, or delete a message and all later ones.
    """
    head, messages, taken_back = dict[str, Any](), dict[str, Any](), 0
    for number, line in enumerate(document, start=1):
        if "$rewindTo" in line:
            ids = [*messages]
            place = ids.index(line["$rewindTo"]) if line["$rewindTo"] in messages else 0
            taken_back += len(ids) - place
            messages = {id_: messages[id_] for id_ in ids[:place]}
        elif "$set" in line:
            head |= line["$set"]
            if "messages" in line["$set"]:
                messages = {one["id"]: one for one in line["$set"]["messages"]}
        elif "sessionId" in line:
            head |= line
            messages |= {one["id"]: one for one in mark_of(line, "messages", f"line {number}") or ()}
        else:
            messages[need(line, "id", f"line {number}")] = line
    notes = [f"{count(taken_back, 'message')} that the user took back left out"] if taken_back else []
    yield FIELDS.read(head | {"messages": list(messages.values())}, title, notes=notes)
