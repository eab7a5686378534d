"""What is shown of stores, how they are closed, copied and pickled, and that no secret gets out."""

import asyncio
import contextlib
import copy
import pickle
import shutil
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memzoo.errors import MemoryZooError, StoreError, UnsupportedError, WrongKeyError
from memzoo.stores import EncryptedStore, InMemoryStore, MessageListStore, PgVectorIndex, open_store
from memzoo.stores.indexes.index import ExactIndex
from memzoo.stores.sql.postgres_url import without_secrets
from memzoo.sync import drive
from memzoo.testing.store_tools import fill

PASSWORD = "Op3nSesame"  # noqa: S105


def test_a_store_is_closed_after_with(url: str):
    """At the end of a `with` and of an `async with` a store is closed."""
    with open_store(url) as store:
        fill(store, "c", "a")
    with pytest.raises(StoreError, match="closed"):
        drive(store.read("c"))

    async def reading() -> Any:
        async with open_store(url, key=None) as store:
            assert len(await store.read("c")) == 1
        return store

    with pytest.raises(StoreError, match="closed"):
        drive(asyncio.run(reading()).read("c"))
    with contextlib.ExitStack() as stack:
        for one in (InMemoryStore(), EncryptedStore(InMemoryStore(), EncryptedStore.new_key()), ExactIndex()):
            assert stack.enter_context(one) is one


def test_reprs_are_short_and_hold_no_secret(url: str, file: Path):
    """A store shows what it is and where it is; neither options nor keys."""
    key = EncryptedStore.new_key()
    with open_store(f"{url}?timeout=3", key=key) as store:
        assert repr(store) == f"<EncryptedStore over <SQLStore sqlite:///{file}>>"
    with open_store("sqlite://") as store:
        assert repr(store) == "<SQLStore sqlite://>"
    lists = MessageListStore(get=lambda _: [], update=print, delete=print)
    assert [repr(one) for one in (InMemoryStore(), ExactIndex(), lists)] == [
        *("<InMemoryStore>", "<ExactIndex>", "<MessageListStore>")
    ]


def test_postgresql_shows_no_password(postgres_url: str):
    """Neither the store nor the index of a server shows user or password."""
    with open_store(postgres_url) as store, PgVectorIndex(postgres_url) as index:
        shown = repr(store)
        assert shown.startswith("<SQLStore postgresql://")
        assert "@" not in shown
        assert repr(index) == shown.replace("SQLStore", "PgVectorIndex")


def pickled_copy(store: Any) -> Any:
    """What comes out of a pickle."""
    return pickle.loads(pickle.dumps(store))  # noqa: S301


@pytest.mark.parametrize("copied", [pickled_copy, copy.deepcopy])
def test_a_kept_store_is_copied_by_its_url(url: str, copied: Callable[[Any], Any]):
    """A pickled or deeply copied store is the same database, opened again, with the same options."""
    with open_store(f"{url}?synchronous=normal") as store:
        fill(store, "c", "a")
        with copied(store) as other:
            fill(other, "c", "b")
            assert other is not store
        assert len(drive(store.read("c"))) == 2
        assert copy.copy(store) is store


def test_a_pickle_of_a_file_in_a_folder_that_is_gone(tmp_path: Path):
    """The error names the folder, and gives no advice on passwords."""
    (tmp_path / "gone").mkdir()
    with open_store(f"sqlite:///{tmp_path}/gone/a.db") as store:
        kept = pickle.dumps(store)
    shutil.rmtree(tmp_path / "gone")
    with pytest.raises(StoreError, match=r"gone does not exist$"):
        pickle.loads(kept)  # noqa: S301


def test_a_postgresql_store_is_pickled(postgres_url: str):
    """The copy reads what the original wrote."""
    with open_store(postgres_url) as store:
        fill(store, "c", "a")
        with copy.deepcopy(store) as deep, pickle.loads(pickle.dumps(store)) as other:  # noqa: S301
            assert drive(deep.read("c")) == drive(other.read("c")) == drive(store.read("c"))


def test_a_pickle_holds_no_password(postgres_url: str):
    """Of a URL the pickle has the rest; whoever cannot open it is told where the password may stand."""
    user, at, rest = postgres_url.partition("@")
    given = f"{user}:{PASSWORD}{at}{rest}{'&' if '?' in rest else '?'}sslpassword={PASSWORD}&application_name=x"
    with open_store(given) as store:
        pickled = pickle.dumps(store)
        assert PASSWORD.encode() not in pickled
        assert b"application_name=x" in pickled
        reduced: Any = store.__reduce__()
        reopen, (_, clock) = reduced
        with pytest.raises(StoreError, match="PGPASSWORD"):
            reopen("postgresql://127.0.0.1:1/db?timeout=1", clock)


def test_no_kind_of_password_is_left_in_a_url():
    """The URL that opens a database again has the rest, and none of the passwords that libpq knows."""
    url = "postgresql://me:secret@host/db?sslmode=require&password=secret&sslpassword=secret"
    assert without_secrets(url) == "postgresql://me@host/db?sslmode=require"


def test_a_key_is_not_pickled(url: str, monkeypatch: pytest.MonkeyPatch):
    """An encrypted store takes its key from the environment when it is unpickled, or says that it is missing."""
    key = EncryptedStore.new_key()
    with open_store(url, key=key) as store:
        fill(store, "c", "a")
        pickled = pickle.dumps(store)
        with copy.deepcopy(store) as deep:
            assert drive(deep.read("c")) == drive(store.read("c"))
    assert key.encode() not in pickled
    monkeypatch.delenv("MEMZOO_KEY", raising=False)
    with pytest.raises(WrongKeyError, match="MEMZOO_KEY"):
        pickle.loads(pickled)  # noqa: S301
    monkeypatch.setenv("MEMZOO_KEY", key)
    with pickle.loads(pickled) as store:  # noqa: S301
        assert drive(store.read("c"))[0].message["content"] == "a"


@pytest.mark.parametrize("url", ["memory://", "sqlite://"])
@pytest.mark.parametrize("copied", [pickle.dumps, copy.deepcopy])
def test_a_store_in_memory_is_not_copied(url: str, copied: Callable[[Any], Any]):
    """It would be another store: the error says so, and what to use instead."""
    with open_store(url) as store, pytest.raises(UnsupportedError, match=r"sqlite:///memories\.db"):
        copied(store)


@given(st.text(st.characters(codec="utf-8")), st.text(st.characters(codec="utf-8")))
@example("@", "")
@example("", "@/")
@example("@?", "")
@example("[", "]:x")
@example("%", "%zz")
@example("x://", "://")
def test_no_error_shows_a_password(before: str, after: str):
    """However a password is written, right or wrong, and wherever, no error, cause or repr shows it."""
    password = f"{before}{PASSWORD}{after}"
    for url in (
        f"postgresql://me:{password}@127.0.0.1:1/db?timeout=1",
        f"postgresql://me:{quote(password, safe='')}@127.0.0.1:1/db?timeout=1",
        f"postgresql://127.0.0.1:1/db?timeout=1&password={quote(password, safe='')}",
        f"postgres:/me:{password}@127.0.0.1/db",
        f"mysql://me:{password}@host/db",
        f"memory://me:{password}@host",
        f"sqlite://me:{password}@host",
        f"me:{password}@host",
    ):
        with pytest.raises(MemoryZooError) as caught:
            open_store(url)
        assert PASSWORD not in "".join(traceback.format_exception(caught.value))
