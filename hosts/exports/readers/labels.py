"""Reads plain text in which each message begins with a speaker, such as "You: ..." or "### USER"."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from memzoo.hosts.exports.chat_log import ChatLog, count
from memzoo.hosts.exports.talks import Talk
from memzoo.hosts.roles import ROLES

_ROLES = {"you": "user", "me": "user", "claude": "assistant", "gemini": "assistant", "copilot": "assistant", **ROLES}
_KNOWN = "|".join(_ROLES)
_SURE = {"you", "me", "user", "human", "assistant", "ai", "chatgpt", "claude", "gemini", "copilot", "system"}
_AMBIGUOUS = _ROLES.keys() - _SURE
# A mark as in "#### " or "**", a name, a colon that only a line of its own may lack, and words.
_LABEL = re.compile(
    rf"(?P<mark>[ \t>*#_]*+)(?P<name>{_KNOWN})(?P<said> said)?[*_]*+[ \t]*+"
    r"(?:[:\uff1a][*_]*+[ \t]*+(?P<words>.*)|(?P<bare>[ \t]*+))\Z",
    re.IGNORECASE | re.DOTALL,
)
_NAMED = re.compile(r"(?P<name>[^\W\d_][^:\n]{0,39}?):[ \t]+(?P<words>.*)")
_OTHER = re.compile(
    r"(?P<mark>[ \t>*#_]*+)(?P<name>[^\W\d_][^:*_\n]{0,39}?)(?P<said> said)?[*_]*+[ \t]*+[:\uff1a][*_]*+[ \t]*+"
    r"(?P<words>.*)",
    re.DOTALL,
)
_ESCAPED = re.compile(r"\\(?:[ \t*_\\]*#|[\s\\]*```)")
"""A heading within a message in Markdown, or a fence of code that is never closed."""

_TITLE = re.compile(r"\s*(?:---\n(?:[^\n]+\n){1,40}?---\n\s*)?# (?P<title>[^\n]+)\n\s*(?=#)")
"""The title of a page in Markdown, ahead of the first label; before it, there may be data about the page."""

_THOUGHT = re.compile(
    r"(?:Thought|Reasoned) for (?:(?:\d+m ?)?\d+ ?s|\d+ (?:second|minute)s?|a (?:few|couple of) seconds)\W*"
)
"""A line that a copied page has where the thoughts of a model are folded."""

_SPEAKERS = 2


class _Label(NamedTuple):
    mark: str
    name: str
    form: str
    words: str

    @property
    def role(self) -> str:
        return _ROLES.get(self.name, "assistant")


def has_labels(head: str) -> bool:
    """Return whether a text begins with the label of a speaker."""
    first = next((line for line in head.splitlines() if line.strip()), "")
    label = _label(first)
    is_bare = label and (label.mark, label.form) == ("#", "bare")
    if label and label.name in _AMBIGUOUS and (is_bare or label.role in ("assistant", "tool")):
        # "Model: X2" and "# Client" are also the beginnings of other texts.
        return {"user", "assistant"} <= {label.role for line in head.splitlines() if (label := _label(line))}
    return label is not None or _speakers(head) is not None or _opens_page(head)


def read(document: str, title: str) -> Iterator[ChatLog]:
    """Yield the conversation in a text.

    Of plain labels, without a mark such as "#", only the first one of each role counts: if the user's first label is
    "You:", a later "User:" is part of a message's text.
    """
    document = document.replace("\r\n", "\n")
    if _opens_page(document) and (heading := _TITLE.match(document)):
        title, document = heading["title"].strip(), document[heading.end() :]
    lines = document.split("\n")
    first = next((label for line in lines if line.strip() and (label := _label(line))), None)
    if first is None:
        yield _of_names(lines, title)
        return
    own: dict[str, str] = {}
    answerer, fenced = _find_answerer(lines, first), False
    turns: list[tuple[str, list[str]]] = []
    for line in lines:
        fenced ^= line.lstrip().startswith("```")
        label = None if fenced else _label(line) or (_other(line, answerer) if answerer else None)
        if label and (label.mark, label.form) == (first.mark, first.form) and _opens(label, own, turns=bool(turns)):
            turns.append((label.role, [label.words]))
        elif turns:
            turns[-1][1].append(line[1:] if first.mark.startswith("#") and _ESCAPED.match(line) else line)
    folded = 0
    for role, words in turns:
        marks = [line for line in words[:3] if role == "assistant" and _THOUGHT.fullmatch(line.strip())]
        folded += len(marks)
        words[:3] = [line for line in words[:3] if line not in marks]
    said = [(role, "\n".join(words).strip()) for role, words in turns]
    tools = sum(role == "tool" for role, _ in said)
    notes = [f"{answerer!r} answers, and is the assistant"] if answerer else []
    notes += [f"{count(tools, 'result')} of tools left out"] if tools else []
    notes += [f"{count(folded, 'mark')} of thoughts left out"] if folded else []
    kept = [({"role": role, "content": words}, None) for role, words in said if role != "tool"]
    yield ChatLog.of(title, kept, notes)


def _opens_page(text: str) -> bool:
    """Return whether a title stands before the user's first label, and somebody answers under such a heading."""
    text = text.replace("\r\n", "\n")
    heading = _TITLE.match(text)
    labels = [label for line in text[heading.end() :].splitlines() if (label := _label(line))] if heading else []
    named = _label(f"# {heading['title']}") if heading else None
    if named and labels and (named.mark, named.form) == (labels[0].mark, labels[0].form):
        return False  # the title is the first label
    roles = [label.role for label in labels if (label.mark, label.form) == (labels[0].mark, labels[0].form)]
    return roles[:1] == ["user"] and "assistant" in roles


def _label(line: str) -> _Label | None:
    found = _LABEL.match(line)
    if not found or (found["bare"] is not None and not found["mark"].strip(" \t")):
        return None
    form = "said" if found["said"] else "bare" if found["bare"] is not None else "colon"
    return _Label(found["mark"].strip(" \t*_"), found["name"].lower(), form, found["words"] or "")


def _other(line: str, name: str = "") -> _Label | None:
    """Return the label of a speaker whose name tells no role; with `name`, only of this speaker."""
    found = _OTHER.match(line)
    if not found or found["name"].lower() in _ROLES or name not in ("", found["name"]):
        return None
    return _Label(found["mark"].strip(" \t*_"), found["name"], "said" if found["said"] else "colon", found["words"])


def _find_answerer(lines: list[str], first: _Label) -> str:
    """Return the name that answers, where only the user's label tells a role; "" if there is no such name, or several.

    In "You: ... DeepSeek: ...", that is "DeepSeek".
    """
    kind = first.mark, first.form
    known = [label.role for line in lines if (label := _label(line)) and (label.mark, label.form) == kind]
    if first.role != "user" or "assistant" in known:
        return ""
    others = Counter(one.name for line in lines if (one := _other(line)) and (one.mark, one.form) == kind)
    often = [name for name, times in others.items() if 2 * times >= known.count("user")]
    return often[0] if len(often) == 1 else ""


def _opens(label: _Label, own: dict[str, str], *, turns: bool) -> bool:
    """Return whether a label begins a message: the first of its role in the file, or a mark makes it one."""
    if label.mark or label.form == "said":
        return True
    if label.role not in ("user", "assistant"):
        return not turns
    return own.setdefault(label.role, label.name) == label.name


def _speakers(text: str) -> list[str] | None:
    """Return the two names that are labels in a text; `None` if there are more or fewer."""
    lines = [line for line in text.splitlines() if line.strip()]
    names = Counter(found["name"] for line in lines if (found := _NAMED.match(line)))
    often = [name for name, times in names.items() if times >= _SPEAKERS]
    opens = bool(lines) and (found := _NAMED.match(lines[0])) is not None and found["name"] in often
    return often if opens and len(often) == _SPEAKERS else None


def _of_names(lines: list[str], title: str) -> ChatLog:
    names = _speakers("\n".join(lines)) or ()
    strange = [line for line in lines if (found := _NAMED.match(line)) and found["name"] not in names]
    told = f"{count(len(strange), 'line')} with other names or headings read as text, such as {strange[:1]!r:.80}"
    turns: list[tuple[str, list[str]]] = []
    for line in lines:
        if (found := _NAMED.match(line)) and found["name"] in names:
            turns.append((found["name"], [found["words"]]))
        elif turns:
            turns[-1][1].append(line)
    talk = Talk(title, notes=[told] if strange else [])
    for name, words in turns:
        talk.say(name, "\n".join(words))
    return talk.log()
