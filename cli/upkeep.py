"""The command that learns what waits in many conversations."""

from contextlib import closing
from typing import Annotated, Any

import typer

from memzoo import memories
from memzoo.cli.options import Asked, Counter, Workers, command, open_existing, write_count
from memzoo.cli.terminal import bar, echo
from memzoo.strategy import ModelBackedMemory, short_name, strategy_named, token_counter

__all__ = ["upkeep"]

_TOLD = 20  # failures


@command("Stored data")
def upkeep(
    *,
    store: Annotated[str, typer.Argument(help="A store, such as postgresql://me@host/db.")],
    memory: Annotated[
        str, typer.Option(help="The strategy that learns, such as summary or summary-buffer:max_token_limit=1000.")
    ],
    prefix: Annotated[str, typer.Option(help="Only in conversations whose ids start with this.")] = "",
    asked: Asked,
    workers: Workers,
    counter: Counter = None,
) -> None:
    """Learn what has not been learnt yet, in all conversations of a store: nightly, or after an import.

    If it is interrupted, run it again: what was learnt is kept. Exits with 1 if a conversation failed.
    """
    name, options = _parse_memory(memory)
    if issubclass(strategy_named(name), ModelBackedMemory):
        options["llm"] = asked.make_model()
    options["token_counter"] = token_counter(counter, asked.model).chosen
    with closing(open_existing(store)) as opened, workers.open_executor() as executor, bar("Learning") as advance:
        done = memories.upkeep(opened, name, prefix=prefix, executor=executor, progress=advance, **options)
    looked = write_count(done.conversations, "conversation")
    echo(f"Learnt in {done.learnt} of {looked}, with {write_count(done.spent.calls, 'model call')}.")
    for id_, why in list(done.failed.items())[:_TOLD]:
        echo(f"{id_}: {why}", err=True)
    if done.failed:
        listed = f"; the first {_TOLD} are listed" if len(done.failed) > _TOLD else ""
        echo(f"{write_count(len(done.failed), 'conversation')} failed{listed}.", err=True)
        raise typer.Exit(1)


def _parse_memory(memory: str) -> tuple[str, dict[str, Any]]:
    """A strategy and its options, as the command line names them; without options, its own defaults."""
    if ":" not in memory:
        return short_name(memory), {}
    from memzoo.benchmarks.variants import parse_variant

    variant = parse_variant(memory)
    prompts = {"prompts": variant.prompts} if variant.prompts else {}
    return variant.strategy, {**variant.options, **prompts}
