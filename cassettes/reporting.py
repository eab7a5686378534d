"""The words of a failure: what happened, how it differs from the recording, and what to do."""

from collections.abc import Collection, Sequence
from pathlib import Path

from memzoo.cassettes.matching import RequestKey, differences, nearest

__all__ = ["missing", "shown", "too_large", "unmatched", "unplayed"]


def shown(path: Path) -> str:
    """A path as short as it can be written from here."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def missing(path: Path, hint: str) -> str:
    """There is nothing to replay."""
    return f"There is no cassette {shown(path)!r}, and recording is off.\n{hint}"


def unmatched(
    asked: RequestKey, recorded: Sequence[RequestKey], unplayed: Collection[int], path: Path, hint: str
) -> str:
    """A request has no recording left; `unplayed` are the places in `recorded` that are."""
    lines = _played_up(asked, recorded) if asked in recorded else _unknown(asked, recorded, unplayed)
    return "\n".join([f"No recording is left for this request:\n  {asked}", *lines, _where(path, recorded), hint])


def unplayed(recorded: Sequence[RequestKey], left: Collection[int], path: Path, hint: str) -> str:
    """Recorded requests were not sent; `left` are their places in `recorded`."""
    lines = [f"  {place + 1}. {recorded[place]}" for place in sorted(left)]
    title = f"{len(lines)} of {len(recorded)} recorded requests were not sent:"
    return "\n".join([title, *lines, _where(path, recorded), hint])


def too_large(path: Path, size: int, limit: int) -> str:
    """A recording is larger than a cassette may be."""
    return (
        f"The cassette {shown(path)!r} would have {size:,} bytes; the limit is {limit:,}, so it was not written."
        " Record fewer or shorter calls (for embeddings: fewer dimensions), or raise max_bytes."
    )


def _played_up(asked: RequestKey, recorded: Sequence[RequestKey]) -> list[str]:
    times = recorded.count(asked)
    return [f"It was recorded {times} {'time' if times == 1 else 'times'}, and every one of them has been played."]


def _unknown(asked: RequestKey, recorded: Sequence[RequestKey], unplayed: Collection[int]) -> list[str]:
    # What was not played yet is what this request most likely used to be.
    places = sorted(unplayed) or list(range(len(recorded)))
    found = nearest(asked, [recorded[place] for place in places])
    if found is None:
        return ["Nothing is recorded in the cassette."]
    place = places[found]
    lines = [f"  {line}" for line in differences(asked, recorded[place])]
    return [f"The nearest is number {place + 1} (- recorded, + asked for):", *lines]


def _where(path: Path, recorded: Sequence[RequestKey]) -> str:
    return f"Cassette: {shown(path)} ({len(recorded)} recorded)"
