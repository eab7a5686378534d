"""The command that deletes messages and conversations."""

import re
from contextlib import closing
from datetime import timedelta
from typing import Annotated

import typer

from memzoo.cli.options import Stored, Yes, command, open_existing, write_count
from memzoo.cli.terminal import confirm, echo
from memzoo.errors import OptionError
from memzoo.memories import ConversationBufferMemory, delete_old
from memzoo.stores.base import managed
from memzoo.sync import drive
from memzoo.text import show_url


@command("Stored data")
def forget(
    *,
    ids: Annotated[
        list[int] | None, typer.Argument(help="The numbers of the messages, as `memzoo history` prints them.")
    ] = None,
    stored: Stored,
    everything: Annotated[bool, typer.Option("--all", help="Delete the whole conversation.")] = False,
    older_than: Annotated[
        str, typer.Option(help="In all conversations, delete messages older than this, such as 30d; also h, m and s.")
    ] = "",
    idle_for: Annotated[str, typer.Option(help="Delete conversations that have been idle for this long.")] = "",
    thorough: Annotated[
        bool,
        typer.Option("--thorough", help="Also rewrite the store's files, so that nothing deleted is left in them."),
    ] = False,
    yes: Yes = False,
) -> None:
    """Delete messages for good, with everything learnt from them. Asks first; use --yes in a cron job.

    With --older-than and --idle-for, --conversation 'acme*' chooses the conversations whose ids begin with acme.
    """
    old, ids_like, remains = bool(older_than or idle_for), stored.conversation or "*", ""
    if bool(ids) + everything + old != 1 and not (thorough and not ids and not everything):
        raise OptionError(
            "choose one thing to delete: messages by their numbers; the whole conversation with --all; or, in all "
            "conversations, old messages with --older-than 30d or --idle-for 30d. --thorough also works alone"
        )
    if old and not ids_like.endswith("*"):
        raise OptionError(
            f"--older-than and --idle-for cannot be limited to one conversation, {ids_like!r}: leave --conversation "
            "out, or give the beginning of some ids, such as 'acme*'"
        )
    if old:
        remains = _forget_old(stored.store, older_than, idle_for, ids_like, yes=yes)
    elif ids or everything:
        with stored.open_conversation() as (store, id_):
            named = f"message{'' if len(ids or []) == 1 else 's'} {', '.join(map(str, ids or []))}"
            what = "the whole conversation" if everything else named
            confirm(f"Delete {what} of {id_!r} in {show_url(stored.store)} for good?", yes=yes)
            receipt = ConversationBufferMemory(store=store, conversation_id=id_).forget(None if everything else ids)
        echo(f"{write_count(len(receipt.removed), 'message')} deleted.")
        if receipt.outstanding:
            echo(f"When the conversation is next opened, these will be learnt again: {', '.join(receipt.outstanding)}.")
        remains = receipt.remains
    if remains and not thorough:
        echo(remains, err=True)
    if thorough:
        with closing(open_existing(stored.store)) as opened:
            if not drive(managed(opened, "scrub").scrub(thorough=True)):
                echo(
                    "Another process is using the store, so deleted data remains in its files. Try again later.",
                    err=True,
                )
                raise typer.Exit(1)  # a cron job checks the exit code
        echo("The store's files were rewritten without the deleted data; replicas and backups were not.")


def _forget_old(url: str, older_than: str, idle_for: str, ids_like: str, *, yes: bool) -> str:
    """Delete old messages, and return the warning about their remains; "" if there are none."""
    age, idleness = _span("--older-than", older_than), _span("--idle-for", idle_for)
    with closing(open_existing(url)) as opened:
        told = [f"messages older than {older_than}"] * bool(older_than)
        told += [f"conversations idle for {idle_for}"] * bool(idle_for)
        where = "" if ids_like == "*" else f"in conversations {ids_like!r} "
        confirm(f"Delete {' and '.join(told)} {where}in {show_url(url)} for good?", yes=yes)
        done = delete_old(opened, older_than=age, idle_for=idleness, prefix=ids_like[:-1])
    messages = sum(map(len, done.removed.values()))
    echo(f"{write_count(messages, 'message')} deleted from {write_count(len(done.removed), 'conversation')}.")
    return done.remains


def _span(option: str, text: str) -> timedelta | None:
    """Return a length of time from a text such as "30d"; `None` for an empty text."""
    if not text:
        return None
    found = re.fullmatch(r"(\d{1,5})([dhms])", text)
    if not found:
        raise OptionError(
            f"{option} must be a number of days, hours, minutes or seconds, such as 30d, 12h, 90m, 45s; not {text!r}"
        )
    unit = {"d": "days", "h": "hours", "m": "minutes", "s": "seconds"}[found[2]]
    return timedelta(**{unit: int(found[1])})
