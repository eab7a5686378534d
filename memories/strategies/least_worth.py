"""Chooses what to drop when a state is full: first what was corrected, then what was said longest ago."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from memzoo.memories.engine.prompt_limit import estimated
from memzoo.memories.graph.fact import Fact
from memzoo.memories.strategies.note_statement import statements_in
from memzoo.stores import JSON

__all__ = ["facts_within", "notes_within_state"]


class _Kept(NamedTuple):
    """A statement or a fact with its worth: the one of least worth is dropped first."""

    worth: tuple[int, ...]
    key: str
    text: str


def notes_within_state(items: Mapping[str, Any], changes: Mapping[str, JSON], tokens: int) -> dict[str, JSON]:
    """Return changes that bring all notes within so many tokens.

    Drops corrected statements first, then those said longest ago; the first statement of a note, which says what the
    note is about, after all others. A note without statements is dropped, with its other names.
    """
    after = {key: item for key, item in {**items, **changes}.items() if item is not None}
    kept = (
        _Kept((one.holds, place == 0, max(one.seq, default=0)), key, one.text)
        for key, item in after.items()
        for place, one in enumerate(statements_in(item))
    )
    new = dict(changes)
    for key, texts in _choose_gone(kept, tokens).items():
        left = [one.as_json() for one in statements_in(after[key]) if one.text not in texts]
        new[key] = {"name": after[key]["name"], "statements": left} if left else None
    gone = {key for key, item in new.items() if item is None}
    return new | {key: None for key, item in after.items() if item.get("of") in gone}


def facts_within(items: Mapping[str, Any], changes: Mapping[str, JSON], tokens: int) -> dict[str, JSON]:
    """Return changes that bring all facts within so many tokens: drops corrected ones first, then the oldest."""
    after = {key: Fact.from_json(item) for key, item in {**items, **changes}.items() if item is not None}
    kept = (_Kept((not one.superseded_by, one.newest), key, one.triple) for key, one in after.items())
    return {**changes, **dict.fromkeys(_choose_gone(kept, tokens))}


def _choose_gone(kept: Iterable[_Kept], tokens: int) -> dict[str, set[str]]:
    """Return what to drop, by key."""
    ordered = sorted(kept)
    over, gone = sum(estimated(one.text) for one in ordered) - tokens, dict[str, set[str]]()
    for one in _until(ordered, over):
        gone.setdefault(one.key, set()).add(one.text)
    return gone


def _until(ordered: Iterable[_Kept], over: int) -> Iterator[_Kept]:
    for one in ordered:
        if over <= 0:
            return
        over -= estimated(one.text)
        yield one
