"""A graph of facts as text, Mermaid, GraphML or JSON lines.

Each format gives the same output for the same facts, and no name can break out of it.
"""

import json
import re
from collections.abc import Sequence

from memzoo.memories.graph.fact import Fact
from memzoo.memories.graph.graph import KnowledgeGraph

__all__ = ["numbered", "relation", "sorted_facts", "to_graphml", "to_json", "to_mermaid", "to_text"]

# What XML cannot hold at all, and the carriage return, which its readers turn into another character.
_NOT_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_text(graph: KnowledgeGraph, *, history: bool = False) -> str:
    r"""One fact a line, sorted by subject: subject, relation, object, the numbers of the messages that stated it.

    "NOT" begins a fact that something is not so. A sign that could be mistaken for the end of a part or of the line is
    written with a backslash.

    Example:
        >>> graph = KnowledgeGraph()
        >>> graph.apply({"a|b\tlikes\ttea": Fact("A|b", "likes", "tea").as_json()}, reset=False)
        >>> print(to_text(graph), end="")
        A\|b | likes | tea []
    """
    return "".join(f"{line}\n" for line in map(_line, sorted_facts(graph, history=history)))


def to_json(graph: KnowledgeGraph, *, history: bool = False) -> str:
    """One JSON object a line, as `Fact.as_json` gives it, sorted by subject."""
    return "".join(f"{json.dumps(fact.as_json())}\n" for fact in sorted_facts(graph, history=history))


def to_mermaid(graph: KnowledgeGraph, *, history: bool = False) -> str:
    """A Mermaid flowchart; superseded facts are dotted."""
    facts = sorted_facts(graph, history=history)
    numbers = numbered(facts)
    nodes = (f'  n{number}["{_entities(name)}"]' for number, name in numbers.values())
    edges = (
        f"  n{numbers[fact.nodes[0]][0]} {'-.->' if fact.superseded_by else '-->'}"
        f'|"{_entities(relation(fact))}"| n{numbers[fact.nodes[1]][0]}'
        for fact in facts
    )
    return "\n".join(["graph LR", *nodes, *edges, ""])


def to_graphml(graph: KnowledgeGraph, *, history: bool = False) -> str:
    """GraphML, as networkx, Gephi and yEd read it.

    Nodes have a `name`; edges have `relation`, `negated`, `superseded`, `superseded_by` (a message's number, or 0), and
    of the messages that stated the fact `said_in`, `said_by` and `said_at`, each a JSON list. A character that XML
    cannot hold is replaced by U+FFFD.
    """
    from networkx import MultiDiGraph, generate_graphml

    facts = sorted_facts(graph, history=history)
    numbers = numbered(facts)
    drawn: MultiDiGraph[str] = MultiDiGraph()
    drawn.add_nodes_from((f"n{number}", {"name": _xml(name)}) for number, name in numbers.values())
    for number, fact in enumerate(facts):
        subject, obj = (f"n{numbers[node][0]}" for node in fact.nodes)
        drawn.add_edge(subject, obj, key=f"e{number}", **_attributes(fact))
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + "\n".join(generate_graphml(drawn)) + "\n"


def sorted_facts(graph: KnowledgeGraph, *, history: bool) -> list[Fact]:
    """The facts of a graph by subject, relation and object, whenever they were said."""
    return sorted(graph.facts(history=history), key=lambda fact: fact.key.split("\t"))


def numbered(facts: Sequence[Fact]) -> dict[str, tuple[int, str]]:
    """The names in facts by their canonical form: a number for each, and the name as it was written first."""
    names: dict[str, str] = {}
    for fact in sorted(facts, key=lambda fact: fact.said_in):
        for node, name in zip(fact.nodes, (fact.subject, fact.object), strict=True):
            names.setdefault(node, name)
    return {node: (number, names[node]) for number, node in enumerate(sorted(names))}


def relation(fact: Fact) -> str:
    """The relation of a fact, with "NOT" before it if the fact is that it is not so."""
    return f"NOT {fact.relation}" if fact.negated else fact.relation


def _line(fact: Fact) -> str:
    subject = ("NOT " if fact.negated else "") + _one_line(fact.subject)
    said = ", ".join(map(str, fact.said_in))
    corrected = f" superseded by {fact.superseded_by}" if fact.superseded_by else ""
    return f"{subject} | {_one_line(fact.relation)} | {_one_line(fact.object)} [{said}]{corrected}"


def _one_line(text: str) -> str:
    return "".join(map(_visible, text))


def _visible(char: str) -> str:
    if char in "\\|":
        return f"\\{char}"
    return char if char.isprintable() else char.encode("unicode_escape").decode()


def _entities(text: str) -> str:
    """A text as a label of Mermaid, which reads marks of many kinds even within quotes; letters and digits are safe."""
    return "".join(char if char.isalnum() or char == " " else f"#{ord(char)};" for char in " ".join(text.split()))


def _xml(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)


def _attributes(fact: Fact) -> dict[str, str | bool | int]:
    return {
        "relation": _xml(fact.relation),
        "negated": fact.negated,
        "superseded": bool(fact.superseded_by),
        "superseded_by": fact.superseded_by,
        "said_in": json.dumps(fact.said_in),
        "said_by": json.dumps([source.speaker for source in fact.sources]),
        "said_at": json.dumps([source.said_at.isoformat() for source in fact.sources]),
    }
