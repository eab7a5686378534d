"""A model by rule, so that nothing is chance: it forgets nothing, adds nothing, and its answers follow from the prompt.

It asks for nothing, so it works in the processes that tests start, too.
"""

import re
from typing import Any

from memzoo.stores import Message

__all__ = ["clerk", "eager"]

_DAY = re.compile(r"\[\w+, \d+ \w+ \d+\]")
_LABELS = {"Human", "AI", "System", "Tool", "Function"}


def eager(name: str, llm: Any = None, learn_every: int = 1) -> dict[str, Any]:
    """Options that make a strategy ask the clerk, or another `llm`, at each exchange, or each `learn_every`."""
    asking = {"llm": llm or clerk, "learn_every": learn_every}
    options: dict[str, dict[str, Any]] = {
        "summary": asking,
        "summary-buffer": {**asking, "max_token_limit": 2, "token_counter": _one},
        "entity": asking,
        "knowledge-graph": asking,
        "vector-retriever": {"embedder": _vectors},
    }
    return options.get(name, {})


def _one(message: Message) -> int:
    return 1


def _vectors(texts: list[str]) -> list[list[float]]:
    return [[len(text), 1.0] for text in texts]


def clerk(messages: list[Message]) -> str:
    """Answer one of our prompts.

    A summary is the old one and the new lines; names are capitalised words; each new line that has a name is added to
    the note on it; "Sam likes tea", "Sam lives in Oslo" and "Sam does not like tea" are facts.
    """
    prompt: str = messages[-1]["content"]
    task = prompt.split(".", 1)[0].removeprefix("Task: ")
    data = dict(re.findall(r"^<(\w+)>\n(.*?)\n</\1>$", prompt, re.DOTALL | re.MULTILINE))
    lines = [line for line in data.get("new_lines", "").splitlines() if not _DAY.fullmatch(line)]
    match task:
        case "summary":
            return " / ".join(filter(None, [data["summary"], *lines]))
        case "entity_notes":
            return "\n".join(_amendments(data.get("known", "").splitlines(), lines)) or "NOTHING NEW"
        case "current_entities":
            return _names(data["input"])
        case "triple_extraction":
            return "\n".join(fact for line in lines for fact in _facts(line)) or "NONE"
        case _:
            raise AssertionError(f"the clerk does not know the task {task!r}")


def _names(text: str) -> str:
    found = [name for name in re.findall(r"\b[A-Z]\w+", text) if name not in _LABELS]
    return "\n".join(dict.fromkeys(found)) or "NONE"


def _amendments(known: list[str], lines: list[str]) -> list[str]:
    noted = {line.partition("] ")[2] for line in known}
    said = [(name, line) for line in lines if line not in noted for name in _names(line).splitlines() if name != "NONE"]
    return [f"{name}: {line}" for name, line in said]


def _facts(line: str) -> list[str]:
    facts = re.findall(r"([A-Z]\w+) (does not )?(likes?|lives in) (\w+)", line)
    return [
        f"{'NOT ' if no else ''}{who} | {verb.replace('like', 'likes', 1) if no else verb} | {what}"
        for who, no, verb, what in facts
    ]
