"""Parses models' replies.

Any form is accepted: numbered lists, labels, missing brackets, code fences. A reply without an answer (empty, a
refusal, or prose instead of names) raises a `ModelReplyError`, and never replaces the memory's state.
"""

import functools
import itertools
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, NamedTuple, cast

from memzoo.errors import ModelReplyError
from memzoo.memories.models.cleaning import clean_reply
from memzoo.memories.text.names import canonical, fold, is_pronoun, mentions
from memzoo.text import parse_json

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
# The prompts' words for "nothing to tell"; models often add a reason.
_NOTHING_FIRST = re.compile(r"\W*(?:NOTHING NEW|NONE)\b(?:[^\w\n]*\n|[.*_ ]*[-–—(])")
_LABEL = re.compile(r"^\W*(?:output|answer|result|entities|names|triples|facts|knowledge)\s*:\s*", re.IGNORECASE)
_BULLET = re.compile(r"^\s*(?:[-*•–]+\s+|\(?\d{1,3}[.)]\s+)")
_SAME = re.compile(r"^[^\S\n]*(?:[-*•–]+ +)?([^=:\n]{1,80})=([^=:\n]{1,80})$", re.MULTILINE)
# A dot after one of these words belongs to the name.
_SHORT = re.compile(
    r"(?:\b(?:co|inc|ltd|llc|llp|corp|plc|bros|jr|sr|st|dr|mr|mrs|ms|prof|esq|ave|rd|blvd|dept|mt|no|etc)|\.\w{1,3}|\b[^\W\d_])\.$",
    re.IGNORECASE,
)
_LONGEST_NAME = 80
_MOST_WORDS = 10
_LONGEST_SOURCE = 50_000
_AROUND = " \t*_`"
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "«": "»", "「": "」", "『": "』", "„": "“"}


def says_nothing(text: str) -> bool:
    """Return whether a text says that there is nothing, such as "None"."""
    return bool(_NOTHING.fullmatch(_LABEL.sub("", text.strip())) or _NOTHING_FIRST.match(text))


def refuses(text: str) -> bool:
    """Return whether a text begins like a refusal."""
    return _REFUSAL.match(text) is not None


def can_be_name(text: str) -> bool:
    """Return whether a text is short enough for a name."""
    return len(text) <= _LONGEST_NAME and len(text.split()) <= _MOST_WORDS and bool(canonical(text))


def unusable(reply: str) -> ModelReplyError:
    """Return the error for a reply that contains no answer."""
    error = ModelReplyError(f"the model's reply cannot be used, nothing was changed: {reply[:200]!r}")
    error.reply, error.refused = reply.strip(), refuses(reply)
    return error


def unwrap(text: str) -> str:
    """Return a text without surrounding spaces, marks and quotes. Quotes around only a part of the text stay.

    Example:
        >>> unwrap('*"The Quiet Girl"*'), unwrap('the band "Summer Sounds"'), unwrap('"Yes')
        ('The Quiet Girl', 'the band "Summer Sounds"', 'Yes')
    """
    text = text.strip(_AROUND)
    for opening, closing in _QUOTES.items():
        inner = text[1:-1]
        if text[:1] == opening and text[-1:] == closing and opening not in inner and closing not in inner:
            return inner.strip(_AROUND)
        if text[:1] == opening and closing not in text[1:]:
            text = text[1:].lstrip(_AROUND)
        if text[-1:] == closing and opening not in text[:-1]:
            text = text[:-1].rstrip(_AROUND)
    return text


def bare_name(name: str) -> str:
    """Return a name without a bullet before it, quotes around it or a full stop after it."""
    return without_stop(unwrap(_BULLET.sub("", name).strip(";,")))


def without_stop(text: str) -> str:
    """Return a name without the full stop of a sentence. The full stop of "Co." stays."""
    return text if _SHORT.search(text) or not text.endswith(".") or text.endswith("..") else text[:-1]


# Prose, and lists of names.

_EXPLAINED = re.compile(r"(?<!\s)\s+\((?=[a-z][^()]*\)$)[^()]*\)$|(?::| [-–—])\s+(?=[a-z]).*$")
_REMARK = re.compile(r"\W*(?:note|explanation|reasoning)\b\W*:", re.IGNORECASE)
_COMPANY = re.compile(
    r",\s+(?=(?:inc|ltd|llc|llp|gmbh|corp|co|plc|jr|sr|ph\.?d|m\.?d|s\.?a|a\.?g|esq)\b\.?)", re.IGNORECASE
)
_HOUSE = re.compile(
    r",[^,]*&\s+(?:co|company|sons?|daughters?|bros|brothers|partners)\b\.?(?:,\s+\w{2,4}\.?)?$", re.IGNORECASE
)
# All our prompts begin with a task; small models may begin their answers with an invented task.
_INSTRUCTION = re.compile(r"Task: [^\n]*\s*")
# One line that continues in lower case and ends in a full stop is a sentence, not a list.
_SENTENCE = re.compile(r"[A-Z]\w* (?:\w+,? ){4,}[a-z]+\.")
_WRAPPERS = " \t\"'“”‘’«»`*_"


def prose(reply: str, label: str, known: str = "") -> str:
    """Return the prose of a reply without a label like "New summary:" or an introductory sentence.

    Args:
        reply: The reply.
        label: A regular expression for the label, with or without a colon.
        known: The text to return if the reply says that nothing changes.

    Raises:
        ModelReplyError: The reply has no text, or is a refusal.
    """
    if says_nothing(whole := clean_reply(reply)):
        return known
    text, _, last = whole.rpartition("\n")
    written = parse_json(text := text if text and says_nothing(last) else whole)
    if isinstance(written, dict):
        text = " ".join(str(value) for value in cast("dict[str, Any]", written).values())
    text = written if isinstance(written, str) else _compile_label(label.rstrip(":")).sub("", text).strip()
    text = text[found.end() :] if (found := _INSTRUCTION.match(text)) else text
    if refuses(text) or says_nothing(text) or not re.search(r"\w", text):
        raise unusable(reply)
    return text


def names(reply: str) -> list[str]:
    """Return the names in a reply, in order, without pronouns; names that differ only in case are returned once.

    The prompts ask for one name per line; a comma list on one line, JSON, bullets and numbers are accepted too.

    Raises:
        ModelReplyError: The reply is a refusal or prose.
    """
    text = _LABEL.sub("", clean_reply(reply))
    if not text or says_nothing(text):
        return []
    found: dict[str, str] = {}
    for name in filter(can_be_name, map(bare_name, _split_names(text))):
        found.setdefault(canonical(name), name)
    if refuses(text) or not found or _SENTENCE.fullmatch(text):
        raise unusable(reply)
    return [name for name in found.values() if not (says_nothing(name) or is_pronoun(name))]


@functools.cache
def _compile_label(label: str) -> re.Pattern[str]:
    named = rf"[\W_]*(?:(?:the|new|updated|current)\s+)*{label}[*_\s]*:"
    return re.compile(rf"^(?:{named}|#{{1,6}}[^\S\n]+[^\n]*\b{label}\b[^\n]*\n)[\s*_]*", re.IGNORECASE)


def _split_names(text: str) -> list[str]:
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


# Facts.

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
        negated: True if the model denies the fact ("NOT") or says that it is no longer true ("NO LONGER"). False for
            both together ("NO LONGER NOT"), which affirms the fact.
        ended: True if the model says that the fact is no longer true.
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
    text = _LABEL.sub("", clean_reply(reply))
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
        yield _split_triple(_BULLET.sub("", _LABEL.sub("", piece.strip())).strip()) if row is None else cells(row)


def _split_triple(piece: str) -> list[str]:
    mark = _MARK.match(piece)
    body = (piece[mark.end() :] if mark else piece).strip()
    if "|" not in body and (same := _SAME.fullmatch(body)):
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


# Amendments of notes.

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
    text = _SAME.sub("", _LABEL.sub("", clean_reply(reply)))
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
    pairs = [(bare_name(one), bare_name(other)) for one, other in _SAME.findall(clean_reply(reply))]
    if not pairs:
        return {}
    counts = _make_check(known, source)
    labels = [pair for pair in pairs if all(map(_can_label, pair)) and any(map(counts, pair))]
    return {one: other for one, other in labels if canonical(one) != canonical(other)}


def _make_check(known: Iterable[str], source: str) -> Callable[[str], bool]:
    """Return a function that checks whether a name is known, or occurs in the source as a name."""
    asked = {canonical(name) for name in known}
    spoken_of = functools.cache(functools.partial(mentions, fold(source[:_LONGEST_SOURCE])))

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
    repeated = {" ".join(line.split()) for line in source[:_LONGEST_SOURCE].split("\n")} - {""}
    last, headed = "", False
    for name, note in _find_notes(text):
        line = f"{name}: {note}" if name else note
        bare = _ALSO.sub("", name)
        if " ".join(line.split()) in repeated or _PATTERN.match(line):
            last = ""
        # Each line is independent, so even a long label is accepted ("the man with the two quails and the dog").
        elif canonical(bare) in asked or (bare and _can_label(bare, _MOST_WORDS) and not (headed and note)):
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
        line = f"{heading[1].rstrip(' #')}:" if heading else _BULLET.sub("", row)
        line = line if _COLON.search(line) else line.replace("|", ":", 1)
        colon = _COLON.search(line)
        if colon and colon.start() <= _LONGEST_NAME:
            yield bare_name(line[: colon.start()]), unwrap(line[colon.end() :])
        else:
            yield "", line.strip()


# Tables and JSON.

# Keys of an object that may contain the notes.
_ABOVE_NOTES = frozenset(("notes", "entities", "known", "names", "result", "output", "answer"))
_TRIPLE = ("subject", "relation", "object")
_NUMBER_CELL = re.compile(r"\d{1,3}[.)]?")


def rows_of_table(text: str) -> list[str]:
    r"""Return the lines of a text. For a Markdown table, return its rows without the header, outer bars or row numbers.

    Example:
        >>> rows_of_table("| # | Who | What |\n|---|---|---|\n| 1 | Anna | sings |")
        ['Anna | sings']
    """
    rows: list[str] = []
    for line in text.split("\n"):
        if "|" in line and "-" in line and not line.strip("|:- \t"):
            rows = rows[:-1]
        else:
            rows.append(_row(line))
    return rows


def _row(line: str) -> str:
    bare = line.strip()
    if len(bare) < 2 or not bare.startswith("|") or not bare.endswith("|"):  # noqa: PLR2004
        return line
    first, bar, rest = bare[1:-1].partition("|")
    return (rest if bar and _NUMBER_CELL.fullmatch(first.strip()) else bare[1:-1]).strip()


def json_rows(text: str) -> list[list[str]] | None:
    """Return the items of a JSON list, each as a list of strings; `None` for other texts.

    The list may be a member of an object. Triples are put in order: subject, relation, object.

    Example:
        >>> json_rows('{"facts": [{"object": "tea", "subject": "Sam", "relation": "likes"}, ["Eve", "is", "tall"]]}')
        [['Sam', 'likes', 'tea'], ['Eve', 'is', 'tall']]
    """
    parsed = parse_json(text)
    lists = list(cast("dict[str, Any]", parsed).values()) if isinstance(parsed, dict) else [parsed]
    rows: list[list[Any]] = [one for one in lists if isinstance(one, list)]
    return [cells(row) for row in itertools.chain(*rows)] if rows else None


def cells(row: Any) -> list[str]:
    """Return an item of a JSON list as strings: the items of an array, the values of an object, or a single value.

    If the object is a triple, its subject comes first.
    """
    values: list[Any] = row if isinstance(row, list) else [row]
    if isinstance(row, dict):
        named = cast("dict[str, Any]", row)
        values = [named[key] for key in _TRIPLE] if all(map(named.get, _TRIPLE)) else list(named.values())
    return list(map(_words_of, values))


def extract_notes(parsed: Any) -> Iterator[tuple[str, str]]:
    """Yield pairs of name and note from JSON.

    The JSON is an object with names as keys, or a list of objects, each with a name as its first value. Either may be
    inside another object: `{"notes": {"Sam": "Sam likes tea."}}`.
    """
    if isinstance(parsed, list):
        rows: list[Any] = parsed
        objects = filter(None, (cells(row) for row in rows if isinstance(row, dict)))
        yield from ((name, " ".join(note)) for name, *note in objects)
        return
    for name, note in parsed.items():
        if name.lower() in _ABOVE_NOTES and isinstance(note, (dict, list)):
            yield from extract_notes(note)
        else:
            yield name, _words_of(note)


def _words_of(value: Any) -> str:
    return " ".join(cells(value)) if isinstance(value, (dict, list)) else str(value)
