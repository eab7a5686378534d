"""Replay-test an LLM pipeline: model calls are recorded once, then replayed exactly and offline.

In pytest, say `-p memzoo.cassettes` or `pytest_plugins = ["memzoo.cassettes"]`, and mark a test with
`@pytest.mark.cassette`; anywhere else use `use_cassette`. See docs/cassettes.md. PYTEST_DONT_REWRITE,
because a conftest may import from here before pytest loads the plugin.
"""

from memzoo.cassettes.errors import (
    CassetteError,
    CassetteFormatError,
    CassetteInUseError,
    MissingCassetteError,
    RecordingError,
    UnmatchedRequestError,
    UnplayedInteractionError,
)
from memzoo.cassettes.serializing import ReadableSerializer
from memzoo.cassettes.settings import CassetteSettings
from memzoo.cassettes.using import Cassette, use_cassette

__all__ = [
    "Cassette",
    "CassetteError",
    "CassetteFormatError",
    "CassetteInUseError",
    "CassetteSettings",
    "MissingCassetteError",
    "ReadableSerializer",
    "RecordingError",
    "UnmatchedRequestError",
    "UnplayedInteractionError",
    "use_cassette",
]

pytest_plugins = ["memzoo.cassettes.plugin"]
