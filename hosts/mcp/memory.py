"""A memory with a graph of entities, observations and relations, which a model writes with tool calls."""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated

from memzoo.errors import MessageError, OverBudgetError
from memzoo.hosts.mcp import reading
from memzoo.hosts.mcp.calls import AddObservations, Write, call_in, message_of
from memzoo.hosts.mcp.line_index import LineIndex, choose_texts
from memzoo.hosts.mcp.notes import Note, Replay, key_of
from memzoo.memories import KnowledgeGraph
from memzoo.memories.engine.log import CachedLog
from memzoo.memories.graph.provenance import reasons
from memzoo.memories.options import whole_number
from memzoo.stores import JSON, Entry, Record
from memzoo.strategy import AtLeast, BaseMemory, Changes, Log, State, View, strategy, text_of
from memzoo.sync import blocking
from memzoo.types import Reason

_LONGEST_QUERY = 2_000  # characters; each word takes time to look up, and questions are shorter


@strategy
class GraphMemory(BaseMemory):
    """Shows a graph of notes (entities, observations and relations) that the model writes with tool calls.

    The log keeps each tool call as a message, and the graph is derived from these messages in order, without asking a
    model. Deleted notes stay as history.

    Costs: no model call; each read returns tokens up to a limit.
    Needs: nothing.

    State: an item for each entity, observation and relation; see `Note.as_json`.

    Example:
        >>> from memzoo.hosts.mcp.calls import WRITES, parse_arguments
        >>> memory = GraphMemory()
        >>> ada = {"name": "Ada", "entityType": "person", "observations": ["likes tea"]}
        >>> memory.write(parse_arguments(WRITES["create_entities"], {"entities": [ada]}, "create_entities"))[0].names
        ('Ada',)
        >>> memory.recall("who likes tea?", 100)
        ['Ada: likes tea', 'Ada (person)']
        >>> memory.why("tea")[0].quotes[0].seq
        1
    """

    name = "mcp-graph"
    needs_query = True

    max_token_limit: Annotated[int, AtLeast(1)] = 1_000
    """The maximum number of tokens of recalled notes and messages."""
    max_read_tokens: Annotated[int, AtLeast(64)] = 25_000
    """The maximum number of tokens that a read of the graph returns; the newest notes that fit are shown."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._notes: dict[str, Note] = {}
        self._known = self._notes, reading.Known(())
        self._line_index = LineIndex()

    async def derive(self, state: State, entries: Sequence[Entry], log: Log) -> Changes:
        """Return the changes that the tool calls in the new messages make to the graph."""
        replay = Replay(state.items)
        # In `entries`, long messages are shortened to fit into a prompt; a call is needed whole.
        for entry in await log.between(entries[0].seq, entries[-1].seq):
            if call := call_in(entry):
                replay.take(call, entry)
        return Changes(replay.changes)

    async def view(self, log: Log, state: State, query: str | None) -> View:
        """Return a view with the notes and messages that match the query, one per line."""
        lines = await self._find_lines(query or "", self.max_token_limit)
        return View(quotes=("\n".join(lines),) if lines else ())

    async def on_state_change(self, changes: Mapping[str, JSON], *, reset: bool) -> None:
        """Parse the notes that have changed in the state, and keep them with the other parsed notes."""
        if reset:
            self._line_index = LineIndex()
        notes = {} if reset else dict(self._notes)
        notes |= {key: Note.from_json(value) for key, value in changes.items() if value is not None}
        self._notes = {key: note for key, note in notes.items() if changes.get(key, True) is not None}

    async def awrite(self, arguments: Write) -> list[Note]:
        """Write to the graph with a tool call: store the call, and apply its changes.

        Args:
            arguments: The arguments of a tool in `calls.WRITES`.

        Returns:
            The new notes of this call, in order; none for a deletion.

        Raises:
            MessageError: An observation is about an unknown entity; nothing was stored.
        """
        if isinstance(arguments, AddObservations):
            await self._check_known(one.entity_name for one in arguments.observations)
        call = message_of(arguments)
        await self.aadd_messages([call])
        return reading.in_order(note for note in self._notes.values() if note.call == call["tool_call_id"])

    async def alist_notes(self) -> list[Note]:
        """Return all current notes, in the order in which they were written."""
        return (await self._now()).notes

    async def _now(self) -> reading.Known:
        """Return the current notes in order; the notes are sorted only after a change."""
        await self.asettle()
        source, known = self._known
        if source is not (notes := self._notes):
            known = reading.Known(notes.values())
            self._known = notes, known
        return known

    async def agraph(self) -> reading.ToolResult:
        """Return the graph: all notes, or if they exceed `max_read_tokens`, the newest notes that fit."""
        return self._within(await self.alist_notes())

    async def asearch(self, query: str) -> reading.ToolResult:
        """Return the entities whose name, type or observations contain the query, with all their relations."""
        known = await self._now()
        return self._within(known.about(known.find_matching(query)))

    async def aopen(self, names: Sequence[str]) -> reading.ToolResult:
        """Return the entities with these names, with all their relations."""
        return self._within((await self._now()).about({*names}))

    async def aremember(self, text: str) -> Entry:
        """Store a text word for word, and return its log entry.

        Raises:
            MessageError: The text is empty.
        """
        if not text.strip():
            raise MessageError(f"there is nothing to remember in {text!r}")
        said, turn = {"role": "user", "content": text}, secrets.token_hex(16)
        await self.aadd_messages([said], turn_id=turn)
        # Appending a stored turn again stores nothing, and returns the turn's entries.
        return (await self.store.append(self.conversation_id, [Record(said)], turn_id=turn))[0]

    async def arecall(self, query: str, max_tokens: int | None = None) -> list[str]:
        """Return all pinned messages, then the notes and messages that match a query best, the best match first.

        Each note or message is one text of the list.

        Args:
            query: The words to look for; only the first 2,000 characters are used.
            max_tokens: The maximum number of tokens of all texts together; by default `max_token_limit`.

        Raises:
            OptionError: The token limit is not a whole number of at least 1.
            OverBudgetError: The pinned messages exceed the token limit.
        """
        limit = self.max_token_limit if max_tokens is None else max_tokens
        whole_number("max_tokens", limit, at_least=1)
        await self.apin()
        pinned = self._list_pinned()
        size = self.tokens("\n".join(pinned)) if pinned else 0
        if size > limit:
            raise OverBudgetError.of("the pinned messages", size, limit)
        return [*pinned, *(await self._find_lines(query, limit - size))]

    async def _find_lines(self, query: str, limit: int) -> list[str]:
        notes, index = await self.alist_notes(), self._line_index
        said = await self.aentries(after=index.last_said)
        pinned = set(self._list_pinned())
        found = [line for line in index.search(query[:_LONGEST_QUERY], notes, said) if line not in pinned]
        return choose_texts(limit, found, self.tokens)

    def _list_pinned(self) -> list[str]:
        """Return the texts of the messages that were pinned at the last read of the log."""
        return [text_of(one.message) for one in self.log.pins.entries if one.message["role"] in ("user", "assistant")]

    async def awhy(self, fact: str) -> list[Reason]:
        """Return the current and deleted notes that contain all words of `fact`.

        Each note comes with the messages that wrote or deleted it.
        """
        await self.asettle()
        words = dict.fromkeys(fact.lower().split())
        notes = sorted(self._notes.values(), key=lambda note: note.order)
        texts = ((note, str(note.fact).lower()) for note in notes)
        found = [note.fact for note, text in texts if all(word in text for word in words)]
        return await reasons(found, Log(CachedLog(self.store, self.conversation_id)))

    @property
    def kg(self) -> KnowledgeGraph:
        """The notes as a knowledge graph for viewing and export; deleted notes become the graph's history."""
        graph = KnowledgeGraph(frozenset())
        # A fact that several notes state is current while at least one of these notes is.
        notes = sorted(self._notes.values(), key=lambda note: (note.holds, note.order))
        graph.apply({note.fact.key: note.fact.as_json() for note in notes}, reset=True)
        return graph

    def tokens(self, text: str) -> int:
        """Count the tokens of a text."""
        return round(self.render.counter({"role": "tool", "content": text}))

    write = blocking(awrite)
    recall = blocking(arecall)
    why = blocking(awhy)

    def _within(self, notes: Sequence[Note]) -> reading.ToolResult:
        return reading.within(self.max_read_tokens, notes, self.tokens)

    async def _check_known(self, names: Iterable[str]) -> None:
        await self.alist_notes()
        for name in names:
            note = self._notes.get(key_of("entity", name))
            if note is None or not note.holds:
                raise MessageError(f"Entity with name {name} not found")
