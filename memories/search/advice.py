"""Tells what the assistant said or advised from what is so."""

import re
from collections.abc import Collection

__all__ = ["ASSISTANT", "asks_for_advice", "tells_advice"]

ASSISTANT = frozenset("ai assistant assistent bot chatbot \u52a9\u624b \u52a9\u7406".split())
"""What the assistant of a talk is called, in canonical form."""

# "My assistant" is somebody else.
_SPOKEN_OF = re.compile(r"\b(?:the|der) assist[ae]nt\b|\u52a9\u624b", re.IGNORECASE)
_PART = re.compile("[;\uff1b]")


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
