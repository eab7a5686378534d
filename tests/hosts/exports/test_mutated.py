"""Files of each form that differ from what is known of the form."""

import pytest

from tests.hosts.exports.mutated import samples, try_mutations


@pytest.mark.parametrize("name", samples())
def test_a_member_that_does_not_matter_changes_nothing(name: str) -> None:
    """An application may add members at any time."""
    outcomes = [outcome for outcome, _ in try_mutations(name, 2) if outcome.startswith("added")]
    assert set(outcomes) <= {"added: same", "added: another"}
