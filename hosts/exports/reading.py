"""Reads conversations from files, folders and ZIPs in the known forms."""

import io
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from memzoo.errors import MissingExtraError, TranscriptError
from memzoo.hosts.exports.chat_log import ChatLog, reason
from memzoo.hosts.exports.files import Found, find_documents, find_in_text
from memzoo.hosts.exports.forms import known_forms

__all__ = ["Choice", "read_conversations", "read_document"]


@dataclass(frozen=True, slots=True)
class Choice:
    """The choice of conversations, and of their speakers.

    Attributes:
        user: The name of the speaker who is the user; "" leaves it to the form.
        assistant: The name of the speaker who is the assistant; all others are users.
        all_branches: Read each branch as a conversation; without it only the branch that was shown.
        title: A part of the title, in any case.
        since: Only conversations with a message of this time or later.
    """

    user: str = ""
    assistant: str = ""
    all_branches: bool = False
    title: str = ""
    since: datetime | None = None

    def apply(self, log: ChatLog) -> Iterator[ChatLog]:
        """Yield the chosen conversations of one that was read."""
        for one in (log, *(log.branches() if self.all_branches else ())):
            late = not self.since or any(date and date >= self.since for date in one.dates)
            if one.messages and late and self.title.casefold() in one.title.casefold():
                yield self._with_speakers(one)

    def _with_speakers(self, log: ChatLog) -> ChatLog:
        names = {message.get("name") for message in log.messages}
        if not {self.user, self.assistant} & names:
            return log
        messages = [
            message
            if message["role"] not in ("user", "assistant") or not message.get("name")
            else message | {"role": self._role(message["name"])}
            for message in log.messages
        ]
        return replace(log, messages=messages, notes=[note for note in log.notes if "--user NAME" not in note])

    def _role(self, name: str) -> str:
        if self.user:
            return "user" if name == self.user else "assistant"
        return "assistant" if name == self.assistant else "user"


def read_conversations(paths: Iterable[Path], choice: Choice = Choice()) -> Iterator[ChatLog | TranscriptError]:
    """Yield the conversations of files, folders and ZIPs, and an error for each part that cannot be read.

    Args:
        paths: The files, folders and ZIPs; "-" is standard input.
        choice: The conversations to choose.
    """
    for path in paths:
        if str(path) == "-":
            found = find_in_text(io.StringIO(sys.stdin.read()), "standard input", known_forms())
        else:
            found = find_documents(path, known_forms())
        for document in found:
            if isinstance(document, TranscriptError):
                yield document
            else:
                for log in read_document(document):
                    yield from [log] if isinstance(log, TranscriptError) else choice.apply(log)


def read_document(found: Found) -> Iterator[ChatLog | TranscriptError]:
    """Yield the conversations of a document, and an error in place of the rest if it cannot be read."""
    if isinstance(found.form.read, str):
        yield TranscriptError(f"{found.where}: this is {found.form.name}; {found.form.read}")
        return
    try:
        yield from found.form.read(found.document, found.title)
    except MissingExtraError:
        raise
    except Exception as error:  # noqa: BLE001 - there is no end to what a foreign file can hold
        refusal = TranscriptError(f"{found.where} cannot be read as {found.form.name}: {reason(error)}")
        refusal.__cause__ = error
        yield refusal
