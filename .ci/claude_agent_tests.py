"""Runs the Claude Agent SDK's own tests of session stores against ours, as they are.

Its source distribution is downloaded for each run. To be run in an environment that has the SDK, memzoo, pytest and
pytest-asyncio.
"""

import re
import subprocess
import sys
import tarfile
import tempfile
from importlib.metadata import version
from pathlib import Path

FILES = (
    "test_session_store_conformance.py",
    "test_session_helpers_store.py",
    "test_session_import.py",
    "test_session_resume.py",
    "test_transcript_mirror.py",
)
# Tests that are not passed, and why.
EXPLAINED = {
    "test_get_entries_helper": "a test helper of the SDK's own store",
    "test_size_and_clear": "test helpers of the SDK's own store",
}
# Their tests make a store without arguments.
PLUGIN = """
import claude_agent_sdk
from memzoo import InMemoryStore, MemoryProvider
from memzoo.hosts.claude_agent import MemorySessionStore


class InMemorySessionStore(MemorySessionStore):
    def __init__(self):
        super().__init__(InMemoryStore(), MemoryProvider("buffer"))


claude_agent_sdk.InMemorySessionStore = InMemorySessionStore
"""


def main() -> int:
    """Download, run, and tell what came out of it."""
    name = f"claude-agent-sdk=={version('claude-agent-sdk')}"
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        download = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", name]
        printed = subprocess.run(download, cwd=folder, capture_output=True, text=True, check=False)
        if not (found := list(folder.glob("*.tar.gz"))):
            sys.exit(f"{name} cannot be downloaded:\n{printed.stderr}")
        with tarfile.open(found[0]) as archive:
            archive.extractall(folder, filter="data")
        (root,) = (one for one in folder.iterdir() if one.is_dir())
        (root / "ours.py").write_text(PLUGIN, "utf-8")
        tests = [f"tests/{file}" for file in FILES]
        command = [sys.executable, "-m", "pytest", "-q", "-p", "ours", "-p", "no:cacheprovider", "--tb=line", *tests]
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    print(done.stdout[-6000:], done.stderr[-2000:])
    failed = set(re.findall(r"^FAILED \S+::(\w+)", done.stdout, re.MULTILINE))
    for test in sorted(failed & EXPLAINED.keys()):
        print(f"{test}: {EXPLAINED[test]}")
    return int(bool(failed - EXPLAINED.keys()) or " passed" not in done.stdout)


if __name__ == "__main__":
    sys.exit(main())
