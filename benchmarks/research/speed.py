"""How fast memzoo is beside other libraries: `make speed`, or `python -m memzoo.benchmarks.research speed`."""

import json
import platform
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fnmatch import fnmatch
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated

import typer

from memzoo.benchmarks.research.speed_profile import shares
from memzoo.benchmarks.research.speed_rows import MEMZOO, ROWS, Row
from memzoo.benchmarks.research.speed_timing import Place, Prepare, medians, once

__all__ = ["Figures", "markdown", "measure_row"]

_MILLISECOND, _SECOND = 1e-3, 1.0

_PROFILED, _SMALLEST = 50, 0.03
"""Calls in a sample of a profile, and the smallest share that is worth telling."""

_UNITS = (
    "CPU time of one call (all threads of the process), median of {samples} samples; the libraries take turns. "
    "A ratio is memzoo's time divided by the other library's: below 1, memzoo is faster."
)


@dataclass(frozen=True)
class Figures:
    """What one row gave.

    Attributes:
        row: The row.
        values: Seconds of CPU of one call, or a count, by library.
        profile: The shares of memzoo's CPU time, by function; empty if nobody asked for it.
    """

    row: Row
    values: Mapping[str, float]
    profile: Mapping[str, float] = field(default_factory=dict[str, float])

    def ratio(self, library: str) -> float:
        """Divide memzoo's figure by the library's."""
        return self.values[MEMZOO] / self.values[library]

    def write_value(self, value: float) -> str:
        """A figure with its unit."""
        if self.row.counts:
            return f"{value:.0f}"
        if value >= _SECOND:
            return f"{value:.1f} s"
        return f"{1e3 * value:.3g} ms" if value >= _MILLISECOND else f"{1e6 * value:.3g} us"


def speed(
    *,
    row: Annotated[list[str] | None, typer.Option(help="Only rows of this name (`buffer-*` for several).")] = None,
    samples: Annotated[int, typer.Option(help="Samples of each library in each row.", min=1)] = 21,
    slow: Annotated[bool, typer.Option("--slow", help="Run also what takes a peer minutes.")] = False,
    profile: Annotated[bool, typer.Option("--profile", help="Tell also where memzoo's time goes.")] = False,
    out: Annotated[Path | None, typer.Option(help="Folder for speed.md and speed.json.")] = None,
) -> None:
    """Print memzoo's CPU times beside those of the libraries that do the same work and are installed."""
    wanted = [one for one in ROWS if not row or any(fnmatch(one.name, pattern) for pattern in row)]
    if not wanted:
        raise typer.BadParameter(f"no row matches; there are {', '.join(one.name for one in ROWS)}")
    found: list[Figures] = []
    for one in wanted:
        typer.echo(one.name, err=True)
        found.append(measure_row(one, samples, slow=slow, profile=profile))
    text = markdown(found, samples)
    typer.echo(text)
    if out:
        out.mkdir(parents=True, exist_ok=True)
        (out / "speed.md").write_text(text + "\n", encoding="utf-8")
        (out / "speed.json").write_text(json.dumps(_as_json(found, samples), indent=2) + "\n", encoding="utf-8")


def measure_row(row: Row, samples: int, *, slow: bool = False, profile: bool = False) -> Figures:
    """Measure one row; a library that is not installed is left out."""
    values: dict[str, float] = {}
    told: Mapping[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        place = Place(Path(folder))
        with place.stack:
            works: dict[str, Prepare] = {}
            for library, make in row.makers.items():
                with suppress(ModuleNotFoundError):
                    works[library] = make(place)
            for library, count in row.counts.items():
                with suppress(ModuleNotFoundError):
                    values[library] = count(place)
            if works:
                values |= medians(works, samples, row.most)
            if slow:
                values |= _once(row, place)
            if profile and works:
                # Work that needs a preparation each time is looked at call by call.
                told = shares(works[MEMZOO], 1 if row.most == 1 else _PROFILED)
    return Figures(row, values, told)


def markdown(found: Sequence[Figures], samples: int) -> str:
    """The figures as a Markdown table, with what they mean above it."""
    libraries = list(dict.fromkeys(name for one in found for name in one.values if name != MEMZOO))
    titles = ["work", MEMZOO, *(title for name in libraries for title in (name, "ratio")), "target"]
    lines = [_about(libraries), "", _UNITS.format(samples=samples), "", _line(titles), _line(_rule(len(titles)))]
    for one in found:
        beside = [cell for name in libraries for cell in _beside(one, name)]
        ours, target = one.write_value(one.values[MEMZOO]), one.write_value(one.row.target)
        lines.append(_line([one.row.title, ours, *beside, target]))
    for one in found:
        if one.profile:
            told = ", ".join(f"{share:.0%} `{name}`" for name, share in one.profile.items() if share >= _SMALLEST)
            lines += ["", f"**{one.row.title}**: {told}"]
    return "\n".join(lines)


def _once(row: Row, place: Place) -> dict[str, float]:
    """Figures of one sample each, without warming up, of libraries that take minutes."""
    values: dict[str, float] = {}
    for library, make in row.slow.items():
        with suppress(ModuleNotFoundError):
            values[library] = once(make(place))
    return values


def _beside(one: Figures, library: str) -> tuple[str, str]:
    if library not in one.values:
        return "", ""
    return one.write_value(one.values[library]), f"{one.ratio(library):.2g}"


def _about(libraries: Sequence[str]) -> str:
    named = [f"{name} {_version(name)}" for name in (MEMZOO, *libraries)]
    return f"{', '.join(named)}; Python {platform.python_version()}, {platform.system()} {platform.machine()}."


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "of an unknown version"


def _rule(columns: int) -> list[str]:
    return ["---", *["--:"] * (columns - 1)]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _as_json(found: Sequence[Figures], samples: int) -> dict[str, object]:
    rows = [
        {
            "name": one.row.name,
            "title": one.row.title,
            "unit": "calls" if one.row.counts else "seconds of CPU",
            "target": one.row.target,
            "values": dict(one.values),
        }
        for one in found
    ]
    libraries = {name for one in found for name in one.values}
    versions = {name: _version(name) for name in sorted(libraries)}
    return {"python": platform.python_version(), "samples": samples, "versions": versions, "rows": rows}
