"""What an explanation says of searches, budgets and the messages that are not shown."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from memzoo.memories import BaseMemory, create_memory
from memzoo.memories.text.explanation import Explanation, Find, report
from memzoo.stores import InMemoryStore
from memzoo.testing import ScriptedModel

SAID = ["Anna lives in Oslo.", "Bo sells bikes in Rome.", "The weather is fine."]


def told(name: str, **options: Any) -> BaseMemory:
    """A memory of three exchanges: messages 1 to 6."""
    store = InMemoryStore(clock=lambda: datetime(2026, 5, 8, tzinfo=UTC))
    memory = create_memory(name, store=store, token_counter="approximate", **options, learn_every=1)
    for words in SAID:
        memory.save_context({"input": words}, {"output": "ok"})
    return memory


def test_a_search_tells_scores_and_what_had_no_room() -> None:
    """What was found stands there best first, with its score, and whether there was room for it."""
    told_of = told("vector-retriever", max_token_limit=22, recalled_role="system").explain("Who sells bikes in Rome?")
    best, *others = told_of.finds
    assert (best.what, best.shown, best.by) == (3, True, "words")
    assert [one.score for one in told_of.finds] == sorted((one.score for one in told_of.finds), reverse=True)
    missed = {one.what for one in others if not one.shown}
    assert {one.number for one in told_of.left_out if one.reason == "found, but no room"} == missed != set()
    assert (told_of.tokens <= 22, told_of.limit) == (True, 22)


@pytest.mark.parametrize("name", ["buffer", "window", "token-window"])
def test_a_message_with_fields_that_are_not_sent_has_its_number(name: str) -> None:
    """A time of an import, or a field of another program, which the log keeps and no request has."""
    memory = create_memory(name, token_counter="approximate")
    memory.add_messages(
        [
            {"role": "user", "content": "Hi", "time": "2026-05-08T10:00:00+00:00"},
            {"role": "assistant", "content": "Hello"},
            {"role": "user", "content": "Tea?", "number": 7},
            {"role": "assistant", "content": "Hello", "tool_calls": None},
        ]
    )
    shown = [(one.number, one.kind, one.text) for one in memory.explain().shown]
    assert shown == [(1, "message", "Hi"), (2, "message", "Hello"), (3, "message", "Tea?"), (4, "message", "Hello")]


def test_as_text_it_shows_what_was_recalled_and_found() -> None:
    """In words, without the frame."""
    explained = told("vector-retriever", k=1).explain("Who sells bikes in Rome?")
    text = str(explained)
    assert "Bo sells bikes in Rome." in text.partition("Found by words, best first:")[0]
    found = text.partition("Found by words, best first:")[2].partition("Left out:")[0]
    assert "shown  3  Bo sells bikes in Rome." in found
    assert "From memory, as background" not in text
    assert "record" not in text
    nothing = told("knowledge-graph", llm=ScriptedModel(*["NONE"] * 3)).explain("Anna?")
    assert "Found:\n  nothing" in str(nothing)


def test_scores_can_be_told_apart() -> None:
    """However near they are; equal ones are equal, and each way of looking has its own."""
    finds = [
        Find(by, text, score, shown=True, text=text)
        for by, text, score in [
            ("words", "a", 0.12341),
            ("words", "b", 0.12339),
            ("names", "c", 1.0),
            ("names", "d", 1.0),
        ]
    ]
    text = str(Explanation("entity", "x", None, (), tuple(finds), ()))
    assert "  0.12341  shown  a\n  0.12339  shown  b\nFound by names, best first:\n  1.00  shown  c" in text


def test_facts_tell_by_what_they_were_found() -> None:
    """A fact is found by its words and by those said beside it; one that exceeds the limit is listed, too."""
    replies = ["Anna Berg | lives in | Oslo", "Oslo | lies in | Norway", "NONE"]
    memory = told("knowledge-graph", llm=ScriptedModel(*replies), max_token_limit=9)
    finds = {(one.by, one.what, one.shown) for one in memory.explain("Anna?").finds}
    assert finds >= {("words", "Anna Berg lives in Oslo", True), ("words", "Oslo lies in Norway", False)}


def test_facts_around_names_count_one() -> None:
    """Without a budget, what is known about the names is found, and nothing that is a step further."""
    replies = ["Anna | lives in | Oslo", "Oslo | lies in | Norway", "NONE"]
    memory = told("knowledge-graph", llm=ScriptedModel(*replies), max_token_limit=None)
    finds = [(one.by, one.what, one.score) for one in memory.explain("Anna?").finds]
    assert finds == [("facts around names", "Anna lives in Oslo", 1.0)]


@pytest.mark.parametrize(("limit", "by"), [(None, "names"), (100, "words")])
def test_notes_tell_by_what_they_were_found(limit: int | None, by: str) -> None:
    """By names alone without a budget, else by words too."""
    model = ScriptedModel("Anna: Anna lives in Oslo.", "Bo: Bo sells bikes.", "NONE")
    finds = [
        (one.by, one.what, one.score) for one in told("entity", llm=model, max_token_limit=limit).explain("Anna?").finds
    ]
    assert next(what for found_by, what, _ in finds if found_by == by) in ("Anna", "Anna: Anna lives in Oslo.")
    assert limit or finds == [("names", "Anna", 1.0)]


def test_a_sentence_of_a_note_is_shown_where_the_note_shows_it() -> None:
    """Also behind others, under the one name before them all."""
    model = ScriptedModel("Anna: Anna lives in Oslo. Her cat is called Tom.", "NONE", "NONE")
    finds = told("entity", llm=model).explain("What is Anna's cat called?").finds
    assert {one.shown for one in finds if "Tom" in one.text} == {True}


@pytest.mark.parametrize(
    ("name", "options", "reason"),
    [
        ("window", {"k": 1}, "older than what is shown"),
        ("summary", {"llm": ScriptedModel(*["They talk."] * 3)}, "learnt from"),
        ("vector-retriever", {"k": 1}, "found, but no room"),
    ],
)
def test_a_message_is_left_out_for_a_reason(name: str, options: dict[str, Any], reason: str) -> None:
    """A window leaves out what is older, a summary what it has taken in, a search what has no room."""
    left_out = {one.number: one.reason for one in told(name, **options).explain("bikes").left_out}
    assert left_out[1] == reason


def test_a_smaller_budget_is_the_limit() -> None:
    """`max_tokens` is what there was room for."""
    explained = told("buffer").explain(max_tokens=16)
    assert (explained.limit, [one.number for one in explained.shown]) == (16, [5, 6])
    assert str(explained).splitlines()[:3] == [
        "buffer shows 2 messages, 14 of 16 tokens",
        "Shown:",
        "  5  message  9 tokens  The weather is fine.",
    ]


@pytest.mark.parametrize(
    ("name", "options", "limit"),
    [
        ("knowledge-graph", {"llm": ScriptedModel(*["NONE"] * 3), "max_token_limit": 12}, 12),
        ("entity", {"llm": ScriptedModel(*["NONE"] * 9), "max_token_limit": 12, "k": 0}, 12),
        ("entity", {"llm": ScriptedModel(*["NONE"] * 9), "max_token_limit": 12, "k": 1}, None),
        ("summary-buffer", {"llm": ScriptedModel("They talk."), "max_token_limit": 24}, None),
        ("summary-buffer", {"llm": ScriptedModel("They talk."), "max_token_limit": 28, "count_summary": True}, 28),
        ("buffer", {}, None),
    ],
)
def test_a_limit_for_a_part_is_none_of_the_whole(name: str, options: dict[str, Any], limit: int | None) -> None:
    """That of notes or facts is told where no messages stand beside them, that of messages where no summary does."""
    assert told(name, **options).explain("Anna?").limit == limit


def test_the_system_message_is_told_apart() -> None:
    """It costs tokens like the others, and is no part of what was recalled."""
    memory = told("window", k=1)
    memory.add_messages([{"role": "system", "content": "Be brief."}])
    assert [(one.kind, one.number) for one in memory.explain().shown] == [("system", 7), ("message", 5), ("message", 6)]


def test_nothing_is_collected_unless_somebody_asks() -> None:
    """Without `explain`, a search's scores are not even looked at."""

    def scores() -> Iterator[tuple[int, float]]:
        raise AssertionError("nobody asked")
        yield 1, 1.0

    report("words", scores())


def test_messages_that_wait_are_counted() -> None:
    """Why a graph shows messages: nothing was learnt from them yet. A window learns nothing."""
    memory = create_memory("knowledge-graph", llm=ScriptedModel("Anna | lives in | Oslo"))
    memory.save_context({"input": SAID[0]}, {"output": "ok"})
    before = memory.explain("Anna?")
    memory.settle()
    assert (before.waiting, memory.explain("Anna?").waiting, told("window", k=1).explain().waiting) == (2, 0, 0)
    assert str(before).endswith("\nMessages not learnt from yet: 2")
