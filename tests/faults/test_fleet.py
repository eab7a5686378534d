"""A fleet whose web workers are killed loses no turn that it answered."""

from contextlib import closing
from pathlib import Path

import pytest

from tools.faults.fleet import Fleet, fleet, is_installed


@pytest.mark.skipif(not is_installed(), reason="needs pgbouncer and haproxy (Debian's packages of these names)")
def test_killed_workers_lose_no_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Each question that was answered is stored once, with its answer, and is learnt from."""
    monkeypatch.setattr("tools.faults.fleet._KILLS", 1)
    with closing(Fleet(tmp_path, 2, model_seconds=0)) as parts:
        (phase,) = fleet(parts, 8, 4, ["a worker"])
    assert (phase.lost, phase.doubled) == (0, 0)
    assert len(phase.answered) > phase.failed
    assert phase.calls > 0
