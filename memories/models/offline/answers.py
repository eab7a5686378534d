"""Answers to ordinary questions: the sentence that was said and fits best, quoted."""

import math
from collections import Counter
from collections.abc import Sequence

from memzoo.memories.models.offline.text import Turn, clip, sentences
from memzoo.memories.text.words import all_stems, content_stems, is_question

__all__ = ["CANNOT", "answer"]

CANNOT = (
    "I am memzoo's offline model: I extract and quote sentences, I cannot write. "
    "Nothing that was said here answers this."
)

_QUOTES = 2
_MOST_WORDS = 60
_MOST_SENTENCES = 20_000
_ENOUGH = 0.25
_NEARLY_AS_GOOD = 0.8


def answer(messages: Sequence[Turn]) -> str:
    """The sentences of a chat that fit its last question, behind "From what was said:", or `CANNOT`.

    Args:
        messages: The messages of the chat with their roles, oldest first. The question is the last sentence that the
            last of them asks; all the others are what may be quoted.
    """
    *before, last = messages or [Turn("user", "")]
    spoken = sentences(last.text)
    place = next((place for place in range(len(spoken) - 1, -1, -1) if is_question(spoken[place])), len(spoken) - 1)
    question = spoken[place] if spoken else ""
    said = [sentence for message in before for sentence in sentences(message.text)] + spoken[: max(0, place)]
    statements = list(dict.fromkeys(sentence for sentence in said if not is_question(sentence)))[-_MOST_SENTENCES:]
    best = _best(question, statements)
    return f"From what was said: {' '.join(clip(sentence, _MOST_WORDS) for sentence in best)}" if best else CANNOT


def _best(question: str, statements: Sequence[str]) -> list[str]:
    """The one or two sentences that share the most telling words with the question, in the order said."""
    roots = content_stems if content_stems(question) else all_stems
    asked = set(roots(question))
    stems = [set(roots(sentence)) for sentence in statements]
    occurs = Counter(root for found in stems for root in found & asked)
    rarity = {root: math.log(1 + len(statements) / max(1, occurs[root])) for root in asked}
    total = sum(rarity.values())
    scores = [sum(rarity[root] for root in found & asked) for found in stems]
    # Of equals, the newest: it may correct the others.
    order = sorted(range(len(statements)), key=lambda place: (-scores[place], -place))[:_QUOTES]
    if not order or scores[order[0]] <= _ENOUGH * total:
        return []
    return [statements[place] for place in sorted(order) if scores[place] >= _NEARLY_AS_GOOD * scores[order[0]]]
