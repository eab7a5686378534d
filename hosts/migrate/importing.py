"""Imports other libraries' conversations into a store."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from memzoo.errors import ConflictError, MessageError, TransferError
from memzoo.hosts.exports.chat_log import ChatLog, Unread
from memzoo.hosts.exports.files import FoundDocument
from memzoo.hosts.exports.form import Form
from memzoo.hosts.exports.reading import Choice, read_conversations, read_document
from memzoo.hosts.migrate.histories import langchain_mongo, langchain_redis, langchain_sql
from memzoo.hosts.migrate.llama_index import llama_index
from memzoo.memories.engine.system_message import note_system, system_state
from memzoo.memories.text.messages import checked
from memzoo.stores import Entry, ManagedStore, Message, Record
from memzoo.stores.base import utc_now
from memzoo.sync import blocking_function
from memzoo.text import show_url

READERS: Mapping[str, Callable[[str], Iterator[Unread]]] = {
    "langchain-sql": langchain_sql,
    "langchain-redis": langchain_redis,
    "langchain-mongo": langchain_mongo,
    "llama-index": llama_index,
}
"""The readers by form, for the forms that a user has to name; all other forms are recognised."""


@dataclass(frozen=True, slots=True)
class Imported:
    """The outcome of importing a conversation.

    Attributes:
        conversation_id: The conversation's id in the source; without an id, its title.
        read: The number of the conversation's messages in the source.
        written: The number of messages that the store did not have yet.
        digest: The SHA-256 of the messages, equal in the source and the store.
    """

    conversation_id: str
    read: int
    written: int
    digest: str


def raise_error(error: TransferError) -> None:
    """Raise the given error. This function is the default of `on_error`.

    Raises:
        TransferError: Always.
    """
    raise error


def read_logs(
    form: str,
    source: str,
    on_error: Callable[[TransferError], None] = raise_error,
    choice: Choice = Choice(),  # noqa: B008 - it is frozen
) -> Iterator[ChatLog]:
    """Yield the non-empty conversations of a source.

    Args:
        form: The name of a form, such as "langchain-sql" (a key of `READERS`); "" to recognise the form of files.
        source: A file, a folder of files, a ZIP, or the URL of a database.
        on_error: A function that is called with an error for each part that cannot be read.
        choice: Selects conversations of the source.

    Raises:
        TransferError: The form is unknown; or without `on_error`, a file or conversation cannot be read in that form.
        MissingExtraError: The form needs a package that is not installed.
    """
    if form and form not in READERS:
        raise TransferError(
            f"memzoo cannot import from {form!r}; it can import from {', '.join(READERS)}; without --from, it "
            "recognises files (`memzoo compare --formats` lists them)"
        )
    for file in _files(source) if form else [source]:
        has_any = False
        found = _of_source(form, file, choice) if form else read_conversations([Path(source)], choice)
        for result in found:
            has_any = True
            one = _check(result, source) if isinstance(result, ChatLog) else result
            if isinstance(one, ChatLog):
                yield one
            else:
                on_error(one)
        if not has_any:
            on_error(TransferError(choice.describe_lack(str(file))))


def _check(log: ChatLog, source: str) -> ChatLog | TransferError:
    try:
        return replace(log, messages=list(map(checked, log.messages)))
    except MessageError as error:
        refusal = TransferError(f"{show_url(source)}, {log.title!r}, cannot be read: {error}")
        refusal.__cause__ = error
        return refusal


def _files(source: str) -> Sequence[str]:
    if "://" in source or not Path(source).is_dir():
        return [source]
    return sorted(str(one) for one in Path(source).rglob("[!.]*") if one.is_file())


def _of_source(form: str, source: str, choice: Choice) -> Iterator[ChatLog | TransferError]:
    """Yield the conversations of one file or database, and an error for each that is unreadable, or for the source."""
    row = Form(form, "database", bool, lambda place, _: READERS[form](place), known="", get="")
    return read_document(FoundDocument(row, source, source, show_url(source)), choice)


async def aimport_logs(
    store: ManagedStore,
    logs: Iterable[ChatLog],
    *,
    dry_run: bool = False,
    on_error: Callable[[TransferError], None] = raise_error,
) -> list[Imported]:
    """Write conversations into a store, and return the outcome for each. Messages already in the store are skipped.

    Args:
        store: The target.
        logs: The conversations; see `read_logs`.
        dry_run: Only report, without writing.
        on_error: A function that is called with an error for each conversation that cannot be written.

    Raises:
        TransferError: A conversation cannot be written, and no `on_error` was given.
    """
    done: list[Imported] = []
    for log in logs:
        try:
            done.append(await _import_log(store, log, dry_run=dry_run))
        except TransferError as error:
            on_error(error)
    return done


import_logs = blocking_function(aimport_logs)


async def _import_log(store: ManagedStore, log: ChatLog, *, dry_run: bool) -> Imported:
    there = [entry.message for entry in await store.read(log.key)]
    said = list(log.messages)
    if there[: len(said)] != said[: len(there)]:
        raise _another(log)
    new, digest = said[len(there) :], _digest(said)
    if new and not dry_run:
        try:
            await (_append(store, log, len(there)) if there else _restore(store, log))
        except ConflictError as error:  # another writer was faster
            raise _another(log) from error
        kept = [entry.message for entry in await store.read(log.key)]
        if _digest(kept) != digest:
            raise TransferError(f"the store does not return conversation {log.key!r} as it was written")
    return Imported(log.key, len(said), len(new), digest)


def _another(log: ChatLog) -> TransferError:
    return TransferError(
        f"the store already has another conversation with the id {log.key!r}; nothing of this one was written"
    )


async def _restore(store: ManagedStore, log: ChatLog) -> None:
    """Write a whole conversation with its times; a message without a time gets the time of the previous message."""
    entries: list[Entry] = []
    said_at = next((date for date in log.dates if date), utc_now())
    for number, (message, date, turn) in enumerate(zip(log.messages, log.dates, _turns(log), strict=True), start=1):
        said_at = date or said_at
        entries.append(Entry(number, message, turn, said_at, {} if date else Record.dated(message, None).fields))
    await store.restore(log.key, entries, system_state(entries))


async def _append(store: ManagedStore, log: ChatLog, start: int) -> None:
    """Write the messages that are new since the last import, turn by turn."""
    turns: dict[str, list[Record]] = {}
    for message, date, turn in list(zip(log.messages, log.dates, _turns(log), strict=True))[start:]:
        turns.setdefault(turn, []).append(Record.dated(message, date))
    for turn, records in turns.items():
        await store.append(log.key, records, turn_id=f"{turn}-{start}")
    await note_system(store, log.key)


def _turns(log: ChatLog) -> Iterator[str]:
    """Yield the turn id of each message: a turn begins with a user message."""
    begins = 0
    for place, message in enumerate(log.messages):
        begins = place if message["role"] == "user" else begins
        yield f"import-{begins}"


def _digest(messages: list[Message]) -> str:
    return hashlib.sha256(json.dumps(messages, sort_keys=True).encode()).hexdigest()
