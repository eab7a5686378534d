"""Follows the branches of a conversation that is a tree of messages."""

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain
from typing import Any

from memzoo.errors import TransferError
from memzoo.hosts.exports.chat_log import ChatLog, count, tell_left_out
from memzoo.stores import Message

_NIL = "00000000-0000-"
"""The beginning of the id that some forms give as the parent of a first message."""


def tree_of(
    title: str,
    parents: Mapping[str, Any],
    said: Callable[[str], Sequence[tuple[Message, datetime | None]]],
    *,
    shown: str | None = None,
    unsaid: Callable[[str], str] = lambda _: "",
    notes: Iterable[str] = (),
    id: str = "",  # noqa: A002 - the name of the attribute
) -> ChatLog:
    """Return a branch of a tree of messages as a conversation, with a note that counts the other branches.

    Args:
        title: The conversation's title.
        parents: A dict from each node's id to its parent's id; `None` or "" for a node without a parent.
        said: A function that takes a node's id, and returns the node's messages with dates.
        shown: The id of the branch's last node. By default, the branch is the last one in `parents` that has messages.
        unsaid: A function that takes the id of a node without messages, and returns a noun such as "tool step". A note
            states the number of nodes for each noun. Nodes with the noun "" are not counted.
        notes: Sentences to add to the conversation's notes.
        id: The conversation's id in its export.

    Raises:
        TransferError: A node's parent is missing, or a node is its own ancestor. The error names the id.
    """
    if not parents:
        return ChatLog(title, [], [], list(notes), id)
    leaves = dict[str, None].fromkeys(parents)
    for parent in parents.values():
        leaves.pop(parent, None)
    # The last leaf with words on its branch; nodes without words can stand anywhere in the file.
    ends = (leaf for leaf in reversed(leaves) if any(said(id_) for id_ in _branch(parents, leaf)))
    last = shown if shown is not None else next(ends, None) or [*parents][-1]
    branch = _branch(parents, last)
    others = _find_others(parents, leaves, branch, said)

    def log_of(title: str, ids: list[str], id_: str, further: Iterable[str] = ()) -> ChatLog:
        pairs = {one: said(one) for one in ids}
        nouns = Counter(noun for one, told in pairs.items() if not told and (noun := unsaid(one)))
        return ChatLog.of(title, chain.from_iterable(pairs.values()), [*notes, *tell_left_out(nouns), *further], id=id_)

    told: list[str] = []
    firsts = sum(one not in parents and (not one or str(one).startswith(_NIL)) for one in parents.values())
    if firsts > 1:
        told.append(f"{firsts} messages have no message before them, and each begins a branch")
    if others:
        told.append(f"{count(len(others), 'other branch', 'other branches')} left out (FILE:branches=all reads them)")
        if shown is None:
            told.append("the file does not say which branch is shown; the last one is read")

    def branches() -> Iterator[ChatLog]:
        for number, leaf in enumerate(others, start=2):
            which = f", branch {number}"
            yield log_of(f"{title}{which}", _branch(parents, leaf), f"{id}{which}" if id else "")

    return replace(log_of(title, branch, id, told), branches=branches)


def _find_others(
    parents: Mapping[str, Any], leaves: Iterable[str], branch: list[str], said: Callable[[str], Sequence[Any]]
) -> list[str]:
    """Return the leaves with words on the way from the shown branch; each node is visited once."""
    worded: dict[str, bool] = dict.fromkeys(branch, False)
    others: list[str] = []
    for leaf in leaves:
        found = False
        for id_ in (further := _branch(parents, leaf, worded)):
            found = worded.get(parents[id_], False) or found or bool(said(id_))
            worded[id_] = found
        if further and found:
            others.append(leaf)
    return others


def _branch(parents: Mapping[str, Any], last: str, known: Container[str] = ()) -> list[str]:
    """Return the ids from the first node, or from the first that is not known, to this one."""
    branch = dict[str, None]()
    place: Any = last
    while place and place not in known:
        if place not in parents and str(place).startswith(_NIL):
            break
        if place not in parents or place in branch:
            raise TransferError(f"its messages are not a tree: {place!r} is not in it, or follows itself")
        branch[place] = None
        place = parents[place]
    return [*branch][::-1]
