"""The rules of every store, as tests to inherit; see `memzoo.testing`."""

import asyncio
import copy
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from memzoo.errors import ConflictError
from memzoo.stores.base import Entry, LeasingStore, ManagedStore, Record, StateUpdate, Store, find_lacking
from memzoo.sync import drive
from memzoo.testing.lease_contract import LeasingStoreRules
from memzoo.testing.managed_contract import ManagedStoreRules
from memzoo.testing.store_tools import HOSTILE_IDS, MESSAGES, commit, epoch_of, fill, records, revision_of, vector

# Methods of each further protocol. A store with none of them is not tested by the protocol's rules; with one of them,
# it is, so a method that is missing or misspelt fails.
_FURTHER = {ManagedStore: ("conversations", "count", "embeddings", "restore"), LeasingStore: ("lease", "release")}


class _Interrupted(list[Record]):
    """A list of records whose iteration fails after the first record."""

    def __iter__(self) -> Iterator[Record]:
        yield self[0]
        raise InterruptedError


class StoreContract(ManagedStoreRules, LeasingStoreRules):
    """The rules of `Store`, and of `ManagedStore` and `LeasingStore` if the tested store has their methods.

    Inherit from this class, and define a fixture `store` that yields a new, empty store.

    Example:
        >>> from memzoo.stores import InMemoryStore
        >>> StoreContract().test_numbers_have_no_gaps(InMemoryStore())
    """

    @pytest.fixture(autouse=True)
    def _skip_what_it_cannot_do(self, request: pytest.FixtureRequest, store: Store) -> None:
        """Skip the rules of a protocol that the store does not have."""
        methods = _FURTHER.get(request.function.__annotations__.get("store"), ())
        if methods and all(find_lacking(store, method) for method in methods):
            pytest.skip(f"{type(store).__name__} has none of the methods {', '.join(methods)}")

    def test_numbers_have_no_gaps(self, store: Store) -> None:
        """Entries are numbered from 1 in the order of appending, without gaps."""
        first = drive(store.append("c", records("a", "b"), turn_id="1"))
        second = drive(store.append("c", records("c"), turn_id="2"))
        entries = drive(store.read("c"))
        assert first + second == entries
        assert [entry.seq for entry in entries] == [1, 2, 3]
        assert [entry.message["content"] for entry in entries] == ["a", "b", "c"]
        assert [entry.turn_id for entry in entries] == ["1", "1", "2"]
        assert {entry.created_at.utcoffset() for entry in entries} == {timedelta(0)}

    @pytest.mark.parametrize(
        ("bounds", "oldest", "newest"),
        [
            ({}, [1, 2, 3, 4, 5], [1, 2, 3, 4, 5]),
            ({"limit": 2}, [1, 2], [4, 5]),
            ({"limit": 9}, [1, 2, 3, 4, 5], [1, 2, 3, 4, 5]),
            ({"limit": 0}, [], []),
            ({"after": 1, "until": 4, "limit": 2}, [2, 3], [3, 4]),
            ({"after": 3, "until": 99, "limit": 1}, [4], [5]),
            ({"after": -3, "until": 2}, [1, 2], [1, 2]),
            ({"after": 5, "limit": 2}, [], []),
            ({"after": 4, "until": 2, "limit": 2}, [], []),
        ],
    )
    def test_reads_what_was_asked_for(
        self, store: Store, bounds: dict[str, Any], oldest: list[int], newest: list[int]
    ) -> None:
        """A read returns the entries within its bounds and its limit, oldest first."""
        fill(store, "c", *"abcde")
        assert [entry.seq for entry in drive(store.read("c", **bounds))] == oldest
        assert [entry.seq for entry in drive(store.read("c", **bounds, newest=True))] == newest

    def test_a_turn_is_stored_once(self, store: Store) -> None:
        """Appending records under the id of a stored turn changes nothing."""
        stored = drive(store.append("c", records("a", "b"), turn_id="1"))
        assert drive(store.append("c", records("x", "y", "z"), turn_id="1")) == stored
        assert drive(store.append("c", [], turn_id="1")) == stored
        assert drive(store.read("c")) == stored
        assert len(drive(store.append("other", records("a"), turn_id="1"))) == 1

    def test_a_turn_is_stored_as_a_whole(self, store: Store) -> None:
        """If a turn fails halfway, nothing of it is stored, and its id can be used again."""
        with pytest.raises(InterruptedError):
            drive(store.append("c", _Interrupted(records("a", "b")), turn_id="1"))
        assert drive(store.read("c")) == []
        assert [entry.seq for entry in drive(store.append("c", records("a", "b"), turn_id="1"))] == [1, 2]

    def test_an_empty_turn_is_none(self, store: Store) -> None:
        """Appending an empty turn stores nothing."""
        assert drive(store.append("c", [], turn_id="1")) == []
        assert drive(store.read_state("c", "s")).version == 0
        assert len(drive(store.append("c", records("a"), turn_id="1"))) == 1

    def test_an_unknown_conversation_is_empty(self, store: Store) -> None:
        """Reading an unknown conversation finds nothing, and does not create the conversation."""
        assert drive(store.read("c")) == []
        assert drive(store.read_state("c", "s")) == StateUpdate(version=0, watermark=0, changes={}, reset=False)
        drive(store.clear("c"))
        assert drive(store.read("c")) == []

    def test_conversations_are_apart(self, store: Store) -> None:
        """Conversations never read or clear each other's messages and states, whatever their ids."""
        for id_ in HOSTILE_IDS:
            fill(store, id_, f"said in {id_}")
            commit(store, id_, {"item": f"learnt from {id_}"})
        for id_ in HOSTILE_IDS:
            assert [entry.message["content"] for entry in drive(store.read(id_))] == [f"said in {id_}"]
            assert drive(store.read_state(id_, "s")).changes == {"item": f"learnt from {id_}"}
            drive(store.clear(id_))
            assert drive(store.read(id_)) == []

    def test_names_are_taken_as_they_are(self, store: Store) -> None:
        """Any text may be the id of a turn, the name of a strategy or the key of an item."""
        for id_ in HOSTILE_IDS:
            assert drive(store.append("c", records("a"), turn_id=id_))[0].turn_id == id_
            commit(store, "c", dict.fromkeys(HOSTILE_IDS, id_), strategy=id_)
        assert [entry.turn_id for entry in drive(store.read("c"))] == list(HOSTILE_IDS)
        for id_ in HOSTILE_IDS:
            assert drive(store.read_state("c", id_)).changes == dict.fromkeys(HOSTILE_IDS, id_)

    def test_messages_come_back_as_they_were(self, store: Store) -> None:
        """Tool calls, content parts, unknown keys, any text, and the order of fields come back unchanged."""
        fields = {"z": None, "a": "text \ud800", "": ""}
        drive(store.append("c", [Record(copy.deepcopy(message), fields) for message in MESSAGES], turn_id="1"))
        for entry, message in zip(drive(store.read("c")), MESSAGES, strict=True):
            # Equality would ignore the order of keys, and 1 in place of True.
            assert repr(entry.message) == repr(message)
            assert list(entry.fields.items()) == list(fields.items())

    def test_what_goes_in_and_out_is_the_callers(self, store: Store) -> None:
        """Changing lists or states that were passed in or returned does not change the store."""
        turn, item = records("a"), {"list": [1]}
        appended = drive(store.append("c", turn, turn_id="1"))
        commit(store, "c", {"item": item})
        item["list"].append(2)
        for returned in (turn, appended, drive(store.read("c")), drive(store.append("c", [], turn_id="1"))):
            returned.clear()
        drive(store.read_state("c", "s")).changes["item"]["list"].append(2)
        assert drive(store.read("c"))[0].message["content"] == "a"
        assert drive(store.read_state("c", "s")).changes == {"item": {"list": [1]}}

    def test_a_state_grows_by_commits(self, store: Store) -> None:
        """A commit sets the watermark and the named items, and leaves other items as they are."""
        fill(store, "c", "a")
        new = drive(store.read_state("c", "s"))
        assert new == StateUpdate(new.version, 0, {}, reset=True)
        first = drive(
            store.commit("c", "s", expected=new.version, watermark=1, changes={"a": 1, "b": [], "d": {"e": None}})
        )
        second = drive(store.commit("c", "s", expected=first, watermark=7, changes={"a": "two", "c": False}))
        state = drive(store.read_state("c", "s"))
        assert (state.version, state.watermark) == (second, 7)
        assert state.changes == {"a": "two", "b": [], "c": False, "d": {"e": None}}
        assert len({new.version, first, second}) == 3

    def test_a_reader_gets_what_changed(self, store: Store) -> None:
        """A reader gets the items set or removed since a version; from version 0, all existing items."""
        fill(store, "c", "a")
        start = drive(store.read_state("c", "s")).version
        first, second = commit(store, "c", {"a": 1, "b": 2}), commit(store, "c", {"a": None, "c": 3})
        expected = {start: {"a": None, "b": 2, "c": 3}, first: {"a": None, "c": 3}, second: {}}
        for since, changes in expected.items():
            assert drive(store.read_state("c", "s", since=since)) == StateUpdate(second, 1, changes, reset=False)
        assert drive(store.read_state("c", "s")) == StateUpdate(second, 1, {"b": 2, "c": 3}, reset=True)

    def test_a_removed_item_can_come_back(self, store: Store) -> None:
        """Removing an item that does not exist is not an error, and a removed item can be set again."""
        fill(store, "c", "a")
        first = commit(store, "c", {"a": None})
        commit(store, "c", {"a": None})
        assert drive(store.read_state("c", "s", since=first)).changes == {"a": None}
        commit(store, "c", {"a": 0})
        assert drive(store.read_state("c", "s", since=first)).changes == {"a": 0}

    def test_the_second_of_two_writers_conflicts(self, store: Store) -> None:
        """A commit that does not expect the current version raises a conflict, and changes nothing."""
        fill(store, "c", "a")
        expected = drive(store.read_state("c", "s")).version
        commit(store, "c", {"a": "first"})
        before = drive(store.read_state("c", "s"))
        for stale in (expected, 0, before.version + 1):
            with pytest.raises(ConflictError):
                drive(store.commit("c", "s", expected=stale, watermark=9, changes={"b": 1}, embeddings={1: vector(1)}))
        assert drive(store.read_state("c", "s")) == before

    def test_strategies_are_apart(self, store: Store) -> None:
        """Each strategy has its own items, version, watermark and embeddings."""
        fill(store, "c", "a")
        other = drive(store.read_state("c", "other"))
        commit(store, "c", {"a": 1})
        assert drive(store.read_state("c", "other", since=other.version)) == replace(other, reset=False)
        commit(store, "c", {"a": "other"}, strategy="other")
        assert drive(store.read_state("c", "s")).changes == {"a": 1}

    def test_there_is_no_state_without_a_conversation(self, store: Store) -> None:
        """A commit to an unknown conversation raises a conflict, and does not create the conversation."""
        with pytest.raises(ConflictError):
            drive(store.commit("c", "s", expected=0, watermark=0, changes={"a": 1}))
        assert drive(store.read_state("c", "s")) == StateUpdate(0, 0, {}, reset=False)
        assert drive(store.read("c")) == []

    def test_versions_do_not_come_back(self, store: Store) -> None:
        """Versions grow even after a clear, so a reader with an earlier version has to start afresh."""
        seen: set[int] = set()
        for _ in range(3):
            fill(store, "c", "a")
            fill(store, "other", "a")
            versions = [drive(store.read_state("c", "s")).version, *(commit(store, "c", {"a": n}) for n in range(3))]
            assert versions == sorted({*versions})
            assert versions[0] > max(seen, default=-1)
            for old in sorted(seen):
                now = drive(store.read_state("c", "s", since=old))
                assert now == StateUpdate(versions[-1], 1, {"a": 2}, reset=True)
                with pytest.raises(ConflictError):
                    drive(store.commit("c", "s", expected=old, watermark=1, changes={"a": "stale"}))
            seen |= set(versions)
            drive(store.clear("c"))
            assert drive(store.read_state("c", "s", since=versions[-1])) == StateUpdate(0, 0, {}, reset=True)

    def test_the_epoch_stays_while_a_conversation_grows(self, store: Store) -> None:
        """Appends and commits do not change the epoch, and every read returns the same epoch."""
        fill(store, "c", "a")
        epoch = epoch_of(store, "c")
        fill(store, "c", "b", "c")
        fill(store, "other", "a")
        drive(store.append("c", records("again"), turn_id="turn of a"))
        commit(store, "c", {"a": 1})
        drive(store.clear("c", only_empty=True))
        parts = ({"after": 3}, {"after": 1, "until": 2}, {"limit": 0}, {"limit": 1, "newest": True}, {"until": 0})
        assert [epoch_of(store, "c", **part) for part in ({}, *parts)] == [epoch] * 6
        assert epoch_of(store, "nobody") == epoch_of(store, "nobody else")

    def test_the_revision_moves_with_states_alone(self, store: Store) -> None:
        """Each commit changes the revision of its conversation. Appends, and commits to other conversations, do not."""
        fill(store, "c", "a")
        seen = [revision_of(store, "c")]
        fill(store, "c", "b")
        fill(store, "other", "a")
        commit(store, "other", {"a": 1})
        parts = ({"after": 2}, {"limit": 0}, {"limit": 1, "newest": True})
        assert [revision_of(store, "c", **part) for part in ({}, *parts)] == seen * 4
        if seen != [None]:  # a store need not report revisions
            for state in ("s", "s", "other"):
                commit(store, "c", {"a": 1}, strategy=state)
                seen.append(revision_of(store, "c"))
            assert len(set(seen)) == 4

    def test_a_cleared_conversation_begins_again(self, store: Store) -> None:
        """After a clear, the conversation is empty, numbers start at 1, turn ids are free, and the epoch is new."""
        first = fill(store, "c", "a", "b")
        commit(store, "c", {"a": 1})
        before = epoch_of(store, "c")
        drive(store.clear("c"))
        assert drive(store.read("c")) == []
        assert epoch_of(store, "c") == epoch_of(store, "nobody")
        again = fill(store, "c", "a", "b")
        assert [(one.seq, one.message) for one in again] == [(one.seq, one.message) for one in first]
        state = drive(store.read_state("c", "s"))
        assert state == StateUpdate(state.version, 0, {}, reset=True)
        assert len({before, epoch_of(store, "c"), epoch_of(store, "nobody")}) == 3

    def test_threads_lose_nothing(self, store: Store) -> None:
        """When eight threads append and commit at once, turns stay together, and numbers have no gaps or duplicates."""
        start, turns = threading.Barrier(8), 4

        def work(worker: int) -> None:
            start.wait()
            for turn in range(turns):
                name = f"{worker}-{turn}"
                drive(store.append("c", records(name, name), turn_id=name))
                drive(store.append("c", records("again"), turn_id=name))
                while not self._try_commit(store, name):
                    pass

        with ThreadPoolExecutor(8) as threads:
            list(threads.map(work, range(8)))
        entries = drive(store.read("c"))
        assert [entry.seq for entry in entries] == list(range(1, 8 * turns * 2 + 1))
        names = [entry.message["content"] for entry in entries]
        assert names[::2] == names[1::2]
        assert sorted(names[::2]) == sorted(f"{worker}-{turn}" for worker in range(8) for turn in range(turns))
        assert sorted(drive(store.read_state("c", "s")).changes["names"]) == sorted(names[::2])

    def test_works_in_an_event_loop(self, store: Store) -> None:
        """The methods can be awaited, many at the same time."""

        async def appended() -> list[Entry]:
            await asyncio.gather(*(store.append("c", records(turn), turn_id=turn) for turn in "abcdefgh"))
            return await store.read("c")

        assert sorted(entry.turn_id for entry in asyncio.run(appended())) == list("abcdefgh")

    @staticmethod
    def _try_commit(store: Store, name: str) -> bool:
        state = drive(store.read_state("c", "s"))
        names = [*state.changes.get("names", []), name]
        try:
            drive(store.commit("c", "s", expected=state.version, watermark=0, changes={"names": names}))
        except ConflictError:
            return False
        return True
