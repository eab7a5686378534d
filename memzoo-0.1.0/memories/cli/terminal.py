"""Prints what users, models and stores say: as text, never as commands to the terminal."""

import logging
import re

import typer

__all__ = ["echo", "row", "show_logs", "shown"]

# Controls of the terminal, and characters that turn the direction of a line, or end it, unseen.
_UNSEEN = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_IN_ROW = {ord("\n"): "\\n", ord("\t"): "\\t"}


def shown(text: str) -> str:
    r"""Write what would do something to a terminal as an escape of JSON; line ends and tabs stay.

    Example:
        >>> shown("\x1b[2Jdone\r\n")
        '\\u001b[2Jdone\n'
    """
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text.replace("\r\n", "\n"))


def echo(text: str, *, nl: bool = True, err: bool = False) -> None:
    """Print text that may have lines."""
    typer.echo(shown(text), nl=nl, err=err)


def row(*cells: object) -> None:
    """Print cells with tabs between them; nothing in a cell can begin another one, or another row."""
    typer.echo("\t".join(shown(str(cell)).translate(_IN_ROW) for cell in cells))


class _LogFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return shown(super().format(record))


def show_logs() -> None:
    """Write warnings that are logged so that a terminal shows them."""
    handler = logging.StreamHandler()
    handler.setFormatter(_LogFormatter())
    logging.basicConfig(handlers=[handler], level=logging.WARNING)
