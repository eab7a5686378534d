"""Kills a process in the middle of a framework's run that uses a memory; another process continues the talk."""

import asyncio
import contextlib
import functools
import importlib.util
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
from typing import Any

from memzoo import create_memory
from memzoo.stores import Message, open_store
from tools.faults.lives import killed, tell
from tools.faults.places import Places
from tools.faults.tally import Cell, Tally

__all__ = ["host_cells", "kill_runs"]

_TURNS = 8
_STRATEGIES = ("buffer", "window")
_TOOK, _LONG = "seconds: ", 600
_LATER = 1.2  # the last kills come when a process has ended, as often as not


def host_cells(places: Places, kills: int) -> Iterator[Cell]:
    """Yield a cell for each store that processes can share, if the OpenAI Agents SDK is installed."""
    if importlib.util.find_spec("agents") is None:
        return
    for strategy in _STRATEGIES:
        for store in ("sqlite", "postgresql"):
            new = functools.partial(places.url, store)
            yield Tally("host killed in a turn", strategy, store), functools.partial(kill_runs, new=new, kills=kills)


def kill_runs(tally: Tally, new: Callable[[], str], kills: int, *, seed: int = 0) -> None:
    """Kill `kills` processes at random moments; after each kill, a new process continues on the same store.

    A turn that was reported as finished must be in the log with its call and its answer. An interrupted turn is asked
    again, and its question must be in the log once.
    """
    chance = random.Random(f"{seed} {tally.strategy} {tally.store}")  # noqa: S311 - chance that repeats
    (took,) = _ended(tally.strategy, new(), 0) - {str(turn) for turn in range(_TURNS)}
    longest, attempt = float(took.removeprefix(_TOOK)), 0
    while tally.tried < kills:
        url, is_killed, acknowledged = new(), True, set[str]()
        while is_killed and tally.tried < kills:
            attempt += 1
            after = chance.uniform(0, _LATER * longest)
            told, is_killed = killed(_talk, tally.strategy, url, attempt, after=after)
            acknowledged |= {one for one in told if one.isdecimal()}
            tally.tried += is_killed
            _look(tally, _said(url), acknowledged)
        _ended(tally.strategy, url, attempt + 1)
        _look(tally, _said(url), {str(turn) for turn in range(_TURNS)})


def _ended(strategy: str, url: str, attempt: int) -> set[str]:
    """Return the reports of a process that runs to its end."""
    return killed(_talk, strategy, url, attempt, after=_LONG)[0] - {"open"}


def _talk(strategy: str, url: str, attempt: int, pipe: Connection) -> None:
    """Ask all unanswered questions, each in a run of its own; report the begin and each answer over a pipe."""
    import agents
    from agents.testing import ScriptedModel, assistant_message, function_call

    from memzoo.hosts.openai_agents import MemorySession

    agents.set_trace_processors([])

    def weather(place: str) -> str:
        """Return the weather in a place."""
        return f"Sunny in {place}."

    async def talk(session: Any) -> None:
        answered = sum(message["role"] == "assistant" and bool(message["content"]) for message in _said(url))
        for turn in range(answered, _TURNS):
            call = function_call("weather", {"place": str(turn)}, call_id=f"{turn}-{attempt}")
            model = ScriptedModel([[call], [assistant_message(f"Answer {turn}")]])
            agent = agents.Agent(name="assistant", model=model, tools=[agents.function_tool(weather)])
            await agents.Runner.run(agent, f"Question {turn}", session=session)
            tell(pipe, str(turn))

    with contextlib.closing(open_store(url)) as store:
        session = MemorySession(create_memory(strategy, store=store, conversation_id="anna"))
        began = time.monotonic()
        tell(pipe, "open")
        asyncio.run(talk(session))
        tell(pipe, f"{_TOOK}{time.monotonic() - began}")


def _said(url: str) -> list[Message]:
    with contextlib.closing(open_store(url)) as store:
        return create_memory("buffer", store=store, conversation_id="anna").history()


def _look(tally: Tally, said: Sequence[Message], acknowledged: set[str]) -> None:
    """Check that all reported turns are in the log, and that no question, answer, call or result is there twice."""
    words = Counter(message["content"] for message in said if message["role"] != "tool" and message["content"])
    calls = Counter(call["id"] for message in said for call in message.get("tool_calls") or ())
    results = Counter(message["tool_call_id"] for message in said if message["role"] == "tool")
    for turn in acknowledged:
        whole = words[f"Question {turn}"] and words[f"Answer {turn}"] and any(i.startswith(f"{turn}-") for i in results)
        tally.lost += not whole
        if not whole:
            tally.example(f"turn {turn} is not whole")
    doubled = [name for counted in (words, calls, results) for name, count in counted.items() if count > 1]
    tally.doubled += len(doubled)
    if doubled:
        tally.example(f"{doubled} are there more than once")
    tally.check_equal([i for i in results if i not in calls], [], "results without a call")
    spoken = [message["content"] for message in said if message["role"] in ("user", "assistant") and message["content"]]
    numbers = [int(text.split()[1]) for text in spoken]
    tally.check_equal(numbers, sorted(numbers), "the order")
