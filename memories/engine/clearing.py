"""Old results of tools, replaced where the log is shown or learnt from."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Protocol

from memzoo.memories.text.clearing import RESULTS, ClearToolResults, Numbered, replace_result, results_to_clear
from memzoo.memories.text.view import Cleared
from memzoo.stores import Entry

__all__ = ["Clearing"]


class Held(Protocol):
    """What a `CachedLog` has."""

    epoch: Hashable

    @property
    def entries(self) -> list[Entry]:
        """The newest entries, oldest first."""
        ...


class Pinned(Protocol):
    """What is known of pinned messages."""

    entries: Sequence[Entry]


class Clearing:
    """Replaces old results of tools by lines, as `ClearToolResults` says. The log itself keeps all.

    Args:
        option: Which are replaced.
        held: The log.
        size: Counts the tokens of an entry.
        pins: The pinned messages, which stay.
    """

    def __init__(
        self,
        option: ClearToolResults,
        held: Held,
        size: Callable[[Entry], int],
        pins: Pinned,
    ) -> None:
        self._option, self._held, self._size, self._pins = option, held, size, pins
        self._epoch: Hashable = None
        # What the names are true of, the names of tools by number, and the entries that were replaced.
        self._known: tuple[Hashable, Mapping[int, str], dict[int, Cleared]] = (None, {}, {})

    def replace_old(self, entries: list[Entry]) -> list[Entry]:
        """Return entries of the log as they are shown: results that are old enough are lines."""
        if not any(entry.message["role"] in RESULTS for entry in entries):
            return entries
        held = self._held.entries
        older = [entry for entry in entries if held and entry.seq < held[0].seq]
        names, lines = self._names([*older, *held])
        return [self._line(entry, names[entry.seq], lines) if entry.seq in names else entry for entry in entries]

    @property
    def waits(self) -> bool:
        """Whether a result may become a line later: as it is shorter then, a limit may show again what it left out."""
        held = self._held.entries
        results = [entry.seq for entry in held if entry.message["role"] in RESULTS]
        return bool(results) and not self._names(held)[0].keys() >= {*results}

    def replace_all(self, entries: Sequence[Entry]) -> Sequence[Entry]:
        """Return entries as they are learnt from: each result that may be is a line, so that it is always the same."""
        if not any(entry.message["role"] in RESULTS for entry in entries):
            return entries
        exclude, over = self._option.exclude, self._option.over
        option = ClearToolResults(keep=0, step=1, over=over, exclude=exclude)
        # Behind an answer, nothing is open.
        end = Numbered(entries[-1].seq + 1, {"role": "assistant", "content": ""})
        names = results_to_clear([*(Numbered(entry.seq, entry.message) for entry in entries), end], option)
        lines = dict[int, Cleared]()
        return [self._line(entry, names[entry.seq], lines) if entry.seq in names else entry for entry in entries]

    def _names(self, said: Sequence[Entry]) -> tuple[Mapping[int, str], dict[int, Cleared]]:
        pinned = frozenset(entry.seq for entry in self._pins.entries)
        about = self._held.epoch, said[0].seq, said[-1].seq, pinned
        if self._known[0] != about:
            found = results_to_clear([Numbered(entry.seq, entry.message) for entry in said], self._option)
            lines = self._known[2] if self._epoch == self._held.epoch else dict[int, Cleared]()
            self._epoch = self._held.epoch
            self._known = about, {seq: name for seq, name in found.items() if seq not in pinned}, lines
        return self._known[1:]

    def _line(self, entry: Entry, name: str, lines: dict[int, Cleared]) -> Entry:
        if isinstance(entry, Cleared) or entry.seq in lines:
            return lines.get(entry.seq, entry)
        message = replace_result(entry.message, name, self._option.over, lambda: self._size(entry))
        if message is entry.message:
            return entry
        lines[entry.seq] = line = Cleared(entry.seq, message, entry.turn_id, entry.created_at, entry.fields)
        return line
