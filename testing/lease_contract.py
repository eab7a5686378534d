"""The rules of stores with leases, as tests to inherit; see `memzoo.testing`."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from memzoo.stores.base import Lease, LeasingStore, find_lacking, managed
from memzoo.sync import drive
from memzoo.testing.store_tools import HOSTILE_IDS, commit, fill

_DAY = 86_400


def _lease(store: LeasingStore, owner: str, *, id_: str = "c", state: str = "s", seconds: float = _DAY) -> Lease:
    """Request a lease for an owner, and return the current lease."""
    lease = drive(store.lease(id_, state, owner=owner, seconds=seconds))
    assert lease is not None
    return lease


class LeasingStoreRules:
    """The rules of `LeasingStore`. `StoreContract` includes these rules."""

    def test_one_owner_has_a_lease(self, store: LeasingStore) -> None:
        """While a lease lasts, its owner can renew it. A request by anyone else returns the owner's lease."""
        fill(store, "c", "a")
        mine = _lease(store, "one")
        assert mine.owner == "one"
        assert _lease(store, "two") == _lease(store, "one") == _lease(store, "two") == mine
        drive(store.release("c", "s", "two"))
        assert _lease(store, "two") == mine
        drive(store.release("c", "s", "one"))
        assert _lease(store, "two").owner == "two"

    def test_a_lease_ends_by_itself(self, store: LeasingStore) -> None:
        """An expired lease can be taken by another owner. Until that happens, the old owner can renew it."""
        fill(store, "c", "a")
        mine = _lease(store, "one", seconds=0)
        assert _lease(store, "one", seconds=0) == mine
        assert _lease(store, "two").owner == "two"
        assert _lease(store, "one").owner == "two"

    def test_tokens_rise_with_owners(self, store: LeasingStore) -> None:
        """With each new owner, the number `Lease.token` grows, even if a former owner returns."""
        fill(store, "c", "a")
        tokens = list[int]()
        for owner in ("one", "two", "one", "one"):
            tokens.append(_lease(store, owner, seconds=0).token)
        drive(store.release("c", "s", "one"))
        tokens.append(_lease(store, "two").token)
        first, second, third, same, last = tokens
        assert first < second < third == same < last

    def test_leases_are_apart(self, store: LeasingStore) -> None:
        """Each state of each conversation has its own lease, whatever the names of states and conversations."""
        for id_ in HOSTILE_IDS:
            fill(store, id_, "a")
        states = [*((id_, "s") for id_ in HOSTILE_IDS), *(("a", name) for name in HOSTILE_IDS)]
        for number, (id_, state) in enumerate(states):
            assert _lease(store, f"owner é/{number}", id_=id_, state=state).owner == f"owner é/{number}"
        for number, (id_, state) in enumerate(states):
            assert _lease(store, "late", id_=id_, state=state).owner == f"owner é/{number}"

    def test_a_lease_keeps_nobody_from_writing(self, store: LeasingStore) -> None:
        """Taking a lease does not change the state. During the lease, anyone can append and commit."""
        fill(store, "c", "a")
        before = drive(store.read_state("c", "s"))
        _lease(store, "one")
        assert drive(store.read_state("c", "s")) == before
        commit(store, "c", {"a": 1})
        fill(store, "c", "b")
        assert [entry.seq for entry in drive(store.read("c"))] == [1, 2]

    def test_a_clear_ends_leases(self, store: LeasingStore) -> None:
        """A cleared or unknown conversation has no leases. Releasing a lease there is not an error."""
        assert drive(store.lease("c", "s", owner="one", seconds=_DAY)) is None
        drive(store.release("c", "s", "one"))
        fill(store, "c", "a")
        _lease(store, "one")
        drive(store.clear("c"))
        assert drive(store.lease("c", "s", owner="two", seconds=_DAY)) is None
        fill(store, "c", "a")
        assert _lease(store, "two").owner == "two"

    def test_what_forgets_ends_leases(self, store: LeasingStore) -> None:
        """Forgetting messages ends the leases of their conversation, unless its states are kept (`derived=False`)."""
        if find_lacking(store, "forget"):
            pytest.skip("a plain store deletes no single message")
        fill(store, "c", "a", "b")
        first = _lease(store, "one")
        drive(managed(store, "forget").forget("c", [1], derived=False))
        assert _lease(store, "two") == first
        drive(managed(store, "forget").forget("c", [2]))
        assert _lease(store, "two").token > first.token

    def test_one_of_many_threads_gets_it(self, store: LeasingStore) -> None:
        """If eight threads request a lease at once, one gets it, and the others see that owner's lease."""
        fill(store, "c", "a")
        start = threading.Barrier(8)

        def ask(number: int) -> Lease:
            start.wait()
            return _lease(store, f"owner {number}")

        with ThreadPoolExecutor(8) as pool:
            assert len({*pool.map(ask, range(8))}) == 1
