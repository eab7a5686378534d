"""Traces facts to the messages that stated them."""

from collections.abc import Mapping, Sequence

from memzoo.memories.engine.log import Log
from memzoo.memories.graph.fact import Fact, Quote, Reason, Source
from memzoo.memories.models.replies import Statement
from memzoo.memories.text.messages import text_of
from memzoo.memories.text.names import canonical, mentions
from memzoo.stores import Entry

__all__ = ["reasons", "source_of"]


def source_of(statement: Statement, entries: Sequence[Entry]) -> Source:
    """The message that a statement was taken from: one that has its object and most of its other words."""
    spoken = {entry.seq: text_of(entry.message) for entry in entries}
    likely = [entry for entry in entries if mentions(spoken[entry.seq], canonical(statement.object))] or entries
    words = f"{statement.subject} {statement.relation}".casefold().split()
    best = max(likely, key=lambda entry: (sum(mentions(spoken[entry.seq], word) for word in words), entry.seq))
    return Source(best.seq, _speaker(best), best.created_at)


async def reasons(facts: Sequence[Fact], log: Log) -> list[Reason]:
    """Facts with the messages that stated and corrected them, in the order of the facts."""
    cited = sorted({seq for fact in facts for seq in (*fact.said_in, fact.superseded_by)} - {0})
    found = [entry for seq in cited for entry in await log.between(seq, seq)]
    quotes = {entry.seq: _quote(entry) for entry in found}
    return [_reason(fact, quotes) for fact in facts]


def _reason(fact: Fact, quotes: Mapping[int, Quote]) -> Reason:
    said = tuple(quotes[seq] for seq in fact.said_in if seq in quotes)
    return Reason(fact, said, quotes.get(fact.superseded_by))


def _quote(entry: Entry) -> Quote:
    return Quote(entry.seq, _speaker(entry), entry.created_at, text_of(entry.message))


def _speaker(entry: Entry) -> str:
    return str(entry.message.get("name") or entry.message["role"])
