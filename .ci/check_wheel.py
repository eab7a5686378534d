"""Builds the distributions and checks that they hold what the tree holds: a hand list of packages can go stale."""

import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

PACKAGES = ("memzoo", "memories", "prompts", "stores", "testing", "cassettes", "benchmarks", "hosts", "cli")
SHIPPED = {".py", ".jinja", ".lua", ".json", ".css", ".js", ".typed"}

root = Path(__file__).parent.parent
tracked = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True).stdout  # noqa: S607
files = {Path(name) for name in tracked.split("\0") if name}
in_tree = {
    str(file) for file in files if file.parts[0] in PACKAGES and file.suffix in SHIPPED and "research" not in file.parts
}
# An archive would hold copies of the folders that the links in memzoo/ lead to.
sources = {str(file) for file in files if not (root / file).is_symlink()}
expected = {f"memzoo/{name.removeprefix('memzoo/')}" for name in in_tree}

with tempfile.TemporaryDirectory() as out:
    subprocess.run([sys.executable, "-m", "build", "--outdir", out, str(root)], check=True, capture_output=True)
    wheel, source = next(Path(out).glob("*.whl")), next(Path(out).glob("*.tar.gz"))
    shipped = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("memzoo/")}
    with tarfile.open(source) as archive:
        packed = {name.partition("/")[2] for name in archive.getnames()}

faults = [f"missing from the wheel: {name}" for name in sorted(expected - shipped)]
faults += [f"in the wheel, not in the tree: {name}" for name in sorted(shipped - expected)]
faults += [f"missing from the sdist: {name}" for name in sorted(sources - packed)]
print("\n".join(faults) or f"the wheel holds all {len(shipped)} files, the sdist all {len(sources)}")
sys.exit(bool(faults))
