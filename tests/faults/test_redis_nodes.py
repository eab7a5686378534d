"""A killed Redis server loses no acknowledged save that was in its file, or in its replica."""

import shutil

import pytest

from tools.faults.redis_nodes import killed


@pytest.mark.parametrize("setting", ["one server, appendfsync always", "a server whose replica takes over, wait=1"])
def test_a_killed_server_loses_nothing(setting: str):
    """Each save that returned is there once: it is in the server's file, or with `wait=1` in the replica."""
    pytest.importorskip("redis", reason="needs the 'redis' extra")
    if shutil.which("redis-server") is None:
        pytest.skip("needs redis-server (Debian's package redis-server)")
    count = killed(setting, kills=2)
    assert (count.kills, count.lost, count.doubled) == (2, 0, 0)
    assert len(count.acknowledged) > count.kills
