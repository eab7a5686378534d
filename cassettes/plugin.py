"""The part of the pytest plugin that is loaded only if a test has the mark `cassette`.

PYTEST_DONT_REWRITE: this module may be imported before pytest registers it.
"""

import hashlib
import json
import os
import re
import shlex
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any, cast

import pytest

from memzoo.cassettes.cassette import Cassette
from memzoo.cassettes.conversation import Statistics, statistics_of
from memzoo.cassettes.errors import CassetteError
from memzoo.cassettes.http import Recorded
from memzoo.cassettes.settings import LIST_FOLDER, LIST_GAP, MAX_BYTES, Budget, CassetteSettings, Record
from memzoo.errors import MemoryZooError, OptionError

pytest_plugins = ["memzoo.cassettes.mark"]
OPTIONS = ("ignore", "allow_errors", "timing", "max_age", "stale", "note", "max_bytes")
_LONGEST_NAME = 120
_UNSAFE = re.compile(r"[^\w.,=+@()\[\] -]")
# The variables with a client's key, by the addresses that the client asks.
_KEYS = re.compile(
    r"(?P<ANTHROPIC_API_KEY>/v1/messages\b|/v1/.*[?&]beta=true\b)"
    r"|(?P<GEMINI_API_KEY>/v1(?:alpha|beta)\d*/(?!openai/)|:(?:generate|streamGenerate|embed|batchEmbed)Contents?\b)"
    r"|(?P<MISTRAL_API_KEY>//api\.mistral\.ai/)"
    r"|(?P<OPENAI_API_KEY>/(?:completions|responses|embeddings|audio|images|files|moderations|batches)\b)"
)
_OF_MISTRAL = re.compile(r"[sx]tral")
_NOT_RUN = CassetteError("the test did not run")


class _Run:
    """A run of the tests, which chooses the cassette and the recording mode of each marked test.

    Attributes:
        record: The recording mode chosen on the command line.
        recorded: The cassettes written by this run, with their costs; further tests with the same cassette replay it.
        gaps: Reasons why tests may not have been collected.
    """

    def __init__(self, config: pytest.Config) -> None:
        self.record: Record = cast("Record", config.getoption("--cassettes"))
        self.recorded: dict[Path, Statistics] = {}
        self.gaps: list[str] = []
        self._config = config
        tokens: int | None = config.getoption("--record-budget")
        try:
            self._budget = Budget(tokens) if tokens is not None else None
        except OptionError as error:
            raise pytest.UsageError(f"--record-budget: {error}") from error
        self._owners: dict[str, str] = {}
        self._gzip: bool = config.getini("cassette_gzip")

    @property
    def folder(self) -> Path:
        """The folder of the cassettes."""
        return self._config.rootpath / str(self._config.getini("cassette_dir"))

    def list_cassettes(self, items: Sequence[pytest.Item]) -> list[str]:
        """Return lines with the folder of the cassettes, reasons why tests may be missing, and the tests' cassettes."""
        paths = set[str]()
        for item in items:
            if item.get_closest_marker("cassette"):
                try:
                    paths.add(str(self.choose_cassette(item)[0]))
                except MemoryZooError as error:
                    self.gaps.append(f"{item.nodeid}: {error}")
        config = self._config
        if config.args_source is pytest.Config.ArgsSource.ARGS:
            self.gaps.append(f"only {' '.join(config.args)} is collected")
        if config.invocation_params.dir != config.rootpath:
            self.gaps.append(f"the tests belong to {str(config.rootpath)!r}, so run the command there")
        if config.getoption("lf", default=False):
            self.gaps.append("only the tests that failed last are collected")
        notes = [f"{LIST_GAP}{gap}" for gap in dict.fromkeys(self.gaps)]
        return [LIST_FOLDER + str(self.folder), *(" ".join(note.split()) for note in notes), *sorted(paths)]

    def choose_cassette(self, item: pytest.Item) -> tuple[Path, CassetteSettings]:
        """Return the file and the settings of a test's cassette.

        Raises:
            OptionError: The mark is missing or wrong, or another test uses the same file.
        """
        mark = item.get_closest_marker("cassette")
        if mark is None:
            raise OptionError("The fixture 'cassette' is for tests marked @pytest.mark.cassette")
        name, options = _options_of(mark)
        path = self.folder / self._name(item, name)
        if name is None:
            self._claim(path, item.nodeid)
        return path, self._settings(item, path, options)

    def _name(self, item: pytest.Item, name: str | None) -> PurePath:
        module = PurePath(os.path.relpath(item.path, self._config.rootpath))
        classes = [node.name for node in item.listchain() if isinstance(node, pytest.Class)]
        folders: list[str] = self._config.getini("testpaths")
        tests = folders[0] if len(folders) == 1 else "tests"
        found = cassette_name(module, [name] if name else [*classes, item.name], tests=tests)
        return found.with_name(f"{found.name}.gz") if self._gzip else found

    def _claim(self, path: Path, test: str) -> None:
        # On some file systems, two names that differ only in case are the same file.
        owner = self._owners.setdefault(str(path).casefold(), test)
        if owner != test:
            raise OptionError(f"{owner} and {test} have the same cassette {str(path)!r}: rename one of them")

    def _settings(self, item: pytest.Item, path: Path, options: dict[str, Any]) -> CassetteSettings:
        ini = self._config.getini
        of_project: dict[str, Any] = {
            "max_bytes": MAX_BYTES if (limit := self._number("cassette_max_bytes")) is None else limit,
            "max_age": self._number("cassette_max_age"),
            "stale": ini("cassette_stale"),
        }
        settings = CassetteSettings(**{**of_project, **options})
        command = f"pytest --cassettes=all {shlex.quote(item.nodeid)}"
        return replace(
            settings,
            record="none" if path in self.recorded else self.record,
            ignore=[*ini("cassette_ignore"), *settings.ignore],
            secret_variables=ini("cassette_secrets"),
            record_command=ini("cassette_record_command") or command,
            budget=self._budget,
        )

    def _number(self, name: str) -> int | None:
        said: str = self._config.getini(name)
        try:
            return int(said) if said else None
        except ValueError as error:
            raise OptionError(f"{name} = {said} is not a number") from error


_OPENED = pytest.StashKey[Cassette]()
_FAILURE = pytest.StashKey[BaseException | None]()
_RUN = pytest.StashKey[_Run]()


def pytest_configure(config: pytest.Config) -> None:
    """Create the object that collects the data of this test run."""
    config.stash[_RUN] = _Run(config)


def pytest_report_collectionfinish(config: pytest.Config) -> str | list[str]:
    """Return a line about the run's recording mode, for pytest's report."""
    if config.get_verbosity() < 0:
        return []
    record = config.stash[_RUN].record
    return f"cassettes: {'replay only' if record == 'none' else f'record {record}'}, in {config.getini('cassette_dir')}"


def pytest_collection_finish(session: pytest.Session) -> None:
    """Write the list of all tests' cassettes; `memzoo cassettes check` uses it to find files that no test needs."""
    target: str | None = session.config.getoption("--cassette-list")
    if target:
        lines = session.config.stash[_RUN].list_cassettes(session.items)
        Path(target).write_text("\n".join(lines), encoding="utf-8")


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    """If tests were deselected, note this as a reason why the list of cassettes is incomplete."""
    if items:
        items[0].config.stash[_RUN].gaps.append("options of pytest deselect tests")


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """If a module was skipped or failed, note this as a reason why the list of cassettes is incomplete."""
    report = yield
    if not report.passed:
        how = "is skipped" if report.skipped else "cannot be collected"
        collector.config.stash[_RUN].gaps.append(f"{collector.nodeid or 'the project'} {how}")
    return report


@pytest.hookimpl(wrapper=True)
def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> Generator[None, bool | None, bool | None]:
    """If a file or folder is ignored, note this as a reason why the list of cassettes is incomplete."""
    ignored = yield
    if ignored and _could_have_tests(collection_path, config):
        config.stash[_RUN].gaps.append(f"{os.path.relpath(collection_path, config.rootpath)} is ignored")
    return ignored


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Store the outcome of a test. Report a cassette's error without its traceback."""
    if call.when == "call" or (call.when == "setup" and call.excinfo):
        item.stash[_FAILURE] = call.excinfo.value if call.excinfo else None
    opened = item.stash.get(_OPENED, None)
    if opened and call.when == "teardown" and (difference := opened.difference):
        item.user_properties.append(("cassette", json.dumps(difference._asdict())))
    report = yield
    if report.failed and call.excinfo and opened and opened.error_of(call.excinfo.value):
        # Hundreds of lines from the HTTP client's frames would hide the difference.
        report.longrepr = _in_own_words(item, opened, call.excinfo)
    return report


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print the number of recorded cassettes, their token counts and their models."""
    recorded = config.stash[_RUN].recorded
    if recorded:
        total = sum(recorded.values(), Statistics())
        terminalreporter.write_line(", ".join([f"cassettes: {len(recorded)} recorded", total.tokens, *total.models]))


def open_cassette(item: pytest.Item) -> Iterator[Cassette]:
    """Open the cassette of a marked test, and close it after the test."""
    with _without_traceback():
        opened = Cassette(*item.config.stash[_RUN].choose_cassette(item))
    item.stash[_OPENED] = opened
    with pytest.MonkeyPatch.context() as environment:
        # The clients refuse to ask without a key, and a replay needs no real key.
        for name in set[str]() if opened.recording else _keys_for(opened.player.recordings) - os.environ.keys():
            environment.setenv(name, "replay")
        yield opened
    failure = item.stash.get(_FAILURE, _NOT_RUN)
    with _without_traceback():
        opened.close(failure)
    if opened.recording and failure is None:
        item.config.stash[_RUN].recorded[opened.path] = opened.statistics
    elif opened.recording:
        item.add_report_section("teardown", "cassette", f"{opened.path} was not written, because the test failed")


def _keys_for(recordings: Sequence[Recorded]) -> set[str]:
    """Return the variables with the keys that a replay needs: with more keys, a program may choose another provider."""
    asked = filter(None, (_KEYS.search(one.request.uri) for one in recordings))
    found = {str(one.lastgroup) for one in asked} or {"OPENAI_API_KEY"}
    # A cassette keeps no host, and Mistral has OpenAI's paths.
    models = statistics_of(one.response for one in recordings).models
    return found | {"MISTRAL_API_KEY"} if any(map(_OF_MISTRAL.search, models)) else found


@contextmanager
def _without_traceback() -> Generator[None]:
    """Fail with only the message of an error, because the traceback has only frames of the plugin."""
    try:
        yield
    except MemoryZooError as error:
        told = "\n".join([str(error), *getattr(error, "__notes__", ())])
        # Raised without a cause, because pytest would show the cause a second time.
        raise pytest.fail.Exception(told, pytrace=False) from None


def _in_own_words(item: pytest.Item, opened: Cassette, excinfo: pytest.ExceptionInfo[BaseException]) -> str:
    own = [entry for entry in excinfo.traceback if Path(entry.path) == item.path]
    place = f"{own[-1].path}:{own[-1].lineno + 1}: {str(own[-1].statement).strip()}" if own else item.nodeid
    return f"{opened.error_of(excinfo.value)}\nSent by {place}"


def _could_have_tests(path: Path, config: pytest.Config) -> bool:
    if not path.is_dir():
        return any(map(path.match, config.getini("python_files")))
    never = ["__pycache__", *config.getini("norecursedirs")]
    return not any(map(path.match, never)) and not (path / "pyvenv.cfg").exists()


def cassette_name(module: PurePath, names: Sequence[str], *, tests: str = "tests") -> PurePath:
    """Return the path of a test's cassette, relative to the folder of all cassettes.

    Args:
        module: The path of the test's file, relative to the project.
        names: The names of the classes that contain the test, and the name of the test with its parameters.
        tests: The folder of the tests, which is left out of the result.

    Example:
        >>> cassette_name(PurePath("tests/memories/test_summary.py"), ["test_x[sync]"]).as_posix()
        'memories/test_summary/test_x[sync].yaml'
    """
    below = module.relative_to(tests) if module.is_relative_to(tests) else module
    folders = [_safe(part) for part in below.with_suffix("").parts if part != below.anchor]
    return PurePath(*folders, _safe(".".join(names)) + ".yaml")


def _options_of(mark: pytest.Mark) -> tuple[str | None, dict[str, Any]]:
    unknown = sorted(mark.kwargs.keys() - {"name", *OPTIONS})
    if unknown:
        raise OptionError(f"@pytest.mark.cassette has no option {unknown[0]!r}; it has {', '.join(OPTIONS)}")
    names = [*mark.args, *([mark.kwargs["name"]] if "name" in mark.kwargs else [])]
    if len(names) > 1 or not all(isinstance(name, str) and name for name in names):
        raise OptionError(f"@pytest.mark.cassette takes one name, a string, not {names!r}")
    return (names[0] if names else None), {name: mark.kwargs[name] for name in OPTIONS if name in mark.kwargs}


def _safe(name: str) -> str:
    """Return a name that every file system accepts; a changed name gets a digest to stay distinct."""
    safe = _UNSAFE.sub("_", name)[:_LONGEST_NAME]
    if safe == name and name.strip(" .") == name:
        return name
    return f"{safe.strip(' .')}-{hashlib.sha256(name.encode(errors='surrogatepass')).hexdigest()[:8]}"
