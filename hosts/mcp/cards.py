"""Finds what is known and what was said by their words."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from memzoo.forks import new_lock
from memzoo.hosts.mcp.notes import Note
from memzoo.stores import Entry
from memzoo.strategy import Passage, text_of

if TYPE_CHECKING:
    from memzoo.memories.search.word_index import WordIndex

__all__ = ["Cards", "card_of", "choose_texts"]

# When so many in a row are too long for what is left, it is full.
_MOST_PASSED_OVER = 20


class _Card(NamedTuple):
    """A line that can be found: a note or a message.

    Attributes:
        text: The line.
        said_at: When it came; `None` if nobody knows.
        order: The order of the note; `None` for a message.
    """

    text: str
    said_at: datetime | None
    order: tuple[int, int] | None


class Cards:
    """The words of notes and messages. What comes later is put in when it is looked for."""

    def __init__(self) -> None:
        self._lock = new_lock()
        self._index: WordIndex | None = None
        self._cards: list[_Card] = []
        self._newest_note = (0, -1)
        self.last_said = 0
        """The number of the last message that was put in."""

    def search(self, query: str, notes: Sequence[Note], said: Sequence[Entry]) -> list[str]:
        """The lines that fit a query, best first; without a query, the newest first.

        Args:
            query: What is looked for.
            notes: All that hold, in order.
            said: The messages of the log that follow `last_said`; calls of tools among them are passed over.
        """
        with self._lock:
            self._put_in(notes, said)
            holding = {note.order for note in notes}
            best = self._rank(query)
            return [card.text for card in best if card.order is None or card.order in holding]

    def _rank(self, query: str) -> Iterator[_Card]:
        if not query.strip() or self._index is None:
            return reversed(self._cards)
        return (self._cards[number - 1] for number in self._index.scores(query))

    def _put_in(self, notes: Sequence[Note], said: Sequence[Entry]) -> None:
        from memzoo.memories.search.word_index import WordIndex  # numpy is loaded only where it is needed

        new = [note for note in notes if note.order > self._newest_note]
        told = [one for one in said if one.seq > self.last_said and one.message["role"] in ("user", "assistant")]
        cards = [
            *(_Card(card_of(note), note.fact.sources[-1].said_at, note.order) for note in new),
            *(_Card(text_of(one.message), one.said_at, None) for one in told),
        ]
        self._newest_note = max([self._newest_note, *(note.order for note in new)])
        self.last_said = max([self.last_said, *(one.seq for one in said)])
        self._index = index = self._index or WordIndex()
        first = len(self._cards) + 1
        self._cards += cards
        index.add(Passage(place, "", card.text, card.said_at, begins=True) for place, card in enumerate(cards, first))


def card_of(note: Note) -> str:
    """A note as a line.

    Example:
        >>> from memzoo.memories.graph.fact import Fact
        >>> card_of(Note("relation", Fact("Ada", "works_at", "Acme"), (1, 0), "call_1"))
        'Ada works_at Acme'
    """
    fact = note.fact
    return {"entity": f"{fact.subject} ({fact.object})", "observation": f"{fact.subject}: {fact.object}"}.get(
        note.kind, str(fact)
    )


def choose_texts(limit: int, texts: Sequence[str], tokens: Callable[[str], int]) -> list[str]:
    """Choose the texts that have at most `limit` tokens as lines, the most useful first."""
    chosen: list[str] = []
    left, passed_over = limit, 0
    for text in texts:
        cost = tokens(text + "\n")
        if cost <= left:
            left, passed_over = left - cost, 0
            chosen.append(text)
            continue
        passed_over += 1
        if passed_over == _MOST_PASSED_OVER:
            break
    # Counted as one text, tokens can differ a little from the sum over lines.
    while chosen and tokens("\n".join(chosen)) > limit:
        chosen.pop()
    return chosen
