"""Processes that pin are killed (-9) over each store that processes share: what was acknowledged is pinned."""

import contextlib
from pathlib import Path
from typing import Any

import pytest

from memzoo.memories import create_memory
from memzoo.stores import open_store
from tools.faults.lives import PROCESSES, end, start


@pytest.fixture(params=["sqlite", "postgres", "redis"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A new store, as a URL."""
    if request.param == "postgres":
        return str(request.getfixturevalue("postgres_server").new_url())
    return str(request.getfixturevalue("redis_url")) if request.param == "redis" else f"sqlite:///{tmp_path}/pins.db"


def _pin_on(url: str, writer: str, pipe: Any) -> None:
    """Store pinned messages, and pin others and let go of them again, until somebody kills the process."""
    with contextlib.closing(open_store(url)) as store:
        memory = create_memory("buffer", store=store, conversation_id="a")
        for number in range(1_000):
            text = f"{writer} {number}"
            memory.add_messages([{"role": "user", "content": text}], turn_id=text, pinned=True)
            pipe.send(("pinned", text))
            memory.add_messages([{"role": "user", "content": f"later {text}"}], turn_id=f"later {text}")
            (seq,) = [one.seq for one in memory.entries(20, newest_first=True) if one.turn_id == f"later {text}"]
            memory.pin(seq)
            pipe.send(("pinned", f"later {text}"))
            if number % 2:
                memory.pin(seq, off=True)
                pipe.send(("unpinned", f"later {text}"))


@pytest.mark.parametrize("kill_after", [1, 4, 9])
def test_what_was_acknowledged_is_pinned(url: str, kill_after: int) -> None:
    """Two processes write to one conversation, one of them is killed, and then the other: no pin is lost or left over.

    What was under way when a process was killed may be done or not; a message that was to be stored as pinned is never
    there without its pin.
    """
    told: dict[str, str] = {}
    running: list[tuple[Any, Any]] = []
    for writer in ("one", "two"):
        pipe, there = PROCESSES.Pipe()
        running.append((start(_pin_on, url, writer, there), pipe))
        there.close()
    for process, pipe in running:
        with pipe, contextlib.suppress(EOFError, OSError):
            for _ in range(kill_after):
                how, text = pipe.recv()
                told[text] = how
            process.kill()
            while True:
                how, text = pipe.recv()
                told[text] = how
        end(process)
    with contextlib.closing(open_store(url)) as store:
        memory = create_memory("window", k=0, store=store, conversation_id="a")
        pinned, entries = set(memory.pin()), memory.entries()
        by_turn = {entry.turn_id: entry.seq for entry in entries}
        shown = [entry.seq for entry in memory.messages().entries if entry]
    assert len(by_turn) == len(entries)
    last = {next((text for text in reversed(told) if writer in text), "") for writer in ("one", "two")}
    for text, how in told.items():
        # Of the last one, letting go may have been under way.
        if how == "pinned" and not (text in last and text.startswith("later")):
            assert by_turn[text] in pinned, f"{text} was pinned"
        if how == "unpinned":
            assert by_turn[text] not in pinned, f"{text} was let go of"
    assert all(seq in pinned for turn, seq in by_turn.items() if not turn.startswith("later")), "stored, and not pinned"
    # The newest question is not answered: it is shown in any case.
    assert {*shown, entries[-1].seq} == {*pinned, entries[-1].seq}
