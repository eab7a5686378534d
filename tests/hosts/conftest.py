"""Adapters are tested where their host has an environment of its own: `make hosts`."""

import os

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Elsewhere a host may be installed for another reason, with other versions beside it, or leave things open."""
    if os.environ.get("MEMZOO_HOSTS"):
        return
    for item in items:
        if "tests/hosts" in item.path.as_posix():
            item.add_marker(pytest.mark.skip(reason="`make hosts` runs it"))
