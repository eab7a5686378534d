"""What is imported is tried before it is stored."""

import logging
from datetime import UTC, datetime
from typing import Any

import pytest

from memzoo.memories.strategies.imported import check_import
from memzoo.stores import Entry, StoredState
from memzoo.sync import drive

SAID = [Entry(1, {"role": "user", "content": "Hi"}, "turn", datetime(2026, 5, 8, tzinfo=UTC))]


@pytest.mark.parametrize("name", ["mine", "combined", "words/x"])
def test_states_of_other_strategies_are_not_looked_into(name: str) -> None:
    """What a package of somebody's own keeps is stored as it is, whatever it is."""
    drive(check_import(SAID, {name: StoredState(1, {"summary": [7]})}))


@pytest.mark.parametrize("items", [{"a": {"name": "A", "of": "a"}}, {"a": {"name": "A", "of": "b"}, "b": {"of": "a"}}])
def test_names_that_stand_for_themselves_do_no_harm(items: dict[str, Any]) -> None:
    """By way of others, too: they mean one person, on whom there is no note."""
    drive(check_import(SAID, {"entity": StoredState(1, items)}))


def test_a_trial_logs_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """That no model answers a trial is nothing to be told of; what is logged behind it is there."""
    with caplog.at_level(logging.DEBUG, logger="memzoo"):
        drive(check_import(SAID, {"entity": StoredState(0, {}), "summary": StoredState(0, {"summary": "x"})}))
        assert caplog.records == []
        logging.getLogger("memzoo").warning("something else")
    assert [record.message for record in caplog.records] == ["something else"]
