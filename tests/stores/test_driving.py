"""One body of code for synchronous and asynchronous callers."""

import asyncio
import inspect
from collections.abc import AsyncGenerator, AsyncIterable, Iterable
from typing import Annotated

import httpx
import pytest
from fastapi import Depends, FastAPI

from memzoo.errors import AsyncOnlyError
from memzoo.memories import BaseMemory
from memzoo.stores import import_conversation
from memzoo.sync import blocking, blocking_function, drive, each, is_blocking, settled, together


class Library:
    """Something with asynchronous methods and their synchronous twins."""

    def __init__(self) -> None:
        self.titles = ["Emma"]

    async def afind(self, start: str = "", *, limit: int = 10) -> list[str]:
        """Find titles.

        Args:
            start: How they begin.
            limit: At most so many.
        """
        return [title for title in self.titles if title.startswith(start)][:limit]

    find = blocking(afind)


async def acount(start: str = "") -> int:
    """Count titles."""
    return len(await Library().afind(start))


count = blocking_function(acount)


async def got(app: FastAPI, path: str) -> object:
    """What the application answers."""
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://library") as client:
        return (await client.get(path)).raise_for_status().json()


def test_a_twin_serves_as_an_endpoint():
    """FastAPI calls twins of methods and functions as what they are, and sees their parameters."""
    app, library = FastAPI(), Library()
    app.add_api_route("/find", library.find)
    app.add_api_route("/count", count)
    found = [asyncio.run(got(app, path)) for path in ("/find?start=E", "/find?start=X", "/find?limit=0", "/count")]
    assert found == [["Emma"], [], [], 1]


def test_a_twin_serves_as_a_dependency():
    """FastAPI injects what a twin returns."""
    app, library = FastAPI(), Library()

    @app.get("/")
    def titles(found: Annotated[list[str], Depends(library.find)], number: Annotated[int, Depends(count)]) -> list[str]:
        return found * number

    assert asyncio.run(got(app, "/?start=E")) == ["Emma"]


@pytest.mark.parametrize(
    ("twin", "name", "origin"),
    [
        (Library.find, "Library.find", Library.afind),
        (count, "count", acount),
        (BaseMemory.save_context, "BaseMemory.save_context", BaseMemory.asave_context),
        (import_conversation, "import_conversation", None),
    ],
)
def test_a_twin_looks_like_a_function_of_its_own(twin: object, name: str, origin: object):
    """It has a name, a module, a signature and a docstring, and no tool takes it for a coroutine function."""
    assert getattr(twin, "__qualname__", "") == name
    assert getattr(twin, "__name__", "") == name.rpartition(".")[2]
    assert callable(twin)
    assert inspect.unwrap(twin) is twin
    assert not inspect.iscoroutinefunction(twin)
    if callable(origin):
        assert getattr(twin, "__module__", "") == origin.__module__
        assert inspect.signature(twin) == inspect.signature(origin)
        assert inspect.getdoc(twin) == f"Like `{origin.__name__}`, for synchronous code.\n\n{inspect.getdoc(origin)}"


def test_a_twin_follows_an_override():
    """A subclass overrides the asynchronous method alone."""

    class Closed(Library):
        async def afind(self, start: str = "", *, limit: int = 10) -> list[str]:
            return ["closed"]

    assert Closed().find() == ["closed"]


async def blocks() -> bool:
    """Whether it runs within a synchronous call."""
    return is_blocking()


def test_is_blocking_within_a_synchronous_call_alone():
    """What is driven blocks, in a loop or without one, and in the threads of `together`; what is awaited does not."""

    async def several() -> list[bool]:
        return await together([blocks(), blocks()])

    async def in_a_loop() -> list[bool]:
        return [drive(blocks()), await blocks(), *drive(several()), *await several()]

    assert drive(blocks())
    assert drive(several()) == [True, True]
    assert not asyncio.run(blocks())
    assert asyncio.run(in_a_loop()) == [True, False, True, True, False, False]
    assert not is_blocking()


def test_a_loop_begun_within_a_synchronous_call_does_not_block():
    """A callable of the user's may run an event loop of its own; what it awaits there is asynchronous."""

    async def nested() -> list[bool]:
        with asyncio.Runner() as runner:
            return [is_blocking(), runner.run(blocks()), is_blocking()]

    assert drive(nested()) == [True, False, True]


def test_a_task_begun_within_a_synchronous_call_does_not_block():
    """A task outlives the synchronous call that began it, and takes its context along."""

    async def begin() -> asyncio.Task[bool]:
        return asyncio.get_running_loop().create_task(blocks())

    async def main() -> bool:
        return await drive(begin())

    assert not asyncio.run(main())


async def letters() -> AsyncGenerator[str]:
    """A stream of a client that waits."""
    for letter in "abc":
        await asyncio.sleep(0)
        yield letter


def test_each_reads_streams_of_both_kinds():
    """An ordinary stream is read in a synchronous call too; one that has to wait needs an event loop."""

    async def read(stream: AsyncIterable[str] | Iterable[str]) -> str:
        return "".join([item async for item in each(stream)])

    assert drive(read(iter("abc"))) == asyncio.run(read(iter("abc"))) == asyncio.run(read(letters())) == "abc"
    with pytest.raises(AsyncOnlyError):
        drive(read(letters()))


def test_what_needs_a_loop_is_refused_with_advice():
    """Python's complaint about a missing event loop becomes advice; other errors stay what they are."""

    async def needing() -> None:
        asyncio.get_running_loop()

    async def failing() -> None:
        raise RuntimeError("no such book")

    with pytest.raises(AsyncOnlyError, match="asynchronous version"):
        drive(settled(needing()))
    with pytest.raises(AsyncOnlyError, match="asynchronous version"):
        drive(settled(asyncio.sleep(1)))
    with pytest.raises(RuntimeError, match="no such book"):
        drive(settled(failing()))
