"""The commands that look into a store, and change what is in it."""

import json
import re
import sys
import uuid
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Annotated
from urllib.parse import unquote

import typer

from memzoo.memories.cli.asking import Asked, Counter, asks_model
from memzoo.memories.cli.terminal import echo, row
from memzoo.memories.migrate.importing import READERS, import_logs, read_logs
from memzoo.memories.strategies.buffer import ConversationBufferMemory
from memzoo.memories.text.messages import text_of
from memzoo.stores import Entry, InMemoryStore, ManagedStore, export_conversation, import_conversation, open_store
from memzoo.stores.common import did_you_mean, private, visible
from memzoo.stores.common import shown as shown_url
from memzoo.stores.driving import drive
from memzoo.stores.encryption import keys_from_environment
from memzoo.stores.errors import OptionError, StoreError
from memzoo.stores.opening import KINDS

__all__ = [
    "StoreURL",
    "Which",
    "app",
    "chosen",
    "counted",
    "existing_store",
    "only_conversation",
    "unlocked_store",
    "write",
]

app = typer.Typer()

_LISTED = 20

StoreURL = Annotated[str, typer.Option("--store", help="Where the conversation is kept, such as sqlite:///chat.db.")]
Which = Annotated[str, typer.Option("--conversation", help="Which conversation of the store, if it has several.")]


def unlocked_store(url: str) -> ManagedStore:
    """The store that a URL names, with the key in MEMZOO_KEY (several: separated by commas, the newest first)."""
    return open_store(url, key=keys_from_environment())


def existing_store(url: str) -> ManagedStore:
    """The store that a URL names, as `unlocked_store`, but a file has to be there already.

    Raises:
        StoreError: There is no such file.
    """
    file = Path(unquote(re.sub("[?].*", "", url.removeprefix("sqlite:///"))))
    if url.startswith("sqlite:///") and not file.exists():
        raise StoreError(f"there is no file {file}")
    return unlocked_store(url)


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


def write(file: Path, pieces: Iterable[str]) -> None:
    """Write a file, which only its owner may read if it is new: conversations stand in it.

    Raises:
        OptionError: It cannot be written.
    """
    try:
        with open(file, "w", encoding="utf-8", opener=private) as opened:
            opened.writelines(pieces)
    except OSError as error:
        raise OptionError(f"{str(file)!r} cannot be written: {error.strerror}") from error


@app.command("stores")
def list_stores(
    url: Annotated[str, typer.Argument(help="A store, such as sqlite:///chat.db, to list its conversations.")] = "",
    limit: Annotated[int, typer.Option(min=1, help="How many conversations.")] = 100,
    after: Annotated[str | None, typer.Option(help="Only conversations that follow this one.")] = None,
) -> None:
    """Show the kinds of stores, or the conversations of one: id, messages, first and last time."""
    if not url:
        for kind, meaning in KINDS.items():
            echo(f"{kind:32}{meaning}")
        return
    with closing(existing_store(url)) as store:
        for id_ in drive(store.conversations(after=after, limit=limit)):
            row(id_, *_about(drive(store.read(id_))))


@app.command()
def history(
    store: StoreURL,
    conversation: Which = "",
    limit: Annotated[int | None, typer.Option(min=0, help="At most so many messages.")] = None,
    before: Annotated[int | None, typer.Option(help="Only messages with lower numbers.")] = None,
    after: Annotated[int, typer.Option(help="Only messages with higher numbers.")] = 0,
    newest_first: Annotated[bool, typer.Option("--newest-first", help="Begin with the newest.")] = False,  # noqa: FBT002
    as_json: Annotated[bool, typer.Option("--json", help="Whole messages, as JSON Lines.")] = False,  # noqa: FBT002
) -> None:
    """Print what was said: number, time, role and text of each message."""
    with closing(existing_store(store)) as opened:
        memory = ConversationBufferMemory(store=opened, conversation_id=chosen(opened, conversation))
        for entry in memory.entries(limit, before, after, newest_first=newest_first):
            if as_json:
                said = {"number": entry.seq, "time": entry.created_at.isoformat(), **entry.message}
                echo(json.dumps(said, ensure_ascii=False))
            else:
                row(entry.seq, _time(entry), entry.message["role"], text_of(entry.message))


@app.command()
@asks_model
def show(
    *,
    store: StoreURL,
    memory: Annotated[str, typer.Option(help="The strategy.")],
    conversation: Which = "",
    query: Annotated[str, typer.Option(help="What the user is about to say.")] = "",
    asked: Asked,
    counter: Counter = None,
) -> None:
    """Print what a strategy would send to the model now, as chat messages. Learns nothing and stores nothing.

    Where a strategy needs the names in the query, the model finds them.
    """
    with closing(existing_store(store)) as opened:
        viewed = asked.memory(memory, counter, store=opened, conversation_id=chosen(opened, conversation))
        echo(json.dumps(viewed.messages(query, catch_up=False), indent=2, ensure_ascii=False))


@app.command("state")
def show_state(
    store: StoreURL,
    conversation: Which = "",
    name: Annotated[str, typer.Option("--name", help="The state to print; without it, all are listed.")] = "",
) -> None:
    """List what was learnt from a conversation, or print one state as JSON."""
    with closing(existing_store(store)) as opened:
        id_ = chosen(opened, conversation)
        known = drive(opened.states(id_))
        if name and name not in known:
            raise OptionError(
                f"there is no state {name!r}; there are {', '.join(known) or 'none'}{did_you_mean(name, known)}"
            )
        if name:
            items = drive(opened.read_state(id_, name)).changes
            echo(json.dumps(items, indent=2, ensure_ascii=False, sort_keys=True))
            return
        for one in known:
            state, vectors = drive(opened.read_state(id_, one)), drive(opened.embeddings(id_, one))
            row(one, f"up to {state.watermark}", f"{len(state.changes)} items", f"{len(vectors)} embeddings")


@app.command("export")
def export_lines(
    store: StoreURL,
    conversation: Which = "",
    out: Annotated[Path | None, typer.Option(help="A file to write; otherwise it is printed.")] = None,
) -> None:
    """Write a conversation, with all that was learnt from it, as JSON Lines. An encrypted one is decrypted."""
    with closing(existing_store(store)) as opened:
        lines = export_conversation(opened, chosen(opened, conversation))
        if out:
            write(out, lines)
        else:
            sys.stdout.writelines(map(visible, lines))


@app.command("import")
def import_lines(
    source: Annotated[str, typer.Argument(help="What `memzoo export` wrote; with --from, a file or a database's URL.")],
    store: StoreURL,
    conversation: Annotated[str | None, typer.Option(help="Its new id; by default the one that it had.")] = None,
    form: Annotated[str, typer.Option("--from", help=f"Another library's: {', '.join(READERS)}.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="With --from: only say what would be written.")] = False,  # noqa: FBT002
) -> None:
    """Put an exported conversation into a store that has none of its id, or what another library keeps."""
    if form:
        _import_from(form, source, store, conversation, dry_run=dry_run)
        return
    file = Path(source)
    if not file.is_file():
        raise OptionError(f"there is no file {file}")
    with closing(unlocked_store(store)) as opened, file.open(encoding="utf-8") as lines:
        echo(f"{import_conversation(opened, lines, conversation)!r} is in {shown_url(store)} now.")


def _import_from(form: str, source: str, store: str, conversation: str | None, *, dry_run: bool) -> None:
    logs = read_logs(form, source)
    # What cannot be read must not leave an empty store behind.
    first = next(logs)
    if conversation is not None:
        if (another := next(logs, None)) is not None:
            raise OptionError(f"--conversation names one, and {source} has several: {first.title!r}, {another.title!r}")
        first = replace(first, title=conversation)
    missing = dry_run and store.startswith("sqlite:///") and not Path(store.removeprefix("sqlite:///")).exists()
    with closing(InMemoryStore() if missing else unlocked_store(store)) as opened:
        for one in import_logs(opened, chain([first], logs), dry_run=dry_run):
            row(one.conversation_id, f"{one.read} read", f"{one.written} new", f"sha256 {one.digest}")


def chosen(store: ManagedStore, conversation: str) -> str:
    """The conversation that is meant: the one named, or the only one.

    Raises:
        OptionError: There is no such conversation, or it is not told which one.
    """
    known = drive(store.conversations(limit=_LISTED))
    if not known:
        raise OptionError("the store has no conversation yet")
    if conversation and not drive(store.read(conversation, limit=1)):
        likely = did_you_mean(conversation, known)
        raise OptionError(
            f"the store has no conversation {conversation!r}; it has {', '.join(map(repr, known))}{likely}"
        )
    return conversation or only_conversation(store)


def counted(count: int, what: str) -> str:
    """Name a number of things."""
    return f"{count} {what}{'' if count == 1 else 's'}"


def _about(entries: Sequence[Entry]) -> tuple[str, str, str]:
    return counted(len(entries), "message"), _time(entries[0]), _time(entries[-1])


def _time(entry: Entry) -> str:
    return entry.created_at.isoformat(sep=" ", timespec="seconds")
