"""The upkeep of many conversations on PostgreSQL by Dask workers, one of which is killed."""

import contextlib
import importlib
import os
import re
import signal
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Generator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from memzoo.memories import upkeep
from memzoo.stores import ManagedStore, Message, Record, open_store
from memzoo.sync import drive
from tests.postgres import PostgresServer
from tools.faults.notes import Notes

__all__ = ["Kept", "kept_up", "workers"]

_NUMBER = re.compile(r"#(\d+)#")


@dataclass(frozen=True)
class Kept:
    """The counts after the upkeep.

    Attributes:
        calls: The number of model calls.
        cut: The number of model calls that did not end.
        twice: The number of conversations from which more than one finished call learnt.
        behind: The number of conversations with messages that are not learnt.
        failed: The number of conversations that `upkeep` reports as failed.
        seconds: The duration of the upkeep in seconds.
    """

    calls: int
    cut: int
    twice: int
    behind: int
    failed: int
    seconds: float


@dataclass(frozen=True)
class _Model:
    """A slow model that notes the conversations of each call; in one chosen call, the model's process dies."""

    notes: Notes
    seconds: float
    dies_in_call: int = 0

    def __call__(self, messages: Sequence[Message]) -> str:
        numbers = sorted({int(number) for number in _NUMBER.findall(messages[-1]["content"])})
        self.notes.add("asked", numbers)
        time.sleep(self.seconds)
        if self.dies_in_call and len(self.notes.all("asked")) >= self.dies_in_call:
            with contextlib.suppress(FileExistsError):
                self.notes.path.with_suffix(".killed").touch(exist_ok=False)
                os.kill(os.getpid(), signal.SIGKILL)
        self.notes.add("learnt", numbers)
        return f"Somebody likes tea{numbers}."


@contextlib.contextmanager
def workers(count: int) -> Generator[Executor]:
    """Start `count` Dask workers, each in its own process, and yield their executor."""
    distributed: Any = importlib.import_module("distributed")
    with (
        warnings.catch_warnings(action="ignore"),
        distributed.LocalCluster(
            n_workers=count, threads_per_worker=1, dashboard_address=None, host="127.0.0.1"
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client.get_executor()


def kept_up(url: str, notes: Notes, executor: Executor, conversations: int, *, model: float, kill_in_call: int) -> Kept:
    """Keep up conversations of two exchanges that are not learnt yet, and kill (-9) a worker meanwhile.

    Args:
        url: The URL of an empty store.
        notes: The notes, empty at first.
        executor: The executor that does the work.
        conversations: The number of conversations.
        model: The seconds that the model takes to answer.
        kill_in_call: The number of a model call, from 1: the worker that makes this call is killed before the answer.
    """
    with open_store(url) as store:
        _fill(store, conversations)
        began = time.monotonic()
        done = upkeep(store, "summary", llm=_Model(notes, model, kill_in_call), executor=executor)
        seconds = time.monotonic() - began
        behind = len(drive(store.conversations(behind="summary")))
    calls = Counter(note.kind for note in notes.all())
    learnt = Counter(number for note in notes.all("learnt") for number in note.numbers)
    return Kept(
        calls=calls["asked"],
        cut=calls["asked"] - calls["learnt"],
        twice=sum(times > 1 for times in learnt.values()),
        behind=behind,
        failed=len(done.failed),
        seconds=seconds,
    )


def _fill(store: ManagedStore, conversations: int) -> None:
    for number in range(conversations):
        said = [{"role": "user", "content": f"#{number}# I like tea."}, {"role": "assistant", "content": "Noted."}]
        for turn in ("first", "second"):
            drive(store.append(f"talk-{number}", [Record(message) for message in said], turn_id=turn))


def main(
    conversations: Annotated[int, typer.Option(help="How many are kept up while a worker is killed.")] = 2000,
    model: Annotated[float, typer.Option(help="Seconds that the model takes.")] = 0.2,
) -> None:
    """Keep up conversations with two workers, one of which is killed, and print the counts."""
    console = Console(soft_wrap=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        server = PostgresServer(folder / "postgres")
        try:
            with workers(2) as executor:
                kept = kept_up(
                    server.new_url(),
                    Notes(folder / "notes"),
                    executor,
                    conversations,
                    model=model,
                    kill_in_call=conversations // 2,
                )
            console.print(f"{conversations} conversations, two workers, one killed: {kept}", markup=False)
        finally:
            server.cleanup()
    sound = not (kept.twice or kept.behind or kept.failed) and kept.cut <= 1 and kept.calls == conversations + kept.cut
    raise typer.Exit(code=not sound)


if __name__ == "__main__":
    typer.run(main)
