"""The notes of an entity memory, with LangChain's interface."""

from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from typing import Any, cast

from memzoo.errors import OptionError
from memzoo.hosts.langchain.state import put, read_items
from memzoo.memories.strategies.entity_notes import EntityNotes, make_statement
from memzoo.memories.text.language import sentences
from memzoo.stores import JSON, Entry
from memzoo.strategy import BaseMemory


class InMemoryEntityStore:
    """A store of notes on names, with LangChain's methods.

    Attributes:
        store: A dict from name to note, or the `Notes` of a memory.
    """

    def __init__(self, store: MutableMapping[str, str] | None = None) -> None:
        """Make a store with the given notes, by default without notes."""
        self.store: MutableMapping[str, str] = {} if store is None else store

    def get(self, key: str, default: str | None = None) -> str | None:
        """Return the note on a name, or the default if there is no such note."""
        return self.store.get(key, default)

    def set(self, key: str, value: str | None) -> None:
        """Set the note on a name; `None` or an empty text deletes the note."""
        if value:
            self.store[key] = value
        else:
            self.delete(key)

    def delete(self, key: str) -> None:
        """Delete the note on a name, if there is one."""
        self.store.pop(key, None)

    def exists(self, key: str) -> bool:
        """Return whether there is a note on a name."""
        return key in self.store

    def clear(self) -> None:
        """Delete all notes."""
        self.store.clear()


class Notes(MutableMapping[str, str]):
    """The notes of a memory, as a mapping from name to note.

    The case of a name does not matter. A note is also found by other names for the same person or thing.
    """

    def __init__(self, plain: BaseMemory) -> None:
        self._plain = plain

    def __getitem__(self, name: str) -> str:
        notes = EntityNotes(read_items(self._plain))
        if (key := notes.key(name)) not in notes.items:
            raise KeyError(name)
        return notes.summary(key)

    def __setitem__(self, name: str, note: str) -> None:
        put(self._plain, lambda items: write_notes(EntityNotes(items), {name: note}))

    def __delitem__(self, name: str) -> None:
        notes = EntityNotes(read_items(self._plain))
        if (key := notes.key(name)) not in notes.items:
            raise KeyError(name)
        put(self._plain, lambda items: dict.fromkeys(one for one in items if EntityNotes(items).key(one) == key))

    def clear(self) -> None:
        """Delete all notes."""
        put(self._plain, dict.fromkeys)

    def take_in(self, notes: Mapping[str, str]) -> None:
        """Replace all notes of the memory with the given notes, and mark all messages as learnt."""
        new = write_notes(EntityNotes({}), notes)
        put(self._plain, lambda items: {**dict.fromkeys(items), **new}, stands_for_all=True)

    def __iter__(self) -> Iterator[str]:
        return iter(EntityNotes(read_items(self._plain)).notes)

    def __len__(self) -> int:
        return len(EntityNotes(read_items(self._plain)).notes)

    def __repr__(self) -> str:
        return repr(dict(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)


# A subclass of `dict` too, because `json.dump` requires a dict. Type checkers do not allow both bases.
_NotesDict: Any = type("Notes", (Notes, dict), {})


class NotesOfMemory(InMemoryEntityStore):
    """The notes of a memory, with LangChain's methods. The attribute `store` is a `dict` from name to note."""

    def __init__(self, plain: BaseMemory) -> None:
        self._plain = plain

    def __getattr__(self, name: str) -> Any:
        if name != "store":
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        notes = _NotesDict(self._plain)
        dict[str, str].update(notes, EntityNotes(read_items(self._plain)).notes)  # for code that checks the size
        return notes

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "store":
            Notes(self._plain).take_in(dict(value))
        else:
            super().__setattr__(name, value)


def is_durable(store: Any) -> bool:
    """Return whether a LangChain entity store keeps its notes after the process ends."""
    return hasattr(store, "conn")


def notes_in(store: Any) -> Mapping[str, str]:
    """Return all notes in a LangChain entity store, or in a mapping.

    Raises:
        OptionError: The store's notes cannot be listed.
    """
    for notes in (store, getattr(store, "store", None)):
        if isinstance(notes, Mapping):
            return dict(cast("Mapping[str, str]", notes))
    if (connection := getattr(store, "conn", None)) is not None:
        rows = connection.execute(f"SELECT key, value FROM {store.full_table_name}")  # noqa: S608 - LangChain checks it
        return {str(key): str(value) for key, value in rows}
    raise OptionError(
        "entity_store must be an InMemoryEntityStore, a SQLiteEntityStore or a mapping of names to notes, "
        f"not {store!r}"
    )


def write_notes(notes: EntityNotes, new: Mapping[str, str], entries: Sequence[Entry] = ()) -> dict[str, JSON]:
    """Return the changes to a memory's state that replace its notes on the names in `new` with the new notes.

    If a sentence of a new note is also in the old note, the sentence keeps its date and its source message.

    Args:
        notes: The existing notes.
        new: A dict from name to new note.
        entries: The messages that the new notes come from.
    """
    changed: dict[str, JSON] = {}
    for name, text in new.items():
        key = notes.key(name)
        known = {one.text: one for one in notes.statements(key)}
        told = {one: known.get(one) or make_statement(one, entries) for one in sentences(text)}
        ended = [one for one in notes.statements(key, history=True) if not one.holds and one.text not in told]
        changed[key] = {
            "name": notes.name(key, name),
            "statements": [one.as_json() for one in (*ended, *told.values())],
        }
    return changed
