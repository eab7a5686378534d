"""What a dry run calls exact is so, whatever a model replies."""

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from rich.console import Console

from memzoo.benchmarks import Comparison, Settings, compare
from memzoo.benchmarks.measure.counting import TextCounter
from memzoo.benchmarks.outcomes import Sum
from memzoo.benchmarks.report.dry_run import dry_run_table, list_expected
from memzoo.benchmarks.results import Compared
from memzoo.benchmarks.transcripts import sample_transcripts
from memzoo.benchmarks.variants import PRESETS
from memzoo.memories.models.offline.tasks import reply
from memzoo.stores import Message

if TYPE_CHECKING:
    from memzoo.memories.models.chat import ModelOption

MEMORIES = [name for name, one in PRESETS.items() if not one.baseline]


def drawn(found: Compared, judge: str = "") -> str:
    """What a dry run shows of results."""
    console = Console(width=200, force_terminal=False)
    with console.capture() as captured:
        console.print(dry_run_table(found, "gpt", judge))
    return captured.get()


def brief(messages: list[Message]) -> str:
    """Say the first of what the rules would say."""
    return reply([(message["role"], message["content"]) for message in messages]).partition("\n")[0]


def terse(_messages: list[Message]) -> str:
    """Know nothing."""
    return "NONE"


def test_exact_figures_are_those_of_any_run(words: TextCounter) -> None:
    """With a model that says less than the rules, and with one that says nothing."""
    (talk,) = sample_transcripts()
    talk = replace(talk, exchanges=talk.exchanges[:25], questions=talk.questions[:3])
    models: list[ModelOption] = ["offline", brief, terse]
    dry, *real = (compare([talk], MEMORIES, Settings(model=one, budgets=[60], counter=words)).rows for one in models)
    checked = 0
    for before, *after in zip(dry, *real, strict=True):
        for name, found in list_expected(before, 60).items():
            if found.exact:
                assert {name: found} == {name: list_expected(after[0], 60)[name]}, before.memory.name
                assert {name: found} == {name: list_expected(after[1], 60)[name]}, before.memory.name
                checked += 1
    assert checked >= 6 * 7 + 8


def test_what_a_reply_decides_is_an_estimate(comparison: Comparison) -> None:
    """Without a model all is exact; an entity memory is known to ask at loads, not how often at saves."""
    rows = {row.memory.name: row for row in comparison.rows}
    exact = {name: [one.exact for one in list_expected(rows[name], 1000).values()] for name in ("window", "entity")}
    assert exact == {"window": [True] * 6, "entity": [False, False, True, False, False, False]}
    idle = rows["entity"].model_copy(update={"load": Sum(), "save": Sum()})
    assert [one.exact for one in list_expected(idle, 1000).values()] == [False, False, True, False, True, True]
    assert str(list_expected(rows["entity"], 1000)["calls to save"]) == "≈ 76"


def test_each_memory_that_can_be_measured_has_a_line(comparison: Comparison) -> None:
    """With its cost, where there are prices."""
    lines = drawn(comparison).splitlines()
    assert any(line.split() == ["memory", "shown", "paid", "load", "save", "sent", "received", "USD"] for line in lines)
    window = next(line.split() for line in lines if line.strip().startswith("window "))
    entity = next(line.split() for line in lines if line.strip().startswith("entity "))
    assert window == ["window", "120", "88", "0", "0", "0", "0", "0.00"]
    assert entity[:3] == ["entity", "≈", "300"]
    assert entity[-2:] == ["≈", "0.02"]
    assert not any(line.strip().startswith("broken") for line in lines)


def test_notes_say_what_stands_behind_the_figures(comparison: Comparison) -> None:
    """Only where it does: replies that are estimated, several budgets, a judge who has answers to mark."""
    text = drawn(comparison, "judge")
    assert "Dry run: no model was asked, nothing was spent or written." in text
    assert "≈ marks an estimate" in text
    assert "A memory whose options name the budget runs once for each budget" in text
    assert "this table has the run for 1,000 tokens" in text.replace("\n", " ")
    # 24 questions, two budgets, all but what shows everything.
    assert "With the judge: 480 answers, and a judgement of each" in text
    assert "The judge" not in drawn(comparison)
    results = comparison.results
    plain = [row for row in results.rows if not row.memory.model]
    changes = {"rows": tuple(plain), "run": results.run.model_copy(update={"budgets": (1000,)}), "questions": ()}
    text = drawn(Comparison(results.model_copy(update=changes), {}), "judge")
    for said in ("≈", "A memory whose options", "The judge"):
        assert said not in text


def test_knows_portions(words: TextCounter) -> None:
    """The calls of a memory that learns in portions are those of the run: one for each portion, one for the rest."""
    (talk,) = sample_transcripts()
    talk = replace(talk, exchanges=talk.exchanges[:17], questions=())
    memories = ["summary", "summary:learn_every=8", "summary:learn_every=1"]
    found = compare([talk], memories, Settings(model=brief, budgets=[60], counter=words))
    calls = {row.memory.name: str(list_expected(row, 60)["calls to save"]) for row in found.rows}
    assert [calls[name] for name in memories] == ["2", "3", "17"]


def test_estimated_tokens_are_not_said_to_be_exact(comparison: Comparison) -> None:
    """Only the calls are."""
    assert "Tokens are estimated" not in (counted := drawn(comparison))
    assert "the other figures are exact" in counted
    run = comparison.results.run.model_copy(update={"counter": "approximate"})
    estimated = drawn(Comparison(comparison.results.model_copy(update={"run": run}), {}))
    assert "Tokens are estimated." in estimated
    assert "the other calls are exact" in estimated


def test_a_small_cost_is_not_nothing(comparison: Comparison) -> None:
    """It has a digit that is not 0."""
    run = comparison.results.run.model_copy(update={"prices": {"*": (0.0015, 0.006)}})
    text = drawn(Comparison(comparison.results.model_copy(update={"run": run}), {}))
    assert re.search(r"entity .* ≈ 0\.000\d\b", text)


def test_learning_anew_costs_what_its_calls_cost(comparison: Comparison) -> None:
    """A million tokens more, at 2 a million."""
    (row,) = [one for one in comparison.rows if one.memory.name == "entity"]
    anew = row.model_copy(update={"relearning": row.relearning + Sum(calls=1, prompt_tokens=1_000_000)})
    run = comparison.results.run.model_copy(update={"prices": {"*": (2.0, 6.0)}})
    found = [comparison.results.model_copy(update={"run": run, "rows": (one,)}) for one in (row, anew)]
    texts = [drawn(Comparison(one, {})) for one in found]
    costs = [float(re.findall(r"entity .* ≈ +([\d.]+)", text)[0]) for text in texts]
    assert round(costs[1] - costs[0], 1) == 2
