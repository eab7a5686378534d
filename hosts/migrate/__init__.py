"""Readers that return conversations in other programs' files as OpenAI chat messages."""

from memzoo.hosts.exports.chat_log import ChatLog, reason
from memzoo.hosts.exports.messages import is_message, message_of
from memzoo.hosts.exports.texts import read_csv, read_text
from memzoo.hosts.migrate.sessions import read_sessions

__all__ = [
    "ChatLog",
    "is_message",
    "message_of",
    "read_csv",
    "read_sessions",
    "read_text",
    "reason",
]
