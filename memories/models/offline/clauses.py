"""Taking a sentence apart: its clauses, and in each the subject, the verb and the object."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from memzoo.memories.models.offline.grammar import Token, shape_of
from memzoo.memories.models.offline.verbs import FORMS, past, present

__all__ = ["NAMES", "Clause", "Predicate", "clauses", "in_past", "predicates", "relation_of"]

NAMES = "N(?:[c&]{0,2}N){0,30}"
"""A list of names."""

_OF_NAMES = rf"NS[wvVg]{{1,3}}N?|{NAMES}"
_OF_NOUNS = "M[wvVg]{1,2}S[wv]|M[wvVge#]{1,3}N?|D[wvVg]{1,3}N?(?:p[DM]?[wv]?[wvN])?|DN"
_SUBJECT = f"(?:P|{_OF_NAMES}|{_OF_NOUNS})"
_VERBAL = "a*n?a*[bhdfmvV]"
_BOUNDARY = re.compile(
    rf"x+|c?&?[ki]|(?:c&?|&)(?:(?=[ae]*{_SUBJECT}{_VERBAL})|(?=[an]*(?:[bhdfV]|t[pT]|v[pTDM]))|(?=a*[PY]))"
)
_LEAD = re.compile(r"(?>[ac&ke'n]|p[^cxPM]{0,5}c|(?:p?[D#w]{0,2}e)+(?=c?[PNMD]))*")
_START = re.compile(rf"({_SUBJECT})(?={_VERBAL})")
_ANTECEDENT = re.compile(r"(N)(?:c[MD][wvVg]{1,4})?c?$")
_RELATIVE = frozenset({"who", "which"})
_MOST_PREPOSITIONS = 4
_NO_FACT = frozenset("been seen told heard felt thought said done got had".split())
_SAME_AS_BASE = frozenset({"become", "come", "run"})
_FIXED = {"married to": "is married to", "based in": "is based in", "located in": "is located in"}
_PLANS = frozenset({"going", "planning", "hoping", "intending"})
_CONTRAST = re.compile(r"c?&?n(?=[^n])")
_STOP = re.compile(r"[xkiqbhdmfPY'c]")
_NAMES_FIRST = re.compile(rf"D?{NAMES}")


@dataclass(frozen=True, slots=True)
class Clause:
    """Part of a sentence that has one verb.

    Attributes:
        subject: Whom it is about; taken from the clause before where it has none of its own.
        rest: Its words from the verb on.
    """

    subject: list[Token]
    rest: list[Token]


@dataclass(frozen=True, slots=True)
class Predicate:
    """What a clause says of its subject.

    Attributes:
        kind: `is` for a complement, `by` for a passive with its agent, else `does`.
        relation: The verb with its preposition, "lives in".
        object: The words that follow it.
        holds: False where the clause denies it.
    """

    kind: str
    relation: str
    object: list[Token]
    holds: bool = True


def clauses(tokens: Sequence[Token]) -> Iterator[Clause]:
    """The clauses of a sentence that have a subject and are not mere conditions."""
    shape = shape_of(tokens)
    start, skip = 0, False
    heir: list[Token] = []
    subject: list[Token] = []
    for boundary in [*_BOUNDARY.finditer(shape), None]:
        end = boundary.start() if boundary else len(shape)
        clause = None if skip else _clause(tokens[start:end], heir)
        if clause:
            subject = clause.subject
            yield clause
        if boundary:
            start = boundary.end()
            skip = boundary[0].endswith("i")
            heir = _heir(tokens, shape, boundary, subject)


def _heir(tokens: Sequence[Token], shape: str, boundary: re.Match[str], subject: list[Token]) -> list[Token]:
    """The subject of a clause that begins with its verb: "and lives in Y", "Tom, who lives", "Tom, my vet, lives"."""
    joined = boundary[0][-1] in "&c"
    if joined and subject:
        return subject
    if boundary[0] != "c" and tokens[boundary.end() - 1].lower not in _RELATIVE:
        return []
    antecedent = _ANTECEDENT.search(shape, max(0, boundary.start() - 8), boundary.start())
    return [tokens[antecedent.start(1)]] if antecedent else []


def _clause(tokens: Sequence[Token], heir: list[Token]) -> Clause | None:
    shape = shape_of(tokens)
    lead = _LEAD.match(shape)
    begin = lead.end() if lead else 0
    if subject := _START.match(shape, begin):
        return Clause(list(tokens[begin : subject.end()]), list(tokens[subject.end() :]))
    if heir and re.match(rf"{_VERBAL}|t[pT]", shape[begin:]):
        return Clause(heir, list(tokens[begin:]))
    return None


def predicates(rest: Sequence[Token]) -> list[Predicate]:
    """What the words from the verb on say: nothing where they only suppose; two things for "Y, not Z"."""
    shape = shape_of(rest)
    for pattern, reader in _READERS:
        if group := pattern.match(shape):
            found = reader(rest, shape, group)
            return _contrasted(found) if found else []
    return []


def _contrasted(found: Predicate) -> list[Predicate]:
    shape = shape_of(found.object)
    contrast = _CONTRAST.search(shape)
    if not contrast or not contrast.start():
        return [_cut(found, found.object, holds=found.holds)]
    denied = found.object[contrast.end() :]
    if denied and denied[0].letter in "pT" and found.relation.endswith(f" {denied[0].lower}"):
        denied = denied[1:]
    return [
        _cut(found, found.object[: contrast.start()], holds=found.holds),
        _cut(found, denied, holds=not found.holds),
    ]


def _cut(found: Predicate, tokens: list[Token], *, holds: bool) -> Predicate:
    shape = shape_of(tokens)
    names = _NAMES_FIRST.match(shape)
    stop = _STOP.search(shape, names.end() if names else 0)
    return Predicate(found.kind, found.relation, tokens[: stop.start()] if stop else tokens, holds)


def relation_of(token: Token, *, earlier: bool | None = None) -> str:
    """A verb as a relation: in the third person of the present, or in the past; by its own tense if none is given."""
    form = FORMS.get(token.lower)
    if form is None:
        return token.lower
    before = form.tense in {"past", "participle"} if earlier is None else earlier
    return past(form.base) if before else present(form.base)


def in_past(token: Token) -> str:
    """A verb as a relation in the past, "directed"."""
    return relation_of(token, earlier=True)


def _done(relation: str, after: list[Token], *, holds: bool) -> Predicate | None:
    """A predicate with the preposition or infinitive that follows the verb taken into the relation."""
    shape = shape_of(after)
    if shape[:2] in {"Tv", "TV"}:
        if len(shape) == 2 or shape[2] in "xck":  # noqa: PLR2004
            return Predicate("does", f"{relation} to", after[1:], holds)
        return _done(f"{relation} to {after[1].lower}", after[2:], holds=holds)
    if shape[:1] in {"p", "T"} and len(shape) > 1:
        if relation.count(" ") < _MOST_PREPOSITIONS:
            return _done(f"{relation} {after[0].lower}", after[1:], holds=holds)
        return None
    return Predicate("does", _FIXED.get(relation, relation), after, holds) if after else None


def _last(rest: Sequence[Token], group: re.Match[str]) -> Token:
    return rest[group.end() - 1]


def _holds(group: re.Match[str]) -> bool:
    return "n" not in group[0]


def _be(rest: Sequence[Token], group: re.Match[str]) -> str:
    """`is` or `was`, by the tense of the auxiliary."""
    found = next(token.lower for token in rest[: group.end()] if token.letter == "b")
    return "was" if found in {"was", "were", "been"} else "is"


def _plan(rest: Sequence[Token], shape: str, group: re.Match[str]) -> Predicate | None:
    participle = rest[group.start("g")].lower
    if participle not in _PLANS:
        return _progress(rest, shape, group)
    relation = f"{_be(rest, group)} {participle} to {_last(rest, group).lower}"
    return _done(relation, list(rest[group.end() :]), holds=_holds(group))


def _progress(rest: Sequence[Token], _: str, group: re.Match[str]) -> Predicate | None:
    end = group.end("g")
    relation = relation_of(rest[end - 1], earlier=_be(rest, group) == "was")
    return _done(relation, list(rest[end:]), holds=_holds(group))


def _passive(rest: Sequence[Token], shape: str, group: re.Match[str]) -> Predicate | None:
    after = list(rest[group.end() :])
    if shape[group.end() :].startswith(("pN", "pP")) and after[0].lower == "by":
        return Predicate("by", relation_of(_last(rest, group), earlier=True), after[1:], _holds(group))
    return _done(f"{_be(rest, group)} {_last(rest, group).lower}", after, holds=_holds(group))


def _copula(rest: Sequence[Token], _: str, group: re.Match[str]) -> Predicate:
    return Predicate("is", _be(rest, group), list(rest[group.end() :]), _holds(group))


def _perfect(rest: Sequence[Token], _: str, group: re.Match[str]) -> Predicate | None:
    return _done(relation_of(_last(rest, group), earlier=True), list(rest[group.end() :]), holds=_holds(group))


def _have(rest: Sequence[Token], _: str, group: re.Match[str]) -> Predicate | None:
    relation = "had" if _first(rest, "h").lower == "had" else "has"
    after = list(rest[group.end() :])
    if after and (after[0].lower in _SAME_AS_BASE or (after[0].letter == "w" and after[0].lower.endswith("ed"))):
        return _done(in_past(after[0]), after[1:], holds=_holds(group))
    if after and after[0].lower in _NO_FACT:
        return None
    return Predicate("does", relation, after, _holds(group)) if after else None


def _do(rest: Sequence[Token], _: str, group: re.Match[str]) -> Predicate | None:
    relation = relation_of(_last(rest, group), earlier=_first(rest, "d").lower == "did")
    return _done(relation, list(rest[group.end() :]), holds=_holds(group))


def _will(rest: Sequence[Token], _: str, group: re.Match[str]) -> Predicate | None:
    return _done(f"will {_last(rest, group).lower}", list(rest[group.end() :]), holds=_holds(group))


def _simple(rest: Sequence[Token], _: str, group: re.Match[str]) -> Predicate | None:
    return _done(relation_of(_last(rest, group)), list(rest[group.end() :]), holds=_holds(group))


def _nothing(*_: object) -> None:
    return None


def _first(rest: Sequence[Token], letter: str) -> Token:
    return next(token for token in rest if token.letter == letter)


_READERS: list[tuple[re.Pattern[str], Callable[[Sequence[Token], str, re.Match[str]], Predicate | None]]] = [
    (re.compile(pattern), reader)
    for pattern, reader in (
        (r"a*bn?a*(?P<g>g)T[vVw]", _plan),
        (r"a*bn?a*(?P<g>g)", _progress),
        (r"(?:a*hn?)?a*bn?a*[tV]", _passive),
        (r"a*hn?a*[bT]", _nothing),
        (r"a*bn?a*", _copula),
        (r"a*hn?a*[tV]", _perfect),
        (r"a*hn?a*", _have),
        (r"a*dn?a*[vV]", _do),
        (r"a*fn?a*[vV]", _will),
        (r"a*n?a*[vVt]", _simple),
    )
]
"""Patterns of the verb group, tried in this order. Where a verb only may, would or should, none of them fits."""
