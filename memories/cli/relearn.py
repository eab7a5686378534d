"""The command that lets a strategy learn anew from a stored conversation."""

from contextlib import closing
from typing import Annotated

import typer

from memzoo.memories.cli.asking import Asked, Counter, asks_model
from memzoo.memories.cli.stores import chosen, existing_store
from memzoo.memories.cli.terminal import confirm, echo
from memzoo.stores.driving import drive

__all__ = ["app"]

app = typer.Typer()


@app.command()
@asks_model
def relearn(
    *,
    conversation: Annotated[str, typer.Argument(help="The id of the conversation.")],
    store: Annotated[str, typer.Option(help="Where it is kept, such as sqlite:///chat.db.")],
    memory: Annotated[str, typer.Option(help="The strategy.")],
    asked: Asked,
    from_: Annotated[int | None, typer.Option("--from", help="From this message on, for embeddings.")] = None,
    only_set_aside: Annotated[bool, typer.Option("--set-aside", help="Only what was set aside.")] = False,
    counter: Counter = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Throw away what a strategy has learnt from a conversation, and learn it anew. Asks before it does.

    Until all is learnt, and if the model fails, the old state is kept.
    """
    with closing(existing_store(store)) as opened:
        first = drive(opened.read(chosen(opened, conversation), limit=1))
        if not (yes or only_set_aside):
            deleted = " Its first messages are not there any more: what was learnt from them is lost."
            confirm(f"Learn {memory} anew from {conversation!r}?{deleted if first[0].seq > 1 else ''}")
        learner = asked.memory(memory, counter, store=opened, conversation_id=conversation)
        learner.relearn(from_=from_, only_set_aside=only_set_aside)
        aside, calls = learner.set_aside(), learner.usage.total.calls
    echo(f"Learnt anew. Calls of the model: {calls}.")
    if aside:
        echo(f"Set aside, because the model failed at them: {', '.join(str(entry.seq) for entry in aside)}.")
