"""A queue wakes the upkeep of a fleet, as `docs/scale.md` shows."""

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from memzoo.memories import create_memory
from memzoo.stores import open_store
from memzoo.sync import drive

PROGRAM = Path(__file__).parents[2] / "docs/learn_task.py"


def test_procrastinate_wakes_it(postgres_url: str) -> None:
    """What a web worker left for later is learnt by the task; of several that are asked for, one waits."""
    procrastinate = pytest.importorskip("procrastinate", reason="procrastinate is not installed (extra dev)")
    program = PROGRAM.read_text(encoding="utf-8")
    shown: dict[str, Any] = {}
    exec(re.sub(r'URL = ".*"', f"URL = {postgres_url!r}", program).replace("gpt-4o-mini", "offline"), shown)  # noqa: S102
    app, learn = shown["app"], shown["learn"]
    with open_store(postgres_url) as store:
        memory = create_memory("summary", store=store, conversation_id="anna", llm="offline", learn="later")
        memory.save_context({"input": "I am Anna. I live in Oslo."}, {"output": "Hello Anna!"})

        async def work() -> None:
            async with app.open_async():
                await app.schema_manager.apply_schema_async()
                await learn.defer_async()
                with pytest.raises(procrastinate.exceptions.AlreadyEnqueued):
                    await learn.defer_async()
                await app.run_worker_async(wait=False, install_signal_handlers=False, listen_notify=False)

        asyncio.run(work())
        assert drive(store.conversations(behind="summary")) == []
        assert memory.load_memory_variables({}) == {"history": "Human said: I am Anna. I live in Oslo."}
