"""Splits prompts into task and sections, transcripts into messages, and texts into sentences."""

import re
from itertools import filterfalse
from typing import NamedTuple

_LONGEST_SENTENCE = 400
_SECTIONS = ("summary", "history", "new_lines", "known", "relations", "input", "right_answer", "given_answer")
_ROLES = {"human": "user", "user": "user", "ai": "assistant", "assistant": "assistant", "system": "system"}
_NOBODY = frozenset("answer correction edit example note ps question reminder summary tip todo update warning".split())
_TASK = re.compile(r"Task: (\w+)\.[ \t]*(?:\n|\Z)")
_DISARMED = re.compile(rf"&lt;(?=\s{{0,9}}/?\s{{0,9}}(?:{'|'.join(_SECTIONS)})\b)", re.IGNORECASE)
_LABEL = re.compile(r"([^\W\d_][^\s:]{0,30}(?: [^\W\d_][^\s:]{0,30}){0,4}):(?=\s|\Z)")
_END = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’»)\]*]*+(?=\s|\Z)|[。\uff01\uff1f]++[”’」』\uff09]*+|\n")
_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|prof|st|vs|no|e\.g|i\.e|(?!i)[^\W\d_])|^\s*\d{1,2})\.\Z", re.IGNORECASE
)
_DAY = re.compile(r"\[(?:\w+, \d{1,2} \w+ \d{4}|Day unknown)\]")
_BULLET = re.compile(r"\A(?:[-*•–>]|#{1,6}|\d{1,2}[.)])\s+")


class Utterance(NamedTuple):
    """A sentence or a message, with its speaker's label ("" if missing)."""

    speaker: str
    text: str


def role_of(label: str) -> str:
    """Return the role for a label such as "Human"; "" for a person's name."""
    return _ROLES.get(label.lower(), "")


def read_prompt(text: str) -> tuple[str, dict[str, str], str]:
    """Return the three parts of a prompt: its task, a dict from tag to section, and the text after the sections.

    The first line names the task. Without such a line, the task is "".
    """
    task = _TASK.match(text)
    return task[1] if task else "", {name: _section(text, name) for name in _SECTIONS}, text[text.rfind("\n</") + 1 :]


def _section(text: str, name: str) -> str:
    _, _, rest = text.partition(f"\n<{name}>\n")
    # Prompts escape tags in their data; the model's quotes must equal the original text.
    return _DISARMED.sub("<", f"\n{rest}".partition(f"\n</{name}>")[0].strip("\n"))


def turns(transcript: str) -> list[Utterance]:
    """Return the messages in a transcript or a summary.

    "Human: ..." and "Human said: ..." begin a message; other lines continue it.
    """
    found: list[tuple[str, list[str]]] = []
    by_role = False
    # Not splitlines: a line separator of Unicode inside a message must not start a turn.
    for line in filterfalse(_DAY.fullmatch, transcript.split("\n")):
        label = _LABEL.match(line)
        speaker = label[1].removesuffix(" said") if label else ""
        named = not by_role and not any(part[0].islower() or part.lower() in _NOBODY for part in speaker.split())
        if label and (role_of(speaker) or named):
            by_role = by_role or role_of(speaker) == "user"
            found.append((speaker, [line[label.end() :]]))
        elif found:
            found[-1][1].append(line.removeprefix("> "))
        else:
            found.append(("", [line]))
    return [Utterance(speaker, text) for speaker, lines in found if (text := "\n".join(lines).strip())]


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, each on one line, without bullets."""
    pieces, start = list[str](), 0
    for end in _END.finditer(text):
        if end[0] != "." or not _ABBREVIATION.search(text[max(start, end.start() - 6) : end.end()]):
            pieces.append(text[start : end.end()])
            start = end.end()
    pieces.append(text[start:])
    # A text without full stops is cut into parts, because the rules need sentences of limited length.
    parts = (piece[at : at + _LONGEST_SENTENCE] for piece in pieces for at in range(0, len(piece), _LONGEST_SENTENCE))
    return [sentence for part in parts if (sentence := _BULLET.sub("", " ".join(part.split())))]
