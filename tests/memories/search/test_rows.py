"""What was found, in order only as far as somebody looks."""

import numpy
from hypothesis import given, settings
from hypothesis import strategies as some

from memzoo.memories.search.rows import Ranking

# Few different scores, so that many are equal.
SCORES = some.lists(some.sampled_from([-1.5, 0.0, 0.25, 0.5, 3.0]), max_size=40)


@settings(derandomize=True, deadline=None)
@given(SCORES, some.integers(0, 45))
def test_the_best_are_those_of_a_plain_sort(scores: list[float], count: int) -> None:
    """However few are asked for, they are the first of all in order, the older first among equals."""
    seqs = [3 * place + 1 for place in range(len(scores))]
    ranking = Ranking(numpy.array(seqs, numpy.int64), numpy.array(scores))
    everything = sorted(zip(seqs, scores, strict=True), key=lambda one: (-one[1], one[0]))
    assert list(ranking.items()) == everything
    assert ranking.best(count) == [seq for seq, _ in everything][:count]
    assert len(ranking) == len(scores)
