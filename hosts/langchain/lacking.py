"""Explains why `memzoo.langchain` lacks a name."""

from collections.abc import Collection

from memzoo.hosts.migrate.code_names import DATABASES, counterpart, why_left
from memzoo.text import did_you_mean


def why_lacking(name: str, known: Collection[str]) -> str:
    """Return the reason why `memzoo.langchain` lacks a name, and the replacement for the name."""
    lacks = f"memzoo.langchain has no {name!r}"
    if (found := counterpart(f"langchain.memory.{name}")) is None:
        return f"{lacks}{did_you_mean(name, known)}. docs/langchain.md has its names."
    _, target = found
    if name in DATABASES:
        return f"{lacks}. Use ChatMessageHistory(conversation_id=..., store=open_store(url))."
    if target.startswith("memzoo."):
        return f"{lacks}. Use {target.rpartition('.')[2]}."
    if target:
        module = target.rpartition(".")[0]
        return f"{lacks}. It stays LangChain's: from {module} import {name}; a memory takes it as chat_memory=."
    reason, advice = why_left(name)
    return f"{lacks}, which {reason}. Use {advice}."
