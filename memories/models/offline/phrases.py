"""What the parts of a clause stand for: names instead of pronouns, an owner instead of "my"."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from memzoo.memories.models.offline.clauses import NAMES
from memzoo.memories.models.offline.discourse import PRONOUNS, Discourse
from memzoo.memories.models.offline.grammar import Token, shape_of
from memzoo.memories.models.offline.lexicon import ROLES
from memzoo.memories.text.words import STOPWORDS

__all__ = ["Owned", "Phrases", "plain"]

_MOST_OBJECT_WORDS = 12
_MOST_SUBJECT_WORDS = 6
_FIRST_PERSON = frozenset("i we my our me us".split())
_BEGINS = 5
_VAGUE = frozenset("thing things rest way one ones idea point lot bit part kind sort time question problem".split())
_NAME_LIST = re.compile(rf"D?({NAMES})")
_CALLED_NAME = re.compile(r"D[wvVg]{1,2}N")
_OWNED = re.compile(r"(?:M|NS)([wvVge#]{1,3}(?:S[wv])?)")
_OWN_NAMED = re.compile(r"(?:M|NS)[wvVg]{1,3}N")
_TAIL = re.compile(r"(D?w{0,2}N)((?:pD?[#we]*|D?)[#e].*)")
_DANGLING = "pTac&Dnk"


class Owned(NamedTuple):
    """Something that is said to be somebody's: the owner of "my sister" is `user`, its head is `sister`."""

    owner: str
    what: str

    @property
    def role(self) -> bool:
        """Whether it is a person or an animal rather than a thing."""
        return self.what.rsplit(" ", 1)[-1].lower() in ROLES


def plain(tokens: Sequence[Token]) -> str:
    """Tokens as text."""
    return re.sub(r" (?='s|[,.;:!?%)])", "", " ".join(token.text for token in tokens))


class Phrases:
    """Reads the phrases of one sentence."""

    def __init__(self, discourse: Discourse, number: int) -> None:
        self._discourse = discourse
        self._number = number
        self.owner = discourse.lines[number].owner

    def who(self, token: Token) -> str:
        """Whom a pronoun or a possessive stands for, or the full form of a name; empty if nobody fits."""
        if token.letter == "N":
            return self._discourse.full(token.text)
        if token.lower in _FIRST_PERSON:
            return self.owner
        return self._discourse.meant(self._number, token.lower, token.start) if token.lower in PRONOUNS else ""

    def owned(self, tokens: Sequence[Token]) -> Owned | None:
        """What "my sister", "his old car" or "Noor's bike" are; nothing for other forms or an unknown owner."""
        found = _OWNED.fullmatch(shape_of(tokens))
        # Whose "their" is can hardly be told.
        owner = self.who(tokens[0]) if found and tokens[0].lower != "their" else ""
        return Owned(owner, plain(tokens[found.start(1) :])) if found and owner else None

    def subjects(self, tokens: Sequence[Token]) -> list[str]:
        """Whom a subject names; nobody where that is not clear."""
        shape = shape_of(tokens)
        if shape == "P":
            name = self._thing(tokens[0]) if tokens[0].lower == "it" else self.who(tokens[0])
            return [name] if name else []
        if re.fullmatch(NAMES, shape):
            return [self.who(token) for token in tokens if token.letter == "N"]
        if shape[-1] == "N" and "p" not in shape:
            return [self.who(tokens[-1])]
        return [name for name in [self._described(tokens)] if name]

    def _thing(self, pronoun: Token) -> str:
        """Whom "it" stands for, if that is the subject of this sentence or the one before; else it may be anything."""
        name = self.who(pronoun)
        near = self._discourse.mentions[max(0, self._number - 1) : self._number + 1]
        begins = {self._discourse.full(found[0].name) for found in near if found and found[0].start <= _BEGINS}
        return name if name in begins else ""

    def holder(self, owned: Owned) -> str:
        """Who is somebody's sister, by name if it was said, else as "user's sister"."""
        known = self._discourse.holders.get(owned.what.rsplit(" ", 1)[-1].lower()) if owned.role else ""
        return known or f"{owned.owner}'s {owned.what}"

    def _described(self, tokens: Sequence[Token]) -> str:
        if owned := self.owned(tokens):
            return self.holder(owned)
        words = [token.lower for token in tokens[1:]]
        vague = not words or len(words) >= _MOST_SUBJECT_WORDS or words[-1] in _VAGUE
        return plain(tokens[1:]) if tokens[0].lower == "the" and not vague else ""

    def objects(self, tokens: Sequence[Token]) -> list[tuple[str, str]]:
        """What an object names: each name of a list, else the words; with the time behind a name apart from it."""
        tokens = self._trimmed(tokens)
        shape = shape_of(tokens)
        if names := _NAME_LIST.fullmatch(shape):
            return [(self.who(token), "") for token in tokens[names.start(1) :] if token.letter == "N"]
        if _OWN_NAMED.fullmatch(shape) or (_CALLED_NAME.fullmatch(shape) and tokens[0].lower == "the"):
            return [(self.who(tokens[-1]), "")]
        if tail := _TAIL.fullmatch(shape):
            when = plain(self._trimmed(tokens[tail.start(2) :]))
            return [(self.text(tokens[: tail.end(1)]), when if any(map(str.isdigit, when)) else "")]
        text = self.text(tokens)
        return [(text, "")] if text else []

    def text(self, tokens: Sequence[Token]) -> str:
        """The words of an object with names for pronouns, at most 12; empty if a pronoun stands for nobody."""
        tokens = self._shortened(self._trimmed(tokens))
        if tokens and shape_of(tokens[:2]) == "DN":
            tokens = tokens[1:]
        parts = [self._named(token) for token in tokens]
        told = any(token.letter in "N#e" or token.lower not in STOPWORDS for token in tokens)
        return re.sub(r" (?='s|[,.;:!?%)])", "", " ".join(parts)) if told and all(parts) else ""

    def _named(self, token: Token) -> str:
        if token.letter in "OP" or token.lower in {"her", "them"}:
            name = self.who(token)
            return f"{name}'s" if name and token.letter == "M" else name
        if token.letter == "M":
            name = self.who(token)
            return f"{name}'s" if name else token.text
        if token.letter == "N":
            return self._discourse.full(token.text)
        return token.lower if token.letter == "D" else token.text

    @staticmethod
    def _trimmed(tokens: Sequence[Token]) -> list[Token]:
        kept = list(tokens)
        while kept and kept[-1].letter in _DANGLING:
            kept.pop()
        while kept and kept[0].letter in "ac&":
            kept.pop(0)
        return kept

    @staticmethod
    def _shortened(tokens: list[Token]) -> list[Token]:
        if len(tokens) <= _MOST_OBJECT_WORDS:
            return tokens
        cuts = [place for place in range(2, _MOST_OBJECT_WORDS + 1) if tokens[place].letter in "pT"]
        return tokens[: cuts[-1]] if cuts else []
