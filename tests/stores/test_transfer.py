"""Conversations go from store to store as they are."""

import asyncio
import contextlib
import hashlib
import json
import re
from collections.abc import Callable, Iterator
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import pytest

from memzoo.errors import ConflictError, MessageError, OptionError, StoreError, TransferError
from memzoo.memories import create_memory
from memzoo.memories.text.messages import checked
from memzoo.stores import (
    InMemoryStore,
    ManagedStore,
    Record,
    StoredState,
    export_conversation,
    import_conversation,
    open_store,
)
from memzoo.sync import drive
from memzoo.testing.store_tools import HOSTILE_IDS, MESSAGES, commit, fill, vector

URLS = ["memory://", "sqlite://"]


@pytest.fixture
def opened() -> Iterator[Callable[[str], ManagedStore]]:
    """Opens stores that are closed at the end."""
    with contextlib.ExitStack() as stack:
        yield lambda url: stack.enter_context(contextlib.closing(open_store(url)))


def is_message(message: dict[str, Any]) -> bool:
    """Whether a memory would have stored it."""
    with contextlib.suppress(MessageError):
        return bool(checked(message))
    return False


def filled(store: ManagedStore, id_: str = "c") -> ManagedStore:
    """The store, with a conversation that has everything that is easily changed on its way, and gaps."""
    for number, message in enumerate(islice(cycle(filter(is_message, MESSAGES)), 5)):
        drive(store.append(id_, [Record(message, {"z": None, "a": "\ud800"})] * 2, turn_id=f"{number}\0\u2028"))
    drive(store.forget(id_, [2, 5]))
    commit(store, id_, {"a": {"b": [1, 2.5, None]}, "gone": 1, "é\0": False}, strategy="s/\ud800", watermark=7)
    commit(store, id_, {"gone": None}, strategy="s/\ud800", watermark=8)
    commit(store, id_, {}, strategy="vectors", watermark=9, embeddings={1: vector(0.1, -0.0), 9: vector(1e-9, 3)})
    return store


def content(store: ManagedStore, id_: str = "c") -> tuple[Any, ...]:
    """All there is of a conversation."""
    states = {
        name: (state.watermark, state.changes, drive(store.embeddings(id_, name)))
        for name in drive(store.states(id_))
        for state in [drive(store.read_state(id_, name))]
    }
    return drive(store.read(id_)), states


@pytest.mark.parametrize("source", URLS)
@pytest.mark.parametrize("target", URLS)
def test_what_comes_out_goes_in(source: str, target: str, opened: Callable[[str], ManagedStore], tmp_path: Path):
    """A conversation is the same in another store, by way of a file, and is exported again as the same lines."""
    store, other, file = filled(opened(source)), opened(target), tmp_path / "c.jsonl"
    with file.open("w", encoding="utf-8") as lines:
        lines.writelines(export_conversation(store, "c"))
    with file.open(encoding="utf-8") as lines:
        assert import_conversation(other, lines) == "c"
    assert content(other) == content(store)
    assert list(export_conversation(other, "c")) == file.read_text(encoding="utf-8").splitlines(keepends=True)
    assert [entry.seq for entry in fill(other, "c", "next")] == [11]


@pytest.mark.parametrize("source", URLS)
@pytest.mark.parametrize("target", URLS)
def test_what_was_forgotten_stays_forgotten(source: str, target: str, opened: Callable[[str], ManagedStore]):
    """A turn that was forgotten before an export does not come back after the import."""
    one, other = opened(source), opened(target)
    fill(one, "c", "a", "b")
    drive(one.forget("c", [1]))
    import_conversation(other, list(export_conversation(one, "c")), "copy")
    assert fill(other, "copy", "a") == []
    assert [entry.seq for entry in fill(other, "copy", "b", "d")] == [2, 3]


@pytest.mark.parametrize("id_", HOSTILE_IDS)
def test_the_id_may_be_another(id_: str, opened: Callable[[str], ManagedStore]):
    """Any id can be exported, and a copy can have another one in the same store."""
    store = filled(opened("sqlite://"), id_)
    assert import_conversation(store, export_conversation(store, id_), "copy") == "copy"
    assert content(store, "copy") == content(store, id_)


def test_long_conversations_are_read_by_pages():
    """More messages than fit a page all come, once."""
    store = InMemoryStore()
    drive(store.append("c", [Record({"role": "user", "content": str(n)}) for n in range(1203)], turn_id="1"))
    import_conversation(store, export_conversation(store, "c"), "copy")
    assert content(store, "copy") == content(store)


@pytest.mark.parametrize("url", ["memory://", "sqlite://"])
def test_a_coroutine_has_it_done_in_a_thread(url: str, opened: Callable[[str], ManagedStore]):
    """The store is one that coroutines use meanwhile."""

    async def copied(store: ManagedStore) -> list[str]:
        writing = asyncio.to_thread(lambda: list(export_conversation(store, "c")))
        lines, _ = await asyncio.gather(writing, store.read("c"))
        await asyncio.gather(asyncio.to_thread(import_conversation, store, lines, "copy"), store.read("c"))
        return lines

    store = filled(opened(url))
    assert asyncio.run(copied(store)) == list(export_conversation(store, "c"))
    assert content(store, "copy") == content(store)


def test_a_cut_off_file_is_refused():
    """Wherever a file ends too early, or a line of it is missing, nothing is stored."""
    lines, target = list(export_conversation(filled(InMemoryStore()), "c")), InMemoryStore()
    for end in range(len(lines)):
        with pytest.raises(TransferError, match="nothing was stored"):
            import_conversation(target, lines[:end])
        with pytest.raises(TransferError, match="nothing was stored"):
            import_conversation(target, lines[:end] + lines[end + 1 :])
    for more in ([*lines[:-1], lines[-1][:-3]], [*lines, lines[-1]]):
        with pytest.raises(TransferError, match=r"line \d+: .*; nothing was stored"):
            import_conversation(target, more)
    assert drive(target.conversations()) == []


HEADER = {"memzoo": "conversation", "format": 1, "conversation_id": "c"}
ENTRY = {"seq": 1, "turn_id": "1", "created_at": "2026-01-01T00:00:00+00:00", "message": {"role": "user"}, "fields": {}}


@pytest.mark.parametrize(
    ("lines", "hint"),
    [
        ([{**HEADER, "format": 2}], "line 1: the file has format 2.*up to 1; upgrade"),
        ([{"role": "user", "content": "hi"}], "line 1: this is not a conversation"),
        ([[1]], "line 1: this is not a conversation"),
        ([HEADER, {**ENTRY, "created_at": "2026-01-01T00:00:00"}, {"end": 2}], "line 2: .*no time zone"),
        ([HEADER, {**ENTRY, "created_at": "soon"}, {"end": 2}], "line 2: .*'soon'"),
        ([HEADER, {**ENTRY, "message": "hi"}, {"end": 2}], "line 2: this line is unknown"),
        ([HEADER, {**ENTRY, "extra": 1}, {"end": 2}], "line 2: .*extra"),
        ([HEADER, {"state": "s", "item": "a", "value": 1}, {"end": 2}], "line 2: 's'"),
        ([HEADER, {"state": "s", "watermark": 1}, {"state": "s", "seq": 1, "embedding": "?"}], "line 3: "),
        ([HEADER, ENTRY, {"end": 2}], "line 3: the file's last line lacks 'sha256'.*export the conversation again"),
        ([HEADER, ENTRY, {"end": "2", "sha256": ""}], "line 3: 2 lines should come before this one"),
    ],
)
def test_other_files_are_refused(lines: list[Any], hint: str):
    """What is no export of ours is named with its line, and nothing is stored."""
    store = InMemoryStore()
    with pytest.raises(TransferError, match=hint):
        import_conversation(store, map(json.dumps, lines))
    assert drive(store.conversations()) == []


def test_a_file_without_messages_is_refused():
    """A log has messages, in order."""
    for values in ([HEADER], [HEADER, ENTRY, ENTRY]):
        lines = [f"{json.dumps(one)}\n" for one in values]
        last = {"end": len(lines), "sha256": hashlib.sha256("".join(lines).encode()).hexdigest()}
        with pytest.raises(TransferError, match="increasing numbers"):
            import_conversation(InMemoryStore(), [*lines, json.dumps(last)])


def test_nothing_is_written_over(opened: Callable[[str], ManagedStore]):
    """A conversation that is there stays as it is."""
    for url in URLS:
        store = filled(opened(url))
        before = content(store)
        with pytest.raises(ConflictError, match="'c' already"):
            import_conversation(store, export_conversation(filled(InMemoryStore()), "c"))
        assert content(store) == before


@pytest.mark.parametrize("url", URLS)
@pytest.mark.parametrize("wrong", ["", 5, b"c"])
def test_an_id_that_no_memory_takes_is_refused(opened: Callable[[str], ManagedStore], url: str, wrong: Any):
    """The error names it, and nothing is stored under it."""
    store, lines = opened(url), list(export_conversation(filled(InMemoryStore()), "c"))
    with pytest.raises(OptionError, match=f"not {re.escape(repr(wrong))}; nothing was stored"):
        import_conversation(store, lines, wrong)
    assert drive(store.conversations()) == []


def test_an_unknown_conversation_is_not_exported():
    """There is nothing to export of a conversation that is not there."""
    with pytest.raises(StoreError, match="no conversation 'c'"):
        list(export_conversation(InMemoryStore(), "c"))


def test_a_deletion_meanwhile_spoils_the_export():
    """An export during which something was forgotten has no last line, so it is not taken for whole."""
    store = filled(InMemoryStore())
    lines = export_conversation(store, "c")
    begun = [next(lines), next(lines)]
    drive(store.forget("c", [1]))
    with pytest.raises(StoreError, match="export it again"):
        begun += lines
    with pytest.raises(TransferError):
        import_conversation(InMemoryStore(), begun)


def test_a_state_alone_is_no_conversation():
    """States come with the log that they were derived from."""
    with pytest.raises(StoreError, match="at least one message"):
        drive(InMemoryStore().restore("c", [], {"s": StoredState(1, {"a": 1})}))


def test_an_import_logs_only_what_concerns_it(caplog: pytest.LogCaptureFixture):
    """Trying a file asks no model and says nothing."""
    memory = create_memory("entity", llm="offline", learn_every=1)
    memory.save_context({"input": "I am Sam, and Anna lives in Oslo."}, {"output": "Noted."})
    import_conversation(InMemoryStore(), export_conversation(memory.store, memory.conversation_id))
    assert caplog.messages == []
