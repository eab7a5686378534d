"""The code under test is held to the recording."""

import contextlib
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memzoo.cassettes import (
    Cassette,
    CassetteError,
    ReplayError,
    use_cassette,
)
from memzoo.cassettes.settings import CassetteSettings
from memzoo.errors import MemoryZooError

if TYPE_CHECKING:
    from tests.cassettes.conftest import ModelServer, Pipeline


@pytest.fixture
def recorded(server: "ModelServer", pipeline: "Pipeline", path: Path) -> Path:
    """A cassette of two questions."""
    with use_cassette(path, record="once"):
        pipeline.ask("What is\nthe capital of Norway?", at=server.url)
        pipeline.ask("And of Sweden?", at=server.url)
    return path


def replay(path: Path, pipeline: "Pipeline", *texts: str) -> None:
    """Ask these questions of a cassette."""
    with use_cassette(path, record_command="make tapes"):
        for text in texts:
            pipeline.ask(text)


def test_changed_prompt(recorded: Path, pipeline: "Pipeline") -> None:
    """A changed body fails, and the message shows the nearest recording, line by line."""
    with pytest.raises(ReplayError) as raised:
        replay(recorded, pipeline, "What is\nthe capital of Denmark?")
    assert str(raised.value).splitlines() == [
        "No recording is left for this request:",
        "  POST /chat/completions m: 'What is\\nthe capital of Denmark?'",
        "First difference at step 1 of 2: another prompt (- recorded, + requested):",
        "  body differs at $.messages[0].content:",
        "    If that may vary: ignore=['$.messages[0].content']",
        "        What is",
        "    -   the capital of Norway?",
        "    +   the capital of Denmark?",
        f"Cassette: {recorded} (2 recorded)",
        "To record it: make tapes",
    ]


def test_changed_option(recorded: Path, pipeline: "Pipeline") -> None:
    """A new option of a request fails, too."""
    with pytest.raises(ReplayError, match=r"\+ temperature: 0.5"), use_cassette(recorded):
        pipeline.ask("And of Sweden?", temperature=0.5)


def test_other_encoding_of_embeddings(server: "ModelServer", pipeline: "Pipeline", path: Path) -> None:
    """How embeddings are encoded is part of the request."""
    with use_cassette(path, record="once"):
        pipeline.embed("hi", at=server.url)
    with pytest.raises(ReplayError, match="- encoding_format: base64"), use_cassette(path):
        pipeline.embed("hi", encoding_format="float")


def test_other_endpoint(recorded: Path, pipeline: "Pipeline") -> None:
    """Another path fails and is named."""
    difference = r"path differs:\n +- /chat/completions\n +\+ /embeddings"
    with pytest.raises(ReplayError, match=difference), use_cassette(recorded):
        pipeline.embed("hello")


def test_once_too_often(recorded: Path, pipeline: "Pipeline") -> None:
    """Nothing is played twice."""
    with pytest.raises(ReplayError, match=r"Its recordings \(1\) have all been played"):
        replay(recorded, pipeline, "And of Sweden?", "And of Sweden?")


def test_swallowed_misses(recorded: Path, pipeline: "Pipeline") -> None:
    """Code that goes on without an answer fails all the same; further misses are added."""

    def careless() -> None:
        with use_cassette(recorded):
            for country in ("Denmark", "Finland"):
                with contextlib.suppress(Exception):
                    pipeline.ask(f"And of {country}?")

    with pytest.raises(ReplayError, match="Denmark") as raised:
        careless()
    assert "Finland" in raised.value.__notes__[0]


def test_disguised_miss(recorded: Path, pipeline: "Pipeline") -> None:
    """The miss is reported, not what the code under test made of it later."""

    def careless() -> None:
        with use_cassette(recorded):
            with contextlib.suppress(Exception):
                pipeline.ask("And of Denmark?")
            raise ValueError("no answer")

    with pytest.raises(ReplayError, match="Denmark"):
        careless()


def test_wrapped_miss(recorded: Path, pipeline: "Pipeline") -> None:
    """An error that was raised from the miss tells of it already, and stays."""

    def careful() -> None:
        with use_cassette(recorded):
            try:
                pipeline.ask("And of Denmark?")
            except ReplayError as error:
                raise ValueError("no answer") from error

    with pytest.raises(ValueError, match="no answer"):
        careful()


def test_unplayed(recorded: Path, pipeline: "Pipeline") -> None:
    """A request that is no longer sent fails, with cassette, number and request."""
    with pytest.raises(ReplayError) as raised:
        replay(recorded, pipeline, "What is\nthe capital of Norway?")
    assert str(raised.value).splitlines() == [
        "1 of 2 recorded requests were not sent:",
        "  2. POST /chat/completions m: 'And of Sweden?'",
        f"Cassette: {recorded} (2 recorded)",
        "To record it: make tapes",
    ]


def test_unplayed_after_a_failure(recorded: Path) -> None:
    """A failure is not covered up by what it left unplayed."""
    with pytest.raises(ZeroDivisionError), use_cassette(recorded):
        raise ZeroDivisionError


def test_no_requests(path: Path, pipeline: "Pipeline") -> None:
    """That nothing is asked can be recorded, and is held to, too."""
    with use_cassette(path, record="once"):
        pass
    replay(path, pipeline)
    with pytest.raises(ReplayError, match="The recording ends here"):
        replay(path, pipeline, "hi")


def test_missing(path: Path, pipeline: "Pipeline") -> None:
    """A missing cassette fails with the command that records it."""
    with pytest.raises(CassetteError) as raised:
        replay(path, pipeline, "hi")
    assert str(raised.value) == f"There is no cassette {str(path)!r}, and recording is off.\nTo record it: make tapes"
    assert not path.exists()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<<<<<<< ours\n",
        "interactions: []",
        "version: 3\ninteractions: []",
        "version: 1\ninteractions: [1]",
        "version: 1\ninteractions: !!python/object/apply:os.getcwd []",
    ],
)
def test_damaged(text: str, tmp_path: Path, pipeline: "Pipeline") -> None:
    """A file that is no cassette fails by its name, and leaves nothing open."""
    (tmp_path / "bad.yaml").write_text(text)
    for _ in range(2):
        with pytest.raises(CassetteError, match=r"(?s)bad\.yaml: .*\nTo record it: make tapes"):
            replay(tmp_path / "bad.yaml", pipeline)


def test_one_recorder_for_a_file(server: "ModelServer", pipeline: "Pipeline", path: Path) -> None:
    """A file that is being recorded cannot be opened a second time, in another thread either; the first one goes on."""
    refused: list[BaseException] = []

    def second() -> None:
        with pytest.raises(CassetteError, match=r"test\.yaml' is already open") as raised:
            Cassette(path, CassetteSettings(record="all"))
        refused.append(raised.value)

    with use_cassette(path, record="once"):
        second()
        thread = threading.Thread(target=second)
        thread.start()
        thread.join()
        pipeline.ask("hi", at=server.url)
    assert len(refused) == 2
    assert path.is_file()


def test_closing_twice(path: Path) -> None:
    """Closing a closed cassette does no harm to the next one."""
    first = Cassette(path, CassetteSettings(record="once"))
    first.close()
    second = Cassette(path, CassetteSettings(record="all"))
    first.close()
    with pytest.raises(CassetteError):
        Cassette(path)
    second.close()


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (CassetteError, RuntimeError),
        (ReplayError, AssertionError),
        (CassetteError, MemoryZooError),
    ],
)
def test_errors_are_typed(error: type[Exception], builtin: type[Exception]) -> None:
    """Each error is a CassetteError and the builtin that fits, and shows its message."""
    assert issubclass(error, CassetteError)
    assert issubclass(error, builtin)
    assert str(error("what happened")) == "what happened"
