"""Builds a release, checks it, installs it where nothing else is, and runs README's snippet from it: `make release`.

Nothing is uploaded; CONTRIBUTING.md says what the owner of the project does then. Version, description and addresses
are those of pyproject.toml, and of nothing else.
"""

import re
import shutil
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent
DIST = ROOT / "dist"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NAMES = "buffer window summary summary-buffer entity vector-retriever knowledge-graph".split()


def main() -> None:
    """Do all of it; what is wrong ends it with a sentence."""
    version = PROJECT["version"]
    _check_changelog(version)
    shutil.rmtree(DIST, ignore_errors=True)
    _run(sys.executable, "-m", "build", "--outdir", str(DIST), str(ROOT), quiet=True)
    _run(sys.executable, "-m", "twine", "check", "--strict", *map(str, sorted(DIST.iterdir())))
    _run_readme(next(DIST.glob("*.whl")))
    print(f"memzoo {version} is in {DIST.name}/, and README's snippet runs from it with {', '.join(NAMES)}.")
    if not PROJECT.get("urls"):
        print("It names no address yet: see CONTRIBUTING.md, A release.")


def _check_changelog(version: str) -> None:
    """See that the changelog ends what is unreleased with this version."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    if headings[0].split(" ")[0] != version:
        print(f"CHANGELOG.md begins with {headings[0]!r}: a release of {version} begins with it and the date.")
    if version not in [heading.split(" ")[0] for heading in headings]:
        sys.exit(f"CHANGELOG.md has no heading for {version}")


def _run_readme(wheel: Path) -> None:
    """Install the wheel in an environment of its own, and run README's first snippet there with each name."""
    place = DIST / "environment"
    venv.create(place, with_pip=True)
    python = str(place / "bin" / "python")
    _run(python, "-m", "pip", "install", "--quiet", str(wheel))
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    snippet = next(re.finditer(r"^```python\n(.*?)^```", readme, re.DOTALL | re.MULTILINE))[1]
    # An empty folder: the checkout must not stand in for what was installed.
    for name in NAMES:
        folder = place / f"run-{name}"
        folder.mkdir()
        _run(python, "-c", snippet.replace('"ConversationEntityMemory"', repr(name)), cwd=folder)
    _run(str(place / "bin" / "memzoo"), "--version", cwd=place)
    shutil.rmtree(place)


def _run(*command: str, cwd: Path = ROOT, quiet: bool = False) -> None:
    if done := subprocess.run(command, cwd=cwd, check=False, capture_output=quiet).returncode:
        sys.exit(f"{' '.join(command)[:200]} ended with {done}")


if __name__ == "__main__":
    main()
