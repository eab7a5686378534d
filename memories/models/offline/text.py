"""Reading a prompt: its task, its sections, the turns of a transcript, their sentences."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

__all__ = ["ASSISTANT", "Line", "Prompt", "Turn", "clip", "is_role", "read_prompt", "sentences", "spoken", "turns"]

ASSISTANT = "assistant"

_LONG_WORD = 20
_LONGEST_LABEL = 4
_LONGEST_SENTENCE = 1200
_TASK = re.compile(r"Task: (\w+)\.[ \t]*(?:\n|$)")
_SECTIONS = ("summary", "history", "new_lines", "known", "input")
_DISARMED = re.compile(rf"&lt;(?=\s*/?\s*(?:{'|'.join([*_SECTIONS, 'entity'])})\b)", re.IGNORECASE)
_LABEL = re.compile(r"([^\W\d_][^:\uff1a\n]{0,39})[:\uff1a](?:\s|$)")
_ROLES = {
    "human": "user",
    "user": "user",
    "ai": ASSISTANT,
    "assistant": ASSISTANT,
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}
_TALKING = {"user", ASSISTANT}
_NO_LABELS = frozenset(
    """
    also answer anyway but caution correction edit example fact first hint however important info next note notes once
    option p.s plus problem ps question reason reminder result second so step summary then third tip tips todo update
    warning why
    """.split()
)
_END = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’»)\]*]*(?=\s|$)|[。\uff01\uff1f]+[”’」』\uff09]*|\n+")
_ABBREVIATION = re.compile(
    r"\b(?:mr|mrs|ms|dr|prof|st|mt|sr|jr|vs|no|approx|ca|cf|e\.g|i\.e|fig|dept|est|tel|gen|col|capt|sgt|rev|[^\W\d_])$",
    re.IGNORECASE,
)
_SUFFIX = re.compile(r"\b(?:inc|ltd|co|corp|llc|plc|etc|al)$", re.IGNORECASE)
_NUMBERING = re.compile(r"\s*\d{1,2}$")
_BULLET = re.compile(r"^(?:[-*•–]|#{1,6}|\d{1,2}[.)])\s+")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt for one of the tasks.

    Attributes:
        task: The name on its first line.
        sections: The text between each pair of tags; a missing section is empty.
    """

    task: str
    sections: dict[str, str]


@dataclass(frozen=True, slots=True)
class Turn:
    """What somebody said at a time; `speaker` is the label as it stands, or empty where there is none."""

    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence in its place: who said it, in which turn, counted from 0."""

    speaker: str
    turn: int
    text: str

    @property
    def owner(self) -> str:
        """Whom "I" means in it: a name, or the role of the speaker."""
        return is_role(self.speaker) or self.speaker or "user"


def read_prompt(text: str) -> Prompt | None:
    """The task that a text sets on its first line, or `None` if it sets none."""
    task = _TASK.match(text)
    if not task:
        return None
    return Prompt(task[1], {name: _section(text, name) for name in _SECTIONS})


def _section(text: str, name: str) -> str:
    start = text.find(f"\n<{name}>\n")
    if start < 0:
        return ""
    start += len(name) + 4
    end = text.find(f"\n</{name}>", start - 1)
    # The prompts disarm their own tags in data; here the data is apart, and what is quoted from it is what was said.
    return _DISARMED.sub("<", text[start : end if end >= 0 else len(text)])


def turns(*transcripts: str) -> list[list[Turn]]:
    """The turns of transcripts of one conversation; a line without a label belongs to the turn before.

    Which labels there are is decided for all together, since a message may have lines that look like turns: a role has
    one label, the first that occurs ("Human", then "User: ..." is pasted text), and where both the user and the
    assistant are labelled by role, a name is no label ("Oslo: two days").
    """
    # Not splitlines: a line separator of Unicode inside a message must not start a turn.
    read = [[(_label(line), line) for line in transcript.split("\n")] for transcript in transcripts]
    roles: dict[str, str] = {}
    for lines in read:
        for label, _ in lines:
            roles.setdefault(is_role(label), label)
    return [_joined((label if _speaks(label, roles) else "", line) for label, line in lines) for lines in read]


def _speaks(label: str, roles: dict[str, str]) -> bool:
    role = is_role(label)
    if role in _TALKING:
        return roles[role] == label
    return bool(role) or not roles.keys() >= _TALKING


def _joined(labelled: Iterable[tuple[str, str]]) -> list[Turn]:
    found: list[tuple[str, list[str]]] = []
    for speaker, line in labelled:
        if speaker:
            found.append((speaker, [line[len(speaker) + 1 :]]))
        elif found:
            found[-1][1].append(line)
        else:
            found.append(("", [line]))
    return [Turn(speaker, text) for speaker, lines in found if (text := "\n".join(lines).strip())]


def _label(line: str) -> str:
    label = _LABEL.match(line)
    if not label:
        return ""
    name = label[1]
    parts = name.split()
    if len(parts) > _LONGEST_LABEL or parts[0].lower() in _NO_LABELS:
        return ""
    return name if name.lower() in _ROLES or not any(part[0].islower() for part in parts) else ""


def is_role(speaker: str) -> str:
    """`user`, `assistant`, `system` or `tool` for a label that stands for a role; empty for a name or no label."""
    return _ROLES.get(speaker.lower(), "")


def spoken(found: Iterable[Turn]) -> list[Line]:
    """The sentences of turns."""
    return [Line(turn.speaker, number, text) for number, turn in enumerate(found) for text in sentences(turn.text)]


def sentences(text: str) -> list[str]:
    """The sentences of a text, each on one line, without bullets."""
    pieces = (chunk for piece in _pieces(text) for chunk in _chunks(piece))
    return [sentence for piece in pieces if (sentence := _BULLET.sub("", " ".join(piece.split())))]


def _pieces(text: str) -> Iterator[str]:
    start = 0
    for end in _END.finditer(text):
        if _ends(text, end, start):
            yield text[start : end.end()]
            start = end.end()
    yield text[start:]


def _chunks(piece: str) -> Iterator[str]:
    # What goes on for ever without a full stop is no sentence; in parts, it costs no more than its length.
    while len(piece) > _LONGEST_SENTENCE:
        cut = piece.rfind(" ", 1, _LONGEST_SENTENCE)
        cut = cut if cut > 0 else _LONGEST_SENTENCE
        yield piece[:cut]
        piece = piece[cut:]
    yield piece


def _ends(text: str, end: re.Match[str], start: int) -> bool:
    mark = end[0]
    after = text[end.end() : end.end() + 2].lstrip()[:1]
    if mark == ".":
        before = text[max(start, end.start() - 8) : end.start()]
        if _ABBREVIATION.search(before) or _NUMBERING.match(text[start : end.start()][:8]):
            return False
        return not (after.islower() and _SUFFIX.search(before))
    # '"Stop!" she said' goes on; so does '... and then ...'.
    return not (after.islower() and (mark[-1] in "\"'”’" or mark[0] == "…" or mark.startswith("..")))


def clip(text: str, limit: int) -> str:
    """The first `limit` words of a text, with a mark where it was cut; a monstrous word is cut, too."""
    parts = text[: limit * _LONG_WORD].split(None, limit)
    if len(parts) <= limit and len(text) <= limit * _LONG_WORD:
        return text
    return " ".join(parts[:limit]) + " …"
