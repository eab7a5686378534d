"""Parses replies with lines that amend notes."""

import functools
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NamedTuple

from memzoo.memories.models.cleaning import clean_reply
from memzoo.memories.models.forms import extract_notes, parse_json, rows_of_table
from memzoo.memories.models.replies.lines import (
    BULLET,
    LABEL,
    LONGEST_NAME,
    LONGEST_SOURCE,
    MOST_WORDS,
    SAME,
    bare_name,
    can_be_name,
    refuses,
    says_nothing,
    unusable,
    unwrap,
)
from memzoo.memories.text.names import canonical, fold, mentions

_HEADING = re.compile(r"\s{0,3}#{1,6}\s++(\S.*)")
# The colon after a name, but not the colon in a time such as "10:30".
_COLON = re.compile(r"(?<!\d)[:\uff1a]|[:\uff1a](?!\d)")
# "[3] -> now it is so", "3 -> NO LONGER", "NO LONGER [3]"
_NUMBERED = re.compile(
    r"\s*(?:[-*•–]+\s+)?(?P<over>NO LONGER\W{0,3})?"
    r"(?:\[(?P<one>\d{1,6})\]\s*(?:[-=]+>|→|=|:)?|(?P<two>\d{1,6})\s*(?:[-=]+>|→))\s*(?P<text>.*)"
)
_OVER = re.compile(r"\W*NO LONGER\b\W*(?:\w+\W*)?", re.IGNORECASE)
_ALSO = re.compile(r"(?<=\S)\s+\(also [^()]*\)$", re.IGNORECASE)
# The prompts' placeholders for names and statements, and models' words that are not names.
_PATTERN = re.compile(
    r"\W*(?:Name: (?:one short sentence|all that is still true)|\[\d\] -> (?:the statement that|what) holds now)"
)
_NO_NAME = frozenset(
    """
    name names entity note notes known statement statements new history input output answer result example task summary
    explanation reasoning remark correction corrections amendment amendments update updates change changes important
    warning context first second third then also finally next last
    """.split()
) | {"new lines", "new notes", "new statements", "updated notes", "short name", "full name", "there are notes on"}
_NO_NAME_BEGINS = re.compile(
    r"(?:here|these|this|that|those|there|following|in|based|as|if|i|it|we|you|please|sure|for)\b", re.IGNORECASE
)
_MOST_COMMON_WORDS = 5


class Amendment(NamedTuple):
    """A line of a model's reply that adds a statement to a note, ends a statement, or replaces a statement.

    Attributes:
        name: The name of the note to which the line adds; "" if the line ends or replaces a statement.
        text: The new statement; "" if the line only ends a statement.
        number: The number, in the prompt, of the statement to end or replace; 0 if the line only adds.
    """

    name: str
    text: str
    number: int = 0


def amendments(reply: str, known: Collection[str], source: str) -> list[Amendment]:
    """Return the amendments of notes in a reply, in order.

    "Name: statement" adds to the name's note, or starts a new note. "[3] -> statement" replaces a known statement, and
    "[3] -> NO LONGER" ends a known statement. Lists below a name and JSON objects are accepted too.

    Args:
        reply: The reply.
        known: The names of the notes in the prompt.
        source: The chat in the prompt. Lines that only repeat the chat are skipped.

    Raises:
        ModelReplyError: The reply has neither an amendment nor words such as "none".
    """
    text = SAME.sub("", LABEL.sub("", clean_reply(reply)))
    if says_nothing(text):
        return []
    found, others = list[Amendment](), list[str]()
    for line in text.split("\n"):
        numbered = None if _PATTERN.match(line) else _NUMBERED.fullmatch(line)
        if numbered is None:
            others.append(line)
            continue
        number, said = int(numbered["one"] or numbered["two"]), unwrap(numbered["text"])
        over = bool(numbered["over"]) or not said or _OVER.fullmatch(said)
        found.append(Amendment("", "" if over else said, number))
    noted = _find_named_lines("\n".join(others), known, source)
    found += [
        Amendment(name, piece) for name, piece in noted if piece and not says_nothing(piece) and not refuses(piece)
    ]
    if not found and not aliases(reply, known, source):
        raise unusable(reply)
    return found


def aliases(reply: str, known: Collection[str], source: str) -> dict[str, str]:
    """Return the other names that a reply gives to people and things in lines such as "Bob = Robert".

    Args:
        reply: The reply.
        known: The names in the prompt.
        source: The chat in the prompt. A line counts only if at least one of its two names is known or in the chat.

    Returns:
        A dict from another name to the name to keep, such as `{"Bob": "Robert"}`.
    """
    pairs = [(bare_name(one), bare_name(other)) for one, other in SAME.findall(clean_reply(reply))]
    if not pairs:
        return {}
    counts = _make_check(known, source)
    labels = [pair for pair in pairs if all(map(_can_label, pair)) and any(map(counts, pair))]
    return {one: other for one, other in labels if canonical(one) != canonical(other)}


def _make_check(known: Iterable[str], source: str) -> Callable[[str], bool]:
    """Return a function that checks whether a name is known, or occurs in the source as a name."""
    asked = {canonical(name) for name in known}
    spoken_of = functools.cache(functools.partial(mentions, fold(source[:LONGEST_SOURCE])))

    def is_name_like(name: str) -> bool:
        return name != name.lower() or name == name.upper()  # a name is not in lower case, or its script has no case

    return lambda name: canonical(name) in asked or (is_name_like(name) and spoken_of(canonical(name)))


def _can_label(name: str, most_common: int = _MOST_COMMON_WORDS) -> bool:
    """Return whether a text looks like a name or a short label ("the oven"), and not like a heading of the answer."""
    form, words = canonical(name), name.split()
    if not form or not can_be_name(name) or form in _NO_NAME or "|" in name:
        return False
    common = sum(word[:1].islower() for word in words)
    return not (_NO_NAME_BEGINS.match(name) and common) and common <= most_common


def _find_named_lines(text: str, known: Collection[str], source: str) -> Iterator[tuple[str, str]]:
    """Yield (name, line) for each line of a note, with the name at the line's start or from an earlier line.

    A line that begins like "Name: " has its own name. Below a heading, only a known name ends the list.
    """
    asked = {canonical(name) for name in known}
    repeated = {" ".join(line.split()) for line in source[:LONGEST_SOURCE].split("\n")} - {""}
    last, headed = "", False
    for name, note in _find_notes(text):
        line = f"{name}: {note}" if name else note
        bare = _ALSO.sub("", name)
        if " ".join(line.split()) in repeated or _PATTERN.match(line):
            last = ""
        # Each line is independent, so even a long label is accepted ("the man with the two quails and the dog").
        elif canonical(bare) in asked or (bare and _can_label(bare, MOST_WORDS) and not (headed and note)):
            last, headed = bare, not note
            yield last, note
        elif last:
            yield last, line


def _find_notes(text: str) -> Iterator[tuple[str, str]]:
    parsed = parse_json(text)
    if isinstance(parsed, (dict, list)):
        yield from extract_notes(parsed)
        return
    for row in filter(str.strip, rows_of_table(text)):
        heading = _HEADING.fullmatch(row)
        line = f"{heading[1].rstrip(' #')}:" if heading else BULLET.sub("", row)
        name, colon, note = _split_note(line if _COLON.search(line) else line.replace("|", ":", 1))
        yield (bare_name(name), unwrap(note)) if colon and len(name) <= LONGEST_NAME else ("", line.strip())


def _split_note(line: str) -> tuple[str, str, str]:
    colon = _COLON.search(line)
    return (line[: colon.start()], ":", line[colon.end() :]) if colon else (line, "", "")
