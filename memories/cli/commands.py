"""The `memzoo` command: all that it can do, and how it ends."""

import inspect
import re
from collections.abc import Callable
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Column, Table

from memzoo.memories.cli.cassettes import app as cassette_commands
from memzoo.memories.cli.chat import chat
from memzoo.memories.cli.compare import compare, questions
from memzoo.memories.cli.deleting import forget, relearn, retain, scrub
from memzoo.memories.cli.mcp import mcp
from memzoo.memories.cli.migrate import migrate
from memzoo.memories.cli.options import with_options
from memzoo.memories.cli.stores import export_lines, history, import_lines, list_stores, show, show_graph, show_state
from memzoo.memories.cli.terminal import Terminal, echo, row, show_logs, tell
from memzoo.memories.registry import STRATEGIES, further_names, strategy_named
from memzoo.memories.strategies.model_backed import ModelBackedMemory
from memzoo.stores.errors import MemoryZooError, OptionError, PluginError

__all__ = ["app", "main"]

app = typer.Typer(
    help="Seven classic ways for a chatbot to remember, behind one interface, measured on your own conversations.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
console = Terminal()


def main() -> None:
    """Run the command. Whatever goes wrong is told in one line, and the exit code is 2; see docs/commands.md."""
    show_logs()
    try:
        code = app(standalone_mode=False)
    except typer.Abort:
        code = _told("nothing was done", code=1)
    except Exception as error:  # what is wrong with the arguments too, as typer tells it
        if (line := _line(error)) is None:
            raise
        code = _told(line, code=2)
    raise SystemExit(code)


def _line(error: Exception) -> str | None:
    """An error as a line; `None` for one that only a mistake of ours can be."""
    if isinstance(error, OSError):
        return f"{error.filename or ''}: {error.strerror or error}".removeprefix(": ")
    if isinstance(error, MemoryZooError):
        return str(error)
    told = getattr(error, "format_message", None)
    return told and str(told())


def _told(line: str, code: int) -> int:
    if line := re.sub(r"\s*\n\s*", " ", line.strip()):
        tell("[bold red]error:[/]", line)
    return code


def _print_version(wanted: bool) -> None:  # noqa: FBT001 - typer calls it
    if wanted:
        from importlib.metadata import version

        echo(f"memzoo {version('memzoo')}")
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[  # noqa: FBT002
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    """Take the options that stand before a command."""


def list_strategies() -> None:
    """Show the zoo: the seven, further ones, and those of installed packages; what each shows, costs and needs."""
    found = [(name, *_described(name)) for name in (*STRATEGIES, *further_names())]
    if not console.is_terminal:
        for one in found:
            row(*one)
        return
    table = Table(Column("strategy", no_wrap=True), "shows", "costs", "needs", box=None, padding=(0, 2, 1, 0))
    for name, class_name, *cells in found:
        table.add_row(f"[bold]{escape(name)}[/]\n{escape(class_name)}", *map(escape, cells))
    console.print(table)


def _described(name: str) -> tuple[str, str, str, str]:
    """The class of a strategy, what it shows, costs and needs; or why it cannot be loaded."""
    try:
        strategy = strategy_named(name)
    except PluginError as error:
        return "", str(error), "", ""
    text = inspect.getdoc(strategy) or ""
    costs, needs = (re.search(rf"^{label}: (.*?)\.?$", text, re.MULTILINE) for label in ("Costs", "Needs"))
    default = "a model" if issubclass(strategy, ModelBackedMemory) else "nothing"
    about = text.partition("\n")[0].removeprefix("Shows ").removesuffix(".")
    return strategy.__name__, about, costs[1] if costs else "", needs[1] if needs else default


def serve_offline(
    host: Annotated[str, typer.Option(help="Address to listen on; only this machine by default.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 8399,
) -> None:
    """Serve the offline model to any OpenAI client, until interrupted."""
    from memzoo.memories.models.offline import serve_forever

    try:
        serve_forever(host, port, lambda url: console.print(f"offline model at base_url {url} (Ctrl-C ends)"))
    except (OSError, TypeError, UnicodeError) as error:  # the last two of a name that can be no host's
        why = getattr(error, "strerror", None) or error
        raise OptionError(f"cannot listen on {host}, port {port}: {why}; try --port 0") from error


# In the order in which the help shows them.
_COMMANDS: dict[str, Callable[..., None]] = {
    "list": list_strategies,
    "compare": compare,
    "questions": questions,
    "graph": show_graph,
    "serve-offline": serve_offline,
    "chat": chat,
    "stores": list_stores,
    "history": history,
    "show": show,
    "state": show_state,
    "export": export_lines,
    "import": import_lines,
    "forget": forget,
    "retain": retain,
    "scrub": scrub,
    "migrate": migrate,
    "mcp": mcp,
    "relearn": relearn,
}
for _name, _command in _COMMANDS.items():
    app.command(_name)(with_options(_command))
app.add_typer(cassette_commands)
