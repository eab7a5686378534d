"""Facts that are said early are asked for by words, later and at the end: `memzoo compare --survival`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from memzoo.benchmarks import Comparison, Settings, compare
from memzoo.benchmarks.measure.answers import answer_found
from memzoo.benchmarks.measure.surviving import Followed, is_stated
from memzoo.benchmarks.report.pages import page
from memzoo.benchmarks.transcripts import load_transcripts
from memzoo.benchmarks.transcripts.conversations import KINDS, RULE_KINDS, UNWANTED_KINDS, Mark, Transcript, Unwanted
from memzoo.cli.commands import app
from memzoo.errors import OptionError, TransferError
from memzoo.memories import create_memory
from memzoo.stores import InMemoryStore
from memzoo.stores.base import utc_now
from memzoo.strategy import text_of

Saved = Callable[..., Path]


def said(user: str, assistant: str = "I see.", **more: Any) -> list[dict[str, Any]]:
    """An exchange, with more about the user's message."""
    return [{"role": "user", "content": user, **more}, {"role": "assistant", "content": assistant}]


def talk(**more: Any) -> dict[str, Any]:
    """A short talk: two facts, a correction and a secret that is deleted, then other matter."""
    rule = {"kind": "safety rule", "question": "Whom may we mail, and who reads it?"}
    keys = {"kind": "correction", "means": "Bergen", "question": "Where is my sister?"}
    return {
        "messages": [
            *said("The vet is called Ilse Brandt.", keep={"kind": "name", "means": "Ilse Brandt"}),
            *said("Never mail a customer before Rosa has read it.", keep=rule),
            *said("My sister is in Oslo.", id="old"),
            *said("No, my sister is in Bergen.", keep=keys),
            *said("The safe opens with 4419.", id="secret"),
            *(one for number in range(12) for one in said(f"How do I bake bread number {number}?")),
            *said("Forget how the safe opens.", forgets=["secret"]),
        ],
        "must_not": [
            {
                "kind": "superseded",
                "id": "old",
                "means": "Oslo",
                "unless": ["Bergen"],
                "question": "Where is my sister?",
            },
            {"kind": "forgotten", "id": "secret", "means": "4419", "question": "What opens the safe?"},
        ],
        **more,
    }


def survive(file: Path | str, *memories: str, **more: Any) -> Comparison:
    """Compare memories by what survives."""
    return compare(str(file), memories, Settings(survival=True, **more))


def test_marked_lines_are_asked_for_by_words(saved: Saved) -> None:
    """A search finds them at any age and at the end; a window has them while they are among its exchanges."""
    found = survive(saved(talk()), "window:k=2", "vector-retriever")
    at = {row.memory.name: row.budgets[1000] for row in found.rows}
    assert str(at["vector-retriever"].at_end()) == "3 of 3"
    assert at["vector-retriever"].survival_by_age() == [(1, 1), (2, 1), (5, 1), (10, 1)]
    assert at["window:k=2"].survival_by_age() == [(1, 1), (2, 1), (5, 0), (10, 0)]
    assert (at["window:k=2"].lost_talks, at["vector-retriever"].lost_talks) == (1, 0)
    assert "Marked lines that are still shown" in page(found, utc_now())
    assert [(one["survival"], one["lost_talks"], one["unwanted"]) for one in found.table()][1:3] == [
        (0, 1, 0),
        (1, 0, 0),
    ]


def test_a_line_without_a_question_is_asked_for_with_a_gap(saved: Saved) -> None:
    """Its words around the gap are the question, which does not contain the answer."""
    (read,) = load_transcripts(saved(talk()))
    assert read.exchanges[0].marks[0].asked == "The vet is called ___."
    assert Mark("goal", "We sail to Oslo.", "the Norwegian capital").asked is None


def test_a_rule_is_shown_by_a_denial_in_any_words() -> None:
    """To forbid raisins and never to leave them about is the same; a preference that is denied is not shown."""
    for said_of_it in ("Never leave raisins about.", "Raisins are forbidden."):
        shown = [{"role": "system", "content": said_of_it}]
        followed = Followed()
        followed.ask(Mark("safety rule", "No raisins within reach!", "raisins"), None, shown)
        assert followed.list_survived()[0].shown == 1
    denied = [{"role": "user", "content": "No raisins."}]
    followed.ask(Mark("preference", "I like raisins a lot.", "raisins"), None, denied)
    assert followed.list_survived()[-1].shown == 0


def test_settling_when_nothing_is_left_to_learn_calls_no_model(saved: Saved) -> None:
    """Its calls are counted apart from those of saves and of learning anew."""
    found = survive(saved(talk()), "summary", relearn=2)
    row = next(row for row in found.rows if row.memory.name == "summary")
    assert row.settled.calls == 0
    assert row.relearning.calls > 0
    assert sum(one.of for one in row.budgets[1000].relearnt) == 3


def test_what_must_not_be_shown_is_counted(saved: Saved) -> None:
    """A message that the application deletes is gone for a memory and for the whole conversation."""
    kept = talk()
    del kept["messages"][-2]["forgets"]
    shown = {
        is_deleted: {
            row.memory.name: [str(one) for one in row.budgets[1000].unwanted]
            for row in survive(saved(one), "buffer").rows
        }
        for is_deleted, one in ((True, talk()), (False, kept))
    }
    none, stays = ["0 of 1", "0 of 1"], ["0 of 1", "1 of 1"]
    assert shown[True] == {"none": none, "buffer": none, "everything": none}
    assert shown[False] == {"none": none, "buffer": stays, "everything": stays}


def test_of_two_equal_messages_the_one_that_is_named_is_deleted(saved: Saved) -> None:
    """The other one still says it; what was deleted before stays deleted."""
    again = talk()
    again["messages"] += [*said("The safe opens with 4419."), *said("Forget Oslo.", forgets=["old"])]
    found = {row.memory.name: row.budgets[1000].stated for row in survive(saved(again), "buffer").rows}
    assert found["everything"] == found["buffer"] == ("forgotten: 4419",)
    again["messages"][-4]["content"] = "Nothing new."
    found = {row.memory.name: row.budgets[1000].stated for row in survive(saved(again), "buffer").rows}
    assert found["everything"] == found["buffer"] == ()


@pytest.mark.parametrize(
    ("kind", "shown", "is_shown"),
    [
        ("superseded", ["She lives in Oslo."], True),
        ("superseded", ["She lives in Oslo.", "She moved to Bergen."], False),
        ("superseded", ["She was to live in Oslo, but her sister has twins."], False),
        ("superseded", ["她住在Oslo后来改了。"], False),
        ("superseded", ["Her office in Oslo has closed for good."], False),
        ("forgotten", ["Human: She lives in Oslo."], True),
        ("order", ["She lives in Oslo."], True),
        ("order", ["The page is odd. It has her in Oslo."], False),
        ("order", ["Sam denies that she lives in Oslo."], False),
        ("order", ["Tool: The page has this: she lives in Oslo."], False),
        ("supposed", ["The page is odd.\nShe lives in Oslo."], True),
        ("supposed", ["Oslo: evasive."], False),
        ("supposed", ["She spoke of Oslo, without saying if she lives there."], False),
        ("another person", ["The page has this: she lives in Oslo. She lives in Oslo."], False),
    ],
)
def test_words_of_others_need_their_source(kind: str, shown: list[str], is_shown: bool) -> None:  # noqa: FBT001
    """Beside them, in the same sentence or the one before, or in the whole message in which they were said."""
    unless = {"superseded": ("Bergen",), "forgotten": ()}.get(kind, ("page",))
    assert is_stated(Unwanted(kind, "The page has this: she lives in Oslo.", "Oslo", unless), shown) is is_shown


def test_the_command_asks_for_marked_lines(saved: Saved, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It prints how many are shown, by kind, and misses a threshold with exit code 1."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    options = ["compare", str(saved(talk())), "--survival", "--memory", "vector-retriever", "--memory", "window:k=1"]
    done = CliRunner().invoke(app, [*options, "--fail-under", "survival=1"])
    assert done.exit_code == 0, done.output
    lines = [line.split() for line in done.output.splitlines()]
    assert next(line for line in lines if line[:1] == ["vector-retriever"])[1:7] == "3 of 3 0 of 1".split()
    assert ["vector-retriever", "1/1", "1/1", "1/1"] in lines
    done = CliRunner().invoke(app, [*options[:-4], "--memory", "window:k=1", "--fail-under", "survival=.5"])
    assert done.exit_code == 1
    assert "survival is 0.00 at best" in done.output
    for refused in (["--fail-under", "survival=.5"], ["--baseline", "memzoo-compare/results.json"]):
        done = CliRunner().invoke(app, [*options[:2], "--memory", "window:k=1", *refused])
        assert isinstance(done.exception, OptionError), done.output
        assert "--survival" in str(done.exception)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"must_not": [{"kind": "wrong", "id": "old", "means": "x"}]}, "'must_not' of 'x': expected one of"),
        ({"must_not": [{"kind": "order", "id": "none", "means": "x"}]}, "'must_not' of 'x': expected one of"),
        ({"must_not": [{"kind": "order", "id": "old", "means": "x", "unles": ["y"]}]}, "'unles'.*there is no such key"),
        (
            {"messages": said("Hello.", forgets=["none"]), "must_not": []},
            "'forgets': no message with text has the id none",
        ),
        ({"messages": said("Hello.", forgets="old"), "must_not": []}, "'forgets': expected a list of message ids"),
        (
            {"messages": [*said("Hello.", forgets=["b"]), *said("Bye.", id="b")], "must_not": []},
            "'forgets' of 'Hello.': expected messages said before, .* not b",
        ),
        (
            {"messages": [*said("Hi.", id="a"), *said("x", forgets=["a"]), *said("y", forgets=["a"])], "must_not": []},
            "'forgets' of 'y': expected messages said before, which no other message forgets, not a",
        ),
        ({"messages": said("Hello.", keep={"kind": "name", "mean": "Ilse"})}, "'keep' of 'Hello.': expected"),
        (
            {"messages": said("Hello.", keep={"kind": "name", "means": "Ilse", "question": "Is it Ilse?"})},
            "the question must not contain 'Ilse'",
        ),
        (
            {"messages": said("Hello.", keep={"kind": "name", "means": "Ilse"})},
            "'question', because the line does not contain 'Ilse'",
        ),
        ({"messages": said("Hello.", keep={"kind": "name", "question": 3})}, "and a 'question' that asks|'question'"),
    ],
)
def test_a_mistake_in_a_file_is_named(saved: Saved, changed: dict[str, Any], message: str) -> None:
    """Before anything runs."""
    with pytest.raises(TransferError, match=message):
        load_transcripts(saved(talk() | changed))


def test_without_marked_lines_it_is_refused(saved: Saved, chat: dict[str, Any]) -> None:
    """As is learning anew without asking."""
    with pytest.raises(OptionError, match="sample:survival"):
        survive(saved(chat), "window")
    with pytest.raises(OptionError, match="needs survival"):
        Settings(relearn=1)


@pytest.mark.parametrize("bundled", load_transcripts("sample:survival"), ids=lambda one: one.title)
def test_a_bundled_talk_can_be_measured(bundled: Transcript) -> None:
    """Each of eight facts has an answer that stands in its line, and neither in its question nor elsewhere."""
    marks = [(number, mark) for number, exchange in enumerate(bundled.exchanges) for mark in exchange.marks]
    assert sorted(mark.kind for _, mark in marks) == sorted(KINDS[:8])
    assert len(bundled.exchanges) - 1 - max(number for number, _ in marks) >= 48
    for number, mark in marks:
        others = [text_of(one) for at, each in enumerate(bundled.exchanges) if at != number for one in each.messages]
        is_rule = mark.kind in RULE_KINDS
        assert answer_found(mark.means, [mark.text], denied=is_rule), mark
        assert not answer_found(mark.means, [mark.question, *others], denied=is_rule), mark
    everything = [text_of(one) for exchange in bundled.exchanges for one in exchange.messages]
    assert sorted(one.kind for one in bundled.unwanted) == sorted([*UNWANTED_KINDS, "order", "order", "order"])
    for one in bundled.unwanted:
        assert answer_found(one.means, [one.text]), one
        assert not answer_found(one.means, [one.question]), one
        assert is_stated(one, everything) == (one.kind == "forgotten"), one


@pytest.mark.parametrize("name", ["summary", "summary-buffer", "entity", "knowledge-graph"])
def test_another_strategy_and_back_changes_no_view(name: str) -> None:
    """Five others learn from the same log in between; the first shows what it showed, and calls no model."""
    store = InMemoryStore()
    first = create_memory(name, llm="offline", store=store, conversation_id="one")
    first.add_messages([{key: one[key] for key in ("role", "content")} for one in talk()["messages"]])
    before = first.messages("What is the vet called?")
    for other in ("buffer", "vector-retriever", "summary", "entity", "knowledge-graph"):
        create_memory(other, llm="offline", store=store, conversation_id="one").settle()
    again = create_memory(name, llm="offline", store=store, conversation_id="one")
    again.settle()
    assert again.messages("What is the vet called?") == before
    assert again.usage.total.calls == 0
