"""The part of the pytest plugin that is always loaded: options, mark and fixture.

PYTEST_DONT_REWRITE: this module may be imported before pytest registers it.
"""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memzoo.cassettes.cassette import Cassette

_KIT = "memzoo.cassettes.plugin"
_MARK = (
    "cassette(name=None, *, ignore=[], allow_errors=False, timing='none', max_age=None, note=None, max_bytes=...):"
    " replay the HTTP requests of this test from its cassette, or record them with --cassettes=once or all"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--cassettes` and the ini options."""
    group = parser.getgroup("cassettes", "recorded model calls")
    group.addoption(
        "--cassettes",
        choices=("none", "once", "all"),
        default="none",
        help="record tests marked 'cassette': none (only replay), once (if the cassette is missing), all (again)",
    )
    group.addoption(
        "--record-budget",
        type=int,
        metavar="TOKENS",
        help="stop sending requests once the recordings have this many tokens",
    )
    group.addoption(
        "--cassette-list",
        metavar="FILE",
        help="write the cassettes of the collected tests into this file, one per line; lines with # are notes",
    )
    parser.addini("cassette_dir", "the folder of the cassettes, relative to rootdir", default="cassettes")
    parser.addini("cassette_record_command", "the command that records again, for failure messages", default="")
    parser.addini("cassette_max_bytes", "the largest size of a cassette in bytes", default="")
    parser.addini("cassette_ignore", "parts of a request that may vary, one rule per line", type="linelist", default=[])
    parser.addini("cassette_max_age", "maximum age of a recording in days", default="")
    parser.addini("cassette_stale", "treatment of an older recording: warn or fail", default="warn")
    parser.addini("cassette_gzip", "compress the cassettes", type="bool", default=False)
    parser.addini("cassette_secrets", "environment variables whose values are scrubbed", type="args", default=[])


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark. If an option needs the whole plugin, load it now."""
    config.addinivalue_line("markers", _MARK)
    given = config.getoption("--record-budget"), config.getoption("--cassette-list")
    if config.getoption("--cassettes") != "none" or any(one is not None for one in given):
        config.pluginmanager.import_plugin(_KIT)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Load the whole plugin if a test is marked."""
    if any(item.get_closest_marker("cassette") for item in items):
        config.pluginmanager.import_plugin(_KIT)


@pytest.fixture
def cassette(request: pytest.FixtureRequest) -> "Iterator[Cassette]":
    """Yield the open cassette of a marked test."""
    request.config.pluginmanager.import_plugin(_KIT)
    from memzoo.cassettes.plugin import open_cassette

    yield from open_cassette(request.node)


@pytest.fixture(autouse=True)
def _cassette_of_a_marked_test(request: pytest.FixtureRequest) -> None:
    # pytest collects a test's fixtures before marks may be added, so the mark is checked when the test runs.
    if request.node.get_closest_marker("cassette"):
        request.getfixturevalue("cassette")
