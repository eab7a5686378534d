"""Why a fact is believed: the messages behind it."""

from collections.abc import Mapping, Sequence

from memzoo.memories.facts import Fact, Quote, Reason
from memzoo.memories.log import Log
from memzoo.memories.messages import text_of
from memzoo.stores import Entry

__all__ = ["reasons", "speaker"]


def speaker(entry: Entry) -> str:
    """Who said a message: its `name` if it has one, else its role."""
    return str(entry.message.get("name") or entry.message["role"])


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
    return Quote(entry.seq, speaker(entry), entry.created_at, text_of(entry.message))
