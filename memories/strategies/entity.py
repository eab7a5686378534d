"""Remember notes on each person, place and thing."""

import logging
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, NamedTuple

from memzoo.errors import ModelError, OptionError
from memzoo.memories.engine.log import Log
from memzoo.memories.engine.state import Changes, State
from memzoo.memories.models import replies
from memzoo.memories.models.replies import Amendment
from memzoo.memories.options import AtLeast, strategy
from memzoo.memories.search.unit_index import UnitIndex, introduce
from memzoo.memories.search.weights import UnitWeights
from memzoo.memories.strategies.antecedents import Antecedents
from memzoo.memories.strategies.entity_notes import EntityIndex, EntityNotes, NoteStatement, as_text, notes_within_state
from memzoo.memories.strategies.extracting import derive_in_pieces
from memzoo.memories.strategies.model_backed import ModelBackedMemory
from memzoo.memories.strategies.shown_notes import choose_notes, in_lines, notes_within
from memzoo.memories.text.explanation import report
from memzoo.memories.text.messages import text_of
from memzoo.memories.text.names import FOR_SURE, is_pronoun
from memzoo.memories.text.view import Finds, View
from memzoo.stores import JSON, Entry
from memzoo.sync import drive

logger = logging.getLogger("memzoo")


@strategy
class ConversationEntityMemory(ModelBackedMemory):
    """Shows the last `k` exchanges, and the statements of its notes that fit the input.

    Each person or thing has a separate note. After eight exchanges (`learn_every`), one call amends the notes: the
    model adds statements, and ends outdated statements, which stay as history. Until that call, the exchanges are shown
    word for word. A load searches without a model. It finds statements with words of the input, and all other
    statements of the same notes. A statement that forbids something, or mentions an allergy, is shown for any question,
    if there is room. Names are matched without regard to case. If the model replies that two names mean the same ("Bob
    = Robert"), both names share one note.

    This memory is good for details in few tokens. With a large model's notes on the bundled conversation, a view of 300
    tokens answers 59% of the questions, and a view of 1,000 tokens 88%; a search over the messages answers 26% and 50%.

    Costs: 1 call for 8 exchanges; tokens up to the limit.

    State: an item for each name, under the name's normalized spelling. A note is `{"name": ..., "statements": [...]}`.
    Another name for a note is `{"name": ..., "of": ...}`, where `of` is the key of the note. A statement has `text`,
    `said` (a day) and `seq` (log numbers of messages); a corrected statement also has `until` (a day) and `ended_by` (a
    log number).

    Example:
        >>> answers = iter(["Sam: Sam is the user's brother."])
        >>> memory = ConversationEntityMemory(llm=lambda messages: next(answers))
        >>> memory.save_context({"input": "Sam is my brother"}, {"output": "Nice!"})
        >>> memory.settle()  # learns now, from fewer than 8 exchanges
        >>> memory.load_memory_variables({"input": "Who is SAM?"})["entities"]
        {'Sam': "Sam is the user's brother."}
    """

    name = "entity"
    needs_query = True
    _limits_messages = False
    # Without an annotation, because annotated attributes are options. A subclass may set other weights.
    _weights = UnitWeights()

    k: int = 3
    """The number of newest exchanges to show, and to search for the person that "she" means; 0 for none. If several new
    exchanges are learnt together, only one exchange before them is searched. An exchange is a user message and
    everything up to the next one.
    """
    step: Annotated[int, AtLeast(0)] = 0
    """Show up to this many exchanges beyond `k`, then drop that many at once."""
    max_token_limit: Annotated[int | None, AtLeast(1)] = 1000
    """Token limit for all notes together. Of each note, the first statement and those that fit the input best are
    shown. `None` shows whole notes, but only on the names in the input.
    """
    stay_tokens: Annotated[int | None, AtLeast(1)] = None
    """Keep showing statements found for earlier questions, up to this many tokens, so that a provider's cache has
    them; new ones come after them. By default, each question gets a fresh choice.
    """
    ask_at_load: bool = False
    """Also ask the model at each load for the people and things that the input is about. The prompt lists the most
    likely names, each with a statement.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self._indexes = self._new_indexes({})
        if self.stay_tokens is not None and self.max_token_limit is None:
            raise OptionError("stay_tokens needs max_token_limit: only statements found for a question can stay")

    @property
    def memory_variables(self) -> list[str]:
        """The variables that a load returns: the notes, and the exchanges under `memory_key`."""
        return ["entities", *super().memory_variables]

    async def derive(self, state: State, entries: Sequence[Entry], log: Log) -> Changes:
        """Return the notes amended with the statements of the new messages."""
        return await derive_in_pieces(self._amend, state, entries, log)

    async def _amend(self, state: State, entries: Sequence[Entry], log: Log) -> Changes:
        before = await self._context(log, entries, self.k)
        if not self._teaches(before, entries):
            return Changes()
        indexes = self._indexes if self._keeps(state) else self._new_indexes(state.items)
        notes, lines = EntityNotes(state.items, indexes.names), self._lines_of(before, entries)
        new_lines = lines["new_lines"]
        touched = indexes.known.find_touched(new_lines, lambda line: notes.find_asked(line, self.render.labels))
        known = choose_notes(notes, touched, new_lines, lines["history"], self._retry.prompts.room_for_known)
        reply = await self._ask("entity_notes", **lines, known=known.entities, names=known.names)
        found = replies.amendments(reply, known.shown, new_lines)
        named = [one.name for one in found if one.name]  # new labels occur only in the reply
        same = replies.aliases(reply, [*known.shown, *named], new_lines)
        # "he = Paul" is valid in this context only, so it is not stored.
        same = {one: other for one, other in same.items() if not (is_pronoun(one) or is_pronoun(other))}
        told = _name_pronouns(found, Antecedents(lines["history"], new_lines))
        return self._bound(state, notes.amend_notes(known.resolve(told), same, entries))

    def _bound(self, state: State, changes: Mapping[str, JSON]) -> Changes:
        tokens = self.max_state_tokens
        return Changes(changes if tokens is None else notes_within_state(state.items, changes, tokens))

    async def oldest_needed(self, log: Log, state: State) -> int:
        """Return the log number of the oldest exchange that is shown, or needed to resolve pronouns in new messages."""
        return await log.until_number(state.watermark).start_of_exchanges(self.k, self.step)

    async def view(self, log: Log, state: State, query: str | None) -> View:
        """Return a view with the last exchanges, and with the statements that fit the query."""
        recent, (shown, room) = await log.exchanges(self.k), await log.exchanges_with_room(self.k, self.step)
        waiting = await log.after(state.watermark)
        older = [entry for entry in waiting if not shown or entry.seq < shown[0].seq]
        found = await self._find_shown(query or "", recent, state)
        notes = {name: one if isinstance(one, str) else as_text(one) for name, one in found.items()}
        view = View(entries=[*older, *shown], notes=notes, room=-1 if older else room)
        if self.stay_tokens is None:
            return view
        pairs = [(name, one) for name, kept in found.items() if not isinstance(kept, str) for one in kept]
        now = self._notes(state)

        def write(blocks: Sequence[Sequence[tuple[str, NoteStatement]]]) -> tuple[str, ...]:
            return tuple(filter(None, ["\n".join(filter(None, map(in_lines, blocks)))]))

        def holds(shown: Collection[tuple[str, NoteStatement]]) -> bool:
            return all(one in now.note(now.key(name)).holding for name, one in shown)

        return replace(view, finds=Finds(pairs, write, max(self.stay_tokens, self.max_token_limit or 0), holds))

    async def on_state_change(self, changes: Mapping[str, JSON], *, reset: bool) -> None:
        """Update the indexes with the state's changes."""
        self._indexes.apply(changes, reset=reset)

    @property
    def entities(self) -> dict[str, str]:
        """The notes: a dict from name to text, sorted by name. To include waiting messages, call `settle` first."""
        return EntityNotes(drive(self._known_state()).items).notes

    @property
    def aliases(self) -> dict[str, str]:
        """The other names of entities: a dict from another name to the name on the note."""
        return EntityNotes(drive(self._known_state()).items).aliases

    def _notes(self, state: State) -> EntityNotes:
        """Return the notes of a state; a state that is not stored, as in `relearn`, gets a separate index."""
        return EntityNotes(state.items, self._indexes.names if self._keeps(state) else None)

    def _new_indexes(self, items: Mapping[str, Any]) -> "_Indexes":
        names = EntityIndex()
        indexes = _Indexes(names, UnitIndex(names.units, self._weights))
        indexes.apply(items)
        return indexes

    async def _find_shown(
        self, query: str, recent: Sequence[Entry], state: State
    ) -> Mapping[str, str | Sequence[NoteStatement]]:
        """Return the notes to show, by name: chosen statements, or without a limit the whole note as text."""
        if not query.strip():
            return {}
        notes = self._notes(state)
        asked = None
        if self.ask_at_load:
            try:
                asked = await self._ask_for_names(query, recent, state)
            except ModelError as error:
                logger.warning("the input is searched only for known names: %s", error)
                asked = [*notes.find_names(query)]
        if self.max_token_limit is None:
            names = [*notes.find_names(query)] if asked is None else asked
            report("names", ((name, 1.0) for name in names))
            return notes.find(names)
        named = self._match_names(query, recent, notes) | dict.fromkeys(map(notes.key, asked or ()), FOR_SURE)
        found = self._indexes.known.search(query, named)
        report("words", ((one.unit.text, score) for one, score in found.items()))
        room = self.max_token_limit - self.render.frame_tokens
        groups = self._indexes.known.add_later(found, self.max_token_limit)
        return notes_within(room, groups, notes, self.render.count_found)

    def _match_names(self, query: str, recent: Sequence[Entry], notes: EntityNotes) -> dict[str, float]:
        """Return the keys of the notes that a query asks about, with certainties."""
        before = (text_of(entry.message) for entry in reversed(recent))
        return notes.find_asked(query, self.render.labels, before)

    async def _ask_for_names(self, query: str, recent: Sequence[Entry], state: State) -> list[str]:
        """Return the names that a query is about, from a model's reply."""
        notes = self._notes(state)
        likely = introduce(self._indexes.known.search(query, self._match_names(query, recent, notes)))
        history, known = self.render.lines(recent), [unit.text for unit in likely.values()]
        return replies.names(await self._ask("current_entities", history=history, input=query, known=known))


def _name_pronouns(found: Iterable[Amendment], antecedents: Antecedents) -> Iterator[Amendment]:
    """Yield the lines of a reply with names in place of pronouns; lines with an unclear pronoun are left out."""
    for one in found:
        if one.number:
            yield one
        elif name := antecedents.name_for(one.name, one.text):
            yield one._replace(name=name)


class _Indexes(NamedTuple):
    """The indexes of a state: one for names, and one for searches over statements."""

    names: EntityIndex
    known: UnitIndex

    def apply(self, changes: Mapping[str, JSON], *, reset: bool = False) -> None:
        """Apply changed items (`None` for a removed item); with `reset`, drop all items first."""
        self.names.apply(changes, reset=reset)
        self.known.apply(changes, reset=reset)
