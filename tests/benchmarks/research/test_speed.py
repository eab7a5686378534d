"""CPU time beside other libraries: how it is taken and shown, not how much it is."""

import itertools
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memzoo.benchmarks.research import speed, speed_memzoo, speed_talk, speed_timing
from memzoo.benchmarks.research.__main__ import app
from memzoo.benchmarks.research.speed import MEMZOO, ROWS, Row
from memzoo.benchmarks.research.speed_timing import Maker, Place, Prepare
from memzoo.stores import Message
from tests.benchmarks.research.test_strong_model import rows


def spending(clock: "itertools.count[int]", ticks: int, log: list[int]) -> Prepare:
    """Work that takes so many ticks, and notes each call."""

    def call() -> None:
        log.append(ticks)
        for _ in range(ticks):
            next(clock)

    return speed_timing.again(call)


def test_libraries_take_turns_and_are_told_by_medians() -> None:
    """A B A B, so that a busy machine hits both; the timer's own tick is in each sample."""
    clock, log = itertools.count(), list[int]()
    works = {"quick": spending(clock, 1, log), "slow": spending(clock, 3, log)}
    found = speed_timing.medians(works, 4, 1, timer=lambda: next(clock) / 100)
    assert found == {"quick": pytest.approx(0.02), "slow": pytest.approx(0.04)}
    assert log[2:] == [1, 3] * 4


def test_what_is_slow_is_sampled_three_times() -> None:
    """A library that has used ten seconds of CPU does not hold up the others."""
    clock, log = itertools.count(), list[int]()
    speed_timing.medians({"slow": spending(clock, 9, log)}, 20, 1, timer=lambda: float(next(clock)))
    assert len(log) == 1 + 3


def test_quick_work_is_repeated_within_a_sample() -> None:
    """Enough calls for a sample that can be timed, but no more than allowed."""
    clock, log = itertools.count(), list[int]()
    works = {"quick": spending(clock, 1, log)}
    speed_timing.medians(works, 1, 1000, timer=lambda: next(clock) / 2**13)
    searching = 1 + sum(2**power for power in range(10))
    assert len(log) == searching + 512
    log.clear()
    speed_timing.medians(works, 1, 7, timer=lambda: next(clock) / 2**13)
    assert len(log) == 1 + (1 + 2 + 4) + 7


@pytest.mark.parametrize(
    "make",
    [
        speed_memzoo.buffer_load(3),
        speed_memzoo.buffer_turn(3),
        speed_memzoo.buffer_save,
        speed_memzoo.window_load(3),
        speed_memzoo.window_load_sqlite(3),
        speed_memzoo.window_save_sqlite(3),
        speed_memzoo.token_buffer_load(100),
        speed_memzoo.token_buffer_save(100),
    ],
)
def test_what_is_measured_runs(make: Maker, tmp_path: Path) -> None:
    """Each can be repeated within a sample and from sample to sample."""
    place = Place(tmp_path)
    with place.stack:
        prepare = make(place)
        prepare()(2)
        prepare()(1)


@pytest.mark.parametrize("make", [speed_memzoo.token_buffer_open, speed_memzoo.retriever_open(range(2))])
def test_each_sample_of_a_first_load_opens_a_fresh_copy(
    make: Maker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a load stores is not there for the next sample."""
    monkeypatch.setattr(speed_memzoo, "messages", ten)
    place = Place(tmp_path)
    with place.stack:
        prepare = make(place)
        original = (tmp_path / "original.db").read_bytes()
        prepare()(1)
        prepare()(1)
    assert len(list(tmp_path.glob("*.db"))) == 3
    assert (tmp_path / "original.db").read_bytes() == original


def ten(_: int, *, rare_words: bool = False) -> list[Message]:
    """Ten messages, however many are wanted."""
    return speed_talk.messages(10, rare_words=rare_words)


def test_model_calls_are_counted(tmp_path: Path) -> None:
    """Between one and one for each of the 40 exchanges."""
    assert 1 <= speed_memzoo.model_calls(Place(tmp_path)) <= 40


def test_talk_has_no_two_messages_alike() -> None:
    """A library that remembers what it saw before gains nothing."""
    said = [message["content"] for message in speed_talk.messages(200)]
    assert len(set(said)) == 200


def test_each_row_has_a_name_of_its_own_and_a_figure_of_ours() -> None:
    """Rows are chosen by name, and memzoo is in each of them."""
    assert len({row.name for row in ROWS}) == len(ROWS)
    assert all(MEMZOO in {**row.makers, **row.counts} for row in ROWS)


def absent(place: Place) -> Prepare:
    """A library that is not installed."""
    raise ModuleNotFoundError("no such library")


def test_the_command_prints_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memzoo's figures, those of what is installed with the ratio, and the target; only of the rows asked for."""
    found = [
        Row("tiny", "a tiny load", 1e-5, {MEMZOO: speed_memzoo.buffer_load(1), "gone": absent}),
        Row("calls", "model calls", 5, counts={MEMZOO: lambda _: 2, "typer": lambda _: 8}),
        Row("other", "another row", 1, {MEMZOO: speed_memzoo.buffer_save}),
    ]
    monkeypatch.setattr(speed, "ROWS", found)
    done = CliRunner().invoke(app, ["speed", "--samples", "1", "--row", "calls", "--row", "t*"])
    assert done.exit_code == 0, done.output
    printed = rows(done.output)
    assert set(printed) == {"a tiny load", "model calls"}
    assert printed["model calls"] == ["2", "8", "0.25", "5"]
    assert printed["a tiny load"][1:] == ["", "", "10 us"]


def test_an_unknown_row_is_refused() -> None:
    """The message lists the rows that there are."""
    done = CliRunner().invoke(app, ["speed", "--row", "nothing"], terminal_width=2000)
    assert done.exit_code == 2
    assert ROWS[0].name in done.output


@pytest.mark.parametrize(("value", "shown"), [(9e-6, "9 us"), (0.0012, "1.2 ms"), (220.0, "220.0 s")])
def test_figures_have_the_unit_that_fits(value: float, shown: str) -> None:
    """Microseconds, milliseconds or seconds."""
    assert speed.Figures(ROWS[0], {}).write_value(value) == shown
