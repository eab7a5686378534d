"""Remember facts as a graph."""

import itertools
import logging
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, TypeAlias

from memzoo.errors import ModelError, OptionError
from memzoo.memories.engine.log import Log
from memzoo.memories.engine.state import Changes, State
from memzoo.memories.graph.fact import Fact, Reason
from memzoo.memories.graph.graph import KnowledgeGraph
from memzoo.memories.graph.nearby import MOST_BYTES, best_within, in_lines, lines, write_known
from memzoo.memories.graph.provenance import find_sources, reasons
from memzoo.memories.graph.relations import SINGLE_VALUED
from memzoo.memories.models import replies
from memzoo.memories.models.replies import SAME_AS, Statement
from memzoo.memories.options import AtLeast, check_texts, names, strategy
from memzoo.memories.search.kinds import ASSISTANT, tells_rule
from memzoo.memories.search.unit_index import FEW_TOKENS, KnownUnit, UnitIndex, introduce
from memzoo.memories.search.weights import UnitWeights
from memzoo.memories.strategies.antecedents import Antecedents
from memzoo.memories.strategies.extracting import Valued, derive_in_pieces, least_worth
from memzoo.memories.strategies.model_backed import ModelBackedMemory
from memzoo.memories.text.explanation import report
from memzoo.memories.text.messages import text_of
from memzoo.memories.text.names import FOR_SURE, canonical, is_reference, refers_back
from memzoo.memories.text.view import Finds, View
from memzoo.stores import JSON, Entry
from memzoo.sync import blocking

logger = logging.getLogger("memzoo")

_Shown: TypeAlias = tuple[str, str]
"""A fact as shown: the fact's key, and its words."""

_MOST_RELATIONS = 30
_MOST_TOUCHED = 100
_TOKENS_PER_RELATION = 16
_BYTES_PER_TOKEN = 3
# Relations that introduce a person or thing: "is the head baker of", "works as".
_TELLING = re.compile(r"(?:is|are|was|were|works|runs|plays|teaches)\b|[\u662f\u53eb\u4efb]", re.IGNORECASE)


@strategy
class ConversationKGMemory(ModelBackedMemory):
    r"""Shows the facts that fit the input, found by words.

    After eight exchanges (`learn_every`), one call writes down their facts as subject, relation and object. Until that
    call, the exchanges are shown word for word. A load searches without a model. It finds a fact by its words, and by
    the words of other facts about its names: "my head baker" finds all facts about Devin, if one of them says that
    Devin is head baker. A fact that forbids something, or mentions an allergy, is shown for any question, if there is
    room. Facts about a name are shown together, even from different exchanges. Corrections win: for a relation with
    only one object for each subject ("lives in"), a newer fact supersedes the older fact, which stays as history.

    This memory is good for connected and changing facts, and for very few tokens. With a large model's facts from the
    bundled conversation, a view of 150 tokens answers 51% of the questions (a search over the messages: 13%), and
    a view of 1,000 tokens 79%; the larger view shows all 13 corrections.

    Costs: 1 call for 8 exchanges; tokens up to the limit.

    State: an item for each fact (`Fact.as_json`: `subject`, `relation`, `object`, `negated`, `sources`,
    `superseded_by`, and if known `qualifier` and `superseded_at`). The key is the fact's canonical subject, relation,
    object and qualifier, joined by tabs.

    Example:
        >>> memory = ConversationKGMemory(llm=lambda messages: "Sam | is | a friend\nSam | likes | tea")
        >>> memory.save_context({"input": "Sam is a friend"}, {"output": "okay"})
        >>> memory.save_context({"input": "He likes tea"}, {"output": "noted"})
        >>> memory.settle()  # learns now, from fewer than 8 exchanges
        >>> memory.load_memory_variables({"input": "who is sam"})
        {'history': 'Sam is a friend. Sam likes tea.'}
        >>> [(str(reason.fact), reason.quotes[0].text) for reason in memory.why("tea")]
        [('Sam likes tea', 'He likes tea')]
    """

    name = "knowledge-graph"
    needs_query = True
    _limits_messages = False
    # Without an annotation, because annotated attributes are options. A subclass may set other weights.
    _weights = UnitWeights()

    k: int = 2
    """The number of exchanges to search for the person that "he" means; 0 for none. If several new exchanges are learnt
    together, only one exchange before them is searched.
    """
    max_token_limit: Annotated[int | None, AtLeast(1)] = 1000
    """Token limit for facts, the best first; `None` shows all facts about the names in the input, and no others.
    Messages not learnt from yet come on top.
    """
    stay_tokens: Annotated[int | None, AtLeast(1)] = None
    """Keep showing facts found for earlier questions, up to this many tokens, so that a provider's cache has them;
    new ones come after them. By default, each question gets a fresh choice.
    """
    ask_at_load: bool = False
    """Also ask the model at each load for the people and things that the input is about, unless all names in the input
    are known and it has no "he" or "she". The prompt lists the most likely names, each with a fact.
    """
    mine_ai: bool = True
    """Take facts from the assistant's words too, not only from the user's."""
    single_valued: Annotated[Collection[str], names] = SINGLE_VALUED
    """Relations with one object at a time for each subject."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._kg = KnowledgeGraph(frozenset(self.single_valued), self._amend)
        self._known = UnitIndex(units_of_fact, self._weights)
        if self.stay_tokens is not None and self.max_token_limit is None:
            raise OptionError("stay_tokens needs max_token_limit: only facts found for a question can stay")

    @property
    def kg(self) -> KnowledgeGraph:
        """The graph of all facts so far. To include waiting messages, call `settle` first."""
        return self._kg

    async def derive(self, state: State, entries: Sequence[Entry], log: Log) -> Changes:
        """Return the changes to the graph's facts that follow from new messages."""
        return await derive_in_pieces(self._extract, state, entries, log)

    async def _extract(self, state: State, entries: Sequence[Entry], log: Log) -> Changes:
        mined = [entry for entry in entries if self.mine_ai or entry.message["role"] == "user"]
        if not mined:
            return Changes()
        # The assistant's messages between the user's help to resolve "he", even if no facts are taken from them.
        between = [entry for entry in entries[: entries.index(mined[-1])] if entry not in mined]
        before = [*await self._context(log, entries, self.k), *between]
        if not self._teaches(before, mined):
            return Changes()
        graph, index = (self.kg, self._known) if self._keeps(state) else self._new_indexes(state.items)
        lines = await self._lines(before, mined, log.until_number(entries[-1].seq))
        statements = await self._statements(graph, index, **lines)
        changes, tokens = graph.changes_from(find_sources(statements, mined)), self.max_state_tokens
        return Changes(changes if tokens is None else facts_within(state.items, changes, tokens))

    async def _lines(self, before: Sequence[Entry], mined: Sequence[Entry], _: Log) -> dict[str, str]:
        """Return the prompt's variables with the lines of new messages and of earlier messages."""
        return self._lines_of(before, mined)

    async def oldest_needed(self, log: Log, state: State) -> int:
        """Return the log number of the oldest exchange that may tell who "he" is in new messages."""
        return await log.until_number(state.watermark).start_of_exchanges(self.k)

    async def view(self, log: Log, state: State, query: str | None) -> View:
        """Return a view with a line of facts for each name found, and the messages that were not learnt from yet."""
        waiting = await log.after(state.watermark)
        asked = await self._ask_for_names(query or "", log) if self.ask_at_load else []
        if self.max_token_limit is None:
            near = self.kg.around(asked or self.kg.find_names(query or ""))
            report("facts around names", ((str(one.fact), 1.0) for one in near))
            return View.of(waiting, lines(near))
        found = await self._find_facts(query or "", asked, self.max_token_limit, log)
        view = View.of(waiting, in_lines(found))
        if self.stay_tokens is None:
            return view

        def write(blocks: Sequence[Sequence[_Shown]]) -> tuple[str, ...]:
            by_block = (in_lines(self.kg.holding(key for key, _ in block)) for block in blocks)
            return tuple(itertools.chain.from_iterable(by_block))

        def holds(shown: Collection[_Shown]) -> bool:
            now = {fact.key: str(fact) for fact in self.kg.holding(key for key, _ in shown)}
            return all(now.get(key) == said for key, said in shown)

        most = max(self.stay_tokens, self.max_token_limit)
        return replace(view, finds=Finds([(one.key, str(one)) for one in found], write, most, holds, quoted=False))

    async def on_state_change(self, changes: Mapping[str, JSON], *, reset: bool) -> None:
        """Update the graph and the index with the state's changes."""
        self.kg.apply(changes, reset=reset)
        self._known.apply(changes, reset=reset)

    async def awhy(self, name: str) -> list[Reason]:
        """Return all facts about a name, in the order they were first stated, each with the messages that stated it.

        Superseded facts are included. No model is asked. Messages that were not learnt from yet are left out.

        Args:
            name: The name of a person or thing. Part of a name, such as "York", finds all names that contain it.

        Raises:
            OptionError: The name is not a string.
        """
        check_texts(name=name)
        await self._known_state()
        return await reasons(self.kg.about(name, history=True), await self.log.refreshed())

    why = blocking(awhy)

    def _new_indexes(self, items: Mapping[str, JSON]) -> tuple[KnowledgeGraph, UnitIndex]:
        """Return a graph and an index for a state that is not stored yet."""
        graph, index = KnowledgeGraph(frozenset(self.single_valued)), UnitIndex(units_of_fact, self._weights)
        graph.apply(items)
        index.apply(items)
        return graph, index

    async def _statements(self, graph: KnowledgeGraph, index: UnitIndex, **lines: str) -> list[Statement]:
        """Return the facts that new messages state, by a model's reply; `lines` are the variables of the prompt."""
        room, likely = self._retry.prompts.room_for_known, self._find_touched(graph, index, lines["new_lines"])
        most = min(room * _BYTES_PER_TOKEN, MOST_BYTES)
        known = write_known(graph, likely, lines["new_lines"], lines["history"], most)
        relations = graph.relations(min(_MOST_RELATIONS, room // _TOKENS_PER_RELATION))
        reply = await self._ask("triple_extraction", **lines, known=known, relations=relations)
        return [*_name_pronouns(replies.statements(reply), Antecedents(lines["history"], lines["new_lines"]))]

    def _find_touched(self, graph: KnowledgeGraph, index: UnitIndex, new_lines: str) -> Sequence[Fact]:
        """Return the facts that new lines most probably change, the most probable first."""
        touched = index.find_touched(new_lines, lambda line: graph.find_asked(line, self.render.labels, ()))
        likely = [*graph.holding(one.key for one in itertools.islice(touched, _MOST_TOUCHED))]
        # Facts about the assistant come last: its advice is long, matches many words, and rarely changes.
        assistant = {canonical(name) for name in ("assistant", self.render.labels.ai)}
        return sorted(likely, key=lambda fact: fact.nodes[0] in assistant)

    async def _amend(self, change: Callable[[], Mapping[str, JSON]]) -> None:
        await self.learners[0].amend(change)

    async def _find_facts(self, query: str, asked: Iterable[str], limit: int, log: Log) -> Sequence[Fact]:
        """Return the facts that match a query best, within a token limit; `asked` has names that a model found."""
        if self.kg.empty:
            return []
        named = await self._find_names(query, log)
        named |= {known: FOR_SURE for name in asked for known in self.kg.find_canonical(name)}
        found = self._known.search(query, named)
        report("words", ((one.unit.text, score) for one, score in found.items()))
        roomy = limit > FEW_TOKENS
        keys = ([one.key for one in group] for group in self._known.add_later(found, limit))
        groups = (self.kg.add_replacements(self.kg.holding(group), named=roomy) for group in keys)
        if not roomy:
            groups = ([fact] for group in groups for fact in group)
        return best_within(limit, groups, self.render.counter.of_text)

    async def _find_names(self, query: str, log: Log) -> dict[str, float]:
        """Return the canonical names that a query asks about, in the context of the last `k` exchanges."""
        before = (text_of(entry.message) for entry in reversed(await log.exchanges(self.k)))
        return self.kg.find_asked(query, self.render.labels, before)

    async def _ask_for_names(self, query: str, log: Log) -> list[str]:
        """Return the names that a query is about: from the graph if the query's names are clear, else from a model."""
        known = self.kg.find_names(query)
        if self.kg.empty or not query.strip() or (self.kg.names_all_of(query) and not refers_back(query)):
            return known
        history = self.render.lines(await log.exchanges(self.k))
        likely = introduce(self._known.search(query, await self._find_names(query, log)))
        introduced = [f"{self.kg.name_of(name)}: {unit.text}" for name, unit in likely.items()]
        try:
            reply = await self._ask("current_entities", history=history, input=query, known=introduced)
            return replies.names(reply) or known
        except ModelError as error:
            logger.warning("the input is searched only for known names: %s", error)
            return known


def _name_pronouns(stated: Iterable[Statement], antecedents: Antecedents) -> Iterator[Statement]:
    """Yield statements with names in place of pronouns; statements with an unclear pronoun are left out."""
    for one in stated:
        subject = antecedents.name_for(one.subject, f"{one.relation} {one.object}")
        # An object that names nobody is valid: "trusts nobody", "is open now".
        named = not is_reference(one.object)
        obj = one.object if named else antecedents.name_for(one.object, one.relation, subject)
        # "he = Paul" is valid in this context only, so it is not stored.
        if subject and obj and (one.relation != SAME_AS or (subject == one.subject and named)):
            yield one._replace(subject=subject, object=obj)


def units_of_fact(_: str, item: JSON) -> list[KnownUnit]:
    """Return the fact in an item of the state as a list of one search unit; an empty list for a superseded fact."""
    fact = Fact.from_json(item)
    if fact.superseded_by:
        return []
    tells = bool(_TELLING.match(fact.relation)) and not fact.negated
    first = min(fact.sources, default=None)
    seq, said_at = (first.seq, first.said_at) if first else (0, None)
    advice = fact.nodes[0] in ASSISTANT
    rule = not advice and tells_rule(str(fact))
    return [KnownUnit(str(fact), fact.nodes, seq, said_at, tells=tells, advice=advice, rule=rule)]


def facts_within(items: Mapping[str, Any], changes: Mapping[str, JSON], tokens: int) -> dict[str, JSON]:
    """Return `changes`, with further changes that drop facts until the remaining facts fit `tokens`.

    Superseded facts are dropped first, then the oldest facts.
    """
    after = {key: Fact.from_json(item) for key, item in {**items, **changes}.items() if item is not None}
    kept = (Valued((not one.superseded_by, one.newest), key, one.triple) for key, one in after.items())
    return {**changes, **dict.fromkeys(least_worth(kept, tokens))}
