"""Finds names in sentences, and the people meant by "she" and "he"."""

import functools
import re
from collections.abc import Iterable, Sequence

from memzoo.memories.models.offline.prompt import Utterance, role_of
from memzoo.memories.text.language import SMALL_TALK, words
from memzoo.memories.text.names import is_reference

# No group is possessive: some Python versions, such as 3.11.2, match possessive groups wrongly.
_CAPITAL = r"(?:(?:Mr|Mrs|Ms|Dr|Prof|St)\.(?= )|[^\W\d_a-z][\w&-]*+(?:['’](?!s\b)\w++)*)"
_RUN = re.compile(rf"(?<![\w'’]){_CAPITAL}(?: (?:& |of |of the |de |van )?(?:{_CAPITAL}|\d++))*")
_PLACES = frozenset("in at to from near around through on of into".split())
PAST = frozenset(
    """
    is was has will can had would says from ate became began bought broke brought built came caught chose cut drew
    drove fell felt fought found gave got grew had heard held hung kept knew led left let lost made meant met paid put
    ran read rode said sang sat saw sent set sold spent spoke stood swam taught thought told took went won wore wrote
    """.split()
)
_PRONOUN = re.compile(r"\b(?:he|she|him|her|his|hers)\b", re.IGNORECASE)
_GUESS = re.compile(r"\bI (?:suspect|imagine|suppose|assume|guess|take it)\b.*\?$")
_FIRST_PERSON = frozenset("i i'm i've my our we me".split())
_NO_NAMES = SMALL_TALK | frozenset(
    """
    monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september
    october november december english french german italian spanish american british european mum mom dad human user
    assistant ai none yesterday today tomorrow nobody change correction note update
    """.split()
)


@functools.lru_cache(maxsize=1 << 12)
def _find_likely(sentence: str) -> Sequence[tuple[int, str, bool]]:
    """Return the likely names in a sentence as (position, name, whether the sentence alone shows that it is one)."""
    found = list[tuple[int, str, bool]]()
    for run in _RUN.finditer(sentence):
        parts = run[0].split()
        while parts and _is_none(parts[0], sentence):
            del parts[0]
        end = next((at for at, part in enumerate(parts) if part[0].isupper() and _is_none(part, sentence)), len(parts))
        name = " ".join(parts[:end])[:80].strip()
        # Every sentence starts with a capital, so a name at the start needs more evidence.
        starts = sentence[: run.start()].rstrip(" \"'“‘(*")[-1:] in {"", ".", "!", ":"}
        if name[:1].isupper():
            shown = not starts or name != run[0] or " " in name or _acts(sentence, run)
            found.append((run.end() - len(name), name, shown))
    return found


def _is_none(word: str, sentence: str) -> bool:
    return word.lower().replace("’", "'") in _NO_NAMES or is_reference(word, sentence)


def _acts(sentence: str, run: re.Match[str]) -> bool:
    verb = (sentence[run.end() : run.end() + 30].split(None, 1) or [""])[0]
    acts = verb in PAST or verb in {"'s", "’s"} or (verb.islower() and verb.endswith(("s", "ed")))
    return acts and not run[0].endswith(("ing", "ly")) and not (run[0][-1] == "s" and verb.endswith("ed"))


class NamedSentences:
    """Sentences with the names in each, and the people meant by pronouns.

    The sentences of the history come first, then the new ones; numbers begin at 0.
    """

    def __init__(self, history: Sequence[Utterance], new: Sequence[Utterance]) -> None:
        self.lines = [*history, *new]
        self.new = range(len(history), len(self.lines))
        self.owners = [role_of(line.speaker) or line.speaker or "user" for line in self.lines]
        likely = [_find_likely(line.text) for line in self.lines]
        inside = [name for found in likely for place, name, shown in found if shown and place]
        known = {part for name in (*inside, *self.owners) for part in name.split()}
        self.named = [[(place, name) for place, name, shown in found if shown or name in known] for found in likely]
        self.meant = [""]
        for number in range(len(self.lines)):
            people = self.people(number)
            # After several people, a pronoun is ambiguous; a sentence without people keeps the pronoun's meaning.
            self.meant.append(min(people) if len(people) == 1 else "" if people else self.meant[-1])

    def people(self, number: int) -> set[str]:
        """Return the names of people in sentence `number`.

        Names after prepositions are left out, because they are mostly places. A guess such as "I suppose you use
        Excel?" names no people.
        """
        text = self.lines[number].text
        if _GUESS.search(text):
            return set()
        return {name for at, name in self.named[number] if text[:at].rstrip().rpartition(" ")[2].lower() not in _PLACES}

    def about(self, number: int, known: Iterable[str] = ()) -> list[str]:
        """Return the names that sentence `number` is about.

        These are the names in the sentence, the person meant by "she" or "he", and the name of a speaker who says "I".
        Names in `known` are found even if the sentence has them in lower case.
        """
        speaker, text = self.lines[number]
        found, plain = words(text), f" {' '.join(words(text))} "
        # "She" after a name in the same sentence usually means that name.
        meant = self.meant[number] if _PRONOUN.search(text) and not self.people(number) else ""
        mine = speaker if not role_of(speaker) and not _FIRST_PERSON.isdisjoint(found) else ""
        standing = [name for name in known if f" {' '.join(words(name))} " in plain]
        return [*filter(None, dict.fromkeys([meant, *(name for _, name in self.named[number]), mine, *standing]))]
