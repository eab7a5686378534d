"""Reads conversations from files, folders and ZIPs in the known forms."""

import contextlib
import heapq
import io
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from memzoo.errors import MissingExtraError, TransferError
from memzoo.hosts.exports.chat_log import ChatLog, Unread, count, reason
from memzoo.hosts.exports.files import LISTED, FoundDocument, find_documents, find_in_text
from memzoo.hosts.exports.forms import known_forms
from memzoo.memories.text.messages import ROLES

AnyRead = TypeVar("AnyRead")


@dataclass(frozen=True, slots=True)
class Choice:
    """The options that choose conversations and their speakers.

    Attributes:
        user: The name of the speaker who is the user; all other speakers are then assistants. "" to use the roles in
            the file.
        assistant: The name of the speaker who is the assistant; all other speakers are then users. If `user` is
            given too, this option changes no roles.
        all_branches: True to read every branch as a conversation; false to read only the branch that the application
            shows.
        title: A text that the title must contain; case is ignored. "" for any title.
        since: A time. Only conversations with a message at or after this time are chosen; `None` for all.
        last: The number of conversations to choose: the ones with the newest messages. 0 or `None` for all.
    """

    user: str = ""
    assistant: str = ""
    all_branches: bool = False
    title: str = ""
    since: datetime | None = None
    last: int | None = None

    def takes(self, title: str, dates: Iterable[datetime | None]) -> bool:
        """Return whether a conversation's title and dates fit the options `title` and `since`."""
        late = self.since is None or any(date and date >= self.since for date in dates)
        return late and self.title.casefold() in title.casefold()

    def describe_lack(self, source: str) -> str:
        """Return the error text for a source in which no conversation fits the options."""
        wanted = [f"{self.title!r} in its title"] if self.title else []
        wanted += [f"a message since {self.since:%Y-%m-%d}"] if self.since else []
        return f"{source} has no conversation with {' and '.join(wanted or ['text in it'])}"

    def choose(self, log: ChatLog, where: str) -> Iterator[ChatLog | TransferError]:
        """Yield a conversation if it fits the options, with the user and assistant that the options name.

        With `all_branches`, the conversation's other branches are yielded too. If the speakers have names, but a name
        in the options is not among them, an error takes the conversation's place.
        """
        if self.all_branches:
            log = replace(log, notes=[note for note in log.notes if "branches=all" not in note])
        if not log.messages and self.takes(log.title, ()) and any("left out" in note for note in log.notes):
            yield TransferError(f"{where}, {log.title!r}, has no text: {'; '.join(log.notes)}")
        for one in (log, *(log.branches() if self.all_branches else ())):
            if one.messages and self.takes(one.title, one.dates):
                names = {str(message["name"]): None for message in one.messages if message.get("name")}
                strange = [name for name in (self.user, self.assistant) if name and name not in names]
                if names and strange:
                    told = (
                        f"no speaker is called {' or '.join(map(repr, strange))}; "
                        f"the speakers are {', '.join(map(repr, names))}"
                    )
                    yield TransferError(f"{where}, {one.title!r}: {told}")
                elif strange:
                    told = f"its speakers have no names, so {' and '.join(map(repr, strange))} has no effect"
                    yield replace(one, notes=[*one.notes, told])
                else:
                    yield self._with_speakers(one)

    def _with_speakers(self, log: ChatLog) -> ChatLog:
        """Return a talk between people with the chosen user and assistant."""
        if not self.user and not self.assistant:
            return log
        messages = [
            message | {"role": self._role(message["name"])}
            if message["role"] in ("user", "assistant") and message.get("name")
            else message
            for message in log.messages
        ]
        return replace(log, messages=messages, notes=[note for note in log.notes if "user=NAME" not in note])

    def _role(self, name: str) -> str:
        if self.user:
            return "user" if name == self.user else "assistant"
        return "assistant" if name == self.assistant else "user"


def find_in(paths: Iterable[Path]) -> Iterator[FoundDocument | TransferError]:
    """Yield the documents in files, folders and ZIPs, and an error for each part that cannot be read.

    "-" stands for standard input.
    """
    for path in paths:
        if str(path) != "-":
            found = find_documents(path, known_forms())
            yield next(found, TransferError(f"{path} has no file in a known format; {LISTED}"))
            yield from found
            continue
        try:
            if change := getattr(sys.stdin, "reconfigure", None):
                with contextlib.suppress(io.UnsupportedOperation):  # some of it is read already
                    change(encoding="utf-8-sig", errors="strict")  # as files are read
            yield from find_in_text(io.StringIO(sys.stdin.read()), "standard input", known_forms())
        except UnicodeDecodeError as error:
            yield TransferError(f"standard input cannot be read as UTF-8 text ({error})")
        except TransferError as error:
            yield error


def read_document(found: FoundDocument, choice: Choice) -> Iterator[ChatLog | TransferError]:
    """Yield the chosen conversations in a document, and an error for each conversation that cannot be read."""
    if isinstance(found.form.read, str):
        yield TransferError(f"{found.where}: this is {found.form.name}; {found.form.read}")
        return
    number = 0
    try:
        for read in found.form.read(found.document, found.title):
            number += 1
            try:
                log = read.read() if isinstance(read, Unread) else read
                _check_roles(log)
            except MissingExtraError:
                raise
            except Exception as error:  # noqa: BLE001 - there is no end to what a foreign file can hold
                yield _refusal(f"{found.where}, {read.title!r}", found, error)
                continue
            yield from choice.choose(log, found.where)
    except MissingExtraError:
        raise
    except Exception as error:  # noqa: BLE001 - as above
        after = f"; {count(number, 'conversation')} before this can be read, and none after it" if number else ""
        yield _refusal(found.where, found, error, after)


def _check_roles(log: ChatLog) -> None:
    """Raise an error for a message with an unknown role, as the reader of a package may give."""
    for number, message in enumerate(log.messages, start=1):
        if message.get("role") not in ROLES:
            raise TransferError(
                f"message {number}: role must be one of {', '.join(ROLES)}, not {message.get('role')!r}"
            )


def _refusal(where: str, found: FoundDocument, error: Exception, after: str = "") -> TransferError:
    refusal = TransferError(f"{where} cannot be read as {found.form.name}: {reason(error)}{after}")
    refusal.__cause__ = error
    return refusal


def read_conversations(paths: Iterable[Path], choice: Choice = Choice()) -> Iterator[ChatLog | TransferError]:
    """Yield the chosen conversations of files, folders and ZIPs, and an error for each part that cannot be read.

    "-" stands for standard input.
    """
    yield from choose_last(
        (
            read
            for found in find_in(paths)
            for read in ([found] if isinstance(found, TransferError) else read_document(found, choice))
        ),
        choice.last,
        lambda log: log.dates,
    )


def choose_last(
    read: Iterable[AnyRead | TransferError], number: int | None, dates: Callable[[AnyRead], Iterable[datetime | None]]
) -> Iterator[AnyRead | TransferError]:
    """Yield the conversations with the newest messages, in the order of `read`.

    At most `number` conversations are held in RAM.

    Args:
        read: The conversations and errors; each error is yielded at once.
        number: The number of conversations to yield; 0 or `None` for all.
        dates: A function that returns the dates of a conversation's messages.
    """
    if not number:
        yield from read
        return
    newest: list[tuple[float, int, AnyRead]] = []
    for place, one in enumerate(read):
        if isinstance(one, TransferError):
            yield one
        else:
            said_at = max((date.timestamp() for date in dates(one) if date), default=0.0)
            heapq.heappush(newest, (said_at, place, one))
            if len(newest) > number:
                heapq.heappop(newest)
    yield from (one for _, _, one in sorted(newest, key=lambda entry: entry[1]))
