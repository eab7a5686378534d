"""Converts chat messages for Anthropic's and Google's clients: separate system prompt, alternating roles."""

from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter
from typing import Any

from memzoo.memories.text.grouping import is_instruction
from memzoo.memories.text.messages import text_of
from memzoo.stores import Message

__all__ = ["cache_control", "in_turns"]


def in_turns(messages: Iterable[Message]) -> tuple[str, list[Message]]:
    r"""Return the text of all system messages, and the other messages with neighbours of the same role merged.

    Tool calls and their results stay separate messages, in OpenAI's form.

    Args:
        messages: The messages from `memory.messages`, and the new question.

    Returns:
        The system prompt ("" without system messages), and the other messages. User messages have no user message next
        to them; assistant messages are merged likewise, unless one of the neighbours has tool calls.

    Example:
        >>> said = [("system", "Be brief."), ("user", "A record."), ("user", "Hi!"), ("assistant", "Hello.")]
        >>> in_turns({"role": role, "content": text} for role, text in said)
        ('Be brief.', [{'role': 'user', 'content': 'A record.\n\nHi!'}, {'role': 'assistant', 'content': 'Hello.'}])
    """
    given = list(messages)
    system = "\n\n".join(text_of(message) for message in given if is_instruction(message))
    turns = list[Message]()
    for role, group in groupby((one for one in given if not is_instruction(one)), itemgetter("role")):
        neighbours = list(group)
        if role in ("user", "assistant") and not any(one.get("tool_calls") for one in neighbours):
            turns.append({"role": role, "content": _join([one["content"] for one in neighbours])})
        else:
            turns += neighbours
    return system, turns


def cache_control(message: Message) -> Message:
    """Return a message with a mark for Anthropic's prompt cache: the cached part of the prompt ends with the message.

    Example:
        >>> cache_control({"role": "user", "content": "Hi!"})["content"]
        [{'type': 'text', 'text': 'Hi!', 'cache_control': {'type': 'ephemeral'}}]
    """
    *parts, last = _parts(message["content"]) or [{"type": "text", "text": text_of(message)}]
    return {**message, "content": [*parts, {**last, "cache_control": {"type": "ephemeral"}}]}


def _join(contents: list[Any]) -> Any:
    if len(contents) == 1:
        return contents[0]
    if all(isinstance(content, str) for content in contents):
        return "\n\n".join(contents)
    return [part for content in contents for part in _parts(content)]


def _parts(content: Any) -> list[dict[str, Any]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return list(content or ())
