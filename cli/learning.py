"""The command that learns from stored conversations."""

from contextlib import closing
from typing import Annotated

import typer

from memzoo import memories
from memzoo.cli.options import Asked, Stored, Workers, Yes, command, open_existing, read_memory, write_count
from memzoo.cli.terminal import bar, confirm, echo
from memzoo.errors import OptionError
from memzoo.memories.engine.learner import relearn
from memzoo.memories.strategies.named import strategy_named
from memzoo.memories.text.tokens import token_counter
from memzoo.strategy import ModelBackedMemory
from memzoo.sync import drive

_TOLD = 20  # the most failures to print


@command("Stored data")
def learn(
    *,
    stored: Stored,
    memory: Annotated[str, typer.Option(help="The strategy that learns, such as summary or entity:k=5.")],
    again: Annotated[
        bool, typer.Option("--again", help="In one conversation: discard the learnt state, and learn everything anew.")
    ] = False,
    asked: Asked,
    workers: Workers,
    yes: Yes = False,
) -> None:
    """Learn from all waiting messages in every conversation of a store. Run this nightly, or after an import.

    --conversation 'acme*' chooses the conversations whose ids begin with acme. After an interruption, run the command
    again. Exits with 1 if a conversation failed. --again asks for confirmation; the old state is kept until everything
    is learnt anew.
    """
    name, options = read_memory(memory)
    if again:
        _learn_again(stored, memory, asked, yes=yes)
        return
    if issubclass(strategy_named(name), ModelBackedMemory):
        options["llm"] = asked.make_model()
    options.setdefault("token_counter", token_counter(None, asked.model).chosen)
    chosen = stored.conversation or "*"
    prefix = chosen[:-1] if chosen.endswith("*") else None
    with (
        closing(open_existing(stored.store)) as opened,
        workers.open_executor(asked) as executor,
        bar("Learning") as advance,
    ):
        ids = [stored.choose(opened)] if prefix is None else None
        done = memories.upkeep(opened, name, ids, prefix=prefix or "", executor=executor, progress=advance, **options)
    looked = write_count(done.conversations, "conversation")
    echo(f"Learnt in {done.learnt} of {looked}, with {write_count(done.spent.calls, 'model call')}.")
    for id_, why in list(done.failed.items())[:_TOLD]:
        echo(f"{id_}: {why}", err=True)
    if done.failed:
        listed = f"; the first {_TOLD} are listed" if len(done.failed) > _TOLD else ""
        echo(f"{write_count(len(done.failed), 'conversation')} failed{listed}.", err=True)
        raise typer.Exit(1)


def _learn_again(stored: Stored, memory: str, asked: Asked, *, yes: bool) -> None:
    name, _ = read_memory(memory)
    with stored.open_conversation() as (opened, id_):
        learner = asked.memory(memory, store=opened, conversation_id=id_)
        if not learner.learners:
            raise OptionError(f"{name!r} learns nothing, so there is nothing to learn again")
        first = drive(opened.read(id_, limit=1))
        deleted = " Its first messages have been deleted: everything learnt from them will be lost."
        question = f"Throw away what {name} has learnt from {id_!r}, and learn it again?"
        confirm(f"{question}{deleted if first[0].seq > 1 else ''}", yes=yes)
        with bar("Learning") as advance:
            drive(relearn(learner, from_=None, only_set_aside=False, progress=advance))
        aside, calls = learner.set_aside(), learner.usage.total.calls
    echo(f"Learnt again, with {write_count(calls, 'model call')}.")
    if aside:
        echo(f"The model failed at these messages: {', '.join(str(entry.seq) for entry in aside)}.")
