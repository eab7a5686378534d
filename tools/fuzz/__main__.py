"""Changes valid files at random, and reads them: `python -m tools.fuzz`, or `make fuzz ARGS="import --count 200"`."""

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated

import typer

from tools.fuzz.cassettes import fuzz_cassettes
from tools.fuzz.damage import KINDS, fuzz_damage
from tools.fuzz.importing import SOURCES, fuzz_import
from tools.fuzz.migrating import fuzz_migrate
from tools.fuzz.mutations import Fuzzed

FUZZES: Mapping[str, Callable[[int, Path, int], list[Fuzzed]]] = {
    "cassettes": lambda count, folder, seed: [fuzz_cassettes(count, folder, seed)],
    "import": lambda count, folder, seed: [fuzz_import(kind, count, _new(folder, kind), seed) for kind in SOURCES],
    "migrate": lambda count, folder, seed: [fuzz_migrate(count, _new(folder, "programs"), seed)],
    "damage": lambda count, folder, seed: [fuzz_damage(kind, count, _new(folder, kind), seed) for kind in KINDS],
}
"""The fuzz tests by kind of file."""


def main(
    names: Annotated[list[str] | None, typer.Argument(help=f"Of {', '.join(FUZZES)}; all by default.")] = None,
    count: Annotated[int, typer.Option(help="How many files of each kind.")] = 1_000,
    seed: Annotated[int, typer.Option(help="Of the changes.")] = 0,
) -> None:
    """Change files in thousands of ways; check that each file is read or refused, and that nothing is lost."""
    wrong = 0
    for name in names or FUZZES:
        with tempfile.TemporaryDirectory() as folder:
            for fuzzed in FUZZES[name](count, Path(folder), seed):
                outcomes = ", ".join(f"{number} {outcome}" for outcome, number in sorted(fuzzed.outcomes.items()))
                typer.echo(f"{name} {fuzzed.kind}: {outcomes}; {len(fuzzed.wrong)} wrong")
                for example in fuzzed.wrong[:5]:
                    typer.echo(f"  {example}")
                wrong += len(fuzzed.wrong)
    raise typer.Exit(code=bool(wrong))


def _new(folder: Path, kind: str) -> Path:
    new = folder / kind.replace(" ", "_")
    new.mkdir()
    return new


if __name__ == "__main__":
    typer.run(main)
