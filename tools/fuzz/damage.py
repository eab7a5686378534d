"""Fuzzes databases: unreadable data must raise a `StoreError` that names the data, and all else must be unchanged."""

import random
import sqlite3
import warnings
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from memzoo.errors import MemoryZooError, StoreError, WrongKeyError
from memzoo.memories import create_memory
from memzoo.stores import EncryptedStore, ManagedStore, open_store
from memzoo.stores.checking import check
from memzoo.sync import drive
from tools.fuzz.mutations import Fuzzed

__all__ = ["KINDS", "fuzz_damage"]

KINDS = ("plain", "encrypted")
_TALKS, _EXCHANGES = 12, 6
_PAGE = 4_096
_HEAD = 100  # bytes that tell SQLite what the file is

Content = dict[str, Any]


def fuzz_damage(kind: str, count: int, folder: Path, seed: int = 0) -> Fuzzed:
    """Damage a database `count` times, each time anew, and read each damaged database.

    Args:
        kind: A kind of damage, a key of `KINDS`.
        count: The number of damaged databases.
        folder: An empty folder.
        seed: The seed of the damages.
    """
    key = EncryptedStore.new_key() if kind == "encrypted" else None
    chance = random.Random(f"{seed} {kind}")  # noqa: S311 - chance that repeats
    whole = folder / "whole.db"
    _fill(whole, key)
    with closing(open_store(f"sqlite:///{whole}", key=key)) as store:
        sound = _read(store, {})
    fuzzed = Fuzzed(kind)
    for number in range(count):
        file = folder / f"{number}.db"
        file.write_bytes(whole.read_bytes())
        how = _damage(file, chance)
        _look_at(fuzzed, f"{number} ({how})", f"sqlite:///{file}", key, sound)
    return fuzzed


def _fill(file: Path, key: str | None) -> None:
    with closing(open_store(f"sqlite:///{file}", key=key)) as store:
        for talk in range(_TALKS):
            place: dict[str, Any] = {"store": store, "conversation_id": f"u{talk:03}"}
            memory = create_memory("knowledge-graph", llm="offline", learn_every=1, **place)
            for number in range(_EXCHANGES):
                said = {"input": f"Sam{number} likes tea{talk}. {'word ' * 40}"}
                memory.save_context(said, {"output": f"Noted as {number}."})


def _damage(file: Path, chance: random.Random) -> str:
    ways: dict[str, Callable[[], None]] = {
        "bits": lambda: _bits(file, chance),
        "zeroes": lambda: _zeroes(file, chance),
        "cut": lambda: _cut(file, chance),
        "pages": lambda: _pages(file, chance),
        "row": lambda: _row(file, chance),
    }
    how = chance.choice([*ways])
    ways[how]()
    return how


def _bits(file: Path, chance: random.Random) -> None:
    content = bytearray(file.read_bytes())
    for _ in range(chance.choice([1, 4, 32])):
        content[chance.randrange(_HEAD, len(content))] ^= 1 << chance.randrange(8)
    file.write_bytes(content)


def _zeroes(file: Path, chance: random.Random) -> None:
    content = bytearray(file.read_bytes())
    at = chance.randrange(_HEAD, len(content) - 512)
    content[at : at + 512] = bytes(512)
    file.write_bytes(content)


def _cut(file: Path, chance: random.Random) -> None:
    content = file.read_bytes()
    file.write_bytes(content[: chance.randrange(_HEAD, len(content))])


def _pages(file: Path, chance: random.Random) -> None:
    content = bytearray(file.read_bytes())
    one, other = (_PAGE * place for place in chance.sample(range(1, len(content) // _PAGE), 2))
    first, second = content[one : one + _PAGE], content[other : other + _PAGE]
    content[one : one + _PAGE], content[other : other + _PAGE] = second, first
    file.write_bytes(content)


def _row(file: Path, chance: random.Random) -> None:
    """Change one cell of a row: cut the value, or replace it with another value, another text, or an empty text."""
    table, column = chance.choice(
        [
            *(
                ("memzoo_messages", name)
                for name in ("message", "message", "message", "created_at", "turn_id", "fields")
            ),
            ("memzoo_items", "value"),
            ("memzoo_states", "watermark"),
        ]
    )
    with closing(sqlite3.connect(file)) as database, database:
        rows = database.execute(f"select rowid, {column} from {table}" if "states" not in table else "select 1, 1")  # noqa: S608
        place, value = chance.choice(rows.fetchall())
        text = str(value)
        odd = chance.choice([text[: chance.randrange(len(text))], b"\xff\xfe", "[1]", "null", "{}", 7, f"{text}x", ""])
        where = f"where rowid = {place}" if "states" not in table else "where conversation_id = 'u000'"
        database.execute(f"update {table} set {column} = ? {where}", (odd,))  # noqa: S608


def _read(store: ManagedStore, errors: dict[str, str]) -> Content:
    """Return all content of a store by name; add the errors of unreadable content to `errors`."""
    found: Content = {}
    for talk in range(_TALKS):
        id_ = f"u{talk:03}"
        for number in range(1, 2 * _EXCHANGES + 1):
            _take(found, errors, f"{id_} {number}", lambda: _entry(store, id_, number), id_)  # noqa: B023
        _take(found, errors, f"{id_} state", lambda: drive(store.read_state(id_, "knowledge-graph")).changes, id_)  # noqa: B023
        memory = create_memory("buffer", store=store, conversation_id=id_)
        _take(found, errors, f"{id_} view", lambda: [*map(dict, memory.messages("tea"))], id_)  # noqa: B023
    return found


def _entry(store: ManagedStore, id_: str, number: int) -> Any:
    return [
        (entry.message, entry.created_at, entry.turn_id)
        for entry in drive(store.read(id_, after=number - 1, until=number))
    ]


def _take(found: Content, errors: dict[str, str], what: str, read: Callable[[], Any], id_: str) -> None:
    try:
        found[what] = read()
    except StoreError as error:
        errors[what] = "" if id_ in str(error) else f"{error!r} does not name {id_}"


def _look_at(fuzzed: Fuzzed, where: str, url: str, key: str | None, sound: Content) -> None:
    errors: dict[str, str] = {}
    try:
        with closing(open_store(url, key=key)) as store, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = _read(store, errors)
            named = check(store)
    except WrongKeyError as error:
        fuzzed.wrong.append(f"{where}: shut by {error!r}")
        return
    except MemoryZooError:
        fuzzed.outcomes["not opened, with an error"] += 1
        return
    except Exception as error:  # noqa: BLE001 - what must not be
        fuzzed.wrong.append(f"{where}: {error!r}")
        return
    for unnamed in filter(None, errors.values()):
        fuzzed.wrong.append(f"{where}: {unnamed}")
    fuzzed.holds(bool(named) or not errors, f"{where}: the check finds nothing of {[*errors]}")
    differing = [what for what in found if found[what] != sound[what]]
    if differing and not named:
        fuzzed.outcomes["changed, unseen"] += 1
        fuzzed.holds(
            key is None or all("view" in one or _is_clear(found, sound, one) for one in differing),
            f"{where}: {differing}",
        )
    elif errors or differing:
        fuzzed.outcomes["told"] += 1
    else:
        fuzzed.outcomes["told by the check alone" if named else "harmless"] += 1


def _is_clear(found: Content, sound: Content, what: str) -> bool:
    """Return whether content equals the original, except for the content that an encrypted store leaves unprotected."""
    if what.endswith("state"):
        return found[what].items() <= sound[what].items()
    return bool(found[what]) and [one[0] for one in found[what]] == [one[0] for one in sound[what]]
