"""What is loaded, and when."""

import importlib
import subprocess
import sys

import pytest

import memzoo.memories

HEAVY = ["openai", "networkx", "chromadb", "numpy", "sqlalchemy", "tiktoken", "jinja2", "httpx2", "pydantic", "typer"]


def test_nothing_heavy_is_imported() -> None:
    """Heavy libraries are loaded at first use: importing costs a tenth of a second, not a second (reference 5)."""
    code = "import memzoo.memories, memzoo.stores; from memzoo.memories import *"
    probe = f"import sys; {code}; print(*sorted(set({HEAVY!r}) & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_making_a_memory_loads_nothing_heavy_either() -> None:
    """Only what a strategy uses is loaded, when it is used: a buffer that talks and renders needs none of it."""
    probe = (
        "import sys; from memzoo.memories import create_memory; m = create_memory('buffer');"
        "m.save_context({'input': 'a'}, {'output': 'b'}); m.messages();"
        "create_memory('knowledge-graph', llm='offline');"
        f"print(*sorted(set({HEAVY!r}) & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_a_name_of_ours_looks_up_nothing_installed() -> None:
    """What packages add is looked up, which takes time, only where a name is none of memzoo's."""
    made = "import sys; from memzoo import create_memory; create_memory('window'); create_memory('TokenWindowMemory')"
    probe = f"{made}; print('memzoo.plugins' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_warns_about_nothing() -> None:
    """No import and no construction emits a warning where a model is named (X5)."""
    probe = "from memzoo.memories import *\nfor name in STRATEGIES:\n  create_memory(name, llm='offline').history()"
    command = [sys.executable, "-W", "error", "-c", probe]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", ["memzoo.memories", "memzoo.stores", "memzoo.prompts", "memzoo.testing"])
def test_everything_announced_is_there(name: str) -> None:
    """Each name in `__all__` exists, so that `import *` works, and each is listed once, in order (X4)."""
    module = importlib.import_module(name)
    names: list[str] = module.__all__
    for exported in names:
        assert getattr(module, exported) is not None
    assert len(set(names)) == len(names)


def test_the_names_of_the_interface_are_fixed() -> None:
    """What DESIGN 4 promises can be imported from `memzoo.memories`."""
    assert {"create_memory", "STRATEGIES", "ChatModel", "BaseMemory"} <= set(dir(memzoo.memories))
