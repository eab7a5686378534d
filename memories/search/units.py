"""What is known, in the pieces that a search finds: a fact, a statement of a note."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

__all__ = ["FoundUnit", "KnownUnit", "UnitWeights"]


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
        corrected_by: The log number of the message that corrected it; 0 while it holds. What was corrected is not
            found: it only tells that this message said something new of its names.
    """

    text: str
    names: tuple[str, ...]
    seq: int = 0
    said_at: datetime | None = None
    tells: bool = False
    advice: bool = False
    corrected_by: int = 0


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


@dataclass(frozen=True, slots=True)
class UnitWeights:
    """How much each part of the search over what is known counts (see docs/graph.md).

    Attributes:
        own: The words of the unit itself.
        around: The words of what was said around it.
        profile: The words of all that is known under its names.
        names: What a unit gains for a name that is asked about, times how rare the name is.
        neighbours: What it gains for a name that it shares with the best finds, as a share of their score; of a unit
            with one name less what its profile gave it. Where a name stands in the question, these two only add what
            words do not find.
        first: So many of those that words alone find best come first.
        changing: The same, where it is looked for what new lines may change.
        roles: How much more a find passes on that says who somebody is.
        related: What a unit gains that is about the same in other words, as a share of the best score.
        axes: Along how many axes it is told what is about the same, see `LatentSpace`.
        kinds: What it gains for having a date or a number, if one is asked for, as a share of its score.
        corrections: To what share of the best score a unit is lifted that corrected something, if it shares a name with
            the best finds.
        common: What the words of every talk count ("big", "behind") beside others.
        advice: What is left to advice, which is long and has words of everything, unless who gave it is asked about.
        rows: What two words count that stand in a row in the question and in the unit, besides their own scores.
        length: What it loses with each doubling of its length above `short`, as a share of the best score.
        short: Words up to which it loses nothing.
        window: Characters of the text around a unit, itself included.
        dates: Whether the words of its date count as words around it.
        saturation: See `Weights`.
        dilution: See `Weights`.
    """

    own: float = 1.0
    around: float = 0.4
    profile: float = 0.6
    names: float = 0.3
    neighbours: float = 0.8
    first: int = 4
    changing: float = 0.6
    roles: float = 0.5
    related: float = 0.4
    axes: int = 24
    kinds: float = 1.0
    corrections: float = 0.3
    common: float = 0.2
    advice: float = 0.4
    rows: float = 0.6
    length: float = 0.1
    short: int = 10
    window: int = 600
    dates: bool = True
    saturation: float = 1.2
    dilution: float = 0.75
