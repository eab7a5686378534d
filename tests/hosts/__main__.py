"""`make hosts`: each agent framework in an environment of its own, with its newest release, and a table host x check.

`python -m tests.hosts [name ...]` makes `.venv-hosts/NAME` where it is missing, and runs the host's tests and the
programs of its page there. For the tests that hosts publish themselves see `published.py`.
"""

import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.hosts.contract import CHECKS

ROOT = Path(__file__).parents[2]
TESTS = "tests/hosts"
TOOLS = ("pytest", "pytest-socket", "pytest-timeout", "pytest-asyncio", "pytest-mock", "coverage")
IN_FRAMEWORKS = {"MEMZOO_HOSTS": "1"}
"""The environment variable under which the tests of the frameworks are not skipped."""

OPTIONS = (
    # Not the settings of other tests, whose plugins are not installed.
    *("-c", os.devnull, "--rootdir", ".", "--confcutdir", TESTS, "--import-mode=importlib"),
    *("-q", "-p", "no:cacheprovider", "--disable-socket", "--allow-unix-socket", "--timeout=600"),
)
"""The options of pytest in a framework's environment, from the root of the working tree."""


class Host(NamedTuple):
    """A host.

    Attributes:
        packages: What is installed for it, the host itself first.
        file: Its tests.
        extra: The extra of memzoo that names its version; what it names is installed anyway.
    """

    packages: tuple[str, ...]
    file: str
    extra: str


HOSTS = {
    host.extra: host
    for host in (
        Host(("openai-agents",), "test_openai_agents.py", "openai-agents"),
        Host(("langgraph",), "test_langgraph.py", "langgraph"),
        Host(("langchain", "deepagents"), "test_langchain_agents.py", "langchain"),
        Host(("pydantic-ai-slim[openai]",), "test_pydantic_ai.py", "pydantic-ai"),
        Host(("google-adk",), "test_google_adk.py", "google-adk"),
        Host(("claude-agent-sdk",), "test_claude_agent.py", "claude-agent"),
        Host(("strands-agents",), "test_strands.py", "strands"),
        Host(("llama-index-core",), "test_llama_index.py", "llama-index"),
    )
}


def ran(*command: str | Path, quiet: bool = True) -> subprocess.CompletedProcess[str]:
    """Run a command here."""
    environment = os.environ | IN_FRAMEWORKS
    return subprocess.run(
        list(map(str, command)), cwd=ROOT, capture_output=quiet, text=True, check=False, env=environment
    )


def python_of(name: str) -> Path:
    """The interpreter of a host's environment, which is made if there is none."""
    folder, host = ROOT / ".venv-hosts" / name, HOSTS[name]
    python = folder / "bin" / "python"
    if not (folder / ".ready").exists():
        ran(sys.executable, "-m", "venv", folder)
        done = ran(python, "-m", "pip", "install", "--quiet", "--editable", f".[{host.extra}]", *host.packages, *TOOLS)
        if done.returncode:
            sys.exit(f"{name} cannot be installed:\n{done.stderr}")
        (folder / ".ready").touch()
    return python


def versions(python: Path, host: Host) -> str:
    """The packages of a host with their versions."""
    names = [package.partition("[")[0] for package in host.packages]
    code = f"from importlib.metadata import version; print(*(f'{{n}} {{version(n)}}' for n in {names!r}), sep=', ')"
    return ran(python, "-c", code).stdout.strip()


def outcomes(python: Path, file: str) -> dict[str, bool | None]:
    """Run a file of tests, and tell of each test whether it passed; `None` of those that do not apply."""
    report = python.parents[1] / "report.xml"
    report.unlink(missing_ok=True)
    tests = [f"{TESTS}/{name}" for name in (file, "test_pages.py")]
    done = ran(python, "-m", "pytest", *OPTIONS, f"--junitxml={report}", *tests)
    if done.returncode:
        _print(done.stdout[-6000:] + done.stderr[-2000:])
    if not report.exists():
        return {"tests could be run": False}
    return dict(_cases(ET.parse(report).getroot()))  # noqa: S314 - we wrote it


def _cases(report: ET.Element) -> Iterator[tuple[str, bool | None]]:
    for case in report.iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        outcome = {child.tag for child in case}
        # Pages of other hosts, and what a host has not.
        yield name, None if "skipped" in outcome else not outcome & {"failure", "error"}


def main(names: list[str]) -> int:
    """Run the hosts, and print the table."""
    header = ["host", *CHECKS.values(), "all tests"]
    rows: list[list[str]] = []
    for name in names or HOSTS:
        host = HOSTS[name]
        if not (ROOT / TESTS / host.file).exists():
            continue
        python = python_of(name)
        found = outcomes(python, host.file)
        _print(f"{name}: {_all(found)} tests passed")
        rows.append([versions(python, host), *(_mark(found, check) for check in CHECKS), _all(found)])
    for row in (header, ["---"] * len(header), *rows):
        _print(f"| {' | '.join(row)} |")
    return int(not all(row[-1].split(" of ")[0] == row[-1].split(" of ")[1] for row in rows))


def _print(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _mark(found: dict[str, bool | None], check: str) -> str:
    of_check = [passed for test, passed in found.items() if test.partition("[")[0].endswith(f"test_{check}")]
    if of_check and set(of_check) == {None}:
        return "none"
    return "yes" if of_check and False not in of_check else "NO"


def _all(found: dict[str, bool | None]) -> str:
    ran = [passed for passed in found.values() if passed is not None]
    return f"{sum(ran)} of {len(ran)}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
