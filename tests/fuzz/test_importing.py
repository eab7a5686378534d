"""A slice of the changed files of other libraries; `make fuzz ARGS=import` does a thousand of each form."""

from pathlib import Path

import pytest

from tools.fuzz.importing import SOURCES, fuzz_import


@pytest.mark.parametrize("kind", SOURCES)
def test_a_changed_file_is_read_or_refused_by_name(kind: str, tmp_path: Path):
    """Whatever was changed in a conversation, it is imported whole or named, and the others come over as they are."""
    fuzzed = fuzz_import(kind, 40, tmp_path)
    assert fuzzed.wrong == []
    assert sum(fuzzed.outcomes.values()) == 40
    assert fuzzed.outcomes["refused by name"] > 0
