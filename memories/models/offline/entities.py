"""The tasks about names: which ones a text speaks of, and what is known of each."""

import re
from collections import Counter
from collections.abc import Iterator

from memzoo.memories.models.offline.discourse import PRONOUNS, Discourse, read_discourse
from memzoo.memories.text.words import STOPWORDS

__all__ = ["MOST_NAMES", "current_entities", "entity_extraction", "referred"]

MOST_NAMES = 12

_PRONOUN = re.compile(r"\b(?:" + "|".join(PRONOUNS) + r")\b", re.IGNORECASE)
_DEFINITE = re.compile(r"\b(?:my|our|the|his|her|their|your)\s+([\w-]+)", re.IGNORECASE)
_EXISTENTIAL = re.compile(
    r"there(?:'s|’s)?\s+(?:is|are|was|were|will|has|have|might|may|must|seems?|a|an|no)\b", re.IGNORECASE
)


def entity_extraction(history: str, new_lines: str) -> str:
    """The names that new lines speak of, one a line, or `NONE`."""
    return _listed(_spoken_of(read_discourse(history, new_lines)))


def current_entities(history: str, text: str) -> str:
    """The names that an input is about, one a line, or `NONE`; names of the history are known in lower case, too."""
    discourse = read_discourse(history, f"Human: {text}")
    return _listed([*_spoken_of(discourse), *_in_lower_case(discourse, text)])


def _spoken_of(discourse: Discourse) -> list[str]:
    """Names in the order of their first mention; where there are too many, those mentioned most."""
    counted = Counter(name for number in discourse.new for name in referred(discourse, number))
    most = {name for name, _ in counted.most_common(MOST_NAMES)}
    return [name for name in counted if name in most]


def referred(discourse: Discourse, number: int) -> Iterator[str]:
    """The names that a sentence speaks of: those that it mentions, and those that "my sister" or "she" mean in it."""
    yield from discourse.names(number)
    text = discourse.lines[number].text
    for role in _DEFINITE.finditer(text):
        if name := discourse.holders.get(role[1].lower()):
            yield name
    pronouns: dict[str, int] = {}
    for pronoun in _PRONOUN.finditer(text):
        if not _EXISTENTIAL.match(text, pronoun.start()):
            pronouns.setdefault(pronoun[0].lower(), pronoun.start())
    yield from filter(None, (discourse.meant(number, pronoun, place) for pronoun, place in pronouns.items()))


def _in_lower_case(discourse: Discourse, text: str) -> Iterator[str]:
    lower = text.lower()
    for known in dict.fromkeys(mention.name for _, mention in discourse.places):
        name = known.lower()
        if name in lower and name not in STOPWORDS and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", lower):
            yield discourse.full(known)


def _listed(names: list[str]) -> str:
    return "\n".join(list(dict.fromkeys(names))[:MOST_NAMES]) or "NONE"
