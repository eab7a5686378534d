"""How this project's own recordings are made and marked.

`make record` asks the offline model's server, or OPENAI_BASE_URL where OPENAI_API_KEY is set: MODEL for chats,
EMBEDDINGS for vectors. Sync and async replay one file, which proves that both send the same requests.
"""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

CASSETTES = Path(__file__).parent.parent / "cassettes"
MODEL = os.environ.get("MODEL", "gpt-4o-mini")
EMBEDDINGS = os.environ.get("EMBEDDINGS", "text-embedding-3-small")

Call = Callable[..., Any]


def recorded(name: str) -> pytest.MarkDecorator:
    """Mark a test that replays the recording of this name, whichever model made it."""
    return pytest.mark.cassette(name, ignore=["$.model"])


def called(owner: Any, method: str, *args: Any) -> Any:
    """The synchronous method."""
    return getattr(owner, method)(*args)


def awaited(owner: Any, method: str, *args: Any) -> Any:
    """Its asynchronous twin, awaited in a loop of its own."""
    return asyncio.run(getattr(owner, f"a{method}")(*args))


each_way = pytest.mark.parametrize("call", [called, awaited], ids=["sync", "async"])


def scripted_or_recorded(module: str, name: str) -> pytest.MarkDecorator:
    """Run a test with a script in place of a model, and with a model where there is a recording of one.

    For dialogues that neither the offline model nor a small one understands: only `make record MODEL=...` records them.

    Args:
        module: The folder of the recording, such as "memories/test_dialogues".
        name: Its name.
    """
    missing = "MODEL" not in os.environ and not (CASSETTES / module / f"{name}.yaml").exists()
    unrecorded = pytest.mark.skipif(missing, reason="not recorded: only `make record MODEL=...` with a key can")
    asked = pytest.param(True, marks=[recorded(name), unrecorded], id="recorded")
    return pytest.mark.parametrize("real", [pytest.param(False, id="scripted"), asked])
