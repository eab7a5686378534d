"""What is compared."""

from pathlib import Path
from typing import Any

import pytest

from memzoo.benchmarks.recorded_states import learnt_of
from memzoo.benchmarks.transcripts import sample_transcripts
from memzoo.benchmarks.variants import (
    BASELINES,
    PRESETS,
    check_variants,
    choose_variants,
    parse_variant,
    read_config,
    variants_of,
    with_learnt,
)
from memzoo.errors import OptionError
from memzoo.memories import STRATEGIES, CombinedMemory, create_memory
from memzoo.memories.strategies.named import further_names
from memzoo.stores import InMemoryStore


def test_every_strategy_is_compared_under_its_own_name() -> None:
    """No strategy can be added without an entry here, and none is compared twice."""
    competing = {name: one.strategy for name, one in PRESETS.items() if not one.baseline}
    assert competing == {name: name for name in (*STRATEGIES, *further_names())}


def test_two_baselines_frame_the_table() -> None:
    """The floor comes first, the ceiling last, and only the ceiling is not cut."""
    names = list(PRESETS)
    assert (names[0], names[-1]) == BASELINES == ("none", "everything")
    assert [name for name in names if not PRESETS[name].cut] == ["everything"]


@pytest.mark.parametrize("name", [*STRATEGIES, *further_names()])
def test_the_options_are_those_of_the_strategy(name: str) -> None:
    """A memory can be made from each entry."""
    create_memory(name, **PRESETS[name].options_at(500))


def test_strategies_are_chosen_by_either_name() -> None:
    """Short names and class names mean the same, in any order; the baselines come by themselves."""
    names = [one.name for one in choose_variants(["ConversationKGMemory", "window"])]
    assert names == ["none", "window", "knowledge-graph", "everything"]
    assert [one.name for one in choose_variants([])] == ["none", *STRATEGIES, "everything"]


def test_an_unknown_name_is_named() -> None:
    """The error says which name is unknown and which there are."""
    with pytest.raises(
        OptionError, match=r"there is no strategy 'windwo'; there are 'buffer' .* Did you mean 'window'"
    ):
        choose_variants(["window", "windwo"])


@pytest.mark.parametrize(
    ("text", "strategy", "options"),
    [
        ("window:k=2", "window", {"k": 2}),
        ("ConversationBufferWindowMemory:k=2", "window", {"k": 2}),
        (
            "summary-buffer:max_token_limit=500,prune_to=250",
            "summary-buffer",
            {"max_token_limit": 500, "prune_to": 250},
        ),
        ("knowledge-graph:mine_ai=false", "knowledge-graph", {"mine_ai": False}),
        (
            'combined:memories=[["vector-retriever", {"k": 2}], ["window", {"k": 1}]],shares=[1, 0]',
            "combined",
            {"memories": [["vector-retriever", {"k": 2}], ["window", {"k": 1}]], "shares": [1, 0]},
        ),
        ("vector-retriever:k=3", "vector-retriever", {"k": 3}),
        ("window:human_prefix=Ann Berg,k=2", "window", {"human_prefix": "Ann Berg", "k": 2}),
    ],
)
def test_options_stand_behind_the_name(text: str, strategy: str, options: dict[str, Any]) -> None:
    """Values are JSON or TOML; anything else is a text. The preset's own options make room."""
    variant = parse_variant(text)
    assert (variant.name, variant.strategy, variant.options) == (text, strategy, options)


def test_model_and_prompts_are_those_of_the_variant(tmp_path: Path) -> None:
    """The strategy keeps the options of its preset."""
    variant = parse_variant(f"summary:model=gpt-4o-mini,prompts={tmp_path}")
    assert (variant.model, variant.prompts, variant.asks_model) == ("gpt-4o-mini", str(tmp_path), True)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("window:k", "'k' is not an option"),
        ("window:=2", "'' is not an option"),
        ("none", "'none' is a baseline"),
        ("windwo:k=2", "Did you mean 'window'"),
        ("summary:llm=gpt-4o", "'llm' is not an option of a memory here; write model=NAME"),
        ("window:store=a.db", "'store' is not an option of a memory here; a comparison sets it itself"),
        ("window:token_counter=gpt-4o", "'token_counter' is not an option of a memory here; --token-counter"),
    ],
)
def test_what_is_no_variant_is_refused(text: str, error: str) -> None:
    """With the part that is wrong."""
    with pytest.raises(OptionError, match=error):
        parse_variant(text)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("window:size=2", "window:size=2: .*size"),
        ("window:k=two", "window:k=two: k must be"),
        ("summary-buffer:max_token_limit=100,prune_to=200", "prune_to"),
        ("summary:prompts=/nowhere", "is not a folder"),
    ],
)
def test_options_are_checked_before_anything_runs(text: str, error: str) -> None:
    """The error names the variant."""
    with pytest.raises(OptionError, match=error):
        check_variants([parse_variant(text)], [100])


def test_a_file_names_variants(tmp_path: Path) -> None:
    """With models, prompts, and combinations with their shares; a budget stands for the one that is measured."""
    path = tmp_path / "compare.toml"
    path.write_text(
        """
        [memories.short]
        strategy = "window"
        k = 2

        [memories.cheap]
        strategy = "summary"
        model = "gpt-4o-mini"

        [memories.both]
        strategy = "combined"
        memories = [["vector-retriever", { max_token_limit = "budget" }], "summary"]
        shares = [2, 1]
        max_token_limit = "budget"
        """,
        encoding="utf-8",
    )
    short, cheap, both = variants_of(read_config(path), str(path))
    assert (short.name, short.options, cheap.model) == ("short", {"k": 2}, "gpt-4o-mini")
    assert both.asks_model
    made = both.make(700, store=InMemoryStore(), conversation_id="a", token_counter="approximate", llm="offline")
    assert isinstance(made, CombinedMemory)
    assert made.max_token_limit == 700


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("[memory.short]\nstrategy = 'window'", "has the unknown table 'memory'; the tables are 'memories' and"),
        ("memories = 3", "expected tables"),
        ("[memories.a]\nk = 2", "memories.a: expected a table with 'strategy'"),
        ("[memories", "cannot be read as TOML"),
    ],
)
def test_a_file_that_names_none_is_refused(text: str, error: str, tmp_path: Path) -> None:
    """With its name."""
    path = tmp_path / "a.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(OptionError, match=error):
        variants_of(read_config(path), str(path))


def test_two_of_one_name_are_refused(tmp_path: Path) -> None:
    """In a table one could not tell them apart."""
    table = {"memories": {"window": {"strategy": "window", "k": 1}}}
    with pytest.raises(OptionError, match="two memories would be called 'window'"):
        choose_variants(["window", *variants_of(table, "a")])


def test_a_missing_file_is_called_missing(tmp_path: Path) -> None:
    """Not one of a wrong form."""
    with pytest.raises(OptionError, match=r"none\.toml cannot be read: No such file"):
        read_config(tmp_path / "none.toml")


@pytest.mark.parametrize("name", ["entity", "knowledge-graph", "entity*", "knowledge-graph*"])
@pytest.mark.parametrize("budget", [150, 3000])
def test_notes_and_facts_follow_the_budget(name: str, budget: int) -> None:
    """What is searched for a question may have as many tokens as are measured at, whatever was learnt beforehand."""
    learnt = learnt_of(sample_transcripts())
    assert learnt
    variants = {one.name: one for one in with_learnt(PRESETS.values(), learnt)}
    assert variants[name].options_at(budget)["max_token_limit"] == budget
