"""A conversation that is a graph: calls of tools go in, entities and what is known about them come out."""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated

from memzoo.errors import MessageError, OverBudgetError
from memzoo.hosts.mcp import reading
from memzoo.hosts.mcp.calls import AddObservations, Write, call_in, message_of
from memzoo.hosts.mcp.cards import Cards, choose_texts
from memzoo.hosts.mcp.notes import Note, Replay, key_of
from memzoo.memories import KnowledgeGraph
from memzoo.memories.engine.log import CachedLog
from memzoo.memories.graph.provenance import reasons
from memzoo.stores import JSON, Entry, Record
from memzoo.strategy import AtLeast, BaseMemory, Changes, Log, State, View, strategy, text_of, whole_number
from memzoo.sync import blocking
from memzoo.types import Reason

__all__ = ["GraphMemory"]

_LONGEST_QUERY = 2_000  # characters: each word is looked up, and no question has more


@strategy
class GraphMemory(BaseMemory):
    """Shows entities, what is known about them, and how they are related, as calls of tools wrote it down.

    A call is a message of the log (of the role "tool", with the call as JSON), and the graph is worked out from the
    calls, in their order, without a model. To delete something is a call too: what it took back stays as history, with
    the message that took it back. What is remembered as text is an ordinary message.

    Costs: no call; tokens up to the limit of each read.
    Needs: nothing.

    State: an item for each entity, observation and relation, see `Note.as_json`.

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
    """Tokens that what is recalled may have."""
    max_read_tokens: Annotated[int, AtLeast(64)] = 25_000
    """Tokens that any read of the graph may have: the newest that fits is shown."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._notes: dict[str, Note] = {}
        self._known = self._notes, reading.Known(())
        self._cards = Cards()

    async def derive(self, state: State, entries: Sequence[Entry], log: Log) -> Changes:
        """Take in the calls among the new messages."""
        replay = Replay(state.items)
        # A prompt would have no room for a long call; there is no prompt.
        for entry in await log.between(entries[0].seq, entries[-1].seq):
            if call := call_in(entry):
                replay.take(call, entry)
        return Changes(replay.changes)

    async def view(self, log: Log, state: State, query: str | None) -> View:
        """What fits the query, a line each."""
        lines = await self._find_lines(query or "", self.max_token_limit)
        return View(quotes=("\n".join(lines),) if lines else ())

    async def on_state_change(self, changes: Mapping[str, JSON], *, reset: bool) -> None:
        """Follow the state in notes that need not be read again."""
        if reset:
            self._cards = Cards()
        notes = {} if reset else dict(self._notes)
        notes |= {key: Note.from_json(value) for key, value in changes.items() if value is not None}
        self._notes = {key: note for key, note in notes.items() if changes.get(key, True) is not None}

    async def awrite(self, arguments: Write) -> list[Note]:
        """Write to the graph: the call is stored, and what it changes is worked out.

        Args:
            arguments: What one of the tools was called with; see `calls.WRITES`.

        Returns:
            The notes that are new by this call, in order; none for a deletion.

        Raises:
            MessageError: An observation is about an entity that there is not; nothing was stored.
        """
        if isinstance(arguments, AddObservations):
            await self._check_known(one.entity_name for one in arguments.observations)
        call = message_of(arguments)
        await self.aadd_messages([call])
        return reading.in_order(note for note in self._notes.values() if note.call == call["tool_call_id"])

    async def alist_notes(self) -> list[Note]:
        """All that is known, in the order in which it came."""
        return (await self._now()).notes

    async def _now(self) -> reading.Known:
        """What is known, put in order again only when it has changed."""
        await self.asettle()
        source, known = self._known
        if source is not (notes := self._notes):
            known = reading.Known(notes.values())
            self._known = notes, known
        return known

    async def agraph(self) -> reading.ToolResult:
        """The whole graph, or what of it fits `max_read_tokens`."""
        return self._within(await self.alist_notes())

    async def asearch(self, query: str) -> reading.ToolResult:
        """The entities that have a text in their name, type or observations, with all their relations."""
        known = await self._now()
        return self._within(known.about(known.find_matching(query)))

    async def aopen(self, names: Sequence[str]) -> reading.ToolResult:
        """The entities of these names, with all their relations."""
        return self._within((await self._now()).about({*names}))

    async def aremember(self, text: str) -> Entry:
        """Keep a text word for word.

        Returns:
            Its entry in the log.

        Raises:
            MessageError: It is empty.
        """
        if not text.strip():
            raise MessageError(f"there is nothing to remember in {text!r}")
        said, turn = {"role": "user", "content": text}, secrets.token_hex(16)
        await self.aadd_messages([said], turn_id=turn)
        # Appended once more, a turn is not stored again, but returned as it stands.
        return (await self.store.append(self.conversation_id, [Record(said)], turn_id=turn))[0]

    async def arecall(self, query: str, max_tokens: int | None = None) -> list[str]:
        """What fits a query best of all that is known and was said, a line each, the best first.

        What is pinned comes before all else, whatever the query.

        Args:
            query: What is looked for, in words; of a longer one the first 2,000 characters count.
            max_tokens: Tokens that the lines may have together; by default `max_token_limit`.

        Raises:
            OptionError: The budget is no whole number of at least 1.
            OverBudgetError: What is pinned is over the budget.
        """
        limit = self.max_token_limit if max_tokens is None else max_tokens
        whole_number("max_tokens", limit, at_least=1)
        await self.apinned()
        pinned = self._list_pinned()
        size = self.tokens("\n".join(pinned)) if pinned else 0
        if size > limit:
            raise OverBudgetError.of("what is pinned", size, limit)
        return [*pinned, *(await self._find_lines(query, limit - size))]

    async def _find_lines(self, query: str, limit: int) -> list[str]:
        notes, cards = await self.alist_notes(), self._cards
        said = await self.aentries(after=cards.last_said)
        pinned = set(self._list_pinned())
        found = [line for line in cards.search(query[:_LONGEST_QUERY], notes, said) if line not in pinned]
        return choose_texts(limit, found, self.tokens)

    def _list_pinned(self) -> list[str]:
        """The texts that are pinned, as they were found last."""
        return [text_of(one.message) for one in self.pins.entries if one.message["role"] in ("user", "assistant")]

    async def awhy(self, fact: str) -> list[Reason]:
        """What is or was known that has all words of a text, each with the messages that said so and took it back."""
        await self.asettle()
        words = dict.fromkeys(fact.lower().split())
        notes = sorted(self._notes.values(), key=lambda note: note.order)
        texts = ((note, str(note.fact).lower()) for note in notes)
        found = [note.fact for note, text in texts if all(word in text for word in words)]
        return await reasons(found, Log(CachedLog(self.store, self.conversation_id)))

    @property
    def kg(self) -> KnowledgeGraph:
        """What is known as a knowledge graph, with what was taken back as history, to look at and to export."""
        graph = KnowledgeGraph(frozenset())
        # What is written in several ways holds as long as one of them does.
        notes = sorted(self._notes.values(), key=lambda note: (note.holds, note.order))
        graph.apply({note.fact.key: note.fact.as_json() for note in notes}, reset=True)
        return graph

    def tokens(self, text: str) -> int:
        """Count the tokens of a text."""
        return self.counter({"role": "tool", "content": text})

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
