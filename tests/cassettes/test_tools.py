"""Recorded tools: they run while recording, and not in a replay; their results and exceptions come back exactly."""
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUnknownMemberType=false, reportMissingTypeStubs=false
# Many tools here are lambdas, whose parameters have no types, and so has vcrpy.

import asyncio
import json
import os
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, make_dataclass
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar, cast
from uuid import UUID

import attrs
import httpx
import pytest
import requests
from hypothesis import example, given
from hypothesis import strategies as st
from mcp import Client, StdioServerParameters
from openai import OpenAI
from pydantic import BaseModel, ValidationError, create_model, field_validator
from pydantic_core import PydanticCustomError
from vcr import VCR
from vcr.record_mode import RecordMode

from memzoo import Conversation
from memzoo.cassettes import (
    Cassette,
    CassetteError,
    ReplayError,
    recorded_tool,
    use_cassette,
)
from memzoo.cassettes.exporting import export_cassette
from memzoo.cassettes.values import read_value, write_value
from memzoo.errors import MemoryZooWarning, OptionError
from memzoo.hosts.mcp.memory import GraphMemory
from memzoo.hosts.mcp.server import serve_http
from tests.forking import in_child

if TYPE_CHECKING:
    from tests.cassettes.conftest import ModelServer, Pipeline


def _talk_on(talk: Any, ask: Callable[[Any], Any]) -> None:
    next(talk)
    ask(talk)


@dataclass(frozen=True, slots=True)
class Price:
    """A frozen dataclass with slots."""

    amount: Decimal
    days: tuple[int, ...] = ()


@dataclass
class Trip:
    """A plain dataclass."""

    city: str

    def describe(self) -> str:
        """Return the city."""
        return self.city


class Offer(BaseModel):
    """A pydantic model."""

    price: Price
    seen: datetime | None = None


class Strict(BaseModel):
    """A pydantic model with a validator that refuses all."""

    text: str

    @field_validator("text")
    @classmethod
    def refuse(cls, text: str) -> str:
        """Refuse a text, in two ways."""
        if text == "{":
            raise PydanticCustomError("too_short", "shorter than {least}", {"least": 2})
        raise ValueError("no text is right")


T = TypeVar("T")


class Page(BaseModel, Generic[T]):
    """A pydantic model that is generic."""

    items: list[T]


class Level(Enum):
    """An enumeration."""

    LOW = 1


class Place(NamedTuple):
    """A named tuple."""

    name: str
    north: float


class RefusedError(Exception):
    """An exception with an initializer of its own."""

    def __init__(self, reason: str, *, code: int) -> None:
        super().__init__(f"{reason} ({code})")
        self.code = code


class SlotError(Exception):
    """An exception with a slot."""

    __slots__ = ("code",)

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.code = 7


def _noted() -> ValueError:
    error = ValueError("x")
    error.add_note("a note")
    return error


KEYS = st.none() | st.booleans() | st.integers() | st.text() | st.decimals(allow_nan=False) | st.dates() | st.binary()
SCALARS = st.one_of(
    KEYS,
    st.floats(),
    st.complex_numbers(),
    st.fractions(),
    st.uuids(),
    st.times().map(lambda one: one.replace(fold=0)),
    st.timedeltas(),
    st.datetimes(timezones=st.none() | st.timezones() | st.just(UTC)),
    st.just(Level.LOW),
    st.builds(Price, st.decimals()),
    st.builds(Place, st.text(), st.floats()),
    st.builds(Offer, price=st.builds(Price, st.decimals(allow_nan=False))),
    st.builds(Page[int], items=st.lists(st.integers())),
    st.text().map(Path),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner) | st.dictionaries(KEYS, inner) | st.tuples(inner, inner) | st.sets(KEYS) | st.frozensets(KEYS)
    ),
    max_leaves=8,
)


def record_and_replay(path: Path, run: Callable[[], Any]) -> tuple[Any, Any]:
    """What the same code gives while it is recorded, and in a replay."""
    with use_cassette(path, record="once", max_bytes=10**7):
        recorded = run()
    with use_cassette(path):
        return recorded, run()


@given(VALUES)
@example({"$set": [1]})
@example({1: -0.0, False: "1.10"})
def test_types_come_back(value: Any) -> None:
    """A value is equal, of the same type, all the way down, after its way through JSON."""
    back = read_value(json.loads(json.dumps(write_value(value))))
    assert type(back) is type(value)
    # As text, for in a comparison True is 1 and 1.0.
    assert json.dumps(write_value(back)) == json.dumps(write_value(value))


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ([object()], r"\$\[0\] is a builtins.object"),
        ({"a": (1, lambda: 1)}, r"\$\['a'\]\[1\] is a builtins.function"),
        (datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=1), "CET")), r"\$ is a datetime.datetime"),
        (type("Local", (Price,), {})(Decimal(1)), r"\$ is a .*Local"),
    ],
    ids=["object", "function", "named-zone", "local"],
)
def test_other_values_are_refused(value: Any, place: str, path: Path) -> None:
    """A value that would come back different is refused by its place and type, and nothing is written."""
    tool = recorded_tool(lambda: value, name="odd")
    with (
        pytest.raises(CassetteError, match=f"The tool odd cannot be recorded: its result: {place}"),
        use_cassette(path, record="once"),
    ):
        tool()
    assert not path.exists()


def test_a_tool_runs_once(path: Path) -> None:
    """A tool runs in none of 100 replays; each gives the same result, of the same types, and the same exception."""
    runs: list[str] = []

    @recorded_tool
    def price(item: str, *, days: int = 1) -> dict[int, Any]:
        runs.append(item)
        if item == "gold":
            raise RefusedError("too dear", code=7)
        return {days: Offer(price=Price(Decimal("1.10"), (1, 2)))}

    with use_cassette(path, record="once"):
        recorded = price("tea")
        with pytest.raises(RefusedError):
            price("gold")
    for _ in range(100):
        with use_cassette(path):
            assert price(days=1, item="tea") == recorded
            with pytest.raises(RefusedError, match=r"^too dear \(7\)$") as raised:
                price("gold")
            assert raised.value.code == 7
    assert runs == ["tea", "gold"]
    assert price("outside") == recorded
    assert runs == ["tea", "gold", "outside"]


def test_a_changed_call(path: Path) -> None:
    """Another argument fails, even if the code under test swallows the exception; so does a call that is left out."""
    tool = recorded_tool(lambda city: f"-17 in {city}", name="temperature")
    with use_cassette(path, record="once"):
        tool("Oslo")
    with (
        pytest.raises(ReplayError, match=r'tool temperature \{"city": "Bergen"\}'),
        use_cassette(path),
        suppress(ReplayError),
    ):
        tool("Bergen")
    with pytest.raises(ReplayError, match=r"1\. tool temperature"), use_cassette(path):
        pass


ERRORS = [
    KeyError("x"),
    json.JSONDecodeError("no value", "{}x", 2),
    FileNotFoundError(2, "gone", "f.txt"),
    RefusedError("no", code=7),
    StopIteration(1),
    KeyError("a", "b"),
    ImportError("gone", name="n", path="p"),
    ExceptionGroup("several", [ValueError(1)]),
    _noted(),
    SlotError("full"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_exceptions(error: Exception, path: Path) -> None:
    """An exception is raised again: its type, arguments, attributes and text."""

    @recorded_tool
    def fail() -> None:
        raise error

    def run() -> tuple[Any, ...]:
        with pytest.raises(type(error)) as raised:
            fail()
        members = [getattr(raised.value, name, None) for name in ("name", "path", "code")]
        return type(raised.value), repr(raised.value.args), vars(raised.value), str(raised.value), members

    recorded, replayed = record_and_replay(path, run)
    assert replayed == recorded


CLIENTS: dict[str, Callable[[str], Any]] = {
    "httpx": lambda url: httpx.post(f"{url}/embeddings", json={"input": "a"}).raise_for_status(),
    "requests": lambda url: requests.post(f"{url}/embeddings", json={"input": "a"}, timeout=9).raise_for_status(),
    "openai": lambda url: OpenAI(api_key="k", base_url=url, max_retries=0).embeddings.create(model="m", input="a"),
}


@pytest.mark.parametrize("client", CLIENTS)
def test_an_error_of_http(client: str, server: "ModelServer", path: Path) -> None:
    """The error of a client comes back with its answer and the address; of the headers, those that requests keep."""
    ask = recorded_tool(CLIENTS[client], name="ask")
    server.enqueue("all", "gone", status=404)

    def run() -> tuple[Any, ...]:
        with pytest.raises(Exception, match="404") as raised:
            ask(server.url)
        answer: Any = vars(raised.value)["response"]
        told = answer.status_code, answer.content, answer.encoding, str(answer.url), answer.headers["content-type"]
        return type(raised.value), str(raised.value), answer.request.method, *told

    recorded, replayed = record_and_replay(path, run)
    assert replayed == recorded


@pytest.mark.parametrize(
    "wrong", ['{"price": 1, "seen": "x"}', "[]", "{", '{"price": {"amount": "x"}, "seen": 0.5}'], ids=range(4)
)
@pytest.mark.parametrize("read", [Offer.model_validate_json, lambda text: Strict(text=text)], ids=["json", "python"])
def test_an_error_of_a_model(read: Callable[[str], Any], wrong: str, path: Path) -> None:
    """What pydantic refuses comes back with all its errors."""
    tool = recorded_tool(read, name="read")

    def run() -> tuple[Any, ...]:
        with pytest.raises(ValidationError) as raised:
            tool(wrong)
        return raised.value.args, str(raised.value), str(raised.value.errors()), raised.value.json()

    recorded, replayed = record_and_replay(path, run)
    assert replayed == recorded


def test_two_tools_of_one_name(path: Path) -> None:
    """Functions, objects and objects' methods of one name are refused while recording; a function made anew is not."""

    def make(number: int) -> Callable[[], int]:
        return recorded_tool(lambda: number, name="one")

    assert record_and_replay(path, lambda: [make(1)(), make(2)()]) == ([1, 2], [1, 2])
    tools = [recorded_tool(function, name="look") for function in (lambda: 1, lambda: 2)]
    objects = [recorded_tool(partial(pow, number)) for number in (2, 3)]
    methods = [recorded_tool(Trip(city).describe) for city in ("Oslo", "Rome")]
    for first, other, args in ((*tools, ()), (*objects, (2,)), (*methods, ())):
        with (
            pytest.raises(CassetteError, match=r"is the name of two functions, .*name="),
            use_cassette(path, record="all"),
        ):
            _ = first(*args), other(*args)


def test_an_exception_that_cannot_be_kept(path: Path) -> None:
    """An exception with parts that cannot be written is refused by name."""

    def fail() -> None:
        raise ValueError(object())

    with pytest.raises(CassetteError, match="cannot be recorded: its exception"), use_cassette(path, record="once"):
        recorded_tool(fail)()


def test_kinds_of_functions(path: Path) -> None:
    """Functions, generators, and asynchronous ones of both, stay what they are."""
    runs: list[str] = []

    @recorded_tool
    def numbers(end: int) -> Iterator[int]:
        runs.append("numbers")
        yield from range(end)
        raise RefusedError("end", code=end)

    @recorded_tool
    async def later(text: str) -> bytes:
        runs.append("later")
        return text.encode()

    @recorded_tool
    async def stream(end: int) -> AsyncIterator[int]:
        runs.append("stream")
        for number in range(end):
            yield number

    async def read() -> list[Any]:
        return [await later("a"), [item async for item in stream(3)]]

    def run() -> list[Any]:
        seen: list[Any] = []
        with pytest.raises(RefusedError, match="end"):
            seen += iter(numbers(2))
        first = next(left := numbers(5))
        left.close()  # type: ignore[attr-defined]
        return [*seen, first, *asyncio.run(read())]

    recorded, replayed = record_and_replay(path, run)
    assert replayed == recorded == [0, 1, 0, b"a", [0, 1, 2]]
    assert runs == ["numbers", "numbers", "later", "stream"]


def test_a_partial_function_stays_what_it_is(path: Path) -> None:
    """With an argument given beforehand, an asynchronous function is awaited."""

    async def add(one: int, other: int) -> int:
        return one + other

    add_two = recorded_tool(partial(add, 2), name="add_two")
    assert record_and_replay(path, lambda: asyncio.run(add_two(3))) == (5, 5)


def test_a_generator_that_is_read_further(path: Path) -> None:
    """If the recording stopped in the middle, a replay that wants more items fails."""

    @recorded_tool
    def numbers() -> Iterator[int]:
        yield from (1, 2)

    with use_cassette(path, record="once"):
        next(numbers())
    with pytest.raises(ReplayError, match="asked for more items"), use_cassette(path):
        list(numbers())


@pytest.mark.parametrize("ask", [lambda one: one.send(1), next], ids=["send", "return"])
def test_generators_that_talk(ask: Callable[[Any], Any], path: Path) -> None:
    """A generator that gets or returns a value is refused."""

    @recorded_tool
    def talk() -> Any:
        yield 1
        return 2

    with (
        pytest.raises(CassetteError, match=r"The tool talk cannot be recorded: its generator (gets|returns) a value"),
        use_cassette(path, record="once"),
    ):
        _talk_on(talk(), ask)


async def _stream(runs: list[str]) -> AsyncIterator[int]:
    try:
        for number in range(3):
            yield number
    finally:
        runs.append("closed")


@pytest.mark.parametrize("keep", [True, False])
def test_a_generator_that_is_left_open(keep: bool, path: Path) -> None:  # noqa: FBT001 - one of two
    """Of an asynchronous generator that nobody closes before the cassette ends, the items so far are recorded."""
    runs, kept = list[str](), list[Any]()
    stream = recorded_tool(_stream, ignore=["runs"])

    async def run() -> int | None:
        with use_cassette(path, record="once"):
            items = stream(runs)
            kept.extend([items] if keep else [])
            async for item in items:
                return item
        return None

    assert asyncio.run(run()) == 0
    assert asyncio.run(run()) == 0
    assert runs == ["closed"]
    assert path.read_text().count("left: true") == 1


def test_what_a_generator_asks_at_its_end(path: Path) -> None:
    """Also a tool that a generator calls when it is left is part of its call."""
    look = recorded_tool(lambda: 1, name="look")

    @recorded_tool
    def numbers() -> Iterator[int]:
        try:
            yield from (1, 2)
        finally:
            look()

    assert record_and_replay(path, lambda: next(numbers())) == (1, 1)


def test_a_function_behind_a_decorator(path: Path) -> None:
    """A decorator that hides that the function is asynchronous is refused, with the mend."""

    async def look() -> int:
        return 1

    hidden = recorded_tool(wraps(look)(lambda: look()))  # noqa: PLW0108 - as decorators do
    with (
        pytest.raises(
            CassetteError, match=r"tool look .* a builtins.coroutine.*; a decorator .* put recorded_tool below it"
        ),
        use_cassette(path, record="once"),
    ):
        asyncio.run(hidden())


@pytest.mark.parametrize("end", [SystemExit, KeyboardInterrupt, asyncio.CancelledError])
def test_a_call_that_is_cut_off(end: type[BaseException], path: Path) -> None:
    """A call that is cancelled, or ends the program, is no result: nothing is recorded, and the failure names it."""

    @recorded_tool
    def look() -> None:
        raise end

    @recorded_tool
    def numbers() -> Iterator[int]:
        yield 1
        raise end

    for call in (look, lambda: list(numbers())):
        with (
            pytest.raises(CassetteError, match=r"No answer came to tool \w+ \{\} \(it was given up, cut off"),
            use_cassette(path, record="once"),
            suppress(end),
        ):
            call()
        assert not path.exists()


def test_tools_in_threads(path: Path) -> None:
    """Tools run in threads and tasks at once; equal calls get each their own result, in every replay."""
    lock, both = threading.Lock(), threading.Barrier(2)
    ran: list[int] = []

    @recorded_tool
    def count(of: str) -> str:
        with lock:
            ran.append(1)
            is_early = len(ran) <= 2
        if is_early:
            both.wait(60)  # otherwise one thread may do all
        return f"{of} {threading.current_thread().name}"

    def run() -> list[str]:
        with ThreadPoolExecutor(2, thread_name_prefix="t") as pool:
            return list(pool.map(count, ["a", "b", "a"]))

    recorded, replayed = record_and_replay(path, run)
    assert [one.rpartition("_")[0] for one in replayed] == ["a t", "b t", "a t"]
    assert sorted(replayed) == sorted(recorded)
    assert len(ran) == 3


def test_a_tool_that_asks_a_model(server: "ModelServer", pipeline: "Pipeline", path: Path) -> None:
    """The requests of a tool, also from its threads and tasks, are part of its call; those beside it are not."""

    @recorded_tool
    def ask(text: str) -> list[Any]:
        with ThreadPoolExecutor(1) as pool:
            found = [pool.submit(pipeline.ask, text, server.url).result()]
        return [*found, *pipeline.ask_together(text, at=server.url)]

    def run() -> list[Any]:
        with ThreadPoolExecutor(1) as pool:
            return [ask("in"), *pool.map(lambda text: pipeline.ask(text, server.url), ["beside"])]

    with use_cassette(path, record="once"):
        recorded = run()
    server.stop()
    with use_cassette(path):
        assert run() == recorded == [["You said: in", "You said: in"], "You said: beside"]
    assert path.read_text().count("- request:") == 2


def test_a_tool_that_asks_a_recorded_function(path: Path) -> None:
    """The reply is part of the tool's call too."""

    def run(cassette: Cassette) -> Any:
        model = cassette.model(lambda _: "an answer")

        @recorded_tool
        def ask(text: str) -> str:
            return model([{"role": "user", "content": text}])

        return ask("a")

    with use_cassette(path, record="once") as cassette:
        assert run(cassette) == "an answer"
    with use_cassette(path) as cassette:
        assert run(cassette) == "an answer"


def test_arguments(path: Path) -> None:
    """A context is left out by name; an argument of no known type, and one that the tool changes, are refused."""

    @recorded_tool(ignore=["context"])
    def look(context: object, key: str) -> str:
        return key

    assert record_and_replay(path, lambda: look(object(), "k")) == ("k", "k")
    with pytest.raises(CassetteError, match=r"argument obj: .*ignore="), use_cassette(path, record="all"):
        recorded_tool(repr, name="repr")(object())
    with pytest.raises(CassetteError, match="changes its argument"), use_cassette(path, record="all"):
        recorded_tool(list.append)([], 1)
    with pytest.raises(TypeError, match="missing"), use_cassette(path, record="all"):
        look("k")  # type: ignore[call-arg]
    with pytest.raises(OptionError, match=r"ignore=\['self'\]"):
        recorded_tool(look, ignore=["self"])
    with pytest.raises(OptionError, match="parameters cannot be read"):
        recorded_tool(7)  # type: ignore[call-overload]


def test_secrets(path: Path) -> None:
    """A key in an argument is hidden, and still matches; one in a result is hidden with a warning."""
    tool = recorded_tool(lambda api_key: {"cookies": "chocolate", "said": f"Hi {api_key}"}, name="tool")
    with pytest.warns(MemoryZooWarning, match=r"\$.returned.said"), use_cassette(path, record="once"):
        tool("kept-nowhere-12345")
    assert "kept-nowhere" not in path.read_text()
    with pytest.warns(MemoryZooWarning), use_cassette(path):
        assert tool("kept-nowhere-12345") == {"cookies": "chocolate", "said": "Hi SCRUBBED"}


def test_a_secret_that_is_no_text(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that is part of another type than a text cannot be hidden in it: nothing is written."""
    monkeypatch.setenv("MY_API_KEY", "6b29fc40-ca47-1067-b31d-00dd010662da")
    tool = recorded_tool(lambda: UUID("6b29fc40-ca47-1067-b31d-00dd010662da"), name="key")
    with (
        pytest.raises(CassetteError, match=r"tool key cannot be read: .* it contains a key \(\$\.returned\.\$uuid"),
        use_cassette(path, record="once"),
    ):
        tool()
    assert not path.exists()


@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
def test_a_forked_process(path: Path) -> None:
    """What a forked process asks would not be in the recording, and is refused there, while recording and replaying."""
    tool = recorded_tool(lambda: 1, name="tool")

    def ask_in_child() -> None:
        with pytest.raises(CassetteError, match=r"tool tool \{\} comes from a process that was forked"):
            tool()

    def run() -> int:
        in_child(ask_in_child)
        return tool()

    assert record_and_replay(path, run) == (1, 1)


def test_a_class_that_is_gone(path: Path) -> None:
    """A result of a class that is not there any more is told by the class's name."""
    tool = recorded_tool(lambda: Price(Decimal(1)), name="price")
    with use_cassette(path, record="once"):
        tool()
    path.write_text(path.read_text().replace(":Price", ":Gone"))
    with pytest.raises(CassetteError, match=r"tool price cannot be read: .*:Gone"), use_cassette(path):
        tool()


def test_a_class_with_another_field(path: Path) -> None:
    """A result whose class gained or renamed a field is refused, and does not come back half-built."""
    tool = recorded_tool(lambda: Trip("Oslo"), name="trip")
    with use_cassette(path, record="once"):
        tool()
    path.write_text(path.read_text().replace("city:", "town:"))
    with pytest.raises(CassetteError, match=":Trip has other fields now than in the recording"), use_cassette(path):
        tool()


CLASSES: dict[str, Callable[[Any], type]] = {
    "plain": lambda members: make_dataclass("Changing", members),
    "slots": lambda members: make_dataclass("Changing", members, slots=True),
    "frozen": lambda members: make_dataclass("Changing", members, frozen=True),
    "frozen-slots": lambda members: make_dataclass("Changing", members, frozen=True, slots=True),
    "attrs": lambda members: _define_with_attrs(members, slots=False),
    "attrs-slots": lambda members: _define_with_attrs(members, slots=True),
    "model": lambda members: cast("Any", create_model)(
        "Changing", **{name: (kind, *rest) if rest else (kind, ...) for name, kind, *rest in members}
    ),
    "tuple": lambda members: cast("Any", NamedTuple)("Changing", [member[:2] for member in members]),
}


def _define_with_attrs(members: Any, *, slots: bool) -> type:
    found = {name: attrs.field(default=rest[0] if rest else attrs.NOTHING) for name, _, *rest in members}
    return attrs.make_class("Changing", found, slots=slots)


FIELDS = {
    "gained": [("city", str), ("days", int), ("night", bool, True)],
    "renamed": [("town", str), ("days", int)],
    "reordered": [("days", int), ("city", str)],
}


@pytest.mark.parametrize("change", FIELDS)
@pytest.mark.parametrize("made", CLASSES)
def test_a_class_that_changed(made: str, change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A field that a class gained, also with a default, or renamed is refused; in another order, each has its value."""

    def define(members: Any) -> Any:
        found = CLASSES[made](members)
        found.__module__ = __name__
        monkeypatch.setitem(globals(), "Changing", found)
        return found

    written = json.loads(json.dumps(write_value(define([("city", str), ("days", int)])(city="Oslo", days=3))))
    define(FIELDS[change])
    if change == "reordered":
        found = read_value(written)
        assert (found.city, found.days) == ("Oslo", 3)
        return
    with pytest.raises((AttributeError, LookupError, TypeError, ValueError)):
        read_value(written)


@pytest.mark.parametrize("damage", [("returned:", "gone:"), ("returned: 1", "yielded: 1"), ("of: x", "- x")])
def test_a_damaged_call(damage: tuple[str, str], path: Path) -> None:
    """A call of a tool without arguments or an outcome is refused when the file is read."""
    tool = recorded_tool(lambda of: 1, name="tool")  # noqa: ARG005 - recorded, not used
    with use_cassette(path, record="once"):
        tool("x")
    path.write_text(path.read_text().replace(*damage))
    with pytest.raises(CassetteError, match="recording 1 is not a tool call"):
        use_cassette(path).__enter__()


def test_vcrpy(server: "ModelServer", pipeline: "Pipeline", path: Path) -> None:
    """Vcrpy replays the requests of an exported run and ignores its tools; this kit replays both from that file."""
    tool = recorded_tool(lambda of: {of: {1, 2}}, name="numbers")
    with use_cassette(path, record="once"):
        recorded = [pipeline.ask("a", server.url), tool("x"), pipeline.ask("b", server.url)]
    server.stop()
    export_cassette(path, exported := path.with_name("vcr.yaml"), origin="https://dead.invalid:9")
    with VCR(record_mode=RecordMode.NONE).use_cassette(str(exported)) as cassette:
        assert [pipeline.ask("a"), pipeline.ask("b")] == recorded[::2]
    assert cassette.all_played
    with use_cassette(exported):
        assert [pipeline.ask("a"), tool("x"), pipeline.ask("b")] == recorded


def test_a_conversation(path: Path) -> None:
    """A conversation's tools are recorded by one word each; in a replay they do not run."""
    ran: list[str] = []

    def temperature(city: str) -> int:
        """How many degrees centigrade a city has."""
        ran.append(city)
        return -17

    def run() -> int:
        talk = Conversation("offline", tools=[recorded_tool(temperature)])
        (tool,) = talk.tools.values()
        assert tool.name == "temperature"
        assert tool.parameters["required"] == ["city"]
        return asyncio.run(tool.call('{"city": "Oslo"}'))

    assert record_and_replay(path, run) == (-17, -17)
    assert ran == ["Oslo"]


ADA = {"entities": [{"name": "Ada", "entityType": "person", "observations": ["likes tea"]}]}


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_tools_of_mcp_over_http(mode: str, path: Path) -> None:
    """Both generations of the protocol replay without their server; what ends or hears a session is not kept."""

    async def ask(url: str) -> list[Any]:
        with use_cassette(path, record="once"):
            async with Client(url, mode=mode) as client:
                calls = [("create_entities", ADA), ("read_graph", {})]
                return [(await client.call_tool(*call)).structured_content for call in calls]

    async def record() -> list[Any]:
        url = asyncio.get_running_loop().create_future()
        serving = asyncio.create_task(serve_http(GraphMemory(), 0, url.set_result))
        found = await ask(await url)
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
        return found

    assert asyncio.run(record())[1] == {**ADA, "relations": []}
    assert asyncio.run(ask("http://127.0.0.1:9/mcp"))[1] == {**ADA, "relations": []}


def test_tools_of_mcp_over_standard_streams(path: Path) -> None:
    """A session's calls are recorded by one line, and the server of a replay gets none of them."""

    async def ask(name: str) -> tuple[Any, Any]:
        environment = {"MEMORY_FILE_PATH": str(path.parent / name / "m.jsonl"), "PYTHONPATH": os.pathsep.join(sys.path)}
        server = StdioServerParameters(command=sys.executable, args=["-m", "memzoo", "mcp"], env=environment)
        async with Client(server) as client:
            with use_cassette(path, record="once"):
                found = await recorded_tool(client.call_tool, name="mcp")("create_entities", ADA)
            return found, (await client.call_tool("read_graph", {})).structured_content["entities"]

    (recorded, there), (replayed, left) = asyncio.run(ask("one")), asyncio.run(ask("other"))
    assert (recorded, there, left) == (replayed, ADA["entities"], [])
