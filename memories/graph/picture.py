"""Draws a graph of facts as one HTML file, which works without a network."""

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from math import inf
from pathlib import Path
from typing import Any

from memzoo.errors import OptionError
from memzoo.memories.graph.fact import Fact, describe_relation, names_in

_KINDS = (("person", "speaker"), ("name", "subject of facts"), ("value", "value of a fact"))
_SPEAKERS = frozenset(("user", "assistant", "human", "ai"))
_LONGEST_LABEL = 32
# Each name is placed by its distances from all others: 3,000 names take a minute, 20,000 several gigabytes.
_MOST_NAMES = 3000
# In pixels: the width of a character; the distance between rows of names; the least distance to the nearest other name
# for three names out of four; the distance of an arrow's end from the middle of a name; the distance between arrows
# with the same two names.
_CHARACTER, _ROW, _APART, _RIM, _BESIDE = 8, 48, 120, 10, 24


def to_html(facts: Sequence[Fact]) -> str:
    """Return an HTML page that shows facts as a graph and lets readers search, move and zoom.

    Speakers, names and values have different colours. Negated facts are red, superseded facts dashed. A name or an
    arrow under the mouse shows the messages that stated its facts, with speakers and times.

    Raises:
        OptionError: The facts have more than 3,000 names.
    """
    from jinja2 import Environment, StrictUndefined

    names = names_in(facts)
    if len(names) > _MOST_NAMES:
        raise OptionError(f"html draws {_MOST_NAMES:,} names at most, not {len(names):,}; graphml has no limit")
    places = _places(facts, names)
    subjects = Counter(fact.nodes[0] for fact in facts)
    nodes = [_node(node, name, places[node], subjects) for node, name in names.items()]
    edges = _edges(facts, places)
    page = Environment(autoescape=True, undefined=StrictUndefined).from_string(
        Path(__file__).with_name("picture.jinja").read_text(encoding="utf-8")
    )
    return page.render(
        kinds=_KINDS,
        box=_box([*nodes, *edges]),
        middle=next((places[node] for node, _ in subjects.most_common(1)), 0j),
        edges=edges,
        nodes=nodes,
    )


# Places are complex numbers: x to the right, y down.
def _places(facts: Iterable[Fact], names: Mapping[str, str]) -> dict[str, complex]:
    """Return the names' positions, always the same for the same facts: in rows, without overlaps."""
    from networkx import Graph, forceatlas2_layout

    drawn: Graph[str] = Graph()
    drawn.add_nodes_from(names)
    drawn.add_edges_from(fact.nodes for fact in facts)
    # Gravity keeps unconnected parts together.
    spread = forceatlas2_layout(drawn, seed=1, strong_gravity=True)
    scale = _APART / _nearness([complex(*at) for at in spread.values()])
    rows: defaultdict[int, list[tuple[float, str]]] = defaultdict(list)
    for node, (x, y) in spread.items():
        rows[round(float(y) * scale / _ROW)].append((float(x) * scale, node))
    return {node: complex(x, row * _ROW) for row, those in rows.items() for node, x in _beside(sorted(those), names)}


def _beside(row: Iterable[tuple[float, str]], names: Mapping[str, str]) -> Iterator[tuple[str, float]]:
    """Yield a row's names with their positions, from the left; a name that would overlap is moved to the right."""
    end = -inf
    for wanted, node in row:
        half = _half(_short(names[node]))
        x = round(max(wanted, end + half))
        end = x + half
        yield node, x


def _half(label: str) -> float:
    """Return half the width of a label."""
    return len(label) * _CHARACTER / 2


def _nearness(places: Sequence[complex]) -> float:
    """Return the lower quartile of the distances from each name to its nearest other name."""
    nearest = sorted(min((abs(one - other) for other in places if other != one), default=inf) for one in places)
    return nearest[len(nearest) // 4] if nearest else inf


def _box(labelled: Iterable[Mapping[str, Any]]) -> str:
    """Return the box around all labels, with a margin of one row, as "left top width height"."""
    ends = [(one["x"] + side * _half(one["label"]), one["y"]) for one in labelled for side in (-1, 1)]
    (left, right), (top, bottom) = (
        (min(along) - _ROW, max(along) + _ROW) for along in zip(*ends or [(0, 0)], strict=True)
    )
    return f"{left:.0f} {top:.0f} {right - left:.0f} {bottom - top:.0f}"


def _edges(facts: Sequence[Fact], places: Mapping[str, complex]) -> list[dict[str, Any]]:
    drawn = Counter[frozenset[str]]()
    edges: list[dict[str, Any]] = []
    for fact in facts:
        start, end = (places[node] for node in fact.nodes)
        # Each further arrow between the same two names is bent more, to be legible.
        drawn[frozenset(fact.nodes)] += 1
        bend = _BESIDE * drawn[frozenset(fact.nodes)]
        path, at = _arc(start, end, bend) if start != end else _loop(start, bend)
        label = {"label": _short(describe_relation(fact)), "x": round(at.real, 1), "y": round(at.imag, 1)}
        edges.append({"path": path, **label, "told": _describe(fact), "fact": fact})
    return edges


def _arc(start: complex, end: complex, bend: float) -> tuple[str, complex]:
    """Return a curve between two names, and the position of the label: the middle of the curve."""
    away = (end - start) / abs(end - start)
    middle, side = (start + end) / 2, away * bend * 1j
    # The curve reaches half-way to its control point.
    return f"M{_at(start + away * _RIM)} Q{_at(middle + side + side)} {_at(end - away * _RIM)}", middle + side


def _loop(at: complex, bend: float) -> tuple[str, complex]:
    """Return a circle from a name to itself, and the position of the label: the top of the circle."""
    left, right = at + _RIM * (-0.6 - 0.8j), at + _RIM * (0.6 - 0.8j)
    return f"M{_at(left)} A{bend} {bend} 0 1 1 {_at(right)}", (left + right) / 2 - 2j * bend


def _at(place: complex) -> str:
    return f"{place.real:.1f} {place.imag:.1f}"


def _node(node: str, name: str, place: complex, subjects: Container[str]) -> dict[str, Any]:
    kind = "person" if node in _SPEAKERS else "name" if node in subjects else "value"
    return {"name": name, "label": _short(name), "kind": kind, "x": place.real, "y": place.imag}


def _describe(fact: Fact) -> str:
    said = (
        ", ".join([str(one.seq), one.speaker, *([f"{one.said_at:%Y-%m-%d %H:%M}"] if one.said_at else [])])
        for one in fact.sources
    )
    corrected = [f"superseded by {fact.superseded_by}"] if fact.superseded_by else []
    return "\n".join([str(fact), *said, *corrected])


def _short(text: str) -> str:
    label = " ".join(text.split())
    return label if len(label) <= _LONGEST_LABEL else f"{label[: _LONGEST_LABEL - 1]}…"
