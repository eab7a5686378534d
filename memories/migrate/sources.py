"""Where other libraries keep conversations: each form with its reader."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from memzoo.memories.migrate.chat_log import ChatLog
from memzoo.memories.migrate.databases import langchain_sql
from memzoo.memories.migrate.documents import named, read_json
from memzoo.memories.migrate.keyed import langchain_mongo, langchain_redis
from memzoo.memories.migrate.llama_index import llama_index
from memzoo.memories.migrate.sessions import read_sessions

__all__ = ["READERS"]


def _langchain_file(source: str) -> Iterator[ChatLog]:
    """The file of a `FileChatMessageHistory`, named like the file."""
    yield from named(read_json(source), Path(source).stem)


def _sessions(source: str) -> Iterator[ChatLog]:
    """The SQLite file of an agent framework."""
    yield from read_sessions(Path(source))


def _chatgpt(source: str) -> Iterator[ChatLog]:
    """What ChatGPT exports: `conversations.json`."""
    document = read_json(source)
    items: list[Any] = document if isinstance(document, list) else [document]
    for item in items:
        yield from named(item, str(item.get("conversation_id") or item.get("id") or item.get("title")))


def _openai_threads(source: str) -> Iterator[ChatLog]:
    """Pages of `threads.messages.list` as JSON: one of them, or a list of them, newest messages first or last."""
    document = read_json(source)
    pages: list[Any] = document if isinstance(document, list) else [document]
    threads: dict[str, dict[str, Any]] = {}
    for message in (message for page in pages for message in page.get("data", ())):
        threads.setdefault(str(message["thread_id"]), {})[str(message["id"])] = message
    for thread, messages in threads.items():
        in_order = sorted(messages.values(), key=lambda message: message["created_at"])
        yield from named([_of_thread(message) for message in in_order], thread)


def _of_thread(message: Mapping[str, Any]) -> dict[str, Any]:
    parts = [
        {"type": "text", "text": part["text"]["value"]} if part.get("type") == "text" else part
        for part in message["content"]
    ]
    plain = parts[0]["text"] if len(parts) == 1 and parts[0].get("type") == "text" else parts
    return {"role": message["role"], "content": plain, "created_at": message["created_at"]}


READERS: Mapping[str, Callable[[str], Iterator[ChatLog]]] = {
    "langchain-sql": langchain_sql,
    "langchain-redis": langchain_redis,
    "langchain-mongo": langchain_mongo,
    "langchain-file": _langchain_file,
    "langgraph": _sessions,
    "openai-agents": _sessions,
    "openai-threads": _openai_threads,
    "llama-index": llama_index,
    "chatgpt": _chatgpt,
}
"""What can be imported from, each with its reader."""
