"""The rules of stores that also manage their data, as tests to inherit; see `memzoo.testing`."""

from datetime import UTC, datetime, timedelta

import pytest

from memzoo.errors import ConflictError, StoreError
from memzoo.stores.base import ManagedStore, StateUpdate, StoredState
from memzoo.stores.common import escaped
from memzoo.stores.tombstones import tombstone
from memzoo.sync import drive
from memzoo.testing.store_tools import HOSTILE_IDS, commit, epoch_of, fill, numbers, records, vector

_FUTURE = datetime(9999, 1, 1, tzinfo=UTC)


class ManagedStoreRules:
    """The rules of `ManagedStore`. `StoreContract` includes these rules."""

    def test_what_was_forgotten_stays_forgotten(self, store: ManagedStore) -> None:
        """Appending a forgotten turn again stores nothing. Other turns are stored."""
        fill(store, "c", "a", "b")
        fill(store, "other", "b")
        drive(store.forget("c", [2]))
        assert fill(store, "c", "b") == []
        assert numbers(fill(store, "c", "a", "d")) == [1, 3]
        assert numbers(fill(store, "other", "b")) == [1]
        assert numbers(drive(store.read("c"))) == [1, 3]

    def test_no_part_of_a_forgotten_turn_comes_back(self, store: ManagedStore) -> None:
        """A turn with a forgotten message is never stored again, even if no message of the turn is left."""
        for turn, for_good in (("x", True), ("y", False)):
            first, second = drive(store.append("c", records("a", "b"), turn_id=turn))
            drive(store.forget("c", [first.seq]))
            drive(store.forget("c", [second.seq], tombstones=for_good))
            assert drive(store.append("c", records("a", "b"), turn_id=turn)) == []
        assert drive(store.read("c")) == []

    def test_a_tombstone_outlives_its_conversation(self, store: ManagedStore) -> None:
        """`clear(only_empty=True)` keeps the tombstones of a conversation without messages; `clear()` does not."""
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

    def test_what_may_be_said_again_leaves_no_tombstone(self, store: ManagedStore) -> None:
        """Whether a forgotten turn can be stored again depends on the argument `tombstones`, not on `derived`."""
        fill(store, "c", "a", "b")
        drive(store.forget("c", [1], derived=False, tombstones=False))
        drive(store.forget("c", [2], tombstones=False))
        assert drive(store.tombstones("c")) == []
        assert numbers(fill(store, "c", "a")) == [3]
        drive(store.forget("c", [3], derived=False))
        assert fill(store, "c", "a") == []

    def test_tombstones_are_hashes(self, store: ManagedStore) -> None:
        """A tombstone is a hash of the forgotten turn's id."""
        for id_ in HOSTILE_IDS:
            drive(store.append(id_, records("a", "b"), turn_id=id_))
            drive(store.forget(id_, [1, 2]))
            assert drive(store.tombstones(id_)) == [tombstone(id_)]
            assert drive(store.append(id_, records("a", "b"), turn_id=id_)) == []
        assert drive(store.tombstones("nobody")) == []

    def test_tombstones_are_restored(self, store: ManagedStore) -> None:
        """A restored conversation keeps its tombstones, and does not store the forgotten turns again."""
        entries = fill(store, "c", "a")
        drive(store.restore("copy", entries, {}, tombstones={tombstone("turn of b"), tombstone("turn of d")}))
        assert drive(store.tombstones("copy")) == sorted(map(tombstone, ("turn of b", "turn of d")))
        assert numbers(fill(store, "copy", "b", "a", "e")) == [1, 2]

    def test_embeddings_come_back(self, store: ManagedStore) -> None:
        """Embeddings come back byte for byte, in order of log numbers; a later embedding replaces an earlier one."""
        fill(store, "c", "a")
        for embeddings in ({3: vector(3, 0.1), 1: vector(1, -0.0)}, {}, {10: vector(10), 3: vector(3.5)}):
            commit(store, "c", {}, embeddings=embeddings)
        expected = [(1, vector(1, -0.0)), (3, vector(3.5)), (10, vector(10))]
        assert list(drive(store.embeddings("c", "s")).items()) == expected
        assert list(drive(store.embeddings("c", "s", after=1)).items()) == expected[1:]
        assert drive(store.embeddings("c", "s", after=10)) == {}
        assert drive(store.embeddings("c", "other")) == {}
        with pytest.raises(ConflictError):
            drive(store.commit("c", "s", expected=0, watermark=9, changes={}, embeddings={1: vector(1)}))
        assert list(drive(store.embeddings("c", "s")).items()) == expected

    def test_cleared_is_gone(self, store: ManagedStore) -> None:
        """A cleared conversation is not listed. Storing new messages does not bring back its states and embeddings."""
        fill(store, "c", "a", "b")
        commit(store, "c", {"a": 1}, embeddings={1: vector(1)})
        drive(store.clear("c"))
        assert drive(store.conversations()) == []
        fill(store, "c", "a")
        assert drive(store.states("c")) == []
        assert drive(store.embeddings("c", "s")) == {}

    def test_forgotten_messages_are_gone(self, store: ManagedStore) -> None:
        """Forgotten messages cannot be read, other messages keep their numbers, and unknown numbers are ignored."""
        fill(store, "c", *"abcde")
        fill(store, "other", *"abcde")
        assert drive(store.forget("c", [4, 99, 2, -1, 2])) == [2, 4]
        assert numbers(drive(store.read("c"))) == [1, 3, 5]
        assert numbers(drive(store.read("c", after=1, until=4))) == [3]
        assert numbers(drive(store.read("c", limit=2, newest=True))) == [3, 5]
        assert drive(store.forget("c", {2, 4})) == []
        assert drive(store.forget("nobody", [1])) == []
        assert len(drive(store.read("other"))) == 5

    @pytest.mark.parametrize("seqs", [[5], [1, 2, 3, 4, 5]])
    def test_numbers_are_never_used_again(self, store: ManagedStore, seqs: list[int]) -> None:
        """New messages never get the numbers of forgotten messages."""
        fill(store, "c", *"abcde")
        drive(store.forget("c", seqs))
        assert numbers(fill(store, "c", "f", "g")) == [6, 7]

    def test_many_messages_can_be_forgotten_at_once(self, store: ManagedStore) -> None:
        """One call can forget any number of messages."""
        drive(store.append("c", records(*map(str, range(1200))), turn_id="1"))
        commit(store, "c", {}, embeddings={seq: vector(seq) for seq in range(1, 1201)})
        assert drive(store.forget("c", range(1, 1200))) == list(range(1, 1200))
        assert numbers(drive(store.read("c"))) == [1200]
        assert list(drive(store.embeddings("c", "s"))) == [1200]

    def test_a_turn_is_known_by_what_is_left_of_it(self, store: ManagedStore) -> None:
        """If one message of a turn is deleted, the turn still counts as stored: saving it again adds nothing."""
        for turn, tombstones in (("1", True), ("2", False)):
            first, second = drive(store.append("c", records("a", "b"), turn_id=turn))
            drive(store.forget("c", [first.seq], tombstones=tombstones))
            assert drive(store.append("c", records("a", "b"), turn_id=turn)) == [second]

    def test_what_was_taken_back_may_be_said_again(self, store: ManagedStore) -> None:
        """With `tombstones=False`, forgetting deletes messages and states, but the turns can be stored again."""
        fill(store, "c", "a", "b")
        commit(store, "c", {"secret": "b"}, watermark=2)
        assert drive(store.forget("c", [2, 9], tombstones=False)) == [2]
        assert drive(store.states("c")) == []
        assert numbers(fill(store, "c", "b", "a")) == [3, 1]

    def test_what_was_learnt_from_it_is_forgotten_too(self, store: ManagedStore) -> None:
        """Forgetting a message clears all states that have learnt from the message; other states stay."""
        fill(store, "c", *"abc")
        early = commit(store, "c", {"a": 1, "b": 2}, strategy="early")
        late = commit(store, "c", {"secret": "b"}, strategy="late", watermark=2)
        drive(store.forget("c", [2]))
        assert drive(store.states("c")) == ["early"]
        for since in (late, 0):
            cleared = drive(store.read_state("c", "late", since=since))
            assert cleared == StateUpdate(cleared.version, 0, {}, reset=True)
        kept = drive(store.read_state("c", "early", since=early))
        assert kept == StateUpdate(kept.version, 1, {"a": 1, "b": 2}, reset=True)
        for strategy, stale in (("early", early), ("late", late)):
            with pytest.raises(ConflictError):
                drive(store.commit("c", strategy, expected=stale, watermark=3, changes={"secret": "b"}))
        commit(store, "c", {"b": None}, strategy="early", watermark=3)
        assert drive(store.read_state("c", "early", since=kept.version)).changes == {"b": None}

    def test_a_reader_of_nothing_is_told_too(self, store: ManagedStore) -> None:
        """After messages are forgotten, a reader is told to start afresh, even if the state it reads does not exist."""
        fill(store, "c", "a", "b")
        before = drive(store.read_state("c", "s"))
        drive(store.forget("c", [1]))
        after = drive(store.read_state("c", "s", since=before.version))
        assert after == StateUpdate(after.version, 0, {}, reset=True)
        assert not drive(store.read_state("c", "s", since=after.version)).reset

    def test_embeddings_of_the_others_are_kept(self, store: ManagedStore) -> None:
        """A state with only embeddings loses those of forgotten messages, and keeps the others and its watermark."""
        fill(store, "c", *"abc")
        commit(store, "c", {}, strategy="s", watermark=3, embeddings={seq: vector(seq) for seq in (1, 2, 3)})
        commit(store, "c", {"a": 1}, strategy="mixed", watermark=3, embeddings={1: vector(1)})
        drive(store.forget("c", [2]))
        assert drive(store.embeddings("c", "s")) == {1: vector(1), 3: vector(3)}
        assert drive(store.embeddings("c", "mixed")) == {}
        assert drive(store.states("c")) == ["s"]
        assert drive(store.read_state("c", "s")).watermark == 3

    def test_eviction_leaves_states_alone(self, store: ManagedStore) -> None:
        """Forgetting with `derived=False` deletes messages and their embeddings, but clears no state."""
        fill(store, "c", *"abc")
        commit(store, "c", {"a": 1}, embeddings={1: vector(1), 2: vector(2)})
        before = drive(store.read_state("c", "s"))
        assert drive(store.forget("c", [1], derived=False)) == [1]
        assert drive(store.read_state("c", "s")) == before
        assert not drive(store.read_state("c", "s", since=before.version)).reset
        assert drive(store.embeddings("c", "s")) == {2: vector(2)}

    def test_the_epoch_changes_when_something_is_deleted(self, store: ManagedStore) -> None:
        """Forgetting, clearing and restoring each give a conversation a new epoch."""
        entries = fill(store, "c", *"abcd")
        epochs = [epoch_of(store, "nobody"), epoch_of(store, "c")]
        for seq, derived in ((1, True), (2, False), (3, False), (4, True)):
            drive(store.forget("c", [seq], derived=derived))
            epochs.append(epoch_of(store, "c"))
        assert len(set(epochs)) == 6
        for _ in range(2):
            drive(store.clear("c"))
            assert epoch_of(store, "c") == epochs[0]
            fill(store, "c", "a")
            epochs.append(epoch_of(store, "c"))
            drive(store.forget("c", [1], derived=False))
            epochs.append(epoch_of(store, "c"))
            drive(store.clear("c", only_empty=True))
            drive(store.restore("c", entries, {}))
            epochs.append(epoch_of(store, "c"))
        assert len(set(epochs)) == len(epochs)

    def test_an_emptied_conversation_is_not_listed(self, store: ManagedStore) -> None:
        """A conversation without messages is not listed until a new message is stored."""
        fill(store, "c", "a")
        commit(store, "c", {"a": 1})
        drive(store.clear("c", only_empty=True))
        assert len(drive(store.read("c"))) == 1
        drive(store.forget("c", [1]))
        assert drive(store.conversations()) == []
        assert numbers(fill(store, "c", "b")) == [2]
        assert drive(store.conversations()) == ["c"]
        drive(store.forget("c", [2]))
        drive(store.clear("c", only_empty=True))
        assert numbers(fill(store, "c", "c")) == [1]

    def test_conversations_are_listed_by_pages(self, store: ManagedStore) -> None:
        """Pages list each conversation once, in the same order as the whole list."""
        for id_ in HOSTILE_IDS:
            fill(store, id_, "a")
        found, page = list[str](), drive(store.conversations(limit=7))
        while page:
            found += page
            page = drive(store.conversations(after=page[-1], limit=7))
        assert found == sorted(HOSTILE_IDS, key=escaped)
        assert drive(store.conversations(limit=0)) == []

    def test_conversations_are_found_by_how_they_begin(self, store: ManagedStore) -> None:
        """A prefix finds exactly the ids that begin with it, in order."""
        ends = ("", "a", "%", "_", "\\", "\0", "\ud7ff", "\ud800", "\uffff", "\U0010ffff")
        ids = {f"{start}{one}{other}" for start in ("", "u-") for one in ends for other in ("", ends[-1])}
        for id_ in ids:
            fill(store, id_, "a")
        for prefix in ids:
            expected = [id_ for id_ in drive(store.conversations()) if id_.startswith(prefix)]
            assert drive(store.conversations(prefix=prefix)) == expected
            assert drive(store.conversations(prefix=prefix, after=expected[0], limit=1)) == expected[1:2]

    def test_conversations_are_found_that_are_not_learnt(self, store: ManagedStore) -> None:
        """`behind` finds the conversations with messages that the named state has not learnt from yet."""
        for id_ in HOSTILE_IDS:
            fill(store, id_, "a", "b")
        listed = drive(store.conversations())
        assert drive(store.conversations(behind="s")) == listed
        done, half, late, *others = listed
        commit(store, done, {"a": 1}, watermark=2)
        commit(store, half, {"a": 1}, watermark=1)
        commit(store, late, {"a": 1}, watermark=2, strategy="\0 other")
        assert drive(store.conversations(behind="s")) == [half, late, *others]
        assert drive(store.conversations(behind="\0 other")) == [done, half, *others]
        assert drive(store.conversations(behind="s", after=half, limit=2)) == [late, *others[:1]]
        assert drive(store.conversations(behind="s", prefix=late, limit=1)) == [late]
        drive(store.forget(half, [2], derived=False))
        assert drive(store.conversations(behind="s", limit=1)) == [late]
        drive(store.forget(done, [1]))
        assert drive(store.conversations(behind="s", limit=1)) == [done]

    def test_messages_are_counted(self, store: ManagedStore) -> None:
        """The count includes all stored messages, but no forgotten messages."""
        fill(store, "c", *"abcde")
        drive(store.forget("c", [2, 5]))
        assert [drive(store.count(id_)) for id_ in ("c", "nobody")] == [3, 0]

    def test_idle_conversations_are_found(self, store: ManagedStore) -> None:
        """`idle_since` finds the conversations whose newest remaining message is older than the given time."""
        first, second = fill(store, "c", "a", "b")
        assert drive(store.conversations(idle_since=_FUTURE)) == ["c"]
        assert drive(store.conversations(idle_since=second.created_at)) == []
        instant = timedelta(microseconds=1)
        assert drive(store.conversations(idle_since=second.created_at + instant)) == ["c"]
        drive(store.forget("c", [2]))
        assert drive(store.conversations(idle_since=first.created_at + instant)) == ["c"]
        assert drive(store.conversations(idle_since=_FUTURE, after="c")) == []

    def test_a_conversation_is_restored_as_it_was(self, store: ManagedStore) -> None:
        """A restored conversation has its old numbers, turns, times, states and embeddings, and can be continued."""
        drive(store.append("c", records("a", "b", "c"), turn_id="1"))
        fill(store, "c", "d")
        drive(store.forget("c", [2]))
        states = {
            "s": StoredState(3, {"a": {"b": [1]}, "é\0": False}),
            "vectors": StoredState(4, embeddings={1: vector(1), 4: vector(4)}),
        }
        entries = drive(store.read("c"))
        drive(store.restore("copy", entries, states))
        assert drive(store.read("copy")) == entries
        assert drive(store.states("copy")) == ["s", "vectors"]
        state = drive(store.read_state("copy", "s"))
        assert state == StateUpdate(state.version, 3, {"a": {"b": [1]}, "é\0": False}, reset=True)
        assert drive(store.embeddings("copy", "vectors")) == {1: vector(1), 4: vector(4)}
        assert drive(store.append("copy", [], turn_id="1")) == entries[:2]
        assert numbers(fill(store, "copy", "e")) == [5]
        drive(store.commit("copy", "s", expected=state.version, watermark=5, changes={"a": None}))
        assert drive(store.read_state("copy", "s", since=state.version)).changes == {"a": None}

    def test_nothing_is_written_over(self, store: ManagedStore) -> None:
        """Restoring over an existing conversation is refused, and leaves the conversation as it is."""
        entries = fill(store, "c", "a", "b")
        commit(store, "c", {"a": 1})
        before = drive(store.read_state("c", "s"))
        with pytest.raises(ConflictError, match="'c' already"):
            drive(store.restore("c", entries[:1], {"s": StoredState(1, {"a": 2})}))
        assert drive(store.read("c")) == entries
        assert drive(store.read_state("c", "s")) == before

    def test_only_a_log_is_restored(self, store: ManagedStore) -> None:
        """Restoring no entries, or entries out of order, is refused, and creates no conversation."""
        entries = fill(store, "c", "a", "b")
        for wrong in ([], entries[::-1], entries[:1] * 2):
            with pytest.raises(StoreError, match="increasing numbers from 1"):
                drive(store.restore("copy", wrong, {}))
        assert drive(store.conversations()) == ["c"]

    def test_scrubbing_changes_nothing(self, store: ManagedStore) -> None:
        """A scrub leaves stored messages as they are, and a thorough scrub reports that no traces are left."""
        entries = fill(store, "c", "a")
        drive(store.scrub())
        assert drive(store.read("c")) == entries
        assert drive(store.scrub(thorough=True))
        assert drive(store.read("c")) == entries
