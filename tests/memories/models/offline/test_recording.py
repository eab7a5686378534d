"""Cassettes see the calls of the clients in this process."""

import asyncio
import importlib
from pathlib import Path
from typing import Any

from memzoo.memories import offline_client

vcr: Any = importlib.import_module("vcr")
MESSAGES: Any = [{"role": "user", "content": "I like tea. What do I like?"}]


async def asked_async(*, stream: bool) -> str:
    """The answer to the asynchronous client, whole or in pieces."""
    async with offline_client(asynchronous=True) as client:
        if not stream:
            said = await client.chat.completions.create(model="any", messages=MESSAGES)
            return said.choices[0].message.content or ""
        chunks = await client.chat.completions.create(model="any", messages=MESSAGES, stream=True)
        return "".join([chunk.choices[0].delta.content or "" async for chunk in chunks])


def asked() -> str:
    """The answer to the blocking client."""
    with offline_client() as client:
        return client.chat.completions.create(model="any", messages=MESSAGES).choices[0].message.content or ""


def test_both_clients_are_recorded_and_replayed(tmp_path: Path) -> None:
    """What is recorded from one is played back from the file, without the model being asked again."""
    tape = str(tmp_path / "tape.yaml")
    with vcr.use_cassette(tape, record_mode="once") as cassette:
        recorded = [asked(), asyncio.run(asked_async(stream=False)), asyncio.run(asked_async(stream=True))]
        assert len(cassette) == 3
    with vcr.use_cassette(tape, record_mode="none") as cassette:
        replayed = [asked(), asyncio.run(asked_async(stream=False)), asyncio.run(asked_async(stream=True))]
        assert cassette.all_played
    assert recorded == replayed == ["From what was said: I like tea."] * 3
