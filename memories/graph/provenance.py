"""Traces facts to the messages that stated them."""

import re
from collections.abc import Sequence

from memzoo.memories.engine.log import Log
from memzoo.memories.graph.fact import Fact, Reason, Source
from memzoo.memories.models.replies import Statement
from memzoo.memories.text.messages import text_of
from memzoo.memories.text.names import canonical, fold, mentions
from memzoo.stores import Entry

_DENIAL = re.compile(r"\b(?:not|never|no longer)\b|n['’]t\b", re.IGNORECASE)


def find_sources(
    statements: Sequence[Statement], entries: Sequence[Entry]
) -> list[tuple[Statement, tuple[Source, ...]]]:
    """Return each statement with the messages that it was taken from.

    The messages are found by the words of the statement. This may fail for a statement that ends a fact ("NO LONGER Sam
    | lives in | Oslo"), because its words are those of older messages. A new statement about Sam, if there is one,
    probably replaces the fact, so both statements get the messages of the new one.
    """
    spoken = [(text, fold(text)) for text in (text_of(entry.message) for entry in entries)]
    found = [_sources_of(statement, entries, spoken) for statement in statements]
    for place, statement in enumerate(statements):
        if statement.ended:
            others = (*range(place + 1, len(statements)), *range(place))
            found[place] = next(
                (found[other] for other in others if _replaces(statements[other], statement)), found[place]
            )
    return list(zip(statements, found, strict=True))


def _replaces(statement: Statement, ended: Statement) -> bool:
    return not statement.ended and canonical(statement.subject) == canonical(ended.subject)


def _sources_of(
    statement: Statement, entries: Sequence[Entry], spoken: Sequence[tuple[str, str]]
) -> tuple[Source, ...]:
    """Return the messages that contain the fact's object and the most of its other words.

    If no message contains the object, return the last of the messages with the most other words. `spoken` has the
    text of each message, as said and folded.
    """
    name = canonical(statement.object)
    having = [place for place, (_, folded) in enumerate(spoken) if mentions(folded, name)]
    worth = {place: _worth(statement, *spoken[place]) for place in having or range(len(entries))}
    most = max(worth.values())
    best = [place for place in worth if worth[place] == most]
    chosen = best if having else best[-1:]
    return tuple(Source(entries[place].seq, _speaker(entries[place]), entries[place].said_at) for place in chosen)


def _worth(statement: Statement, text: str, folded: str) -> tuple[int, bool]:
    # Among messages with the same words, prefer statements to questions, and denials if the statement is a denial.
    words = f"{statement.subject} {statement.relation}".casefold().split()
    denies, asks = _DENIAL.search(text) is not None, text.rstrip().endswith("?")
    return sum(mentions(folded, word) for word in words), denies == statement.negated and not asks


async def reasons(facts: Sequence[Fact], log: Log) -> list[Reason]:
    """Return each fact, in the given order, with the messages that stated it and the message that corrected it."""
    cited = sorted({seq for fact in facts for seq in (*fact.said_in, fact.superseded_by)} - {0})
    found = [entry for seq in cited for entry in await log.between(seq, seq)]
    quotes = {one.seq: Source(one.seq, _speaker(one), one.said_at, text_of(one.message)) for one in found}
    # Deleted messages are no longer quoted.
    said = ((fact, tuple(quotes[seq] for seq in fact.said_in if seq in quotes)) for fact in facts)
    return [Reason(fact, those, quotes.get(fact.superseded_by)) for fact, those in said]


def _speaker(entry: Entry) -> str:
    return str(entry.message.get("name") or entry.message["role"])
