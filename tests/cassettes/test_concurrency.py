"""Any number of cassettes at once, in tasks and in threads, and one outcome whatever the scheduling."""

import asyncio
import os
import random
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import httpx2
import pytest

from memzoo.cassettes import CassetteError, use_cassette

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cassettes.conftest import ModelServer, Pipeline

DEAD = "http://dead.invalid/v1"
REPLAYS = int(os.environ.get("REPLAYS", "1000"))
"""`make kits` runs 10,000."""


def ask(url: str) -> str:
    """Ask what everybody asks."""
    with httpx2.Client() as client:
        return client.post(f"{url}/embeddings", json={"input": "same"}).text


def in_threads(calls: "list[Callable[[], object]]") -> None:
    """Run each call in a thread of its own, all at once."""
    threads = [threading.Thread(target=call) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_a_cassette_for_each_thread(server: "ModelServer", pipeline: "Pipeline", tmp_path: Path) -> None:
    """Threads record and replay their own cassettes at the same time, and none has the requests of another."""
    together = threading.Barrier(8)

    def run(number: int, url: str) -> None:
        with use_cassette(tmp_path / f"{number}.yaml", record="once"):
            together.wait()
            for turn in range(3):
                assert pipeline.ask(f"thread {number}, {turn}", at=url) == f"You said: thread {number}, {turn}"
            together.wait()

    for url in (server.url, DEAD):
        in_threads([partial(run, number, url) for number in range(8)])
    assert len(server.seen) == 24
    for number in range(8):
        text = (tmp_path / f"{number}.yaml").read_text()
        assert text.count("- request:") == text.count(f"content: thread {number},") == 3


def test_a_cassette_for_each_task(server: "ModelServer", tmp_path: Path) -> None:
    """Tasks that run at the same time have cassettes of their own."""

    async def run(number: int, url: str) -> str:
        with use_cassette(tmp_path / f"{number}.yaml", record="once"):
            async with httpx2.AsyncClient() as client:
                answers = [await client.post(f"{url}/embeddings", json={"input": f"{number}"}) for _ in range(3)]
        return str([answer.json() for answer in answers])

    async def run_all(url: str) -> list[str]:
        return await asyncio.gather(*(run(number, url) for number in range(8)))

    assert asyncio.run(run_all(server.url)) == asyncio.run(run_all(DEAD))
    assert len(server.seen) == 24


def test_what_is_started_inside_belongs(server: "ModelServer", pipeline: "Pipeline", path: Path) -> None:
    """Threads, work for pools and tasks belong to the cassette of who started them, though others are open."""
    other = path.with_name("other.yaml")
    pool = ThreadPoolExecutor(1)
    pool.submit(int).result()

    def work(url: str) -> None:
        in_threads([lambda: pipeline.ask("thread", url)])
        assert pool.submit(pipeline.ask, "pool", url).result() == "You said: pool"
        assert asyncio.run(asyncio.to_thread(pipeline.ask, "task", url)) == "You said: task"

    def run(url: str) -> None:
        with use_cassette(path, record="once"):
            started, done = threading.Event(), threading.Event()

            def hold() -> None:
                with use_cassette(other, record="once"):
                    started.set()
                    done.wait(10)

            thread = threading.Thread(target=hold)
            thread.start()
            started.wait(10)
            work(url)
            done.set()
            thread.join()

    for url in (server.url, DEAD):
        run(url)
    pool.shutdown()
    assert len(server.seen) == 3
    assert "interactions: []" in other.read_text()


def test_strangers_are_refused(server: "ModelServer", pipeline: "Pipeline", tmp_path: Path) -> None:
    """A thread from outside plays the only cassette; with two of them, it is refused instead of being sent anywhere."""
    go, went = threading.Semaphore(0), threading.Semaphore(0)
    found: list[object] = []

    def stranger() -> None:
        for _ in range(2):
            go.acquire()
            try:
                found.append(pipeline.ask("hi", server.url))
            except CassetteError as error:
                found.append(error)
            went.release()

    thread = threading.Thread(target=stranger)
    thread.start()
    with use_cassette(tmp_path / "one.yaml", record="once"):
        go.release()
        went.acquire()
        with use_cassette(tmp_path / "two.yaml", record="once"):
            go.release()
            went.acquire()
    thread.join()
    assert found[0] == "You said: hi"
    assert "started outside of them" in str(found[1])
    assert len(server.seen) == 1


def test_one_outcome(server: "ModelServer", path: Path) -> None:
    """Thousands of replays by threads and tasks that all ask the same: each gets what it was told when recording."""
    threads, tasks, turns = 5, 4, 5

    async def talk(url: str, order: random.Random) -> list[list[str]]:
        async def one(client: httpx2.AsyncClient) -> list[str]:
            answers: list[str] = []
            for _ in range(turns):
                for _ in range(order.randrange(4)):
                    await asyncio.sleep(0)
                answers.append((await client.post(f"{url}/embeddings", json={"input": "same"})).text)
            return answers

        # Plain HTTP: to read the certificates would take longer than all replays.
        async with httpx2.AsyncClient(verify=False) as client:
            return await asyncio.gather(*(one(client) for _ in range(tasks)))

    def run(url: str, order: random.Random) -> dict[int, list[list[str]]]:
        found: dict[int, list[list[str]]] = {}

        def thread(number: int) -> None:
            found[number] = asyncio.run(talk(url, order))

        in_threads([partial(thread, number) for number in range(threads)])
        return found

    for number in range(threads * tasks * turns):
        server.send("text/plain", f"answer {number}")
    with use_cassette(path, record="once"):
        recorded = run(server.url, random.Random(0))  # noqa: S311 - no secret
    assert len({answer for lists in recorded.values() for answers in lists for answer in answers}) == 100
    for round_ in range(REPLAYS // (threads * tasks * turns)):
        with use_cassette(path):
            assert run(DEAD, random.Random(round_)) == recorded  # noqa: S311 - no secret


@pytest.mark.parametrize("clean", [True, False])
def test_nothing_stays_patched(clean: bool, server: "ModelServer", tmp_path: Path) -> None:  # noqa: FBT001
    """When the last cassette is closed, whatever the order, threads and clients are as they were before."""
    before = threading.Thread.start, ThreadPoolExecutor.submit, httpx2.HTTPTransport.handle_request
    first, second = (use_cassette(tmp_path / name, record="once") for name in ("a.yaml", "b.yaml"))
    first.__enter__()
    second.__enter__()
    for one in (first, second) if clean else (second, first):
        one.__exit__(None, None, None)
    assert (threading.Thread.start, ThreadPoolExecutor.submit, httpx2.HTTPTransport.handle_request) == before
    assert ask(server.url)
