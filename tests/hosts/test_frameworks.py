"""The tests of the adapters whose frameworks are installed here; `make hosts` runs all, each in its own environment."""

import importlib.util
import os
import subprocess
import sys

import pytest

from tests.hosts.__main__ import HOSTS, IN_FRAMEWORKS, OPTIONS, ROOT, TESTS

MODULES = {
    "openai-agents": "agents",
    "langgraph": "langgraph",
    "langchain": "langchain",
    "pydantic-ai": "pydantic_ai",
    "google-adk": "google.adk",
    "claude-agent": "claude_agent_sdk",
    "strands": "strands",
    "llama-index": "llama_index_instrumentation",  # core needs it; core alone may be here for its vocabularies
}
_NONE_RAN = 5


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", HOSTS)
def test_the_adapter_works(name: str) -> None:
    """In a process of its own, as frameworks leave things open, and set up more than a test would."""
    if not _is_installed(MODULES[name]):
        pytest.skip("the framework is not installed")
    command = [sys.executable, "-m", "pytest", "-p", "pytest_socket", "-p", "pytest_timeout", *OPTIONS]
    command.append(f"{TESTS}/{HOSTS[name].file}")
    environment = os.environ | IN_FRAMEWORKS | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # others are slow to load
    environment.pop("PYTEST_ADDOPTS", None)
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=environment)
    if done.returncode == _NONE_RAN:
        pytest.skip("the framework cannot be imported here")
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


def _is_installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False
