"""Measures the size of an installation, and finds the packages imported along with memzoo: `make weight`."""

import json
import subprocess
import sys
from collections.abc import Mapping
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Annotated

import typer

from memzoo.benchmarks.research.tables import show, table
from memzoo.memories import STRATEGIES

PACKAGES = ("openai", "networkx", "tiktoken", "jinja2", "numpy", "sqlalchemy", "pydantic", "typer", "rich")
"""The packages in the table of imports."""

_MEGABYTE = 1e6
_TOOLS = {"pip", "setuptools", "wheel"}

_STRATEGY = """
from memzoo.memories import create_memory
from memzoo.stores import open_store
replies = {"entity_notes": "Ann: Ann likes tea.", "triple": "Ann | likes | tea", "entit": "Ann", "": "Ann likes tea."}
model = lambda messages: next(reply for task, reply in replies.items() if task in messages[-1]["content"].split(".")[0])
options = {} if %(name)r in ("buffer", "window", "vector-retriever") else {"llm": model}
memory = create_memory(%(name)r, store=open_store(%(url)r), **options)
memory.save_context({"input": "Ann likes tea."}, {"output": "So do I."})
memory.load_memory_variables({"input": "What does Ann like?"})
"""
_CHAT_MODEL = """
from memzoo.memories import ChatModel
from memzoo.sync import drive
drive(ChatModel("offline").complete([{"role": "user", "content": "I like tea."}], "example"))
"""
_COMMAND = """
import tempfile
from typer.testing import CliRunner
from memzoo.cli.commands import app
with tempfile.TemporaryDirectory() as folder:
    assert CliRunner().invoke(app, [one.format(folder) for one in %r]).exit_code == 0
"""

USES: Mapping[str, str] = {
    "`import memzoo`": "import memzoo",
    **{f"`{name}`": _STRATEGY % {"name": name, "url": "memory://"} for name in STRATEGIES},
    "any strategy on SQLite": _STRATEGY % {"name": "buffer", "url": "sqlite://"},
    "`ChatModel`": _CHAT_MODEL,
    "`memzoo list`": _COMMAND % ["list"],
    "`memzoo compare`": _COMMAND % ["compare", "--memory", "window", "--out", "{}"],
}
"""Programs by the measured use of memzoo; in a strategy's program, the memory saves and loads once."""


def weight(
    sites: Annotated[
        list[Path] | None, typer.Argument(help="Folders `site-packages` to weigh; the imports are always shown.")
    ] = None,
) -> None:
    """Print the size of each package in the given environments, and the packages imported along with memzoo."""
    show(*map(_sizes_table, sites or ()), _imports_table())


def sizes(site: Path) -> dict[str, float]:
    """Return the size in megabytes of each package in a folder, the largest first.

    Compiled Python files are included. Packaging tools such as pip are left out.
    """
    found = {one.name: _megabytes(one) for one in distributions(path=[str(site)]) if one.name not in _TOOLS}
    return dict(sorted(found.items(), key=lambda one: -one[1]))


def list_imported(program: str) -> set[str]:
    """Run a program in a separate process, and return the packages in `PACKAGES` that it imports."""
    code = f"{program}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True)  # noqa: S603
    return {*json.loads(done.stdout.splitlines()[-1])} & {*PACKAGES}


def _megabytes(distribution: Distribution) -> float:
    paths = [Path(str(distribution.locate_file(file))) for file in distribution.files or ()]
    return sum(path.stat().st_size for path in paths if path.is_file()) / _MEGABYTE


def _sizes_table(site: Path) -> str:
    found = sizes(site)
    rows = [[name, f"{size:.1f}"] for name, size in found.items()]
    total = [f"**{len(found)} distributions in {site}**", f"**{sum(found.values()):.1f}**"]
    return table(["distribution", "MB"], [*rows, total])


def _imports_table() -> str:
    rows = [[title, *_marks(list_imported(program))] for title, program in USES.items()]
    return table(["", *PACKAGES], rows)


def _marks(found: set[str]) -> list[str]:
    return ["x" if package in found else "" for package in PACKAGES]
