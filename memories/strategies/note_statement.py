"""What a note of the entity memory consists of: statements, each with the day on which it was made."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple

from memzoo.memories.text.sentences import joined, sentences
from memzoo.memories.text.view import in_words
from memzoo.stores import JSON

__all__ = ["EntityNote", "NoteStatement", "as_searched", "as_text", "statements_in"]


@dataclass(frozen=True, slots=True)
class NoteStatement:
    """One thing that was said about somebody or something.

    Attributes:
        text: What was said, as a rule one sentence.
        said: The day on which it was said; `None` if unknown, as in notes of memzoo 0.1.
        seq: The log numbers of the messages that said it, oldest first; empty if unknown.
        until: The day on which it was corrected; `None` while it holds.
        ended_by: The log number of the message that corrected it; 0 while it holds.

    Example:
        >>> one = NoteStatement("Flies on 12 May.", date(2026, 3, 1), (3,), date(2026, 4, 2), ended_by=9)
        >>> one.holds, str(one), NoteStatement.from_json(one.as_json()) == one
        (False, 'Flies on 12 May. (until 2 April 2026)', True)
    """

    text: str
    said: date | None = None
    seq: tuple[int, ...] = ()
    until: date | None = None
    ended_by: int = 0

    @property
    def holds(self) -> bool:
        """Tell whether it still holds, that is, nothing has corrected it."""
        return not self.ended_by

    def __str__(self) -> str:
        """The statement; a corrected one with the day until which it held."""
        if self.holds:
            return self.text
        return f"{self.text} ({f'until {in_words(self.until)}' if self.until else 'no longer'})"

    def as_json(self) -> JSON:
        """The statement as JSON values, without what is not known."""
        days = {"said": self.said and self.said.isoformat(), "until": self.until and self.until.isoformat()}
        known = {"text": self.text, **days, "seq": list(self.seq), "ended_by": self.ended_by}
        return {name: value for name, value in known.items() if value}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "NoteStatement":
        """Read what `as_json` gave."""
        said, until = (date.fromisoformat(value[day]) if value.get(day) else None for day in ("said", "until"))
        return cls(value.get("text", ""), said, tuple(value.get("seq", ())), until, value.get("ended_by", 0))


class EntityNote(NamedTuple):
    """A note of the state, read.

    Attributes:
        statements: What it states, oldest first; what was corrected, too.
        holding: Those of them that hold.
        places: The place of each of these, by the text that is searched.
    """

    statements: tuple[NoteStatement, ...]
    holding: tuple[NoteStatement, ...]
    places: Mapping[str, int]

    @classmethod
    def of(cls, item: Mapping[str, Any]) -> "EntityNote":
        """Read a note as it stands in the state; `{}` for none."""
        statements = statements_in(item)
        holding = tuple(one for one in statements if one.holds)
        places = dict[str, int]()
        for place, one in enumerate(holding):
            places.setdefault(as_searched(item["name"], one), place)
        return cls(statements, holding, places)


def as_searched(name: str, statement: NoteStatement) -> str:
    """The text by which a statement of a note with a name is searched."""
    return f"{name}: {statement.text}"


def statements_in(item: Mapping[str, Any]) -> tuple[NoteStatement, ...]:
    """Return the statements of a note, oldest first, including corrected ones.

    A note of memzoo 0.1 was one text; each of its sentences becomes a statement.

    Args:
        item: The note as it stands in the state; `{}` for none.
    """
    if "statements" in item:
        return tuple(map(NoteStatement.from_json, item["statements"]))
    return tuple(map(NoteStatement, sentences(item.get("summary", ""))))


def as_text(statements: Iterable[NoteStatement]) -> str:
    """Statements as one text."""
    return joined(map(str, statements))
