"""Converts messages in the common forms of providers and libraries to OpenAI's form."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from memzoo.errors import TransferError
from memzoo.hosts.exports.chat_log import ChatLog, count, date_of, reason, tell_left_out
from memzoo.hosts.exports.members import as_list
from memzoo.hosts.exports.parts import Parts
from memzoo.hosts.messages import add_calls, dict_of, dicts_of
from memzoo.hosts.roles import role_of, say_as
from memzoo.memories.text.messages import checked, tool_call
from memzoo.stores import Message

_ALONE = ("role", "content")
"""The members of the most usual message."""
_TEXTS = ("content", "value", "text", "message")
_SPEAKERS = ("role", "from", "speaker", "author", "sender", "type")
_MEMBERS = ("tool_calls", "tool_call_id", "name", "function_call")
_THOUGHTS = ("reasoning_content", "reasoning", "reasoning_details", "extra_content")
_CALLS, _RESULTS = ("function_call", "custom_tool_call"), ("function_call_output", "custom_tool_call_output")
BRANCHED = (
    *("children", "childrenIds", "parent", "parentId", "parentMessageId", "parent_id", "parentUuid"),
    *("parent_message_id", "parent_message_uuid", "parentMessageUuid", "parent_uuid"),
)
"""The members of a message that name others, as in a tree."""
_ATTACHED = {"images": "image", "attachments": "attachment", "experimental_attachments": "attachment"}
"""The members for lists of other things than words, with the kind of each thing."""
_NOT_GONE = frozenset({"none", "false", "", "0", "no", "null"})
_DATES = ("date", "timestamp", "created_at", "createdAt", "create_time", "created", "time", "ts")


def spell_out(item: Any) -> Any:
    """Return a message as a dict. LangChain's short forms work too: a pair of role and content, or only a text.

    Example:
        >>> spell_out(("ai", "Hi.")), spell_out("Hello"), spell_out({"role": "user", "content": "Hi."})
        ({'role': 'ai', 'content': 'Hi.'}, {'role': 'user', 'content': 'Hello'}, {'role': 'user', 'content': 'Hi.'})
    """
    match item:
        case str():
            return {"role": "user", "content": item}
        case [str(role), str() | list() as content]:
            return {"role": role, "content": content}
        case _:
            return item


def is_message(item: Any) -> bool:
    """Return whether a value is a message in a common form. A bare text is not a message."""
    known: Any = spell_out(item)
    if isinstance(item, str) or not isinstance(known, dict):
        return False
    return _langchain(known) is not None or is_call(known) or (_speaker(known) is not None and _has_text(known))


def message_of(item: Any) -> Message | None:
    """Convert a message to an OpenAI chat message; return `None` if the item is something else, such as a thought."""
    item = spell_out(item)
    if (inner := _langchain(item)) is not None:
        return _of_langchain(*inner)
    if is_call(item):
        return _of_call(item)
    role = _speaker(item)
    if role is None:
        return None
    members = (*_MEMBERS, *_THOUGHTS) if role == "assistant" else _MEMBERS
    kept = {key: item[key] for key in members if item.get(key)}
    if not all("function" in call for call in dicts_of(item.get("tool_calls"))):
        kept |= _calls(item)
    found = next((item[key] for key in _TEXTS if item.get(key) is not None), None)
    if "function" in (item.get("role"), item.get("type")):
        role = "function"
    calls = bool({"tool_calls", "function_call"} & kept.keys())
    content: Any = _content(found, role, calls=calls)
    if attached := [(kind, one) for key, kind in _ATTACHED.items() if item.get(key) for one in as_list(item[key])]:
        words = [{"type": "text", "text": content}] if isinstance(content, str) and content else content or []
        content = [*words, *({"type": kind, "filename": dict_of(one).get("name")} for kind, one in attached)]
    return {"role": role, "content": content, **kept}


def _is_gone(item: Mapping[str, Any]) -> bool:
    marks = [str(item.get(key)).casefold() for key in ("deleted", "is_deleted", "isDeleted", "deleted_at", "deletedAt")]
    # Some programs write the first moment of their calendar for no time.
    return any(mark not in _NOT_GONE and not mark.startswith("0001-") for mark in marks)


def messages_of(item: Any) -> list[Message]:
    """Return a message in a common form as OpenAI chat messages. Each result of a tool becomes a separate message.

    Raises:
        TransferError: The value is not a message.
    """
    match item:
        case {"role": "user" | "assistant" as role, "content": str(text)} if len(item) == len(_ALONE):
            return [{"role": role, "content": text}]
        case {"from": "function_call", "value": call}:
            item = {"role": "assistant", "content": [{"type": "tool_call", "value": call}]}
        case {"from": str()} if item.keys().isdisjoint(_TEXTS):
            item = item | {"value": ""}
        case {"from": "observation" | "tool" | "function" | "function_response", "value": result}:
            item = {"role": "function", "content": result}
        case _:
            pass
    known = dict_of(spell_out(item))
    content: Any = known.get("content")
    parts: Any = known.get("parts") or dict_of(content).get("parts")  # Google's ADK has Gemini's content in a message
    if isinstance(content, list) and not all(map(_is_plain, content)):  # pyright: ignore[reportUnknownArgumentType]
        parts = content  # pyright: ignore[reportUnknownVariableType]
    if invocations := dicts_of(known.get("toolInvocations")):  # the AI SDK up to version 4
        parts = [content or "", *({"type": "tool-invocation", "toolInvocation": one} for one in invocations)]
    if isinstance(parts, list) and (role := role_of(known.get("role"))):
        return Parts.of(parts).messages(role)
    if not is_message(spell_out(item)):
        if isinstance(item, dict) and "role" in item:
            checked(item)  # names the mistake
        there = f" (there are: {', '.join(map(repr, known))})" if known else ""
        data = dict_of(known.get("data"))
        inside = f"; its 'data' has no 'content', but {', '.join(map(repr, data))}" if data else ""
        raise TransferError(f"this is not a message: {item!r:.80}{there:.200}{inside:.200}")
    message = message_of(item)
    return [] if message is None else [message]


def _is_plain(part: Any) -> bool:
    """Return whether a part is one of OpenAI's chat messages."""
    kind = dict_of(part).get("type")
    return kind in ("image_url", "input_audio", "file", "refusal") or (
        kind == "text" and isinstance(part.get("text"), str)
    )


def conversation_of(
    title: str,
    items: Iterable[Any],
    item_of: Callable[[Any], Any] = lambda item: item,
    *,
    keep: Sequence[str] = (),
    system: Any = None,
    id: str = "",  # noqa: A002 - the name of the attribute
) -> ChatLog:
    """Return the conversation in a list of items, each with a message in a common form.

    Args:
        title: The title of the conversation.
        items: The items, oldest first; in any order if all have a time.
        item_of: A function that converts an item to a message for `messages_of`.
        keep: The names of the members to copy from an item into its message.
        system: The content of the system message: a text, or a list of parts.
        id: The conversation's id in its export.

    Raises:
        TransferError: An item is not a message, or has a parent or children, as in a tree. The error names the item.
    """
    first = message_of({"role": "system", "content": system}) if system else None
    said: list[tuple[Message, datetime | None]] = [(first, None)] if first else []
    strange: list[object] = []
    gone = 0
    if isinstance(items, str | Mapping):
        raise TransferError(f"expected a list of messages, not {items!r:.80}")
    for number, each in enumerate(items, start=1):
        try:
            item = item_of(each)
            if found := [key for key in BRANCHED if isinstance(item, dict) and item.get(key)]:
                raise make_branch_error(found[0])  # noqa: TRY301
            if _is_gone(dict_of(item)):
                gone += 1
                continue
            new = messages_of(item)
            calls = dicts_of(said[-1][0].get("tool_calls")) if said else []
            if len(calls) == 1:  # a result without an id is of this call
                new = [{"tool_call_id": calls[0].get("id")} | one if one["role"] == "tool" else one for one in new]
            new = [checked(message) for message in new]
            if new and said and said[-1][0]["role"] == "assistant" and is_part_of_answer(item):
                message, date = said.pop()
                new = [add_calls(message, new[0]["tool_calls"])]
            else:
                date = find_date(item)
                strange += [given[key] for key in _DATES if (given := dict_of(item)).get(key) and date is None][:1]
            if new and keep:
                new[-1] |= {key: item[key] for key in keep if key in dict_of(item)}
            said += [(message, date) for message in new]
        except Exception as error:
            raise TransferError(f"message {number}: {reason(error)}") from error
    notes = [f"{count(len(strange), 'time')} not understood, such as {strange[0]!r:.80}"] if strange else []
    notes += tell_left_out(Counter({"deleted message": gone}))
    return ChatLog.of(title, said, notes, id=id, sort=True)


def make_branch_error(key: str) -> TransferError:
    """Return the error for a format with possible branches: its messages refer to earlier ones under `key`."""
    return TransferError(
        f"it has {key!r}, so its messages may be branches in a format that memzoo does not know; "
        "if they are in order, remove this key from the file"
    )


def find_date(item: Any) -> datetime | None:
    """Return a message's time, found under one of the usual keys of exports; `None` without a time."""
    return next((found for key in _DATES if (found := date_of(dict_of(item).get(key)))), None)


def _speaker(item: Mapping[str, Any]) -> str | None:
    names = (item.get(key) for key in _SPEAKERS)
    return next((role for name in names if (role := role_of(name))), None)


def _has_text(item: Mapping[str, Any]) -> bool:
    calls = item.get("tool_calls") or item.get("function_call")
    # Content that is null counts as an empty text, as LangChain can treat it.
    empty = "content" in item and item["content"] is None
    return any(isinstance(item.get(key), str | list) for key in _TEXTS) or bool(calls) or empty


def _content(value: Any, role: str, *, calls: bool = False) -> Any:
    """Return the content of a message, a text or parts; other forms of text parts are converted to OpenAI's form."""
    if isinstance(value, str):
        return value
    if value is None:
        return None if calls else ""
    if not isinstance(value, list):
        if role in ("tool", "function"):
            return json.dumps(value, ensure_ascii=False)
        raise TransferError(f"expected text as a string or a list, not {value!r:.80}")
    parts = Parts.of(value)
    # Thoughts are set apart where the conversation is put together.
    thoughts = [{"type": "thinking", "thinking": thought} for thought in filter(None, parts.thoughts)]
    return [*thoughts, *parts.said] if thoughts else parts.content


# LangChain: {"type", "data"} of `messages_to_dict`, {"lc", "id", "kwargs"} of `dumpd`, or the fields of a message.


def _langchain(item: Mapping[str, Any]) -> tuple[str, dict[str, Any]] | None:
    match item:
        case {"type": str(kind), "data": {"content": _} as data}:
            pass
        case {"lc": _, "id": [*_, str(kind)], "kwargs": dict(data)}:
            pass
        case {"type": str(kind), "additional_kwargs": _, "content": _}:
            data = dict(item)
        case _:
            return None
    # For example, the kind of "AIMessageChunk" is "ai".
    return kind.removesuffix("Chunk").removesuffix("Message").lower(), data


def _of_langchain(kind: str, data: dict[str, Any]) -> Message | None:
    if kind == "remove":
        return None
    calls = _calls(data)
    content = _content(data.get("content"), kind, calls=bool(calls))
    # A role of one's own: "chat" in Python, "generic" in JavaScript.
    if kind in ("chat", "generic") and isinstance(name := data.get("role"), str) and name:
        message = say_as(name, content)
    elif role := role_of(kind):
        message = {"role": "function" if kind == "function" else role, "content": content}
    else:
        raise TransferError(f"{kind!r} is not a known role")
    if message["role"] == "assistant":
        message |= calls
    if message["role"] == "tool":
        message["tool_call_id"] = str(data.get("tool_call_id") or data.get("name") or "")
    elif data.get("name"):
        message["name"] = data["name"]
    return message


def _calls(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members of an OpenAI message for a LangChain message's tool calls; invalid calls are included."""
    own = [*dicts_of(data.get("tool_calls")), *dicts_of(data.get("invalid_tool_calls"))]
    if own:
        return {
            "tool_calls": [
                call
                if "function" in call
                else tool_call(str(call.get("id") or ""), str(call.get("name") or ""), call.get("args") or {})
                for call in own
            ]
        }
    older = dict_of(data.get("additional_kwargs"))
    return {key: older[key] for key in ("tool_calls", "function_call") if older.get(key)}


# The items of OpenAI's Responses API, which the OpenAI Agents SDK stores.


def is_part_of_answer(item: Any) -> bool:
    """Return whether an item belongs to the same answer as the item before it, which is true of tool calls."""
    return isinstance(item, dict) and is_call(item) and item["type"] in _CALLS


def is_call(item: Mapping[str, Any]) -> bool:
    """Return whether an item is a tool call, a tool's result, or a thought."""
    return item.get("type") in (*_CALLS, *_RESULTS, "reasoning") and "role" not in item


def _of_call(item: Mapping[str, Any]) -> Message | None:
    if item["type"] in _CALLS:
        given = {"input": item["input"]} if "input" in item else item.get("arguments") or {}
        call = tool_call(str(item.get("call_id")), str(item.get("name") or ""), given)
        return {"role": "assistant", "content": None, "tool_calls": [call]}
    if item["type"] in _RESULTS:
        found = _content(item.get("output"), "tool")
        return {"role": "tool", "tool_call_id": str(item.get("call_id")), "content": found}
    return None
