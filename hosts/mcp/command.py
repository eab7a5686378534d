"""The command that serves a memory to assistants over the Model Context Protocol."""

import asyncio
import functools
import os
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from memzoo.cli.options import command, conversation_option, open_existing, unlock_store, write, write_count
from memzoo.cli.terminal import echo
from memzoo.errors import OptionError, TransferError
from memzoo.stores import ManagedStore
from memzoo.sync import drive

if TYPE_CHECKING:
    from memzoo.hosts.mcp.memory import GraphMemory

T = TypeVar("T")

# The original server's environment variable for the path of its file.
_FILE = "MEMORY_FILE_PATH"


@command("Serving")
def mcp(
    *,
    store: Annotated[
        str, typer.Option(help="The store; by default mcp.db in your settings folder, on Linux ~/.config/memzoo.")
    ] = "",
    conversation: Annotated[str, conversation_option("The conversation in the store.")] = "mcp",
    http: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Serve over HTTP at this port; 0 picks a free one.")
    ] = None,
    max_tokens: Annotated[int, typer.Option(min=64, help="Token limit for reading the graph.")] = 25_000,
    import_: Annotated[Path | None, typer.Option("--import", help="Import a memory.jsonl, and exit.")] = None,
    export: Annotated[Path | None, typer.Option(help="Write the graph as a memory.jsonl, and exit.")] = None,
) -> None:
    """Serve a memory to assistants over the Model Context Protocol, on standard input and output."""
    from memzoo.hosts.mcp.files import parse_lines
    from memzoo.hosts.mcp.memory import GraphMemory
    from memzoo.hosts.mcp.server import serve_http, serve_stdio

    if import_:
        _read(import_, parse_lines)  # refuses a file before a store is made
    with closing(_open_store(store, create=import_ is not None or export is None)) as opened:
        memory = GraphMemory(store=opened, conversation_id=conversation, max_read_tokens=max_tokens)
        if import_ or export:
            _transfer(memory, import_, export)
            return
        if not store:
            _move_in(memory)
        serving = serve_stdio(memory) if http is None else serve_http(memory, http, lambda url: echo(url, err=True))
        asyncio.run(serving)


def _open_store(url: str, *, create: bool) -> ManagedStore:
    if not url:
        file = _default_file()
        if create:
            file.parent.mkdir(parents=True, exist_ok=True)
        url = f"sqlite:///{file}"
    return unlock_store(url) if create else open_existing(url)


def _default_file() -> Path:
    """Return the default path: beside the file that `MEMORY_FILE_PATH` names, or else among the user's settings."""
    if given := os.environ.get(_FILE):
        return Path(given).absolute().with_suffix(".db")
    return Path(typer.get_app_dir("memzoo")) / "mcp.db"


def _transfer(memory: "GraphMemory", source: Path | None, target: Path | None) -> None:
    from memzoo.hosts.mcp.files import export_lines

    if source:
        echo(_take_in(memory, source))
    if target:
        write(target, export_lines(memory))
        # The tool `remember` stores texts as user messages.
        if texts := sum(entry.message["role"] == "user" for entry in memory.entries()):
            told = write_count(texts, "remembered text")
            echo(f"{target} has the graph without {told}; `memzoo export` writes everything.", err=True)


def _move_in(memory: "GraphMemory") -> None:
    """Import the original server's file when this server first starts in its place."""
    file = Path(os.environ.get(_FILE, ""))
    if file.is_file() and not drive(memory.store.read(memory.conversation_id, limit=1)):
        echo(f"{file}: {_take_in(memory, file)}", err=True)


def _take_in(memory: "GraphMemory", file: Path) -> str:
    from memzoo.hosts.mcp.files import import_lines

    imported = _read(file, functools.partial(import_lines, memory))
    return f"{write_count(imported, 'item')} imported: entities, observations, relations."


def _read(file: Path, take: Callable[[Iterable[str]], T]) -> T:
    if not file.is_file():
        raise OptionError(f"there is no file {file}")
    try:
        with file.open(encoding="utf-8") as lines:
            return take(lines)
    except UnicodeDecodeError as error:
        raise TransferError(f"{file} must be UTF-8 text: {error}") from error
