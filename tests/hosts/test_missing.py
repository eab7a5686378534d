"""A framework that is not installed."""

import subprocess
import sys

import pytest

SCRIPT = """
import sys
sys.modules.update(dict.fromkeys("langchain langchain_core langgraph pydantic_ai".split()))  # they cannot be imported
import memzoo.hosts.{}
"""


@pytest.mark.parametrize(
    ("adapter", "extra"),
    [("langgraph", "langgraph"), ("langchain_agents", "langchain"), ("pydantic_ai", "pydantic-ai")],
)
def test_the_error_names_the_extra_of_the_adapter(adapter: str, extra: str) -> None:
    """Not one that another adapter needs of the same packages."""
    done = subprocess.run([sys.executable, "-c", SCRIPT.format(adapter)], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1].endswith(f"Install it with: pip install 'memzoo[{extra}]'")
