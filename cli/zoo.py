"""The commands that show the zoo and serve its offline model."""

import inspect
import re
from typing import Annotated

import typer
from rich.markup import escape
from rich.padding import Padding

from memzoo.cli.options import command
from memzoo.cli.terminal import Terminal, row
from memzoo.errors import OptionError, PluginError
from memzoo.memories import STRATEGIES
from memzoo.strategy import ModelBackedMemory, further_names, strategy_named

__all__ = ["list_strategies", "serve_offline"]

console = Terminal()


@command("Talk")
def list_strategies() -> None:
    """List every strategy, those of installed packages too: what each one shows, costs and needs."""
    found = [(name, *_describe(name)) for name in (*STRATEGIES, *further_names())]
    if not console.is_terminal:
        for one in found:
            row(*one)
        return
    wide = max(len(name) for name, *_ in found)
    for name, class_name, about, costs, needs in found:
        console.print(f"[bold]{escape(name):{wide}}[/]  {escape(class_name)}", highlight=False)
        told = {"Shows": about, "Costs": costs, "Needs": needs}
        lines = "\n".join(f"[dim]{label}:[/] {escape(text)}" for label, text in told.items() if text)
        console.print(Padding(lines, (0, 0, 1, 2)), highlight=False)


def _describe(name: str) -> tuple[str, str, str, str]:
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


@command("Serving")
def serve_offline(
    host: Annotated[
        str, typer.Option(help="Address to listen on; by default only this machine can connect.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 picks a free one.")] = 8399,
) -> None:
    """Serve the offline model to any OpenAI client, until you stop it with Ctrl-C."""
    from memzoo.memories.models.offline import serve_forever

    try:
        serve_forever(host, port, lambda url: console.print(f"offline model at base_url {url} (Ctrl-C ends)"))
    except (OSError, TypeError, UnicodeError) as error:  # the last two of a name that can be no host's
        why = getattr(error, "strerror", None) or error
        raise OptionError(f"cannot listen on {host}, port {port}: {why}; try --port 0") from error
