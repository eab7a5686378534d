"""Makes views: of each strategy, with each option that changes views, after made-up talks without repeated words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, cycle
from typing import Any

from memzoo.memories import BaseMemory, create_memory
from memzoo.memories.text.families import Family
from memzoo.stores import Message
from tools.templates.rendering import called, said

__all__ = ["OPTIONS", "QUESTION", "View", "views", "words_of"]

COUNTS = (1, 2, 7, 20, 60)
_SYLLABLES = "ba de fi go ku la me ni po ru".split()
NAMES = ["".join(_SYLLABLES[int(digit)] for digit in f"{number:03}").capitalize() for number in range(200)]
"""Made-up names; each occurs in one message only, so a lost message is noticed."""

SYSTEM = "You are Zimutka, an assistant who answers in one sentence."
QUESTION = f"Where does {NAMES[0]} live, and who is {NAMES[2]}?"

_RECALLED: Sequence[dict[str, Any]] = (
    {"recalled_role": "user"},
    {"recalled_role": "system"},
    {"recalled_role": "developer"},
    {"recalled_place": "after"},
    {"recalled_place": "after", "recalled_role": "system"},
)
_LLM: dict[str, Any] = {"llm": "offline"}
_MADE: dict[str, Any] = {**_LLM, "token_counter": "approximate", "learn_every": 1}
_WINDOW: Sequence[dict[str, Any]] = (
    {"evict": "exchange"},
    {"rules": "langchain4j"},
    {"step": 4},
)
OPTIONS: Mapping[str, Sequence[dict[str, Any]]] = {
    "buffer": (),
    "window": ({"k": 0}, {"k": 2, "step": 2}),
    "summary": (*_RECALLED, {"learn_every": 3}, {"learn": "later"}),
    "summary-buffer": (*_RECALLED, {"max_token_limit": 60}, {"max_token_limit": 60, "recalled_place": "after"}),
    "entity": (*_RECALLED, {"k": 0}, {"step": 2}, {"stay_tokens": 200}, {"max_token_limit": None}),
    "vector-retriever": (*_RECALLED, {"k": 2}, {"max_token_limit": 60}, {"stay_tokens": 200}),
    "knowledge-graph": (*_RECALLED, {"max_token_limit": None}, {"stay_tokens": 200}, {"learn": "later"}),
    "combined": (
        *_RECALLED,
        {"max_token_limit": 400},
        {"memories": (("summary", _LLM), ("knowledge-graph", _LLM), ("window", {"k": 2}))},
    ),
    "message-window": (*_WINDOW, *({"max_messages": size, "oversized": "keep"} for size in (3, 5, 6))),
    "token-window": (
        *_WINDOW,
        {"max_token_limit": 60, "oversized": "keep"},
        {"max_token_limit": 75, "oversized": "keep"},
    ),
    "summarizing-window": (*_RECALLED, {"max_messages": 6}, {"max_messages": 3, "recalled_place": "after"}),
}
"""The options that change the order, roles or number of messages in a view, by strategy; each dict is tried."""

# The default, given to tell these talks apart: their first message is pinned.
_PINNED = {"return_messages": False}
_ALL: Sequence[dict[str, Any]] = (_PINNED, {"clear_tool_results": {"keep": 1, "step": 1}})


def _told(number: int) -> str:
    name, place, firm = NAMES[number], NAMES[-1 - number], NAMES[70 + number]
    return f"{name} lives in {place}. {name} works at {firm}."


def _plain() -> Iterator[Message]:
    for number, role in zip(count(), cycle(("user", "assistant"))):
        yield said(role, _told(number))


def _with_tools() -> Iterator[Message]:
    number = count()

    def calls(several: int, content: str | None = None) -> list[Message]:
        names = [NAMES[next(number)] for _ in range(several)]
        return called(*names, content=content, ids=f"call_{names[0]}_as_long_as_ids_are_")

    while True:
        yield said("user", _told(next(number)))
        yield from calls(1)
        yield said("assistant", _told(next(number)))
        yield said("user", _told(next(number)))
        yield from calls(2, _told(next(number)))
        yield from calls(1)
        yield said("assistant", _told(next(number)))


def _uneven() -> Iterator[Message]:
    """Yield a talk that begins with an answer, and has runs of one role, names, parts and an empty answer."""
    number = count()
    while True:
        yield said("assistant", _told(next(number)))
        yield said("user", _told(next(number)), name="ann")
        yield said("user", _told(next(number)), name="bob")
        yield said("assistant", _told(next(number)))
        yield said("assistant", _told(next(number)))
        yield said("user", [{"type": "text", "text": _told(next(number))} for _ in range(2)])
        yield said("assistant", "")
        yield said("user", _told(next(number)))


TALKS = {"plain": _plain, "tools": _with_tools, "uneven": _uneven}


@dataclass(frozen=True)
class View:
    """A memory after some messages.

    Attributes:
        strategy: The name of the strategy.
        label: The options, the talk and the number of messages, in words.
        memory: The memory.
        system: The application's system prompt for the request; "" without one.
        tools: True if the log has tool calls.
    """

    strategy: str
    label: str
    memory: BaseMemory
    system: str
    tools: bool

    def request(self, family: Family) -> list[Message]:
        """Return the whole request for a family of endpoints."""
        return self.memory.request(QUESTION, system=self.system, family=family)


def views(strategies: Sequence[str]) -> Iterator[View]:
    """Yield all views. Use each before you take the next, which may have the same memory with more messages."""
    for name in strategies:
        for options in ({}, *OPTIONS[name], *_ALL):
            for talk in TALKS if not options else ("plain", "tools"):
                for logged in (False, True):
                    for number, memory in _grown(name, options, talk, logged=logged):
                        for system in ("",) if logged else ("", SYSTEM):
                            place = ", a logged system message" if logged else ", a system prompt" if system else ""
                            label = f"{options or 'defaults'}, {talk} {number}{place}"
                            yield View(name, label, memory, system, talk == "tools")


def _grown(name: str, options: dict[str, Any], talk: str, *, logged: bool) -> Iterator[tuple[int, BaseMemory]]:
    memory = create_memory(name, **(_MADE | options))
    if logged:
        memory.add_messages([said("system", SYSTEM)])
    messages, before = TALKS[talk](), 0
    for number in COUNTS:
        added = [next(messages) for _ in range(number - before)]
        memory.add_messages(added[:1], pinned=options == _PINNED and not before)
        memory.add_messages(added[1:])
        before = number
        yield number, memory


def words_of(messages: Sequence[Message] | str) -> set[str]:
    """Return the `NAMES` that occur in messages or in a text."""
    text = str(messages)
    return {name for name in NAMES if name in text}
