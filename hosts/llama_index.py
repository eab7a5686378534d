"""A memory in LlamaIndex: `SimpleChatEngine.from_defaults(llm=llm, memory=ChatMemory(memory))`."""

import contextlib
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from memzoo.hosts.messages import HostMessage, chat_of, dicts_of, dump_model, host_text, in_common, make_call
from memzoo.hosts.shared import HostLog, VirtualSubclass, host_module, in_order
from memzoo.memories import create_memory
from memzoo.memories.text.order import add_speaker
from memzoo.stores import Message
from memzoo.strategy import BaseMemory
from memzoo.sync import blocking

__all__ = ["ChatMemory"]

_ROLES = {"chatbot": "assistant", "model": "assistant"}


class ChatMemory(VirtualSubclass):
    """A memory as LlamaIndex's `BaseMemory`, for its chat engines and agents.

    Strategies that search use the user's message as the query. The memory learns from an exchange once, after the
    answer. If a program asks an unanswered question again, the log has this question only once.
    """

    host_modules: ClassVar = ("llama_index.core.memory.types",)

    def __init__(self, memory: BaseMemory) -> None:
        self.memory = memory
        self._log = HostLog(memory, "llama-index")

    @classmethod
    def class_name(cls) -> str:
        """Return the name of the class, for LlamaIndex."""
        return cls.__name__

    @classmethod
    def from_defaults(
        cls, memory: BaseMemory | str = "buffer", *, chat_history: Sequence[Any] = (), **_: Any
    ) -> "ChatMemory":
        """Return a `ChatMemory` for a memory or a strategy's name, after saving `chat_history` as earlier messages."""
        made = cls(create_memory(memory) if isinstance(memory, str) else memory)
        made.put_messages(chat_history)
        return made

    async def aget(self, /, input: str | None = None, **_: Any) -> list[Any]:  # noqa: A002 - LlamaIndex's name
        """Return the view for `input`, the user's next message; by default for the newest question in the log."""
        return [_join(group) for group in in_order(await self._log.aread_view(input))]

    async def aget_all(self) -> list[Any]:
        """Return the whole history, including messages that the view hides."""
        return [_hosts(said) for said in await self._log.aall()]

    async def aput(self, message: Any) -> None:
        """Save a message."""
        await self.aput_messages([message])

    async def aput_messages(self, messages: Sequence[Any]) -> None:
        """Save messages as one turn."""
        await self._log.aadd(list(map(_to_message, messages)))

    async def aset(self, messages: Sequence[Any]) -> None:
        """Replace the history with these messages. Stored messages before the first difference stay unchanged."""
        said, old = list(map(_to_message, messages)), await self._log.aall()
        same = in_common([one.message for one in old], [one.message for one in said])
        if old[same:]:
            await self._log.arewind(old[same:])
        await self._log.aadd(said[same:], ended=True)

    async def areset(self) -> None:
        """Delete the conversation and everything learnt from it."""
        await self.memory.aclear()

    get, get_all, put, put_messages = blocking(aget), blocking(aget_all), blocking(aput), blocking(aput_messages)
    set, reset = blocking(aset), blocking(areset)


def _to_message(message: Any) -> HostMessage:
    own: dict[str, Any] = dump_model(message)
    role, kwargs, blocks = _ROLES.get(own["role"], own["role"]), own["additional_kwargs"], own["blocks"]
    text = message.content or ""
    if role == "tool":
        return HostMessage({"role": role, "content": text, "tool_call_id": str(kwargs.get("tool_call_id") or "")}, own)
    calls = [
        make_call(block.get("tool_call_id") or block.get("tool_name"), block.get("tool_name"), block.get("tool_kwargs"))
        for block in blocks
        if block["block_type"] == "tool_call"
    ]
    others = [block["block_type"] for block in blocks if block["block_type"] not in ("text", "thinking", "tool_call")]
    # LlamaIndex's older models put tool calls into `additional_kwargs` instead of blocks.
    calls = calls or [call for call in dicts_of(kwargs.get("tool_calls")) if isinstance(call.get("function"), dict)]
    (chat,) = chat_of(role, [text], calls=calls, others=others)
    # LlamaIndex has no member for the speaker of a message.
    return HostMessage(chat | ({"name": kwargs["name"]} if isinstance(kwargs.get("name"), str) else {}), own)


def _join(group: Sequence[HostMessage]) -> Any:
    """Return messages of one role as one message; if their speakers differ, each text begins with its speaker."""
    messages = list(map(_hosts, group))
    if not messages[1:]:
        return messages[0]
    kwargs = {name: value for message in messages for name, value in message.additional_kwargs.items()}
    names = {str(one.message.get("name") or "") for one in group}
    if len(names) > 1:
        kwargs.pop("name", None)
    blocks = list[Any]()
    for one, message in zip(group, messages, strict=True):
        is_named = len(names) > 1 and not one.recalled
        blocks += _with_speaker(one.message, message.blocks, names - {""}) if is_named else message.blocks
    joined = {"additional_kwargs": kwargs, "blocks": blocks}
    if all(block.block_type == "text" for block in blocks):
        text = "\n\n".join(block.text for block in blocks)
        joined["blocks"] = [blocks[0].model_copy(update={"text": text})]
    return messages[-1].model_copy(update=joined)


def _with_speaker(message: Message, blocks: Sequence[Any], names: Iterable[str]) -> list[Any]:
    parts = [
        {"type": "text", "text": block.text} if block.block_type == "text" else {"type": "block", "block": block}
        for block in blocks
    ]
    made = host_module("llama_index.core.llms", "llama-index").TextBlock
    named = add_speaker({**message, "content": parts}, names)
    return [made(text=part["text"]) if part["type"] == "text" else part["block"] for part in named]


def _hosts(said: HostMessage) -> Any:
    made = host_module("llama_index.core.llms", "llama-index").ChatMessage
    if said.own is not None:
        with contextlib.suppress(ValueError):  # from another version of LlamaIndex
            return made.model_validate(said.own)
    message = said.message
    kwargs = {name: message[name] for name in ("tool_calls", "tool_call_id", "name") if message.get(name)}
    return made(role=message["role"], content=host_text(message["content"]), additional_kwargs=kwargs)
