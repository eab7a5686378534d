"""Who has the floor: one turn of a conversation at a time, in all threads and tasks of the process."""

import asyncio
import threading
import weakref
from collections import deque
from concurrent.futures import Future
from contextvars import ContextVar

from memzoo.stores import Store
from memzoo.stores.driving import is_blocking
from memzoo.stores.errors import TurnInProgressError

__all__ = ["Floor", "floor_of"]

_held: ContextVar[frozenset[object]] = ContextVar("memzoo_floor", default=frozenset())
"""What the running code holds, with all that called it: waiting for one of these would never end."""


class Floor:
    """A lock in the order of asking, for threads and tasks alike: a waiting task does not stop its event loop.

    Whoever takes it gives an object of their own, and gives it back with the same object, from whichever thread.

    Args:
        store: Kept, so that nothing else gets its identity while the lock lives.
        conversation_id: For error texts.
    """

    def __init__(self, store: Store, conversation_id: str) -> None:
        self._store = store
        self._conversation_id = conversation_id
        self._guard = threading.Lock()
        self._holder: object = None
        self._ended: object = None
        self._waiting: deque[tuple[Future[None], object]] = deque()

    async def take(self, holder: object, *, wait: bool = True) -> None:
        """Take the floor, or wait for it.

        Raises:
            TurnInProgressError: It is taken, and waiting is not wanted or could never end.
        """
        place = Future[None]()
        with self._guard:
            if self._holder is None:
                self._holder = holder
                place.set_result(None)
            elif not wait or self._holder in _held.get():
                raise self._refusal(wait=wait)
            else:
                self._waiting.append((place, holder))
        if not place.done():
            await self._turn_comes(place, holder)
        _held.set(_held.get() | {holder})

    def give_back(self, holder: object) -> None:
        """Let the next one have it."""
        _held.set(_held.get() - {holder})
        with self._guard:
            self._holder = None
            while self._waiting and self._holder is None:
                place, following = self._waiting.popleft()
                if place.set_running_or_notify_cancel():
                    self._holder = following
                    place.set_result(None)

    def end(self) -> None:
        """Tell whoever has the floor that the conversation is deleted: what they still say is not to be stored."""
        self._ended = self._holder

    def is_ended(self, holder: object) -> bool:
        """Whether that was told to this holder."""
        return self._ended is holder

    async def _turn_comes(self, place: Future[None], holder: object) -> None:
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
        whose = (
            "this very code is in the middle of it: end it first, or close its stream"
            if wait
            else "busy='wait' waits for its end"
        )
        return TurnInProgressError(f"a turn of conversation {self._conversation_id!r} is under way; {whose}")


_floors: weakref.WeakValueDictionary[tuple[int, str], Floor] = weakref.WeakValueDictionary()
_floors_guard = threading.Lock()


def floor_of(store: Store, conversation_id: str) -> Floor:
    """The floor of a conversation: the same one for all memories of it over one store object in this process."""
    key = (id(store), conversation_id)
    with _floors_guard:
        floor = _floors.get(key)
        if floor is None:
            floor = _floors[key] = Floor(store, conversation_id)
        return floor
