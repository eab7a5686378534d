"""Why a view is as it is: what was searched for it, what its tokens were spent on, and what was left out."""

import functools
import json
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

from memzoo.memories.engine.explanation import Explanation, Find, Kind, LeftOut, ShownText
from memzoo.memories.engine.memory import Memory
from memzoo.memories.engine.searches import Searches
from memzoo.memories.text.messages import text_of
from memzoo.memories.text.tokens import TokenCounter
from memzoo.memories.text.view import View
from memzoo.stores import Entry, Message

__all__ = ["explained"]


async def explained(
    memory: Memory, told: Searches, view: View, query: str | None, max_tokens: int | None
) -> Explanation:
    """As `BaseMemory.aexplain`.

    Args:
        memory: The memory.
        told: What it told of its searches while it made the view.
        view: What it shows.
        query: What it searched for; `None` if it does not search.
        max_tokens: See there.
    """
    sent = memory.render.shown(view, max_tokens)
    limit = max_tokens or memory.message_limit
    if limit is None and not view.entries:  # else the limit is only for what was derived, which messages stand beside
        limit = getattr(memory, "max_token_limit", None)
    entries = await memory.log.page()
    shown = tuple(_shown(sent, view, memory.counter))
    numbers = {one.number for one in shown} | {passage.seq for passage in view.passages}
    finds = tuple(_finds(told.found, numbers, {entry.seq: text_of(entry.message) for entry in entries}, shown))
    numbers |= {find.what for find in finds if find.shown and isinstance(find.what, int)}
    learnt = (await memory.known_state()).watermark
    hidden = {find.what for find in finds if not find.shown}
    reason = functools.partial(_reason, view, hidden, learnt, of_messages=told.of_messages)
    missing = (entry for entry in entries if entry.seq not in numbers)
    left_out = tuple(LeftOut(one.seq, reason(one), text_of(one.message)) for one in missing)
    return Explanation(memory.name, query, limit, shown, finds, left_out)


def _shown(sent: Sequence[Message], view: View, counter: TokenCounter) -> list[ShownText]:
    """What is sent, each with where it comes from; of messages that are alike, the newest are those that were left."""
    numbers: dict[str, list[int]] = {}
    for entry in (*([view.system] if view.system else []), *view.entries):
        numbers.setdefault(_key(entry.message), []).append(entry.seq)
    system = view.system.seq if view.system else None
    shown: list[ShownText] = []
    for message in reversed(sent):
        known = numbers.get(_key(message))
        number = known.pop() if known else None
        kind: Kind = "recalled" if number is None else "system" if number == system else "message"
        if number in view.pinned:
            kind = "pinned"
        shown.append(ShownText(kind, counter(message), number, text_of(message), message["role"]))
    return shown[::-1]


def _finds(
    searches: Sequence[tuple[str, dict[Any, float]]],
    numbers: Container[object],
    said: Mapping[int, str],
    shown: Sequence[ShownText],
) -> Iterable[Find]:
    """What was found, each with whether it is shown: as a message, or in a text."""
    texts = "\n".join(one.text for one in shown)
    for by, scores in searches:
        for what, score in scores.items():
            text = said.get(what, "") if isinstance(what, int) else str(what)
            yield Find(by, what, float(score), what in numbers or bool(text and text in texts))


def _reason(view: View, found: Container[object], learnt: int, entry: Entry, *, of_messages: bool) -> Any:
    """Why a message is not shown, which a search may have found and which may be learnt from."""
    if of_messages:
        return "found, but no room" if entry.seq in found else "not found"
    if entry.seq <= learnt:
        return "learnt from"
    first = min((one.seq for one in view.entries), default=0)
    return "older than what is shown" if entry.seq < first else "not shown"


def _key(message: Message) -> str:
    return json.dumps(message, sort_keys=True)
