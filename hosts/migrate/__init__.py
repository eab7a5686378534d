"""Readers that return conversations in other programs' files as OpenAI chat messages."""

from memzoo.hosts.migrate.chat_exports import is_message, logs_of, message_of
from memzoo.hosts.migrate.chat_log import ChatLog, reason
from memzoo.hosts.migrate.sessions import read_sessions
from memzoo.hosts.migrate.texts import read_csv, read_text

__all__ = [
    "ChatLog",
    "is_message",
    "logs_of",
    "message_of",
    "read_csv",
    "read_sessions",
    "read_text",
    "reason",
]
