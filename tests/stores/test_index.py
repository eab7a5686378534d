"""The exact index."""

import gc
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memzoo.memories import MemoryProvider
from memzoo.stores import VectorIndex
from memzoo.stores.indexes.index import ExactIndex
from memzoo.sync import drive
from memzoo.testing import VectorIndexContract
from memzoo.testing.store_tools import vector

NUMBERS = st.floats(-1e3, 1e3, width=32)


class TestExactIndex(VectorIndexContract):
    """It keeps the contract."""

    @pytest.fixture
    def index(self) -> VectorIndex:
        """A new one."""
        return ExactIndex()


def cosine(one: list[float], other: list[float]) -> float:
    """By the book, in double precision."""
    lengths = sum(x * x for x in one) ** 0.5 * sum(x * x for x in other) ** 0.5
    return sum(x * y for x, y in zip(one, other, strict=True)) / lengths if lengths else 0.0


@given(
    vectors=st.lists(st.lists(NUMBERS, min_size=3, max_size=3), min_size=1, max_size=30),
    query=st.lists(NUMBERS, min_size=3, max_size=3),
    k=st.integers(1, 40),
)
def test_agrees_with_the_definition(vectors: list[list[float]], query: list[float], k: int):
    """What is found is as near as anything that is not, and its similarity is the cosine."""
    index = ExactIndex()
    drive(index.add("c", "s", {number: vector(*numbers) for number, numbers in enumerate(vectors)}))
    found = drive(index.search("c", "s", vector(*query), k))
    expected = {number: cosine(numbers, query) for number, numbers in enumerate(vectors)}
    assert len(found) == min(k, len(vectors))
    assert all(abs(similarity - expected[number]) < 1e-5 for number, similarity in found)
    assert found == sorted(found, key=lambda one: (-one[1], one[0]))
    worst = found[-1][1]
    assert all(similarity <= worst + 1e-5 for number, similarity in expected.items() if number not in dict(found))


def test_equals_tie_wherever_they_stand():
    """Equal embeddings have exactly equal similarities, in any number of dimensions and at any place."""
    chance = numpy.random.default_rng(7)
    for dimension in (1, 2, 3, 5, 7, 8, 9, 31, 33, 100):
        index, twin = ExactIndex(), vector(*chance.uniform(-1, 1, dimension))
        others = {n: vector(*chance.uniform(-1, 1, dimension)) for n in range(100)}
        drive(index.add("c", "s", others | dict.fromkeys((3, 50, 51, 99), twin)))
        found = dict(drive(index.search("c", "s", vector(*chance.uniform(-1, 1, dimension)), 100)))
        assert len({found[number] for number in (3, 50, 51, 99)}) == 1


@pytest.mark.parametrize("size", [1e-44, 1e-20, 1e25, 3e38])
def test_numbers_may_be_of_any_size(size: float):
    """Similarities are cosines however large or small the numbers are, as far as float32 holds them."""
    index = ExactIndex()
    drive(index.add("c", "s", {1: vector(size, size, 0), 2: vector(0, 0, size), 3: vector(1, 1, 1)}))
    found = dict(drive(index.search("c", "s", vector(size, size, 0), 3)))
    assert found == pytest.approx({1: 1.0, 2: 0.0, 3: cosine([1, 1, 1], [1, 1, 0])}, abs=1e-6)


def test_grows_by_doubling():
    """To add one embedding after the other does not copy all the others each time."""
    index, steps = ExactIndex(), 0

    def count(frame: object, event: str, arg: object) -> None:
        nonlocal steps
        steps += event == "c_call" and getattr(arg, "__name__", "") == "resize"

    sys.setprofile(count)
    try:
        for number in range(1000):
            drive(index.add("c", "s", {number: vector(1, number)}))
    finally:
        sys.setprofile(None)
    assert 0 < steps <= 3 * 12
    assert len(set(drive(index.known("c", "s")))) == 1000


def test_threads_lose_nothing():
    """Eight threads add and search at once."""
    index, start = ExactIndex(), threading.Barrier(8)

    def work(worker: int) -> None:
        start.wait()
        for number in range(worker, 800, 8):
            drive(index.add("c", "s", {number: vector(1, number)}))
            assert drive(index.search("c", "s", vector(1, number), 1))[0][1] > 0.99

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(work, range(8)))
    assert set(drive(index.known("c", "s"))) == set(range(800))


def test_a_shared_index_lets_go_of_evicted_conversations():
    """An index of a provider holds the conversations at hand, however many there were; one that comes back is found."""

    def toy(texts: list[str]) -> list[list[float]]:
        return [[1.0, len(text)] for text in texts]

    index = ExactIndex()
    provider = MemoryProvider("vector-retriever", max_memories=5, index=index, embedder=toy)
    space = provider.get("0").learners[0].name
    for number in range(50):
        provider.get(str(number)).save_context({"input": f"My number is {number}."}, {"output": "Noted."})
        provider.get(str(number)).load_memory_variables({"input": "What is my number?"})
    gc.collect()
    held = [bool(drive(index.known(str(number), space))) for number in range(50)]
    assert held == [False] * 45 + [True] * 5
    assert "My number is 7." in provider.get("7").load_memory_variables({"input": "What is my number?"})["history"]
    assert drive(index.known("7", space))


def test_a_lease_ends_with_the_last_who_holds_it():
    """What two use stays until both are gone; what nobody leased stays for good."""
    index = ExactIndex()
    one, other = index.lease("c", "s"), index.lease("c", "s")
    for id_ in ("c", "d"):
        drive(index.add(id_, "s", {1: vector(1)}))
    del one
    assert drive(index.known("c", "s"))
    del other
    assert [bool(drive(index.known(id_, "s"))) for id_ in ("c", "d")] == [False, True]
