"""Says whom and what a question is about, by the names that are known."""

import re
from collections.abc import Iterable
from itertools import islice

from memzoo.memories.text.messages import Labels
from memzoo.memories.text.name_index import NameIndex
from memzoo.memories.text.names import canonical, refers_back

__all__ = ["FOR_SURE", "FULL_NAME", "asked_names"]

FOR_SURE = 8.0
"""How surely a name is asked about which a model says is."""

FULL_NAME = 1.0
"""How surely one is that stands in the question, in full."""

_WORD = re.compile(r"\w+")
_USER = re.compile(r"\b(?:i|me|my|mine|myself|we|us|our|ours|ourselves)\b|[\u6211\u54b1]", re.IGNORECASE)
_ASSISTANT = re.compile(r"\b(?:you|your|yours|yourself)\b|[\u4f60\u60a8]", re.IGNORECASE)

# How surely somebody is asked about who is named in part, by "I" or "you", or may be meant by "she".
_IN_PART, _BY_PERSON, _REFERRED_TO = 0.7, 0.5, 0.9
_MOST_REFERRED_TO = 10
_SHORTEST_PART = 3


def asked_names(query: str, names: NameIndex, labels: Labels, before: Iterable[str] = ()) -> dict[str, float]:
    """Return the canonical names that a question asks about, each with how surely, from 0 to 1.

    "I", "my" and "we" mean the user, "you" the assistant. A part of a name means all names that have it; "she", "it"
    and the like mean whom or what was spoken of before, the last most likely.

    Args:
        query: The question.
        names: Those that are known.
        labels: What the user and the assistant are called in the talk.
        before: What was said before, newest first.

    Example:
        >>> index = NameIndex()
        >>> index.add("devin achterberg")
        >>> asked_names("Where did Devin teach me?", index, Labels("Mara", "AI"))
        {'devin achterberg': 0.7, 'user': 0.5, 'mara': 0.5}
    """
    found = dict.fromkeys(names.named_in(query), FULL_NAME)
    for part in _WORD.findall(query):
        if part.lower() != part and len(part) >= _SHORTEST_PART:
            for name in names.with_words(canonical(part)):
                found.setdefault(name, _IN_PART)
    for pronoun, role, label in ((_USER, "user", labels.human), (_ASSISTANT, "assistant", labels.ai)):
        if pronoun.search(query):
            found |= {name: _BY_PERSON for name in (role, canonical(label)) if name not in found}
    if refers_back(query):
        spoken_of = (name for text in before for name in names.named_in(text))
        for place, name in enumerate(islice(dict.fromkeys(spoken_of), _MOST_REFERRED_TO), start=1):
            found.setdefault(name, _REFERRED_TO / place)
    return found
