"""A conversation as it is understood: who says each sentence, which names are in it, whom a pronoun means."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from memzoo.memories.models.offline.lexicon import (
    FEMALE,
    FEMALE_ROLES,
    FIRST_NAMES,
    MALE,
    MALE_ROLES,
    ORGANISATIONS,
    PLACES,
    ROLES,
)
from memzoo.memories.models.offline.names import Mention, find_names
from memzoo.memories.models.offline.text import Line, is_role, spoken, turns
from memzoo.memories.text.words import STOPWORDS, words

__all__ = ["PRONOUNS", "Discourse", "read_discourse"]

PRONOUNS = {
    "he": "m",
    "him": "m",
    "his": "m",
    "himself": "m",
    "she": "f",
    "her": "f",
    "hers": "f",
    "herself": "f",
    "it": "thing",
    "its": "thing",
    "itself": "thing",
    "they": "group",
    "them": "group",
    "their": "group",
    "there": "place",
}
"""What a pronoun of the third person stands for."""

_HISTORY = 3000
_REACH = {"m": 8, "f": 8, "thing": 2, "group": 3, "place": 6}
_FITTING = {
    "m": {"person"},
    "f": {"person"},
    "thing": {"work", "organisation", "place"},
    "group": {"organisation"},
    "place": {"place", "organisation"},
}
_BEFORE = 40
_AFTER = 40
_ROLE_BEFORE = re.compile(r"([^\W\d_]+(?:-[^\W\d_]+)*),?\s+(?:(?:is|was|called|named)\s+)?$")
_ROLE_AFTER = re.compile(r",?\s+(?:is\s+|was\s+)?(?:my|our|his|her|their|the|an?|your)\s+(?:[\w-]+\s+)?([\w-]+)")
_CONTEXT = (
    (
        re.compile(
            r"\b(?:in|at|near|outside|around|(?:moved?|went|go|going|flew|drove|travel\w*|trip) to)\s(?:the\s)?$"
        ),
        "place",
        2,
    ),
    (re.compile(r"\bfrom\s$"), "place", 1),
    (re.compile(r"\b(?:the|an?)\s$", re.IGNORECASE), "work", 1),
)
_MAKER = re.compile(r"\b(?:directed|written|made|painted|composed|founded|built|sung|played|designed|invented) by\s$")
_PERSON_AFTER = re.compile(r",?\s(?:who|said|says|told|asked|thinks|likes|loves|lives|and I\b)")
_TITLE = re.compile(r"(?:Mr|Mrs|Ms|Dr|Prof|Madame|Monsieur|Sir|Lady|Miss|Captain|Uncle|Aunt)\b\.?\s")
_NAMELESS = {"m": ROLES - FEMALE_ROLES, "f": ROLES - MALE_ROLES}
_PERSONS = {want: frozenset(word for word, meant in PRONOUNS.items() if meant == want) for want in ("m", "f")}
_GUESS_REACH = 3
_VERB_GROUP = 2
_OBJECTS = frozenset({"him", "them"})


@dataclass(frozen=True)
class Discourse:
    """What is understood of a conversation.

    Attributes:
        lines: Its sentences, oldest first.
        mentions: The names in each of them.
        first_new: The number of the first sentence of the new lines.
    """

    lines: list[Line]
    mentions: list[list[Mention]]
    first_new: int

    @property
    def new(self) -> range:
        """The numbers of the sentences that are new."""
        return range(self.first_new, len(self.lines))

    @property
    def places(self) -> Iterator[tuple[str, Mention]]:
        """All names in their order, each with its sentence."""
        return (
            (line.text, mention) for line, found in zip(self.lines, self.mentions, strict=True) for mention in found
        )

    def full(self, name: str) -> str:
        """The longest name that a name is short for: `Graham` means `Graham Stroud` where both occur."""
        return self._long_names.get(name, name)

    def names(self, number: int) -> list[str]:
        """The names in a sentence, in full, each once."""
        return list(dict.fromkeys(self.full(mention.name) for mention in self.mentions[number]))

    def meant(self, number: int, pronoun: str, position: int) -> str:
        """The name that a pronoun stands for, or empty if no name fits.

        The nearest name before it in its own sentence, else, going back, the first fitting name of a sentence: that
        is its subject as a rule. In each sentence, names known to fit come before those of which nothing is known.

        Args:
            number: The number of the sentence.
            pronoun: In lower case, one of `PRONOUNS`.
            position: Where in the sentence it stands.
        """
        want = PRONOUNS[pronoun]
        text = self.lines[number].text
        before = [mention for mention in self.mentions[number] if mention.end <= position]
        between = text[before[-1].end : position].split() if before else []
        if pronoun in _OBJECTS and 0 < len(between) <= _VERB_GROUP and "and" not in between:
            # "Pascal gave him": not himself.
            before.pop()
        own = [mention.name for mention in before]
        if found := self._fitting(reversed(own), want, guess=want != "group"):
            return found
        nameless = self._nameless(want, words(text[:position]))
        return self._before(number, want) if nameless is None else nameless

    def _before(self, number: int, want: str) -> str:
        for before in range(number - 1, max(-1, number - 1 - _REACH[want]), -1):
            guess = want in _PERSONS and number - before <= _GUESS_REACH
            if found := self._fitting([mention.name for mention in self.mentions[before]], want, guess=guess):
                return found
            # "He" there and "he" here are one, known or not.
            if before in self._meant_by.get(want, ()):
                return self._meant_by[want][before]
            nameless = self._nameless(want, self._spoken[before])
            if nameless is not None:
                return nameless
        return ""

    def _nameless(self, want: str, spoken: Iterable[str]) -> str | None:
        """Who is meant by "the landlord": perhaps somebody named with that word before. `None`: no such word."""
        roles = _NAMELESS.get(want, frozenset[str]()).intersection(spoken)
        return next((self.holders[role] for role in sorted(roles) if role in self.holders), "") if roles else None

    @cached_property
    def _spoken(self) -> list[frozenset[str]]:
        return [frozenset(words(line.text)) for line in self.lines]

    @cached_property
    def _meant_by(self) -> dict[str, dict[int, str]]:
        """Whom "he" or "she" means in each sentence that has no fitting name of its own."""
        meant: dict[str, dict[int, str]] = {want: {} for want in _PERSONS}
        # Sentence by sentence, each from those before: it is read while it is filled.
        self.__dict__["_meant_by"] = meant
        for number in range(len(self.lines)):
            spoken = self._spoken[number]
            for want, pronouns in _PERSONS.items():
                if not pronouns.isdisjoint(spoken):
                    nameless = self._nameless(want, spoken)
                    meant[want][number] = self._before(number, want) if nameless is None else nameless
        return meant

    @cached_property
    def holders(self) -> dict[str, str]:
        """Who was last named with a role: `Ilse` for `sister` after "my sister Ilse"."""
        return {role: self.full(mention.name) for text, mention in self.places if (role := _role(text, mention))}

    def _fitting(self, names: Iterable[str], want: str, *, guess: bool) -> str:
        best, found = 0, ""
        for name in names:
            fits = self._fits(name, want, guess=guess)
            if fits > best:
                best, found = fits, name
        return self.full(found)

    def _fits(self, name: str, want: str, *, guess: bool) -> int:
        """How surely a pronoun can mean a name: 3 by kind and gender, 2 by kind, 1 for all that is known, or 0."""
        gender = self._genders.get(name, "")
        if want in _PERSONS and gender not in {"", want}:
            return 0
        kind = self._kinds.get(name, "")
        if kind in _FITTING[want]:
            return 3 if gender == want else 2
        return int(guess and not kind)

    @cached_property
    def _long_names(self) -> dict[str, str]:
        every = {mention.name for _, mention in self.places if not mention.quoted}
        longer: dict[str, set[str]] = defaultdict(set)
        for name in every:
            parts = name.split()
            if len(parts) > 1:
                for part in {parts[0], parts[-1]} & every:
                    longer[part].add(name)
        return {part: min(names) for part, names in longer.items() if len(names) == 1}

    @cached_property
    def _kinds(self) -> dict[str, str]:
        votes: dict[str, Counter[str]] = defaultdict(Counter)
        for text, mention in self.places:
            for kind, weight in _votes(text, mention):
                votes[mention.name][kind] += weight
        kinds = {name: max(sorted(found), key=found.__getitem__) for name, found in votes.items() if found}
        return kinds | {name: kinds[full] for name, full in self._long_names.items() if full in kinds}

    @cached_property
    def _genders(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for text, mention in self.places:
            if gender := _gender(text, mention):
                found.setdefault(mention.name, gender)
                found.setdefault(self.full(mention.name), gender)
        return found


def read_discourse(history: str, new: str, known: Iterable[str] = ()) -> Discourse:
    """Understand new lines of a conversation with what was said before them; of a long history, only its end.

    Args:
        history: The transcript before.
        new: The transcript to be read.
        known: Names known already.
    """
    old_turns, new_turns = turns(_tail(history), new)
    lines = spoken([*old_turns, *new_turns])
    speakers = {line.speaker for line in lines if line.speaker and not is_role(line.speaker)}
    mentions = find_names([line.text for line in lines], [*speakers, *known])
    return Discourse(lines, mentions, sum(line.turn < len(old_turns) for line in lines))


def _tail(history: str) -> str:
    cut = history.find("\n", len(history) - _HISTORY) if len(history) > _HISTORY else -1
    return history[cut + 1 :] if len(history) <= _HISTORY or cut >= 0 else ""


def _votes(text: str, mention: Mention) -> Iterator[tuple[str, int]]:
    before = text[max(0, mention.start - _BEFORE) : mention.start]
    yield from _own_votes(mention)
    yield from ((kind, weight) for pattern, kind, weight in _CONTEXT if pattern.search(before))
    if _role(text, mention) or _MAKER.search(before):
        yield "person", 3
    elif _PERSON_AFTER.match(text, mention.end):
        yield "person", 2


def _own_votes(mention: Mention) -> Iterator[tuple[str, int]]:
    name = mention.name
    last = name.rsplit(" ", 1)[-1].lower()
    if mention.quoted or any(word in STOPWORDS for word in name.lower().split()[1:]):
        yield "work", 3
    if "&" in name or (name.isupper() and len(name) > 1):
        yield "organisation", 1
    if last in PLACES or last in ORGANISATIONS:
        yield ("place" if last in PLACES else "organisation"), 4
    elif _looks_like_person(name):
        yield "person", 3


def _looks_like_person(name: str) -> bool:
    first = name.split(" ", 1)[0].lower()
    return first in FIRST_NAMES or _TITLE.match(name) is not None


def _role(text: str, mention: Mention) -> str:
    before = _ROLE_BEFORE.search(text, max(0, mention.start - _BEFORE), mention.start)
    if before and before[1].lower() in ROLES:
        return before[1].lower()
    after = _ROLE_AFTER.match(text, mention.end, mention.end + _AFTER)
    return after[1].lower() if after and after[1].lower() in ROLES else ""


def _gender(text: str, mention: Mention) -> str:
    role = _role(text, mention)
    first = mention.name.split(" ", 1)[0].lower().rstrip(".")
    if role in FEMALE_ROLES or first in FEMALE or first in {"mrs", "ms", "miss", "madame", "lady", "aunt"}:
        return "f"
    if role in MALE_ROLES or first in MALE or first in {"mr", "sir", "monsieur", "uncle"}:
        return "m"
    return ""
