"""Remember facts as a graph."""

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from memzoo.memories import replies
from memzoo.memories.graph import SINGLE_VALUED, KnowledgeGraph
from memzoo.memories.log import Log, messages_of
from memzoo.memories.messages import text_of
from memzoo.memories.model_backed import ModelBackedMemory
from memzoo.memories.names import canonical, mentions
from memzoo.memories.options import whole_number
from memzoo.memories.replies import Statement
from memzoo.memories.state import Changes, State
from memzoo.memories.view import View
from memzoo.stores import JSON, Entry
from memzoo.stores.driving import blocking
from memzoo.stores.errors import ModelError

__all__ = ["ConversationKGMemory"]

logger = logging.getLogger("memzoo")


@dataclass(kw_only=True, eq=False)
class ConversationKGMemory(ModelBackedMemory):
    """Shows the facts about whom and what the input speaks of.

    Saving lets the model write down each fact as subject, relation and object (one call), loading asks it whom the
    input is about (one call). Facts said in different exchanges meet under one name, and a corrected fact is shown
    corrected: where a subject can have only one object, the newer supersedes the older, which stays as history.

    Args:
        k: How many exchanges are used to tell whom "he" means; 0 for none.
        mine_ai: Take facts from the assistant's words too, not only from the user's.
        single_valued: Relations of which a subject has one object at a time.
        **model_backed: See `ModelBackedMemory` and `BaseMemory`.

    Example:
        >>> answers = iter(["Sam | is | a friend", "Sam | likes | tea", "sam"])
        >>> memory = ConversationKGMemory(llm=lambda messages: next(answers))
        >>> memory.save_context({"input": "Sam is a friend"}, {"output": "okay"})
        >>> memory.save_context({"input": "He likes tea"}, {"output": "noted"})
        >>> memory.load_memory_variables({"input": "who is sam"})
        {'history': 'On sam: Sam is a friend. Sam likes tea.'}
    """

    name = "knowledge-graph"
    needs_query = True

    k: int = 2
    mine_ai: bool = False
    single_valued: Collection[str] = SINGLE_VALUED

    def __post_init__(self) -> None:
        whole_number("k", self.k)
        self.kg = KnowledgeGraph(frozenset(self.single_valued))
        super().__post_init__()

    async def derive(self, state: State, entries: Sequence[Entry], log: Log) -> Changes:
        """Write down the facts that the new messages state."""
        mined = [entry for entry in entries if self.mine_ai or entry.message["role"] == "user"]
        if not mined:
            return Changes()
        history = self.render(messages_of(await log.before(entries[0]).exchanges(self.k)))
        draft: dict[str, JSON] = {}
        for statement in await self._statements(history, self.render(messages_of(mined))):
            draft |= self.kg.learn(statement, _source(statement, mined), draft)
        return Changes(draft)

    async def view(self, log: Log, state: State, query: str | None) -> View:
        """A line of facts for each name that the query speaks of, then what no facts were taken from yet."""
        history = self.render(messages_of(await log.exchanges(self.k)))
        known = {name: self.kg.about(name) for name in await self._names(query or "", history)}
        lines = [f"On {name}: {'. '.join(map(str, facts))}." for name, facts in known.items() if facts]
        return View(tuple(lines), messages_of(await log.after(state.watermark)))

    def learn(self, changes: Mapping[str, JSON], *, reset: bool) -> None:
        """Follow the state in the graph."""
        self.kg.take_in(changes, reset=reset)

    async def aget_knowledge_triplets(self, input_string: str) -> list[Statement]:
        """The facts that a text states, understood after the last `k` exchanges. Nothing is stored."""
        history = self.render(messages_of(await self._log.exchanges(self.k)))
        return await self._statements(history, self.render([{"role": "user", "content": input_string}]))

    async def aget_current_entities(self, input_string: str) -> list[str]:
        """The names that a text speaks of, understood after the last `k` exchanges."""
        history = self.render(messages_of(await self._log.exchanges(self.k)))
        return replies.names(await self.ask("current_entities", history=history, input=input_string))

    get_knowledge_triplets = blocking(aget_knowledge_triplets)
    get_current_entities = blocking(aget_current_entities)

    async def _statements(self, history: str, new_lines: str) -> list[Statement]:
        return replies.statements(await self.ask("triple_extraction", history=history, new_lines=new_lines))

    async def _names(self, query: str, history: str) -> list[str]:
        if not query.strip() or self.kg.empty:
            return []
        try:
            return replies.names(await self.ask("current_entities", history=history, input=query))
        except ModelError as error:
            logger.warning("only names that are known already are looked for in the input: %s", error)
            return self.kg.named_in(query)


def _source(statement: Statement, entries: Sequence[Entry]) -> int:
    """The message that a statement was taken from: one that has its object and most of its other words."""
    spoken = {entry.seq: text_of(entry.message) for entry in entries}
    likely = [seq for seq in spoken if mentions(spoken[seq], canonical(statement.object))] or list(spoken)
    words = f"{statement.subject} {statement.relation}".casefold().split()
    return max(likely, key=lambda seq: (sum(mentions(spoken[seq], word) for word in words), seq))
