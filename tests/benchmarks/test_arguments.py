"""What `compare` is given is checked before anything runs."""

from typing import Any

import pytest

from memzoo.benchmarks import Transcript, compare
from memzoo.errors import OptionError

PRICES = {"*": (1.0, 1.0)}


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        *(("transcripts", value, "transcripts must be files") for value in (5, None, [5], b"x", [{"role": "user"}])),
        *(("transcripts", value, "must be a file, a folder or a URL") for value in ("", [""])),
        *(("memories", value, "memories must be a list of names") for value in (5, None, "window")),
        *(("memories", value, "memories must be names") for value in ([5], {...})),
        ("memories", {5: "window"}, "memories must have names"),
        *(
            ("budgets", value, "budgets must be tokens")
            for value in (["x"], 1000, "1000", [1.5], [True], None, [0], [])
        ),
        *(("counter", value, "counter must be a name") for value in (5, None, len)),
        ("make_model", 5, "make_model must be a function"),
        ("prompts", 5, "prompts must be a folder"),
        *(("prices", value, "prices must be pairs") for value in (5, [1], {"*": 5}, {"*": ("a", "b")}, {"*": (-1, 2)})),
        ("currency", 5, "currency must be a text"),
        *(("per_month", value, "per_month must be a whole number") for value in ("x", 0, 1.5)),
        *(("stop_at", value, "stop_at must be a number") for value in ("x", -1, float("nan"))),
        *(("out", value, "out must be a folder") for value in (5, b"x", "")),
        *(("executor", value, "executor must be") for value in ("x", 1.5)),
        ("progress", 5, "progress must be a function"),
        *(("cache", value, "cache must be a rule or one of openai") for value in (5, ["x"], "x")),
        ("price_cached", "x", "price_cached must be a number"),
        ("system_tokens", "x", "system_tokens must be a whole number"),
        *(("paid", value, "paid must be whole numbers") for value in (5, ["x"], "12", None)),
    ],
)
def test_a_wrong_argument_is_named(name: str, value: Any, message: str, transcript: Transcript) -> None:
    """With the value and what would be right, before anything is run."""
    given: dict[str, Any] = {"transcripts": [transcript], "memories": ["window"], "prices": PRICES} | {name: value}
    with pytest.raises(OptionError, match=message):
        compare(**given)


def test_conversations_that_are_made_when_needed_are_checked(transcript: Transcript) -> None:
    """What gives them may give nothing else."""
    broken: Any = lambda: [transcript, {"role": "user"}]  # noqa: E731
    with pytest.raises(OptionError, match="transcripts must be files"):
        compare(broken, ["window"])
