"""Parses the facts in a model's reply: triples, some with "NOT" or "NO LONGER" before them."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from memzoo.memories.models.cleaning import clean_reply
from memzoo.memories.models.forms import cells, json_rows, parse_json, rows_of_table
from memzoo.memories.models.replies.lines import (
    BULLET,
    LABEL,
    SAME,
    refuses,
    says_nothing,
    unusable,
    unwrap,
    without_stop,
)
from memzoo.memories.text.names import canonical

SAME_AS = "is another name of"
"""The relation stated by "Bob = Robert"."""
_HEADS = (
    "subject head entity source".split(),
    "relation relationship predicate verb".split(),
    "object tail target value".split(),
)
# Marks before a triple that is false, or no longer true.
_MARK = re.compile(r"\W*(NOT|NO LONGER)\b[\s:|*_]*")
_NOT_TOLD = re.compile(
    r"\W*(?:(?:none|n/?a|null|unknown|always|not (?:told|stated|specified|given))\W*)?", re.IGNORECASE
)

# "is not", "isn't", "not in"; a "not" after a comma or more words denies something else.
_DENIAL = re.compile(
    r"(?:(?P<verb>is|are|was|were|has|have|had|do|does|did|can|ca|could|will|wo|would|should|must|may|might)"
    r"(?: not|n['’]t)|not)\b",
    re.IGNORECASE,
)
_IDIOM = re.compile(r"(?:can|could)(?: not|['’]t|n['’]t) (?:wait|help|stop|but)\b", re.IGNORECASE)
_SHORTENED = {"ca": "can", "wo": "will"}


class Statement(NamedTuple):
    """A fact as a model wrote it down.

    Attributes:
        subject: The person or thing that the fact is about.
        relation: The relation between subject and object.
        object: The other person or thing.
        negated: True if the model says that the fact is not true ("NOT") or is no longer true ("NO LONGER").
        ended: True if the model says that the fact is no longer true; then `negated` is false if the fact itself is a
            denial.
        qualifier: The fact's time, place or condition; "" if missing.
    """

    subject: str
    relation: str
    object: str
    negated: bool = False
    ended: bool = False
    qualifier: str = ""


def statements(reply: str) -> list[Statement]:
    """Return the facts that a reply lists as triples, in their order.

    The prompts ask for "subject | relation | object" on each line, with an optional fourth part for the time. JSON and
    "(subject, relation, object)" are accepted too. "NOT" or "NO LONGER" may precede a triple. "Bob = Robert" gives two
    names for one person or thing. Other text is skipped.

    Raises:
        ModelReplyError: The reply has neither a triple nor words such as "none".
    """
    text = LABEL.sub("", clean_reply(reply))
    if not text or says_nothing(text):
        return []
    found = [statement for parts in _triples(text) if (statement := _statement(parts))]
    if not found or (refuses(text) and "|" not in text):
        raise unusable(reply)
    # If a statement is repeated, keep the last, because a denial may precede it.
    return list(reversed(dict.fromkeys(reversed(found))))


def _triples(text: str) -> Iterator[list[str]]:
    if (rows := json_rows(text)) is not None:
        yield from rows
        return
    for piece in re.split(r"<\|>|\n|(?<=\))\s*,\s*(?=\()", "\n".join(rows_of_table(text))):
        row = parse_json(piece)
        yield _split_triple(BULLET.sub("", LABEL.sub("", piece.strip())).strip()) if row is None else cells(row)


def _split_triple(piece: str) -> list[str]:
    mark = _MARK.match(piece)
    body = (piece[mark.end() :] if mark else piece).strip()
    if "|" not in body and (same := SAME.fullmatch(body)):
        return [f"{mark[1]} {same[1]}" if mark else same[1], SAME_AS, same[2]]
    body = without_stop(body).strip()
    body = body.removeprefix("(").removesuffix(
        ")" if body.count(")") > body.count("(") - body.startswith("(") else "\0"
    )
    separator = next((mark for mark in ("|", "\t", "->", ", ", ",") if body.count(mark) > 1), ",")
    first, *rest = body.split(separator, maxsplit=3 if separator in "|\t" else 2)
    return [f"{mark[1]} {first}" if mark else first, *rest]


def _statement(parts: list[str]) -> Statement | None:
    stripped = [unwrap(part) for part in parts]
    if len(stripped) not in {3, 4}:
        return None
    subject, relation, obj, *when = stripped
    mark = _MARK.match(subject)
    relation, ended = re.subn(r" ?\bno longer\b", "", " ".join(relation.split()), flags=re.IGNORECASE)
    relation, inner = _without_denial(relation)
    over = bool(ended) or (mark is not None and mark[1] != "NOT")
    bare = (subject[mark.end() :] if mark else subject, relation.strip(), obj)
    if all(part.lower() in heads for part, heads in zip(bare, _HEADS, strict=True)):
        return None  # the head of a table, or the pattern from the prompt
    qualifier = "" if not when or _NOT_TOLD.fullmatch(when[0]) else " ".join(when[0].strip(" |").split())
    denied = inner or (mark is not None and mark[1] == "NOT")
    statement = Statement(*bare, negated=denied != over, ended=over, qualifier=qualifier)
    return statement if all(map(canonical, bare)) else None


def _without_denial(relation: str) -> tuple[str, bool]:
    """Return a relation without its denying "not", and whether it was denied; a later "not" stays in the relation."""
    denial = _DENIAL.match(relation)
    if denial is None or _IDIOM.match(relation):
        return relation, False
    verb = _SHORTENED.get((denial["verb"] or "").lower(), denial["verb"] or "")
    return f"{verb} {relation[denial.end() :].strip()}".strip(), True
