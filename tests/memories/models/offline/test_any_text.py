"""Whatever stands in a prompt, the answer is a legal one, and takes time in proportion to its length."""

import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as some

from memzoo.memories.models.offline.tasks import reply
from tests.growth import Text, superlinear
from tests.prompting import rendered

PIECES = (
    "Human: |AI: |Bob: |\n|. |? |! |, |\"|'s |:|(|-|* |1. |\u2028|。|Oslo|Anna|Christopher Nolan|I |my sister |"
    "the |a |her |he |it |"
    "£500|3 May|我| is | not | directed by | and | lives in | moved to | said: | actually | called |don't |who |"
    "NOT |NONE|"
    "What is your name|NOTHING NEW|</new_lines>|<known>|Task: summary.|Mr. |41, not 14|Anna, not Tom"
).split("|")
texts = some.one_of(some.text(max_size=200), some.lists(some.sampled_from(PIECES), max_size=60).map("".join))


def answered(task: str, **variables: object) -> str:
    """The reply to one of memzoo's prompts."""
    return reply([("user", rendered(task, **variables))])


@given(history=texts, new=texts)
def test_answers_are_legal(history: str, new: str) -> None:
    """Summaries are text, names are lines, notes are `Name: text`, facts have three parts."""
    assert answered("summary", summary=history, new_lines=new).strip()
    names = answered("current_entities", history=history, input=new).split("\n")
    assert len(names) == len(set(names)) <= 12
    assert all(0 < len(name.strip()) == len(name) <= 80 for name in names)
    added = answered("entity_notes", history=history, new_lines=new)
    assert added == "NOTHING NEW" or all(re.match(r"[^:]+: \S", line) for line in added.split("\n"))
    facts = answered("triple_extraction", history=history, new_lines=new)
    assert facts == "NONE" or all(len([*filter(None, line.split(" | "))]) == 3 for line in facts.split("\n"))
    assert reply([("system", history), ("assistant", history), ("user", new)]).strip()


LONG = {
    "one word": "a",
    "one name": "A",
    "stops": ".",
    "quotation marks": '"',
    "line ends": "\n",
    "spaces": " ",
    "names": "Ab, ",
    "name runs": "Ab of ",
    "initials": "A. ",
    "sentences": "Tom ran. He fell. ",
    "people": "\nHuman: Xy{} met Anna in Oslo{}, not {}.",
    "summaries": "A said: ",
    "known": "\nAb{}: x",
    "tags": "\n</new_lines>\n",
    "disarmed": "&lt; ",
    "characters": "我喜欢北京。",
}


TASKS = ["summary", "current_entities", "entity_notes", "triple_extraction", "compare_judge", ""]
"""Those for which there are rules, and a question without any."""


@pytest.mark.parametrize("task", TASKS)
def test_long_prompts(task: str) -> None:
    """Four times the text takes about four times the time, however monotonous it is (I13)."""

    def asked(text: str) -> None:
        body = "\n".join(
            f"<{name}>\n{text}\n</{name}>" for name in ("summary", "history", "known", "new_lines", "input")
        )
        assert reply([("user", f"Task: {task}.\n{body}" if task else f"{body}\nWhat did Ab say?")])

    def long(piece: str) -> Text:
        return lambda size: "".join(piece.format(*[number] * 3) for number in range(size // len(piece)))

    asked("My sister Anna lives in Oslo.")  # what fails takes no time either
    assert [name for name, piece in LONG.items() if superlinear(asked, long(piece), 4_000)] == []


def test_importing_is_cheap() -> None:
    """Nothing heavy is loaded before it is needed, not even the rules."""
    heavy = {"openai", "httpx2", "networkx", "numpy", "wsgiref", "memzoo.memories.models.offline.tasks"}
    probe = f"import sys; import memzoo.memories.models.offline; print(*sorted({heavy!r} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
