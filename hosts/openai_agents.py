"""A memory in the OpenAI Agents SDK: as a session, and as a filter for the model's input."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, groupby
from typing import Any, TypeAlias

from memzoo.errors import OptionError
from memzoo.hosts.messages import HostMessage, add_calls, chat_of, dicts_of, host_text, make_call
from memzoo.hosts.shared import HostLog, Memories, host_module, in_order, memory_of
from memzoo.memories.text.grouping import is_instruction
from memzoo.memories.text.messages import ROLES
from memzoo.memories.text.order import add_speaker
from memzoo.memories.text.responses import items_of
from memzoo.stores import Message

__all__ = ["MemorySession"]

Item: TypeAlias = dict[str, Any]
"""An item of OpenAI's Responses API, a plain dict."""

_TEXT = ("input_text", "output_text")
_ARGUMENTS = ("arguments", "input", "action", "actions", "operation")

# The prefix of a turn id; the log number of a message follows. The turn keeps the message's other items after a pop.
_REST = "rest-of-"

_HOOK = "RunConfig(call_model_input_filter=session.filter_input) with MemorySession(..., raw=True)"


class MemorySession:
    """A session that keeps all items in a memory's log, and shows the model the memory's view.

    The SDK does not pass the question to a session, so a session cannot search. Memories that search need `raw=True`:
    the session then returns all items, and the filter `filter_input`, which sees the question, replaces them with the
    view.

    Attributes:
        session_id: The memory's `conversation_id`.
    """

    def __init__(
        self, memories: Memories, session_id: str | None = None, *, raw: bool = False, session_settings: Any = None
    ) -> None:
        """Open the session of a conversation; `session_settings` is a `SessionSettings` or a dict of its fields.

        Raises:
            OptionError: The memory's strategy searches, which is possible only with `raw`.
            OptionError: The id is missing, or the memory belongs to another conversation.
        """
        self.memory = memory = memory_of(memories, session_id)
        self.session_id = memory.conversation_id
        settings = host_module("agents.memory", "openai-agents").SessionSettings()
        self.session_settings = settings.resolve(session_settings)
        self._log, self._raw = HostLog(memory, "openai-agents"), raw
        if memory.needs_query and not raw:
            raise OptionError(
                f"{memory.name!r} searches with the question, which Session.get_items does not get: use {_HOOK}"
            )

    async def get_items(self, limit: int | None = None) -> list[Item]:
        """Return the view, or with `raw=True` all items.

        At most the newest `limit` items from the log are returned. The memory's own texts, such as a summary, do not
        count towards `limit`. The default of `limit` comes from `session_settings`.
        """
        limit = self.session_settings.limit if limit is None else limit
        if self._raw:
            said = await self._log.aall(None if limit is None else max(limit, 0))
        else:
            # The SDK reads before it saves the question, so the log's newest question may be another one.
            said = _as_said(await self._log.aread_view(""))
        left = _find_popped(said)
        said = [one for one in said if one not in left]
        derived = [place for place, one in enumerate(said) if not one.seq]
        first, last = (derived[0], derived[-1] + 1) if derived else (0, 0)
        behind = _newest(said[last:], limit)
        before = _newest(said[:first], None if limit is None else limit - len(behind))
        return [*before, *_items(said[first:last]), *behind]

    async def add_items(self, items: Sequence[Item]) -> None:
        """Append items to the log."""
        await self._log.aadd(_to_messages(items))

    async def pop_item(self) -> Item | None:
        """Delete the newest item of the log, and return it."""
        # Shielded, so that a cancelled run has either deleted the item or changed nothing.
        return await asyncio.shield(self._pop())

    async def _pop(self) -> Item | None:
        while said := await self._log.aall(2):
            if left := _find_popped(said):
                await self._log.arewind(left)
                continue
            *kept, popped = _items(said[-1:])
            if kept:  # Saved before the message is deleted, so that no item is lost if the process ends.
                rest = [self._log.record(one) for one in _to_messages(kept)]
                await self.memory.aadd_messages(rest, turn_id=f"{_REST}{said[-1].seq}", learn=False)
            if await self._log.arewind(said[-1:]):
                return popped
        return None

    async def clear_session(self) -> None:
        """Delete the conversation and everything learnt from it."""
        await self.memory.aclear()

    async def filter_input(self, data: Any) -> Any:
        """Return the model's input, with the view in place of earlier items. Nothing is stored.

        Pass this method as `RunConfig(call_model_input_filter=...)` to a run that also uses this session. Some
        models refuse adjacent messages of the same role, so the filter joins such messages into one item.
        """
        given: list[Item] = data.model_data.input
        instructions: str | None = data.model_data.instructions
        start = max((place for place, item in enumerate(given) if item.get("role") == "user"), default=0)
        query = host_text(given[start].get("content")) if given else None
        said = await self._log.aread_view(query)
        live = _find_live(given[start:], _items(said), query)
        question = _to_messages(live[:1]) if live and live[0].get("role") == "user" else []
        groups = in_order([*said, *question], leads=bool(instructions))
        if instructions and groups and is_instruction(groups[0][0].message):
            texts = [host_text(one.message["content"]) for one in groups.pop(0)]
            instructions = "\n\n".join([instructions, *(text for text in texts if text != instructions)])
        joined = [item for group in groups for item in _join(group)]
        return replace(data.model_data, input=[*joined, *live[len(question) :]], instructions=instructions)


def _find_live(given: list[Item], said: list[Item], query: str | None) -> list[Item]:
    """Return the items in `given`, those since the run's question, that the view lacks; all if it is asked anew."""
    asked = [place for place, item in enumerate(said) if item.get("role") == "user"]
    # If the run does not use this session, the question is not in the log.
    if not asked or host_text(said[asked[-1]].get("content")) != query:
        return given
    answers = [host_text(item.get("content")) for item in given if item.get("role") == "assistant"]
    later = said[asked[-1] + 1 :]
    if later and later[-1].get("role") == "assistant" and host_text(later[-1].get("content")) not in answers:
        return given
    known = {(item.get("type"), item.get("call_id")) for item in later}
    is_new = [bool(item.get("call_id")) and (item.get("type"), item["call_id"]) not in known for item in given]
    if True not in is_new:
        return []
    first = is_new.index(True)
    while first and given[first - 1].get("type") == "reasoning":  # A call needs the reasoning before it.
        first -= 1
    return given[first:]


def _join(group: Sequence[HostMessage]) -> list[Item]:
    """Return messages of one role as one item, if each is a single item; speakers' names precede their words."""
    items = _items(group)
    if not group[1:] or any(len(_items([one])) != 1 or "content" not in _items([one])[0] for one in group):
        return items
    role, names = items[-1]["role"], {str(one.message.get("name") or "") for one in group}
    contents: list[Any] = []
    for one, item in zip(group, items, strict=True):
        content = host_text(item["content"]) if role == "assistant" else one.message["content"]
        is_named = len(names) > 1 and not one.recalled
        contents.append(add_speaker({**one.message, "content": content}, names - {""}) if is_named else content)
    if not all(isinstance(content, str) for content in contents):
        parts = ([{"type": "text", "text": one}] if isinstance(one, str) else one for one in contents)
        contents = list(chain.from_iterable(parts))
        return list(items_of({"role": role, "content": contents}))
    return [{"role": role, "content": "\n\n".join(contents)}]


def _as_said(shown: Sequence[HostMessage]) -> list[HostMessage]:
    """Return a view in the log's order: for OpenAI, a tool result need not directly follow its call.

    Derived texts keep their places.
    """
    groups = groupby(shown, key=lambda one: one.seq > 0)
    return [one for _, group in groups for one in sorted(group, key=lambda one: one.seq)]


def _newest(said: Sequence[HostMessage], limit: int | None) -> list[Item]:
    """Return the newest messages with at most `limit` items together, and no tool result without its call."""
    size, first, waiting = 0, len(said), set[str]()
    for place in reversed(range(len(said))):
        one = said[place]
        size += len(_items([one]))
        if limit is not None and size > limit:
            break
        waiting.add(one.message.get("tool_call_id", ""))
        waiting -= {"", *(call["id"] for call in one.message.get("tool_calls") or ())}
        if limit is None or not waiting:
            first = place
    return _items(said[first:])


def _find_popped(said: Sequence[HostMessage]) -> list[HostMessage]:
    """Return the messages that an interrupted pop has not deleted yet.

    The items to keep are already saved as a turn of their own.
    """
    popped = {one.key.removeprefix(_REST) for one in said if one.key.startswith(_REST)}
    return [one for one in said if str(one.seq) in popped]


def _to_messages(items: Sequence[Item]) -> list[HostMessage]:
    """Return items as messages; each message has the items that it was made from.

    An item without a chat form, such as reasoning, belongs to the message of the next item; without a next item, to the
    last message. The text, reasoning and calls of one response are one message. The items of a message are shown or
    left out together.
    """
    said: list[HostMessage] = []
    waiting: list[Item] = []
    for item in items:
        waiting.append(item)
        if message := _message(item):
            calls = message.get("tool_calls")
            if calls and said and said[-1].message["role"] == "assistant":
                begun = said.pop()
                message, waiting = add_calls(begun.message, calls), [*begun.own, *waiting]
            said.append(HostMessage(message, waiting))
            waiting = []
    if waiting and said:
        said[-1].own.extend(waiting)
    elif waiting:
        said.append(HostMessage({"role": "assistant", "content": ""}, waiting))
    return said


def _items(said: Iterable[HostMessage]) -> list[Item]:
    """Return messages as items: the original items, if the message has them."""
    return list(chain.from_iterable(_convert(one.message) if one.own is None else one.own for one in said))


def _message(item: Item) -> Message | None:
    """Return the chat message for an item; `None` if the item has no chat form or is of an unknown kind."""
    role, kind = item.get("role"), str(item.get("type") or "message")
    if role in ROLES and kind == "message":
        content: Any = item.get("content") or ""
        parts = content if isinstance(content, str) else list(map(_part, dicts_of(content)))
        return {"role": role, "content": host_text(content) if role == "assistant" else parts}
    if not (call := item.get("call_id")):
        return None
    if kind.endswith("_output"):
        return {"role": "tool", "tool_call_id": str(call), "content": _result(item)}
    given: Any = next((item[name] for name in _ARGUMENTS if item.get(name) is not None), {})
    (message,) = chat_of("assistant", (), calls=[make_call(call, item.get("name") or kind, given)])
    return message


def _result(item: Item) -> str:
    """Return a tool's result as text; the item's status if the tool returned nothing."""
    given = item.get("output", item.get("result"))
    if isinstance(given, list):  # texts and pictures, or shells' output
        texts = [
            host_text([part]) or f"{part.get('stdout') or ''}{part.get('stderr') or ''}" for part in dicts_of(given)
        ]
        given = "\n".join(filter(None, texts))
    return given if isinstance(given, str) and given else str(item.get("status") or "")


def _part(part: Item) -> Item:
    kind = str(part.get("type"))
    if kind == "input_image" and isinstance(part.get("image_url"), str):
        return {"type": "image_url", "image_url": {"url": part["image_url"]}}
    return {**part, "type": "text" if kind in _TEXT else kind}


def _convert(message: Message) -> list[Item]:
    return list(items_of(message)) or [{"role": message["role"], "content": ""}]
