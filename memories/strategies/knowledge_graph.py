"""Remember facts as a graph."""

import logging
from collections.abc import Callable, Collection, Mapping, Sequence

from memzoo.memories.engine import explaining
from memzoo.memories.engine.log import Log, messages_of
from memzoo.memories.engine.state import Changes, State
from memzoo.memories.graph.fact import Reason
from memzoo.memories.graph.graph import KnowledgeGraph
from memzoo.memories.graph.nearby import known_lines, lines, within
from memzoo.memories.graph.provenance import reasons, sourced
from memzoo.memories.graph.relations import SINGLE_VALUED
from memzoo.memories.models import replies
from memzoo.memories.models.replies import Statement
from memzoo.memories.options import names, option, strategy
from memzoo.memories.strategies.model_backed import ModelBackedMemory
from memzoo.memories.text.names import refers_back
from memzoo.memories.text.view import View
from memzoo.stores import JSON, Entry
from memzoo.stores.driving import blocking
from memzoo.stores.errors import ModelError

__all__ = ["ConversationKGMemory"]

logger = logging.getLogger("memzoo")


@strategy
class ConversationKGMemory(ModelBackedMemory):
    """Shows the facts about the people and things mentioned in the input.

    Saving lets the model write down each fact as subject, relation and object (one call). Loading asks it who is
    mentioned (one call), unless the input has names that are known and no "he" or "she". Facts from different exchanges
    meet under one name, and a corrected fact is shown corrected: where a subject can have only one object, the newer
    fact supersedes the older one, which stays as history.

    Costs: at most 1 call a load, 1 a save; few tokens.

    State: an item for each fact (`Fact.as_json`: `subject`, `relation`, `object`, `negated`, `sources`,
    `superseded_by`), by its canonical subject, relation and object with tabs between.

    Example:
        >>> answers = iter(["Sam | is | a friend", "Sam | likes | tea"])
        >>> memory = ConversationKGMemory(llm=lambda messages: next(answers))
        >>> memory.save_context({"input": "Sam is a friend"}, {"output": "okay"})
        >>> memory.save_context({"input": "He likes tea"}, {"output": "noted"})
        >>> memory.load_memory_variables({"input": "who is sam"})
        {'history': 'On Sam: Sam is a friend. Sam likes tea.'}
        >>> [(str(reason.fact), reason.quotes[0].text) for reason in memory.why("tea")]
        [('Sam likes tea', 'He likes tea')]
    """

    name = "knowledge-graph"
    needs_query = True

    k: int = option(2, doc='How many exchanges are used to tell who "he" is; 0 for none.')
    depth: int = option(
        1,
        at_least=1,
        doc="How many steps around a name facts are looked for: 1 for those about the name itself, 2 for those about "
        "its neighbours too.",
    )
    max_token_limit: int | None = option(
        None,
        at_least=1,
        doc="Show as many facts as fit so many tokens: the nearest first, among them those that connect two of the "
        "names, then the newest; `None` for all. What was not learnt from yet is shown besides.",
    )
    mine_ai: bool = option(default=True, doc="Take facts from the assistant's words too, not only from the user's.")
    single_valued: Collection[str] = option(
        SINGLE_VALUED, fixed=True, check=names, doc="Relations of which a subject has one object at a time."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self._kg = KnowledgeGraph(frozenset(self.single_valued), self._amend)

    @property
    def kg(self) -> KnowledgeGraph:
        """What is known."""
        return self._kg

    async def derive(self, state: State, entries: Sequence[Entry], log: Log) -> Changes:
        """Write down the facts that the new messages state."""
        mined = [entry for entry in entries if self.mine_ai or entry.message["role"] == "user"]
        if not mined:
            return Changes()
        # Of several exchanges, the assistant's words between the user's tell whom "he" means, mined or not.
        between = [entry for entry in entries if entry not in mined and entry.seq < mined[-1].seq]
        before = await log.until_number(entries[0].seq - 1).exchanges(self.k)
        history = self._renderer.lines_of(messages_of([*before, *between]))
        graph = self._graph(state)
        statements = await self._statements(graph, history, self._renderer.lines_of(messages_of(mined)))
        return Changes(graph.changes_from(sourced(statements, mined)))

    async def oldest_needed(self, log: Log, state: State) -> int:
        """The exchanges that tell who "he" is in the next messages; `why` quotes no others then."""
        return await log.until_number(state.watermark).start_of_exchanges(self.k)

    async def view(self, log: Log, state: State, query: str | None) -> View:
        """A line of facts for each name in the query, then the messages that no facts were taken from yet."""
        # A fact has three tokens or more, so no more than that can fit, however many are known.
        most = None if self.max_token_limit is None else self.max_token_limit // 3
        near = self.kg.around(await self._names(query or "", log), self.depth, most)
        explaining.found("facts around names", ((str(one.fact), 1 / one.steps) for one in near))
        if self.max_token_limit is not None:
            near = within(self.max_token_limit, near, self._renderer.text_tokens)
        return View.of(await log.after(state.watermark), lines(near))

    async def on_state_change(self, changes: Mapping[str, JSON], *, reset: bool) -> None:
        """Follow the state in the graph."""
        self.kg.apply(changes, reset=reset)

    async def awhy(self, name: str) -> list[Reason]:
        """What is known about a name and was known before, each with the messages that said so, oldest first.

        Asks no model: what was not learnt from yet is not in it.

        Args:
            name: A name as in `KnowledgeGraph.about`; part of a name finds all names that have it.
        """
        await self._engine.state()
        return await reasons(self.kg.about(name, history=True), await self._engine.refreshed())

    async def aget_knowledge_triplets(self, input_string: str) -> list[Statement]:
        """The facts that a text states, understood after the last `k` exchanges. Nothing is stored."""
        history = self._renderer.lines(await (await self._engine.refreshed()).exchanges(self.k))
        new_lines = self._renderer.lines_of([{"role": "user", "content": input_string}])
        return await self._statements(self.kg, history, new_lines)

    async def aget_current_entities(self, input_string: str) -> list[str]:
        """The names that a text speaks of, understood after the last `k` exchanges."""
        history = self._renderer.lines(await (await self._engine.refreshed()).exchanges(self.k))
        return replies.names(await self.ask("current_entities", history=history, input=input_string))

    why = blocking(awhy)
    get_knowledge_triplets = blocking(aget_knowledge_triplets)
    get_current_entities = blocking(aget_current_entities)

    def _graph(self, state: State) -> KnowledgeGraph:
        """The facts of a state; of one that is not kept, as when all is learnt anew, in a graph of its own."""
        if self._engine.keeps(state):
            return self.kg
        graph = KnowledgeGraph(frozenset(self.single_valued))
        graph.apply(state.items, reset=True)
        return graph

    async def _statements(self, graph: KnowledgeGraph, history: str, new_lines: str) -> list[Statement]:
        known = known_lines(graph, new_lines, history)
        reply = await self.ask("triple_extraction", history=history, new_lines=new_lines, known=known)
        return replies.statements(reply)

    async def _amend(self, change: Callable[[], Mapping[str, JSON]]) -> None:
        if self._engine.learner:
            await self._engine.learner.amend(change)

    async def _names(self, query: str, log: Log) -> list[str]:
        known = self.kg.named_in(query)
        if self.kg.empty or not query.strip() or (self.kg.names_all_of(query) and not refers_back(query)):
            return known
        history = self._renderer.lines(await log.exchanges(self.k))
        try:
            return replies.names(await self.ask("current_entities", history=history, input=query)) or known
        except ModelError as error:
            logger.warning("only names that are known already are looked for in the input: %s", error)
            return known
