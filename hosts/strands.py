"""A memory in Strands Agents: `Agent(conversation_manager=MemoryConversationManager(memory))`."""

import json
import uuid
from collections.abc import Sequence
from typing import Any

from memzoo.hosts.messages import (
    PART,
    HostMessage,
    chat_of,
    dict_of,
    dicts_of,
    dump_json,
    host_text,
    in_pieces,
    make_call,
)
from memzoo.hosts.shared import HostLog, host_module
from memzoo.memories.text.framing import frame_text
from memzoo.memories.text.grouping import is_instruction
from memzoo.strategy import BaseMemory

__all__ = ["MemoryConversationManager"]


class MemoryConversationManager:
    """A memory as the conversation manager of a Strands agent.

    In each model call, the memory's view replaces earlier turns. Texts that the memory made, such as a summary, go to
    the end of the system prompt.

    At the end of an invocation, the memory saves the messages and learns from them; `agent.messages` keeps only the
    newest turn. The messages of a failed invocation are saved too. If you then send the same prompt, it is not saved
    again. If you remove or replace messages of the newest turn in `agent.messages`, the log changes too.

    Attributes:
        memory: The memory of one agent.
        removed_message_count: The number of messages removed from `agent.messages`, for Strands' session managers.
    """

    def __init__(self, memory: BaseMemory) -> None:
        self.memory = memory
        self.removed_message_count = 0
        self._log = HostLog(memory, "strands")
        # Take back only messages that this manager saved, because another agent has another list of messages.
        self._thread = uuid.uuid4().hex
        self._saved: set[str] = set()
        self._left_out = self._shown = 0

    def register_hooks(self, registry: Any, **_: Any) -> None:
        """Register callbacks for an agent's initialization and invocations; Strands calls this method."""
        hooks = host_module("strands.hooks", "strands")
        registry.add_callback(hooks.AgentInitializedEvent, self._join)
        registry.add_callback(hooks.AfterInvocationEvent, self._save)

    def apply_management(self, agent: Any, **_: Any) -> None:
        """Remove from `agent.messages` all saved messages of earlier turns."""
        messages: list[dict[str, Any]] = agent.messages
        newest = max((place for place, message in enumerate(messages) if _is_prompt(message)), default=0)
        kept = [one for place, one in enumerate(messages) if place >= newest or _id(one) not in self._saved]
        self.removed_message_count += len(messages) - len(kept)
        messages[:] = kept

    def reduce_context(self, agent: Any, e: Exception | None = None, **_: Any) -> None:
        """After a request was too long, leave out the older half of the messages that precede the newest turn.

        Raises:
            Exception: The given error `e`, if the newest turn alone is too long.
        """
        if e is None:
            return
        if self._left_out >= self._shown:
            raise e
        # Rounded up, so that a single remaining message is dropped too.
        self._left_out += (self._shown - self._left_out + 1) // 2

    def get_state(self) -> dict[str, Any]:
        """Return the state for Strands' session managers and snapshots, without the memory's content."""
        name, removed = type(self).__name__, self.removed_message_count
        return {"__name__": name, "removed_message_count": removed, "thread": self._thread}

    def restore_from_session(self, state: dict[str, Any]) -> None:
        """Restore the state that `get_state` returned."""
        self.removed_message_count = state["removed_message_count"]
        self._thread = state.get("thread", self._thread)

    def _join(self, event: Any) -> None:
        stages = host_module("strands.middleware", "strands")
        event.agent.add_middleware(stages.InvokeModelStage.Input, self._show)

    async def _show(self, context: Any) -> Any:
        turn = await self._turn(context.messages)
        # When an answer is regenerated, its prompt is already in the log, and not in the turn.
        prompts = filter(_is_prompt, [*turn, *reversed(context.messages)])
        asked = next((host_text(one["content"]) for one in prompts), None)
        said = await self._log.aread_view(asked)
        earlier = [message for one in said if (message := _strands(one))]
        self._shown = len(earlier)
        earlier = earlier[self._left_out :]
        # Models refuse messages that begin in the middle of a turn, as the newer half may do.
        while earlier and not _is_prompt(earlier[0]):
            del earlier[0]
        rules, records = (
            [host_text(one.message["content"]) for one in said if is_instruction(one.message) and one.recalled == made]
            for made in (False, True)
        )
        # The frame tells the memory's words from the application's.
        texts = [*rules, *map(frame_text if context.system_prompt or rules else str, records)]
        system = _with(context.system_prompt, texts)
        return context.replace(messages=_in_turns([*earlier, *turn]), system_prompt=system)

    async def _save(self, event: Any) -> None:
        if event.result is not None and event.result.stop_reason == "interrupt":
            return
        self._left_out = 0
        turn = await self._turn(event.agent.messages)
        said = [one for message in turn for one in _to_messages(message)]
        # Tool calls and results before a failure are saved at once, because the process may end.
        await self._log.afollow(said, ended=event.result is not None, thread=self._thread)

    async def _turn(self, messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the agent's messages that are not in the log yet, without prompts that were sent again."""
        said = [one for message in messages for one in _to_messages(message)]
        unsaved = await self._log.afind_new(said, thread=self._thread, cuts_at_questions=True)
        ids = {one.key.partition("/")[0] for one in unsaved}
        self._saved = set(map(_id, messages)) - ids
        new = [message for message in messages if _id(message) in ids]
        following = [*new[1:], {}]
        return [one for one, then in zip(new, following, strict=False) if not (_is_prompt(one) and _same(one, then))]


def _in_turns(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return messages without empty ones, and with consecutive messages of one role joined, as models require."""
    shown = list[dict[str, Any]]()
    for message in messages:
        if shown and shown[-1]["role"] == message["role"]:
            shown[-1] = {**message, "content": [*shown[-1]["content"], *message["content"]]}
        elif message["content"]:
            shown.append(message)
    return shown


def _id(message: dict[str, Any]) -> str:
    return str(message.get("tracking_id") or "")


def _is_prompt(message: dict[str, Any]) -> bool:
    return message["role"] == "user" and not any("toolResult" in block for block in dicts_of(message["content"]))


def _same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return (one["role"], one["content"]) == (other.get("role"), other.get("content"))


def _with(prompt: Any, texts: Sequence[str]) -> Any:
    if isinstance(prompt, list):
        return [*prompt, *({"text": text} for text in texts)]
    return "\n\n".join(filter(None, [prompt, *texts])) or None


# Strands' messages have the form of messages in Amazon Bedrock.


def _to_messages(message: dict[str, Any]) -> list[HostMessage]:
    blocks = dicts_of(message["content"])
    said = chat_of(
        message["role"],
        filter(None, map(_words, blocks)),
        calls=[make_call(one.get("toolUseId"), one.get("name"), one.get("input")) for one in _of("toolUse", blocks)],
        results=[(str(one.get("toolUseId") or ""), _text(one.get("content"))) for one in _of("toolResult", blocks)],
        others=[kind for block in blocks for kind in block if kind in ("audio", "document", "image", "video")],
    )
    own = host_module("strands.types.session", "strands").encode_bytes_values(message)
    return in_pieces(said, own, _id(message))


def _words(block: dict[str, Any]) -> str:
    """Return the text of a block: plain text, text with citations, or text for a guardrail."""
    if isinstance(text := block.get("text"), str):
        return text
    cited, guarded = dict_of(block.get("citationsContent")), dict_of(block.get("guardContent"))
    return host_text(cited.get("content")) or host_text([dict_of(guarded.get("text"))])


def _of(kind: str, blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return dicts_of([block.get(kind) for block in blocks])


def _text(blocks: Any) -> str:
    return "\n".join([str(block.get("text") or "") or dump_json(block) or "" for block in dicts_of(blocks)])


def _strands(said: HostMessage) -> dict[str, Any] | None:
    """Return a message in Strands' form; `None` if the system prompt or the previous message contains it."""
    message, role = said.message, said.message["role"]
    if role in ("system", "developer") or said.own == PART:
        return None
    if said.own is not None:
        return dict(host_module("strands.types.session", "strands").decode_bytes_values(said.own))
    text = host_text(message["content"])
    if role == "tool":
        result = {"toolUseId": message["tool_call_id"], "content": [{"text": text}], "status": "success"}
        return {"role": "user", "content": [{"toolResult": result}]}
    content = [*([{"text": text}] if text else ()), *map(_tool_use, message.get("tool_calls") or ())]
    return {"role": "assistant" if role == "assistant" else "user", "content": content}


def _tool_use(call: dict[str, Any]) -> dict[str, Any]:
    function = dict_of(call.get("function"))
    arguments = function.get("arguments")
    try:
        given: Any = json.loads(arguments or "{}")
    except ValueError:
        given = {"arguments": arguments}
    return {"toolUse": {"toolUseId": call["id"], "name": function.get("name") or "a tool", "input": given}}
