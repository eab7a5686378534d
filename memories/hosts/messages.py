"""A host's messages as chat messages: what the adapters of agent frameworks say alike."""

import itertools
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from memzoo.stores import JSON, Message

__all__ = ["PART", "HostMessage", "chat_of", "host_text", "in_common", "in_pieces"]

PART = ""
"""What stands for the host's own form of the further chat messages that one message of the host became."""


class HostMessage(NamedTuple):
    """A message on its way from a host into the log.

    Attributes:
        message: The OpenAI chat message, from which memories learn.
        own: The host's own form of it, as JSON, with ids, reasoning and usage; no model of the memory sees it.
        key: What the host knows it by in this conversation: the same one again is not stored again. "" for nothing.
        seq: Its number in the log; 0 if it is not there.
        thread: Which of the host's threads it belongs to; "" if that is not known.
    """

    message: Message
    own: JSON = None
    key: str = ""
    seq: int = 0
    thread: str = ""


def chat_of(
    role: str,
    texts: Iterable[str],
    *,
    calls: Sequence[Message] = (),
    results: Iterable[tuple[str, str]] = (),
    others: Sequence[str] = (),
) -> list[Message]:
    """The chat messages that one message of a host becomes: one for each result of a tool, then one for the rest.

    Args:
        role: Whose message it is: user, assistant, system.
        texts: What is said.
        calls: The calls of tools, as `text.messages.tool_call` makes them.
        results: What tools gave back: the id of the call, and a text.
        others: The kinds of what has no text, such as "image".
    """
    said: list[Message] = [{"role": "tool", "tool_call_id": id_, "content": result} for id_, result in results]
    text = "\n".join(texts)
    parts = [*([{"type": "text", "text": text}] if text else ()), *({"type": kind} for kind in others)]
    content = parts if others else text
    if calls:
        said.append({"role": "assistant", "content": content or None, "tool_calls": list(calls)})
    elif content or not said:
        said.append({"role": role, "content": content})
    return said


def in_pieces(chat: Iterable[Message], own: JSON, key: str) -> list[HostMessage]:
    """The chat messages of one message of a host, for the log; the first has all of the host's own form."""
    return [
        HostMessage(message, PART if place else own, f"{key}/{place}" if place and key else key)
        for place, message in enumerate(chat)
    ]


def host_text(content: Any) -> str:
    """The text of a host's content: a text, or parts of which some have a text."""
    if isinstance(content, str):
        return content
    parts: list[Any] = content if isinstance(content, list) else []
    return "\n".join(
        part if isinstance(part, str) else str(part.get("text") or part.get("refusal") or "") for part in parts
    ).strip()


def in_common(old: Sequence[Message], new: Sequence[Message]) -> int:
    """Count the messages at the beginning that two conversations have in common."""
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
