"""Replay-test an LLM pipeline: record its model calls once, then replay them exactly and offline.

    cassette, settings, plugin    what a user opens, and its options; `proxy` and `functions` for other callers
    interception, callers, chunks how a request gets here: the client, whose it is, and how a stream arrives
    passing                       which requests are none of its business
    player                        answers it or records it
    matching, ignoring            which recording answers, and what differs in the nearest one
    scrubbing, places, secrets    what is not kept
    format, yaml_text, files      how it is stored; `vcrpy_files` and `exporting` for other kits'
    http, conversation            words of HTTP and of models' APIs
    library                       whole folders, for `memzoo cassettes`

In pytest, pass `-p memzoo.cassettes` or set `pytest_plugins = ["memzoo.cassettes"]`, and mark a test with
`@pytest.mark.cassette`; anywhere else, use `use_cassette`. See docs/cassettes.md. PYTEST_DONT_REWRITE,
because a conftest may import from here before pytest loads the plugin.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from memzoo.cassettes.cassette import Cassette, use_cassette
from memzoo.cassettes.errors import (
    CassetteError,
    CassetteFormatError,
    CassetteInUseError,
    MissingCassetteError,
    RecordingError,
    StaleCassetteError,
    StaleCassetteWarning,
    UnmatchedRequestError,
    UnplayedInteractionError,
    replay_extra,
)
from memzoo.cassettes.settings import CassetteSettings

if TYPE_CHECKING:
    from memzoo.cassettes.exporting import export_cassette
    from memzoo.cassettes.format import ReadableSerializer

__all__ = [
    "Cassette",
    "CassetteError",
    "CassetteFormatError",
    "CassetteInUseError",
    "CassetteSettings",
    "MissingCassetteError",
    "ReadableSerializer",
    "RecordingError",
    "StaleCassetteError",
    "StaleCassetteWarning",
    "UnmatchedRequestError",
    "UnplayedInteractionError",
    "export_cassette",
    "use_cassette",
]

pytest_plugins = ["memzoo.cassettes.plugin"]


# The package imports without PyYAML, and these do not.
_LATER = {"ReadableSerializer": "format", "export_cassette": "exporting"}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with replay_extra():
        return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
