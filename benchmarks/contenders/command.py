"""The commands that list contenders and make their environments."""

from typing import Annotated

import typer

from memzoo.benchmarks.contenders import environments
from memzoo.benchmarks.contenders.known import adapters, find_adapter
from memzoo.cli.terminal import echo, row

__all__ = ["app"]

app = typer.Typer(
    name="contenders",
    help="Memories of other libraries, for `memzoo compare --with`, each in an environment of its own.",
    no_args_is_help=True,
    add_completion=False,
    rich_help_panel="Compare",
)


@app.command("list")
def list_contenders() -> None:
    """List the contenders, one way a line: name, environment, packages, and what is shown."""
    for adapter in adapters().values():
        state = "ready" if environments.is_installed(adapter) else "not installed"
        for name, way in adapter.ways.items():
            row(f"{adapter.name}/{name}", state, " ".join(adapter.requires), way.about)


@app.command("install")
def install_contenders(
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Contenders, or paths of adapter.py.")],
) -> None:
    """Make the environments of contenders, by venv and pip, in ~/.cache/memzoo/contenders or $MEMZOO_CONTENDERS."""
    for adapter in map(find_adapter, names):
        environments.install(adapter, echo)
        echo(f"{adapter.name}: ready")
