"""Reads what models answer: tolerant of form, strict about sense.

Models number lists, add labels, forget brackets and wrap answers in code fences; all of that is read. What is not an
answer at all (nothing, a refusal, prose where names were asked for) is a `ModelReplyError`, so that it never replaces
what is known.
"""

import functools
import itertools
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, NamedTuple, cast

from memzoo.errors import ModelReplyError
from memzoo.memories.models.cleaning import cleaned
from memzoo.memories.models.forms import cells, json_rows, noted, parsed_json, rows_of_table
from memzoo.memories.text.names import canonical, mentions

__all__ = ["SAME_AS", "Amendment", "Statement", "aliases", "amendments", "names", "notes", "prose", "statements"]

_NOTHING = re.compile(
    r"\W*(?:(?:nothing|no)(?: new)?(?: (?:information|facts|names))?(?: (?:provided|given|available))?|"
    r"unchanged|none|n/a)\W*",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"\W*(?:(?:i['’]?m |i am )?(?:very |really |so )?sorry\b|i apologi[sz]e\b|"
    r"as an ai(?: language model| model| assistant)?,|"
    r"i (?:can(?:no|['’])t|cannot|am unable to|am not able to|['’]m unable to|won['’]t)\s)",
    re.IGNORECASE,
)
# What the prompts ask for where there is nothing to tell; models like to say why, too.
_NOTHING_FIRST = re.compile(r"\W*(?:NOTHING NEW|NONE)\b(?:[^\w\n]*\n|[.*_ ]*[-–—(])")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s++(\S.*)")
_EXPLAINED = re.compile(r"(?<!\s)\s+\((?=[a-z][^()]*\)$)[^()]*\)$|(?::| [-–—])\s+(?=[a-z]).*$")
_REMARK = re.compile(r"\W*(?:note|explanation|reasoning)\b\W*:", re.IGNORECASE)
_LABEL = re.compile(r"^\W*(?:output|answer|result|entities|names|triples|facts|knowledge)\s*:\s*", re.IGNORECASE)
# Behind a name; not the one of a time, as in "10:30".
_COLON = re.compile(r"(?<!\d)[:\uff1a]|[:\uff1a](?!\d)")
_BULLET = re.compile(r"^\s*(?:[-*•–]+\s+|\(?\d{1,3}[.)]\s+)")
_COMPANY = re.compile(
    r",\s+(?=(?:inc|ltd|llc|llp|gmbh|corp|co|plc|jr|sr|ph\.?d|m\.?d|s\.?a|a\.?g|esq)\b\.?)", re.IGNORECASE
)
_HOUSE = re.compile(
    r",[^,]*&\s+(?:co|company|sons?|daughters?|bros|brothers|partners)\b\.?(?:,\s+\w{2,4}\.?)?$", re.IGNORECASE
)
_SAME = re.compile(r"^[^\S\n]*(?:[-*•–]+ +)?([^=:\n]{1,80})=([^=:\n]{1,80})$", re.MULTILINE)
SAME_AS = "is another name of"
"""The relation that "Bob = Robert" states."""
# "[3] -> now it is so", "3 -> NO LONGER", "NO LONGER [3]"
_NUMBERED = re.compile(
    r"\s*(?:[-*•–]+\s+)?(?P<over>NO LONGER\W{0,3})?"
    r"(?:\[(?P<one>\d{1,6})\]\s*(?:[-=]+>|→|=|:)?|(?P<two>\d{1,6})\s*(?:[-=]+>|→))\s*(?P<text>.*)"
)
_OVER = re.compile(r"\W*NO LONGER\b\W*(?:\w+\W*)?", re.IGNORECASE)
_ALSO = re.compile(r"(?<=\S)\s+\(also [^()]*\)$", re.IGNORECASE)
# What our prompts write where a name or a statement is to stand, and what models write that is no name.
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
# A dot behind these belongs to the name.
_SHORT = re.compile(
    r"(?:\b(?:co|inc|ltd|llc|llp|corp|plc|bros|jr|sr|st|dr|mr|mrs|ms|prof|esq|ave|rd|blvd|dept|mt|no|etc)|\.\w{1,3}|\b[^\W\d_])\.$",
    re.IGNORECASE,
)
_HEADS = (
    "subject head entity source".split(),
    "relation relationship predicate verb".split(),
    "object tail target value".split(),
)
_WRAPPERS = " \t\"'“”‘’«»`*_"
_LONGEST_NAME = 80
_MOST_WORDS = 10
_LONGEST_SOURCE = 50_000
# All our prompts begin so; small models begin their answers so, too, with a task of their own.
_INSTRUCTION = re.compile(r"Task: [^\n]*\s*")
# What stands before a triple that is wrong, or that was so before.
_MARK = re.compile(r"\W*(NOT|NO LONGER)\b[\s:|*_]*")
_NOT_TOLD = re.compile(
    r"\W*(?:(?:none|n/?a|null|unknown|always|not (?:told|stated|specified|given))\W*)?", re.IGNORECASE
)
# One line that goes on in lower case and ends in a full stop is a sentence, not a list.
_SENTENCE = re.compile(r"[A-Z]\w* (?:\w+,? ){4,}[a-z]+\.")


class Statement(NamedTuple):
    """A fact as a model wrote it down.

    Attributes:
        subject: Whom or what it is about.
        relation: What is said of it.
        object: With whom or what.
        negated: The model says that it is wrong, or no longer so.
        ended: The model says that it was so before, and is no longer.
        qualifier: When it is so, where, or on what condition; "" where that was not told.
    """

    subject: str
    relation: str
    object: str
    negated: bool = False
    ended: bool = False
    qualifier: str = ""


class Amendment(NamedTuple):
    """A line by which a model amends notes.

    Attributes:
        name: Whom or what the note is on; "" where `number` tells.
        text: What is to be noted; "" if a known statement ends, and nothing takes its place.
        number: The number of the known statement that ends; 0 if none does.
    """

    name: str
    text: str
    number: int = 0


def prose(reply: str, label: str, known: str = "") -> str:
    """Read a reply that should be plain prose, without an instruction or a label like "New summary:" before it.

    Args:
        reply: The reply.
        label: What such a label may be called.
        known: The text if the reply says, in the prompts' words or the like, that there is nothing to change.

    Raises:
        ModelReplyError: There is no text, or it is a refusal.
    """
    if _says_nothing(whole := cleaned(reply)):
        return known
    text, _, last = whole.rpartition("\n")
    written = parsed_json(text := text if text and _says_nothing(last) else whole)
    if isinstance(written, dict):
        text = " ".join(str(value) for value in cast("dict[str, Any]", written).values())
    text = written if isinstance(written, str) else _labelled(label).sub("", text).strip()
    text = text[found.end() :] if (found := _INSTRUCTION.match(text)) else text
    if _REFUSAL.match(text) or _says_nothing(text) or not re.search(r"\w", text):
        raise _unusable(reply)
    return text


def names(reply: str) -> list[str]:
    """Read the names that a reply lists, each once whatever its case, in their order.

    One name a line is what the prompts ask for; a comma list on one line, JSON, bullets and numbers are read too.

    Raises:
        ModelReplyError: It is a refusal or prose.
    """
    text = _LABEL.sub("", cleaned(reply))
    if not text or _says_nothing(text):
        return []
    found: dict[str, str] = {}
    for name in filter(_can_be_name, map(_bare, _listed(text))):
        found.setdefault(canonical(name), name)
    if _REFUSAL.match(text) or not found or _SENTENCE.fullmatch(text):
        raise _unusable(reply)
    return [name for name in found.values() if not _says_nothing(name)]


def notes(reply: str, known: Collection[str], source: str) -> dict[str, str]:
    """Read the notes that a reply gives, by name.

    Args:
        reply: Lines of the form "Name: note", or a JSON object.
        known: The names that were asked about.
        source: The lines that the model was to read: where it repeats one, that is no note.

    Raises:
        ModelReplyError: There is no note in it, and it does not say that nothing is new.
    """
    text = _SAME.sub("", _LABEL.sub("", cleaned(reply)))
    if _says_nothing(text):
        return {}
    found: dict[str, tuple[str, list[str]]] = {}
    for name, piece in _named_lines(text, known, source):
        found.setdefault(canonical(name), (name, []))[1].append(piece)
    if not found and not aliases(reply, known, source):
        raise _unusable(reply)
    return {name: note for name, pieces in found.values() if (note := _worth_keeping(pieces))}


def amendments(reply: str, known: Collection[str], source: str) -> list[Amendment]:
    """Read the lines by which a reply amends notes, in their order.

    "Name: statement" adds to a note, or makes a new one, wherever the name comes from. "[3] -> statement" takes the
    place of a known statement, "[3] -> NO LONGER" ends it. Lists below a name and JSON objects are read too.

    Args:
        reply: The reply.
        known: The names that there are notes on, as far as the model was shown them.
        source: The lines that the model was to read: where it repeats one, that is no note.

    Raises:
        ModelReplyError: There is no such line in it, and it does not say that nothing is new.
    """
    text = _SAME.sub("", _LABEL.sub("", cleaned(reply)))
    if _says_nothing(text):
        return []
    found, others = list[Amendment](), list[str]()
    for line in text.split("\n"):
        numbered = None if _PATTERN.match(line) else _NUMBERED.fullmatch(line)
        if numbered is None:
            others.append(line)
            continue
        number, said = int(numbered["one"] or numbered["two"]), numbered["text"].strip(_WRAPPERS)
        over = bool(numbered["over"]) or not said or _OVER.fullmatch(said)
        found.append(Amendment("", "" if over else said, number))
    # Each line stands for itself, so a long label is one too ("the man with the two quails and the dog").
    noted = _named_lines("\n".join(others), known, source, _MOST_WORDS)
    found += [Amendment(name, piece) for name, piece in noted if _tells(piece)]
    if not found and not aliases(reply, known, source):
        raise _unusable(reply)
    return found


def aliases(reply: str, known: Collection[str], source: str) -> dict[str, str]:
    """Read which names a reply of notes takes for the same: "Bob = Robert", a line each.

    Args:
        reply: The reply.
        known: The names that the model was shown.
        source: The lines that it was to read. Of two names, one has to be known or to stand there.

    Returns:
        Each such name with the one that is to be kept.
    """
    counts = _counting(known, source)
    pairs = [(_bare(one), _bare(other)) for one, other in _SAME.findall(cleaned(reply))]
    labels = [pair for pair in pairs if all(map(_can_label, pair)) and any(map(counts, pair))]
    return {one: other for one, other in labels if canonical(one) != canonical(other)}


def statements(reply: str) -> list[Statement]:
    """Read the facts that a reply lists as triples, in their order.

    "subject | relation | object" on each line is what the prompts ask for, and a fourth part that says when;
    "(subject, relation, object)", separated by line ends or by "<|>", with brackets missing, and JSON are read too.
    "NOT" or "NO LONGER" may stand before one, and "Bob = Robert" says that the two are one. What
    is no triple is skipped.

    Raises:
        ModelReplyError: No triple is in it, and it does not say that there is none.
    """
    text = _LABEL.sub("", cleaned(reply))
    if not text or _says_nothing(text):
        return []
    found = [statement for parts in _triples(text) if (statement := _statement(parts))]
    if not found or (_REFUSAL.match(text) and "|" not in text):
        raise _unusable(reply)
    # Of a statement that is made twice, the last one counts: it may follow a denial.
    return list(reversed(dict.fromkeys(reversed(found))))


@functools.cache
def _labelled(label: str) -> re.Pattern[str]:
    named = rf"[\W_]*(?:(?:the|new|updated|current)\s+)*{label}[*_\s]*:"
    return re.compile(rf"^(?:{named}|#{{1,6}}[^\S\n]+[^\n]*\b{label}\b[^\n]*\n)[\s*_]*", re.IGNORECASE)


def _says_nothing(text: str) -> bool:
    return bool(_NOTHING.fullmatch(_LABEL.sub("", text.strip())) or _NOTHING_FIRST.match(text))


def _can_be_name(text: str) -> bool:
    return len(text) <= _LONGEST_NAME and len(text.split()) <= _MOST_WORDS and bool(canonical(text))


def _unusable(reply: str) -> ModelReplyError:
    return ModelReplyError(f"the model's reply cannot be used, nothing was changed: {reply[:200]!r}")


def _counting(known: Iterable[str], source: str) -> Callable[[str], bool]:
    """Tells whether a name was asked about, or stands in the source as a name."""
    asked = {canonical(name) for name in known}
    spoken_of = functools.cache(functools.partial(mentions, source[:_LONGEST_SOURCE]))
    return lambda name: canonical(name) in asked or (name.lower() != name and spoken_of(canonical(name)))


def _can_label(name: str, most_common: int = _MOST_COMMON_WORDS) -> bool:
    """Whether something has the form of a name or a short label ("the oven"), and is no word about the answer."""
    form, words = canonical(name), name.split()
    if not form or not _can_be_name(name) or form in _NO_NAME or "|" in name:
        return False
    common = sum(word[:1].islower() for word in words)
    return not (_NO_NAME_BEGINS.match(name) and common) and common <= most_common


def _bare(name: str) -> str:
    return _without_stop(_BULLET.sub("", name).strip(_WRAPPERS + ";,"))


def _without_stop(text: str) -> str:
    """A name without the dot of a sentence that ends with it; that of "Co." is its own."""
    return text if _SHORT.search(text) or not text.endswith(".") or text.endswith("..") else text[:-1]


def _listed(text: str) -> list[str]:
    if (rows := json_rows(text)) is not None:
        return [row[0] for row in rows if row]
    lines = itertools.takewhile(lambda line: not _REMARK.match(line), rows_of_table(text))
    entries = [_LABEL.sub("", line.partition("|")[0]) for line in lines if line.strip()]
    entries = [_EXPLAINED.sub("", line) for line in entries if not line.rstrip(_WRAPPERS).endswith(":")]
    most_commas = 0 if len(entries) == 1 else 1
    return [_EXPLAINED.sub("", name) for line in entries for name in _parts_of_list(line, most_commas)]


def _parts_of_list(line: str, most_commas: int) -> list[str]:
    if _HOUSE.search(line):
        return [line]
    whole = _COMPANY.sub("\0", line)
    return [part.replace("\0", ", ") for part in (whole.split(",") if whole.count(",") > most_commas else [whole])]


def _named_lines(
    text: str, known: Collection[str], source: str, most_common: int = _MOST_COMMON_WORDS
) -> Iterator[tuple[str, str]]:
    """The lines of notes, each with the name that it stands behind or below.

    Each line that begins like "Name: " has the name of its own. Below a heading, only a known name ends the list.
    """
    asked = {canonical(name) for name in known}
    repeated = {" ".join(line.split()) for line in source[:_LONGEST_SOURCE].split("\n")} - {""}
    last, headed = "", False
    for name, note in _noted(text):
        line = f"{name}: {note}" if name else note
        bare = _ALSO.sub("", name)
        if " ".join(line.split()) in repeated or _PATTERN.match(line):
            last = ""
        elif canonical(bare) in asked or (bare and _can_label(bare, most_common) and not (headed and note)):
            last, headed = bare, not note
            yield last, note
        elif last:
            yield last, line


def _noted(text: str) -> Iterator[tuple[str, str]]:
    parsed = parsed_json(text)
    if isinstance(parsed, (dict, list)):
        yield from noted(parsed)
        return
    for row in filter(str.strip, rows_of_table(text)):
        heading = _HEADING.fullmatch(row)
        line = f"{heading[1].rstrip(' #')}:" if heading else _BULLET.sub("", row)
        name, colon, note = _split_note(line if _COLON.search(line) else line.replace("|", ":", 1))
        yield (_bare(name), note.strip(_WRAPPERS)) if colon and len(name) <= _LONGEST_NAME else ("", line.strip())


def _split_note(line: str) -> tuple[str, str, str]:
    colon = _COLON.search(line)
    return (line[: colon.start()], ":", line[colon.end() :]) if colon else (line, "", "")


def _tells(piece: str) -> bool:
    return bool(piece) and not _says_nothing(piece) and not _REFUSAL.match(piece)


def _worth_keeping(pieces: list[str]) -> str:
    return " ".join(filter(_tells, pieces))


def _triples(text: str) -> Iterator[list[str]]:
    if (rows := json_rows(text)) is not None:
        yield from rows
        return
    for piece in re.split(r"<\|>|\n|(?<=\))\s*,\s*(?=\()", "\n".join(rows_of_table(text))):
        row = parsed_json(piece)
        yield _split_triple(_BULLET.sub("", _LABEL.sub("", piece.strip())).strip()) if row is None else cells(row)


def _split_triple(piece: str) -> list[str]:
    mark = _MARK.match(piece)
    body = (piece[mark.end() :] if mark else piece).strip()
    if "|" not in body and (same := _SAME.fullmatch(body)):
        return [f"{mark[1]} {same[1]}" if mark else same[1], SAME_AS, same[2]]
    body = _without_stop(body).strip()
    body = body.removeprefix("(").removesuffix(
        ")" if body.count(")") > body.count("(") - body.startswith("(") else "\0"
    )
    separator = next((mark for mark in ("|", "\t", "->", ", ", ",") if body.count(mark) > 1), ",")
    first, *rest = body.split(separator, maxsplit=3 if separator in "|\t" else 2)
    return [f"{mark[1]} {first}" if mark else first, *rest]


def _statement(parts: list[str]) -> Statement | None:
    stripped = [part.strip(_WRAPPERS) for part in parts]
    if len(stripped) not in {3, 4}:
        return None
    subject, relation, obj, *when = stripped
    mark = _MARK.match(subject)
    words = " ".join(relation.split())
    relation, ended = re.subn(r" ?\bno longer\b", "", words, flags=re.IGNORECASE)
    relation, inner = re.subn(r" ?\bnot\b|n['’]t\b", "", relation, flags=re.IGNORECASE)
    over = bool(ended) or (mark is not None and mark[1] != "NOT")
    bare = (subject[mark.end() :] if mark else subject, relation.strip(), obj)
    if all(part.lower() in heads for part, heads in zip(bare, _HEADS, strict=True)):
        return None  # the head of a table, or the form that the prompt gives
    qualifier = "" if not when or _NOT_TOLD.fullmatch(when[0]) else " ".join(when[0].strip(" |").split())
    statement = Statement(*bare, negated=over or bool(inner or mark), ended=over, qualifier=qualifier)
    return statement if all(map(canonical, bare)) else None
