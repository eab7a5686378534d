"""Replay-test an LLM pipeline: record its model calls once, then replay them exactly and offline.

    cassette, settings            what a user opens, and its options; `proxy` and `functions` for other callers
    mark, plugin                  the same for pytest; it loads `mark` alone until a test is marked
    interception, callers, chunks how a request gets here: the client, whose it is, and how a stream arrives
    passing                       which requests are none of its business
    player                        answers it or records it
    matching, ignoring            which recording answers, and what differs in the nearest one
    scrubbing, places, answers    what is not kept: of requests by its place, of answers by its form; `secrets` for both
    format, yaml_text, files      how it is stored; `vcrpy_files` and `exporting` for other kits'
    http, conversation            words of HTTP and of models' APIs
    library                       whole folders, for `memzoo cassettes`

In pytest, mark a test with `@pytest.mark.cassette`; anywhere else, use `use_cassette`. Where pytest loads no plugins by
itself, pass `-p memzoo.cassettes`. See docs/cassettes.md. PYTEST_DONT_REWRITE, because a conftest may import from here
before pytest loads the plugin.
"""

from typing import TYPE_CHECKING, Any

from memzoo._lazy import lazy

if TYPE_CHECKING:
    from memzoo.cassettes.cassette import Cassette, use_cassette
    from memzoo.cassettes.errors import (
        CassetteError,
        CassetteFormatError,
        CassetteInUseError,
        HiddenKeyWarning,
        MissingCassetteError,
        RecordingError,
        StaleCassetteError,
        StaleCassetteWarning,
        UnmatchedRequestError,
        UnplayedInteractionError,
    )
    from memzoo.cassettes.exporting import export_cassette
    from memzoo.cassettes.format import ReadableSerializer
    from memzoo.cassettes.settings import CassetteSettings

__all__ = [
    "Cassette",
    "CassetteError",
    "CassetteFormatError",
    "CassetteInUseError",
    "CassetteSettings",
    "HiddenKeyWarning",
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


# pytest loads the package for `mark` in projects that have no cassettes; and it imports without PyYAML, which these
# two need.
_PLACES = {
    "memzoo.cassettes.cassette": "Cassette use_cassette",
    "memzoo.cassettes.errors": "CassetteError CassetteFormatError CassetteInUseError HiddenKeyWarning "
    "MissingCassetteError RecordingError StaleCassetteError StaleCassetteWarning UnmatchedRequestError "
    "UnplayedInteractionError",
    "memzoo.cassettes.exporting": "export_cassette",
    "memzoo.cassettes.format": "ReadableSerializer",
    "memzoo.cassettes.settings": "CassetteSettings",
}
_load, __dir__ = lazy(__name__, _PLACES)


def __getattr__(name: str) -> Any:
    if name not in ("ReadableSerializer", "export_cassette"):
        return _load(name)
    from memzoo.cassettes.errors import replay_extra

    with replay_extra():
        return _load(name)
