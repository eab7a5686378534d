"""Builds the distributions and checks that they hold what the tree holds: a hand list of packages can go stale."""

import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

PACKAGES = ("ground", "memories", "prompts", "stores", "testing", "cassettes", "benchmarks", "hosts", "cli")
SHIPPED = {".py", ".jinja", ".lua", ".json", ".css", ".js", ".typed"}

root = Path(__file__).parent.parent
tracked = subprocess.run(["git", "ls-files", *PACKAGES], cwd=root, capture_output=True, text=True, check=True).stdout  # noqa: S607
in_tree = {name for name in tracked.split("\n") if Path(name).suffix in SHIPPED and "research" not in Path(name).parts}
expected = {f"memzoo/{name.removeprefix('ground/')}" for name in in_tree}

with tempfile.TemporaryDirectory() as out:
    subprocess.run([sys.executable, "-m", "build", "--outdir", out, str(root)], check=True, capture_output=True)
    wheel, source = next(Path(out).glob("*.whl")), next(Path(out).glob("*.tar.gz"))
    shipped = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("memzoo/")}
    with tarfile.open(source) as archive:
        packed = {name.partition("/")[2] for name in archive.getnames()}

faults = [f"missing from the wheel: {name}" for name in sorted(expected - shipped)]
faults += [f"in the wheel, not in the tree: {name}" for name in sorted(shipped - expected)]
faults += [f"missing from the sdist: {name}" for name in ("tests/conftest.py", "Makefile") if name not in packed]
print("\n".join(faults) or f"the wheel holds all {len(shipped)} files")
sys.exit(bool(faults))
