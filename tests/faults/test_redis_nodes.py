"""A killed Redis server loses no acknowledged save that was in its file."""

import shutil

import pytest

from tools.faults.redis_nodes import killed


def test_a_killed_server_loses_nothing_that_it_wrote():
    """With `appendfsync always`, each save that returned is there once, however often it was tried."""
    pytest.importorskip("redis", reason="needs the 'redis' extra")
    if shutil.which("redis-server") is None:
        pytest.skip("needs redis-server (Debian's package redis-server)")
    count = killed("one server, appendfsync always", kills=2)
    assert (count.kills, count.lost, count.doubled) == (2, 0, 0)
    assert len(count.acknowledged) > count.kills
