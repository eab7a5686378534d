"""The `memzoo` command: the zoo, a comparison, a conversation, its graph, stores, the offline model as a server."""

import uuid
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from memzoo.memories.chat.conversation import Conversation
from memzoo.memories.cli.stores import Counter, counter_name, existing_store, unlocked_store, write
from memzoo.memories.cli.stores import app as store_commands
from memzoo.memories.graph.export import FORMATS, export, stored_graph
from memzoo.memories.registry import STRATEGIES, create_memory, further_names, strategy_named
from memzoo.memories.strategies.model_backed import ModelBackedMemory
from memzoo.stores import ManagedStore
from memzoo.stores.driving import drive
from memzoo.stores.errors import MemoryZooError, ModelError, OptionError

__all__ = ["app", "main"]

app = typer.Typer(
    help="Seven classic ways for a chatbot to remember, behind one interface, measured on your own conversations.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(store_commands)
console = Console()

ModelName = Annotated[str, typer.Option("--model", help="A model of your endpoint (OPENAI_API_KEY), or 'offline'.")]


def main() -> None:
    """Run the command; an error that memzoo foresees is one line, not a traceback."""
    try:
        app()
    except MemoryZooError as error:
        Console(stderr=True).print(f"[bold red]error:[/] {escape(str(error))}", soft_wrap=True)
        raise SystemExit(2) from error


def _print_version(wanted: bool) -> None:  # noqa: FBT001 - typer calls it
    if wanted:
        from importlib.metadata import version

        typer.echo(f"memzoo {version('memzoo')}")
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[  # noqa: FBT002
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    """Take the options that stand before a command."""


@app.command("list")
def list_strategies() -> None:
    """Show the zoo, one line for each strategy: the seven, further ones, and those of installed packages."""
    for name in [*STRATEGIES, *further_names()]:
        try:
            strategy = strategy_named(name)
        except OptionError as error:
            line = f"[red]{escape(str(error))}[/]"
        else:
            about = (strategy.__doc__ or "").partition("\n")[0].removeprefix("Shows ")
            line = f"{strategy.__name__:32}{escape(about)}"
        console.print(f"[bold]{name:19}[/]{line}", soft_wrap=True, highlight=False)


@app.command()
def compare(
    transcript: Annotated[
        Path | None,
        typer.Argument(help="Chat messages as JSON or JSONL, or LoCoMo's format; else a bundled sample."),
    ] = None,
    memory: Annotated[list[str] | None, typer.Option(help="A strategy to compare; repeat it. All by default.")] = None,
    model: ModelName = "offline",
    budget: Annotated[int, typer.Option(min=1, help="Tokens that a memory may show the model.")] = 1000,
    out: Annotated[Path, typer.Option(help="Folder for results.json and report.html.")] = Path("memzoo-compare"),
    price_in: Annotated[float, typer.Option(min=0, help="Price of a million prompt tokens.")] = 0.0,
    price_out: Annotated[float, typer.Option(min=0, help="Price of a million completion tokens.")] = 0.0,
    counter: Counter = None,
) -> None:
    """Compare strategies on a conversation: what each remembers, what it costs, how slow it is."""
    from memzoo.benchmarks.running import run_comparison

    prices = (price_in, price_out) if price_in or price_out else None
    run_comparison(
        transcript,
        memory or [],
        model=model,
        budget=budget,
        out=out,
        prices=prices,
        token_counter=counter,
        console=console,
    )


@app.command()
def chat(
    memory: Annotated[str, typer.Option(help="The strategy.")] = "summary-buffer",
    model: ModelName = "offline",
    store: Annotated[
        str, typer.Option(help="Where to keep the conversation, such as sqlite:///chat.db.")
    ] = "memory://",
    conversation: Annotated[str, typer.Option(help="Which conversation of the store to go on with.")] = "",
    counter: Counter = None,
) -> None:
    """Talk to a model that remembers. With a store, the conversation goes on after a restart."""
    asks_model = issubclass(strategy_named(memory), ModelBackedMemory)
    options = {"llm": model} if asks_model else {}
    with closing(unlocked_store(store)) as opened:
        remembered = create_memory(
            memory,
            store=opened,
            conversation_id=conversation or _only_conversation(opened),
            on_model_error="defer",
            token_counter=counter_name(counter, model),
            **options,
        )
        console.print(
            f"[dim]{type(remembered).__name__}, model {model}, conversation {remembered.conversation_id}, "
            f"{len(remembered.history())} messages so far. /memory shows what the model sees, /quit ends.[/]"
        )
        _converse(Conversation(model, remembered, on_failure="rollback"), model)


@app.command("graph")
def show_graph(
    store: Annotated[str, typer.Option(help="Where the conversation is kept, such as sqlite:///chat.db.")],
    conversation: Annotated[str, typer.Option(help="Which conversation of the store, if it has several.")] = "",
    form: Annotated[str, typer.Option("--format", help=f"One of {', '.join(FORMATS)}.")] = "text",
    history: Annotated[bool, typer.Option("--history", help="Superseded facts too.")] = False,  # noqa: FBT002
    out: Annotated[Path | None, typer.Option(help="A file to write; otherwise it is printed.")] = None,
) -> None:
    """Write the facts of a stored conversation as text, a picture, or for another program. Asks no model."""
    with closing(existing_store(store)) as opened:
        if not drive(opened.conversations()):
            raise OptionError(f"the store has no conversation yet: {store}")
        found = drive(stored_graph(opened, conversation or _only_conversation(opened)))
    text = export(found.graph, form, history=history)
    if out:
        write(out, [text])
    else:
        typer.echo(text, nl=False)
    if found.behind:
        typer.echo(f"From the newest {found.behind} messages no facts were taken yet.", err=True)


@app.command("serve-offline")
def serve_offline(
    host: Annotated[str, typer.Option(help="Address to listen on; only this machine by default.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 8399,
) -> None:
    """Serve the offline model to any OpenAI client, until interrupted."""
    from memzoo.memories.models.offline import serve_forever

    try:
        serve_forever(host, port, lambda url: console.print(f"offline model at base_url {url} (Ctrl-C ends)"))
    except OSError as error:
        raise OptionError(f"cannot listen on {host}, port {port}: {error.strerror}; try --port 0") from error


def _only_conversation(store: ManagedStore) -> str:
    known = drive(store.conversations())
    if len(known) > 1:
        raise OptionError(f"the store has several conversations; choose one with --conversation: {', '.join(known)}")
    return known[0] if known else uuid.uuid4().hex


def _converse(conversation: Conversation, model: str) -> None:
    while (line := _read_line()) is not None:
        if line == "/memory":
            console.print_json(data=conversation.memory.messages())
        elif line:
            _take_turn(conversation, model, line)


def _read_line() -> str | None:
    try:
        line = console.input("[bold]you:[/] ").strip()
    except (EOFError, KeyboardInterrupt):
        return None
    return None if line == "/quit" else line


def _take_turn(conversation: Conversation, model: str, line: str) -> None:
    console.print(f"[bold]{escape(model)}:[/] ", end="")
    try:
        for piece in conversation.stream(line):
            console.print(piece, end="", soft_wrap=True, markup=False, highlight=False)
        console.print()
    except ModelError as error:
        console.print(f"[red]{escape(str(error))}[/]")
