"""A slice of the damaged databases; `make fuzz ARGS="damage --count 250"` does five hundred."""

from pathlib import Path

import pytest

from tools.fuzz.damage import KINDS, fuzz_damage


@pytest.mark.parametrize("kind", KINDS)
def test_damage_is_told_by_name(kind: str, tmp_path: Path):
    """What cannot be read is a `StoreError` that names the conversation, and the check finds it; the rest is read."""
    fuzzed = fuzz_damage(kind, 15, tmp_path)
    assert fuzzed.wrong == []
    assert fuzzed.outcomes["told"] > 0
