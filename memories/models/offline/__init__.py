"""The offline model, for tests and for people without a key: rules that quote sentences, names and facts.

Call the model through the real `openai` client; `docs/offline-model.md` lists its abilities and limits.
"""

from memzoo.memories.models.offline.serving import offline_client, serve

__all__ = ["offline_client", "serve"]
