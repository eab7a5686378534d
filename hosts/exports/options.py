"""The options of commands that read conversations."""

from dataclasses import dataclass, replace
from typing import Annotated

import typer

from memzoo.errors import OptionError
from memzoo.hosts.exports.chat_log import date_of
from memzoo.hosts.exports.reading import Choice

__all__ = ["Chosen", "ChosenMany"]


@dataclass(frozen=True)
class Chosen:
    """The options that choose a conversation and its speakers."""

    user: Annotated[str, typer.Option(help="The name of the user in talks between people.")] = ""
    assistant: Annotated[str, typer.Option(help="The name of the assistant there; all others are users.")] = ""
    branches: Annotated[
        str, typer.Option(help="'all' reads each branch of a conversation, not only the shown one.")
    ] = "shown"

    @property
    def choice(self) -> Choice:
        """The options as a `Choice`, to read conversations with.

        Raises:
            OptionError: A value is not allowed.
        """
        if self.branches not in ("shown", "all"):
            raise OptionError(f"--branches must be 'shown' or 'all', not {self.branches!r}")
        return Choice(self.user, self.assistant, self.branches == "all")


@dataclass(frozen=True)
class ChosenMany(Chosen):
    """The options that choose conversations and their speakers."""

    title: Annotated[str, typer.Option(help="Only conversations with this text in their titles.")] = ""
    since: Annotated[str, typer.Option(help="Only conversations with a message since this date.")] = ""
    last: Annotated[
        int | None, typer.Option(min=0, help="Only this number of conversations, the newest; 0 for all.")
    ] = None

    @property
    def choice(self) -> Choice:
        """The options as a `Choice`, to read conversations with.

        Raises:
            OptionError: A value is not allowed.
        """
        since = date_of(self.since)
        if self.since and since is None:
            raise OptionError(f"--since must be a date such as 2026-03-02, not {self.since!r}")
        return replace(super().choice, title=self.title, since=since, last=self.last or 0)
