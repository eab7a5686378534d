"""Turns saved exchanges into passages to search, and into documents with a line for each input and output."""

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from memzoo.memories.text.grouping import INSTRUCTIONS
from memzoo.memories.text.messages import Labels, quoted, text_of
from memzoo.memories.text.view import Passage
from memzoo.stores import Entry

__all__ = ["Documents"]


@dataclass(frozen=True)
class Documents:
    """The entries of a log as texts.

    Attributes:
        labels: Name the speakers.
        hidden: Names of inputs that are left out.
    """

    labels: Labels
    hidden: AbstractSet[str]

    def passages(self, entries: Iterable[Entry]) -> Iterator[Passage]:
        """Write messages as they are searched; a new document begins with each turn and with each user message."""
        turn, document = "", 0
        for entry in entries:
            if entry.turn_id != turn or entry.message["role"] == "user":
                turn, document = entry.turn_id, entry.seq
            if entry.message["role"] not in INSTRUCTIONS:
                speaker = self.labels.speaker(entry.message)
                yield Passage(entry.seq, speaker, self._searched(entry), entry.created_at, document)

    def text(self, entries: Sequence[Entry]) -> str:
        """Write an exchange as a document; messages that were saved without keys become a transcript."""
        labels = self.labels.names.union(*(entry.fields for entry in entries))
        return "\n".join(line for entry in entries for line in self._lines(entry, labels))

    def _lines(self, entry: Entry, labels: AbstractSet[str]) -> Iterator[str]:
        if all(map(_is_hosts, entry.fields)):
            yield self.labels.line(entry.message)
        for key, value in self._shown(entry).items():
            yield f"{key}: {quoted(text_of(entry.message) if value is None else value, labels)}"

    def _searched(self, entry: Entry) -> str:
        beside = [f"{key}: {value}" for key, value in self._shown(entry).items() if value]
        return quoted("\n".join([text_of(entry.message), *beside]), self.labels.names)

    def _shown(self, entry: Entry) -> dict[str, str | None]:
        hidden = self.hidden if entry.message["role"] == "user" else ()
        return {key: value for key, value in entry.fields.items() if key not in hidden and not _is_hosts(key)}


def _is_hosts(field: str) -> bool:
    return field.startswith("@")
