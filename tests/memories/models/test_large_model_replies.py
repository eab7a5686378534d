"""The replies of a large instruction-following model on the bundled conversation: each line ends where it was meant to.

`replies/large-model.json` has 74 as they came, with the names that each prompt for notes had under "known". Those to
today's prompts lie with the research, since the states that are compared are made of them.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from memzoo.memories.models.replies import SAME_AS, Statement, aliases, amendments, names, prose, statements

REPLIES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "replies" / "large-model.json").read_text(encoding="utf-8")
)
LATER = Path(__file__).parents[3] / "benchmarks" / "research" / "replies" / "bundled"
NEW_NAMES = {
    *("Pumpernickel", "Devin Achterberg", "Priya Raman", "Fenwick & Daughters, Ltd.", "St Brannoc's Hospital"),
    *("Opening party", "Budget of the new shop", "Leo's party", "Harriet Fenwick", "Opening of the new shop"),
    *("Allergen sheet", "Money of the new shop"),
}
"""On them, replies had notes that no prompt had asked for: twelve names, fourteen lines."""


def replies(*tasks: str) -> Any:
    """The replies to some prompts."""
    found = [reply for reply in REPLIES if reply["task"] in tasks]
    return pytest.mark.parametrize("reply", [pytest.param(one, id=str(number)) for number, one in enumerate(found)])


def written(reply: str) -> list[tuple[str, str]]:
    """The names and the notes of a reply, line by line, as a reader sees them."""
    return [(name, note) for name, colon, note in (line.partition(": ") for line in reply.splitlines()) if colon]


@replies("entity_update")
def test_each_note_is_on_whom_it_was_written(reply: dict[str, Any]) -> None:
    """A line is the note on the name before its colon, whether that was asked about or not; no two are glued."""
    added = amendments(reply["reply"], reply["known"], "")
    assert [(one.name, one.text, one.number) for one in added] == [(*pair, 0) for pair in written(reply["reply"])]


@replies("entity_update")
def test_each_alias_is_kept(reply: dict[str, Any]) -> None:
    """Each line with "=" is read, though the fuller name may stand nowhere in the prompt."""
    lines = [tuple(line.split(" = ")) for line in reply["reply"].splitlines() if " = " in line]
    source = " ".join(one for one, _ in lines)
    assert list(aliases(reply["reply"], reply["known"], source).items()) == lines


def test_notes_on_new_names_are_not_lost() -> None:
    """What stood in the wrong note before, such as Priya Raman's loan in Noor's, has notes of its own."""
    updates = [reply for reply in REPLIES if reply["task"] == "entity_update"]
    found = [(one["known"], amended) for one in updates for amended in amendments(one["reply"], one["known"], "")]
    unasked = [amended.name for known, amended in found if amended.name not in known]
    assert (len(unasked), set(unasked)) == (14, NEW_NAMES)


@replies("entity_extraction")
def test_names_are_kept_as_written(reply: dict[str, Any]) -> None:
    """One name a line, with its commas and dots ("Pell, Marrow & Co.")."""
    assert names(reply["reply"]) == [line for line in reply["reply"].splitlines() if line != "NONE"]


@replies("triple_extraction")
def test_facts_are_kept_as_written(reply: dict[str, Any]) -> None:
    """Each line is a fact with its three parts to the letter, subjects and objects alike."""
    lines = [line for line in reply["reply"].splitlines() if "|" in line]
    found = [
        f"{'NO LONGER ' if one.ended else 'NOT ' if one.negated else ''}{one.subject} | {one.relation} | {one.object}"
        for one in statements(reply["reply"])
    ]
    assert found == list(dict.fromkeys(lines))


@replies("summary")
def test_summaries_are_kept_whole(reply: dict[str, Any]) -> None:
    """A summary is the whole reply."""
    assert prose(reply["reply"], "summary") == reply["reply"].strip()


def later(memory: str) -> Any:
    """The replies to today's prompts of a memory."""
    given: list[dict[str, str]] = json.loads((LATER / f"{memory}.json").read_text(encoding="utf-8"))
    found = [reply for reply in given if reply["name"].startswith("derive")]
    return pytest.mark.parametrize("reply", [pytest.param(one, id=str(number)) for number, one in enumerate(found)])


@later("entity")
def test_each_amendment_is_on_what_it_was_written(reply: dict[str, str]) -> None:
    """Of today's replies, too: a name or a number before each statement, and another name as it stands."""
    lines = [line.strip() for line in reply["reply"].splitlines() if line.strip() not in {"", "NOTHING NEW"}]
    numbered = [(int(found[1]), found[2]) for line in lines if (found := re.fullmatch(r"\[(\d+)\] -> (.*)", line))]
    same = dict(line.split(" = ") for line in lines if " = " in line and ": " not in line)
    named = [tuple(line.split(": ", 1)) for line in lines if line[0] != "[" and ": " in line]
    found = amendments(reply["reply"], [], "")
    assert [(one.number, one.text or "NO LONGER") for one in found if one.number] == numbered
    assert [(one.name, one.text) for one in found if not one.number] == named
    assert aliases(reply["reply"], [*same], "") == same


@later("knowledge-graph")
def test_each_fact_is_as_it_was_written(reply: dict[str, str]) -> None:
    """Of today's replies, too: three parts or four, a mark before them or none, to the letter."""
    found = {one: place for place, one in enumerate(statements(reply["reply"]))}
    lines = [line.strip() for line in reply["reply"].splitlines() if line.strip()]
    meant = [read_literally(line) for line in lines]
    places = [found[one] for one in meant if one in found]
    assert places == sorted(places) or len(set(meant)) < len(meant)
    # A relation that is denied by its own verb is read as a denial.
    assert all(re.match(r"\S+(?: not|n['’]t)\b", one.relation) for one in meant if one not in found)


def read_literally(line: str) -> Statement:
    """A line as the prompt asks for it, cut at its bars; without quotes around a whole part."""
    mark = re.match(r"(NOT|NO LONGER) ", line)
    body = line[mark.end() :] if mark else line
    first, _, last = body.partition(" = ")
    written = body.split(" | ", 3) if "|" in body else [first, SAME_AS, last]
    parts = [re.sub(r'^"([^"]*)"$', r"\1", part) for part in written]
    return Statement(
        *parts[:3], negated=bool(mark), ended=bool(mark) and mark[1] == "NO LONGER", qualifier="".join(parts[3:])
    )
