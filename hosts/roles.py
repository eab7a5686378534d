"""Whose words a message has, by what other libraries and people's files call the speaker."""

from typing import Any

from memzoo.stores import Message

__all__ = ["ROLES", "role_of", "said_as"]

ROLES = {
    "user": "user",
    "human": "user",
    "customer": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "bot": "assistant",
    "chatbot": "assistant",
    "gpt": "assistant",
    "model": "assistant",
    "chatgpt": "assistant",
    "system": "system",
    "developer": "developer",
    "tool": "tool",
    "function": "tool",
}
"""What a speaker is called, in lower case -> the role of OpenAI's chat messages."""


def role_of(name: object) -> str | None:
    """The role that a speaker's name stands for; `None` if it stands for none."""
    return ROLES.get(name.strip().lower()) if isinstance(name, str) else None


def said_as(name: str, content: Any) -> Message:
    """What a speaker of any name says: in the role that the name stands for, or by the user with the name in front.

    Example:
        >>> said_as("Human", "Hi"), said_as("moderator", "Calm down.")
        ({'role': 'user', 'content': 'Hi'}, {'role': 'user', 'content': 'moderator: Calm down.'})
    """
    # What a tool said is nothing without the call that it answers.
    if (role := role_of(name)) and role != "tool":
        return {"role": role, "content": content}
    if isinstance(content, list):
        return {"role": "user", "content": [{"type": "text", "text": f"{name}:"}, *content]}
    return {"role": "user", "content": f"{name}: {content}"}
