# /// script
# requires-python = ">=3.11"
# dependencies = ["openai-agents==0.24.0"]
# [tool.memzoo.ways]
# sqlite-session = {about = "all items", options = {limit = 0}, source = "https://openai.github.io/openai-agents-python/sessions/"}
# sqlite-session-20 = {about = "the last 20 items", options = {limit = 20}, source = "https://openai.github.io/openai-agents-python/sessions/"}
# ///
"""openai-agents' `SQLiteSession`, limited by `SessionSettings`. The session gets only texts, no tool results."""

import asyncio

from agents import SQLiteSession
from agents.memory import SessionSettings


class Memory:
    def __init__(self, count_tokens, budget, human_prefix, ai_prefix, limit):
        self.session = SQLiteSession("talk", session_settings=SessionSettings(limit=limit or None))

    def save(self, messages, said_at):
        items = [{"role": one["role"], "content": one["content"] or ""} for one in messages if one["role"] != "tool"]
        asyncio.run(self.session.add_items(items))

    def view(self, question):
        return asyncio.run(self.session.get_items())

    def delete(self, texts):
        """Delete messages: clear the session, and add all other items again."""
        kept = [one for one in asyncio.run(self.session.get_items(limit=10**9)) if one["content"] not in texts]
        asyncio.run(self.session.clear_session())
        asyncio.run(self.session.add_items(kept))
