"""Processes that write one graph by calls of tools and are killed: a small `make mcp-faults`."""

from pathlib import Path

from tools.faults.writers import Counted, write_and_kill


def test_processes_that_are_killed_lose_nothing(tmp_path: Path) -> None:
    """Two processes write to one graph and are killed: what was acknowledged is there, once, and whole."""
    counted = write_and_kill(tmp_path / "mcp.db", processes=2, writes=4, kill_every=3)
    assert counted == Counted(acknowledged=8, kills=2, lost=0, doubled=0, halves=0, same=True)
