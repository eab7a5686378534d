"""The commands that show, pin and export parts of a stored conversation."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

import typer

from memzoo.cli.chat_files import WRITERS
from memzoo.cli.options import (
    Asked,
    OutFile,
    Stored,
    command,
    show_time,
    write,
    write_count,
)
from memzoo.cli.terminal import echo, row
from memzoo.errors import OptionError
from memzoo.memories import ConversationBufferMemory, ConversationKGMemory, KnowledgeGraph
from memzoo.memories.engine.state import ATTEMPTS
from memzoo.stores import ManagedStore, export_conversation
from memzoo.stores.base import managed
from memzoo.stores.checking import is_sqlite
from memzoo.strategy import text_of
from memzoo.sync import drive
from memzoo.text import did_you_mean


@command("Stored data")
def history(*, stored: Stored) -> None:
    """Print a conversation: number, time, role and text of each message."""
    with stored.open_conversation() as (store, id_):
        memory = ConversationBufferMemory(store=store, conversation_id=id_)
        for entry in memory.entries():
            row(entry.seq, show_time(entry), entry.message["role"], text_of(entry.message))


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
        if off and not ids:
            raise OptionError("--off needs the numbers of messages, as `memzoo pin` prints them")
        for seq in memory.pin(ids or [], off=off):
            (entry,) = memory.entries(1, after=seq - 1)
            row(entry.seq, show_time(entry), entry.message["role"], text_of(entry.message))


@command("Stored data")
def show(
    *,
    stored: Stored,
    form: Annotated[
        Literal["view", "state", "graph", "json", "mermaid", "graphml", "html"],
        typer.Option("--as", help="The model's view, learnt state, or facts: as text, or in another format."),
    ] = "view",
    memory: Annotated[str, typer.Option(help="The strategy, or name:option=value,...; see `memzoo list`.")] = "",
    query: Annotated[str, typer.Option(help="For a view: the user's next message.")] = "",
    asked: Asked,
    superseded: Annotated[bool, typer.Option("--history", help="For facts: include superseded ones.")] = False,
    out: OutFile = None,
) -> None:
    """Print the messages that a memory would send now, or its learnt state. Learns and stores nothing.

    --as view prints the messages of the strategy in --memory; some strategies call the model to find names in --query.
    --as state lists all states; with --memory, it prints that strategy's state as JSON. The other formats write facts:
    graph as text, html as a picture, and json, mermaid and graphml for other programs.
    """
    with stored.open_conversation() as (store, id_):
        if form == "state":
            _show_state(store, id_, memory, out)
        elif form != "view":
            state, graph = drive(store.read_state(id_, ConversationKGMemory.name)), KnowledgeGraph()
            graph.apply({key: value for key, value in state.changes.items() if value is not None and key != ATTEMPTS})
            _write(out, [graph.export("text" if form == "graph" else form, history=superseded)])
            if behind := drive(store.read(id_, after=state.watermark)):
                newest = write_count(len(behind), "message")
                echo(
                    f"No facts have been learnt yet from the newest {newest}; "
                    "`memzoo learn --memory knowledge-graph` learns them.",
                    err=True,
                )
        else:
            if not memory:
                raise OptionError("--as view needs a strategy, such as --memory summary; `memzoo list` shows them all")
            viewed = asked.memory(memory, store=store, conversation_id=id_)
            _write(out, [json.dumps(viewed.messages(query, catch_up=False), indent=2, ensure_ascii=False), "\n"])


def _show_state(store: ManagedStore, id_: str, name: str, out: Path | None) -> None:
    known = drive(managed(store, "states").states(id_))
    if name and name not in known:
        raise OptionError(
            f"there is no state {name!r}; there are {', '.join(known) or 'none'}{did_you_mean(name, known)} "
            "(`memzoo learn` learns from waiting messages)"
        )
    if name:
        items = drive(store.read_state(id_, name)).changes
        _write(out, [json.dumps(items, indent=2, ensure_ascii=False, sort_keys=True), "\n"])
        return
    if out:
        raise OptionError("--out needs the strategy whose state to write, such as --memory summary")
    for one in known:
        state, vectors = drive(store.read_state(id_, one)), drive(store.embeddings(id_, one))
        learnt = write_count(len(state.changes), "item"), write_count(len(vectors), "embedding")
        row(one, f"up to {state.watermark}", *learnt)


@command("Stored data")
def export_lines(
    *,
    stored: Stored,
    form: Annotated[
        Literal["memzoo", "chatgpt", "openai", "sharegpt", "markdown"],
        typer.Option("--as", help="Everything as JSON Lines, or only the messages in the format of another program."),
    ] = "memzoo",
    out: OutFile = None,
) -> None:
    """Write a conversation and everything learnt from it as JSON Lines, decrypted; with --as, only the messages.

    `memzoo import` reads every format; `memzoo compare` reads every format but the default.
    """
    with stored.open_conversation() as (store, id_):
        _write(out, WRITERS[form](id_, drive(store.read(id_))) if form in WRITERS else export_conversation(store, id_))


def _write(out: Path | None, pieces: Iterable[str]) -> None:
    if out and is_sqlite(out):  # most likely the store's own file
        raise OptionError(f"{str(out)!r} is a database: write to another file")
    write(out, pieces)
    if out:
        echo(f"wrote {out}", err=True)
