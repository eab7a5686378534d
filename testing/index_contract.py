"""The rules of every index, as tests to inherit; see `memzoo.testing`."""

import asyncio
import math
from collections.abc import Sequence

import pytest

from memzoo.errors import StoreError
from memzoo.stores.indexes.index import VectorIndex
from memzoo.sync import drive
from memzoo.testing.store_tools import HOSTILE_IDS, vector


def _numbers(found: Sequence[tuple[int, float]]) -> list[int]:
    return [number for number, _ in found]


def _round(found: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    # Adding 0.0 makes -0.0 positive.
    return [(number, round(similarity, 5) + 0.0) for number, similarity in found]


def _sphere(count: int) -> dict[int, bytes]:
    """Return points evenly spread over a sphere, along a spiral from top to bottom, as embeddings by number."""
    heights = {number: 1 - (2 * number + 1) / count for number in range(count)}
    turn = math.pi * (3 - math.sqrt(5))
    return {
        number: vector(
            math.sqrt(1 - height**2) * math.cos(turn * number),
            math.sqrt(1 - height**2) * math.sin(turn * number),
            height,
        )
        for number, height in heights.items()
    }


class VectorIndexContract:
    """The rules of `VectorIndex`. Inherit from this class, and define a fixture `index` that yields a new, empty index.

    Example:
        >>> from memzoo.stores.indexes.index import ExactIndex
        >>> VectorIndexContract().test_the_nearest_comes_first(ExactIndex())
    """

    def test_the_nearest_comes_first(self, index: VectorIndex) -> None:
        """Similarity is the cosine of the angle, from 1 to -1; the magnitudes of the vectors do not matter."""
        drive(index.add("c", "s", {1: vector(-2, 0), 2: vector(0, 5), 3: vector(3, 3), 4: vector(0.1, 0)}))
        found = drive(index.search("c", "s", vector(7, 0), 4))
        assert _round(found) == [(4, 1.0), (3, round(math.sqrt(0.5), 5)), (2, 0.0), (1, -1.0)]

    def test_no_more_than_asked_for(self, index: VectorIndex) -> None:
        """A search finds `k` embeddings, or all if there are fewer; in an unknown conversation, none."""
        drive(index.add("c", "s", {1: vector(1, 0), 2: vector(1, 1), 3: vector(0, 1)}))
        for k, expected in ((0, []), (1, [1]), (2, [1, 2]), (9, [1, 2, 3])):
            assert _numbers(drive(index.search("c", "s", vector(1, 0), k))) == expected
        drive(index.add("other", "s", {}))
        assert drive(index.search("other", "s", vector(1, 0), 3)) == []

    def test_equals_come_by_number(self, index: VectorIndex) -> None:
        """Equally near embeddings are found in order of log number."""
        for numbers in (range(10, 21), range(9, 0, -1)):
            drive(index.add("c", "s", {number: vector(0.3, 0.1, 0.7) for number in numbers}))
        drive(index.add("c", "s", {0: vector(1, 1, 1)}))
        for k in (1, 3, 19, 20):
            assert _numbers(drive(index.search("c", "s", vector(0.3, 0.1, 0.7), k))) == list(range(1, k + 1))

    def test_adding_replaces(self, index: VectorIndex) -> None:
        """Adding an embedding replaces an earlier embedding with the same log number."""
        drive(index.add("c", "s", {1: vector(1, 0), 2: vector(0, 1)}))
        drive(index.add("c", "s", {1: vector(0, 1), 3: vector(1, 0)}))
        assert _round(drive(index.search("c", "s", vector(1, 0), 3))) == [(3, 1.0), (1, 0.0), (2, 0.0)]
        assert set(drive(index.known("c", "s"))) == {1, 2, 3}

    def test_conversations_and_spaces_are_apart(self, index: VectorIndex) -> None:
        """A search or a removal never reaches embeddings of another conversation or space."""
        joined_alike = [("a", "b:c"), ("a:b", "c"), ("a", "1-1"), ("a-1", "1"), ('a", "b', "c"), ("a", 'b", "c')]
        pairs = [*((id_, "s") for id_ in HOSTILE_IDS), ("a", ""), ("", "a"), *joined_alike]
        for number, (id_, space) in enumerate(pairs, start=1):
            drive(index.add(id_, space, {number: vector(1, number)}))
        for number, (id_, space) in enumerate(pairs, start=1):
            assert _numbers(drive(index.search(id_, space, vector(1, 1), 9))) == [number]
            assert set(drive(index.known(id_, space))) == {number}
            drive(index.remove(id_, space))
            assert set(drive(index.known(id_, space))) == set[int]()

    def test_removed_is_gone(self, index: VectorIndex) -> None:
        """After a removal, searches find nothing, and embeddings of another dimension can be added."""
        drive(index.remove("c", "s"))
        drive(index.add("c", "s", {1: vector(1, 0), 2: vector(0, 1)}))
        drive(index.remove("c", "s"))
        assert drive(index.search("c", "s", vector(1, 0), 2)) == []
        drive(index.add("c", "s", {2: vector(0, 0, 1)}))
        assert _round(drive(index.search("c", "s", vector(0, 0, 2), 2))) == [(2, 1.0)]

    def test_zeros_are_similar_to_nothing(self, index: VectorIndex) -> None:
        """An embedding or a query of zeros has similarity 0 to everything."""
        drive(index.add("c", "s", {1: vector(0, 0), 2: vector(1, 0), 3: vector(-1, 0)}))
        assert _round(drive(index.search("c", "s", vector(1, 0), 3))) == [(2, 1.0), (1, 0.0), (3, -1.0)]
        assert _round(drive(index.search("c", "s", vector(0, 0), 2))) == [(1, 0.0), (2, 0.0)]

    def test_other_dimensions_are_refused(self, index: VectorIndex) -> None:
        """An embedding whose dimension differs from the conversation's is refused. The error names both dimensions."""
        drive(index.add("c", "s", {1: vector(1, 0, 0)}))
        drive(index.add("other", "s", {1: vector(1, 0)}))
        with pytest.raises(StoreError, match=r"\b3 dimensions.*\b2\b"):
            drive(index.search("c", "s", vector(1, 0), 1))
        with pytest.raises(StoreError, match=r"\b3 dimensions.*\b2\b"):
            drive(index.add("c", "s", {2: vector(1, 0)}))
        assert set(drive(index.known("c", "s"))) == {1}

    @pytest.mark.parametrize("embedding", [b"", b"12345", vector(math.nan, 0), vector(math.inf, 0)])
    def test_nonsense_is_refused(self, index: VectorIndex, embedding: bytes) -> None:
        """An embedding with anything but finite float32 numbers is refused, and nothing is added."""
        with pytest.raises(StoreError):
            drive(index.add("c", "s", {1: vector(1, 0), 2: embedding}))
        with pytest.raises(StoreError):
            drive(index.search("c", "s", embedding, 1))
        assert set(drive(index.known("c", "s"))) == set[int]()

    def test_many_are_all_there(self, index: VectorIndex) -> None:
        """Thousands of embeddings can be added at once, are all known, and can be removed at once."""
        sphere = _sphere(6_000)
        drive(index.add("c", "s", sphere))
        assert set(drive(index.known("c", "s"))) == set(sphere)
        assert _numbers(drive(index.search("c", "s", sphere[4321], 1))) == [4321]
        drive(index.remove("c", "s"))
        assert set(drive(index.known("c", "s"))) == set[int]()

    def test_finds_its_own_among_many(self, index: VectorIndex) -> None:
        """A search finds only a conversation's own embeddings, even if hundreds of others are nearer."""
        sphere = _sphere(400)
        drive(index.add("other", "s", {number: sphere[number] for number in range(360)}))
        drive(index.add("c", "s", {number: sphere[number] for number in range(360, 400)}))
        assert _numbers(drive(index.search("c", "s", vector(0, 0, 1), 5))) == [360, 361, 362, 363, 364]

    def test_works_in_an_event_loop(self, index: VectorIndex) -> None:
        """The methods can be awaited, several at the same time."""

        async def both() -> list[list[tuple[int, float]]]:
            await asyncio.gather(*(index.add(id_, "s", {1: vector(1, 0)}) for id_ in "ab"))
            return list(await asyncio.gather(*(index.search(id_, "s", vector(1, 0), 1) for id_ in "ab")))

        assert [_round(found) for found in asyncio.run(both())] == [[(1, 1.0)]] * 2
