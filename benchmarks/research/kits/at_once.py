"""Several cassettes and requests at once."""

import asyncio
import threading
import time
from typing import Any

import httpx

from memzoo.benchmarks.research.kits.bench import Bench, chat

__all__ = ["follows_threads", "keeps_order", "tasks", "threads"]


def threads(bench: Bench) -> bool:
    """Threads replay cassettes of their own at the same time."""
    numbers, found = range(4), dict[int, list[Any]]()
    for number in numbers:
        with bench.kit.open(bench.folder / f"{number}.yaml", record=True):
            bench.ask(chat(f"{number}"))
    barrier = threading.Barrier(len(numbers))

    def run(number: int) -> None:
        with bench.kit.open(bench.folder / f"{number}.yaml", best=True):
            barrier.wait()
            try:
                found[number] = [bench.ask(chat(f"{number}")).json()["answer"]]
            finally:
                barrier.wait()

    bench.in_threads(*(lambda number=number: run(number) for number in numbers))
    return found == {number: [number + 1] for number in numbers}


def tasks(bench: Bench) -> bool:
    """Tasks replay cassettes of their own at the same time."""
    for number in range(4):
        with bench.kit.open(bench.folder / f"{number}.yaml", record=True):
            bench.ask(chat(f"{number}"))

    async def run(number: int) -> Any:
        with bench.kit.open(bench.folder / f"{number}.yaml", best=True):
            async with httpx.AsyncClient() as client:
                await asyncio.sleep(0)
                url = f"{bench.server.url}/chat/completions"
                return (await client.post(url, json=chat(f"{number}"))).json()["answer"]

    async def run_all() -> list[Any]:
        return await asyncio.gather(*(run(number) for number in range(4)))

    return asyncio.run(run_all()) == [1, 2, 3, 4]


def follows_threads(bench: Bench) -> bool:
    """A thread that is started inside a cassette plays from it, though another one is open."""
    other, found = bench.folder / "other.yaml", list[Any]()
    bench.record(chat("hi"))
    with bench.kit.open(other, record=True):
        bench.ask(chat("other"))
    asked = bench.server.count
    with bench.kit.open(bench.path, best=True):
        inside = threading.Thread(target=lambda: found.append(bench.ask(chat("hi")).json()["answer"]))
        held, done = threading.Event(), threading.Event()

        def hold() -> None:
            with bench.kit.open(other, best=True):
                held.set()
                done.wait(10)
                bench.ask(chat("other"))

        holder = threading.Thread(target=hold)
        holder.start()
        held.wait(10)
        inside.start()
        inside.join()
        done.set()
        holder.join()
    return found == [1] and bench.server.count == asked


def keeps_order(bench: Bench) -> bool:
    """Threads that ask the same get the same answers again, whoever is first."""

    def run(turn: int, *, record: bool) -> dict[int, Any]:
        found = dict[int, Any]()

        def ask(number: int) -> None:
            time.sleep(0.02 * ((number + turn) % 3))
            found[number] = bench.ask(chat("same")).json()["answer"]

        with bench.kit.open(bench.path, record=record, best=True):
            bench.in_threads(*(lambda number=number: ask(number) for number in range(3)))
        return found

    recorded = run(0, record=True)
    return all(run(turn, record=False) == recorded for turn in range(3))
