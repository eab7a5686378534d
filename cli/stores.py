"""The commands that look into a store, and put conversations into one."""

import json
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

from memzoo.cli.options import (
    Asked,
    Counter,
    OutFile,
    Stored,
    StoreURL,
    command,
    conversation_option,
    find_missing_file,
    open_existing,
    unlock_store,
    write,
    write_count,
)
from memzoo.cli.terminal import echo, progress_bars, row, tell
from memzoo.errors import OptionError, StoreError, TransferError
from memzoo.hosts.migrate import is_sqlite
from memzoo.hosts.migrate.importing import READERS, import_logs, read_logs
from memzoo.memories import ConversationBufferMemory
from memzoo.memories.graph.export import FORMATS, export, stored_graph
from memzoo.stores import Entry, InMemoryStore, ManagedStore, export_conversation, import_conversation, managed
from memzoo.stores.checking import check
from memzoo.stores.opening import kinds
from memzoo.strategy import text_of
from memzoo.sync import drive
from memzoo.text import did_you_mean, show_url

__all__ = ["export_lines", "history", "import_lines", "list_stores", "pin", "show", "show_graph", "show_state"]


@command("Stored data")
def list_stores(
    *,
    url: Annotated[str, typer.Argument(help="A store whose conversations to list, such as sqlite:///chat.db.")] = "",
    limit: Annotated[int, typer.Option(min=1, help="How many conversations to list.")] = 100,
    after: Annotated[str | None, typer.Option(help="Only list conversations that come after this one.")] = None,
    check_all: Annotated[
        bool, typer.Option("--check", help="Read everything in the store, and list what is damaged.")
    ] = False,
) -> None:
    """List the conversations of a store: id, messages, first and last time. Without a URL, list the kinds of stores."""
    if check_all:
        _check(url)
        return
    if not url:
        for kind, meaning in kinds().items():
            echo(f"{kind:32}{meaning}")
        return
    damaged = 0
    with closing(open_existing(url)) as store:
        for id_ in drive(managed(store, "conversations").conversations(after=after, limit=limit)):
            try:
                row(id_, *_about(store, id_))
            except StoreError as error:
                damaged += 1
                row(id_, str(error))
    if damaged:
        are = "is" if damaged == 1 else "are"
        raise StoreError(f"{write_count(damaged, 'conversation')} {are} damaged; --check lists everything that is")


def _check(url: str) -> None:
    if not url:
        raise OptionError("--check needs the URL of a store")
    with closing(open_existing(url)) as store:
        found = check(store)
    for line in found:
        row(line)
    if found:
        raise StoreError(f"found {write_count(len(found), 'problem')}; export what can be read, and restore the rest")
    echo("Everything can be read.")


@command("Stored data")
def history(
    *,
    stored: Stored,
    limit: Annotated[int | None, typer.Option(min=0, help="At most this many messages.")] = None,
    before: Annotated[int | None, typer.Option(help="Only messages with lower numbers.")] = None,
    after: Annotated[int, typer.Option(help="Only messages with higher numbers.")] = 0,
    newest_first: Annotated[bool, typer.Option("--newest-first", help="Start with the newest.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print whole messages, as JSON Lines.")] = False,
) -> None:
    """Print what was said: number, time, role and text of each message."""
    with stored.open_conversation() as (store, id_):
        memory = ConversationBufferMemory(store=store, conversation_id=id_)
        for entry in memory.entries(limit, before, after, newest_first=newest_first):
            if as_json:
                said = {"number": entry.seq, "time": entry.said_at and entry.said_at.isoformat(), **entry.message}
                echo(json.dumps(said, ensure_ascii=False))
            else:
                row(entry.seq, _time(entry), entry.message["role"], text_of(entry.message))


@command("Stored data")
def pin(
    *,
    ids: Annotated[
        list[int] | None, typer.Argument(help="The numbers of the messages, as `memzoo history` prints them.")
    ] = None,
    stored: Stored,
    off: Annotated[bool, typer.Option("--off", help="Unpin them.")] = False,
) -> None:
    """Pin messages, so that every strategy shows them word for word. Lists all pinned messages."""
    with stored.open_conversation() as (store, id_):
        memory = ConversationBufferMemory(store=store, conversation_id=id_)
        if ids:
            (memory.unpin if off else memory.pin)(ids)
        elif off:
            raise OptionError("--off needs the numbers of messages, as `memzoo pin` prints them")
        for seq in memory.pinned():
            (entry,) = memory.entries(1, after=seq - 1)
            row(entry.seq, _time(entry), entry.message["role"], text_of(entry.message))


@command("Stored data")
def show(
    *,
    stored: Stored,
    memory: Annotated[str, typer.Option(help="The strategy; `memzoo list` shows them all.")],
    query: Annotated[str, typer.Option(help="What the user is about to say.")] = "",
    asked: Asked,
    counter: Counter = None,
) -> None:
    """Print what a strategy would send to the model now, as chat messages. Learns nothing and stores nothing.

    If a strategy needs the names in the query, the model is asked for them.
    """
    with stored.open_conversation() as (store, id_):
        viewed = asked.memory(memory, counter, store=store, conversation_id=id_)
        echo(json.dumps(viewed.messages(query, catch_up=False), indent=2, ensure_ascii=False))


@command("Stored data")
def show_state(
    *,
    stored: Stored,
    name: Annotated[str, typer.Option(help="Which state to print; without it, all are listed.")] = "",
) -> None:
    """List what was learnt from a conversation, or print one state as JSON."""
    with stored.open_conversation() as (store, id_):
        known = drive(managed(store, "states").states(id_))
        if name and name not in known:
            raise OptionError(
                f"there is no state {name!r}; there are {', '.join(known) or 'none'}{did_you_mean(name, known)}"
            )
        if name:
            items = drive(store.read_state(id_, name)).changes
            echo(json.dumps(items, indent=2, ensure_ascii=False, sort_keys=True))
            return
        for one in known:
            state, vectors = drive(store.read_state(id_, one)), drive(store.embeddings(id_, one))
            learnt = write_count(len(state.changes), "item"), write_count(len(vectors), "embedding")
            row(one, f"up to {state.watermark}", *learnt)


@command("Stored data")
def show_graph(
    *,
    stored: Stored,
    form: Annotated[str, typer.Option("--format", help=f"One of {', '.join(FORMATS)}.")] = "text",
    history: Annotated[bool, typer.Option("--history", help="Include superseded facts.")] = False,
    out: OutFile = None,
) -> None:
    """Write the facts of a stored conversation as text, as a picture, or for another program. Asks no model."""
    with stored.open_conversation() as (store, id_):
        found = drive(stored_graph(store, id_))
    _write(out, [export(found.graph, form, history=history)])
    if found.behind:
        echo(f"No facts have been taken yet from the newest {write_count(found.behind, 'message')}.", err=True)


@command("Stored data")
def export_lines(*, stored: Stored, out: OutFile = None) -> None:
    """Write a conversation, and all that was learnt from it, as JSON Lines. What is encrypted is decrypted."""
    with stored.open_conversation() as (store, id_):
        _write(out, export_conversation(store, id_))


def _write(out: Path | None, pieces: Iterable[str]) -> None:
    if out and is_sqlite(out):  # most likely the store itself
        raise OptionError(f"{str(out)!r} is a database: write to another file")
    write(out, pieces)


@command("Stored data")
def import_lines(
    *,
    source: Annotated[str, typer.Argument(help="What `memzoo export` wrote; with --from, a file, a folder or a URL.")],
    store: StoreURL,
    conversation: Annotated[
        str | None, conversation_option("Its id in the store; by default the one that it had.")
    ] = None,
    form: Annotated[str, typer.Option("--from", help=f"Import from another library: {', '.join(READERS)}.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="With --from: only show what would be imported.")] = False,
) -> None:
    """Import what `memzoo export` wrote, under an id that is new to the store, or what another library keeps."""
    if form:
        _import_from(form, source, store, conversation, dry_run=dry_run)
        return
    file = Path(source)
    if not file.is_file():
        raise OptionError(f"there is no file {file}")
    with closing(unlock_store(store)) as opened:
        with progress_bars() as progress, progress.open(file, "r", encoding="utf-8", description="Reading") as lines:
            id_ = import_conversation(opened, lines, conversation)
        echo(f"{id_!r} is in {show_url(store)} now.")


def _import_from(form: str, source: str, store: str, conversation: str | None, *, dry_run: bool) -> None:
    wrong: list[TransferError] = []
    logs = read_logs(form, source, wrong.append)
    # What cannot be read must not leave an empty store behind.
    if (first := next(logs, None)) is None:
        raise _sum_up(wrong, "nothing was imported")
    if conversation is not None:
        if (another := next(logs, None)) is not None:
            raise OptionError(f"--conversation names one, and {source} has several: {first.title!r}, {another.title!r}")
        first = replace(first, title=conversation)
    counting = progress_bars(SpinnerColumn(), TextColumn("{task.completed} conversations"), TimeElapsedColumn())
    with closing(InMemoryStore() if dry_run and find_missing_file(store) else unlock_store(store)) as opened, counting:
        for log in counting.track(chain([first], logs), total=None):
            for one in import_logs(opened, [log], dry_run=dry_run, on_error=wrong.append):
                row(one.conversation_id, f"{one.read} read", f"{one.written} new", f"sha256 {one.digest}")
    if wrong:
        raise _sum_up(wrong, "everything else was imported")


def _sum_up(wrong: list[TransferError], rest: str) -> TransferError:
    """The only error, or one for several that are told here."""
    if len(wrong) == 1:
        return TransferError(f"{wrong[0]}; {rest}")
    for error in wrong:
        tell("[bold red]not imported:[/]", str(error))
    return TransferError(f"{len(wrong)} files or conversations could not be imported; {rest}")


def _about(store: ManagedStore, id_: str) -> tuple[str, ...]:
    first, last = drive(store.read(id_, limit=1)), drive(store.read(id_, limit=1, newest=True))
    return write_count(drive(store.count(id_)), "message"), *map(_time, (*first, *last))


def _time(entry: Entry) -> str:
    return entry.said_at.isoformat(sep=" ", timespec="seconds") if entry.said_at else "-"
