"""A load, in the order in which it happens.

1. `BaseMemory.aload_memory_variables` asks `view_of` for a view, `amessages` asks `view_to_send`. Both bring the log up
   to date first.
2. What was not learnt from yet is learnt, as far as that can be done now (`Learner.current`).
3. The strategy says what to show (`view`), of the log and of what was learnt.
4. What could not be learnt from is added word for word, as far as there is room, and the system message.
5. Pinned messages that are not among it are put where they were said, and where it is to be sent, a question that is
   not answered yet at the end.
6. `BaseMemory` writes the view as a transcript or as chat messages (`Renderer`).
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memzoo.memories.engine.hooks import check_returned
from memzoo.memories.engine.log import Log, messages_of, talk
from memzoo.memories.engine.state import State
from memzoo.memories.text.grouping import find_unanswered, last_exchange
from memzoo.memories.text.view import Cleared, View
from memzoo.stores import Entry
from memzoo.stores.message_list import looking_once

if TYPE_CHECKING:
    from memzoo.memories.engine.learner import Learner
    from memzoo.memories.engine.memory_protocol import Memory

__all__ = ["view_of", "view_to_send"]

_NO_STATE = State()


async def view_of(memory: "Memory", query: str | None, *, catch_up: bool = True) -> View:
    """What a memory shows now.

    Args:
        memory: What remembers.
        query: What the user is about to say, for a strategy that searches.
        catch_up: Learn first from what was not learnt from yet.
    """
    with looking_once():
        await memory.log.cached.refresh()
        return await _current_view(memory, query, catch_up=catch_up)


async def view_to_send(memory: "Memory", query: str | None, *, catch_up: bool = True) -> tuple[View, str | None]:
    """What a memory shows now, with the question that is not answered yet; and what was looked for.

    Without a query, that is what the user said last. What `redact` says is taken out of it here.
    """
    query = query and memory.redactor.text(query)
    with looking_once():
        log = await memory.log.refreshed()
        if query is None and memory.needs_query:
            query = await log.last_question()
        view = await _current_view(memory, query, catch_up=catch_up)
        if view.final:
            return view, query
        newest = await log.exchanges(1)
    said = [entry for entry in newest if not entry.unfinished]  # half an answer leaves its question open
    places = find_unanswered(messages_of(said))
    first = said[places[0]].seq if places else 0
    return view.ending_with([entry for entry in newest if entry.seq >= first], is_open=bool(places)), query


async def _current_view(memory: "Memory", query: str | None, *, catch_up: bool) -> View:
    """What a memory shows of a log that is up to date."""
    pinned = await memory.pins.current()
    if memory.learner is None:
        view = await _ask_for_view(memory, memory.log, _NO_STATE, query)
    else:
        view = await _learnt_view(memory, memory.learner, query, catch_up=catch_up)
    if not view.final and await memory.system.newest():
        view = replace(view, system=await memory.system.current(), entries=talk(view.entries))
    clearing = memory.log.cached.clearing
    clears = clearing is not None and (clearing.waits or any(map(_will_be_cleared, view.entries)))
    if clears or memory.pins.waits:
        view = replace(view, room=-1)
    if not pinned:
        return view
    from memzoo.memories.engine.pinning import show_pinned

    return await show_pinned(memory, view, pinned)


async def _ask_for_view(memory: "Memory", log: Log, state: State, query: str | None) -> View:
    view = await memory.view(log, state, query)
    return check_returned(memory, "view", view, View, "a View, such as View.of(entries)")


def _will_be_cleared(entry: Entry) -> bool:
    return entry.message["role"] in ("tool", "function") and not isinstance(entry, Cleared)


async def _learnt_view(memory: "Memory", learner: "Learner", query: str | None, *, catch_up: bool) -> View:
    """What a strategy shows that learns."""
    state = await (learner.current() if catch_up else learner.refresh())
    if not memory.shows_waiting:
        with memory.retry.mark_load(state.attempts):
            return await _ask_for_view(memory, memory.log, state, query)
    with memory.retry.mark_load(state.attempts):
        view = await _ask_for_view(memory, memory.log.passing_over(state.attempts.aside), state, query)
    if learner.is_idle(state) and not state.attempts.aside:
        return view
    waiting, ripe = await learner.find_waiting(state)
    return await _with_waiting(memory, view, state, waiting, ripe)


async def _with_waiting(memory: "Memory", view: View, state: State, waiting: Sequence[Entry], ripe: int) -> View:
    """The view with what could not be learnt from yet, and what was set aside: the newest of it that fits.

    The newest exchange is shown in any case, and calls of tools with their results or not at all.

    Args:
        memory: What remembers.
        view: What the strategy shows.
        state: What was learnt.
        waiting: What was not learnt from yet, oldest first.
        ripe: So many of them should have been; the strategy shows the others.
    """
    from memzoo.memories.engine.steps import size_of  # nothing waits, most of the time

    limit = memory.message_limit
    room = memory.max_pending_tokens if limit is None else limit
    # Where nothing asks for exact counts they are estimated, which needs no vocabulary.
    exact = memory.token_counter is not None or limit is not None
    size = memory.render.tokens if exact else size_of
    aside = [entry for first, last in state.attempts.aside for entry in await memory.log.between(first, last)]
    pending = [*aside, *waiting[:ripe]]
    left = room - sum(map(size, waiting[ripe:])) - sum(map(size, memory.pins.besides([*aside, *waiting])))
    gone = _too_many(pending, [*map(size, pending)], left, len(aside) + last_exchange(waiting))
    shown = {entry.seq: entry for entry in [*pending, *view.entries]}
    for entry in pending[:gone]:
        del shown[entry.seq]
    note = (f"({gone} earlier messages are not shown here, and were not learnt from yet.)",) if gone else ()
    shown_entries = [shown[seq] for seq in sorted(shown)]
    # What waits to be learnt from goes when it was.
    still = -1 if pending else view.room
    return replace(view, recalled=(*view.recalled, *note), entries=shown_entries, room=still)


def _too_many(pending: Sequence[Entry], sizes: Sequence[int], room: int, newest: int) -> int:
    """How many of the oldest do not fit; never those of the newest exchange, and no call without its results."""
    left, gone = sum(sizes), 0
    while gone < min(len(pending), newest) and left > room:
        left -= sizes[gone]
        gone += 1
        while gone < len(pending) and pending[gone].message["role"] == "tool":
            left -= sizes[gone]
            gone += 1
    return gone
