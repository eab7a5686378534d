"""The package of docs/extending.md, built from the page and installed into a folder of their own."""

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.documentation.plain import plain

PAGE = Path(__file__).parents[2] / "docs" / "extending.md"

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def blocks(kind: str) -> list[tuple[str, str]]:
    """The blocks of the page that are files: the name in their first line, and the text."""
    found = re.findall(rf"^```{kind}\n# (\S+)\n(.*?)^```", plain(PAGE), re.DOTALL | re.MULTILINE)
    return [(name, text) for name, text in found]


def built(project: dict[str, Any], modules: dict[str, str], folder: Path) -> Path:
    """A wheel as setuptools would make it from this pyproject: the modules, and what is known about them."""
    name, version = project["project"]["name"].replace("-", "_"), project["project"]["version"]
    info = f"{name}-{version}.dist-info"
    points = [
        line
        for group, entries in project["project"]["entry-points"].items()
        for line in (f"[{group}]", *(f"{key} = {value}" for key, value in entries.items()))
    ]
    files = {f"{module}.py": modules[f"{module}.py"] for module in project["tool"]["setuptools"]["py-modules"]} | {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": "\n".join(points) + "\n",
    }
    files[f"{info}/RECORD"] = "".join(f"{file},,\n" for file in [*files, f"{info}/RECORD"])
    wheel = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for file, text in files.items():
            archive.writestr(file, text)
    return wheel


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which pip has installed the packages of the page."""
    folder = tmp_path_factory.mktemp("extending")
    modules = dict(blocks("python"))
    wheels = [built(tomllib.loads(text), modules, folder) for _, text in blocks("toml")]
    quiet = ["--no-index", "--no-deps", "--quiet", "--disable-pip-version-check", "--target", str(folder / "site")]
    subprocess.run([sys.executable, "-m", "pip", "install", *quiet, *map(str, wheels)], check=True)
    return folder / "site"


@pytest.fixture
def run(installed: Path, tmp_path: Path) -> Run:
    """Runs Python where the packages are installed, with lines typed in."""

    def go(*arguments: str, typed: str = "") -> "subprocess.CompletedProcess[str]":
        settings = {"PYTHONPATH": str(installed), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "COLUMNS": "200"}
        command, environment = [sys.executable, *arguments], os.environ | settings
        return subprocess.run(
            command, input=typed, capture_output=True, text=True, check=False, cwd=tmp_path, env=environment
        )

    return go
