"""Prints texts of users, models, stores and files as plain text, never as commands to the terminal."""

import logging
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.segment import Segment

from memzoo.text import visible

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

__all__ = ["Terminal", "bar", "confirm", "echo", "progress_bars", "row", "show_logs", "tell"]

# Off a terminal rich takes a line for 80 characters; programs that read lines want them whole.
_UNWRAPPED = 10_000
_IN_ROW = {ord("\n"): "\\n", ord("\t"): "\\t"}


class Terminal(Console):
    """A console that colours and wraps on a terminal, and gives it no other commands than its own."""

    def __init__(self, **options: Any) -> None:
        """A console with the options of `rich.console.Console`."""
        super().__init__(**options)
        if not self.is_terminal and "width" not in options:
            self.width = _UNWRAPPED

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """See `Console.render`: all that is printed comes from here, before colours are added."""
        for one in super().render(renderable, options):
            yield one if one.control else one._replace(text=visible(one.text))


def echo(text: str, *, nl: bool = True, err: bool = False) -> None:
    """Print text that may have lines."""
    typer.echo(visible(text), nl=nl, err=err)


def row(*cells: object) -> None:
    """Print cells with tabs between them; nothing in a cell can begin another one, or another row."""
    typer.echo("\t".join(_cells(cells)))


def confirm(question: str, *, yes: bool) -> None:
    """Ask, unless the answer is `yes` already, and raise `typer.Abort` if it is no."""
    if not yes:
        typer.confirm("".join(_cells([question])), abort=True)


def tell(label: str, text: str) -> None:
    """Print a text behind a label such as "[bold red]error:[/]", beside the output."""
    Terminal(stderr=True, soft_wrap=True, highlight=False).print(f"{label} {escape(text)}")


def _cells(values: Iterable[object]) -> Iterator[str]:
    return (visible(str(value)).translate(_IN_ROW) for value in values)


def progress_bars(*columns: "ProgressColumn") -> "Progress":
    """Bars on a terminal, gone when they are done; other output appears above them. Without a terminal, none.

    Args:
        *columns: Their columns; by default a description, a bar, its share and the remaining time.
    """
    from rich.progress import Progress

    console = Terminal(stderr=True)
    return Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal, redirect_stdout=sys.stdout.isatty()
    )


@contextmanager
def bar(what: str) -> Generator[Callable[[int, int | None], None]]:
    """One bar; gives a function to report the work done and the total."""
    with progress_bars() as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


class _LogFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return visible(super().format(record))


def show_logs() -> None:
    """Write warnings that are logged so that a terminal shows them."""
    handler = logging.StreamHandler()
    handler.setFormatter(_LogFormatter())
    logging.basicConfig(handlers=[handler], level=logging.WARNING)
