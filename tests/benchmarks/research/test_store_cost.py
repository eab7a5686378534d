"""What stores cost, side by side."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memzoo.benchmarks.research.__main__ import app
from memzoo.benchmarks.research.store_contenders import ON_POSTGRESQL, ON_SQLITE, Contender
from memzoo.benchmarks.research.store_measuring import Append, appends, fill, loads, open_contenders, rate, sizes
from memzoo.errors import MissingExtraError

EXCHANGE = [{"role": "user", "content": "My cat is called Tom."}, {"role": "assistant", "content": "A fine name."}]


@pytest.fixture(params=ON_SQLITE)
def contender(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Contender]:
    """Each of those that keep messages in a file, if it is installed."""
    with open_contenders({request.param: ON_SQLITE[request.param]}, tmp_path) as (contenders, missing):
        for reason in missing:
            pytest.skip(reason)
        yield contenders[request.param]


def test_each_keeps_conversations_apart_and_gives_the_newest(contender: Contender) -> None:
    """What was appended is loaded, the newest of it, oldest first, and nothing of another conversation."""
    contender.append("a", EXCHANGE)
    contender.append("b", EXCHANGE * 2)
    contender.append("a", [*EXCHANGE[:1], {"role": "assistant", "content": "Tomcat?"}])
    first, second, third = map(str, contender.last("a", 3))
    assert "fine name" in first
    assert "called Tom." in second
    assert "Tomcat?" in third
    assert len(contender.last("b", 20)) == 4
    fill(contender, "c", 7)
    assert len(contender.last("c", 20)) == 7


def test_on_postgresql_too(postgres_url: str) -> None:
    """The same, and the bytes of tables and indexes are told."""
    with open_contenders(ON_POSTGRESQL, postgres_url) as (contenders, _):
        for one in contenders.values():
            one.append("a", EXCHANGE)
            assert "fine name" in str(one.last("a", 1)[0])
        assert rate(contenders["memzoo"], 2, 0.1) > 0
    table, indexes = sizes(postgres_url)["memzoo_messages"]
    assert table > 0
    assert indexes > 0


class Counted:
    """Counts what it is asked for; its clock tells how often."""

    def __init__(self, clock: Iterator[int], cost: int = 1) -> None:
        self.clock, self.cost, self.appended = clock, cost, 0

    def append(self, conversation: str, messages: object) -> None:
        """See `Contender.append`."""
        self.appended += 1
        self.spend()

    def last(self, conversation: str, count: int) -> list[object]:
        """See `Contender.last`."""
        self.spend()
        return []

    def spend(self) -> None:
        """Let time pass."""
        for _ in range(self.cost):
            next(self.clock)

    def close(self) -> None:
        """See `Contender.close`."""


def test_appends_take_turns_and_are_timed() -> None:
    """Each is asked as often as the others, a few times more to warm up, and told by median and least."""
    clock = itertools.count()
    contenders = {"bare": Counted(clock), "slow": Counted(clock, cost=3)}
    found = appends(contenders, 9, timers=(lambda: float(next(clock)), lambda: 0.0))
    assert found == {"bare": Append(2000, 2000, 0), "slow": Append(4000, 4000, 0)}
    assert {one.appended for one in contenders.values()} == {9 + 5}


def test_a_slow_load_is_asked_for_less_often() -> None:
    """Who is quick is asked as often as wanted, who takes seconds three times."""
    ticks = itertools.count()
    quick, slow = Counted(itertools.count()), Counted(ticks, cost=9)
    assert loads({"slow": slow}, ["a"], 100, timer=lambda: float(next(ticks))) == {"slow": [10_000]}
    assert next(ticks) == 3 * 11
    assert loads({"quick": quick}, ["a", "b"], 100, timer=lambda: 0.0) == {"quick": [0, 0]}
    assert next(quick.clock) == 200


def test_who_is_missing_is_named(tmp_path: Path) -> None:
    """One that is not installed does not stop the others."""

    def absent(place: Path) -> Contender:
        raise MissingExtraError("no-such-package is not installed")

    makers = {"absent": absent, "bare": ON_SQLITE["bare sqlite3, FULL"]}
    with open_contenders(makers, tmp_path) as (contenders, missing):
        assert list(contenders) == ["bare"]
    assert missing == ["not run: absent (no-such-package is not installed)"]


def test_the_command_shows_all_tables(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sizes, loads and appends, on SQLite and on PostgreSQL."""
    monkeypatch.setattr("memzoo.benchmarks.research.store_cost._LENGTH", 4)
    arguments = ["--rounds", "2", "--lengths", "4,8", "--conversations", "2", "--sized", "1", "--seconds", "0.1"]
    done = CliRunner().invoke(app, ["store-cost", *arguments, "--postgres", postgres_url])
    assert done.exit_code == 0, done.output
    for title in ("SQLite, 4 messages", "SQLite: the last 20", "PostgreSQL, 4 messages", "PostgreSQL: an exchange"):
        assert title in done.output
    assert "memzoo_messages" in done.output
    assert "16 threads:" in done.output
