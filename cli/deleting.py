"""The commands that throw something away: messages, conversations, what was learnt from them."""

import re
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from typing import Annotated

import typer

from memzoo.cli.options import Asked, Counter, Stored, StoreURL, command, open_existing, write_count
from memzoo.cli.terminal import bar, confirm, echo
from memzoo.errors import OptionError
from memzoo.memories import ConversationBufferMemory, delete_old
from memzoo.memories.engine.learner import relearn as learn_anew
from memzoo.stores import managed
from memzoo.sync import drive
from memzoo.text import show_url

__all__ = ["forget", "relearn", "retain", "scrub"]

_HELD_UP = "Another process is using the store, so remains are left in its files. Try again later."

Yes = Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")]


@command("Stored data")
def forget(
    *,
    ids: Annotated[
        list[int] | None, typer.Argument(help="The numbers of the messages, as `memzoo history` prints them.")
    ] = None,
    stored: Stored,
    everything: Annotated[bool, typer.Option("--all", help="Delete the whole conversation.")] = False,
    yes: Yes = False,
) -> None:
    """Delete messages for good, and all that was learnt from them. Asks first."""
    if bool(ids) == everything:
        raise OptionError("give either numbers of messages, or --all for the whole conversation")
    with stored.open_conversation() as (store, id_):
        what = "the whole conversation" if everything else f"the messages {', '.join(map(str, ids or []))}"
        confirm(f"Delete {what} of {id_!r} in {show_url(stored.store)} for good?", yes=yes)
        receipt = ConversationBufferMemory(store=store, conversation_id=id_).forget(None if everything else ids)
    echo(f"{write_count(len(receipt.removed), 'message')} deleted.")
    if receipt.outstanding:
        echo(f"These are learnt again when the conversation is next opened: {', '.join(receipt.outstanding)}.")
    if receipt.remains:
        echo(receipt.remains, err=True)


@command("Stored data")
def retain(
    *,
    store: StoreURL,
    older_than: Annotated[
        str, typer.Option(help="Delete messages older than this, such as 30d; also h, m and s.")
    ] = "",
    idle_for: Annotated[str, typer.Option(help="Delete conversations in which nothing was said for this long.")] = "",
    prefix: Annotated[str, typer.Option(help="Only in conversations whose ids start with this.")] = "",
    yes: Yes = False,
) -> None:
    """Delete old messages, and all that was learnt from them. Asks first; use --yes in a cron job."""
    age, idleness = _span("--older-than", older_than), _span("--idle-for", idle_for)
    if not (older_than or idle_for):
        raise OptionError("give --older-than or --idle-for, such as --older-than 30d")
    with closing(open_existing(store)) as opened:
        old = [f"messages older than {older_than}"] * bool(older_than)
        told = " and ".join(old + [f"conversations idle for {idle_for}"] * bool(idle_for))
        confirm(f"Delete {told} in {show_url(store)} for good?", yes=yes)
        done = delete_old(opened, older_than=age, idle_for=idleness, prefix=prefix)
    messages = sum(map(len, done.removed.values()))
    echo(f"{write_count(messages, 'message')} deleted from {write_count(len(done.removed), 'conversation')}.")
    if done.remains:
        echo(done.remains, err=True)


@command("Stored data")
def scrub(*, store: StoreURL) -> None:
    """Rewrite the files of a store so that nothing deleted is left in them."""
    with closing(open_existing(store)) as opened:
        if not drive(managed(opened, "scrub").scrub(thorough=True)):
            echo(_HELD_UP, err=True)
            raise typer.Exit(1)  # so that a cron job notices


@command("Stored data")
def relearn(
    *,
    stored: Stored,
    named: Annotated[str, typer.Argument(hidden=True, metavar="")] = "",
    memory: Annotated[str, typer.Option(help="The strategy whose learning is done again.")],
    asked: Asked,
    from_: Annotated[int | None, typer.Option("--from", help="Only from this message on; for embeddings.")] = None,
    only_set_aside: Annotated[
        bool, typer.Option("--set-aside", help="Only the messages at which the model failed.")
    ] = False,
    counter: Counter = None,
    yes: Yes = False,
) -> None:
    """Throw away what a strategy has learnt from a conversation, and learn it again. Asks first.

    The old state is kept until everything is learnt, and if the model fails.
    """
    with replace(stored, conversation=stored.conversation or named).open_conversation() as (opened, id_):
        first = drive(opened.read(id_, limit=1))
        deleted = " Its first messages have been deleted: what was learnt from them will be lost."
        question = f"Throw away what {memory} has learnt from {id_!r}, and learn it again?"
        confirm(f"{question}{deleted if first[0].seq > 1 else ''}", yes=yes or only_set_aside)
        learner = asked.memory(memory, counter, store=opened, conversation_id=id_)
        with bar("Learning") as advance:
            drive(learn_anew(learner, from_=from_, only_set_aside=only_set_aside, progress=advance))
        aside, calls = learner.set_aside(), learner.usage.total.calls
    echo(f"Learnt again, with {write_count(calls, 'model call')}.")
    if aside:
        echo(f"The model failed at these messages: {', '.join(str(entry.seq) for entry in aside)}.")


def _span(option: str, text: str) -> timedelta | None:
    """A length of time, such as 30d; `None` for none."""
    if not text:
        return None
    found = re.fullmatch(r"(\d{1,5})([dhms])", text)
    if not found:
        raise OptionError(
            f"{option} must be a number of days, hours, minutes or seconds, such as 30d, 12h, 90m, 45s; not {text!r}"
        )
    unit = {"d": "days", "h": "hours", "m": "minutes", "s": "seconds"}[found[2]]
    return timedelta(**{unit: int(found[1])})
