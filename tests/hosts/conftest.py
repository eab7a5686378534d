"""In an agent framework, adapters are tested where their host has an environment of its own: `make hosts`."""

import os
from pathlib import Path

import pytest

IN_FRAMEWORKS = {
    "test_claude_agent.py",
    "test_google_adk.py",
    "test_langchain_agents.py",
    "test_langgraph.py",
    "test_llama_index.py",
    "test_openai_agents.py",
    "test_pages.py",
    "test_pydantic_ai.py",
    "test_strands.py",
}

# To import a framework takes a second, in each process that runs tests.
collect_ignore = [] if os.environ.get("MEMZOO_HOSTS") else sorted(IN_FRAMEWORKS)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Elsewhere a host may be installed for another reason, with other versions beside it, or leave things open."""
    if os.environ.get("MEMZOO_HOSTS"):
        return
    for item in items:
        if item.path.parent == Path(__file__).parent and item.path.name in IN_FRAMEWORKS:
            item.add_marker(pytest.mark.skip(reason="`make hosts` runs it"))
