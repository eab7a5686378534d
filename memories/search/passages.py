"""The log cut into passages: what a search finds, and the context in which it looks for it."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta

from memzoo.memories.text.passage import Passage

__all__ = ["Passages"]

# Context is bounded in length, not in messages: where messages are long, three of them are too much.
_WINDOW_CHARACTERS = 850
_SEGMENT_CHARACTERS = 3_000
_PAUSE = timedelta(hours=1)


class Passages:
    """The passages of a conversation in order, and around each of them a window and a segment of context.

    A window reaches from a passage to both sides, a segment is one of the blocks that the conversation is cut into;
    neither reaches over a pause of more than an hour, and both are bounded in characters (850 and 3,000).
    """

    def __init__(self) -> None:
        self._passages: list[Passage] = []
        self._segments: list[int] = []

    def __len__(self) -> int:
        return len(self._passages)

    def __iter__(self) -> Iterator[Passage]:
        return iter(self._passages)

    @property
    def last(self) -> int:
        """The number of the newest passage; 0 if there is none."""
        return self._passages[-1].seq if self._passages else 0

    def append(self, passages: Iterable[Passage]) -> tuple[range, range]:
        """Add passages that follow in the log.

        Returns:
            The places, counted from 0, of the new passages, and those of all whose window may be another now.
        """
        first = reached = len(self._passages)
        for passage in passages:
            self._passages.append(passage)
            self._segments.append(self._segment_of_newest())
        room = _WINDOW_CHARACTERS
        while reached > 0 and room > 0:
            reached -= 1
            room -= len(self._passages[reached].text)
        return range(first, len(self._passages)), range(reached, len(self._passages))

    def at(self, place: int) -> Passage:
        """The passage at a place."""
        return self._passages[place]

    def numbered(self, seq: int) -> Passage | None:
        """The passage with a log number."""
        place = bisect_left(self._passages, seq, key=lambda passage: passage.seq)
        found = self._passages[place] if place < len(self._passages) else None
        return found if found and found.seq == seq else None

    def document(self, first: int) -> list[Passage]:
        """All passages of the exchange that begins with a log number, in order."""
        place = bisect_left(self._passages, first, key=lambda passage: passage.seq)
        found: list[Passage] = []
        while place < len(self._passages) and self._passages[place].document == first:
            found.append(self._passages[place])
            place += 1
        return found

    def text(self, place: int) -> str:
        """The date and the text of a passage."""
        return _joined(self._passages[place : place + 1])

    def window(self, place: int) -> str:
        """The date of a passage and the text around it, the passage included."""
        first, end = self._window(place)
        return _joined(self._passages[first:end])

    def segment(self, place: int) -> int:
        """The place at which the segment of a passage begins."""
        return self._segments[place]

    def segment_text(self, start: int) -> str:
        """The date and the text of the segment that begins at a place."""
        end = start
        while end < len(self._passages) and self._segments[end] == start:
            end += 1
        return _joined(self._passages[start:end])

    def _segment_of_newest(self) -> int:
        place = len(self._passages) - 1
        if place == 0 or self._pause_before(place):
            return place
        start = self._segments[place - 1]
        size = sum(len(passage.text) for passage in self._passages[start:])
        return place if size > _SEGMENT_CHARACTERS else start

    def _window(self, place: int) -> tuple[int, int]:
        """Where a window begins and ends; it grows by turns to the left and to the right."""
        first, end = place, place + 1
        room = _WINDOW_CHARACTERS - len(self._passages[place].text)
        grown = True
        while grown:
            grown = False
            if first > 0 and not self._pause_before(first) and len(self._passages[first - 1].text) <= room:
                first, grown = first - 1, True
                room -= len(self._passages[first].text)
            if end < len(self._passages) and not self._pause_before(end) and len(self._passages[end].text) <= room:
                room -= len(self._passages[end].text)
                end, grown = end + 1, True
        return first, end

    def _pause_before(self, place: int) -> bool:
        return self._passages[place].said_at - self._passages[place - 1].said_at > _PAUSE


def _joined(passages: Sequence[Passage]) -> str:
    return " ".join([passages[0].date, *(passage.text for passage in passages)])
