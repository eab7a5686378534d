"""Reads models' replies: tolerant of form, strict about sense.

Models number lists, add labels, forget brackets and wrap answers in code fences; all of that is read. A reply without
an answer (nothing, a refusal, prose where names were asked for) is a `ModelReplyError`, so that it never replaces known
state.
"""

from memzoo.memories.models.replies.facts import SAME_AS, Statement, statements
from memzoo.memories.models.replies.notes import Amendment, aliases, amendments
from memzoo.memories.models.replies.plain import names, prose

__all__ = ["SAME_AS", "Amendment", "Statement", "aliases", "amendments", "names", "prose", "statements"]
