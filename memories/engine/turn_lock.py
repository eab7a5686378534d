"""Who has the floor: one turn of a conversation at a time, in all threads and tasks of the process."""

import asyncio
import contextlib
import threading
from collections import deque
from collections.abc import Generator
from concurrent.futures import Future
from contextvars import ContextVar

from memzoo.memories.engine.locks import Shared
from memzoo.stores import Store
from memzoo.stores.driving import is_blocking
from memzoo.stores.errors import TurnInProgressError

__all__ = ["Floor", "Holder", "floor_of"]


class Holder:
    """Whoever has the floor, or waits for it.

    Attributes:
        loop: The event loop of the thread, if one is running there.
        task: The task that took it, in asynchronous code.
    """

    def __init__(self) -> None:
        self.loop: asyncio.AbstractEventLoop | None = None
        with contextlib.suppress(RuntimeError):
            self.loop = asyncio.get_running_loop()
        self.task = asyncio.current_task() if self.loop and not is_blocking() else None

    def waits_for(self, other: "Holder") -> bool:
        """Whether it could not give the floor back while the other one waits for it."""
        if self in _waited_for.get():
            return True
        if other.task:
            return self.task is other.task
        # A synchronous call stops the loop of its thread, if there is one.
        return other.loop is not None and self.loop is other.loop

    @contextlib.contextmanager
    def waiting(self) -> Generator[None]:
        """What runs in this block, in tasks and threads too, is waited for: it must not wait for the floor in turn."""
        before = _waited_for.get()
        _waited_for.set(before | {self})
        try:
            yield
        finally:
            _waited_for.set(before)


_waited_for: ContextVar[frozenset[Holder]] = ContextVar("memzoo_floor", default=frozenset())


class Floor:
    """A lock in the order of asking, for threads and tasks alike: a waiting task does not stop its event loop.

    Args:
        conversation_id: For error texts.
    """

    def __init__(self, conversation_id: str) -> None:
        self._conversation_id = conversation_id
        self._guard = threading.Lock()
        self._holder: Holder | None = None
        self._ended: Holder | None = None
        self._row: deque[tuple[Future[None], Holder]] = deque()

    async def take(self, *, wait: bool = True) -> Holder:
        """Take the floor, or wait for it.

        Raises:
            TurnInProgressError: It is taken, and waiting is not wanted or could never end.
        """
        holder, place = Holder(), Future[None]()
        with self._guard:
            if self._holder is None:
                self._holder = holder
                place.set_result(None)
            elif not wait or self._holder.waits_for(holder):
                raise self._refusal(wait=wait)
            else:
                self._row.append((place, holder))
        if not place.done():
            await self._turn_comes(place, holder)
        if is_blocking():
            # A task is known by itself, but a thread may do other things in between: what counts is who calls whom.
            _waited_for.set(_waited_for.get() | {holder})
        return holder

    def give_back(self, holder: Holder) -> None:
        """Let the next one in the row have it."""
        _waited_for.set(_waited_for.get() - {holder})
        with self._guard:
            self._holder = None
            while self._row and self._holder is None:
                place, following = self._row.popleft()
                if place.set_running_or_notify_cancel():
                    self._holder = following
                    place.set_result(None)

    def end(self) -> None:
        """Tell whoever has the floor that the conversation is deleted: what they still say is not to be stored."""
        self._ended = self._holder

    def is_ended(self, holder: Holder) -> bool:
        """Whether that was told to this holder."""
        return self._ended is holder

    async def _turn_comes(self, place: Future[None], holder: Holder) -> None:
        try:
            if is_blocking():
                place.result()
            else:
                await asyncio.wrap_future(place)
        except BaseException:
            if not place.cancel():
                self.give_back(holder)
            raise

    def _refusal(self, *, wait: bool) -> TurnInProgressError:
        why = (
            "waiting for it here would never end, because it is waited for itself: end it first, or close its stream"
            if wait
            else "busy='wait' waits for its end"
        )
        return TurnInProgressError(f"a turn of conversation {self._conversation_id!r} is under way; {why}")


_floors: Shared[Floor] = Shared(Floor)


def floor_of(store: Store, conversation_id: str) -> Floor:
    """The floor of a conversation: the same one for all memories of it over one store object in this process."""
    return _floors.of(store, conversation_id)
