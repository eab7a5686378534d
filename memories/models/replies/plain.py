"""Parses replies with prose, and replies with lists of names."""

import functools
import itertools
import re
from typing import Any, cast

from memzoo.memories.models.cleaning import clean_reply
from memzoo.memories.models.forms import json_rows, parse_json, rows_of_table
from memzoo.memories.models.replies.lines import LABEL, bare_name, can_be_name, refuses, says_nothing, unusable
from memzoo.memories.text.names import canonical, is_pronoun

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
    text = LABEL.sub("", clean_reply(reply))
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
    entries = [LABEL.sub("", line.partition("|")[0]) for line in lines if line.strip()]
    entries = [_EXPLAINED.sub("", line) for line in entries if not line.rstrip(_WRAPPERS).endswith(":")]
    most_commas = 0 if len(entries) == 1 else 1
    return [_EXPLAINED.sub("", name) for line in entries for name in _parts_of_list(line, most_commas)]


def _parts_of_list(line: str, most_commas: int) -> list[str]:
    if _HOUSE.search(line):
        return [line]
    whole = _COMPANY.sub("\0", line)
    return [part.replace("\0", ", ") for part in (whole.split(",") if whole.count(",") > most_commas else [whole])]
