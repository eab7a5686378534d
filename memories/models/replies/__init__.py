"""Parses models' replies.

Any form is accepted: numbered lists, labels, missing brackets, code fences. A reply without an answer (empty, a
refusal, or prose instead of names) raises a `ModelReplyError`, and never replaces the memory's state.
"""

from memzoo.memories.models.replies.facts import SAME_AS, Statement, statements
from memzoo.memories.models.replies.notes import Amendment, aliases, amendments
from memzoo.memories.models.replies.plain import names, prose

__all__ = ["SAME_AS", "Amendment", "Statement", "aliases", "amendments", "names", "prose", "statements"]
