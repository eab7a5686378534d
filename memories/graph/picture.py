"""A graph of facts as a picture to be moved with the mouse: one HTML file that needs no network."""

import html
import importlib
import warnings
from collections.abc import Mapping
from typing import Any

from memzoo.memories.graph.fact import Fact
from memzoo.memories.graph.formats import numbered, relation, sorted_facts
from memzoo.memories.graph.graph import KnowledgeGraph
from memzoo.memories.text.names import canonical
from memzoo.stores.errors import MissingExtraError

__all__ = ["to_html"]

_SUPERSEDED = "#b0b0b0"
_NEGATED = "#c0392b"
_HEAD = '<meta charset="utf-8">'
# The page needs nothing but itself; no attribute of an element may be a script, should one ever get in.
_POLICY = (
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; "
    "script-src-attr 'none'; style-src 'unsafe-inline'; img-src data: blob:\">"
)


def to_html(graph: KnowledgeGraph, *, history: bool = False) -> str:
    """A page with the graph, drawn by gravis and D3, which it contains; half a megabyte.

    Superseded facts are grey, facts that something is not so are red. What was said is told when the mouse is over an
    arrow. In the labels a single guillemet stands for "<".

    Raises:
        MissingExtraError: gravis is not installed.
    """
    facts = sorted_facts(graph, history=history)
    numbers = numbered(facts)
    nodes = {f"n{number}": {"label": _label(name)} for number, name in numbers.values()}
    edges = [_edge(fact, numbers) for fact in facts]
    figure = _gravis().d3(
        {"graph": {"directed": True, "nodes": nodes, "edges": edges}},
        graph_height=700,
        node_label_data_source="label",
        edge_label_data_source="label",
        show_edge_label=True,
        edge_curvature=0.2,
        links_force_distance=120.0,
        many_body_force_strength=-300.0,
        zoom_factor=1.5,
        node_hover_neighborhood=True,
    )
    page: str = figure.to_html()
    return page.replace(_HEAD, f"{_HEAD}\n  {_POLICY}\n  <title>memzoo: facts</title>", 1)


def _edge(fact: Fact, numbers: Mapping[str, tuple[int, str]]) -> dict[str, Any]:
    colour = _SUPERSEDED if fact.superseded_by else _NEGATED if fact.negated else "black"
    source, target = (f"n{numbers[canonical(name)][0]}" for name in (fact.subject, fact.object))
    told = html.escape(_told(fact))
    marks = {"color": colour, "label_color": colour, "hover": told, "click": told}
    return {"source": source, "target": target, "label": _label(relation(fact)), "metadata": marks}


def _told(fact: Fact) -> str:
    said = (f"{source.seq}, {source.speaker}, {source.said_at:%Y-%m-%d %H:%M}" for source in fact.sources)
    corrected = [f"superseded by {fact.superseded_by}"] if fact.superseded_by else []
    return "\n".join([str(fact), *said, *corrected])


def _label(text: str) -> str:
    # gravis writes labels into a script as JSON and shows them as text: only a tag could end the script.
    return " ".join(text.split()).replace("<", "\u2039")


def _gravis() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # gravis imports pkg_resources, which warns about itself
        try:
            return importlib.import_module("gravis")
        except ImportError as error:
            raise MissingExtraError.of("The HTML picture of a graph", "graph") from error
