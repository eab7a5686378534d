"""A slice of the changed programs; `make fuzz ARGS="migrate --count 500"` does five hundred."""

from pathlib import Path

from tools.fuzz.migrating import fuzz_migrate


def test_a_changed_program_is_rewritten_or_named(tmp_path: Path):
    """No program stops the others; what is not rewritten keeps its bytes, and what is keeps its other lines."""
    fuzzed = fuzz_migrate(20, tmp_path)
    assert fuzzed.wrong == []
    assert {"rewritten", "refused by name"} <= {*fuzzed.outcomes}
