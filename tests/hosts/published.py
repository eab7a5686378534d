"""The session and store tests that hosts publish themselves, run against our adapters.

`python -m tests.hosts.published NAME`, in the host's environment (see `__main__.py`). The source distribution is
downloaded for each run; the only change is what stands for the host's own class.
"""

import ast
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
        ours: A class by the name of the host's own, which stands for it.
    """

    package: str
    files: tuple[str, ...]
    ours: str


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
        OPENAI,
    ),
    "langgraph": Published("langgraph-checkpoint", ("tests/test_store.py",), LANGGRAPH),
}


def unpacked(package: str, folder: Path) -> Path:
    """Download a source distribution of the version that is installed into a folder."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", package]
    subprocess.run([*pip, f"{package}=={version(package)}"], cwd=folder, check=True, capture_output=True)
    with tarfile.open(next(folder.glob("*.tar.gz"))) as archive:
        archive.extractall(folder, filter="data")
    return next(path for path in folder.iterdir() if path.is_dir())


def _with_ours(text: str, ours: str) -> str:
    """Put our class behind the imports, so that it has the name of theirs from there on."""
    imports = [node for node in ast.parse(text).body if isinstance(node, ast.Import | ast.ImportFrom)]
    lines = text.splitlines(keepends=True)
    place = imports[-1].end_lineno or 0
    return "".join([*lines[:place], ours, *lines[place:]])


def outcome(name: str) -> str:
    """Run a host's own tests; how many passed, and which did not."""
    published = PUBLISHED[name]
    with tempfile.TemporaryDirectory() as folder:
        root = unpacked(published.package, Path(folder))
        for file in published.files:
            text = (root / file).read_text("utf-8")
            (root / file).write_text(_with_ours(text, published.ours), "utf-8")
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
