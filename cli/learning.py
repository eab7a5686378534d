"""The command that learns from stored conversations."""

from contextlib import closing
from typing import Annotated, Any

import typer

from memzoo import memories
from memzoo.cli.options import Asked, Counter, Stored, Workers, Yes, command, open_existing, write_count
from memzoo.cli.terminal import bar, confirm, echo
from memzoo.errors import OptionError
from memzoo.memories.engine.learner import relearn
from memzoo.strategy import ModelBackedMemory, short_name, strategy_named, token_counter
from memzoo.sync import drive
from memzoo.text import read_options

__all__ = ["learn"]

_TOLD = 20  # the most failures to print


@command("Stored data")
def learn(
    *,
    stored: Stored,
    memory: Annotated[
        str, typer.Option(help="The strategy that learns, such as summary or summary-buffer:max_token_limit=1000.")
    ],
    prefix: Annotated[str, typer.Option(help="Only in conversations whose ids start with this.")] = "",
    again: Annotated[
        bool, typer.Option("--again", help="In one conversation: discard the learnt state, and learn everything anew.")
    ] = False,
    only_set_aside: Annotated[
        bool, typer.Option("--set-aside", help="In one conversation: only messages on which the model failed.")
    ] = False,
    asked: Asked,
    workers: Workers,
    counter: Counter = None,
    yes: Yes = False,
) -> None:
    """Learn all pending messages, in every conversation of a store: nightly, or after an import.

    If it is interrupted, run it again: it continues from there. Exits with 1 if a conversation failed. --again asks for
    confirmation; the old state is kept until everything is learnt anew.
    """
    name, _, given = memory.partition(":")
    name, options = short_name(name), read_options(given) if given else {}
    if again or only_set_aside:
        if prefix:
            raise OptionError("--again and --set-aside are for one conversation: name it with --conversation")
        _learn_again(stored, name, asked, counter, options, only_set_aside=only_set_aside, yes=yes)
        return
    if issubclass(strategy_named(name), ModelBackedMemory):
        options["llm"] = asked.make_model()
    options["token_counter"] = token_counter(counter, asked.model).chosen
    ids = None if stored.conversation is None else [stored.conversation]
    with (
        closing(open_existing(stored.store)) as opened,
        workers.open_executor() as executor,
        bar("Learning") as advance,
    ):
        done = memories.upkeep(opened, name, ids, prefix=prefix, executor=executor, progress=advance, **options)
    looked = write_count(done.conversations, "conversation")
    echo(f"Learnt in {done.learnt} of {looked}, with {write_count(done.spent.calls, 'model call')}.")
    for id_, why in list(done.failed.items())[:_TOLD]:
        echo(f"{id_}: {why}", err=True)
    if done.failed:
        listed = f"; the first {_TOLD} are listed" if len(done.failed) > _TOLD else ""
        echo(f"{write_count(len(done.failed), 'conversation')} failed{listed}.", err=True)
        raise typer.Exit(1)


def _learn_again(
    stored: Stored,
    name: str,
    asked: Asked,
    counter: str | None,
    options: dict[str, Any],
    *,
    only_set_aside: bool,
    yes: bool,
) -> None:
    with stored.open_conversation() as (opened, id_):
        first = drive(opened.read(id_, limit=1))
        deleted = " Its first messages have been deleted: everything learnt from them will be lost."
        question = f"Throw away what {name} has learnt from {id_!r}, and learn it again?"
        confirm(f"{question}{deleted if first[0].seq > 1 else ''}", yes=yes or only_set_aside)
        learner = asked.memory(name, counter, store=opened, conversation_id=id_, **options)
        with bar("Learning") as advance:
            drive(relearn(learner, from_=None, only_set_aside=only_set_aside, progress=advance))
        aside, calls = learner.set_aside(), learner.usage.total.calls
    echo(f"Learnt again, with {write_count(calls, 'model call')}.")
    if aside:
        echo(f"The model failed at these messages: {', '.join(str(entry.seq) for entry in aside)}.")
