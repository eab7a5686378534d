"""The offline model: an extractive stand-in for a language model, for people without a key and for tests.

It is rules, not a language model: it picks out sentences, names and facts and quotes them. It is spoken to through the
real `openai` client, in this process or over HTTP, and the same request always gets the same answer.
`docs/offline-model.md` tells what it does and what it cannot do.
"""

from memzoo.memories.models.hashing import hash_embedding
from memzoo.memories.models.offline.app import application
from memzoo.memories.models.offline.serving import (
    BASE_URL,
    async_offline_client,
    offline_client,
    serve,
    serve_forever,
)
from memzoo.memories.models.offline.wire import CHAT_MODEL, EMBEDDING_MODEL, count_tokens

__all__ = [
    "BASE_URL",
    "CHAT_MODEL",
    "EMBEDDING_MODEL",
    "application",
    "async_offline_client",
    "count_tokens",
    "hash_embedding",
    "offline_client",
    "serve",
    "serve_forever",
]
