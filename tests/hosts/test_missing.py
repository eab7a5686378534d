"""A framework that is not installed."""

import subprocess
import sys

ADAPTERS = {"langgraph": "langgraph", "langchain_agents": "langchain", "pydantic_ai": "pydantic-ai"}
SCRIPT = """
import importlib, sys
sys.modules.update(dict.fromkeys("langchain langchain_core langgraph pydantic_ai".split()))  # they cannot be imported
for adapter in sys.argv[1:]:
    try:
        importlib.import_module(f"memzoo.hosts.{adapter}")
    except ImportError as error:
        print(error)
"""


def test_the_error_names_the_extra_of_the_adapter() -> None:
    """Not one that another adapter needs of the same packages."""
    done = subprocess.run([sys.executable, "-c", SCRIPT, *ADAPTERS], capture_output=True, text=True, check=True)
    told = [line.partition("Install it with: ")[2] for line in done.stdout.splitlines()]
    assert told == [f"pip install 'memzoo[{extra}]'" for extra in ADAPTERS.values()]
