"""Writes tables in Markdown with aligned columns, for terminals and pages."""

from collections.abc import Iterable, Sequence

import typer

from memzoo.benchmarks.measure.statistics import interval


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], title: str = "") -> str:
    """Return a table in Markdown. The first column has text; the others have figures.

    Example:
        >>> print(table(["who", "count"], [["Ann", "3"]], "Apples"))
        **Apples**
        <BLANKLINE>
        | who | count |
        |:----|------:|
        | Ann |     3 |
    """
    cells = [list(heads), *map(list, rows)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(heads))]
    lines = ["| " + " | ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) + " |" for row in cells]
    rule = "|".join([f":{'-' * (widths[0] + 1)}", *(f"{'-' * (width + 1)}:" for width in widths[1:])])
    return "\n".join([*([f"**{title}**", ""] if title else []), lines[0], f"|{rule}|", *lines[1:]])


def show(*texts: str) -> None:
    """Print texts unchanged, with a blank line between them."""
    typer.echo("\n\n".join(texts))


def mean_shown(values: Sequence[float]) -> str:
    """Return the mean of values with its 95% interval, as text.

    Example:
        >>> mean_shown([1, 1, 1, 0])
        '0.750 (0.250-1.000)'
    """
    known = interval(values)
    return f"{known.mean:.3f} ({known.low:.3f}-{known.high:.3f})" if known else ""
