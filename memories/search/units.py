"""The units that a search in a state finds: facts, or statements of notes."""

import functools
import re
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

__all__ = [
    "ASSISTANT",
    "FoundUnit",
    "FoundUnits",
    "KnownUnit",
    "asks_for_advice",
    "asks_for_place",
    "asks_for_rule",
    "obliges",
    "tells_advice",
    "tells_place",
    "tells_rule",
]

ASSISTANT = frozenset("ai assistant assistent bot chatbot \u52a9\u624b \u52a9\u7406".split())
"""Names for the assistant of a conversation, in canonical form."""

# "My assistant" is another person.
_SPOKEN_OF = re.compile(r"\b(?:the|der) assist[ae]nt\b|\u52a9\u624b", re.IGNORECASE)
_PART = re.compile("[;\uff1b]")
# "Never" forbids at the beginning of a clause; in the middle, it usually tells a story ("who never came").
_FORBIDS = re.compile(
    r"(?:^|[:,;.] )never\b|\b(?:must|may|should) (?:absolutely )?(?:not|never)\b|\babsolutely no\b"
    r"|\b(?:allerg(?:y|ic)|forbid(?:s|den)?|prohibit(?:s|ed)?|ban(?:s|ned)|not allowed|allergi(?:e|sch)|verboten)\b"
    r"|\bdarf (?:nie|nicht)\b|\brules?(?: number \w+)?(?: is\b| are\b|:)"
    r"|绝对不|千万不|不许|不准|不得|禁止|严禁|规矩[是:\uff1a]|过敏",
    re.IGNORECASE,
)
_OBLIGES = re.compile(
    r"\b(?:must|ha(?:s|ve) to|needs? to|cannot|can['’]t|can not|only|never|at (?:most|least)|no more than|limit(?:ed)?)"
    r"\b|必须|只[能准许]|不能|不要|最多|至多|不超过|(?<![特区个分告])别(?![人的处])",
    re.IGNORECASE,
)
_ASKS_FOR_RULE = re.compile(
    r"\b(?:forbidden|banned|allowed|prohibited|permitted|avoid|beware|allerg(?:y|ic)|rules?|limits?|verboten|erlaubt|darf)\b"
    r"|\b(?:must|able to|ha(?:s|ve) to|needs? to)\b|\b(?:may|should|can)\b(?! (?:you|i ask)\b)"
    "|[不只][许准能]|可以|必须|不得|禁|避开|当心|忌|过敏|规矩|最[多高]",
    re.IGNORECASE,
)
_TELLS_PLACE = re.compile(
    r"\b(?:at|from|in|into|near|on|to|towards?) (?:an? |the )?[A-Z]|去(?!年)|(?<![得感遇受收])到|(?<![现正])在|[住往]"
)
_ASKS_FOR_PLACE = re.compile(
    r"\bwhere\b|\b(?:what|which) (?:address|city|country|place|street|town|village)\b"
    "|哪里|哪儿|[哪什][个么]地方|哪一?站",
    re.IGNORECASE,
)


class KnownUnit(NamedTuple):
    """A known fact or statement.

    Attributes:
        text: The fact or statement in words.
        names: The canonical names of its subjects; the first is the name under which the unit is stored.
        seq: The log number of the first message that stated it; 0 if unknown.
        said_at: The time of that message, with a time zone; `None` if unknown.
        tells: True if the unit says who or what a subject is ("is the head baker").
        advice: True if the unit reports an answer or advice of the assistant.
        rule: True if the unit forbids something, tells of an allergy, or says what a rule is.
    """

    text: str
    names: tuple[str, ...]
    seq: int = 0
    said_at: datetime | None = None
    tells: bool = False
    advice: bool = False
    rule: bool = False


class FoundUnit(NamedTuple):
    """A unit with its place in the state.

    Attributes:
        key: The key of the state's item that has the unit.
        place: The position among the units of this item.
        unit: The unit.
    """

    key: str
    place: int
    unit: KnownUnit


class FoundUnits:
    """The units found by a search."""

    def __init__(self, scores: Sequence[tuple[FoundUnit, float]] = ()) -> None:
        self.scores = scores

    def __iter__(self) -> Iterator[FoundUnit]:
        """Yield the units, best first."""
        return (one for one, _ in self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    def introduce(self, most: int) -> dict[str, KnownUnit]:
        """Return up to `most` names, taken from the best units: a dict from name to the unit that introduces the name.

        The introducing unit is the best one that says who or what the name stands for, or else the best one with the
        name.
        """
        likely: dict[str, KnownUnit] = {}
        for _, _, unit in self:
            name = unit.names[0]
            if name not in likely and len(likely) == most:
                break
            if name not in likely or (unit.tells and not likely[name].tells):
                likely[name] = unit
        return likely


@functools.lru_cache(maxsize=1 << 12)
def tells_advice(statement: str) -> bool:
    """Tell if a statement begins with words of the assistant instead of a fact.

    Example:
        >>> tells_advice("The assistant said to ask for 50."), tells_advice("It costs 50; the assistant said to ask.")
        (True, False)
    """
    first, *_ = _PART.split(statement, 1)
    return _SPOKEN_OF.search(first) is not None


def asks_for_advice(question: str, named: Collection[str]) -> bool:
    """Tell if a question asks for something that the assistant said, such as advice.

    Args:
        question: The question.
        named: The canonical names of the question's subjects.
    """
    return not ASSISTANT.isdisjoint(named) or _SPOKEN_OF.search(question) is not None


@functools.lru_cache(maxsize=1 << 12)
def tells_rule(statement: str) -> bool:
    """Tell if a statement forbids something, tells of an allergy, or says what a rule is.

    Advice of the assistant is no rule.

    Example:
        >>> tells_rule("Never give Rex grapes."), tells_rule("Ann never came."), tells_rule("The assistant forbade it.")
        (True, False, False)
    """
    return _FORBIDS.search(statement) is not None and not tells_advice(statement)


def asks_for_rule(question: str) -> bool:
    """Tell if a question asks for something forbidden, allowed or demanded.

    Example:
        >>> [asks_for_rule(one) for one in ("Which fruit is forbidden?", "What can Leo eat?", "Can you tell me more?")]
        [True, True, False]
    """
    return _ASKS_FOR_RULE.search(question) is not None


def obliges(statement: str) -> bool:
    """Tell if a statement sets a condition or a limit, such as "must be freestanding" or "only on Mondays".

    Example:
        >>> obliges("The set must be freestanding."), obliges("The set is blue.")
        (True, False)
    """
    return _OBLIGES.search(statement) is not None


def asks_for_place(question: str) -> bool:
    """Tell if a question asks for a place.

    Example:
        >>> asks_for_place("Where is Ann?"), asks_for_place("Who is Ann?")
        (True, False)
    """
    return _ASKS_FOR_PLACE.search(question) is not None


def tells_place(statement: str) -> bool:
    """Tell if a statement may name a place: it has a preposition of place before a name.

    Example:
        >>> tells_place("Ann goes to Oslo."), tells_place("Ann goes to school.")
        (True, False)
    """
    return _TELLS_PLACE.search(statement) is not None
