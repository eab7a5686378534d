"""Merges several views of one conversation: shows nothing twice, and keeps within a budget of tokens."""

import itertools
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from memzoo.errors import OverBudgetError
from memzoo.memories.search.excerpt import evidence, fit_passages
from memzoo.memories.text.language import content_stems
from memzoo.memories.text.rendering import Renderer
from memzoo.memories.text.sentences import sentences
from memzoo.memories.text.shortening import shortened
from memzoo.memories.text.view import Passage, View
from memzoo.stores import Entry

__all__ = ["merged"]

_NEW_AT_MOST = 0.2
_DENIES = re.compile(
    r"\b(?:not|no|nor|never|none|nobody|nothing|\w+n['\u2019]t|nicht|nie|kein\w*)\b|[\u4e0d\u6ca1\u6c92]", re.IGNORECASE
)


def merged(
    views: Sequence[View], renderer: Renderer, *, limit: int | None, shares: Sequence[float], first: View | None = None
) -> View:
    """Merge views of one conversation, showing each text and each message once.

    Each view first gets its share of the limit; what is left goes to the views in the order of their shares. Within a
    view, texts come first (cut at a sentence if necessary), then messages from the newest back, then passages, the most
    useful first. A passage is dropped if its message is already shown as a message, or if the texts already say nearly
    all of it; what it denies, they have to deny too.

    Args:
        views: What to show; their order does not matter.
        renderer: Counts tokens.
        limit: The most tokens in all; `None` for no limit.
        shares: One for each view, not all 0.
        first: What to show whole, before anything else.

    Raises:
        OverBudgetError: `first` alone exceeds the limit.
    """
    merge = _Merge(renderer if limit is not None else None)
    most = sys.maxsize if limit is None else limit
    merge.add(first or View(), sys.maxsize)
    if merge.size > most:
        what = "the system message, what is pinned, the newest user message and what follows it"
        raise OverBudgetError.of(what, merge.size, most)
    # Passages last: they fill up what is left of a share, and need not be chosen from what is shown already.
    for place in sorted(range(len(views)), key=lambda place: bool(views[place].passages)):
        share = int(most * (shares[place] / sum(shares)))
        merge.add(views[place], min(most, merge.size + share))
    for place in sorted(range(len(views)), key=lambda place: -shares[place]):
        merge.add(views[place], most)
    # A limit leaves to messages what texts leave, which is less or more at each turn.
    return replace(merge.view(), **(_still(views) if limit is None else {}))


class _Merge:
    """What is shown so far."""

    def __init__(self, renderer: Renderer | None) -> None:
        # Without a limit nothing need be counted.
        self.render = renderer
        self._texts: dict[str, str] = {}
        self._quoted = set[str]()
        self._said: dict[int, Entry] = {}
        self._found: list[Passage] = []
        self._said_size = self._found_size = 0

    @property
    def size(self) -> int:
        """The tokens of all that is shown."""
        texts = sum(self._text_size(shown, quoted=text in self._quoted) for text, shown in self._texts.items())
        return texts + self._said_size + self._found_size

    def add(self, view: View, limit: int) -> None:
        """Add what a view shows, as far as the total stays within a limit."""
        for text in view.derived:
            self._add_text(text, limit)
        # What passages show is added as passages.
        for text in replace(view, quotes=()).quoted if view.passages else view.quoted:
            self._quoted.add(text)
            self._add_text(text, limit)
        entries = {entry.seq: entry for entry in view.entries}
        for group in _groups(entries):
            if not self._add_entries({seq: entries[seq] for seq in group}, limit):
                break
        self._add_passages(view.passages, limit)

    def view(self) -> View:
        """All of it."""
        derived = tuple(shown for text, shown in self._texts.items() if text not in self._quoted)
        quotes = (*(shown for text, shown in self._texts.items() if text in self._quoted), *evidence(self._found))
        return View(derived, [self._said[seq] for seq in sorted(self._said)], quotes=quotes)

    def _add_text(self, text: str, limit: int) -> None:
        told = {line for known, shown in self._texts.items() if known != text for line in shown.splitlines() if line}
        new = "\n".join(line for line in text.splitlines() if line not in told) if told else text
        shown = self._texts.get(text, "")
        quoted = text in self._quoted
        room = limit - self.size + self._text_size(shown, quoted=quoted)

        def fits(beginning: str) -> bool:
            return self._text_size(beginning, quoted=quoted) <= room

        if shown != new and (beginning := shortened(new, fits)):
            self._texts[text] = beginning

    def _add_entries(self, entries: Mapping[int, Entry], limit: int) -> bool:
        """Add all of them if they fit; return whether they did."""
        new = {seq: entry for seq, entry in entries.items() if seq not in self._said}
        # Shown as a message, it need not be found any more: its passage makes room.
        found = [passage for passage in self._found if passage.seq not in new]
        found_size = self._found_size if len(found) == len(self._found) else self._evidence_size(found)
        said_size = self._said_size + (sum(map(self.render.tokens, new.values())) if self.render else 0)
        if self.size - self._said_size - self._found_size + said_size + found_size > limit:
            return False
        self._said.update(new)
        self._found, self._found_size, self._said_size = found, found_size, said_size
        return True

    def _add_passages(self, passages: Sequence[Passage], limit: int) -> None:
        shown = self._said.keys() | {passage.seq for passage in self._found}
        lines = [line for text in self._texts.values() for line in sentences(text)]
        told, denied = _stems(lines), _stems(line for line in lines if _DENIES.search(line))
        new = [one for one in passages if one.seq not in shown]
        if untold := [one for one in new if not _is_told(one, denied if _DENIES.search(one.text) else told)]:
            room = limit - self.size + self._found_size
            frame = self.render.frame_tokens if self.render else 0
            self._found = list(fit_passages(room - frame, [*self._found, *untold], self._line_size))
            while self._found and self._evidence_size(self._found) > room:
                self._found.pop()
            self._found_size = self._evidence_size(self._found)

    def _evidence_size(self, passages: Sequence[Passage]) -> int:
        return sum(self._text_size(text, quoted=True) for text in evidence(passages))

    def _line_size(self, text: str) -> int:
        return self.render.text_tokens(text) if text and self.render else 0

    def _text_size(self, text: str, *, quoted: bool) -> int:
        return self.render.recalled_tokens(text, quoted=quoted) if text and self.render else 0


def _still(views: Sequence[View]) -> dict[str, Any]:
    """Return how stable the merged views are: if only one of them shows messages, or all show any number."""
    rooms = {view.room for view in views if view.entries}
    room = rooms.pop() if len(rooms) == 1 else -1
    several = sum(bool(view.entries) for view in views) > 1
    return {
        "room": -1 if several and room is not None else room,
        "texts_stay": all(view.texts_stay for view in views),
    }


def _stems(lines: Iterable[str]) -> Collection[str]:
    return frozenset(itertools.chain.from_iterable(map(content_stems, lines)))


def _is_told(passage: Passage, told: Collection[str]) -> bool:
    """Tell whether a passage adds hardly anything: most of its content words were told already."""
    stems = set(content_stems(passage.text))
    return bool(stems) and len(stems - set(told)) <= _NEW_AT_MOST * len(stems)


def _groups(entries: Mapping[int, Entry]) -> Iterator[list[int]]:
    """Yield the numbers of entries from the newest back, a tool call together with its results."""
    group: list[int] = []
    for seq in sorted(entries, reverse=True):
        group.append(seq)
        if entries[seq].message["role"] != "tool":
            yield group
            group = []
