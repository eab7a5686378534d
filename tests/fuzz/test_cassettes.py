"""A slice of the changed cassettes; `make fuzz ARGS=cassettes` does a thousand."""

from pathlib import Path

from tools.fuzz.cassettes import fuzz_cassettes


def test_a_changed_cassette_is_replayed_or_refused(tmp_path: Path):
    """No changed file ends in another error than a `CassetteError`, or ends the process; none is written to."""
    fuzzed = fuzz_cassettes(60, tmp_path)
    assert fuzzed.wrong == []
    assert {"replayed", "refused with CassetteError"} <= {*fuzzed.outcomes}
