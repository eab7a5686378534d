"""What the tests of the strategies share: a function that answers our prompts by rule, so that nothing is chance."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from memzoo.memories import BaseMemory, create_memory
from memzoo.memories.models import ChatFunction
from memzoo.stores import InMemoryStore, Message, Store

NOON = datetime(2026, 5, 8, 12, tzinfo=UTC)
_LABELS = {"Human", "AI", "System", "Tool", "Function"}


@pytest.fixture(scope="session")
def clerk() -> ChatFunction:
    """A scripted function model that forgets nothing and adds nothing: its answers follow from the prompt alone.

    A summary is the old one and the new lines; names are capitalised words; a note is the old one and each new line
    that has the name; "Sam likes tea", "Sam lives in Oslo" and "Sam does not like tea" are facts.
    """
    return _answer


@pytest.fixture(scope="session")
def make(clerk: ChatFunction) -> Callable[..., BaseMemory]:
    """Makes a memory of any strategy that asks the clerk, or another `llm`, at each exchange, all at the same time."""

    def memory(name: str, store: Store | None = None, *, llm: Any = clerk) -> BaseMemory:
        options: dict[str, dict[str, Any]] = {
            "summary": {"llm": llm},
            "summary-buffer": {"llm": llm, "max_token_limit": 2, "token_counter": _one},
            "entity": {"llm": llm},
            "knowledge-graph": {"llm": llm},
            "vector-retriever": {"embedder": _vectors},
        }
        kept: Any = store or InMemoryStore()
        kept.clock = lambda: NOON
        return create_memory(name, store=kept, conversation_id="a", **options.get(name, {}))

    return memory


def _one(message: Message) -> int:
    return 1


def _vectors(texts: list[str]) -> list[list[float]]:
    return [[len(text), 1.0] for text in texts]


def _answer(messages: list[Message]) -> str:
    prompt: str = messages[-1]["content"]
    task = prompt.split(".", 1)[0].removeprefix("Task: ")
    data = dict(re.findall(r"^<(\w+)>\n(.*?)\n</\1>$", prompt, re.DOTALL | re.MULTILINE))
    lines = data.get("new_lines", "").splitlines()
    match task:
        case "summary":
            return " / ".join(filter(None, [data["summary"], *lines]))
        case "entity_extraction":
            return _names(data["new_lines"])
        case "current_entities":
            return _names(data["input"])
        case "entity_update":
            return "\n".join(_notes(data["known"].splitlines(), lines)) or "NOTHING NEW"
        case "triple_extraction":
            return "\n".join(fact for line in lines for fact in _facts(line)) or "NONE"
        case _:
            raise AssertionError(f"the clerk does not know the task {task!r}")


def _names(text: str) -> str:
    found = [name for name in re.findall(r"\b[A-Z]\w+", text) if name not in _LABELS]
    return "\n".join(dict.fromkeys(found)) or "NONE"


def _notes(known: list[str], lines: list[str]) -> list[str]:
    notes = (line.partition(":")[::2] for line in known)
    said = {name: [note.strip(), *(line for line in lines if name in line)] for name, note in notes}
    return [f"{name}: {' / '.join(filter(None, parts))}" for name, parts in said.items()]


def _facts(line: str) -> list[str]:
    facts = re.findall(r"([A-Z]\w+) (does not )?(likes?|lives in) (\w+)", line)
    return [
        f"{'NOT ' if no else ''}{who} | {verb.replace('like', 'likes', 1) if no else verb} | {what}"
        for who, no, verb, what in facts
    ]
