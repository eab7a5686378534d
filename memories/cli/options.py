"""What several commands take: groups of options, the store that some of them name, and the file that others write."""

import dataclasses
import functools
import inspect
import re
import sys
import uuid
from collections.abc import Callable, Generator, Iterable
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import unquote

import typer

from memzoo.stores import ManagedStore, open_store
from memzoo.stores.common import did_you_mean, private, visible
from memzoo.stores.driving import drive
from memzoo.stores.encryption import keys_from_environment
from memzoo.stores.errors import OptionError, StoreError

__all__ = [
    "OutFile",
    "StoreURL",
    "Stored",
    "counted",
    "existing_store",
    "missing_file",
    "only_conversation",
    "unlocked_store",
    "with_options",
    "write",
]

_LISTED = 20

StoreURL = Annotated[str, typer.Option(help="Where the conversation is kept, such as sqlite:///chat.db.")]
OutFile = Annotated[Path | None, typer.Option(help="A file to write; otherwise it is printed.")]


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the fields of a dataclass as options, in the place of each parameter that is a dataclass."""
    own = inspect.signature(command).parameters
    groups = {name: one.annotation for name, one in own.items() if dataclasses.is_dataclass(one.annotation)}
    fields = {name: inspect.signature(group).parameters for name, group in groups.items()}
    options = [option for name, one in own.items() for option in fields.get(name, {name: one}).values()]

    @functools.wraps(command)
    def run(**given: Any) -> None:
        made = {name: groups[name](**{option: given.pop(option) for option in fields[name]}) for name in groups}
        command(**made, **given)

    # Typer reads both; only among keywords may options with a default stand before others.
    by_keyword = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in options]
    vars(run)["__signature__"] = inspect.Signature(by_keyword)
    run.__annotations__ = {one.name: one.annotation for one in options}
    return run


@dataclasses.dataclass(frozen=True)
class Stored:
    """A stored conversation, as the command line names it."""

    store: StoreURL
    conversation: Annotated[str, typer.Option(help="Which conversation of the store, if it has several.")] = ""

    @contextmanager
    def opened(self) -> Generator[tuple[ManagedStore, str]]:
        """The store, and the id of the conversation: the one named, or the only one.

        Raises:
            StoreError: The store cannot be opened.
            OptionError: There is no such conversation, or it is not told which one.
        """
        with closing(existing_store(self.store)) as store:
            known = drive(store.conversations(limit=_LISTED))
            if not known:
                raise OptionError("the store has no conversation yet")
            if self.conversation and not drive(store.read(self.conversation, limit=1)):
                likely = did_you_mean(self.conversation, known)
                has = ", ".join(map(repr, known))
                raise OptionError(f"the store has no conversation {self.conversation!r}; it has {has}{likely}")
            yield store, self.conversation or only_conversation(store)


def unlocked_store(url: str) -> ManagedStore:
    """The store that a URL names, with the key in MEMZOO_KEY (several: separated by commas, the newest first)."""
    return open_store(url, key=keys_from_environment())


def existing_store(url: str) -> ManagedStore:
    """The store that a URL names, as `unlocked_store`, but a file has to be there already.

    Raises:
        StoreError: There is no such file.
    """
    if file := missing_file(url):
        raise StoreError(f"there is no file {file}")
    return unlocked_store(url)


def missing_file(url: str) -> Path | None:
    """The file that the URL of a SQLite store names, if it is not there."""
    file = Path(unquote(re.sub("[?].*", "", url.removeprefix("sqlite:///"))))
    return file if url.startswith("sqlite:///") and not file.exists() else None


def only_conversation(store: ManagedStore) -> str:
    """The id of the only conversation of a store, or of a fresh one.

    Raises:
        OptionError: There are several.
    """
    known = drive(store.conversations(limit=_LISTED))
    if len(known) > 1:
        raise OptionError(
            f"the store has several conversations; choose one with --conversation: {', '.join(map(repr, known))}"
        )
    return known[0] if known else uuid.uuid4().hex


def write(file: Path | None, pieces: Iterable[str]) -> None:
    """Write a file, which only its owner may read if it is new: conversations stand in it. Without one, print.

    Raises:
        OptionError: It cannot be written.
    """
    if file is None:
        sys.stdout.writelines(map(visible, pieces))
        return
    try:
        with open(file, "w", encoding="utf-8", opener=private) as opened:
            opened.writelines(pieces)
    except OSError as error:
        raise OptionError(f"{str(file)!r} cannot be written: {error.strerror}") from error


def counted(count: int, what: str) -> str:
    """Name a number of things."""
    return f"{count} {what}{'' if count == 1 else 's'}"
