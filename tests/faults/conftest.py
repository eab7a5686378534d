"""What the tests with faults share."""

from collections.abc import Callable
from pathlib import Path

import hypothesis
import pytest

from tests.faults.places import Places

# What `make faults` asks for.
hypothesis.settings.register_profile("thorough", hypothesis.settings.get_profile("repeatable"), max_examples=2000)


@pytest.fixture
def places(tmp_path: Path, request: pytest.FixtureRequest) -> Places:
    """Makes new stores; a test that asks for one in PostgreSQL is skipped where there is none."""

    def postgres_url() -> str:
        url: Callable[[], str] = request.getfixturevalue("postgres_server").new_url
        return url()

    return Places(tmp_path, postgres_url)
