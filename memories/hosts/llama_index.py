"""A memory in LlamaIndex: `SimpleChatEngine.from_defaults(llm=llm, memory=ChatMemory(memory))`."""

import json
from collections.abc import Sequence
from typing import Any, ClassVar, cast

from memzoo.memories.base import BaseMemory
from memzoo.memories.hosts.langchain.posing import Posing
from memzoo.memories.hosts.shared import HostLog, Said, host_text
from memzoo.memories.registry import create_memory
from memzoo.stores import Message
from memzoo.stores.driving import blocking

__all__ = ["ChatMemory"]

_ROLES = {"chatbot": "assistant", "model": "assistant"}


class ChatMemory(Posing):
    """A memory as LlamaIndex's `BaseMemory`, for its chat engines and agents.

    Chat engines and agents put the user's message before they get the memory, so what is shown ends with it, and it is
    what strategies search for; an engine that asks first names it as `input`. An exchange is learnt from once, when it
    is answered. A question that was not answered and is put again word for word is a retry, and stands in the log once.

    Attributes:
        memory: The memory.
    """

    poses_as: ClassVar = ("llama_index.core.memory.types",)

    def __init__(self, memory: BaseMemory) -> None:
        self.memory = memory
        self._log = HostLog(memory, "llama-index")

    @classmethod
    def class_name(cls) -> str:
        """The name of the class, for LlamaIndex."""
        return cls.__name__

    @classmethod
    def from_defaults(
        cls, memory: BaseMemory | str = "buffer", *, chat_history: Sequence[Any] = (), **_: Any
    ) -> "ChatMemory":
        """As the constructor; also of a strategy's name, with what was said before."""
        made = cls(create_memory(memory) if isinstance(memory, str) else memory)
        made.put_messages(chat_history)
        return made

    async def aget(self, input: str | None = None, **_: Any) -> list[Any]:  # noqa: A002 - LlamaIndex's name
        """What to show the model, for what the user said last or is about to say."""
        return [_hosts(said) for said in await self._log.ashown(input)]

    async def aget_all(self) -> list[Any]:
        """All that was ever said, whatever the strategy shows of it."""
        return [_hosts(said) for said in await self._log.aall()]

    async def aput(self, message: Any) -> None:
        """Save a message."""
        await self.aput_messages([message])

    async def aput_messages(self, messages: Sequence[Any]) -> None:
        """Save messages as one turn."""
        said = list(map(_said, messages))
        if said and said[0].message["role"] == "user" and said[0].message in await self.memory.ahistory(
            1, newest_first=True
        ):
            del said[0]
        await self._log.aadd(said)

    async def aset(self, messages: Sequence[Any]) -> None:
        """Let these messages be all that was said: what follows what they have in common with the log is deleted."""
        said, old = list(map(_said, messages)), await self.memory.aentries()
        same = 0
        while same < min(len(said), len(old)) and said[same].message == old[same].message:
            same += 1
        if old[same:]:
            await self._log.arewind(old[same:])
        await self._log.aadd(said[same:], ended=True)

    async def areset(self) -> None:
        """Delete the conversation and all that was learnt from it."""
        await self.memory.aclear()

    get, get_all, put, put_messages = blocking(aget), blocking(aget_all), blocking(aput), blocking(aput_messages)
    set, reset = blocking(aset), blocking(areset)


def _said(message: Any) -> Said:
    own: dict[str, Any] = message.model_dump(mode="json")
    role = _ROLES.get(own["role"], own["role"])
    chat: Message = {"role": role, "content": message.content or _parts(own["blocks"])}
    if calls := _calls(own["blocks"]) or own["additional_kwargs"].get("tool_calls"):
        chat |= {"content": message.content, "tool_calls": calls}
    if role == "tool":
        chat["tool_call_id"] = str(own["additional_kwargs"].get("tool_call_id") or "")
    return Said(chat, own)


def _parts(blocks: list[dict[str, Any]]) -> list[dict[str, Any]] | str:
    """What has no text, by its kind: a picture, a recording."""
    return [{"type": block["block_type"]} for block in blocks if block["block_type"] != "text"] or ""


def _calls(blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    calls = [block for block in blocks if block["block_type"] == "tool_call"]
    return [
        {"id": call["tool_call_id"] or call["tool_name"], "type": "function", "function": _function(call)}
        for call in calls
    ]


def _function(call: dict[str, Any]) -> dict[str, str]:
    given = call["tool_kwargs"]
    return {"name": call["tool_name"], "arguments": given if isinstance(given, str) else json.dumps(given)}


def _hosts(said: Said) -> Any:
    from llama_index.core.llms import ChatMessage

    if said.own is not None:
        return ChatMessage.model_validate(said.own)
    message = cast("dict[str, Any]", said.message)
    kwargs = {name: message[name] for name in ("tool_calls", "tool_call_id") if message.get(name)}
    return ChatMessage(role=message["role"], content=host_text(message["content"]), additional_kwargs=kwargs)
