"""The offline model: rules that quote sentences, names and facts, for people without a key and for tests.

Call the model through the real `openai` client; `docs/offline-model.md` lists its abilities and limits.
"""

from memzoo.memories.models.hashing import hash_embedding
from memzoo.memories.models.offline.endpoint import CHAT_MODEL, EMBEDDING_MODEL, application, count_tokens
from memzoo.memories.models.offline.serving import BASE_URL, async_offline_client, offline_client, serve, serve_forever

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
