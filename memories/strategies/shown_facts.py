"""Facts as they are searched."""

import re

from memzoo.memories.graph.fact import Fact
from memzoo.memories.search.units import ASSISTANT, KnownUnit
from memzoo.stores import JSON

__all__ = ["units_of_fact"]

# What says who or what somebody is: "is the head baker of", "works as".
_TELLING = re.compile(r"(?:is|are|was|were|works|runs|plays|teaches)\b|[\u662f\u53eb\u4efb]", re.IGNORECASE)


def units_of_fact(_: str, item: JSON) -> list[KnownUnit]:
    """A fact as what is known by an item of the state, or was known."""
    fact = Fact.from_json(item)
    tells = bool(_TELLING.match(fact.relation)) and not fact.negated
    first = min(fact.sources, default=None)
    seq, said_at = (first.seq, first.said_at) if first else (0, None)
    advice, corrected_by = fact.nodes[0] in ASSISTANT, fact.superseded_by
    return [KnownUnit(str(fact), fact.nodes, seq, said_at, tells=tells, advice=advice, corrected_by=corrected_by)]
