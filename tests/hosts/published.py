"""The session and store tests that hosts publish themselves, run against our adapters.

`python -m tests.hosts.published NAME`, in the host's environment (see `__main__.py`). The source distribution is
downloaded for each run; the only change is what stands for the host's own class.
"""

import ast
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
        ours: A class by the name of the host's own, which stands for it.
        is_plugin: It is put there by a plugin of pytest; otherwise it stands behind the imports of each file.
        options: What pytest is given besides.
        explained: Tests that are not passed, as an expression of their names, and why.
    """

    package: str
    files: tuple[str, ...]
    ours: str
    is_plugin: bool = False
    options: tuple[str, ...] = ("-o", "asyncio_mode=auto", "--timeout", "120")
    explained: tuple[str, str] = ("(?!)", "")


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
# Their tests make a store without arguments, and look into it with three helpers.
CLAUDE = """
import claude_agent_sdk
from memzoo import InMemoryStore, MemoryProvider
from memzoo.hosts.claude_agent import MemorySessionStore
from memzoo.sync import drive


class InMemorySessionStore(MemorySessionStore):
    def __init__(self):
        self.store = InMemoryStore()
        super().__init__(self.store, MemoryProvider("buffer"))

    def get_entries(self, key):
        return drive(self.load(key)) or []

    @property
    def size(self):
        return sum(id_.count("/") == 2 for id_ in drive(self.store.conversations()))

    def clear(self):
        for id_ in drive(self.store.conversations()):
            drive(self.store.clear(id_))


claude_agent_sdk.InMemorySessionStore = InMemorySessionStore
"""
PUBLISHED = {
    "openai-agents": Published(
        "openai-agents",
        ("tests/memory/test_session.py", "tests/memory/test_session_limit.py"),
        OPENAI,
    ),
    "langgraph": Published("langgraph-checkpoint", ("tests/test_store.py",), LANGGRAPH),
    "claude-agent": Published(
        "claude-agent-sdk",
        tuple(
            f"tests/test_{name}.py"
            for name in (
                "session_store_conformance session_helpers_store session_import session_resume transcript_mirror"
            ).split()
        ),
        CLAUDE,
        is_plugin=True,
        options=("-p", "ours"),
        explained=(
            "test_continue_(picks_most_recent|skips_sidechain_sessions|tie_break_is_deterministic)",
            "they set the times of sessions in a private attribute of the SDK's own store",
        ),
    ),
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


def outcome(name: str) -> tuple[str, bool]:
    """Run a host's own tests; how many passed and which did not, and whether those that did not are explained."""
    published = PUBLISHED[name]
    with tempfile.TemporaryDirectory() as folder:
        root = unpacked(published.package, Path(folder))
        _put_ours(root, published)
        command = [sys.executable, *"-m pytest -q -p no:cacheprovider -p no:randomly -rf --tb=line".split()]
        command += [*published.options, *published.files]
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    pattern, why = published.explained
    failed = re.findall(r"^FAILED .*::(\w+).*", done.stdout, re.MULTILINE)
    lines = [f"FAILED {test}{f': {why}' if re.fullmatch(pattern, test) else ''}" for test in failed]
    summary = (done.stdout.strip() or done.stderr).splitlines()[-1].strip("= ")
    is_known = " passed" in summary and all(re.fullmatch(pattern, test) for test in failed)
    return "\n".join([summary, *lines]), is_known


def _put_ours(root: Path, published: Published) -> None:
    if published.is_plugin:
        (root / "ours.py").write_text(published.ours, "utf-8")
        return
    for file in published.files:
        text = (root / file).read_text("utf-8")
        (root / file).write_text(_with_ours(text, published.ours), "utf-8")


if __name__ == "__main__":
    told, is_known = outcome(sys.argv[1])
    sys.stdout.write(f"{told}\n")
    sys.exit(not is_known)
