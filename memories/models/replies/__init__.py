"""Reads what models answer: tolerant of form, strict about sense.

Models number lists, add labels, forget brackets and wrap answers in code fences; all of that is read. What is not an
answer at all (nothing, a refusal, prose where names were asked for) is a `ModelReplyError`, so that it never replaces
what is known.
"""

from memzoo.memories.models.replies.facts import SAME_AS, Statement, statements
from memzoo.memories.models.replies.notes import Amendment, aliases, amendments
from memzoo.memories.models.replies.plain import names, prose

__all__ = ["SAME_AS", "Amendment", "Statement", "aliases", "amendments", "names", "prose", "statements"]
