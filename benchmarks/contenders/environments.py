"""Makes a venv for each contender, with the packages of its adapter, in the user's cache folder."""

import hashlib
import importlib.util
import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from importlib.metadata import distributions
from pathlib import Path

from memzoo.benchmarks.contenders.known import Adapter
from memzoo.errors import PluginError

FOLDER = "MEMZOO_CONTENDERS"
"""The environment variable for the folder of environments, in place of `~/.cache/memzoo/contenders`."""

_DONE = "installed.txt"


def environment_of(adapter: Adapter) -> Path:
    """Return the folder of an adapter's environment, named after the adapter, its packages and the Python version."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "memzoo" / "contenders"
    needs = "\n".join((*sorted(adapter.requires), sysconfig.get_python_version(), sys.platform))
    digest = hashlib.blake2b(needs.encode(), digest_size=5).hexdigest()
    return Path(os.environ.get(FOLDER) or cache) / f"{adapter.name}-{digest}"


def is_installed(adapter: Adapter) -> bool:
    """Tell whether an adapter can run: it needs no environment, or its environment exists."""
    return not adapter.requires or (environment_of(adapter) / _DONE).exists()


def python_of(adapter: Adapter) -> list[str]:
    """Return the command that starts Python for an adapter.

    An adapter that needs packages uses the Python of its environment. All others use the Python that runs memzoo.

    Raises:
        PluginError: The environment is missing.
    """
    if not adapter.requires:
        return [sys.executable, "-S"]
    if not is_installed(adapter):
        raise PluginError(f"the contender {adapter.name!r} has no environment yet; add --install")
    return [str(_python_in(environment_of(adapter)))]


def install(adapter: Adapter, tell: Callable[[str], object]) -> None:
    """Make the environment of an adapter, if it has none. Call `tell` with a message before the download.

    Raises:
        PluginError: venv or pip failed; the next call starts over.
    """
    if is_installed(adapter):
        return
    folder = environment_of(adapter)
    tell(f"{adapter.name}: pip installs {' '.join(adapter.requires)} in a new environment, {folder}")
    make, python = [sys.executable, "-m", "venv", "--clear", str(folder)], str(_python_in(folder))
    pip = [python, "-m", "pip"]
    if importlib.util.find_spec("pip"):  # to install another pip takes longer than most adapters
        make, pip = [*make, "--without-pip"], [sys.executable, "-m", "pip", "--python", python]
    get = [*pip, "install", "--quiet", "--disable-pip-version-check", *adapter.requires]
    for command in (make, get):
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own commands
        if done.returncode:
            raise PluginError(
                f"the environment of {adapter.name!r} could not be made: {' '.join(command)} ended with "
                f"{done.returncode}: {done.stderr.strip()[-1000:]}"
            )
    (folder / _DONE).write_text("\n".join(adapter.requires) + "\n", encoding="utf-8")


def weigh(adapter: Adapter) -> tuple[float, int]:
    """Return the total size of an adapter's packages in megabytes, and the number of packages.

    pip, setuptools and `.pyc` files are not included.
    """
    places = environment_of(adapter).glob("[lL]ib*/**/site-packages")
    found = [
        one
        for place in {place.resolve() for place in places}  # lib64 may be a link to lib
        for one in distributions(path=[str(place)])
        if one.name not in ("pip", "setuptools")
    ]
    files = {Path(str(file.locate())) for one in found for file in one.files or () if file.suffix != ".pyc"}
    return sum(file.stat().st_size for file in files if file.is_file()) / 1e6, len(found)


def _python_in(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
