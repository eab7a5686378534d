"""The commands that look into a store, and change what is in it."""

import json
import re
import sys
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Annotated
from urllib.parse import unquote

import typer

from memzoo.memories.registry import create_memory, strategy_named
from memzoo.memories.strategies.buffer import ConversationBufferMemory
from memzoo.memories.strategies.model_backed import ModelBackedMemory
from memzoo.memories.text.messages import text_of
from memzoo.memories.text.tokens import token_counter
from memzoo.stores import Entry, ManagedStore, export_conversation, import_conversation, open_store
from memzoo.stores.driving import drive
from memzoo.stores.encryption import keys_from_environment
from memzoo.stores.errors import OptionError, StoreError
from memzoo.stores.opening import KINDS

__all__ = ["Counter", "app", "counter_name", "existing_store", "unlocked_store", "write"]

app = typer.Typer()

_LISTED = 20
_HELD_UP = "Another process is using the store: remains are left in its files. `memzoo scrub` removes them later."

StoreURL = Annotated[str, typer.Option("--store", help="Where the conversation is kept, such as sqlite:///chat.db.")]
Which = Annotated[str, typer.Option("--conversation", help="Which conversation of the store, if it has several.")]
Counter = Annotated[
    str | None,
    typer.Option(
        "--token-counter",
        help="What counts tokens: a model's or encoding's name for tiktoken, or 'approximate' (characters / 4), which "
        "is the default with the offline model.",
    ),
]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]


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


def counter_name(chosen: str | None, model: str) -> str:
    """What counts tokens in a command: what was chosen, or what fits the model. Nothing needs a download offline."""
    return chosen or ("approximate" if model == "offline" else token_counter(None, model).name)


def write(file: Path, pieces: Iterable[str]) -> None:
    """Write a file.

    Raises:
        OptionError: It cannot be written.
    """
    try:
        with file.open("w", encoding="utf-8") as opened:
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
            typer.echo(f"{kind:32}{meaning}")
        return
    with closing(existing_store(url)) as store:
        for id_ in drive(store.conversations(after=after, limit=limit)):
            entries = drive(store.read(id_))
            typer.echo(f"{id_}\t{len(entries)} messages\t{_time(entries[0])}\t{_time(entries[-1])}")


@app.command()
def history(
    store: StoreURL,
    conversation: Which = "",
    limit: Annotated[int | None, typer.Option(min=0, help="At most so many messages.")] = None,
    before: Annotated[int | None, typer.Option(help="Only messages with lower numbers.")] = None,
    after: Annotated[int, typer.Option(help="Only messages with higher numbers.")] = 0,
    newest_first: Annotated[bool, typer.Option("--newest-first", help="Begin with the newest.")] = False,  # noqa: FBT002
) -> None:
    """Print what was said: number, time, role and text of each message."""
    with closing(existing_store(store)) as opened:
        memory = ConversationBufferMemory(store=opened, conversation_id=_chosen(opened, conversation))
        for entry in memory.entries(limit, before, after, newest_first=newest_first):
            typer.echo(f"{entry.seq}\t{_time(entry)}\t{entry.message['role']}\t{text_of(entry.message)}")


@app.command()
def show(
    store: StoreURL,
    memory: Annotated[str, typer.Option(help="The strategy.")],
    conversation: Which = "",
    query: Annotated[str, typer.Option(help="What the user is about to say.")] = "",
    model: Annotated[str, typer.Option(help="Finds the names in the query, where a strategy needs that.")] = "offline",
    counter: Counter = None,
) -> None:
    """Print what a strategy would send to the model now, as chat messages. Learns nothing and stores nothing."""
    options = {"llm": model} if issubclass(strategy_named(memory), ModelBackedMemory) else {}
    options |= {"token_counter": counter_name(counter, model)}
    with closing(existing_store(store)) as opened:
        shown = create_memory(memory, store=opened, conversation_id=_chosen(opened, conversation), **options)
        request = shown.messages(query, catch_up=False)
    typer.echo(json.dumps(request, indent=2, ensure_ascii=False))


@app.command("state")
def show_state(
    store: StoreURL,
    conversation: Which = "",
    name: Annotated[str, typer.Option("--name", help="The state to print; without it, all are listed.")] = "",
) -> None:
    """List what was learnt from a conversation, or print one state as JSON."""
    with closing(existing_store(store)) as opened:
        id_ = _chosen(opened, conversation)
        known = drive(opened.states(id_))
        if name and name not in known:
            raise OptionError(f"there is no state {name!r}; there are {', '.join(known) or 'none'}")
        if name:
            items = drive(opened.read_state(id_, name)).changes
            typer.echo(json.dumps(items, indent=2, ensure_ascii=False, sort_keys=True))
            return
        for one in known:
            state, vectors = drive(opened.read_state(id_, one)), drive(opened.embeddings(id_, one))
            typer.echo(f"{one}\tup to {state.watermark}\t{len(state.changes)} items\t{len(vectors)} embeddings")


@app.command()
def forget(
    store: StoreURL,
    ids: Annotated[list[int] | None, typer.Argument(help="Numbers of messages, as `history` prints them.")] = None,
    conversation: Which = "",
    everything: Annotated[bool, typer.Option("--all", help="The whole conversation.")] = False,  # noqa: FBT002
    yes: Yes = False,  # noqa: FBT002
) -> None:
    """Delete messages for good, with all that was learnt from them. Asks before it does."""
    if bool(ids) == everything:
        raise OptionError("give either numbers of messages, or --all for the whole conversation")
    with closing(existing_store(store)) as opened:
        id_ = _chosen(opened, conversation)
        what = "the whole conversation" if everything else f"the messages {', '.join(map(str, ids or []))}"
        if not yes:
            typer.confirm(f"Delete {what} of {id_!r} in {store} for good?", abort=True)
        memory = ConversationBufferMemory(store=opened, conversation_id=id_)
        receipt = memory.forget(None if everything else ids)
    typer.echo(f"{len(receipt.removed)} messages deleted.")
    if receipt.outstanding:
        typer.echo(f"Derived anew when the conversation is opened next: {', '.join(receipt.outstanding)}.")
    if not receipt.erased:
        typer.echo(_HELD_UP, err=True)


@app.command()
def scrub(store: StoreURL) -> None:
    """Remove the remains of what was deleted from the files of a store, by rewriting them."""
    with closing(existing_store(store)) as opened:
        if not drive(opened.scrub(thorough=True)):
            typer.echo(_HELD_UP, err=True)
            raise typer.Exit(1)


@app.command("export")
def export_lines(
    store: StoreURL,
    conversation: Which = "",
    out: Annotated[Path | None, typer.Option(help="A file to write; otherwise it is printed.")] = None,
) -> None:
    """Write a conversation, with all that was learnt from it, as JSON Lines. An encrypted one is decrypted."""
    with closing(existing_store(store)) as opened:
        lines = export_conversation(opened, _chosen(opened, conversation))
        if out:
            write(out, lines)
        else:
            sys.stdout.writelines(lines)


@app.command("import")
def import_lines(
    file: Annotated[Path, typer.Argument(help="What `memzoo export` wrote.")],
    store: StoreURL,
    conversation: Annotated[str | None, typer.Option(help="Its new id; by default the one that it had.")] = None,
) -> None:
    """Put an exported conversation into a store that has none of its id."""
    if not file.is_file():
        raise OptionError(f"there is no file {file}")
    with closing(unlocked_store(store)) as opened, file.open(encoding="utf-8") as lines:
        typer.echo(f"{import_conversation(opened, lines, conversation)!r} is in {store} now.")


def _chosen(store: ManagedStore, conversation: str) -> str:
    """The conversation that is meant: the one named, or the only one."""
    known = drive(store.conversations(limit=_LISTED))
    if not known:
        raise OptionError("the store has no conversation yet")
    if conversation and not drive(store.read(conversation, limit=1)):
        raise OptionError(f"the store has no conversation {conversation!r}; it has {', '.join(known)}")
    if not conversation and len(known) > 1:
        raise OptionError(f"the store has several conversations; choose one with --conversation: {', '.join(known)}")
    return conversation or known[0]


def _time(entry: Entry) -> str:
    return entry.created_at.isoformat(sep=" ", timespec="seconds")
