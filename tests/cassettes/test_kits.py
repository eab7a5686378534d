"""The comparison with other kits: this one passes each check; the others run in an environment of their own."""

from pathlib import Path

import pytest

from memzoo.benchmarks.research.kits.bench import Bench, Check
from memzoo.benchmarks.research.kits.contenders import Memzoo
from memzoo.benchmarks.research.kits.server import server
from memzoo.benchmarks.research.kits.wishes import ROWS

CHECKS = [check for row in ROWS.values() for check in row]


@pytest.mark.filterwarnings("ignore::memzoo.errors.MemoryZooWarning")
@pytest.mark.parametrize("check", CHECKS, ids=[f"{check.__name__}-{place}" for place, check in enumerate(CHECKS)])
def test_all_wishes(check: Check, tmp_path: Path) -> None:
    """What the table promises is so."""
    with server() as running:
        assert check(Bench(Memzoo(), running, tmp_path))


def test_twelve_rows() -> None:
    """The ten wishes, unplayed recordings, and secrets."""
    assert len(ROWS) == 12
