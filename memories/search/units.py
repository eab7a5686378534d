"""The units of a search (a fact, a statement of a note), and its results."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

__all__ = ["ASSISTANT", "FoundUnit", "FoundUnits", "KnownUnit", "asks_for_advice", "tells_advice"]

ASSISTANT = frozenset("ai assistant assistent bot chatbot \u52a9\u624b \u52a9\u7406".split())
"""Names of the assistant of a talk, in canonical form."""

# "My assistant" is somebody else.
_SPOKEN_OF = re.compile(r"\b(?:the|der) assist[ae]nt\b|\u52a9\u624b", re.IGNORECASE)
_PART = re.compile("[;\uff1b]")


@dataclass(frozen=True, slots=True)
class KnownUnit:
    """A fact or a statement.

    Attributes:
        text: The fact or statement, in words.
        names: The canonical names in it, first the one under which it stands.
        seq: The log number of the message that said so first; 0 if that is not known.
        said_at: When it was said, with a time zone; `None` if that is not known.
        tells: It gives the role of somebody ("is the head baker"), and so leads from a role to a name.
        advice: It is a statement or advice of the assistant.
    """

    text: str
    names: tuple[str, ...]
    seq: int = 0
    said_at: datetime | None = None
    tells: bool = False
    advice: bool = False


class FoundUnit(NamedTuple):
    """A unit, and where it is kept.

    Attributes:
        key: The key of the item of the state that it is of.
        place: Its place among the units of that item.
        unit: The unit.
    """

    key: str
    place: int
    unit: KnownUnit


class FoundUnits:
    """The results of a search.

    Args:
        scores: Units, best first, each with its fit.
    """

    def __init__(self, scores: Sequence[tuple[FoundUnit, float]] = ()) -> None:
        self.scores = scores

    def __iter__(self) -> Iterator[FoundUnit]:
        """Yield them, best first."""
        return (one for one, _ in self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    def introduce(self, most: int) -> dict[str, KnownUnit]:
        """The first `most` names found, each with the unit that introduces it best.

        That is the best result with a role, else the best result.
        """
        likely: dict[str, KnownUnit] = {}
        for _, _, unit in self:
            name = unit.names[0]
            if name not in likely and len(likely) == most:
                break
            if name not in likely or (unit.tells and not likely[name].tells):
                likely[name] = unit
        return likely


def tells_advice(statement: str) -> bool:
    """Return true if a statement mainly quotes the assistant, and states no fact.

    Example:
        >>> tells_advice("The assistant said to ask for 50."), tells_advice("It costs 50; the assistant said to ask.")
        (True, False)
    """
    first, *_ = _PART.split(statement, 1)
    return _SPOKEN_OF.search(first) is not None


def asks_for_advice(question: str, named: Collection[str]) -> bool:
    """Return true if a question is about words of the assistant.

    Args:
        question: The question.
        named: The canonical names in it.
    """
    return not ASSISTANT.isdisjoint(named) or _SPOKEN_OF.search(question) is not None
