"""What is known, in the pieces that a search finds (a fact, a statement of a note), and what a search found of it."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

__all__ = ["ASSISTANT", "FoundUnit", "FoundUnits", "KnownUnit", "asks_for_advice", "tells_advice"]

ASSISTANT = frozenset("ai assistant assistent bot chatbot \u52a9\u624b \u52a9\u7406".split())
"""What the assistant of a talk is called, in canonical form."""

# "My assistant" is somebody else.
_SPOKEN_OF = re.compile(r"\b(?:the|der) assist[ae]nt\b|\u52a9\u624b", re.IGNORECASE)
_PART = re.compile("[;\uff1b]")


@dataclass(frozen=True, slots=True)
class KnownUnit:
    """One thing that is known.

    Attributes:
        text: What is known, in words.
        names: The canonical names of whom and what it is about: first the one under which it stands.
        seq: The log number of the message that said so first; 0 if that is not known.
        said_at: When it was said, with a time zone; `None` if that is not known.
        tells: It says who or what somebody is ("is the head baker"): so it leads from a role to a name.
        advice: It is what the assistant said or advised.
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
    """What a search found.

    Args:
        scores: Units, best first, each with how well it fits.
    """

    def __init__(self, scores: Sequence[tuple[FoundUnit, float]] = ()) -> None:
        self.scores = scores

    def __iter__(self) -> Iterator[FoundUnit]:
        """Yield them, best first."""
        return (one for one, _ in self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    def introduce(self, most: int) -> dict[str, KnownUnit]:
        """The first so many names that were found, each with what says best who or what it is.

        That is the best find that tells so, else the best find.
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
    """Tell whether a statement says first of all what the assistant said, and not what is so.

    Example:
        >>> tells_advice("The assistant said to ask for 50."), tells_advice("It costs 50; the assistant said to ask.")
        (True, False)
    """
    first, *_ = _PART.split(statement, 1)
    return _SPOKEN_OF.search(first) is not None


def asks_for_advice(question: str, named: Collection[str]) -> bool:
    """Tell whether a question is about what the assistant said.

    Args:
        question: The question.
        named: The canonical names of whom and what it is about.
    """
    return not ASSISTANT.isdisjoint(named) or _SPOKEN_OF.search(question) is not None
