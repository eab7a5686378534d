"""The comparison as a command."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from memzoo.benchmarks.measure import counting
from memzoo.benchmarks.measure.counting import APPROXIMATE
from memzoo.benchmarks.running import run_comparison
from memzoo.stores.errors import OptionError, TokenizerError, TranscriptError, UnknownStrategyError

Run = Callable[..., str]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs a comparison of a strategy that needs no model, and returns what the console shows."""

    def go(transcript: Path | None, **settings: Any) -> str:
        console = Console(width=200, force_terminal=False)
        options: dict[str, Any] = {"memories": ["window"], "model": "offline", "budget": 300, "prices": None}
        options |= {"token_counter": "approximate", "out": tmp_path / "out" / "deep", "console": console}
        with console.capture() as captured:
            run_comparison(transcript, **(options | settings))
        return captured.get()

    return go


def without_vocabulary(text: str, encoding: str) -> int:
    """Counts like tiktoken on a machine that cannot reach its vocabulary."""
    if encoding != "approximate":
        raise TokenizerError("no network")
    return len(text)


def test_it_shows_a_table_and_writes_three_files(
    chat: dict[str, Any], saved: Callable[..., Path], run: Run, tmp_path: Path
) -> None:
    """Into a folder that it makes."""
    shown = run(saved(chat))
    assert "window" in shown
    assert sorted(path.name for path in (tmp_path / "out" / "deep").iterdir()) == [
        "report.html",
        "results.json",
        "timings.json",
    ]
    assert shown.count("wrote ") == 3


def test_without_a_transcript_it_takes_the_sample(run: Run) -> None:
    """Nobody needs data of their own to begin."""
    assert "A bakery moves house (76 exchanges, 44 questions)" in run(None)


def test_the_offline_model_needs_no_vocabulary(
    chat: dict[str, Any], saved: Callable[..., Path], run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A first run counts approximately, and says so on the console, in the table and in the results."""
    monkeypatch.setattr(counting, "count_text", without_vocabulary)
    shown = run(saved(chat), token_counter=None)
    assert "Tokens: characters / 4, the default with the offline model" in shown
    assert "tokens counted by: approximate: characters / 4" in shown
    written = json.loads((tmp_path / "out" / "deep" / "results.json").read_text(encoding="utf-8"))
    assert written["token_counter"] == f"{APPROXIMATE}: characters / 4"


def test_a_chosen_counter_is_never_replaced(
    chat: dict[str, Any], saved: Callable[..., Path], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who asks for tiktoken, by name or with a model of an endpoint, gets tiktoken, or an error."""
    monkeypatch.setattr(counting, "count_text", without_vocabulary)
    for chosen in ({"token_counter": "o200k_base"}, {"token_counter": None, "model": "gpt-4o-mini"}):
        with pytest.raises(TokenizerError):
            run(saved(chat), **chosen)


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"memories": ["windwo"]}, UnknownStrategyError),
        ({"token_counter": "gpt-0"}, OptionError),
        ({"out": Path(__file__)}, OptionError),
        ({"transcript": Path("missing.json")}, TranscriptError),
    ],
    ids=["strategy", "counter", "folder", "transcript"],
)
def test_a_wrong_setting_is_an_error_before_anything_runs(
    settings: dict[str, Any], error: type[Exception], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is spent on a run whose results would be lost."""
    monkeypatch.setattr("memzoo.benchmarks.running.compare", lambda *_, **__: pytest.fail("it ran"))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    with pytest.raises(error):
        run(settings.pop("transcript", None), **settings)


def test_without_matplotlib_there_are_figures_without_pictures(
    chat: dict[str, Any], saved: Callable[..., Path], run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is missing is said, and the table and the figures are there all the same."""
    monkeypatch.setattr("memzoo.benchmarks.running.can_draw", lambda: False)
    shown = run(saved(chat))
    assert shown.index("pip install 'memzoo[report]'") < shown.index("window")
    written = sorted(path.name for path in (tmp_path / "out" / "deep").iterdir())
    assert written == ["results.json", "timings.json"]
