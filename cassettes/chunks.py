"""Records the chunks, the pauses and an early end of a stream, and repeats them."""

import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from io import BytesIO
from itertools import accumulate, chain, pairwise, repeat
from typing import Any

from memzoo.sync import each


@dataclass(frozen=True, slots=True)
class Arrival:
    """The chunks in which the body of a response arrived, and the pauses between them.

    Attributes:
        sizes: The number of bytes in each chunk; empty if the body came at once.
        seconds: The pause before each chunk, beginning with the time to the first chunk; empty if pauses are not kept.
        broken: The error that ended the body early, such as `"RemoteProtocolError: peer closed connection"`.
    """

    sizes: tuple[int, ...] = ()
    seconds: tuple[float, ...] = ()
    broken: str = ""


AT_ONCE = Arrival()


async def receive(stream: Any, started: float) -> tuple[bytes, Arrival]:
    """Read a response's stream until its end or an error, and return the body, and its chunks and pauses.

    Args:
        stream: An asynchronous or a synchronous stream.
        started: The time when the request was sent, from `time.perf_counter`.
    """
    parts, seconds, broken, last = list[bytes](), list[float](), "", started
    try:
        async for chunk in each(stream):
            now = time.perf_counter()
            parts.append(chunk)
            seconds.append(round(now - last, 3))
            last = now
    except Exception as error:  # noqa: BLE001 - whatever breaks a stream is replayed
        broken = f"{type(error).__name__}: {error}"
    finally:
        await stream.aclose() if hasattr(stream, "aclose") else stream.close()
    return b"".join(parts), Arrival(tuple(map(len, parts)), tuple(seconds), broken)


def pace(client: Any, content: bytes, arrival: Arrival) -> Any:
    """Return a stream for httpx or httpx2 that repeats a recorded arrival.

    At the end of a broken stream, the recorded error is raised.
    """
    import anyio

    class Paced(client.ByteStream):  # type: ignore[misc]  # which of the two modules is known only here
        def __iter__(self) -> Iterator[bytes]:
            for pause, chunk in steps_of(content, arrival):
                if pause:
                    time.sleep(pause)
                yield chunk
            if broken is not None:
                raise broken

        async def __aiter__(self) -> AsyncIterator[bytes]:
            for pause, chunk in steps_of(content, arrival):
                if pause:
                    await anyio.sleep(pause)
                yield chunk
            if broken is not None:
                raise broken

    name, _, message = arrival.broken.partition(": ")
    broken: Exception | None = getattr(client, name, client.ReadError)(message) if name else None
    return Paced(content)


def event_sizes(body: bytes) -> tuple[int, ...]:
    """Return the size in bytes of each event in a stream's body, including the empty line after the event."""
    *events, rest = body.split(b"\n\n")
    return (*(len(event) + 2 for event in events), *([len(rest)] if rest else []))


def by_event(arrival: Arrival, body: bytes) -> Arrival:
    """Return `arrival` with one event in each chunk.

    The network groups events at random, so the chunks would differ from one recording to the next. The arrival is
    returned unchanged if one of its chunks ends within an event, or if its pauses are kept.
    """
    sizes = event_sizes(body)
    if not arrival.sizes or arrival.seconds or not {*accumulate(arrival.sizes)} <= {*accumulate(sizes)}:
        return arrival
    return replace(arrival, sizes=sizes)


def resize(sizes: tuple[int, ...], before: bytes, after: bytes) -> tuple[int, ...]:
    """Return chunk sizes for a body whose secrets were replaced. Each chunk still ends in the same line of the text."""
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
    """Yield the chunks of a body, each with the pause before it."""
    rest = BytesIO(content)
    # The last chunk is the rest, because an edit may have made the body longer.
    sizes = (*arrival.sizes[:-1], -1)
    for size, pause in zip(sizes, chain(arrival.seconds, repeat(0.0)), strict=False):
        yield pause, rest.read(size)
