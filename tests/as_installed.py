"""The entry points of `pyproject.toml` as an installed memzoo has them, for processes that a test starts."""

import os
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import pytest

_ROOT = Path(__file__).parent.parent


@pytest.fixture
def as_installed(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Announces pytest's entry points of this checkout, also where an older one is installed."""
    points = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"][
        "pytest11"
    ]
    site = tmp_path_factory.mktemp("site")
    info = site / "memzoo_checkout-0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: memzoo-checkout\nVersion: 0\n")
    (info / "entry_points.txt").write_text(
        "\n".join(["[pytest11]", *(f"{name} = {at}" for name, at in points.items())])
    )
    monkeypatch.setenv("PYTHONPATH", str(site), prepend=os.pathsep)
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", raising=False)
    # Those that happen to be installed here take most of a second to be loaded.
    others = {point.name for point in entry_points(group="pytest11")} - points.keys()
    monkeypatch.setenv("PYTEST_ADDOPTS", " ".join(f"-p no:{name}" for name in sorted(others)))
