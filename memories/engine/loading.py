"""A load, step by step.

1. `BaseMemory.aload_memory_variables` calls `view_of`, and `BaseMemory.amessages` calls `view_to_send`. Both bring the
   log up to date first.
2. The state catches up with the log, if possible now (`Learner.current`).
3. The strategy shows some of the log and the state (`view`); `Finds` adds earlier search results, if wanted.
4. Set-aside and waiting messages are added word for word, if there is room, and then the system message.
5. Pinned messages that the view lacks are added at their original places. A view to be sent ends with the unanswered
   question, if any.
6. `BaseMemory` writes the view as a transcript or as chat messages (`Renderer`). If a token limit leaves out waiting
   messages, all waiting messages are learnt from, and the load begins again.
"""

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from memzoo.memories.engine.hooks import await_hook
from memzoo.memories.engine.log import Log, messages_of, talk
from memzoo.memories.engine.pins import show_pinned
from memzoo.memories.engine.state import NO_STATE, State
from memzoo.memories.text.grouping import find_unanswered, kind_of, last_exchange
from memzoo.memories.text.view import Piece, View
from memzoo.text import copy_json

if TYPE_CHECKING:
    from memzoo.memories.base import BaseMemory
    from memzoo.memories.engine.learner import Learner, Waiting

# A combined memory's `view` loads its members: they, too, must learn nothing in a load that learns nothing.
_catches_up: ContextVar[bool] = ContextVar("memzoo_catches_up", default=True)


async def view_of(memory: "BaseMemory", query: str | None) -> View:
    """Return a memory's current view."""
    with memory.log.cached.looking_once():
        await memory.log.cached.refresh()
        return await _current_view(memory, query)


async def view_to_send(memory: "BaseMemory", query: str | None, *, catch_up: bool = True) -> tuple[View, str | None]:
    """Return a memory's current view, and the query used for the view.

    The view ends with the unanswered question, if there is one. If `query` is `None`, a strategy that searches uses
    the user's last words.
    """
    with memory.log.cached.looking_once(), _catching_up(catch_up):
        log = await memory.log.refreshed()
        if query is None and memory.needs_query:
            query = await log.last_question()
        view = await _current_view(memory, query)
        if view.final:
            return view, query
        newest = await log.exchanges(1)
    said = [entry for entry in newest if not entry.unfinished]  # a question with a partial answer is still open
    places = find_unanswered(messages_of(said))
    first = said[places[0]].seq if places else 0
    return view.ending_with([entry for entry in newest if entry.seq >= first], is_open=bool(places)), query


async def learn_left_out(memory: "BaseMemory", whole: Iterable[Piece], sent: Iterable[Piece]) -> bool:
    """If a request leaves out a message that waits to be learnt from, learn from all waiting messages.

    Args:
        memory: The memory.
        whole: The pieces of the view.
        sent: The pieces of the request.

    Returns:
        True if anything was learnt, so that the view has changed.
    """
    known, kept = ({piece.entry.seq for piece in pieces if piece.entry} for pieces in (whole, sent))
    gone = known - kept
    return any([await learner.learn_left_out(gone) for learner in memory.learners]) if gone else False


@contextmanager
def _catching_up(catch_up: bool) -> Generator[None]:  # noqa: FBT001 - has one use
    token = _catches_up.set(catch_up)
    try:
        yield
    finally:
        _catches_up.reset(token)


async def _current_view(memory: "BaseMemory", query: str | None) -> View:
    """Return a memory's view of an up-to-date log."""
    log, cached = memory.log, memory.log.cached
    pinned = await cached.pins.current()
    # The members of a combined memory learn, and it does not.
    learner = next((one for one in memory.learners if one.hooks is memory), None) if memory.learners else None
    if learner is None:
        view = await _ask_for_view(memory, log, NO_STATE, query)
    else:
        view = await _learnt_view(memory, learner, query)
    if not view.final and await cached.system.newest():
        view = replace(view, system=await cached.system.current(), entries=talk(view.entries))
    clearing = cached.clearing
    if cached.pins.waits or (clearing and clearing.may_change(view.entries)):
        view = replace(view, room=-1)
    return show_pinned(view, pinned) if pinned else view


async def _ask_for_view(memory: "BaseMemory", log: Log, state: State, query: str | None) -> View:
    called = memory.view(log, state, query)
    view = await await_hook(memory, "view", called, View, "a View, such as View.of(entries)")
    if view.finds:
        cached, quoted = memory.log.cached, view.finds.quoted
        cached.finds, texts = view.finds.behind(cached.finds, partial(memory.render.count_recalled, quoted=quoted))
        view = replace(view, quotes=texts) if quoted else replace(view, recalled=texts)
    return view


def variables_of(memory: "BaseMemory", view: View) -> dict[str, Any]:
    """Return a view as `load_memory_variables` returns it: a dict from variable to value."""
    *others, transcript = memory.memory_variables
    shown = copy_json(memory.render.messages(view)) if memory.return_messages else memory.render.text(view)
    return {transcript: shown} | {name: dict(view.notes or {}) for name in others} if others else {transcript: shown}


async def _learnt_view(memory: "BaseMemory", learner: "Learner", query: str | None) -> View:
    """Return the view of a strategy that learns."""
    state = await (learner.current() if _catches_up.get() else learner.refresh())
    log = memory.log.passing_over(state.attempts.aside) if learner.rules.shows_waiting else memory.log
    with learner.retry.mark_load(state.attempts):
        view = await _ask_for_view(memory, log, state, query)
    is_idle = learner.is_idle(state)
    holds = learner.rules.portion > 1 and (learner.holds or not is_idle)
    if not holds and (not learner.rules.shows_waiting or (is_idle and not state.attempts.aside)):
        return view
    waiting = await learner.find_waiting(state)
    if not (learner.rules.shows_waiting or waiting.is_held):
        return view
    return await _with_waiting(learner, view, state, waiting)


async def _with_waiting(learner: "Learner", view: View, state: State, waiting: "Waiting") -> View:
    """Return a view with set-aside and due messages added, the newest that fit.

    The newest exchange is shown in any case. A tool call is shown with its results or not at all.

    Args:
        learner: The strategy's learner.
        view: The strategy's view.
        state: The state.
        waiting: The messages not learnt from yet; the strategy itself shows those that are not due.
    """
    aside, pinned = await learner.find_others(state, waiting.entries)
    pending = [*aside, *waiting.entries[: waiting.due]]
    room, size = learner.room_for_waiting()
    over = sum(map(size, [*aside, *waiting.entries, *pinned])) - room
    gone, newest = 0, len(aside) + min(waiting.due, last_exchange(waiting.entries))
    while gone < newest and over > 0:
        over -= size(pending[gone])
        gone += 1
        while gone < len(pending) and kind_of(pending[gone].message) == "result":
            over -= size(pending[gone])
            gone += 1
    known = {entry.seq for entry in view.entries}
    shown = {entry.seq: entry for entry in [*pending, *view.entries]}
    for entry in pending[:gone]:
        del shown[entry.seq]
    note = (f"({gone} earlier messages are not shown here, and were not learnt from yet.)",) if gone else ()
    shown_entries = [shown[seq] for seq in sorted(shown)]
    # Messages leave the view once they are learnt from: the strategy knows when, if it shows a portion by itself.
    stays = not pending or (waiting.is_held and all(entry.seq in known for entry in pending))
    still = view.room if stays else -1
    return replace(view, recalled=(*view.recalled, *note), entries=shown_entries, room=still)
