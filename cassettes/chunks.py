"""How a stream arrives: in which chunks, after which pauses, and whether it breaks."""

import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

__all__ = [
    "Arrival",
    "RoundTrip",
    "TimedStream",
    "current_round_trip",
    "event_sizes",
    "paced",
    "resized",
    "round_trip",
    "steps_of",
]


@dataclass(frozen=True, slots=True)
class Arrival:
    """How the body of a response came.

    Attributes:
        sizes: The bytes of each chunk; empty if it came all at once, or nobody wants to know.
        seconds: The pause before each chunk; the first is the time to the first one. Empty if none are kept.
        broken: The error that ended it before its time, as `"RemoteProtocolError: peer closed connection"`.
    """

    sizes: tuple[int, ...] = ()
    seconds: tuple[float, ...] = ()
    broken: str = ""


@dataclass(slots=True)
class RoundTrip:
    """One request on its way through vcrpy, which knows nothing of chunks."""

    started: float = field(default_factory=time.perf_counter)
    sizes: list[int] = field(default_factory=list[int])
    seconds: list[float] = field(default_factory=list[float])
    error: Exception | None = None
    played: Arrival | None = None

    @property
    def arrival(self) -> Arrival:
        """How the response came."""
        broken = f"{type(self.error).__name__}: {self.error}" if self.error else ""
        return Arrival(tuple(self.sizes), tuple(self.seconds), broken)


_round_trip: ContextVar[RoundTrip | None] = ContextVar("round_trip", default=None)


def current_round_trip() -> RoundTrip:
    """Return the round trip that this thread or task is in; a new one if its client cannot tell of chunks."""
    return _round_trip.get() or RoundTrip()


@contextmanager
def round_trip() -> Iterator[RoundTrip]:
    """Note how the response to one request arrives."""
    token = _round_trip.set(found := RoundTrip())
    try:
        yield found
    finally:
        _round_trip.reset(token)


class TimedStream:
    """The stream of a real response, with a note of how it arrives; it ends where the real one breaks."""

    def __init__(self, stream: Any, noted: RoundTrip) -> None:
        self._stream = stream
        self._noted = noted
        self._last = noted.started
        self.close = getattr(stream, "close", None)
        self.aclose = getattr(stream, "aclose", None)

    def __iter__(self) -> Iterator[bytes]:
        try:
            for chunk in self._stream:
                yield self._note(chunk)
        except Exception as error:  # noqa: BLE001 - whatever breaks a stream is replayed
            self._noted.error = error

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for chunk in self._stream:
                yield self._note(chunk)
        except Exception as error:  # noqa: BLE001 - whatever breaks a stream is replayed
            self._noted.error = error

    def _note(self, chunk: bytes) -> bytes:
        now = time.perf_counter()
        self._noted.sizes.append(len(chunk))
        self._noted.seconds.append(round(now - self._last, 3))
        self._last = now
        return chunk


def paced(client: Any, content: bytes, arrival: Arrival, error: Exception | None = None) -> Any:
    """Make a stream for httpx or httpx2 that arrives as another one did, and breaks off with the same error."""
    import anyio

    class Paced(client.ByteStream):  # type: ignore[misc]  # which of the two modules is known only here
        def __iter__(self) -> Iterator[bytes]:
            for pause, chunk in steps:
                if pause:
                    time.sleep(pause)
                yield chunk
            if broken is not None:
                raise broken

        async def __aiter__(self) -> AsyncIterator[bytes]:
            for pause, chunk in steps:
                if pause:
                    await anyio.sleep(pause)
                yield chunk
            if broken is not None:
                raise broken

    steps = list(steps_of(content, arrival))
    broken = error or (_error(client, arrival.broken) if arrival.broken else None)
    return Paced(content)


def event_sizes(body: bytes) -> tuple[int, ...]:
    """List the sizes of a stream's events, each with the empty line after it."""
    *events, rest = body.split(b"\n\n")
    return (*(len(event) + 2 for event in events), *([len(rest)] if rest else []))


def resized(sizes: tuple[int, ...], before: bytes, after: bytes) -> tuple[int, ...]:
    """Find the same bounds in a stream whose secrets were hidden: in the same lines, at the same places."""
    if before == after:
        return sizes
    lines, clean = before.split(b"\n"), after.split(b"\n")
    bounds, end, line, start, shift = [0], 0, 0, 0, 0
    for size in sizes:
        end += size
        while line < len(lines) - 1 and end > start + len(lines[line]):
            start += len(lines[line]) + 1
            shift += len(clean[line]) + 1
            line += 1
        bounds.append(shift + min(end - start, len(clean[line])))
    return tuple(right - left for left, right in pairwise(bounds))


def steps_of(content: bytes, arrival: Arrival) -> Iterator[tuple[float, bytes]]:
    """List the chunks of a body, each after its pause."""
    place = 0
    for number, size in enumerate(arrival.sizes or (len(content),)):
        last = number == len(arrival.sizes) - 1
        yield (
            arrival.seconds[number] if number < len(arrival.seconds) else 0.0,
            content[place:] if last else content[place : place + size],
        )
        place += size


def _error(client: Any, text: str) -> Exception:
    name, _, message = text.partition(": ")
    kind: type[Exception] = getattr(client, name, client.ReadError)
    return kind(message)
