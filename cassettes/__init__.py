"""Replay-test an LLM pipeline: record its model calls once, then replay them exactly and offline.

    cassette, settings            opening a cassette, and its options; `proxy` for other processes
    mark, plugin                  the pytest plugin: `mark` is always loaded, `plugin` only if a test is marked
    interception, callers, chunks intercepting a client's request, finding its cassette, repeating a stream's chunks
    player                        answering or recording a request
    matching, ignoring            matching a request with a recording, and showing how the nearest recording differs
    tools, values                 recording tool calls, and the exact types of their results
    scrubbing, places, answers    removing secrets from requests and answers; `secrets` recognises them
    format, yaml_text, files      the file format; `vcrpy_files` and `exporting` for the formats of other kits
    http, conversation            reading HTTP messages, and the requests and answers of models
    library                       processing whole folders, for `memzoo cassettes`

In pytest, mark a test with `@pytest.mark.cassette`; anywhere else, use `use_cassette`. If the automatic loading of
pytest's plugins is off, pass `-p memzoo.cassettes`. See docs/cassettes.md. (PYTEST_DONT_REWRITE: a conftest may import
this package early.)
"""

from typing import TYPE_CHECKING

from memzoo._lazy import lazy

if TYPE_CHECKING:
    from memzoo.cassettes.cassette import Cassette, use_cassette
    from memzoo.cassettes.errors import (
        CassetteError,
        ReplayError,
    )
    from memzoo.cassettes.proxy import CassetteProxy
    from memzoo.cassettes.tools import recorded_tool

__all__ = [
    "Cassette",
    "CassetteError",
    "CassetteProxy",
    "ReplayError",
    "recorded_tool",
    "use_cassette",
]

pytest_plugins = ["memzoo.cassettes.plugin"]
__getattr__, __dir__ = lazy(
    __name__,
    {
        "memzoo.cassettes.cassette": "Cassette use_cassette",
        "memzoo.cassettes.errors": "CassetteError ReplayError",
        "memzoo.cassettes.proxy": "CassetteProxy",
        "memzoo.cassettes.tools": "recorded_tool",
    },
)
