"""Parses models' replies: tolerates any form, but requires an answer.

Numbered lists, labels, missing brackets and code fences are accepted. A reply without an answer (an empty reply, a
refusal, prose instead of names) raises a `ModelReplyError`, and never replaces the memory's state.
"""

from memzoo.memories.models.replies.facts import SAME_AS, Statement, statements
from memzoo.memories.models.replies.notes import Amendment, aliases, amendments
from memzoo.memories.models.replies.plain import names, prose

__all__ = ["SAME_AS", "Amendment", "Statement", "aliases", "amendments", "names", "prose", "statements"]
