"""A model by rule that reads business talk, for measuring what the machinery around a model loses.

It answers the prompts of the entity and the knowledge-graph memory from the lines that they show, and knows nothing
else. Its patterns were written down from the templates of StateBench's training file.
"""

import re
from collections.abc import Iterator

from memzoo.stores import Message

__all__ = ["reader", "reader_that_ends_nothing"]

# Topic, how a value of it is stated, how it is asked for.
_TOPICS = [
    (topic, re.compile(stated), re.compile(asked, re.IGNORECASE))
    for topic, stated, asked in (
        ("price per unit", r"(?:Draft (?:pricing|recorded):|the pricing at) (\$[\d,.]+) per", "price per unit"),
        ("package", r"(?:ship the package|arrange shipping) to (.+?)\.", "ship the package"),
        ("order quantity", r"(?:Order(?: confirmed)?:|change the quantity to) (\d+)", "how many units"),
        ("order destination", r"Order(?: confirmed)?: \d+ units of \w+ to (.+?)\.", "where .*order"),
        ("top priority", r"top priority is (.+?)\.", "priority"),
        ("top priority", r"Understood, (.+?) is the top priority", "priority"),
        ("top priority", r"the priority is (.+?) now\.", "priority"),
        ("meeting", r"(?:Schedule the meeting|Meeting scheduled) for (.+?)\.", "meeting"),
        ("design", r"(?:The design is|Design confirmed:) (.+?)\.", "design"),
        ("hourly rate", r"(?:hourly rate is|Hourly rate noted:|rate is now) (\$[\d,]*\d)", "hourly rate"),
        ("project budget", r"(?:budget is|Budget set at|Budget of|Approved the) (\$[\d,]*\d)", "budget"),
        ("project status", r"(?:project status is|Project status:|the project is) (.+?)\.", "project status"),
        ("policy", r"(?:team decided on|Team decision recorded:|we'll be doing) (.+?)\.", "policy"),
        ("vendor", r"(?:going with|proceed with|paperwork for) (.+?)(?: for the contract)?\.", "vendor"),
        ("plan", r"(?:thinking|approach:|official plan is) (.+?)(?: for the implementation)?\.", "plan"),
    )
]
# A change seldom says of what: of what was spoken of last.
_CHANGED = re.compile(r"(?:(?:send it|change that|go back|Switching) to|try|Make that) (.+?)(?: instead)?\.(?=\s|\Z)")


def reader(messages: list[Message]) -> str:
    """Answer one of the prompts."""
    prompt: str = messages[-1]["content"]
    task = prompt.split(".", 1)[0].removeprefix("Task: ")
    parts = dict(re.findall(r"^<(\w+)>\n(.*?)\n</\1>$", prompt, re.DOTALL | re.MULTILINE))
    if task == "current_entities":
        asked = dict.fromkeys(topic for topic, _, question in _TOPICS if question.search(parts["input"]))
        return "\n".join(asked) or "NONE"
    stated = _values(parts["history"], parts["new_lines"])
    match task:
        case "entity_notes":
            return "\n".join(_amendments(stated, parts.get("known", "").splitlines())) or "NOTHING NEW"
        case _:
            return "\n".join(_triples(stated, parts["known"].splitlines())) or "NONE"


def reader_that_ends_nothing(messages: list[Message]) -> str:
    """Answer as `reader` does, without a line that says what holds no more: what the memory does by itself."""
    return "\n".join(line for line in reader(messages).splitlines() if not line.startswith("NO LONGER "))


def _amendments(stated: dict[str, str], known: list[str]) -> Iterator[str]:
    about = ""
    numbers = dict[str, str]()
    for line in known:
        if line.startswith("["):
            numbers[about] = line.partition("]")[0] + "]"
        else:
            about = line.removesuffix(":")
    for topic, value in stated.items():
        yield f"{numbers[topic]} -> is {value}." if topic in numbers else f"{topic}: is {value}."


def _triples(stated: dict[str, str], known: list[str]) -> Iterator[str]:
    for topic, value in stated.items():
        old = [line for line in known if line.startswith(f"{topic} | ") and not line.endswith(f" | {value}")]
        yield from (f"NO LONGER {line}" for line in old)
        yield f"{topic} | {'was changed to' if old else 'is'} | {value}"


def _values(history: str, new_lines: str) -> dict[str, str]:
    """The values that new lines state, the last one of each topic."""
    last = next((topic for line in reversed(history.splitlines()) for topic, _ in _read(line, "")), "")
    values: dict[str, str] = {}
    for line in new_lines.splitlines():
        for topic, value in _read(line, last):
            values[topic], last = value, topic
    return values


def _read(line: str, last: str) -> Iterator[tuple[str, str]]:
    for topic, stated, _ in _TOPICS:
        yield from ((topic, found[1]) for found in stated.finditer(line))
    if last and (changed := _CHANGED.search(line)):
        yield last, changed[1]
