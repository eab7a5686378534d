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

from memzoo.memories.models.cleaning import cleaned
from memzoo.memories.models.forms import cells, json_rows, noted, parsed_json, rows_of_table
from memzoo.memories.text.names import canonical, mentions
from memzoo.stores.errors import ModelReplyError

__all__ = ["Statement", "aliases", "names", "notes", "prose", "statements"]

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
_BULLET = re.compile(r"^\s*(?:[-*•–]+\s+|\(?\d{1,3}[.)]\s+)")
_COMPANY = re.compile(
    r",\s+(?=(?:inc|ltd|llc|llp|gmbh|corp|co|plc|jr|sr|ph\.?d|m\.?d|s\.?a|a\.?g|esq)\b\.?)", re.IGNORECASE
)
_SAME = re.compile(r"^[^\S\n]*(?:[-*•–]+ +)?([^=:\n]{1,80})=([^=:\n]{1,80})$", re.MULTILINE)
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
    """

    subject: str
    relation: str
    object: str
    negated: bool = False
    ended: bool = False


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
        source: The lines that the model was to read; a further name counts only if it stands there.

    Raises:
        ModelReplyError: There is no note in it, and it does not say that nothing is new.
    """
    text = _SAME.sub("", _LABEL.sub("", cleaned(reply)))
    if _says_nothing(text):
        return {}
    counts = _counting(known, source)
    found: dict[str, tuple[str, list[str]]] = {}
    last: list[str] | None = None
    for name, note in _noted(text):
        if counts(name):
            last = found.setdefault(canonical(name), (name, []))[1]
            last.append(note)
        elif last is not None:
            last.append(f"{name}: {note}" if name else note)
    if not found and not aliases(reply, known, source):
        raise _unusable(reply)
    return {name: note for name, pieces in found.values() if (note := _worth_keeping(pieces))}


def aliases(reply: str, known: Collection[str], source: str) -> dict[str, str]:
    """Read which names a reply of notes takes for the same: "Bob = Robert", a line each.

    Args:
        reply: The reply.
        known: The names that were asked about.
        source: The lines that the model was to read; further names count only if they stand there.

    Returns:
        Each such name with the one that is to be kept.
    """
    counts = _counting(known, source)
    pairs = [(_bare(one), _bare(other)) for one, other in _SAME.findall(cleaned(reply))]
    return {one: other for one, other in pairs if counts(one) and counts(other) and canonical(one) != canonical(other)}


def statements(reply: str) -> list[Statement]:
    """Read the facts that a reply lists as triples, in their order.

    "subject | relation | object" on each line is what the prompts ask for; "(subject, relation, object)", separated by
    line ends or by "<|>", with brackets missing, and JSON are read too. "NOT" or "NO LONGER" may stand before one. What
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


def _bare(name: str) -> str:
    bare = _BULLET.sub("", name).strip(_WRAPPERS + ";,")
    return bare.removesuffix(".") if bare.count(".") == 1 and not _COMPANY.search(bare) else bare


def _listed(text: str) -> list[str]:
    if (rows := json_rows(text)) is not None:
        return [row[0] for row in rows if row]
    lines = itertools.takewhile(lambda line: not _REMARK.match(line), rows_of_table(text))
    entries = [_LABEL.sub("", line.partition("|")[0]) for line in lines if line.strip()]
    entries = [_EXPLAINED.sub("", line) for line in entries if not line.rstrip(_WRAPPERS).endswith(":")]
    most_commas = 0 if len(entries) == 1 else 1
    return [_EXPLAINED.sub("", name) for line in entries for name in _parts_of_list(line, most_commas)]


def _parts_of_list(line: str, most_commas: int) -> list[str]:
    whole = _COMPANY.sub("\0", line)
    return [part.replace("\0", ", ") for part in (whole.split(",") if whole.count(",") > most_commas else [whole])]


def _noted(text: str) -> Iterator[tuple[str, str]]:
    parsed = parsed_json(text)
    if isinstance(parsed, (dict, list)):
        yield from noted(parsed)
        return
    for row in filter(str.strip, rows_of_table(text)):
        heading = _HEADING.fullmatch(row)
        line = f"{heading[1].rstrip(' #')}:" if heading else _BULLET.sub("", row)
        name, colon, note = (line if ":" in line else line.replace("|", ":", 1)).partition(":")
        yield (_bare(name), note.strip(_WRAPPERS)) if colon and len(name) <= _LONGEST_NAME else ("", line.strip())


def _worth_keeping(pieces: list[str]) -> str:
    kept = [piece for piece in pieces if not _says_nothing(piece) and not _REFUSAL.match(piece)]
    return " ".join(filter(None, kept))


def _triples(text: str) -> Iterator[list[str]]:
    if (rows := json_rows(text)) is not None:
        yield from rows
        return
    for piece in re.split(r"<\|>|\n|(?<=\))\s*,\s*(?=\()", "\n".join(rows_of_table(text))):
        row = parsed_json(piece)
        yield _split_triple(_BULLET.sub("", _LABEL.sub("", piece.strip())).strip()) if row is None else cells(row)


def _split_triple(piece: str) -> list[str]:
    mark = _MARK.match(piece)
    body = (piece[mark.end() :] if mark else piece).strip().rstrip(".").strip()
    body = body.removeprefix("(").removesuffix(
        ")" if body.count(")") > body.count("(") - body.startswith("(") else "\0"
    )
    separator = next((mark for mark in ("|", "\t", "->", ", ", ",") if body.count(mark) > 1), ",")
    first, *rest = body.split(separator, maxsplit=2)
    return [f"{mark[1]} {first}" if mark else first, *rest]


def _statement(parts: list[str]) -> Statement | None:
    stripped = [part.strip(_WRAPPERS) for part in parts]
    if len(stripped) != 3:  # noqa: PLR2004
        return None
    subject, relation, obj = stripped
    mark = _MARK.match(subject)
    words = " ".join(relation.split())
    relation, ended = re.subn(r" ?\bno longer\b", "", words, flags=re.IGNORECASE)
    relation, inner = re.subn(r" ?\bnot\b|n['’]t\b", "", relation, flags=re.IGNORECASE)
    over = bool(ended) or (mark is not None and mark[1] != "NOT")
    bare = (subject[mark.end() :] if mark else subject, relation.strip(), obj)
    if all(part.lower() in heads for part, heads in zip(bare, _HEADS, strict=True)):
        return None  # the head of a table, or the form that the prompt gives
    statement = Statement(*bare, negated=over or bool(inner or mark), ended=over)
    return statement if all(map(canonical, bare)) else None
