"""The `memzoo` command: it finds its commands among the entry points of installed packages."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from memzoo.cli.options import panel_of
from memzoo.cli.terminal import echo, show_logs, tell
from memzoo.errors import MemoryZooError, PluginError
from memzoo.plugins import loaded, plugins

__all__ = ["COMMANDS", "app", "main"]

COMMANDS = "memzoo.commands"
"""The group of entry points to which a package adds a command: its name, and a function or a `typer.Typer`."""

_HELP = {"help_option_names": ["-h", "--help"]}


class _Commands(Mapping[str, Any]):
    """The commands by name, each loaded when it is asked for: who serves a memory need not load the comparison."""

    def __getitem__(self, name: str) -> Any:
        for plugin in plugins(COMMANDS):
            if plugin.name == name:
                try:
                    return _make_command(name, loaded(plugin))
                except PluginError as error:
                    return _broken(name, error)
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (plugin.name for plugin in plugins(COMMANDS))

    def __len__(self) -> int:
        return len(plugins(COMMANDS))


class _Group(TyperGroup):
    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands: Any = _Commands()


app = typer.Typer(
    cls=_Group,
    help="Seven classic ways for a chatbot to remember, behind one interface, measured on your own conversations.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings=_HELP,
)


def _make_command(name: str, given: Callable[..., None] | typer.Typer) -> Any:
    if not isinstance(given, typer.Typer):
        function, given = given, typer.Typer(add_completion=False, context_settings=_HELP)
        given.command(name, rich_help_panel=panel_of(function))(function)
    made = typer.main.get_command(given)
    made.name = name
    return made


def _broken(name: str, error: PluginError) -> Any:
    """A command that can only say why it cannot be loaded; the others work."""

    def fail() -> None:
        raise error

    fail.__doc__ = str(error)
    return _make_command(name, fail)


def main() -> None:
    """Run the command. Whatever goes wrong is told in one line, and the exit code is 2; see docs/commands.md."""
    show_logs()
    try:
        code = app(standalone_mode=False)
    except typer.Abort:
        code = _tell_error("nothing was done", code=1)
    except Exception as error:  # what is wrong with the arguments too, as typer tells it
        if (line := _line(error)) is None:
            raise
        code = _tell_error(line, code=2)
    raise SystemExit(code)


def _line(error: Exception) -> str | None:
    """An error as a line; `None` for one that only a mistake of ours can be."""
    if isinstance(error, OSError):
        return f"{error.filename or ''}: {error.strerror or error}".removeprefix(": ")
    if isinstance(error, MemoryZooError):
        return str(error)
    told = getattr(error, "format_message", None)
    return told and str(told())


def _tell_error(line: str, code: int) -> int:
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
