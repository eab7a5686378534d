"""Prints text from users, models, stores and files, with terminal control characters escaped."""

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

# Without a terminal, rich wraps lines at 80 characters, but programs that read the output need whole lines.
_UNWRAPPED = 10_000
_IN_ROW = {ord("\n"): "\\n", ord("\t"): "\\t"}


class Terminal(Console):
    """A console that colours and wraps text on a terminal, and escapes control characters in the text."""

    def __init__(self, **options: Any) -> None:
        """Make a console with the options of `rich.console.Console`."""
        super().__init__(**options)
        if not self.is_terminal and "width" not in options:
            self.width = _UNWRAPPED

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Return text with control characters escaped.

        All output passes through this method before colours are added.
        """
        for one in super().render(renderable, options):
            yield one if one.control else one._replace(text=visible(one.text))


def echo(text: str, *, nl: bool = True, err: bool = False) -> None:
    """Print text, which may have several lines."""
    typer.echo(visible(text), nl=nl, err=err)


def row(*cells: object) -> None:
    """Print cells separated by tabs. Tabs and line ends in a cell are escaped."""
    typer.echo("\t".join(_cells(cells)))


def confirm(question: str, *, yes: bool) -> None:
    """Ask the user a question, unless `yes` is true. Raise `typer.Abort` if the answer is no."""
    if not yes:
        typer.confirm("".join(_cells([question])), abort=True)


def tell(label: str, text: str) -> None:
    """Print a label such as "[bold red]error:[/]" and a text to standard error."""
    Terminal(stderr=True, soft_wrap=True, highlight=False).print(f"{label} {escape(text)}")


def _cells(values: Iterable[object]) -> Iterator[str]:
    return (visible(str(value)).translate(_IN_ROW) for value in values)


def progress_bars(*columns: "ProgressColumn") -> "Progress":
    """Return progress bars, which are shown only on a terminal and disappear at the end.

    Output printed meanwhile appears above the bars.

    Args:
        *columns: The columns; by default a description, a bar, the percentage done and the time left.
    """
    from rich.progress import Progress

    console = Terminal(stderr=True)
    return Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal, redirect_stdout=sys.stdout.isatty()
    )


@contextmanager
def bar(what: str) -> Generator[Callable[[int, int | None], None]]:
    """Show a progress bar while the `with` block runs, and yield a function that sets the amount done and the total.

    `what` is the description beside the bar.
    """
    with progress_bars() as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


class _LogFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return visible(super().format(record))


def show_logs() -> None:
    """Print logged warnings, with control characters escaped."""
    handler = logging.StreamHandler()
    handler.setFormatter(_LogFormatter())
    logging.basicConfig(handlers=[handler], level=logging.WARNING)
