"""Writes a graph of facts as text, Mermaid, GraphML, JSON lines or a picture.

Each format gives the same output for the same facts, and escapes names safely.
"""

import json
import re
from collections.abc import Callable

from memzoo.errors import OptionError
from memzoo.memories.graph.fact import Fact, by_name, describe_relation, names_in
from memzoo.memories.graph.graph import KnowledgeGraph
from memzoo.memories.graph.picture import to_html
from memzoo.text import did_you_mean

__all__ = ["export"]

# Characters that XML does not allow, and the carriage return, which XML parsers convert.
_NOT_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _to_text(graph: KnowledgeGraph, *, history: bool = False) -> str:
    r"""Return one fact per line, sorted by subject: subject, relation, object, and the log numbers of the sources.

    A negated fact begins with "NOT". Characters that could pass for a separator or a line end are escaped with a
    backslash.

    Example:
        >>> graph = KnowledgeGraph()
        >>> graph.apply({"a|b\tlikes\ttea": Fact("A|b", "likes", "tea").as_json()})
        >>> print(export(graph, "text"), end="")
        A\|b | likes | tea []
    """
    return "".join(f"{line}\n" for line in map(_line, by_name(graph.facts(history=history))))


def _to_json(graph: KnowledgeGraph, *, history: bool = False) -> str:
    """Return one fact per line as a JSON object (see `Fact.as_json`), sorted by subject."""
    return "".join(f"{json.dumps(fact.as_json())}\n" for fact in by_name(graph.facts(history=history)))


def _to_mermaid(graph: KnowledgeGraph, *, history: bool = False) -> str:
    """Return a Mermaid flowchart; superseded facts are dotted."""
    facts = by_name(graph.facts(history=history))
    names = names_in(facts)
    numbers = {node: f"n{number}" for number, node in enumerate(names)}
    nodes = (f'  {numbers[node]}["{_entities(name)}"]' for node, name in names.items())
    edges = (
        f"  {numbers[fact.nodes[0]]} {'-.->' if fact.superseded_by else '-->'}"
        f'|"{_entities(describe_relation(fact))}"| {numbers[fact.nodes[1]]}'
        for fact in facts
    )
    return "\n".join(["graph LR", *nodes, *edges, ""])


def _to_graphml(graph: KnowledgeGraph, *, history: bool = False) -> str:
    """Return GraphML for networkx, Gephi and yEd.

    Nodes have a `name`. Edges have `relation`, `negated`, `superseded`, `superseded_by` (a log number, or 0), and three
    JSON lists about the messages that stated the fact: `said_in`, `said_by` and `said_at`. Characters that XML does not
    allow are replaced by U+FFFD.
    """
    from networkx import MultiDiGraph, generate_graphml

    facts = by_name(graph.facts(history=history))
    names = names_in(facts)
    numbers = {node: f"n{number}" for number, node in enumerate(names)}
    drawn: MultiDiGraph[str] = MultiDiGraph()
    drawn.add_nodes_from((numbers[node], {"name": _xml(name)}) for node, name in names.items())
    for number, fact in enumerate(facts):
        subject, obj = (numbers[node] for node in fact.nodes)
        drawn.add_edge(subject, obj, key=f"e{number}", **_attributes(fact))
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + "\n".join(generate_graphml(drawn)) + "\n"


_FORMATS: dict[str, Callable[..., str]] = {
    "text": _to_text,
    "mermaid": _to_mermaid,
    "graphml": _to_graphml,
    "html": to_html,
    "json": _to_json,
}


def export(graph: KnowledgeGraph, form: str, *, history: bool = False) -> str:
    """Return a graph written in a format.

    Args:
        graph: The graph.
        form: "text", "json", "mermaid", "graphml" or "html".
        history: True to include superseded facts.

    Raises:
        OptionError: There is no such format.
        MissingExtraError: The format needs a library that is not installed.

    Example:
        >>> from memzoo import ConversationKGMemory
        >>> memory = ConversationKGMemory(llm=lambda messages: "Sam | likes | tea", learn_every=1)
        >>> memory.save_context({"input": "Sam likes tea"}, {"output": "ok"})
        >>> print(export(memory.kg, "text"), end="")
        Sam | likes | tea [1]
    """
    if form not in _FORMATS:
        raise OptionError(f"there is no format {form!r}; there are {', '.join(_FORMATS)}{did_you_mean(form, _FORMATS)}")
    return _FORMATS[form](graph, history=history)


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
    """Escape a text for a Mermaid label. Mermaid interprets punctuation even within quotes."""
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
        "said_at": json.dumps([source.said_at and source.said_at.isoformat() for source in fact.sources]),
    }
