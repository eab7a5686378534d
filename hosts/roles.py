"""Finds the role of another program's message from the speaker's name."""

from typing import Any

from memzoo.stores import Message

ROLES = {
    "user": "user",
    "human": "user",
    "customer": "user",
    "client": "user",
    "visitor": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "bot": "assistant",
    "chatbot": "assistant",
    "gpt": "assistant",
    "model": "assistant",
    "chatgpt": "assistant",
    "agent": "assistant",
    "support": "assistant",
    "operator": "assistant",
    "staff": "assistant",
    "system": "system",
    "developer": "developer",
    "tool": "tool",
    "function": "tool",
}
"""Maps a speaker's name in lower case to a role of OpenAI's chat messages."""


def role_of(name: object) -> str | None:
    """Return the role for a speaker's name; `None` for an unknown name."""
    return ROLES.get(name) or ROLES.get(name.strip().lower()) if isinstance(name, str) else None


def say_as(name: str, content: Any) -> Message:
    """Return a message in the speaker's role; for an unknown name, a user message that begins with the name.

    Example:
        >>> say_as("Human", "Hi"), say_as("moderator", "Calm down.")
        ({'role': 'user', 'content': 'Hi'}, {'role': 'user', 'content': 'moderator: Calm down.'})
    """
    # A tool result is useless without its call.
    if (role := role_of(name)) and role != "tool":
        return {"role": role, "content": content}
    if isinstance(content, list):
        return {"role": "user", "content": [{"type": "text", "text": f"{name}:"}, *content]}
    return {"role": "user", "content": f"{name}: {content}"}
