"""A worker that is killed in the middle of an upkeep costs one call of the model, and nothing else."""

from pathlib import Path

import pytest

from tests.postgres import PostgresServer
from tools.faults.notes import Notes


def test_a_killed_worker_costs_one_call(postgres_server: PostgresServer, tmp_path: Path):
    """All conversations are learnt to their ends, each once, but for the one in which the worker was."""
    pytest.importorskip("distributed", reason="Dask is not installed")
    from tools.faults.upkeep import Kept, kept_up, workers

    with workers(2) as executor:
        notes = Notes(tmp_path / "notes")
        kept = kept_up(postgres_server.new_url(), notes, executor, 8, model=0, kill_in_call=4)
    assert kept == Kept(calls=9, cut=1, twice=0, behind=0, failed=0, seconds=kept.seconds)
    assert len({note.pid for note in notes.all()}) > 1
