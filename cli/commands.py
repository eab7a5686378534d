"""The `memzoo` command: it finds its commands among the entry points of installed packages."""

import asyncio
import functools
import gc
import inspect
import os
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from memzoo.cli.options import shown_as
from memzoo.cli.terminal import echo, show_logs, tell
from memzoo.errors import MemoryZooError, PluginError
from memzoo.plugins import load_plugin, make_plugin_error, plugins_by_name

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["COMMANDS", "app", "main"]

COMMANDS = "memzoo.commands"
"""The group of entry points to which a package adds a command: its name, and a function or a `typer.Typer`."""

_PANELS = ("Talk", "Compare", "Stored data", "Replay tests", "Serving", "Migration")
_HELP = {"help_option_names": ["-h", "--help"]}


class _Commands(Mapping[str, Any]):
    """The commands by name, each loaded on demand: serving a memory need not load the comparison."""

    def __getitem__(self, name: str) -> Any:
        plugin = plugins_by_name(COMMANDS)[name]
        try:
            return _load_command(plugin)
        except PluginError as error:
            return _make_stand_in(name, error)

    def __iter__(self) -> Iterator[str]:
        return iter(plugins_by_name(COMMANDS))

    def __len__(self) -> int:
        return len(plugins_by_name(COMMANDS))


class _UntypedFlags:
    """Hides `<bool>` in the help of flags, because users type no value."""

    def get_params(self, ctx: Any) -> list[Any]:
        """See click's `Command`: the options, that for help among them."""
        base: Any = super()
        params: list[Any] = base.get_params(ctx)
        for one in params:
            if getattr(one, "is_flag", False):
                one.metavar = ""
        return params


class _Command(_UntypedFlags, TyperCommand): ...


class _Subgroup(_UntypedFlags, TyperGroup): ...


class _Group(_Subgroup):
    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands: Any = _Commands()

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """See click's `Command`: the commonest command first."""
        listed = dict(self.commands)
        places = {panel: place for place, panel in enumerate(_PANELS)}
        panels = {name: places.get(str(one.rich_help_panel), len(places)) for name, one in listed.items()}
        self.commands = {name: listed[name] for name in sorted(listed, key=panels.__getitem__)}
        super().format_help(ctx, formatter)


app = typer.Typer(
    cls=_Group,
    help="Seven classic ways for a chatbot to remember, behind one interface, measured on your own conversations.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings=_HELP,
)


def _load_command(plugin: "EntryPoint") -> Any:
    given = load_plugin(plugin)
    try:
        return _wrap_async(_make_command(plugin.name, given))
    except Exception as error:  # whatever typer has against it
        raise make_plugin_error(plugin, f"is neither a function nor a typer.Typer that can be run: {error}") from error


def _make_command(name: str, given: Callable[..., Any] | typer.Typer) -> Any:
    if not isinstance(given, typer.Typer):
        function, given = given, typer.Typer(add_completion=False, context_settings=_HELP)
        given.command(name, **shown_as(function))(function)
    for one in given.registered_commands:
        one.cls = _Command if one.cls in (None, TyperCommand) else one.cls
    if not isinstance(given.info.cls, type):  # none was named
        given.info.cls = _Subgroup
    made: Any = typer.main.get_command(given)
    made.name = name
    made.rich_help_panel = made.rich_help_panel or given.rich_help_panel  # typer reads it of nested groups only
    return made


def _wrap_async(made: Any) -> Any:
    """A command that may be an `async def`; runs it to its end in an event loop of its own."""
    call = made.callback

    def run(*given: Any, **options: Any) -> Any:
        result = call(*given, **options)
        return asyncio.run(result) if inspect.iscoroutine(result) else result

    if call:
        made.callback = functools.update_wrapper(run, call)
    for one in getattr(made, "commands", {}).values():
        _wrap_async(one)
    return made


def _make_stand_in(name: str, error: PluginError) -> Any:
    """A command that can only say why it cannot be loaded; the others work."""

    def fail() -> None:
        raise error

    fail.__doc__ = str(error)
    return _make_command(name, fail)


def main() -> None:
    """Run the command. Any error becomes one line, with exit code 2; see docs/commands.md."""
    # What is imported stays: to look through it for garbage again and again takes a fifth of the time of a start.
    gc.set_threshold(50_000, 20, 20)
    show_logs()
    # A search works with small matrices: threads that share one wait for each other longer than they work.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
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
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Take the options that stand before a command."""
