"""The session and store tests that hosts publish themselves, run against our adapters.

`python -m tests.hosts.published NAME`, in the host's environment (see `__main__.py`), which needs pytest-mock too. The
source distribution is downloaded for each run; the only change is what stands for the host's own class.
"""

import re
import subprocess
import sys
import tarfile
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple


class Published(NamedTuple):
    """The tests of a host.

    Attributes:
        package: Its distribution.
        files: Its files of tests.
        theirs: The import of the class that ours stands for.
        ours: What is imported instead.
        left_out: Tests that are not run, and why.
    """

    package: str
    files: tuple[str, ...]
    theirs: str
    ours: str
    left_out: dict[str, str]


OPENAI = """
from memzoo import create_memory, open_store
from memzoo.hosts.openai_agents import MemorySession
class SQLiteSession(MemorySession):
    def __init__(self, session_id, db_path=":memory:", *_, session_settings=None, **__):
        url = "sqlite://" if str(db_path) == ":memory:" else f"sqlite:///{db_path}"
        memory = create_memory("buffer", store=open_store(url), conversation_id=session_id)
        super().__init__(memory, raw=True, session_settings=session_settings)
    def close(self):
        self.memory.close()
"""
LANGGRAPH = """
import memzoo
from memzoo.hosts.langgraph import MemzooStore
class InMemoryStore(MemzooStore):
    def __init__(self, **options):
        super().__init__(memzoo.InMemoryStore(), **options)
"""
PUBLISHED = {
    "openai-agents": Published(
        "openai-agents",
        ("tests/memory/test_session.py", "tests/memory/test_session_limit.py"),
        "SQLiteSession",
        OPENAI,
        {},
    ),
    "langgraph": Published("langgraph-checkpoint", ("tests/test_store.py",), "InMemoryStore", LANGGRAPH, {}),
}


def unpacked(package: str, folder: Path) -> Path:
    """Download a source distribution of the version that is installed into a folder."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", package]
    subprocess.run([*pip, f"{package}=={version(package)}"], cwd=folder, check=True, capture_output=True)
    with tarfile.open(next(folder.glob("*.tar.gz"))) as archive:
        archive.extractall(folder, filter="data")
    return next(path for path in folder.iterdir() if path.is_dir())


def outcome(name: str) -> str:
    """Run a host's own tests; how many passed, and which did not."""
    published = PUBLISHED[name]
    with tempfile.TemporaryDirectory() as folder:
        root = unpacked(published.package, Path(folder))
        for file in published.files:
            text = (root / file).read_text("utf-8")
            changed = re.sub(rf"^(from \S+ import .*?)\b{published.theirs}\b,? ?", r"\1", text, flags=re.MULTILINE)
            changed = re.sub(r"^from \S+ import *$", "", changed, flags=re.MULTILINE)
            first = next(re.finditer(r"^(?!from __future__)(?:import|from) ", changed, flags=re.MULTILINE)).start()
            (root / file).write_text(changed[:first] + published.ours + changed[first:], "utf-8")
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-o",
            "asyncio_mode=auto",
            "-rf",
            "--tb=line",
            "--timeout",
            "120",
        ]
        done = subprocess.run([*command, *published.files], cwd=root, capture_output=True, text=True, check=False)
        failed = [line for line in done.stdout.splitlines() if line.startswith("FAILED")]
        return "\n".join([done.stdout.strip().splitlines()[-1].strip("= "), *failed])


if __name__ == "__main__":
    sys.stdout.write(outcome(sys.argv[1]) + "\n")
