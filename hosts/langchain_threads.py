"""Saves the messages of a LangChain thread to a memory, and returns the memory's view."""

import contextlib
from collections import Counter
from collections.abc import Sequence
from typing import Any

from memzoo.hosts.langchain.messages import objects, to_openai
from memzoo.hosts.messages import HostMessage, fit_message
from memzoo.hosts.shared import HostLog, Memories, host_module, in_order, memory_of
from memzoo.memories.text.order import add_speaker
from memzoo.memories.text.redaction import Redactor
from memzoo.stores import Message
from memzoo.strategy import BaseMemory
from memzoo.sync import blocking_function

_ROLES = {"ai": "assistant", "AIMessageChunk": "assistant", "system": "system"}


async def akeep_and_view(memories: Memories, messages: Any, *, system: Any = None) -> list[Any]:
    """Save a thread's new messages, and return the memory's view, in an order that every model accepts.

    The newest human message is the query. The view contains the thread's own message objects, except where several
    messages are joined into one.

    `system` is the agent's own system message, and `messages` may have those of a node. They come first, joined with
    the system text of the view.
    """
    messages = _listed(messages)
    log = await _follow(memories, messages)
    question = next((str(message.text) for message in reversed(messages) if message.type == "human"), None)
    nodes = [_redact(one, log.memory) for one in messages if _is_of_a_node(one) and str(one.text).strip()]
    own = nodes if system is None else [system, *nodes]
    live = {} if log.memory.redact else {message.id: message for message in messages}
    groups = in_order(await log.aread_view(question), leads=bool(own))
    shown = [one for group in groups for one in _join(group, [live.get(one.key) or _object(one) for one in group])]
    leading = [one for one in shown[:1] if one.type == "system"]
    return [*_merge([*own, *leading]), *shown[len(leading) :]]


async def akeep(memories: Memories, messages: Sequence[Any]) -> None:
    """Save a thread's new messages at the end of a turn, and learn from them."""
    await _follow(memories, _listed(messages), ended=True)


keep_and_view, keep = blocking_function(akeep_and_view), blocking_function(akeep)


def chat_of(message: Any) -> Message:
    """Return a LangChain message as an OpenAI chat message, which memories and providers accept."""
    try:
        chat = to_openai(message)
    except (LookupError, TypeError, ValueError):  # blocks of a kind, or a speaker, unknown to LangChain
        return fit_message({"role": _ROLES.get(message.type, "user"), "content": str(message.text)})
    if message.type != "ai":
        return chat
    # Reasoning and other non-text parts are kept only in the host's own form of the message.
    return {**chat, "content": str(message.text) or (None if chat.get("tool_calls") else "")}


async def _follow(memories: Memories, messages: Sequence[Any], *, ended: bool = False) -> HostLog:
    """Save the running thread's new messages, and return the thread's log."""
    config: dict[str, Any] = host_module("langgraph.config", "langgraph").get_config().get("configurable", {})
    thread = config.get("thread_id")
    log = HostLog(memory_of(memories, thread), "langchain")
    # An agent within a graph has its own messages: its thread's id includes its nodes' names, without their ids.
    nodes = [node.partition(":")[0] for node in str(config.get("checkpoint_ns") or "").split("|")[:-1]]
    await log.afollow(
        _to_messages(messages), ended=ended, thread="|".join([str(thread), *nodes]), cuts_at_questions=True
    )
    return log


def _listed(messages: Any) -> list[Any]:
    """Return messages as objects: those of a prompt, or of a state, which has short forms, such as ("user", "Hi.")."""
    return objects(messages.to_messages() if hasattr(messages, "to_messages") else messages)


def _is_of_a_node(message: Any) -> bool:
    """Return whether a node has put this system message before the thread: LangGraph gives a thread's messages ids."""
    return message.type == "system" and not message.id


def _redact(message: Any, memory: BaseMemory) -> Any:
    redacted = Redactor(memory.redact).message({"role": "system", "content": message.content})
    return message.model_copy(update={"content": redacted["content"]})


def _merge(rules: Sequence[Any]) -> list[Any]:
    """Return system messages joined into one, each content once. LangChain's merge would join their roles, too."""
    contents = list[Any]()
    for one in rules:
        if one.content and one.content not in contents:
            contents.append(one.content)
    if not rules[1:] or not contents:
        return list(rules[:1])
    if all(isinstance(one, str) for one in contents):
        return [rules[0].model_copy(update={"content": "\n\n".join(contents)})]
    parts = [_part(part) for one in contents for part in ([one] if isinstance(one, str) else one)]
    return [rules[0].model_copy(update={"content": parts})]


def _to_messages(messages: Sequence[Any]) -> list[HostMessage]:
    """Return LangChain's messages as messages for the log, with LangChain's ids as keys."""
    messages = [message for message in messages if not _is_of_a_node(message)]
    whole, said, before, times = _messages().messages_to_dict(messages), list[HostMessage](), "", Counter[str]()
    for message, own in zip(messages, whole, strict=True):
        # Without LangGraph's reducer, results have no ids. Ids of calls may come again, even in one answer.
        result = ""
        if message.type == "tool" and before and not message.id:
            times[call := f"{before}:{message.tool_call_id}"] += 1
            result = call if times[call] == 1 else f"{call}:{times[call]}"
        said.append(HostMessage(chat_of(message), own, message.id or result))
        before = message.id or before
    return said


def _object(said: HostMessage) -> Any:
    if said.own is not None:
        with contextlib.suppress(LookupError, TypeError, ValueError):  # from another version of LangChain
            return _messages().messages_from_dict([said.own])[0]
    return objects([said.message])[0]


def _join(group: Sequence[HostMessage], messages: list[Any]) -> list[Any]:
    """Return a group's LangChain messages, joined into one; those of the application's own classes stay apart."""
    if not messages[1:]:
        return messages
    contents = [message.content for message in messages]
    # LangChain's merge takes parts of two messages with one index for pieces of one part.
    has_parts = messages[0].type == "human" and any(isinstance(content, list) for content in contents)
    if has_parts:
        contents = [list(map(_part, [one] if isinstance(one, str) else one)) for one in contents]
    elif not all(isinstance(content, str) for content in contents):
        return list(_messages().merge_message_runs(messages, chunk_separator="\n\n"))
    names = {str(message.name or "") for message in messages}
    if len(names) > 1:
        said = ({"name": message.name, "content": one} for message, one in zip(messages, contents, strict=True))
        pairs = zip(group, said, strict=True)
        contents = [each["content"] if one.recalled else add_speaker(each, names - {""}) for one, each in pairs]
    name = messages[0].name if len(names) == 1 else None
    if has_parts:
        content = [part for content in contents for part in content]
        return [messages[-1].model_copy(update={"content": content, "name": name})]
    copies = [
        message.model_copy(update={"content": content, "name": name})
        for message, content in zip(messages, contents, strict=True)
    ]
    return list(_messages().merge_message_runs(copies, chunk_separator="\n\n"))


def _part(part: Any) -> Any:
    return {"type": "text", "text": part} if isinstance(part, str) else part


def _messages() -> Any:
    # Imported here, because the importer of this file names the missing extra.
    return host_module("langchain_core.messages", "langgraph")
