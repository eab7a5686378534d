"""Arguments that cannot work are refused before anything runs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from memzoo.benchmarks import Settings, Transcript, compare
from memzoo.errors import OptionError

PRICES = {"*": (1.0, 1.0)}


WRONG: list[tuple[str, Sequence[Any]]] = [
    ("budgets", (["x"], 1000, "1000", [1.5], [True], None, [0], [])),
    ("counter", (5, None)),
    ("make_model", (5,)),
    ("prompts", (5,)),
    ("prices", (5, [1], {"*": 5}, {"*": ("a", "b")}, {"*": (-1, 2)})),
    ("currency", (5,)),
    ("stop_at", ("x", -1, float("nan"))),
    ("cache", (5, ["x"], "x")),
    ("price_cached", ("x", -1)),
    ("system_tokens", ("x", -1)),
    ("paid", (5, ["x"], "12", None)),
]


@pytest.mark.parametrize("name", ["model", "judge"])
def test_a_wrong_model_is_named(name: str) -> None:
    """At once, though a model is made when it is needed."""
    with pytest.raises(OptionError, match=rf"^{name} cannot be used: .* not 5"):
        Settings(**cast("dict[str, Any]", {name: 5}))


@pytest.mark.parametrize(("name", "values"), WRONG)
def test_a_wrong_setting_is_named(name: str, values: Sequence[Any]) -> None:
    """With the value and what would be right."""
    for value in values:
        with pytest.raises(OptionError, match=rf"^{name} must .*, not "):
            Settings(**cast("dict[str, Any]", {"prices": PRICES, name: value}))


def test_a_template_that_cannot_work_is_refused(tmp_path: Path) -> None:
    """Before anything runs."""
    (tmp_path / "compare_answer.jinja").write_text("{{ nothing }}", encoding="utf-8")
    with pytest.raises(OptionError, match="compare_answer"):
        Settings(prompts=tmp_path)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        *(("transcripts", value, "transcripts must be files") for value in (5, None, [5], b"x", [{"role": "user"}])),
        *(("transcripts", value, "must be a file, a folder or a URL") for value in ("", [""])),
        *(("memories", value, "memories must be a list of names") for value in (5, None, "window")),
        *(("memories", value, "memories must be names") for value in ([5], {...})),
        ("memories", {5: "window"}, "the names of memories must be"),
        *(("executor", value, "executor must be") for value in ("x", 1.5)),
        ("settings", {"budgets": [10]}, "settings must be Settings"),
    ],
)
def test_a_wrong_argument_is_named(name: str, value: Any, message: str, transcript: Transcript) -> None:
    """With the value and what would be right."""
    given: dict[str, Any] = {"transcripts": [transcript], "memories": ["window"]} | {name: value}
    with pytest.raises(OptionError, match=message):
        compare(**given)


def test_conversations_that_are_made_when_needed_are_checked(transcript: Transcript) -> None:
    """What gives them may give nothing else."""
    broken: Any = lambda: [transcript, {"role": "user"}]  # noqa: E731
    with pytest.raises(OptionError, match="transcripts must be files"):
        compare(broken, ["window"])
