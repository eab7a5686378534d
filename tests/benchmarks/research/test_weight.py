"""What an installation weighs."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from memzoo.benchmarks.research import weight
from memzoo.benchmarks.research.__main__ import app


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """An environment with a small and a large distribution, and with pip."""
    for name, size in {"small": 1_000, "large": 2_000_000, "pip": 3_000_000}.items():
        (tmp_path / f"{name}.py").write_bytes(b"#" * size)
        info = tmp_path / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
        (info / "RECORD").write_text(f"{name}.py,,\n{name}_that_is_gone.py,,\n", encoding="utf-8")
    return tmp_path


def test_distributions_are_weighed_without_the_tools(site: Path) -> None:
    """The largest first; pip is not what memzoo brings along."""
    assert list(weight.sizes(site).items()) == [("large", 2.0), ("small", 0.001)]


def test_imports_are_told_of_a_process_of_its_own() -> None:
    """Nothing that this process has imported counts."""
    assert weight.list_imported("import networkx") >= {"networkx"}
    assert weight.list_imported("import json") == set()


def test_importing_memzoo_loads_nothing_heavy() -> None:
    """Heavy packages are loaded where they are used."""
    assert weight.list_imported(weight.USES["`import memzoo`"]) == set()
    assert weight.list_imported(weight.USES["`buffer`"]) == set()


def test_the_command_prints_both_tables(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sizes of each environment, and a line of imports for each use."""
    monkeypatch.setattr(weight, "USES", {"`json`": "import json", "`jinja2`": "import jinja2"})
    done = CliRunner().invoke(app, ["weight", str(site)])
    assert done.exit_code == 0, done.output
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in done.output.splitlines()]
    assert ["large", "2.0"] in rows
    assert any(row[0].startswith("**2 distributions") for row in rows)
    assert ["`jinja2`", *["x" if name == "jinja2" else "" for name in weight.PACKAGES]] in rows
