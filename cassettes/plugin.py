"""The pytest plugin. PYTEST_DONT_REWRITE, because it may be imported before pytest hears of it."""

import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from memzoo.cassettes.choosing import Choices
from memzoo.cassettes.errors import CassetteError
from memzoo.cassettes.facts import Facts
from memzoo.cassettes.settings import MAX_BYTES, RECORD_CHOICES
from memzoo.cassettes.using import Cassette
from memzoo.stores.errors import MemoryZooError

__all__ = [
    "cassette",
    "pytest_addoption",
    "pytest_configure",
    "pytest_report_header",
    "pytest_runtest_makereport",
    "pytest_terminal_summary",
]

_MARK = (
    "cassette(name=None, *, allow_errors=False, note=None, max_bytes=...): replay the HTTP requests of this test from"
    " its cassette, or record them with --cassettes=once or all"
)
_NOT_RUN = CassetteError("the test did not run")

_FAILURE = pytest.StashKey[BaseException | None]()
_CHOICES = pytest.StashKey[Choices]()
_RECORDED = pytest.StashKey[list[Facts]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--cassettes` and the ini options."""
    parser.getgroup("cassettes", "recorded model calls").addoption(
        "--cassettes",
        choices=RECORD_CHOICES,
        default="none",
        help="what tests marked 'cassette' record: none (only replay), once (where there is no cassette), all (anew)",
    )
    parser.addini("cassette_dir", "the folder of the cassettes, relative to rootdir", default="cassettes")
    parser.addini("cassette_record_command", "the command that records again, for failure messages", default="")
    parser.addini("cassette_max_bytes", "the size in bytes that a cassette may have", default=str(MAX_BYTES))
    parser.addini("cassette_secrets", "environment variables whose values are scrubbed", type="args", default=[])


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark."""
    config.addinivalue_line("markers", _MARK)
    config.stash[_CHOICES] = Choices(config)
    config.stash[_RECORDED] = []


def pytest_report_header(config: pytest.Config) -> str:
    """Tell whether this run records."""
    record = config.stash[_CHOICES].record
    return f"cassettes: {'replay only' if record == 'none' else f'record {record}'}, in {config.getini('cassette_dir')}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Remember how the test went: a cassette is closed differently after a failure."""
    if call.when == "call" or (call.when == "setup" and call.excinfo):
        item.stash[_FAILURE] = call.excinfo.value if call.excinfo else None
    return (yield)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Tell what was recorded and what it took."""
    recorded = config.stash[_RECORDED]
    if recorded:
        total = sum(recorded, Facts())
        terminalreporter.write_line(
            f"cassettes: {len(recorded)} recorded, {total.responses} responses by {', '.join(total.models) or '?'},"
            f" {total.input_tokens:,} tokens read, {total.output_tokens:,} written"
        )


@pytest.fixture
def cassette(request: pytest.FixtureRequest) -> Iterator[Cassette]:
    """The open cassette of a test that is marked `cassette`; ask its `recording` and its `path`."""
    item = _item(request)
    with _without_traceback():
        opened = Cassette(*item.config.stash[_CHOICES].chosen(item))
    with pytest.MonkeyPatch.context() as environment:
        if not opened.recording and "OPENAI_API_KEY" not in os.environ:
            # The client is not made without a key, and a replay needs no real one.
            environment.setenv("OPENAI_API_KEY", "replay")
        yield opened
    failure = item.stash.get(_FAILURE, _NOT_RUN)
    with _without_traceback():
        opened.close(failure)
    if opened.recording:
        _tell_of_recording(item, opened, failure)


@pytest.fixture(autouse=True)
def _cassette_of_a_marked_test(request: pytest.FixtureRequest) -> None:
    if _item(request).get_closest_marker("cassette"):
        request.getfixturevalue("cassette")


@contextmanager
def _without_traceback() -> Generator[None]:
    """Fail with the words of an error alone: they say it all, and the frames are those of the plugin."""
    try:
        yield
    except MemoryZooError as error:
        pytest.fail("\n".join([str(error), *getattr(error, "__notes__", ())]), pytrace=False)


def _item(request: Any) -> pytest.Item:
    item: pytest.Item = request.node
    return item


def _tell_of_recording(item: pytest.Item, opened: Cassette, failure: BaseException | None) -> None:
    if failure is None:
        item.config.stash[_RECORDED].append(opened.facts)
        item.config.stash[_CHOICES].recorded(opened.path)
    else:
        item.add_report_section("teardown", "cassette", f"{opened.path} was not written, because the test failed")
