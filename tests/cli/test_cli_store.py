"""The commands on stores, as a user calls them."""

import contextlib
import functools
import json
import os
import shutil
import sqlite3
import stat
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import make_url
from typer.testing import CliRunner, Result

from memzoo.cli.commands import app
from memzoo.errors import ConflictError, MessageError, OptionError, StoreError, TransferError, WrongKeyError
from memzoo.memories import STRATEGIES, HashEmbedder, create_memory
from memzoo.stores import EncryptedStore, Entries, SQLStore, open_store
from memzoo.sync import drive

Memzoo = Callable[..., Result]


@pytest.fixture(scope="module")
def learnt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a conversation, and the states of three strategies."""
    file = tmp_path_factory.mktemp("learnt") / "chat.db"
    store = open_store(f"sqlite:///{file}")
    for name in ("summary", "vector-retriever", "knowledge-graph"):
        memory = create_memory(name, store=store, conversation_id="anna", embedder=HashEmbedder(), learn_every=1)
        memory.save_context({"input": "Anna lives in Oslo."}, {"output": "Noted."}, turn_id="1")
        memory.save_context({"input": "Anna plays chess."}, {"output": "Fine."}, turn_id="2")
    store.close()
    return file


@pytest.fixture
def url(tmp_path: Path, learnt: Path) -> str:
    """A store of one's own that begins like that."""
    return f"sqlite:///{shutil.copy(learnt, tmp_path)}"


@pytest.fixture
def memzoo(url: str) -> Memzoo:
    """Runs the command on that store, with lines typed in."""

    def run(*arguments: str, typed: str = "", store: str = url, env: dict[str, str] | None = None) -> Result:
        result = CliRunner().invoke(app, [*arguments, "--store", store], input=typed, env=env)
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


def say(url: str, conversation: str) -> None:
    """Something in another conversation."""
    store = open_store(url)
    create_memory("buffer", store=store, conversation_id=conversation).save_context({"input": "hi"}, {"output": "ho"})
    store.close()


def test_stores_are_listed(memzoo: Memzoo, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a URL the kinds, with one all its conversations, however many the store gives at once."""
    assert all(kind in CliRunner().invoke(app, ["list"]).output for kind in ("memory://", "sqlite:///"))
    say(url, "bo")
    monkeypatch.setattr("memzoo.cli.zoo._PAGE", 1)
    first, second = memzoo("list").output.splitlines()
    assert first.split("\t")[:2] == ["anna", "4 messages"]
    assert second.split("\t")[:2] == ["bo", "2 messages"]


def damage(url: str, seq: int) -> None:
    """Spoil a message of Anna's in the file."""
    with contextlib.closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as file, file:
        file.execute("UPDATE memzoo_messages SET message = '{' WHERE conversation_id = 'anna' AND seq = ?", (seq,))


def test_a_damaged_conversation_is_listed_among_the_others(url: str) -> None:
    """What is wrong with it stands in its line, the others follow, and the command ends with an error."""
    say(url, "bo")
    damage(url, 1)
    done = CliRunner().invoke(app, ["list", "--store", url])
    assert done.output.startswith("anna\tmessage 1 of 'anna' is damaged")
    assert "\nbo\t2 messages\t" in done.output
    assert str(done.exception) == "1 conversation is damaged; --check lists all damage"


def test_history_is_printed_by_pages(memzoo: Memzoo) -> None:
    """Numbers, times, roles and texts, from either end."""
    lines = [line.split("\t") for line in memzoo("history").output.splitlines()]
    assert [(line[0], line[2], line[3]) for line in lines] == [
        ("1", "user", "Anna lives in Oslo."),
        ("2", "assistant", "Noted."),
        ("3", "user", "Anna plays chess."),
        ("4", "assistant", "Fine."),
    ]


@pytest.mark.parametrize("name", STRATEGIES)
def test_show_learns_nothing(name: str, memzoo: Memzoo, url: str) -> None:
    """What each strategy would send is printed as JSON, and the store stays as it was."""
    before = states(url)
    shown = json.loads(memzoo("show", "--memory", name, "--query", "Where does Anna live?").output)
    assert "Oslo" in str(shown)
    assert states(url) == before


def states(url: str) -> dict[str, Any]:
    """The states of the conversation."""
    store = open_store(url)
    found = {name: drive(store.read_state("anna", name)) for name in drive(store.states("anna"))}
    store.close()
    return found


def test_states_are_listed_and_printed(memzoo: Memzoo) -> None:
    """Each with how far it came and what it has; one by its name as JSON."""
    lines = [line.split("\t") for line in memzoo("show", "--as", "state").output.splitlines()]
    assert [line[:3] for line in lines][:2] == [
        ["knowledge-graph", "up to 4", "2 items"],
        ["summary", "up to 4", "1 item"],
    ]
    assert lines[2][3] == "4 embeddings"
    assert "Oslo" in json.loads(memzoo("show", "--as", "state", "--memory", "summary").output)["summary"]
    with pytest.raises(OptionError, match="no state 'nope'; there are knowledge-graph, summary"):
        memzoo("show", "--as", "state", "--memory", "nope")


def test_messages_are_pinned(memzoo: Memzoo) -> None:
    """What is pinned is printed with number, time, role and text, and shown by a strategy that would not show it."""
    assert memzoo("pin").output == ""
    assert [line.split("\t")[0] for line in memzoo("pin", "3", "1").output.splitlines()] == ["1", "3"]
    shown = json.loads(memzoo("show", "--memory", "knowledge-graph").output)
    assert [one["content"] for one in shown][-2:] == ["Anna lives in Oslo.", "Anna plays chess."]
    (left,) = memzoo("pin", "1", "--off").output.splitlines()
    assert left.split("\t")[0] == "3"
    assert left.endswith("user\tAnna plays chess.")
    with pytest.raises(MessageError, match="no message 9"):
        memzoo("pin", "9")
    with pytest.raises(OptionError, match="--off needs the numbers"):
        memzoo("pin", "--off")


def test_forget_asks(memzoo: Memzoo, url: str) -> None:
    """It says what it will do, and does it only after a yes."""
    refused = memzoo("forget", "1", "2", typed="n\n")
    assert "Delete messages 1, 2 of 'anna'" in refused.output
    assert "Delete message 1 of 'anna'" in memzoo("forget", "1", typed="n\n").output
    assert refused.exit_code == 1
    assert len(memzoo("history").output.splitlines()) == 4
    done = memzoo("forget", "1", "2", typed="y\n").output
    assert "2 messages deleted." in done
    assert "knowledge-graph, summary" in done
    assert "Oslo" not in memzoo("history").output
    (left,) = states(url)
    assert left.startswith("vector-retriever/")


def test_forget_deletes_a_conversation(memzoo: Memzoo, url: str) -> None:
    """With `--all` and `--yes` the conversation goes without a question."""
    say(url, "bo")
    assert "4 messages deleted." in memzoo("forget", "--all", "--yes", "--conversation", "anna").output
    assert memzoo("list").output.startswith("bo")
    assert b"chess" not in Path(url.removeprefix("sqlite:///")).read_bytes()


def test_listing_reads_no_log(memzoo: Memzoo, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """To tell how many messages a conversation has, a few of them are read, however many there are."""
    read, rows = SQLStore.read, list[int]()

    async def counting(*where: Any, **bounds: Any) -> Entries:
        found = await read(*where, **bounds)
        rows.append(len(found))
        return found

    with contextlib.closing(open_store(url)) as store:
        create_memory("buffer", store=store, conversation_id="long").add_messages(
            [{"role": "user", "content": "hi"}] * 500
        )
    monkeypatch.setattr(SQLStore, "read", counting)
    assert "long\t500 messages\t" in memzoo("list").output
    assert sum(rows) < 10


def test_remains_can_be_scrubbed_later(memzoo: Memzoo, url: str) -> None:
    """`forget` says that the file has to be rewritten, which cannot be while another process reads it."""
    file = Path(url.removeprefix("sqlite:///"))
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM memzoo_messages").fetchall()
        hasty = f"{url}?timeout=0"
        assert "`memzoo forget --thorough`" in memzoo("forget", "1", "--yes", store=hasty).output
        assert memzoo("forget", "--thorough", store=hasty).exit_code == 1
        reader.execute("ROLLBACK")
    assert memzoo("forget", "--thorough").exit_code == 0
    assert b"Oslo" not in file.read_bytes()


def test_an_error_says_that_there_are_more_conversations(memzoo: Memzoo, url: str) -> None:
    """It names twenty of them, and the command that lists all."""
    with contextlib.closing(open_store(url)) as store:
        for number in range(20):
            create_memory("buffer", store=store, conversation_id=f"u{number}").save_context(
                {"input": "a"}, {"output": "b"}
            )
    for given in ((), ("--conversation", "nobody")):
        with pytest.raises(OptionError, match=r"'u8', and more \(`memzoo list --store` lists all\)"):
            memzoo("history", *given)


def test_a_thorough_forget_leaves_no_remains(memzoo: Memzoo, url: str) -> None:
    """`forget --thorough` says that nothing is left in the files, and does not ask to be run."""
    file = Path(url.removeprefix("sqlite:///"))
    for what in (["1"], ["--older-than", "0s"]):
        said = memzoo("forget", *what, "--thorough", "--yes").output
        assert said.endswith(
            "The store's files were rewritten without the deleted data; replicas and backups were not.\n"
        )
        assert "`memzoo forget --thorough`" not in said
    assert b"Anna" not in file.read_bytes()


def test_a_choice_for_an_export_is_refused(memzoo: Memzoo, tmp_path: Path) -> None:
    """`import` stores nothing of a file of `export` if it was asked only to list it, or for another title."""
    file, empty = tmp_path / "anna.jsonl", f"sqlite:///{tmp_path}/empty.db"
    memzoo("export", "--out", str(file))
    for given in ([str(file), "--dry-run"], [f"{file}:title=x"]):
        with pytest.raises(OptionError, match="takes no --dry-run and no options after its name"):
            memzoo("import", *given, store=empty)
    assert not (tmp_path / "empty.db").exists()


def test_all_that_show_prints_can_be_written(memzoo: Memzoo, tmp_path: Path) -> None:
    """`show --out` writes views and states as it prints them, as it does with facts."""
    file = tmp_path / "shown"
    for given in (["--memory", "buffer"], ["--as", "state", "--memory", "summary"], ["--as", "graph"]):
        memzoo("show", *given, "--out", str(file))
        assert file.read_text(encoding="utf-8") == memzoo("show", *given).output


@pytest.fixture
def old_url(tmp_path: Path) -> str:
    """A store with two conversations, one of which nobody has gone on with for 40 days."""
    url, now = f"sqlite:///{tmp_path}/old.db", datetime.now(UTC)
    for conversation, age in (("idle", 50), ("idle", 40), ("lively", 40), ("lively", 1)):
        then = now - timedelta(days=age)
        with open_store(url, clock=functools.partial(max, then, then)) as store:
            memory = create_memory("buffer", store=store, conversation_id=conversation)
            memory.save_context({"input": f"{age} days ago"}, {"output": "Noted."})
    return url


@pytest.mark.parametrize(
    ("arguments", "said", "left"),
    [
        (["--older-than", "30d"], "6 messages deleted from 2 conversations.", ["lively\t2 messages"]),
        (["--idle-for", "720h"], "4 messages deleted from 1 conversation.", ["lively\t4 messages"]),
        (
            ["--older-than", "45d", "--conversation", "id*"],
            "2 messages deleted",
            ["idle\t2 messages", "lively\t4 messages"],
        ),
        (["--older-than", "90d"], "0 messages deleted from 0 conversations.", ["idle\t4 mess", "lively\t4 messages"]),
        (["--idle-for", "0s"], "8 messages deleted from 2 conversations.", []),
    ],
)
def test_forget_deletes_what_is_old(
    arguments: list[str], said: str, left: list[str], memzoo: Memzoo, old_url: str
) -> None:
    """By the age of messages or of conversations; the rest stays."""
    assert said in memzoo("forget", *arguments, "--yes", store=old_url).output
    rows = memzoo("list", store=old_url).output.splitlines()
    assert len(rows) == len(left)
    assert all(row.startswith(start) for row, start in zip(rows, left, strict=True))


def test_forget_asks_before_it_deletes_what_is_old(memzoo: Memzoo, old_url: str) -> None:
    """Without `--yes` it says what it will do, and does it only after a yes."""
    refused = memzoo("forget", "--older-than", "30d", "--idle-for", "12h", typed="n\n", store=old_url)
    assert "Delete messages older than 30d and conversations idle for 12h in sqlite:///" in refused.output
    assert refused.exit_code == 1
    asked = memzoo("forget", "--older-than", "30d", "--conversation", "id*", typed="n\n", store=old_url)
    assert "Delete messages older than 30d in conversations 'id*' in sqlite:///" in asked.output
    assert len(memzoo("list", store=old_url).output.splitlines()) == 2


@pytest.mark.parametrize("arguments", [[], ["1", "--all"], ["1", "--older-than", "1d"]])
def test_forget_must_be_told_what(memzoo: Memzoo, arguments: list[str]) -> None:
    """Nothing, or two things, are refused."""
    with pytest.raises(OptionError, match="choose one thing to delete"):
        memzoo("forget", "--yes", *arguments)
    assert len(memzoo("history").output.splitlines()) == 4


@pytest.mark.parametrize(
    "arguments", [["--all", "--conversation", "ann*"], ["--idle-for", "0s", "--conversation", "anna"]]
)
def test_a_beginning_of_ids_does_not_widen_or_narrow_what_is_named(memzoo: Memzoo, arguments: list[str]) -> None:
    """Only what is old is deleted in several conversations; otherwise nothing is deleted."""
    with pytest.raises(OptionError, match=r"no conversation 'ann\*'|to one conversation, 'anna'"):
        memzoo("forget", "--yes", *arguments)
    assert len(memzoo("history").output.splitlines()) == 4


def test_forget_refuses_unknown_numbers(memzoo: Memzoo) -> None:
    """If one is unknown nothing is forgotten."""
    with pytest.raises(MessageError, match="no message 9"):
        memzoo("forget", "1", "9", "--yes")
    assert len(memzoo("history").output.splitlines()) == 4


def test_what_cannot_be_imported_creates_no_store(memzoo: Memzoo, tmp_path: Path) -> None:
    """The file is read as a whole before the store is opened."""
    file, fresh = tmp_path / "part.jsonl", tmp_path / "fresh.db"
    memzoo("export", "--out", str(file))
    file.write_text(file.read_text(encoding="utf-8").partition('{"seq": 2')[0], encoding="utf-8")
    with pytest.raises(TransferError, match=r"part\.jsonl: the file ends after .* before its last one"):
        memzoo("import", str(file), store=f"sqlite:///{fresh}")
    assert not fresh.exists()


def test_compare_says_what_to_give_in_place_of_an_export(memzoo: Memzoo, tmp_path: Path) -> None:
    """The error names the command that writes the messages alone."""
    file = tmp_path / "anna.jsonl"
    memzoo("export", "--out", str(file))
    ran = CliRunner().invoke(app, ["compare", str(file)])
    assert str(ran.exception).startswith(f"{file}: this is memzoo export; `memzoo import` reads such files")
    assert str(ran.exception).endswith("`memzoo export --as openai` writes the messages alone")


def test_a_folder_of_exports_gets_one_error_a_file(memzoo: Memzoo, tmp_path: Path) -> None:
    """Each of them says that the files are imported one at a time, and nothing is stored."""
    (folder := tmp_path / "exports").mkdir()
    for name in ("anna.jsonl", "copy.jsonl"):
        memzoo("export", "--out", str(folder / name))
    fresh = tmp_path / "fresh.db"
    ran = CliRunner().invoke(app, ["import", str(folder), "--store", f"sqlite:///{fresh}"])
    assert str(ran.exception) == "2 files or conversations could not be imported; nothing was imported"
    assert ran.stderr.count("one at a time") == ran.stderr.count("not imported:") == 2
    assert not fresh.exists()


def test_export_and_import(memzoo: Memzoo, url: str, tmp_path: Path) -> None:
    """What was exported is the same in another store, under another id too, and never over another."""
    other, file = f"sqlite:///{tmp_path}/other.db", tmp_path / "anna.jsonl"
    memzoo("export", "--out", str(file))
    assert memzoo("export").output == file.read_text(encoding="utf-8")
    assert "'anna' is in" in memzoo("import", str(file), store=other).output
    assert memzoo("export", store=other).output == memzoo("export").output
    memzoo("import", str(file), "--conversation", "copy", store=other)
    with pytest.raises(ConflictError, match="'copy' already"):
        memzoo("import", str(file), "--conversation", "copy", store=other)
    with pytest.raises(OptionError, match="no file"):
        memzoo("import", "missing.jsonl")


def test_a_conversation_must_be_chosen(memzoo: Memzoo, url: str, tmp_path: Path) -> None:
    """Of several one has to be named; an unknown one, or none at all, is an error that says what there is."""
    say(url, "bo")
    with pytest.raises(OptionError, match="choose one with --conversation: 'anna', 'bo'"):
        memzoo("history")
    with pytest.raises(OptionError, match="no conversation 'cy'; it has 'anna', 'bo'"):
        memzoo("history", "--conversation", "cy")
    empty = f"sqlite:///{tmp_path}/empty.db"
    open_store(empty).close()
    with pytest.raises(OptionError, match="no conversation yet"):
        memzoo("history", store=empty)


def test_an_encrypted_store_opens_with_its_key(memzoo: Memzoo, tmp_path: Path) -> None:
    """The key is read from MEMZOO_KEY, several of them separated by commas."""
    pytest.importorskip("cryptography", reason="needs the 'encryption' extra")
    secret, file = f"sqlite:///{tmp_path}/secret.db", tmp_path / "anna.jsonl"
    old, new = EncryptedStore.new_key(), EncryptedStore.new_key()
    memzoo("export", "--out", str(file))
    memzoo("import", str(file), store=secret, env={"MEMZOO_KEY": old})
    assert b"chess" not in (tmp_path / "secret.db").read_bytes()
    assert "chess" in memzoo("history", store=secret, env={"MEMZOO_KEY": f"{new},{old}"}).output
    for wrong in (new, ""):
        with pytest.raises(WrongKeyError):
            memzoo("history", store=secret, env={"MEMZOO_KEY": wrong})


@pytest.mark.parametrize(
    "command",
    [
        ["list"],
        ["history"],
        ["show", "--memory", "buffer"],
        ["show", "--as", "state"],
        ["show", "--as", "graph"],
        ["forget", "--all", "--yes"],
    ],
)
def test_a_mistyped_file_is_not_created(command: list[str], memzoo: Memzoo, tmp_path: Path) -> None:
    """A command that only looks at a store, or deletes from it, names the file that is not there."""
    lost = f"sqlite:///{tmp_path}/caht.db?timeout=1"
    with pytest.raises(StoreError, match=r"there is no file .*caht\.db$"):
        memzoo(*command, store=lost)
    assert not (tmp_path / "caht.db").exists()


def test_no_command_prints_a_password(memzoo: Memzoo, postgres_url: str, tmp_path: Path) -> None:
    """Whatever a command says about a store on a server, questions and errors too, the password is not in it."""
    url = make_url(postgres_url).set(password="s3cr3t-pw").render_as_string(hide_password=False)
    file = tmp_path / "c.jsonl"
    say(url, "c")
    said = [
        memzoo(*command, store=url, typed="n\n").output
        for command in [
            ("list",),
            ("history",),
            ("export", "--out", str(file)),
            ("forget", "--all"),
            ("forget", "--all", "--yes"),
            ("import", str(file)),
            ("forget", "--thorough"),
        ]
    ]
    drive(open_store(url).clear("c"))
    for command in (("show", "--as", "graph"), ("history",)):
        with pytest.raises(OptionError) as caught:
            memzoo(*command, store=url)
        said.append(str(caught.value))
    assert "s3cr3t" in url
    assert [text for text in said if "s3cr3t" in text] == []
    assert "is in postgresql://***@/" in said[5]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_an_exported_file_is_its_owners(memzoo: Memzoo, tmp_path: Path) -> None:
    """A new file can be read by its owner only; one that is there keeps its mode."""
    file = tmp_path / "anna.jsonl"
    memzoo("export", "--out", str(file))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.chmod(0o644)
    memzoo("export", "--out", str(file))
    assert stat.S_IMODE(file.stat().st_mode) == 0o644


@pytest.mark.parametrize("name", ["export", "show --as graph"])
def test_a_database_is_never_written_over(name: str, memzoo: Memzoo, url: str) -> None:
    """Not the one that is read either."""
    before = memzoo("export").output
    with pytest.raises(OptionError, match=r"is a database: write to another file"):
        memzoo(*name.split(), "--out", str(make_url(url).database))
    assert memzoo("export").output == before


def test_an_export_that_fails_leaves_the_file_as_it_was(memzoo: Memzoo, url: str, tmp_path: Path) -> None:
    """What was exported before is there until the new export is whole, and nothing else lies beside it."""
    file = tmp_path / "anna.jsonl"
    memzoo("export", "--out", str(file))
    before, beside = file.read_bytes(), sorted(tmp_path.iterdir())
    damage(url, 3)
    with pytest.raises(StoreError, match="message 3 of 'anna' is damaged"):
        memzoo("export", "--out", str(file))
    assert (file.read_bytes(), sorted(tmp_path.iterdir())) == (before, beside)
    with pytest.raises(StoreError, match="message 3 of 'anna' is damaged"):
        memzoo("export", "--out", str(tmp_path / "new.jsonl"))
    assert sorted(tmp_path.iterdir()) == beside


@pytest.mark.skipif(os.name == "nt", reason="Windows has no /dev/fd")
def test_an_export_goes_through_links_and_pipes(memzoo: Memzoo, tmp_path: Path) -> None:
    """A link stays one, and what it leads to is written; a pipe is written into."""
    file, link = tmp_path / "anna.jsonl", tmp_path / "link"
    file.write_text("old", encoding="utf-8")
    link.symlink_to(file)
    memzoo("export", "--out", str(link))
    assert link.is_symlink()
    reading, writing = os.pipe()
    memzoo("export", "--out", f"/dev/fd/{writing}")
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as piped:
        assert piped.read() == file.read_text(encoding="utf-8") == memzoo("export").output
