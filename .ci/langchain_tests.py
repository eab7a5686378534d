"""Runs langchain-classic's own memory tests against `memzoo.langchain`: nothing but their import lines is changed.

Its source distribution is downloaded for each run. To be run in an environment that has it, memzoo and pytest.
"""

import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

VERSION = "1.0.8"
FILES = (
    "chains/test_conversation.py",
    "chains/test_memory.py",
    "chains/test_summary_buffer_memory.py",
    "memory/test_combined_memory.py",
)
# The rest of their tests that name a memory, and why they are not among them.
LEFT_OUT = {
    "memory/test_imports.py, memory/chat_message_histories/test_imports.py, schema/test_memory.py": "they list the "
    "names of LangChain's own modules, among them the histories and services of 20 databases",
    "chains/test_conversation_retrieval.py": "its four tests read the answer out of the list that was loaded before "
    "the answer was saved: what a memory of memzoo returns does not change any more",
}
MEMORY = r"memory(?:\.\w+)*|chains\.conversation\.memory"
CHAIN = r"chains\.conversation\.base"


def output_of(*arguments: str, folder: Path) -> str:
    """Run a Python module in a folder, and return what it prints."""
    command = [sys.executable, "-m", *arguments]
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.stdout


def unpacked(folder: Path) -> Path:
    """Download the source distribution into a folder."""
    source = f"langchain-classic=={VERSION}"
    printed = output_of("pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", source, folder=folder)
    found = list(folder.glob("*.tar.gz"))
    if not found:
        sys.exit(f"{source} cannot be downloaded:\n{printed}")
    with tarfile.open(found[0]) as archive:
        archive.extractall(folder, filter="data")
    return folder / f"langchain_classic-{VERSION}"


def passed(root: Path, modules: str) -> bool:
    """Let the tests import memzoo's classes instead of those in some modules, run them, and print how it went."""
    tests = [root / "tests/unit_tests" / file for file in FILES]
    for test in tests:
        line = re.compile(rf"^from langchain_classic\.(?:{modules}) import", re.MULTILINE)
        test.write_text(line.sub("from memzoo.langchain import", test.read_text("utf-8")), "utf-8")
    printed = output_of(
        "pytest", "-q", "-p", "no:cacheprovider", "-o", "addopts=", *map(str, tests), folder=root
    ).strip()
    summary = printed.splitlines()[-1].strip("= ")
    sound = " passed" in summary and not re.search("failed|error", summary)
    print(summary if sound else printed)
    return sound


def main() -> int:
    """Run the tests with LangChain's ConversationChain, then with ours in its place."""
    with tempfile.TemporaryDirectory() as folder:
        root = unpacked(Path(folder))
        print("memory classes replaced: ", end="")
        sound = passed(root, MEMORY)
        print("and ConversationChain too: ", end="")
        sound &= passed(root, CHAIN)
    for name, why in LEFT_OUT.items():
        print(f"not run: {name}: {why}")
    return not sound


if __name__ == "__main__":
    sys.exit(main())
