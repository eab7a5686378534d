"""The task of keeping notes about names: which sentences say something of whom."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from memzoo.memories.models.offline.corrections import revised
from memzoo.memories.models.offline.discourse import Discourse, read_discourse
from memzoo.memories.models.offline.entities import MOST_NAMES, referred
from memzoo.memories.models.offline.lexicon import COMMON, ORGANISATIONS, PLACES
from memzoo.memories.models.offline.names import Mention
from memzoo.memories.models.offline.statements import Statement, read_back, salience, stated, unique, worth, written
from memzoo.memories.models.offline.summary import NOTHING_NEW
from memzoo.memories.text.words import STOPWORDS, words

__all__ = ["MOST_NOTE_WORDS", "entity_update"]

MOST_NOTE_WORDS = 60

_SHORTEST_PART = 3
_MINE = frozenset("i i'm i've i'll i'd my me mine".split())
_SAME = re.compile(r"[^:=]+ = [^:=]+")
_NOTE = re.compile(r"(\S[^\n:]*):(?:[ \t]+(.*))?")


def entity_update(history: str, new_lines: str, known: str) -> str:
    """A line `Name: note` for each name of which the new lines say something, or `NOTHING NEW`.

    A note is the old one with the new sentences behind it. Where it grows too long, its first sentence, the newest,
    and the weightiest of the others stay.
    """
    notes = _known_notes(known)
    discourse = read_discourse(history, new_lines, notes)
    changed = (
        (name, note)
        for name, said in _by_name(discourse, _Known(notes)).items()
        if (note := _updated(notes.get(name, ""), said)) != notes.get(name)
    )
    return "\n".join(f"{name}: {note}" for name, note in changed) or NOTHING_NEW


def _known_notes(known: str) -> dict[str, str]:
    """The notes by name; a line that is no note goes on with the one before, but for "Bob = Robert"."""
    notes: dict[str, str] = {}
    for line in filter(None, map(str.strip, known.split("\n"))):
        if _SAME.fullmatch(line):
            continue
        if note := _NOTE.fullmatch(line):
            notes[note[1].strip()] = note[2] or ""
        elif notes:
            last = next(reversed(notes))
            notes[last] = f"{notes[last]} {line}"
    return notes


class _Known:
    """Finds which known name a name in the text stands for."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = list(names)
        self._whole = {name.lower(): name for name in self.names}
        parts: dict[str, set[str]] = defaultdict(set)
        for name in self.names:
            for part in _ends(name):
                parts[part].add(name)
        self._parts = {part: min(found) for part, found in parts.items() if len(found) == 1}
        every = "|".join(re.escape(name) for name in sorted(self._whole, key=len, reverse=True))
        self._written = re.compile(rf"(?<!\w)(?:{every})(?!\w)") if every else None

    def of(self, name: str) -> str:
        """The known name that this is, whole or in part; empty for an unknown one."""
        lower = name.lower()
        if found := self._whole.get(lower) or self._parts.get(lower):
            return found
        return next((self._whole[part] for part in _ends(name) if part in self._whole), "")

    def written_in(self, text: str) -> Iterator[str]:
        """The known names that stand in a text, in whatever case."""
        if self._written:
            yield from (
                self._whole[found[0]] for found in self._written.finditer(text.lower()) if found[0] not in STOPWORDS
            )


def _ends(name: str) -> set[str]:
    """The first and the last word of a longer name, unless many names have them."""
    parts = name.lower().split()
    return {
        part
        for part in (parts[0], parts[-1])
        if len(parts) > 1 and len(part) >= _SHORTEST_PART and part not in PLACES | ORGANISATIONS | COMMON | STOPWORDS
    }


def _by_name(discourse: Discourse, known: _Known) -> dict[str, list[Statement]]:
    """The new statements about each name: known names in their order, then as many others as there is room for."""
    about: dict[str, list[Statement]] = {name: [] for name in known.names}
    # One sentence before the new ones may be the question that the first of them answers.
    first = max(0, discourse.first_new - 1)
    for place, statement in stated(discourse.lines[first:]).items():
        if first + place >= discourse.first_new:
            for name in filter(None, dict.fromkeys(_subjects(discourse, first + place, known))):
                about.setdefault(name, []).append(statement)
    most = max(MOST_NAMES, len(known.names))
    return {name: said for name, said in list(about.items())[:most] if said}


def _subjects(discourse: Discourse, number: int, known: _Known) -> Iterator[str]:
    line = discourse.lines[number]
    names = [known.of(name) or _new(name, line.text) for name in referred(discourse, number)]
    addressed = {known.of(found.name) for found in discourse.mentions[number] if _vocative(line.text, found)}
    spoken_to = addressed if "you" not in words(line.text) else set[str]()
    yield from (name for name in [*known.written_in(line.text), *names] if name not in spoken_to)
    if not _MINE.isdisjoint(words(line.text)) and (speaker := known.of(line.owner)):
        yield speaker


def _new(name: str, text: str) -> str:
    """A name that no note is asked for, if it stands in the text itself; else it was left out on purpose."""
    return name if name in text and name[0].isupper() else ""


def _vocative(text: str, mention: Mention) -> bool:
    """Whether a name only calls somebody: "Noor, I moved", "That is so, Noor"."""
    before, after = text[: mention.start].rstrip(), text[mention.end :].lstrip()
    opens = not before and re.match(r"[,!] ?(?:I|we|you|it|that|this|what|how|your)\b", after)
    return bool(opens) or (before.endswith(",") and not after.strip(" .!?") and before.count(",") == 1)


def _updated(old: str, said: list[Statement]) -> str:
    before = unique(read_back(old))
    older, new = revised(unique([*before, *said]), len(before))
    return written(_bounded([*older, *new]), " ")


def _bounded(statements: list[Statement]) -> list[Statement]:
    """The first statement, which tells as a rule who it is, the newest, and of the others the weightiest that fit."""
    ends = {0, len(statements) - 1}
    room = MOST_NOTE_WORDS - sum(statements[place].length for place in ends)
    values = {place: worth(statement, salience(statement)) for place, statement in enumerate(statements)}
    kept = set(ends)
    for place in sorted(values, key=lambda place: (-values[place], -place)):
        if place not in ends and statements[place].length <= room:
            room -= statements[place].length
            kept.add(place)
    return [statements[place] for place in sorted(kept)]
