"""Recordings that are committed give back each answer that their file holds."""

from pathlib import Path

from tests.cassettes.published_cassettes import count_cassettes

FOLDER = Path(__file__).parents[2] / "cassettes"


def test_cassettes_of_this_project() -> None:
    """All recordings of this project replay, whenever they were recorded, and no answer is another."""
    found = count_cassettes(FOLDER)
    assert set(found) == {"replayed as it was", "requests"}
    assert found["replayed as it was"] == len([*FOLDER.rglob("*.yaml")])
