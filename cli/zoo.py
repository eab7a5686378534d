"""The commands that list strategies, stores and conversations, and serve the offline model."""

import inspect
import re
from collections.abc import Iterator
from contextlib import closing
from typing import Annotated

import typer
from rich.markup import escape
from rich.padding import Padding

from memzoo.cli.options import command, open_existing, show_time, write_count
from memzoo.cli.terminal import Terminal, echo, row
from memzoo.errors import OptionError, PluginError, StoreError
from memzoo.memories import STRATEGIES
from memzoo.memories.strategies.named import further_names, strategy_named
from memzoo.stores import ManagedStore
from memzoo.stores.base import managed
from memzoo.stores.checking import check
from memzoo.stores.opening import kinds
from memzoo.strategy import ModelBackedMemory
from memzoo.sync import drive

console = Terminal()

_PAGE = 1000


@command("Talk")
def list_known(
    *,
    store: Annotated[str, typer.Option(help="A store whose conversations to list, such as sqlite:///chat.db.")] = "",
    check_all: Annotated[
        bool, typer.Option("--check", help="Read everything in the store, and list the damage.")
    ] = False,
) -> None:
    """List all strategies and all kinds of stores that memzoo and installed packages offer.

    Each strategy is listed with its view, costs and needs.

    With --store, list the conversations in the store instead, each with its id, the number of messages, and the times
    of the first and the last message.
    """
    if check_all and not store:
        raise OptionError("--check needs a --store")
    if store:
        with closing(open_existing(store)) as opened:
            (_check if check_all else _list_conversations)(opened)
        return
    found = [(name, *_describe(name)) for name in (*STRATEGIES, *further_names())]
    if not console.is_terminal:
        for one in (*found, *kinds().items()):
            row(*one)
        return
    wide = max(len(name) for name, *_ in found)
    for name, class_name, about, costs, needs in found:
        console.print(f"[bold]{escape(name):{wide}}[/]  {escape(class_name)}", highlight=False)
        told = {"Shows": about, "Costs": costs, "Needs": needs}
        lines = "\n".join(f"[dim]{label}:[/] {escape(text)}" for label, text in told.items() if text)
        console.print(Padding(lines, (0, 0, 1, 2)), highlight=False)
    console.print("[bold]Stores[/]", highlight=False)
    lines = "\n".join(f"{escape(kind)}\n  [dim]{escape(meaning)}[/]" for kind, meaning in kinds().items())
    console.print(Padding(lines, (0, 0, 1, 2)), highlight=False)


def _list_conversations(store: ManagedStore) -> None:
    damaged = 0
    for id_ in _find_ids(managed(store, "conversations")):
        try:
            first, last = drive(store.read(id_, limit=1)), drive(store.read(id_, limit=1, newest=True))
            row(id_, write_count(drive(store.count(id_)), "message"), *map(show_time, (*first, *last)))
        except StoreError as error:
            damaged += 1
            row(id_, str(error))
    if damaged:
        are = "is" if damaged == 1 else "are"
        raise StoreError(f"{write_count(damaged, 'conversation')} {are} damaged; --check lists all damage")


def _find_ids(store: ManagedStore) -> Iterator[str]:
    after = None
    while ids := drive(store.conversations(after=after, limit=_PAGE)):
        yield from ids
        after = ids[-1]


def _check(store: ManagedStore) -> None:
    found = check(store)
    for line in found:
        row(line)
    if found:
        raise StoreError(f"found {write_count(len(found), 'problem')}; export the readable parts, restore the rest")
    echo("Everything can be read.")


def _describe(name: str) -> tuple[str, str, str, str]:
    """Return a strategy's class name, view, costs and needs; for an unloadable strategy, only the error's text."""
    try:
        strategy = strategy_named(name)
    except PluginError as error:
        return "", str(error), "", ""
    text = inspect.getdoc(strategy) or ""
    costs, needs = (re.search(rf"^{label}: (.*?)\.?$", text, re.MULTILINE) for label in ("Costs", "Needs"))
    default = "a model" if issubclass(strategy, ModelBackedMemory) else "nothing"
    about = text.partition("\n")[0].removeprefix("Shows ").removesuffix(".")
    return strategy.__name__, about, costs[1] if costs else "", needs[1] if needs else default


@command("Serving")
def serve_offline(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 picks a free one.")] = 8399,
) -> None:
    """Serve the offline model to any OpenAI client, until you stop it with Ctrl-C."""
    from memzoo.memories.models.offline.serving import serve_forever

    try:
        serve_forever(port=port, ready=lambda url: console.print(f"offline model at base_url {url} (Ctrl-C ends)"))
    except OSError as error:
        raise OptionError.of_port(port, error) from error
