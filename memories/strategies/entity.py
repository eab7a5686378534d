"""Remember notes on each person, place and thing."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from memzoo.memories.engine import explaining
from memzoo.memories.engine.log import Log, messages_of
from memzoo.memories.engine.state import Changes, State
from memzoo.memories.models import replies
from memzoo.memories.options import option, strategy
from memzoo.memories.strategies.entity_notes import EntityIndex, EntityNotes
from memzoo.memories.strategies.model_backed import ModelBackedMemory
from memzoo.memories.text.messages import text_of
from memzoo.memories.text.shortening import fitting
from memzoo.memories.text.view import View
from memzoo.stores import JSON, Entry
from memzoo.stores.driving import drive
from memzoo.stores.errors import ModelError

__all__ = ["ConversationEntityMemory"]

logger = logging.getLogger("memzoo")

_MOST_OTHERS = 10


@strategy
class ConversationEntityMemory(ModelBackedMemory):
    """Shows the last `k` exchanges, and notes on the people and things mentioned in the input.

    Each person or thing has a note of its own, so what is said about one never pushes out what was said about another.
    Loading asks the model who is mentioned (one call). Saving brings all notes up to date in one call, after one that
    finds the names, unless the load before it found them. A name is known however it is written: "Sam", "sam" and "SAM"
    are one. Where the model says that two names mean the same ("Bob = Robert"), there is one note, found by either.

    Costs: 1 call a load, 1 or 2 a save.

    State: by canonical name, `{"name": ..., "statements": [...]}` for a note, oldest first, and `{"name": ..., "of":
    ...}` for another name, where `of` is the key of the note. A statement has `text`, the day it was `said`, and `seq`,
    the log numbers of the messages that said it; one that was corrected has also `until`, the day, and `ended_by`, the
    log number. What is not known is left out. (In memzoo 0.1: `{"name": ..., "summary": ...}`, read as sentences.)

    Example:
        >>> answers = iter(["Sam", "Sam: Sam is the user's brother.", "SAM"])
        >>> memory = ConversationEntityMemory(llm=lambda messages: next(answers))
        >>> memory.save_context({"input": "Sam is my brother"}, {"output": "Nice!"})
        >>> memory.load_memory_variables({"input": "Who is SAM?"})["entities"]
        {'Sam': "Sam is the user's brother."}
    """

    name = "entity"
    needs_query = True

    k: int = option(
        3,
        doc='How many exchanges are shown, and used to tell who "she" is; 0 for none. An exchange is a user message '
        "and what follows it up to the next one.",
    )
    max_token_limit: int | None = option(
        None,
        at_least=1,
        doc="Tokens that the notes may have together. Then the notes on what the last `k` exchanges mention follow "
        "those on what the input mentions, as far as they fit.",
    )
    chat_history_key: str = option(
        "history", doc='The variable under which the exchanges are returned; the notes are under "entities".'
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self._hint: _Hint | None = None
        self._index = EntityIndex()

    @property
    def memory_variables(self) -> list[str]:
        """The variables that loading returns: the notes and the exchanges."""
        return ["entities", self.chat_history_key]

    async def derive(self, state: State, entries: Sequence[Entry], log: Log) -> Changes:
        """Find the names in the new messages, then bring the notes on them up to date."""
        new_lines = self._renderer.lines_of(messages_of(entries))
        before = await log.until_number(entries[0].seq - 1).exchanges(self.k)
        history = self._renderer.lines(before)
        names = self._found_by_load(entries)
        if names is None:
            names = replies.names(await self.ask("entity_extraction", history=history, new_lines=new_lines))
            if not names:
                return Changes()
        notes = self._notes(state)
        # A correction seldom names what it corrects: the notes on what was spoken of just before are shown too.
        spoken_of = islice(_spoken_of([*before, *entries], notes), _MOST_OTHERS)
        known = notes.asked_about([*names, *spoken_of])
        reply = await self.ask("entity_update", history=history, new_lines=new_lines, entities=known)
        shown = [name for entity in known for name in (entity["name"], *entity["aliases"])]
        found = replies.notes(reply, shown, new_lines)
        same, said = replies.aliases(reply, shown, new_lines), entries[-1].created_at.date()
        return Changes(notes.changes(found, same, shown, said, [entry.seq for entry in entries]))

    async def oldest_needed(self, log: Log, state: State) -> int:
        """The exchanges that tell who "she" is in the next messages."""
        return await log.until_number(state.watermark).start_of_exchanges(self.k)

    async def view(self, log: Log, state: State, query: str | None) -> View:
        """The last exchanges, and the notes on who and what is mentioned in the query."""
        recent = await log.exchanges(self.k)
        notes = self._notes(state)
        names = await self._names(query or "", recent, state)
        waiting = await log.after(state.watermark)
        older = [entry for entry in waiting if not recent or entry.seq < recent[0].seq]
        if self.max_token_limit is not None:
            names = [*names, *_spoken_of(recent, notes)]
        explaining.found("names", ((name, 1.0) for name in names))
        return View.of([*older, *recent], notes=fitting(notes.found(names), self._fits))

    async def on_state_change(self, changes: Mapping[str, JSON], *, reset: bool) -> None:
        """Follow the names in the index."""
        self._index.apply(changes, reset=reset)

    @property
    def entities(self) -> dict[str, str]:
        """All notes by name, sorted by name."""
        return EntityNotes(drive(self._engine.state()).items).notes

    @property
    def aliases(self) -> dict[str, str]:
        """Other names for what there are notes on, each with the name on the note."""
        return EntityNotes(drive(self._engine.state()).items).aliases

    def _notes(self, state: State) -> EntityNotes:
        """The notes of a state; of one that is not kept, as when all is learnt anew, with an index of its own."""
        return EntityNotes(state.items, self._index if self._engine.keeps(state) else None)

    async def _names(self, query: str, recent: Sequence[Entry], state: State) -> list[str]:
        self._found = None
        if not query.strip():
            return []
        try:
            history = self._renderer.lines(recent)
            names = replies.names(await self.ask("current_entities", history=history, input=query))
        except ModelError as error:
            logger.warning("only names that are known already are looked for in the input: %s", error)
            return list(self._notes(state).standing_in(query))
        self._hint = _Hint(query, recent[-1].seq if recent else state.watermark, names)
        return names

    def _fits(self, notes: Mapping[str, str]) -> bool:
        text = "\n".join(View(notes=dict(notes)).texts)
        return self.max_token_limit is None or self._renderer.text_tokens(text) <= self.max_token_limit

    def _found_by_load(self, entries: Sequence[Entry]) -> list[str] | None:
        hint, self._hint = self._hint, None
        first = entries[0]
        exchange = [entry.message["role"] for entry in entries] == ["user", "assistant"]
        if hint is None or not exchange or hint[:2] != (text_of(first.message), first.seq - 1):
            return None
        return hint.names


class _Hint(NamedTuple):
    """What a load found out, so that the save after it need not ask again: its input, the end of the log, the names."""

    query: str
    last_seq: int
    names: list[str]


def _spoken_of(entries: Sequence[Entry], notes: EntityNotes) -> Iterator[str]:
    """The known names that stand in messages, those of the newest first."""
    for entry in reversed(entries):
        yield from notes.standing_in(text_of(entry.message))
