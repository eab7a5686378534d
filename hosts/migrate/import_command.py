"""The command that puts conversations into a store."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

from memzoo.cli.options import StoreURL, command, conversation_option, find_missing_file, unlock_store
from memzoo.cli.terminal import echo, progress_bars, row, tell
from memzoo.errors import OptionError, TransferError
from memzoo.hosts.exports.chat_log import ChatLog
from memzoo.hosts.exports.options import HELP, split_choice
from memzoo.hosts.exports.reading import Choice
from memzoo.hosts.migrate.importing import READERS, import_logs, read_logs
from memzoo.stores import InMemoryStore, ManagedStore, import_conversation
from memzoo.text import show_url


@command("Stored data")
def import_lines(
    *,
    source: Annotated[str, typer.Argument(help=f"A file, folder or ZIP of conversations; a URL with --from. {HELP}")],
    store: StoreURL,
    conversation: Annotated[
        str | None, conversation_option("The conversation's id in the store; by default its old id.")
    ] = None,
    form: Annotated[
        str, typer.Option("--from", help=f"The format, if it is {', '.join(READERS)}; others are recognised.")
    ] = "",
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Only list the conversations to import; not for a file of `memzoo export`."),
    ] = False,
) -> None:
    """Import conversations from other programs, or a conversation from a file of `memzoo export`.

    A conversation that `memzoo export` wrote must not be in the store yet. `memzoo compare --formats` lists the formats
    that are recognised.
    """
    source, choice = split_choice(source)
    file = Path(source)
    if not form and not file.exists():
        raise OptionError(f"there is no file {file}")
    if form or not _is_own(file):
        wrong: list[TransferError] = []
        logs = read_logs(form, source, wrong.append, choice)
        _import_from(logs, wrong, source, store, conversation, dry_run=dry_run)
        return
    if dry_run or choice != Choice():
        raise OptionError(f"{file} is a file of `memzoo export`; it takes no --dry-run and no options after its name")
    if find_missing_file(store):
        _read_into(InMemoryStore(), file, conversation)  # an unreadable file must not create an empty store
    with closing(unlock_store(store)) as opened:
        id_ = _read_into(opened, file, conversation)
    echo(f"{id_!r} is in {show_url(store)} now.")


def _is_own(file: Path) -> bool:
    """Return whether a file is one that `memzoo export` wrote in memzoo's own form."""
    if not file.is_file():
        return False
    with file.open("rb") as lines:
        return b'"memzoo"' in lines.read(200).split(b"\n")[0]


def _read_into(store: ManagedStore, file: Path, conversation: str | None) -> str:
    with progress_bars() as progress, progress.open(file, "r", encoding="utf-8", description="Reading") as lines:
        try:
            return import_conversation(store, lines, conversation)
        except TransferError as error:
            raise TransferError(f"{file}: {error}") from error


def _import_from(
    logs: Iterator[ChatLog],
    wrong: list[TransferError],
    source: str,
    store: str,
    conversation: str | None,
    *,
    dry_run: bool,
) -> None:
    # Read the first conversation before opening the store: an unreadable source must not create an empty store.
    if (first := next(logs, None)) is None:
        raise _sum_up(wrong, "nothing was imported")
    if conversation is not None:
        if (another := next(logs, None)) is not None:
            several = f"{first.key!r} ({first.title}), {another.key!r} ({another.title}) ..."
            raise OptionError(
                f"--conversation is the id of one conversation, but {source} has several conversations: {several}; "
                "choose one with FILE:title=TEXT"
            )
        first = replace(first, id=conversation)
    counting = progress_bars(SpinnerColumn(), TextColumn("{task.completed} conversations"), TimeElapsedColumn())
    with closing(InMemoryStore() if dry_run and find_missing_file(store) else unlock_store(store)) as opened, counting:
        for log in counting.track(chain([first], logs), total=None):
            for note in log.notes:
                tell("[yellow]note:[/]", f"{log.key}: {note}")
            for one in import_logs(opened, [log], dry_run=dry_run, on_error=wrong.append):
                row(one.conversation_id, f"{one.read} read", f"{one.written} new", f"sha256 {one.digest}", log.title)
    if wrong:
        raise _sum_up(wrong, "everything else was imported")


def _sum_up(wrong: list[TransferError], rest: str) -> TransferError:
    """Return the only error; if there are several, print them, and return an error with their number."""
    if len(wrong) == 1:
        return TransferError(f"{wrong[0]}; {rest}")
    for error in wrong:
        tell("[bold red]not imported:[/]", str(error))
    return TransferError(f"{len(wrong)} files or conversations could not be imported; {rest}")
