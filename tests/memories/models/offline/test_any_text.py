"""Whatever stands in a prompt, the answer is a legal one."""

import itertools
import re
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from memzoo.memories.models.offline.tasks import TASKS, reply
from memzoo.memories.models.offline.text import Turn
from memzoo.prompts import PromptSet

PROMPTS = PromptSet()
FRAGMENTS = [
    *(
        "Human: ",
        "AI: ",
        "Bob: ",
        "\n",
        ". ",
        "? ",
        "! ",
        ", ",
        '"',
        "'s ",
        ":",
        "|",
        "(",
        "-",
        "* ",
        "1. ",
        "\u2028",
        "。",
    ),
    *(
        "Oslo",
        "Anna",
        "Christopher Nolan",
        "I ",
        "my sister ",
        "the ",
        "a ",
        "her ",
        "he ",
        "it ",
        "£500",
        "3 May",
        "我",
    ),
    *(
        " is ",
        " not ",
        " directed by ",
        " and ",
        " lives in ",
        " moved to ",
        " said: ",
        " actually ",
        " called ",
        "don't ",
    ),
    *("who ", "What is your name", "NOT ", "NONE", "NOTHING NEW", "</new_lines>", "<known>", "Task: summary.", "Mr. "),
]
texts = some.one_of(some.text(max_size=200), some.lists(some.sampled_from(FRAGMENTS), max_size=60).map("".join))


def answered(task: str, **variables: object) -> str:
    """The reply to one of memzoo's prompts."""
    return reply([Turn("user", PROMPTS.render(task, **{"limit": 0, **variables}))])


@settings(max_examples=150, deadline=None)
@given(old=texts, new=texts)
def test_summaries(old: str, new: str) -> None:
    """A summary is some text, and summarising it with nothing new changes nothing."""
    said = answered("summary", summary=old, new_lines=new)
    assert said.strip()
    assert answered("summary", summary=said, new_lines="") == "NOTHING NEW"


@settings(max_examples=150, deadline=None)
@given(history=texts, new=texts)
def test_names(history: str, new: str) -> None:
    """Names are lines of text, each once, at most twelve."""
    for said in (
        answered("entity_extraction", history=history, new_lines=new),
        answered("current_entities", history=history, input=new),
    ):
        names = said.split("\n")
        assert 0 < len(names) <= 12
        assert len(set(names)) == len(names)
        assert all(name.strip() == name and 0 < len(name) <= 80 for name in names)


@settings(max_examples=150, deadline=None)
@given(history=texts, new=texts, note=texts)
def test_notes(history: str, new: str, note: str) -> None:
    """Notes are lines `Name: text`, for names that were asked about or stand in the new lines."""
    known = [{"name": "Anna", "summary": " ".join(note.split())}, {"name": "Oslo", "summary": ""}]
    said = answered("entity_update", history=history, new_lines=new, entities=known)
    for line in [] if said == "NOTHING NEW" else said.split("\n"):
        name, colon, text = line.partition(": ")
        assert colon
        assert text.strip()
        assert name in {"Anna", "Oslo"} or name in " ".join(new.split())


@settings(max_examples=150, deadline=None)
@given(history=texts, new=texts)
def test_triples(history: str, new: str) -> None:
    """Facts are lines of three parts, none of them empty."""
    said = answered("triple_extraction", history=history, new_lines=new)
    for line in [] if said == "NONE" else said.split("\n"):
        parts = line.removeprefix("NOT ").split(" | ")
        assert len(parts) == 3
        assert all(re.search(r"\w|[^\x00-\x7f]", part) for part in parts)


@settings(max_examples=100, deadline=None)
@given(some.lists(some.tuples(some.sampled_from(["system", "user", "assistant"]), texts), max_size=4))
def test_chats(messages: list[tuple[str, str]]) -> None:
    """Any chat is answered with some text."""
    assert reply([Turn(*message) for message in messages]).strip()


LONG = {
    "one word": "a",
    "one name": "A",
    "stops": ".",
    "quotation marks": '"',
    "apostrophes": "'",
    "line ends": "\n",
    "names": "Ab, ",
    "initials": "A. ",
    "pronouns": "he ",
    "short sentences": "Tom ran. He fell. ",
    "turns": "Human: I met Anna\n",
    "quotations": "A said: ",
    "tags": "\n</new_lines>\n",
    "denials": "not X, ",
    "characters": "我喜欢北京。",
}


@pytest.mark.parametrize(("task", "piece"), list(itertools.product(TASKS, LONG)), ids=str)
def test_long_prompts(task: str, piece: str) -> None:
    """A long prompt, however monotonous, is answered: no rule goes mad on repetition."""
    text = LONG[piece] * (50_000 // len(LONG[piece]))
    sections = {
        "summary": text[:50_000],
        "history": text,
        "known": f"Anna: {text[:9000]}",
        "new_lines": text,
        "input": text,
    }
    body = "\n".join(f"<{name}>\n{value}\n</{name}>" for name, value in sections.items())
    assert len(reply([Turn("user", f"Task: {task}.\n{body}")])) < 20_000


def test_a_megabyte_of_prose() -> None:
    """A megabyte of sentences about many things is answered, by tasks and by the plain answer."""
    text = "\n".join(
        f"Human: On day {day} I met Person{day % 97} in Oslo, and she sold {day} cars." for day in range(17_000)
    )
    assert len(text) > 10**6
    for task in ("summary", "entity_update"):
        body = f"Task: {task}.\n<new_lines>\n{text}\n</new_lines>\n<input>\n{text}\n</input>\n<known>\nOslo: \n</known>"
        assert reply([Turn("user", body)])
    assert reply([Turn("user", f"{text}\nWhom did I meet on day 12?")]).startswith("From what was said: ")


def test_importing_is_cheap() -> None:
    """Nothing heavy is loaded before it is needed, not even the rules."""
    heavy = {"openai", "httpx2", "networkx", "numpy", "wsgiref", "memzoo.memories.models.offline.tasks"}
    probe = f"import sys; import memzoo.memories.models.offline; print(*sorted({heavy!r} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
