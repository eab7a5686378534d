"""A graph of facts as a picture: one HTML file that needs no network."""

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from math import dist, hypot, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memzoo.memories.graph.fact import Fact, by_name, marked_relation, names_in
from memzoo.memories.graph.graph import KnowledgeGraph

if TYPE_CHECKING:
    from networkx import Graph

__all__ = ["to_html"]

_KINDS = (("person", "who speaks"), ("name", "what facts are about"), ("value", "what is said of it"))
_SPEAKERS = frozenset(("user", "assistant", "human", "ai"))
_LONGEST_LABEL = 32
_ROOM = 170
_MARGIN = 115
_APART = 105
_RADIUS = 10

Place = tuple[float, float]


def to_html(graph: KnowledgeGraph, *, history: bool = False) -> str:
    """A page with the graph, to be searched, moved and zoomed.

    Names have the colour of their kind; facts that something is not so are red, superseded ones dashed. What was said,
    by whom and when, is told when the mouse is over a name or an arrow.
    """
    from jinja2 import Environment, StrictUndefined

    facts = by_name(graph.facts(history=history))
    names = names_in(facts)
    places, width, height = _places(facts, list(names))
    subjects = Counter(fact.nodes[0] for fact in facts)
    middle = next((places[node] for node, _ in subjects.most_common(1)), (0, 0))
    page = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True).from_string(
        Path(__file__).with_name("picture.jinja").read_text(encoding="utf-8")
    )
    return page.render(
        kinds=_KINDS,
        box=f"0 0 {width or 1:.0f} {height or 1:.0f}",
        middle=middle,
        edges=_edges(facts, places),
        nodes=[_node(node, name, places[node], subjects) for node, name in names.items()],
    )


def _places(facts: Sequence[Fact], nodes: Sequence[str]) -> tuple[dict[str, Place], float, float]:
    """Where names stand, the same for the same facts, and how wide and high that is.

    Names that no fact connects lie in pictures of their own, in rows from the largest to the smallest.
    """
    from networkx import Graph, connected_components

    drawn: Graph[str] = Graph()
    drawn.add_nodes_from(nodes)
    drawn.add_edges_from(fact.nodes for fact in facts)
    parts = sorted((sorted(part) for part in connected_components(drawn)), key=lambda part: (-len(part), part))
    # About twice as wide as high, as screens are.
    widest = _ROOM * sqrt(2 * len(nodes)) + 2 * _MARGIN
    places: dict[str, Place] = {}
    left = top = high = width = 0.0
    for part in parts:
        found = _laid_out(part, drawn)
        wide, tall = (max(place[axis] for place in found.values()) + 2 * _MARGIN for axis in (0, 1))
        if left and left + wide > widest:
            left, top, high = 0.0, top + high, 0.0
        places |= {node: (left + _MARGIN + x, top + _MARGIN + y) for node, (x, y) in found.items()}
        left, high = left + wide, max(high, tall)
        width = max(width, left)
    return places, width, top + high


def _laid_out(part: Sequence[str], drawn: "Graph[str]") -> dict[str, Place]:
    """Where connected names stand, from 0 on both axes."""
    from networkx import Graph, spring_layout

    # In their order, so that a layout does not depend on how a set is ordered.
    ordered: Graph[str] = Graph()
    ordered.add_nodes_from(part)
    ordered.add_edges_from(sorted((min(edge), max(edge)) for edge in drawn.subgraph(part).edges()))
    drawn_at = {node: (float(x), float(y)) for node, (x, y) in spring_layout(ordered, seed=1, iterations=300).items()}
    # Large enough for all of them together, and for the crowd around one name that many facts are about.
    half = max(_ROOM * sqrt(len(part) - 1) / 2, _APART / _nearness(list(drawn_at.values())))
    found = {node: (half * x, half * y) for node, (x, y) in drawn_at.items()}
    first_x, first_y = (min(place[axis] for place in found.values()) for axis in (0, 1))
    return {node: (round(x - first_x), round(y - first_y)) for node, (x, y) in found.items()}


def _nearness(places: Sequence[Place]) -> float:
    """The distance to the nearest other name that three of four names have at least."""
    nearest = sorted(min((dist(one, other) for other in places if other is not one), default=1.0) for one in places)
    return nearest[len(nearest) // 4] or 1.0


def _edges(facts: Sequence[Fact], places: Mapping[str, Place]) -> list[dict[str, Any]]:
    drawn = Counter[frozenset[str]]()
    edges: list[dict[str, Any]] = []
    for fact in facts:
        start, end = (places[node] for node in fact.nodes)
        # Facts between the same two names are bent more and more, so that each can be read.
        bend = 24 * drawn[frozenset(fact.nodes)] + 12
        drawn[frozenset(fact.nodes)] += 1
        path, (x, y) = _arc(start, end, bend) if start != end else _loop(start, bend)
        edges.append(
            {
                "path": path,
                "x": x,
                "y": y,
                "label": _short(marked_relation(fact)),
                "told": _told(fact),
                "fact": fact,
            }
        )
    return edges


def _arc(start: Place, end: Place, bend: float) -> tuple[str, Place]:
    """A curve between two names, and where its label stands."""
    (x, y), (to_x, to_y) = start, end
    length = hypot(to_x - x, to_y - y)
    away_x, away_y = (to_x - x) / length, (to_y - y) / length
    side_x, side_y = (x + to_x) / 2 - away_y * bend * 2, (y + to_y) / 2 + away_x * bend * 2
    near = f"{x + away_x * _RADIUS:.1f} {y + away_y * _RADIUS:.1f}"
    far = f"{to_x - away_x * _RADIUS:.1f} {to_y - away_y * _RADIUS:.1f}"
    label = (round((x + to_x) / 2 - away_y * bend, 1), round((y + to_y) / 2 + away_x * bend, 1))
    return f"M{near} Q{side_x:.1f} {side_y:.1f} {far}", label


def _loop(at: Place, bend: float) -> tuple[str, Place]:
    """A curve from a name to itself."""
    x, y = at
    high = y - 40 - bend
    return f"M{x - 6:.1f} {y - 8:.1f} C{x - 40:.1f} {high:.1f} {x + 40:.1f} {high:.1f} {x + 6:.1f} {y - 8:.1f}", (
        x,
        high + 8,
    )


def _node(node: str, name: str, place: Place, subjects: Container[str]) -> dict[str, Any]:
    kind = "person" if node in _SPEAKERS else "name" if node in subjects else "value"
    return {"name": name, "label": _short(name), "kind": kind, "x": place[0], "y": place[1]}


def _told(fact: Fact) -> str:
    said = (f"{source.seq}, {source.speaker}, {source.said_at:%Y-%m-%d %H:%M}" for source in fact.sources)
    corrected = [f"superseded by {fact.superseded_by}"] if fact.superseded_by else []
    return "\n".join([str(fact), *said, *corrected])


def _short(text: str) -> str:
    label = " ".join(text.split())
    return label if len(label) <= _LONGEST_LABEL else f"{label[: _LONGEST_LABEL - 1]}…"
