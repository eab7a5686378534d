"""Files of each form that differ from what is known of the form."""

import pytest

from tests.hosts.exports.mutated import samples, try_mutations


@pytest.mark.parametrize("name", samples())
def test_a_changed_member_is_of_no_matter_or_told(name: str) -> None:
    """An application may add members at any time; another name of a member that matters is never silent."""
    outcomes = {outcome for outcome, _ in try_mutations(name, 2)}
    assert not {outcome for outcome in outcomes if outcome.endswith("silent")}
    assert {outcome for outcome in outcomes if outcome.startswith("added")} <= {"added: same", "added: another"}
