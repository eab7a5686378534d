"""The rules of stores that record forgotten turns, as tests to inherit; see `memzoo.testing`."""

from memzoo.stores.tombstones import TombstoneStore, tombstone
from memzoo.sync import drive
from memzoo.testing.managed_contract import StoreContract
from memzoo.testing.store_tools import HOSTILE_IDS, fill, numbers, records

__all__ = ["TombstoneStoreContract"]


class TombstoneStoreContract(StoreContract):
    """The rules of `TombstoneStore`, including the rules of `ManagedStore`; used like `StoreContract`."""

    def test_what_was_forgotten_stays_forgotten(self, store: TombstoneStore) -> None:
        """Appending a forgotten turn again stores and returns nothing; other turns are stored."""
        fill(store, "c", "a", "b")
        fill(store, "other", "b")
        drive(store.forget("c", [2]))
        assert fill(store, "c", "b") == []
        assert numbers(fill(store, "c", "a", "d")) == [1, 3]
        assert numbers(fill(store, "other", "b")) == [1]
        assert numbers(drive(store.read("c"))) == [1, 3]

    def test_no_part_of_a_forgotten_turn_comes_back(self, store: TombstoneStore) -> None:
        """If part of a turn was forgotten and the rest is deleted later, no part of the turn comes back."""
        for turn, for_good in (("x", True), ("y", False)):
            first, second = drive(store.append("c", records("a", "b"), turn_id=turn))
            drive(store.forget("c", [first.seq]))
            drive(store.forget("c", [second.seq], tombstones=for_good))
            assert drive(store.append("c", records("a", "b"), turn_id=turn)) == []
        assert drive(store.read("c")) == []

    def test_a_tombstone_outlives_its_conversation(self, store: TombstoneStore) -> None:
        """Forgotten turns stay forgotten after `clear(only_empty=True)`; a plain `clear` removes the tombstones."""
        fill(store, "c", "a")
        drive(store.forget("c", [1]))
        drive(store.clear("c", only_empty=True))
        assert fill(store, "c", "a") == []
        assert drive(store.conversations()) == []
        assert numbers(fill(store, "c", "b")) == [1]
        drive(store.clear("c", only_empty=True))
        assert fill(store, "c", "a") == []
        drive(store.clear("c"))
        assert drive(store.tombstones("c")) == []
        assert numbers(fill(store, "c", "a")) == [1]
        drive(store.forget("c", [1]))
        drive(store.clear("c", only_empty=True))
        drive(store.clear("c"))
        assert numbers(fill(store, "c", "a")) == [1]

    def test_what_may_be_said_again_leaves_no_tombstone(self, store: TombstoneStore) -> None:
        """The argument `tombstones` decides if a forgotten turn can be stored again; `derived` does not matter."""
        fill(store, "c", "a", "b")
        drive(store.forget("c", [1], derived=False, tombstones=False))
        drive(store.forget("c", [2], tombstones=False))
        assert drive(store.tombstones("c")) == []
        assert numbers(fill(store, "c", "a")) == [3]
        drive(store.forget("c", [3], derived=False))
        assert fill(store, "c", "a") == []

    def test_tombstones_are_hashes(self, store: TombstoneStore) -> None:
        """Only the hash of a forgotten turn's id is kept, for any id in any conversation."""
        for id_ in HOSTILE_IDS:
            drive(store.append(id_, records("a", "b"), turn_id=id_))
            drive(store.forget(id_, [1, 2]))
            assert drive(store.tombstones(id_)) == [tombstone(id_)]
            assert drive(store.append(id_, records("a", "b"), turn_id=id_)) == []
        assert drive(store.tombstones("nobody")) == []

    def test_tombstones_are_restored(self, store: TombstoneStore) -> None:
        """A restored conversation keeps its tombstones, and never stores the turns forgotten before."""
        entries = fill(store, "c", "a")
        drive(store.restore("copy", entries, {}, tombstones={tombstone("turn of b"), tombstone("turn of d")}))
        assert drive(store.tombstones("copy")) == sorted(map(tombstone, ("turn of b", "turn of d")))
        assert numbers(fill(store, "copy", "b", "a", "e")) == [1, 2]
