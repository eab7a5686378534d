"""The task of keeping a summary: which sentences stay when not all of them can."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

from memzoo.memories.models.offline.corrections import revised
from memzoo.memories.models.offline.statements import Statement, read_back, salience, stated, unique, worth, written
from memzoo.memories.models.offline.text import spoken, turns
from memzoo.memories.text.words import content_stems

__all__ = ["MOST_WORDS", "NOTHING_NEW", "summary"]

MOST_WORDS = 400
NOTHING_NEW = "NOTHING NEW"

_FOR_THE_NEW = 80
_MOST_RANKED = 120
_COMMON = 12
_SIMILAR = 0.1
_COUPLING = 0.15
_RECENCY = 0.5


def summary(old: str, new_lines: str) -> str:
    """The statements of the old summary and the new lines, the weightiest 400 words of them, in the order said."""
    before = unique(read_back(old))
    everything = unique([*before, *stated(spoken(turns(new_lines)[0])).values()])
    if len(everything) == len(before):
        return NOTHING_NEW
    older, new = revised(everything, len(before))
    return written(_weightiest([*older, *new], len(new)), "\n")


def _weightiest(statements: list[Statement], new: int) -> list[Statement]:
    if sum(statement.length for statement in statements) <= MOST_WORDS:
        return statements
    candidates = _shortlist(statements)
    ranks = _ranks([statements[place] for place in candidates])
    values = {place: worth(statements[place], rank) for place, rank in zip(candidates, ranks, strict=True)}
    order = sorted(candidates, key=lambda place: (-values[place], place))
    first_new = len(statements) - new
    chosen = set(_filled(statements, [place for place in order if place >= first_new], _FOR_THE_NEW))
    room = MOST_WORDS - sum(statements[place].length for place in chosen)
    chosen.update(_filled(statements, [place for place in order if place not in chosen], room))
    return [statements[place] for place in sorted(chosen)]


def _shortlist(statements: Sequence[Statement]) -> list[int]:
    by_weight = sorted(range(len(statements)), key=lambda place: (-salience(statements[place]), -place))
    return sorted(by_weight[:_MOST_RANKED])


def _filled(statements: Sequence[Statement], order: Sequence[int], room: int) -> Iterator[int]:
    for place in order:
        if statements[place].length <= room:
            room -= statements[place].length
            yield place


def _ranks(statements: Sequence[Statement]) -> list[float]:
    """The weight of each statement by itself, raised by the weight of those that speak of the same things."""
    import networkx as nx

    count = len(statements)
    own = {place: salience(statement) + _RECENCY * place / count for place, statement in enumerate(statements)}
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(own)
    graph.add_weighted_edges_from(_similarities([content_stems(statement.whole) for statement in statements]))
    try:
        ranks = nx.katz_centrality(
            graph, alpha=_COUPLING, beta=own, max_iter=50, tol=1e-4, normalized=False, weight="weight"
        )
    except nx.PowerIterationFailedConvergence:
        ranks = own
    return [ranks[place] for place in range(count)]


def _similarities(stems: Sequence[Sequence[str]]) -> Iterator[tuple[int, int, float]]:
    """Pairs of statements that share words, with the share, scaled so that no statement has more than 1 in all."""
    places: dict[str, list[int]] = defaultdict(list)
    for place, roots in enumerate(stems):
        for root in dict.fromkeys(roots):
            places[root].append(place)
    shared: dict[tuple[int, int], float] = defaultdict(float)
    for found in places.values():
        if len(found) <= _COMMON:
            for pair in combinations(found, 2):
                shared[pair] += 1 / len(found)
    pairs = [(a, b, weight / (len(stems[a]) * len(stems[b])) ** 0.5) for (a, b), weight in shared.items()]
    strong = [(a, b, weight) for a, b, weight in pairs if weight >= _SIMILAR]
    degree: dict[int, float] = defaultdict(float)
    for a, b, weight in strong:
        degree[a] += weight
        degree[b] += weight
    most = max(1.0, *degree.values()) if degree else 1.0
    return ((a, b, weight / most) for a, b, weight in strong)
