"""Conversations and results behind URLs: read, written, gone on with."""

import itertools
import json
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from memzoo.benchmarks import compare
from memzoo.benchmarks.checkpoint import Checkpoint, Copy
from memzoo.benchmarks.paths import path_of
from memzoo.benchmarks.transcripts import read_transcripts
from memzoo.errors import MissingExtraError, OptionError, TransferError

MEMORIES = ["window:k=1", "vector-retriever"]
FILES = ("outcomes.jsonl", "results.json", "report.md")

upath: Any = pytest.importorskip("upath", reason="universal-pathlib is not installed (extra fsspec)")


@pytest.fixture(params=["memory", "file", "s3"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a folder that nobody else uses, in each kind of place."""
    if request.param == "s3":
        request.getfixturevalue("bucket")
        yield f"s3://chats/{uuid4().hex}"
    else:
        yield f"file://{tmp_path}/{uuid4().hex}" if request.param == "file" else f"memory://{uuid4().hex}"


@pytest.fixture(scope="module")
def bucket() -> Iterator[None]:
    """A server that speaks S3, on this machine."""
    server: Any = pytest.importorskip("moto.server", reason="moto is not installed: nothing here speaks S3")
    s3fs: Any = pytest.importorskip("s3fs", reason="s3fs is not installed: nothing here speaks S3")
    serving = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    serving.start()
    host, port = serving.get_host_and_port()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        patch.setenv("AWS_ACCESS_KEY_ID", "nobody")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "nothing")
        s3fs.S3FileSystem().mkdir("chats")
        yield
    s3fs.S3FileSystem.clear_instance_cache()
    serving.stop()


@pytest.fixture
def talks(folder: str, chat: dict[str, Any]) -> str:
    """A folder with three files of conversations, one in a folder of its own."""
    for number, name in enumerate(("a.json", "b.jsonl", "more/c.json")):
        file = path_of(f"{folder}/{name}")
        file.parent.mkdir(parents=True, exist_ok=True)
        line, other = (json.dumps(chat | {"title": f"Talk {number}{end}"}) for end in ("", "b"))
        file.write_text(f"{line}\n{other}\n" if name.endswith("l") else line, encoding="utf-8")
    path_of(f"{folder}/notes.rst").write_text("no conversation", encoding="utf-8")
    return folder


def test_conversations_are_read_where_they_lie(talks: str) -> None:
    """Folders with what is in them, and single files; what is no transcript by its name is left."""
    assert [one.title for one in read_transcripts([talks])] == ["Talk 0", "Talk 1", "Talk 1b", "Talk 2"]
    assert [one.title for one in read_transcripts([f"{talks}/more/c.json"])] == ["Talk 2"]


def test_results_are_written_where_they_shall_lie(talks: str, tmp_path: Path) -> None:
    """The same bytes as in a folder of this machine, and nothing beside them."""
    here, there = tmp_path / "out", f"{talks}-out"
    for out in (str(here), there):
        compare(talks, MEMORIES, out=out).save(out)
    assert {name: path_of(f"{there}/{name}").read_bytes() for name in FILES} == {
        name: (here / name).read_bytes() for name in FILES
    }
    files = {one.name for one in path_of(there).rglob("*") if one.is_file()}
    assert files == {*FILES, "report.html", "times.json", "times.jsonl"}


def test_an_interrupted_run_goes_on_from_there(talks: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """On any machine: what was finished is not done again, and the end is the same."""
    there, done = f"{talks}-out", list[Any]()
    write = Checkpoint.write

    most = 7

    def tired(self: Checkpoint, *given: Any) -> None:
        if len(self) == most:
            raise KeyboardInterrupt
        write(self, *given)
        done.append(given[0])

    monkeypatch.setattr(Checkpoint, "write", tired)
    with pytest.raises(KeyboardInterrupt):
        compare(talks, MEMORIES, out=there)
    most = 100
    compare(talks, MEMORIES, out=there).save(there)
    assert len(done) == len(set(done)) == 4 * 4
    compare(talks, MEMORIES, out=tmp_path).save(tmp_path)
    for name in FILES:
        assert path_of(f"{there}/{name}").read_bytes() == (tmp_path / name).read_bytes()


def test_what_is_finished_is_there_after_a_second(tmp_path: Path) -> None:
    """Whoever is killed loses no more than that; another setting begins anew."""
    seconds = itertools.count()
    there = path_of(f"memory://{uuid4().hex}")
    copy = Copy(there, clock=lambda: next(seconds) / 2)
    copy.begin("settings")
    for number in range(3):
        copy.add(b"time %d\n" % number, b"outcome %d\n" % number)
    settings, times, outcomes = (tmp_path / name for name in ("settings", "times", "outcomes"))
    Copy(there).fetch(settings, times, outcomes)
    assert (settings.read_text(), times.read_text()) == ("settings", "time 0\ntime 1\n")
    assert outcomes.read_text() == "outcome 0\noutcome 1\n"
    Copy(there).begin("others")
    Copy(there).fetch(settings, times, outcomes)
    assert (settings.read_text(), times.read_text(), outcomes.read_text()) == ("others", "", "")


def test_a_url_that_leads_nowhere_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is missing is named, before anything runs."""
    with pytest.raises(OptionError, match=r"nope://x cannot be reached: .*nope"):
        list(read_transcripts(["nope://x"]))
    with pytest.raises(TransferError, match=f"memory://.*{(name := uuid4().hex)}.json cannot be read"):
        list(read_transcripts([f"memory://{name}.json"]))
    monkeypatch.setitem(sys.modules, "upath", None)
    with pytest.raises(MissingExtraError, match=r"memory://x: .*memzoo\[fsspec\]"):
        list(read_transcripts(["memory://x"]))


def test_a_database_is_read_from_a_disk(tmp_path: Path) -> None:
    """SQLite cannot read over a network; the error says what to do."""
    database = sqlite3.connect(tmp_path / "chat.db")
    database.execute("create table agent_messages (id)")
    database.close()
    there = path_of(f"memory://{uuid4().hex}.db")
    there.write_bytes((tmp_path / "chat.db").read_bytes())
    with pytest.raises(TransferError, match="unpack it"):
        list(read_transcripts([str(there)]))
