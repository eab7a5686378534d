"""What searches bring up, told to who wants to know: nobody, most of the time."""

import contextlib
from collections.abc import Generator, Iterable
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Searches", "report", "watch"]


@dataclass
class Searches:
    """What was searched while a view was made.

    Attributes:
        found: By how it was looked for: what was found, with how well it fits, best first.
        of_messages: Messages of the log were searched.
    """

    found: list[tuple[str, dict[Any, float]]] = field(default_factory=list[tuple[str, dict[Any, float]]])
    of_messages: bool = False


_watching: ContextVar[Searches | None] = ContextVar("memzoo_searches", default=None)


def report(by: str, scores: Iterable[tuple[int | str, float]], *, of_messages: bool = False) -> None:
    """Tell what a search brought up, if somebody wants to know; otherwise the scores are not looked at.

    Args:
        by: How it was looked for.
        scores: What was found, with how well it fits, best first: messages by number, or texts.
        of_messages: Messages of the log were searched.
    """
    if told := _watching.get():
        told.found.append((by, dict(scores)))
        told.of_messages |= of_messages


@contextlib.contextmanager
def watch() -> Generator[Searches]:
    """Hear of all searches in this block."""
    token = _watching.set(told := Searches())
    try:
        yield told
    finally:
        _watching.reset(token)
