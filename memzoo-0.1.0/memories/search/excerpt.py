"""Shows what was found as it was said, with speakers and dates, within a budget."""

from collections.abc import Awaitable, Callable, Iterable, Sequence

from memzoo.memories.text.passage import Passage

__all__ = ["evidence", "fit_found", "fit_passages"]

# When so many in a row are too long for what is left, it is full.
_MOST_PASSED_OVER = 20
_READ_AT_ONCE = 64


def evidence(passages: Iterable[Passage]) -> tuple[str, ...]:
    """Write passages as one text: a line for each, in the order in which they were said, under the date of that day.

    Example:
        >>> from datetime import UTC, datetime
        >>> day = datetime(2026, 5, 8, tzinfo=UTC)
        >>> print(*evidence([Passage(7, "Anna", "See you!", day, 7), Passage(3, "Bo", "Hi", day, 3)]))
        On 8 May 2026:
        Bo: Hi
        Anna: See you!
    """
    lines: list[str] = []
    date = ""
    for passage in sorted(passages, key=lambda passage: passage.seq):
        if date != (date := _date(passage)):
            lines.append(date)
        lines.append(_line(passage))
    return ("\n".join(lines),) if lines else ()


def fit_passages(limit: int, passages: Iterable[Passage], tokens: Callable[[str], int]) -> Sequence[Passage]:
    """Choose the passages that fit a limit together, as `evidence` shows them.

    Args:
        limit: Tokens; dates and speakers count.
        passages: The most useful first. One that does not fit is passed over for the next that does.
        tokens: Counts the tokens of a text.
    """
    chosen: list[Passage] = []
    dates: set[str] = set()
    left, passed_over = limit, 0
    for passage in passages:
        if passed_over == _MOST_PASSED_OVER:
            break
        new = {_date(passage)} - dates
        cost = tokens(_line(passage) + "\n") + sum(tokens(date + "\n") for date in new)
        if cost > left:
            passed_over += 1
            continue
        left, passed_over = left - cost, 0
        dates |= new
        chosen.append(passage)
    # Counted as one text, tokens can differ a little from the sum over lines.
    while chosen and tokens(evidence(chosen)[0]) > limit:
        chosen.pop()
    return chosen


async def fit_found(
    limit: int,
    seqs: Sequence[int],
    read: Callable[[Sequence[int]], Awaitable[Sequence[Passage]]],
    tokens: Callable[[str], int],
) -> Sequence[Passage]:
    """Choose as `fit_passages` does among messages given by number, and `read` only as many as are looked at."""
    count = _READ_AT_ONCE
    while True:
        passages = iter(await read(seqs[:count]))
        chosen = fit_passages(limit, passages, tokens)
        if count >= len(seqs) or next(passages, None) is not None:
            return chosen
        count *= 2


def _line(passage: Passage) -> str:
    return f"{passage.speaker}: {passage.text}"


def _date(passage: Passage) -> str:
    return f"On {passage.date}:"
