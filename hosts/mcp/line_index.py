"""Finds notes and messages by their words."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from memzoo.forks import new_lock
from memzoo.hosts.mcp.notes import Note
from memzoo.stores import Entry
from memzoo.strategy import Passage, text_of

if TYPE_CHECKING:
    from memzoo.memories.search.word_index import WordIndex

# Stop once this many texts in a row do not fit into the rest of the limit.
_MOST_PASSED_OVER = 20


class _Line(NamedTuple):
    """A searchable line: a note or a message.

    Attributes:
        text: The line.
        said_at: The time of the note or message; `None` if unknown.
        order: The `order` of the note, see `Note`; `None` for a message.
    """

    text: str
    said_at: datetime | None
    order: tuple[int, int] | None


class LineIndex:
    """An index to search notes and messages by their words. Each search first adds the new ones."""

    def __init__(self) -> None:
        self._lock = new_lock()
        self._index: WordIndex | None = None
        self._lines: list[_Line] = []
        self._newest_note = (0, -1)
        self.last_said = 0
        """The log number of the last message added."""

    def search(self, query: str, notes: Sequence[Note], said: Sequence[Entry]) -> list[str]:
        """Return the lines that match a query, the best first. For an empty query, return all lines, the newest first.

        `notes` are all current notes, in order. `said` are the messages added to the log since the previous search.
        """
        from memzoo.memories.search.word_index import WordIndex  # imports numpy

        with self._lock:
            new = [note for note in notes if note.order > self._newest_note]
            told = [one for one in said if one.seq > self.last_said and one.message["role"] in ("user", "assistant")]
            lines = [
                *(_Line(_text_of_note(note), note.fact.sources[-1].said_at, note.order) for note in new),
                *(_Line(text_of(one.message), one.said_at, None) for one in told),
            ]
            self._newest_note = max([self._newest_note, *(note.order for note in new)])
            self.last_said = max([self.last_said, *(one.seq for one in said)])
            self._index = index = self._index or WordIndex()
            first = len(self._lines) + 1
            self._lines += lines
            index.add(
                Passage(place, "", line.text, line.said_at, begins=True) for place, line in enumerate(lines, first)
            )
            # The scores are in descending order.
            best = [self._lines[number - 1] for number in index.scores(query)] if query.strip() else self._lines[::-1]
            kept = {note.order for note in notes}
            return [line.text for line in best if line.order is None or line.order in kept]


def _text_of_note(note: Note) -> str:
    fact = note.fact
    return {"entity": f"{fact.subject} ({fact.object})", "observation": f"{fact.subject}: {fact.object}"}.get(
        note.kind, str(fact)
    )


def choose_texts(limit: int, texts: Sequence[str], tokens: Callable[[str], int]) -> list[str]:
    """Return the texts that together fit in `limit` tokens, one per line, in their original order.

    A text that does not fit in the remaining tokens is skipped. After 20 such texts in a row, no more are tried.
    """
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
    # The tokens of the joined lines can differ a little from the sum of the lines' tokens.
    while chosen and tokens("\n".join(chosen)) > limit:
        chosen.pop()
    return chosen
