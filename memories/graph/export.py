"""Writes facts as text, Mermaid, GraphML, JSON lines or a picture.

Each format gives the same output for the same facts, and escapes names safely.
"""

import json
import re
from collections.abc import Callable, Iterable, Sequence

from memzoo.errors import OptionError
from memzoo.memories.graph.fact import Fact, by_name, describe_relation, names_in
from memzoo.memories.graph.picture import to_html
from memzoo.text import did_you_mean

# Characters that XML does not allow, and the carriage return, which XML parsers convert.
_NOT_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _to_text(facts: Iterable[Fact]) -> str:
    r"""Return one fact per line, sorted by subject: subject, relation, object, and the log numbers of the sources.

    A negated fact begins with "NOT". Characters that could pass for a separator or a line end are escaped with a
    backslash.

    Example:
        >>> print(write_facts([Fact("A|b", "likes", "tea")], "text"), end="")
        A\|b | likes | tea []
    """
    return "".join(f"{line}\n" for line in map(_line, facts))


def _to_json(facts: Iterable[Fact]) -> str:
    """Return one fact per line as a JSON object (see `Fact.as_json`), sorted by subject."""
    return "".join(f"{json.dumps(fact.as_json())}\n" for fact in facts)


def _to_mermaid(facts: Sequence[Fact]) -> str:
    """Return a Mermaid flowchart; superseded facts are dotted."""
    names = names_in(facts)
    numbers = {node: f"n{number}" for number, node in enumerate(names)}
    nodes = (f'  {numbers[node]}["{_entities(name)}"]' for node, name in names.items())
    edges = (
        f"  {numbers[fact.nodes[0]]} {'-.->' if fact.superseded_by else '-->'}"
        f'|"{_entities(describe_relation(fact))}"| {numbers[fact.nodes[1]]}'
        for fact in facts
    )
    return "\n".join(["graph LR", *nodes, *edges, ""])


def _to_graphml(facts: Sequence[Fact]) -> str:
    """Return GraphML for networkx, Gephi and yEd.

    Nodes have a `name`. Edges have `relation`, `negated`, `superseded`, `superseded_by` (a log number, or 0), and three
    JSON lists about the messages that stated the fact: `said_in`, `said_by` and `said_at`. Characters that XML does not
    allow are replaced by U+FFFD.
    """
    from networkx import MultiDiGraph, generate_graphml

    names = names_in(facts)
    numbers = {node: f"n{number}" for number, node in enumerate(names)}
    drawn: MultiDiGraph[str] = MultiDiGraph()
    drawn.add_nodes_from((numbers[node], {"name": _xml(name)}) for node, name in names.items())
    for number, fact in enumerate(facts):
        subject, obj = (numbers[node] for node in fact.nodes)
        drawn.add_edge(subject, obj, key=f"e{number}", **_attributes(fact))
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + "\n".join(generate_graphml(drawn)) + "\n"


_FORMATS: dict[str, Callable[[Sequence[Fact]], str]] = {
    "text": _to_text,
    "mermaid": _to_mermaid,
    "graphml": _to_graphml,
    "html": to_html,
    "json": _to_json,
}


def write_facts(facts: Iterable[Fact], form: str) -> str:
    """Return facts written in a format; see `KnowledgeGraph.export`."""
    if form not in _FORMATS:
        raise OptionError(f"there is no format {form!r}; there are {', '.join(_FORMATS)}{did_you_mean(form, _FORMATS)}")
    return _FORMATS[form](by_name(facts))


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
