"""Converts chat messages from and to LangChain's objects. Without langchain-core, messages are plain dicts."""

import contextlib
import importlib.util
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, cast

from memzoo.errors import MessageError, MissingExtraError
from memzoo.hosts.exports.messages import is_message, message_of, spell_out
from memzoo.hosts.messages import add_calls, dump_json, make_call
from memzoo.hosts.roles import say_as
from memzoo.memories.text.messages import checked
from memzoo.stores import Entry, Message, Record

# The field of a record for LangChain's form of the message.
_OWN = "@langchain"


@cache
def has_langchain() -> bool:
    """Return whether langchain-core is installed."""
    return importlib.util.find_spec("langchain_core") is not None


def dicts(messages: Iterable[Any]) -> list[Message]:
    """Convert messages, in any form that LangChain accepts, to OpenAI chat messages.

    Ids, artifacts and metadata are left out; `record_of` keeps them.

    Raises:
        MessageError: A value is not a message.
    """
    return [_dict(message) for message in messages]


def objects(messages: Iterable[Message]) -> list[Any]:
    """Return chat messages as LangChain's objects. Without langchain-core, the chat messages are returned unchanged."""
    said = list(messages)
    if not has_langchain():
        return said
    from langchain_core.messages import convert_to_messages

    return list(convert_to_messages(cast("Sequence[Any]", said)))


def record_of(message: Any) -> Record:
    """Return the record to store for a message, with LangChain's form in a field if the chat message lacks a part."""
    [said] = dicts([message])
    if has_langchain():
        from langchain_core.messages import BaseMessage, messages_to_dict

        if isinstance(message, BaseMessage) and objects([said]) != [message]:
            own = dump_json(messages_to_dict([message])[0])
            return Record(said, {} if own is None else {_OWN: own})
    return Record(said)


def object_of(entry: Entry | Record) -> Any:
    """Return the LangChain object for a message in the log, as it was when it was stored."""
    if (own := entry.fields.get(_OWN)) and has_langchain():
        from langchain_core.messages import messages_from_dict

        with contextlib.suppress(LookupError, TypeError, ValueError):  # a class of another version, or of a program
            return messages_from_dict([json.loads(own)])[0]
    return objects([entry.message])[0]


def values(given: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the inputs or outputs of a chain, with message objects replaced by their texts."""
    return {
        name: value.content if hasattr(value, "content") and hasattr(value, "type") else value
        for name, value in (given or {}).items()
    }


def question(inputs: Any, key: str | None) -> dict[str, Any]:
    """Return the inputs for loading a memory as a dict, from any value that a chain of Runnables passes.

    A mapping is copied. A text becomes the dict's value for `key`, or for "input" without a key. Anything else becomes
    an empty dict.
    """
    if isinstance(inputs, str):
        return {key or "input": inputs}
    return values(cast("Mapping[str, Any]", inputs)) if isinstance(inputs, Mapping) else {}


def to_langchain(variables: Mapping[str, Any]) -> dict[str, Any]:
    """Return a memory's variables, with chat messages converted to LangChain's objects."""
    return {name: objects(value) if isinstance(value, list) else value for name, value in variables.items()}


def documents(texts: Iterable[str]) -> list[Any]:
    """Return texts as LangChain's documents.

    Raises:
        MissingExtraError: langchain-core is not installed.
    """
    if not has_langchain():
        raise MissingExtraError("return_docs=True needs langchain-core: pip install langchain-core")
    from langchain_core.documents import Document

    return [Document(page_content=text) for text in texts]


def to_openai(message: Any) -> Message:
    """Return a message in OpenAI's form, including tool calls that LangChain marks as invalid."""
    from langchain_core.messages import AIMessage, BaseMessage, convert_to_openai_messages

    if isinstance(message, BaseMessage) and isinstance(message.content, list):
        content = [_name_file(block) for block in message.content]  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        message = message.model_copy(update={"content": content})
    made: Message = convert_to_openai_messages(cast("Any", message))
    if isinstance(message, AIMessage) and (invalid := message.invalid_tool_calls):
        made = add_calls(made, [make_call(call["id"], call["name"], call["args"]) for call in invalid])
    return made


def _name_file(block: Any) -> Any:
    file = cast("dict[str, Any]", block)
    if not isinstance(block, dict) or file.get("type") != "file":
        return file
    inner: Any = file.get("file")
    if isinstance(inner, dict):  # OpenAI's own form
        kind = str(file["file"].get("file_data", "")).partition(";")[0].removeprefix("data:")
        return file | {"file": {"filename": kind or "file", **file["file"]}}
    if any("filename" in (file.get(place) or {}) for place in ("extras", "metadata")):
        return file
    return {"filename": file.get("mime_type") or "file", **file}


def _dict(message: Any) -> Message:
    if isinstance(message, dict) and "role" in cast("Message", message):
        with contextlib.suppress(MessageError):  # the message has LangChain's roles or calls
            return checked(cast("Message", message))
    if not has_langchain():
        if is_message(plain := spell_out(message)) and (found := message_of(plain)):
            return checked(found)
        raise MessageError(f"a message must be a dict with 'role' and 'content', not {message!r}")
    from langchain_core.messages import AIMessage, ChatMessage, convert_to_messages

    try:
        [whole] = convert_to_messages([message])
        made = to_openai(whole)
        if isinstance(whole, ChatMessage):
            made |= say_as(whole.role, made["content"])
        if isinstance(whole, AIMessage) and not whole.tool_calls:
            # LangChain's conversion leaves out older forms of tool calls.
            older = whole.additional_kwargs
            made |= {key: older[key] for key in ("tool_calls", "function_call") if older.get(key)}
        return checked(made)
    except (LookupError, TypeError, ValueError, NotImplementedError) as error:
        raise MessageError(f"{message!r} is not a chat message: {error}") from error
