"""Search by words: the documents of one conversation in SQLite's full-text index, ranked by BM25."""

import re
import sqlite3
import threading
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Document", "WordIndex"]

# Words that stand in every question and say nothing about what it is after.
_STOP_WORDS = frozenset(
    """
    a about am an and any are as at be been but by can could did do does for from had has have he her him his how i if
    in into is it its me my no not of on or our she should so some that the their them they this to us was we were what
    when where which who whom whose why will with would you your
    """.split()
)


@dataclass(frozen=True, slots=True)
class Document:
    """A piece of the log that is found and shown as one.

    Attributes:
        first: The log number of its first message; what it is known by.
        last: The log number of its last message.
        text: What it says.
    """

    first: int
    last: int
    text: str


class WordIndex:
    """Documents in SQLite FTS5 (English stems, any script), in memory; built from the log, never the only copy.

    Example:
        >>> index = WordIndex()
        >>> index.add([Document(1, 2, "input: I moved to Oslo"), Document(3, 4, "input: my cat likes fish")])
        >>> index.search("Where do you live since you moved?", 5)
        [1]
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._database = sqlite3.connect(":memory:", check_same_thread=False)
        self._database.execute(
            "CREATE VIRTUAL TABLE documents USING fts5(text, last UNINDEXED, tokenize='porter unicode61')"
        )
        self.last = 0
        """The last log number that is in the index."""

    def add(self, documents: Iterable[Document]) -> None:
        """Put in documents, oldest first; those that are there already are left alone."""
        with self._lock:
            new = [document for document in documents if document.first > self.last]
            rows = [(document.first, document.text, document.last) for document in new]
            self._database.executemany("INSERT INTO documents (rowid, text, last) VALUES (?, ?, ?)", rows)
            self.last = max([self.last, *(document.last for document in new)])

    def search(self, query: str, limit: int) -> list[int]:
        """The first numbers of documents that share words with the query, best first, older first among equals."""
        words = list(dict.fromkeys(re.findall(r"\w+", query.casefold())))
        telling = [word for word in words if word not in _STOP_WORDS] or words
        if not telling:
            return []
        match = " OR ".join(f'"{word}"' for word in telling)
        with self._lock:
            rows = self._database.execute(
                "SELECT rowid FROM documents WHERE documents MATCH ? ORDER BY bm25(documents), rowid LIMIT ?",
                (match, limit),
            )
            return [first for (first,) in rows]

    def document(self, first: int) -> Document | None:
        """The document that begins with a log number."""
        with self._lock:
            row = self._database.execute("SELECT text, last FROM documents WHERE rowid = ?", (first,)).fetchone()
        return Document(first, row[1], row[0]) if row else None
