"""The offline model: rules that quote sentences, names and facts, for people without a key and for tests.

Call the model through the real `openai` client; `docs/offline-model.md` lists its abilities and limits.
"""

from memzoo.memories.models.offline.serving import offline_client, serve

__all__ = ["offline_client", "serve"]
