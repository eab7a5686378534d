"""What the tests with faults share."""

from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from tools.faults.places import Places

if TYPE_CHECKING:
    from tests.postgres import PostgresServer


@pytest.fixture
def places(tmp_path: Path, request: pytest.FixtureRequest) -> Places:
    """Makes new stores; a test that asks for one in PostgreSQL is skipped where there is none."""

    def postgres_url() -> str:
        server = cast("PostgresServer", request.getfixturevalue("postgres_server"))
        return server.new_url()

    return Places(tmp_path, postgres_url)
