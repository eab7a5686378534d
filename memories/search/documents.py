"""Turns saved exchanges into passages to search, and into documents with a line for each input and output."""

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from memzoo.memories.text.grouping import INSTRUCTIONS, is_answer
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
        """Write messages as they are searched, and see where exchanges begin, however they were saved."""
        before: Entry | None = None
        for entry in entries:
            if entry.message["role"] not in INSTRUCTIONS:
                speaker, text = self.labels.speaker(entry.message), self._searchable_text(entry)
                yield Passage(entry.seq, speaker, text, entry.created_at, begins=_begins_exchange(entry, before))
            before = entry

    def text(self, entries: Sequence[Entry]) -> str:
        """Write an exchange as a document; messages that were saved without keys become a transcript."""
        labels = self.labels.names.union(*(entry.fields for entry in entries))
        return "\n".join(line for entry in entries for line in self._lines(entry, labels))

    def _lines(self, entry: Entry, labels: AbstractSet[str]) -> Iterator[str]:
        if all(map(_is_hosts, entry.fields)):
            yield self.labels.line(entry.message)
        for key, value in self._visible_fields(entry).items():
            yield f"{key}: {quoted(text_of(entry.message) if value is None else value, labels)}"

    def _searchable_text(self, entry: Entry) -> str:
        beside = [f"{key}: {value}" for key, value in self._visible_fields(entry).items() if value]
        return quoted("\n".join([text_of(entry.message), *beside]), self.labels.names)

    def _visible_fields(self, entry: Entry) -> dict[str, str | None]:
        hidden = self.hidden if entry.message["role"] == "user" else ()
        return {key: value for key, value in entry.fields.items() if key not in hidden and not _is_hosts(key)}


def _begins_exchange(entry: Entry, before: Entry | None) -> bool:
    """Whether it is the user's, or what the assistant adds in another turn when it has answered already."""
    role = entry.message["role"]
    is_added = before is not None and before.turn_id != entry.turn_id and is_answer(before.message)
    return role == "user" or (role == "assistant" and is_added)


def _is_hosts(field: str) -> bool:
    return field.startswith("@")
