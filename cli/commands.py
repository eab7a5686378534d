"""The `memzoo` command, which finds its subcommands among the entry points of installed packages."""

import asyncio
import atexit
import functools
import gc
import inspect
import os
import re
import sys
import warnings
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

COMMANDS = "memzoo.commands"
"""The entry point group for commands. An entry has the command's name, and refers to a function or a `typer.Typer`."""

_PANELS = ("Talk", "Compare", "Stored data", "Replay tests", "Serving", "Migration")
_HELP = {"help_option_names": ["-h", "--help"]}


class _Commands(Mapping[str, Any]):
    """The commands by name. A command is loaded only when needed: serving a memory does not import the benchmarks."""

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
    """A command whose help shows flags without the type `<bool>`, because a flag takes no value."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the command's parameters, with the option --help, as click's `Command` does."""
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
        """Write the help, with commands in the order of their panels."""
        listed = dict(self.commands)
        places = {panel: place for place, panel in enumerate(_PANELS)}
        panels = {name: places.get(str(one.rich_help_panel), len(places)) for name, one in listed.items()}
        self.commands = {name: listed[name] for name in sorted(listed, key=panels.__getitem__)}
        super().format_help(ctx, formatter)


app = typer.Typer(
    cls=_Group,
    help="Seven classic ways for a chatbot to remember, behind one interface, measured on your own conversations.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings=_HELP,
)


def _load_command(plugin: "EntryPoint") -> Any:
    given = load_plugin(plugin)
    try:
        return _wrap_async(_make_command(plugin.name, given))
    except Exception as error:  # typer raises many types
        raise make_plugin_error(plugin, f"is neither a function nor a typer.Typer that can be run: {error}") from error


def _make_command(name: str, given: Callable[..., Any] | typer.Typer) -> Any:
    if not isinstance(given, typer.Typer):
        function, given = given, typer.Typer(add_completion=False, context_settings=_HELP)
        given.command(name, **shown_as(function))(function)
    for one in given.registered_commands:
        one.cls = _Command if one.cls in (None, TyperCommand) else one.cls
    if not isinstance(given.info.cls, type):  # no class was given
        given.info.cls = _Subgroup
    made: Any = typer.main.get_command(given)
    made.name = name
    made.rich_help_panel = made.rich_help_panel or given.rich_help_panel  # typer reads only nested groups' panels
    return made


def _wrap_async(made: Any) -> Any:
    """Return the command, with its `async def` functions run in an event loop."""
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
    """Return a command that only raises the error, so that the other commands still work."""

    def fail() -> None:
        raise error

    fail.__doc__ = str(error)
    return _make_command(name, fail)


def main() -> None:
    """Run the `memzoo` command. After an error, print it in one line, and exit with 2; see docs/commands.md."""
    # Imported modules are never garbage; collecting less often saves a fifth of the start-up time.
    gc.set_threshold(400_000, 20, 20)
    # Nor does the end of the process need a last collection, which would take a quarter of a second.
    atexit.register(gc.freeze)
    show_logs()
    if change := getattr(sys.stdout, "reconfigure", None):  # another program's stream may not have it
        change(errors="backslashreplace")  # the encoding of a pipe on Windows lacks most letters
    # Without its place in the code.
    warnings.showwarning = lambda message, *_place: tell("[yellow]warning:[/]", str(message))
    # A search uses small matrices, for which several threads wait for each other longer than they work.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        code = app(standalone_mode=False)
    except typer.Abort:
        code = _tell_error("nothing was done", code=1)
    except Exception as error:  # includes typer's errors about arguments
        if (line := _line(error)) is None:
            raise
        code = _tell_error(line, code=2)
    raise SystemExit(code)


def _line(error: Exception) -> str | None:
    """Return an error as one line; `None` if the error can only be a bug in memzoo."""
    if isinstance(error, OSError):
        return f"{error.filename or ''}: {error.strerror or error}".removeprefix(": ")
    if isinstance(error, MemoryZooError):
        return str(error)
    told = getattr(error, "format_message", None)
    if told is None:
        return None
    line = re.sub("Value error, |, unable to parse .*", "", str(told()))  # pydantic writes these around the reason
    # Unlike the commands' own reasons, pydantic's does not name the value.
    found: list[dict[str, Any]] = getattr(error.__context__, "errors", list)()
    return line + "".join(f", not {one['input']!r}" for one in found if one["type"] != "value_error")


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
    """Handle the options before a command's name."""
