"""Files that are not as they should be: cut off, merged, edited, newer, not to be written, written by two processes."""

import gzip
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from memzoo.cassettes import (
    Cassette,
    CassetteError,
    use_cassette,
)
from memzoo.cassettes.format import read_cassette
from memzoo.cassettes.settings import CassetteSettings
from memzoo.errors import OptionError
from tests.forking import run_program

if TYPE_CHECKING:
    from tests.cassettes.conftest import ModelServer, Pipeline

TAPE = """\
version: 1
interactions:
- request:
    method: POST
    url: /v1/chat/completions
    body: hi
  response:
    status: 200 OK
    body: ho
"""
PACKED = gzip.compress(TAPE.encode())


def refused(path: Path, content: str | bytes) -> str:
    """Why a file of this content is no cassette."""
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(CassetteError) as raised, use_cassette(path, record_command="make tapes"):
        pass
    assert str(raised.value).startswith(f"{path}: ")
    assert str(raised.value).endswith("\nTo record it: make tapes")
    return str(raised.value)


@pytest.mark.parametrize("marks", [("<<<<<<< HEAD", "=======", ">>>>>>> theirs"), ("=======",), (">>>>>>> theirs",)])
def test_merge_conflicts(marks: tuple[str, ...], path: Path) -> None:
    """A file with the marks of a merge says so, whatever YAML makes of them."""
    first, second = TAPE.splitlines(), ["- request:", "    method: GET", "    url: /", "  response:", "    status: 200"]
    middle = [line for mark in marks for line in (mark, *second)]
    assert "it contains the markers of a merge conflict" in refused(path, "\n".join([*first, *middle]))


def test_marks_within_a_text_are_none(path: Path) -> None:
    """A prompt may quote a merge conflict."""
    path.parent.mkdir()
    path.write_text(TAPE.replace("body: ho", "body: |\n      <<<<<<< HEAD\n      =======\n"))
    with pytest.raises(AssertionError, match="were not sent"), use_cassette(path):
        pass


@pytest.mark.parametrize("end", ["url", "status", "response:\n    stat"])
def test_cut_off(end: str, path: Path) -> None:
    """A file that ends within a recording is refused."""
    refused(path, TAPE.partition(end)[0] + end)


def test_cut_off_between_lines(server: "ModelServer", pipeline: "Pipeline", path: Path) -> None:
    """A recording that has lost lines at its end is refused, though YAML would read what is left."""
    with use_cassette(path, record="once"):
        for text in ("hi", "ho"):
            pipeline.ask(text, at=server.url)
    title, *lines = path.read_text().splitlines(keepends=True)
    assert [title[0], lines[0], lines[-1]] == ["#", "---\n", "...\n"]
    for newline in ("\n", "\r\n"):
        for end in range(1, len(lines)):
            cut = "".join([title, *lines[:end]]).replace("\n", newline)
            assert "it is cut off: the line '...' at its end is missing" in refused(path, cut)
        path.write_bytes("".join([title, *lines]).replace("\n", newline).encode())
        with use_cassette(path):
            assert [pipeline.ask("hi"), pipeline.ask("ho")] == ["You said: hi", "You said: ho"]


def test_without_marks(path: Path) -> None:
    """A recording from before there were marks is read as before, and so is one of another kit with the first."""
    path.parent.mkdir()
    for text in (TAPE, "# Recorded by memzoo.cassettes. Do not edit: record it again.\n" + TAPE, "---\n" + TAPE):
        path.write_text(text)
        assert len(read_cassette(path).recordings) == 1


@pytest.mark.parametrize("content", [PACKED[:40], PACKED[:20] + b"\xff" * 20], ids=["cut off", "spoilt"])
def test_damaged_archives(content: bytes, path: Path) -> None:
    """A compressed file that is cut off or spoilt is refused."""
    refused(path.with_name("test.yaml.gz"), content)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("200 OK", "fine"),
        ("body: ho", "body: 5"),
        ("body: hi", "body: 2026-01-02"),
        ("body: ho", "chunks: 5"),
        ("body: ho", "headers: [1]"),
        ("body: ho", 'parsed_body: "\\uD800"'),
        ("body: ho", "parsed_body: &a [*a]"),
        ("body: ho", "parsed_body: *nowhere"),
        ("body: ho", "parsed_body: !f32 AAA="),
        ("body: ho", f"parsed_body: {'[' * 12_000}{']' * 12_000}"),
        ("url: /v1/chat/completions", "url: null"),
    ],
)
def test_edited_by_hand(old: str, new: str, path: Path) -> None:
    """What an edit has damaged is refused when the cassette is opened, not when it is played."""
    refused(path, TAPE.replace(old, new))


def test_edits_that_are_plain_values_play(path: Path) -> None:
    """A number in a header, or a status without words, is read as the text that it stands for."""
    path.parent.mkdir()
    path.write_text(TAPE.replace("body: ho", "headers: {retry-after-ms: 1}\n    body: ho").replace("200 OK", "200"))
    with use_cassette(path):
        answer = httpx2.post("http://dead.invalid/v1/chat/completions", content="hi")
    assert (answer.status_code, answer.headers["retry-after-ms"], answer.text) == (200, "1", "ho")


@pytest.mark.parametrize(
    ("content", "because"),
    [
        ("", "it is empty"),
        ("# Recorded by memzoo.cassettes. Do not edit: record it again.\n", "it is empty"),
        ("hello there", "it does not begin with a key, such as version: 1"),
        ("- a\n- b\n", "it does not begin with a key, such as version: 1"),
        ("services: {web: {image: x}}", "'version' is missing"),
        ("version: 1", "'interactions' is missing"),
        ("requests: [{}, {}]\nresponses: [{}]", "2 requests but 1 response"),
        ("version: 1\ninteractions: {a: 1}", "'interactions' is not a list"),
        ("version: 1\ninteractions: [a]", "recording 1 has no 'request'"),
        (TAPE.partition("  response")[0], "recording 1 has no 'response'"),
        (TAPE.replace("200 OK", "OK"), "status: OK is not a number"),
        (TAPE.replace("/v1/chat/completions", "7"), "url: 7 is not a string"),
        (TAPE.replace("body: ho", "headers: [1]"), "headers: [1] is not a mapping"),
        ("a: [1, 2", "it is not plain YAML: while parsing a flow sequence line 1, column 4"),
        (b"\x89PNG\r\n", "it is not UTF-8 text: "),
        (PACKED, "it is compressed, but its name does not end in .gz"),
    ],
)
def test_what_is_no_cassette(content: str | bytes, because: str, path: Path) -> None:
    """Something else is refused in words, which say what it lacks."""
    assert because in refused(path, content)


def test_empty_lists_beside_interactions(path: Path) -> None:
    """They do not hide the recordings of a file of vcrpy."""
    path.parent.mkdir()
    one = "{request: {method: GET, uri: 'http://a/b', body: null, headers: {}}, response: {status_code: 200, body: hi}}"
    path.write_text(f"version: 1\ninteractions: [{one}]\nrequests: []\nresponses: []\n")
    assert len(read_cassette(path).recordings) == 1


def test_folders(tmp_path: Path) -> None:
    """The path of a folder is no cassette, and a path that cannot be one is refused."""
    with pytest.raises(CassetteError, match="is a folder"), use_cassette(tmp_path):
        pass
    with pytest.raises(CassetteError, match=r"cannot be written, because .* is a folder; nothing was sent"):
        Cassette(tmp_path, CassetteSettings(record="all"))
    wrong: Any = None
    for path in (wrong, "a" * 5000, "a\0.yaml"):
        with pytest.raises(OptionError, match="is not the path of a file"):
            Cassette(path)


def test_newer_formats(path: Path) -> None:
    """A file of a newer format names its version and those that are known."""
    message = refused(path, TAPE.replace("version: 1", "version: 2"))
    assert "its version is 2, but this memzoo knows only 1" in message


def test_nothing_is_asked_for_nothing(server: "ModelServer", pipeline: "Pipeline", tmp_path: Path) -> None:
    """Where the file could not be written, recording fails before a request is sent."""
    (tmp_path / "tapes").write_text("a file")
    for name in ("tapes/test.yaml", "."):
        with (
            pytest.raises(CassetteError, match=r"cannot be written, because .*nothing was sent"),
            use_cassette(tmp_path / name, record="all"),
        ):
            pipeline.ask("hi", at=server.url)
    assert server.seen == []


@contextmanager
def full_disk() -> Generator[None]:
    """No file may have more than 100 bytes."""
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_full_disks(server: "ModelServer", pipeline: "Pipeline", path: Path) -> None:
    """A disk that takes no more leaves the old recording as it was, and no half of a new one."""
    path.parent.mkdir()
    path.write_text(TAPE)
    cassette = Cassette(path, CassetteSettings(record="all"))
    pipeline.ask("hi", at=server.url)
    with full_disk(), pytest.raises(CassetteError, match=r"test\.yaml' cannot be written: "):
        cassette.close()
    assert path.read_text() == TAPE
    assert list(path.parent.iterdir()) == [path]


def test_two_processes(server: "ModelServer", pipeline: "Pipeline", path: Path) -> None:
    """Of two processes that record one file at once, each writes it whole, and the last one's stays."""
    other = (
        "import sys, httpx2; from memzoo.cassettes import use_cassette\n"
        "with use_cassette(sys.argv[1], record='once'):\n"
        "    httpx2.post(sys.argv[2] + '/embeddings', json={'input': 'theirs'})"
    )
    with use_cassette(path, record="once"):
        pipeline.ask("ours", at=server.url)
        assert run_program(other, path, server.url) == 0
        assert "theirs" in path.read_text()
    assert "theirs" not in path.read_text()
    assert list(path.parent.iterdir()) == [path]
    with use_cassette(path):
        assert pipeline.ask("ours") == "You said: ours"


@pytest.mark.parametrize("opened", ["[", "{", "- ", "? ", "{a: ", '{"a":', "[\n", "!!seq [", "&a [", "- ? "])
def test_depths_without_end(opened: str, path: Path) -> None:
    """A hundred thousand open lists or mappings are an error, where libyaml would end the process."""
    path.parent.mkdir()
    path.write_text("version: 1\ninteractions:\n" + opened * 100_000)
    with pytest.raises(CassetteError, match=r"more than 1,000 nested lists or mappings|is not a valid"):
        Cassette(path)


def test_recordings_of_something_else(path: Path) -> None:
    """A recording of gRPC is refused without the advice to record it here."""
    path.parent.mkdir()
    path.write_text("version: 1\ninteractions:\n- request_sample: {json: {model: m}}\n  response_sample: {json: {}}\n")
    with pytest.raises(CassetteError, match=r"does not record HTTP; .* nor replayed$"), use_cassette(path):
        pass
