"""The facts that a sentence states, as triples."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from memzoo.memories.models.offline.clauses import NAMES, Clause, Predicate, clauses, in_past, predicates
from memzoo.memories.models.offline.grammar import Token, shape_of
from memzoo.memories.models.offline.lexicon import DEMONYMS
from memzoo.memories.models.offline.phrases import Owned, Phrases, plain
from memzoo.memories.models.offline.text import ASSISTANT
from memzoo.memories.models.offline.verbs import FORMS
from memzoo.memories.text.words import SMALL_TALK

__all__ = ["Triple", "stated_facts"]

_LIGHT = frozenset(
    "get take put set turn keep use miss need let hold check know wait look try stop help show walk".split()
)
_PREDICATES = frozenset(
    "allergic afraid scared vegetarian vegan pregnant retired single engaged divorced diabetic deaf blind".split()
)
_VAGUE = frozenset(
    "idea lot bit part thing way time shame pleasure point start sign question relief matter kind sort mistake while "
    "reason step moment subject turn something everything nothing anything one member trick catch".split()
)
_WEAK = frozenset({"it", "they"})
_NAMES_OF = frozenset({"name", "first name", "full name"})
_NAME_OF = "'s name"
_CALLED_RELATIONS = frozenset({"is called", "is named", "was called", "was named"})
_ATTRIBUTES = frozenset(
    "favourite favorite colour color hobby job profession occupation nationality age size goal dream budget".split()
)
_NAMING = frozenset("called named titled nicknamed".split())
_LISTING = frozenset("include includes included are were is was".split())
_RECIPIENT = re.compile(r"(?:O|M(?![wvVgeN#])|N)(?=[DM#])")
_BY_LIST = re.compile(rf"(?<![bh])({NAMES})c?[aDwvVge#]{{0,6}}[tV]p({NAMES})")
_MADE_LIST = re.compile(rf"[wvVg][tV]p({NAMES})a*[bvV]c?({NAMES})")
_WORK_BY = re.compile(r"(N)p(N)")
_MY_NAME = re.compile(r"M([wvV]{1,2})(?<!V)N(?![wg#S])")
_NAME_MY = re.compile(r"Nc(M[wvVg]{1,3}|NS[wvVg]{1,3})(?=[cx&]|$)")
_NAME_THE = re.compile(r"Nc(D[wvVg]{1,4}(?:p[DM]?w?N)?)(?=[cxk]|$)")
_THE_NAME = re.compile(r"D[wvg]{1,2}cN(?=[cxp]|$)")
_ARTICLES = frozenset({"the", "a", "an"})
_CALLED = re.compile(r"([DM])([wvg]{1,3})[tV]N")


@dataclass(frozen=True, slots=True)
class Triple:
    """A fact; `holds` is false where it is said to be wrong or no longer so."""

    subject: str
    relation: str
    object: str
    holds: bool = True

    def __str__(self) -> str:
        """The line of an answer."""
        parts = " | ".join(
            " ".join(part.replace("|", "/").split()) for part in (self.subject, self.relation, self.object)
        )
        return parts if self.holds else f"NOT {parts}"


def stated_facts(tokens: Sequence[Token], phrases: Phrases) -> Iterator[Triple]:
    """What a sentence that is no question states."""
    shape = shape_of(tokens)
    yield from _appositions(tokens, shape, phrases)
    yield from _makers(tokens, shape, phrases)
    thing: list[Token] = []
    for clause in clauses(tokens):
        same = bool(thing) and clause.subject[0].lower == "it"
        if clause.subject[0].letter in "DM":
            thing = clause.subject
        for predicate in predicates(clause.rest):
            if not same or _definite(predicate.object):
                yield from _of_clause(replace(clause, subject=thing) if same else clause, predicate, phrases)


def _of_clause(clause: Clause, predicate: Predicate, phrases: Phrases) -> Iterator[Triple]:
    if predicate.kind == "is":
        yield from _being(clause.subject, predicate, phrases)
    elif predicate.kind == "by":
        for work in phrases.subjects(clause.subject):
            for maker, _ in phrases.objects(predicate.object):
                yield Triple(maker, predicate.relation, work, predicate.holds)
    elif predicate.relation in _CALLED_RELATIONS and (owned := phrases.owned(clause.subject)):
        yield from _owned_being(owned, predicate, _Complement("", predicate.object), phrases)
    elif _telling(clause.subject, predicate, phrases):
        yield from _doing(clause.subject, predicate, phrases)


def _definite(tokens: Sequence[Token]) -> bool:
    """Whether a name or a number is among words."""
    return any(token.letter in "N#" for token in tokens)


def _telling(subject: Sequence[Token], predicate: Predicate, phrases: Phrases) -> bool:
    """Whether a clause is worth a line: what "the shop" does and what light verbs say needs a name or a number."""
    if _definite(predicate.object):
        return True
    verb = FORMS.get(predicate.relation.split()[1 if predicate.relation.startswith("will ") else 0])
    light = verb is not None and verb.base in _LIGHT
    assistant = phrases.owner == ASSISTANT and subject[0].lower in {"i", "we"}
    return not (subject[0].letter == "D" or light or assistant)


def _doing(subject: Sequence[Token], predicate: Predicate, phrases: Phrases) -> Iterator[Triple]:
    relation, told = predicate.relation, predicate.object
    if _RECIPIENT.match(shape_of(told)):
        relation, told = f"{relation} {phrases.who(told[0])}", told[1:]
    subjects = [who for who in phrases.subjects(subject) if relation[-1:] != " " and not relation.endswith(f" {who}")]
    for what, when in phrases.objects(told):
        yield from _triples(subjects, predicate, relation, [what])
        if when:
            yield from _triples(subjects, predicate, f"{relation} {what}", [when])


def _being(subject: Sequence[Token], predicate: Predicate, phrases: Phrases) -> Iterator[Triple]:
    """What "is" says: who somebody is, what they are to another, what is theirs, where, how much."""
    told = list(predicate.object)
    found = _complement(told, subject)
    if related := phrases.owned(told):
        yield from _triples(phrases.subjects(subject), predicate, f"is the {related.what} of", [related.owner])
    elif found and (owned := phrases.owned(subject)):
        yield from _owned_being(owned, predicate, found, phrases)
    elif found and subject[0].letter == "D" and shape_of(told) == "N":
        yield from _triples([phrases.who(told[0])], predicate, predicate.relation, [phrases.text(subject)])
    elif found:
        named = shape_of(told) == "N" and subject[0].lower == "i"
        relation = "is named" if named else f"{predicate.relation} {found.adds}".strip()
        yield from _triples(phrases.subjects(subject), predicate, relation, found.texts(phrases))


def _owned_being(owned: Owned, predicate: Predicate, found: "_Complement", phrases: Phrases) -> Iterator[Triple]:
    names = [phrases.who(token) for token in found.tokens] if shape_of(found.tokens) == "N" else []
    relation = f"{predicate.relation} {found.adds}".strip()
    if names and owned.what.lower() in _NAMES_OF:
        yield from _triples([owned.owner], predicate, "is named", names)
    elif names and owned.what.endswith(_NAME_OF):
        yield from _triples(names, predicate, f"is the {owned.what.removesuffix(_NAME_OF)} of", [owned.owner])
    elif names and owned.role and not found.adds:
        yield from _triples(names, predicate, f"is the {owned.what} of", [owned.owner])
    elif owned.role:
        yield from _triples([phrases.holder(owned)], predicate, relation, found.texts(phrases))
    else:
        has = "has" if predicate.relation.startswith("is") else "had"
        relation = f"{has} {owned.what} {found.adds}".strip()
        if any(token.letter in "N#e" for token in found.tokens) or not _ATTRIBUTES.isdisjoint(
            owned.what.lower().split()
        ):
            yield from _triples([owned.owner], predicate, relation, found.texts(phrases))


@dataclass(frozen=True, slots=True)
class _Complement:
    """What follows "is": the words that belong to the relation ("allergic to"), and the object."""

    adds: str
    tokens: list[Token]

    def texts(self, phrases: Phrases) -> list[str]:
        return [text for text, _ in phrases.objects(self.tokens)]


def _complement(told: list[Token], subject: Sequence[Token]) -> _Complement | None:
    """The complement, if it is worth a line: a name, a number, a noun with an article, a place, a lasting property."""
    shape = shape_of(told)
    definite = _definite(told)
    if subject[0].lower in _WEAK and not definite:
        return None
    if shape[:1] == "w" and subject[0].letter in "MN" and not _ATTRIBUTES.isdisjoint(token.lower for token in subject):
        return _Complement("", told)
    if shape[:1] in {"N", "#", "e"} or (shape[:1] == "D" and (definite or _noun(told))):
        return _Complement("", told)
    if shape[:1] in {"p", "T"} and re.search("[N#e]", shape):
        return _Complement(told[0].lower, told[1:])
    if shape and (told[0].lower in _PREDICATES or told[0].lower in DEMONYMS):
        takes = shape[1:2] in {"p", "T"} and len(told) > 2  # noqa: PLR2004
        return _Complement(f"{told[0].lower} {told[1].lower}", told[2:]) if takes else _Complement("", told[:1])
    return None


def _noun(told: Sequence[Token]) -> bool:
    words = [token.lower for token in told[1:] if token.letter not in "ap"]
    return bool(words) and _VAGUE.isdisjoint(words) and not all(word in SMALL_TALK for word in words)


def _triples(subjects: Sequence[str], predicate: Predicate, relation: str, objects: Sequence[str]) -> Iterator[Triple]:
    return (
        Triple(who, relation, what, predicate.holds)
        for who in subjects
        for what in objects
        if what != who and not what.startswith(f"{who} ")
    )


def _appositions(tokens: Sequence[Token], shape: str, phrases: Phrases) -> Iterator[Triple]:
    """What is said in passing: "my sister Ilse", "Noor, my apprentice", "a bakery called Crumb"."""
    for found in _MY_NAME.finditer(shape):
        yield from _role(tokens[found.start() : found.end() - 1], tokens[found.end() - 1], phrases)
    for found in _NAME_MY.finditer(shape):
        yield from _role(tokens[found.start(1) : found.end(1)], tokens[found.start()], phrases)
    for found in _NAME_THE.finditer(shape):
        what = tokens[found.start(1) : found.end(1)]
        if _noun(what) and what[0].lower in _ARTICLES:
            yield from (Triple(phrases.who(tokens[found.start()]), "is", text) for text, _ in phrases.objects(what))
    for found in _THE_NAME.finditer(shape):
        what, name = tokens[found.start() : found.end() - 2], tokens[found.end() - 1]
        if what[0].lower == "the":
            yield Triple(phrases.who(name), "is", plain(what).lower())
    for found in _CALLED.finditer(shape):
        what, name = tokens[found.start() : found.end() - 2], tokens[found.end() - 1]
        if tokens[found.end() - 2].lower in _NAMING:
            yield from _role(what, name, phrases) or [Triple(phrases.who(name), "is", phrases.text(what))]


def _role(what: Sequence[Token], name: Token, phrases: Phrases) -> list[Triple]:
    owned = phrases.owned(what)
    return [Triple(phrases.who(name), f"is the {owned.what} of", owned.owner)] if owned else []


def _makers(tokens: Sequence[Token], shape: str, phrases: Phrases) -> Iterator[Triple]:
    """Who made what, without a verb of its own: "A and B, both directed by X", "films by X include A", "A by X"."""
    for found in _BY_LIST.finditer(shape):
        verb = tokens[found.start(2) - 2 : found.start(2)]
        yield from _made(verb, tokens[slice(*found.span(2))], tokens[slice(*found.span(1))], phrases)
    for found in _MADE_LIST.finditer(shape):
        verb = tokens[found.start() + 1 : found.start() + 3]
        if tokens[found.start(2) - 1].lower in _LISTING or shape[found.start(2) - 1] == "c":
            yield from _made(verb, tokens[slice(*found.span(1))], tokens[slice(*found.span(2))], phrases)
    for found in _WORK_BY.finditer(shape):
        if tokens[found.start() + 1].lower == "by":
            yield Triple(phrases.who(tokens[found.start(1)]), "is by", phrases.who(tokens[found.start(2)]))


def _made(verb: Sequence[Token], makers: Sequence[Token], works: Sequence[Token], phrases: Phrases) -> Iterator[Triple]:
    if verb[1].lower == "by":
        for maker in phrases.subjects(makers):
            for work in phrases.subjects(works):
                yield Triple(maker, in_past(verb[0]), work)
