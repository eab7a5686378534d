"""Files as people have them, in the shape in which each program really writes them."""

import csv
import io
import json
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memzoo.benchmarks import Transcript, load_transcripts
from memzoo.benchmarks.measure.measuring import messages_in
from memzoo.benchmarks.transcripts import read_transcripts
from memzoo.errors import MemoryZooWarning, TransferError
from memzoo.strategy import text_of

FORMATS = Path(__file__).parent / "formats"

TALK = ["My cat is called Tom.", "A fine name."]
WITH_TOOL = [
    "My cat is called Tom. What is the weather in Oslo?",
    '[calls weather({"city": "Oslo"})]',
    "4 degrees, rain",
    "It rains in Oslo; keep Tom inside.",
    "We moved to Bergen.",
    "Noted: Bergen.",
]


def said(transcript: Transcript) -> list[str]:
    """What was said, in words."""
    return [text_of(message) for message in messages_in(transcript)]


@pytest.mark.parametrize(
    ("name", "titles", "first"),
    [
        ("openai.json", ["openai"], None),
        ("openai.jsonl", ["openai 1", "openai 2"], TALK),
        ("human_ai.json", ["human_ai"], TALK),
        (
            "chatgpt_conversations.json",
            ["A cat in Oslo", "Hello"],
            [WITH_TOOL[0], WITH_TOOL[3], "We moved to Bergen.", WITH_TOOL[5]],
        ),
        ("sharegpt.json", ["bakery_0", "other_0"], ["You help a bakery.", *TALK, *WITH_TOOL[4:]]),
        ("langchain_messages_to_dict.json", ["langchain_messages_to_dict"], ["You help a bakery.", *WITH_TOOL]),
        ("langchain_dumps.json", ["langchain_dumps"], ["You help a bakery.", *WITH_TOOL]),
        ("langgraph.sqlite", ["bakery", "other"], ["You help a bakery.", *WITH_TOOL]),
        ("agents.sqlite", ["bakery", "other"], WITH_TOOL),
        ("plain.txt", ["plain"], ["My cat is called Tom.\nHe is grey: all over.", TALK[1], *WITH_TOOL[4:]]),
        ("table.csv", ["bakery", "other"], ["My cat is called Tom,\nand he is grey.", TALK[1]]),
        ("realmem.json", ["Ann_Berg"], None),
        ("statebench.jsonl", ["S6-000001", "S6-000001"], None),
    ],
)
def test_each_format_is_read(name: str, titles: list[str], first: list[str] | None) -> None:
    """The content tells the format; roles are those of OpenAI's messages."""
    found = load_transcripts(FORMATS / name)
    assert [one.title for one in found] == titles
    assert {message["role"] for one in found for message in messages_in(one)} <= {"system", "user", "assistant", "tool"}
    if first is not None:
        assert said(found[0]) == first


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_a_table_is_read_as_it_was_written(delimiter: str, line_end: str, tmp_path: Path) -> None:
    """Quotes, delimiters and line ends within a cell are part of what was said."""
    texts = ['He said "hi", then left; twice', 'line 1\nline "2"', "dos\r\nand\ttab", '"']
    with (tmp_path / "talk.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, delimiter=delimiter, lineterminator=line_end)
        table.writerows([("role", "content"), *(("user", text) for text in texts)])
    (found,) = load_transcripts(tmp_path / "talk.csv")
    assert said(found) == texts


def test_dates_are_read() -> None:
    """Where a format has them."""
    (first, _) = load_transcripts(FORMATS / "table.csv")
    assert first.exchanges[0].date == datetime(2026, 3, 2, 9, 15, tzinfo=UTC)
    (first, _) = load_transcripts(FORMATS / "chatgpt_conversations.json")
    assert first.exchanges[0].date == datetime.fromtimestamp(1772442900.5, UTC)


def test_a_question_of_realmem_is_asked_in_the_midst() -> None:
    """Only what stands before `asked_at` has been said."""
    (transcript,) = load_transcripts(FORMATS / "realmem.json")
    (question,) = transcript.measured
    assert (question.asked_after, question.evidence, question.answer) == (
        2,
        ("My cat is called Tom.",),
        "The cat is called Tom.",
    )


def test_statebench_says_what_is_stale() -> None:
    """Only strings that are said count, and none that the correction itself repeats; other tracks are not asked."""
    found, other = load_transcripts(FORMATS / "statebench.jsonl")
    (question,) = found.measured
    assert (question.evidence, question.stale, question.answer) == (("$120,000",), ("$200,000",), "$120,000")
    assert other.measured == []


def test_questions_may_cite_messages_by_any_role() -> None:
    """Ids are kept where roles are translated."""
    (transcript,) = load_transcripts(FORMATS / "human_ai.json")
    assert transcript.measured[0].evidence == ("My cat is called Tom.",)


def test_a_folder_is_all_its_files(tmp_path: Path) -> None:
    """In the order of their names; what has another ending is left alone."""
    for name in ("b.json", "a.jsonl"):
        (tmp_path / name).write_text(json.dumps({"messages": [{"role": "user", "content": name}]}), encoding="utf-8")
    (tmp_path / "notes.pdf").write_bytes(b"%PDF")
    assert [one.title for one in read_transcripts([tmp_path])] == ["a", "b"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(TransferError, match="has no file in a known format"):
        list(read_transcripts([tmp_path / "empty"]))


def test_conversations_within_an_object_are_each_read(tmp_path: Path) -> None:
    """In their order, with their own titles; those without one are numbered."""
    turns = [[{"role": "user", "content": text}, {"role": "assistant", "content": f"{text}!"}] for text in "ab"]
    path = tmp_path / "talks.json"
    path.write_text(json.dumps({"conversations": [turns[0], {"title": "Own", "turns": turns[1]}]}), encoding="utf-8")
    assert [(one.title, said(one)) for one in load_transcripts(path)] == [
        ("talks 1", ["a", "a!"]),
        ("Own", ["b", "b!"]),
    ]


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a dash."""
    monkeypatch.setattr("sys.stdin", io.StringIO("user: Hello\nassistant: Hi"))
    assert [said(one) for one in read_transcripts(["-"])] == [["Hello", "Hi"]]


def test_standard_input_is_utf_8_whatever_the_encoding(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows, where a pipe has another one; anything else is refused."""
    given = "\ufeffuser: 你好\nassistant: Hi".encode()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(given), "cp1252"))
    assert [said(one) for one in read_transcripts(["-"])] == [["你好", "Hi"]]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"user: \xff"), "cp1252"))
    with pytest.raises(TransferError, match=r"standard input cannot be read as UTF-8 text .*0xff"):
        list(read_transcripts(["-"]))


def test_a_long_file_of_lines_is_not_held(tmp_path: Path) -> None:
    """The first conversation is there before the last line was looked at."""
    path = tmp_path / "many.jsonl"
    line = json.dumps({"messages": [{"role": "user", "content": "Hello"}]})
    path.write_text("\n".join([line] * 5_000) + "\nno JSON\n", encoding="utf-8")
    found = read_transcripts([path])
    assert next(found).title == "many 1"
    with pytest.warns(MemoryZooWarning, match="line 5001: this is not JSON"):
        assert len(list(found)) == 4_999


@pytest.mark.parametrize(
    ("name", "content", "error"),
    [
        pytest.param(
            "a.json",
            f'[{{"role": "user", "content": "hi", "id": {"9" * 5000}}}]',
            "a number in it has too many digits",
            id="digits",
        ),
        ("a.csv", "who,what\nann,hi\n", "its columns are who, what"),
        ("a.csv", "role,content\nann,hi\n", "message 1: expected a role at 'role', not 'ann'"),
        ("a.txt", "Hello there.\nuser: hi\n", "none of the known formats"),
        ("a.json", '{"mapping": {}}', "has no conversation with text"),
        ("a.json", '[{"conversations": []}]', "its keys are 'conversations'"),
    ],
)
def test_what_is_no_conversation_is_refused(name: str, content: str, error: str, tmp_path: Path) -> None:
    """With the place, and what is expected there."""
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    with pytest.raises(TransferError, match=error):
        load_transcripts(path)


def test_a_database_of_something_else_is_refused(tmp_path: Path) -> None:
    """Its tables are named."""
    path = tmp_path / "a.db"
    with sqlite3.connect(path) as database:
        database.execute("create table birds (name)")
    database.close()
    with pytest.raises(TransferError, match="there are the tables birds"):
        load_transcripts(path)


def test_a_database_in_use_keeps_its_locks(tmp_path: Path) -> None:
    """What this process has locked in a file stays locked for others while its conversations are read."""
    path = tmp_path / "agents.sqlite"
    shutil.copy(FORMATS / path.name, path)
    script = "import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=0).execute('BEGIN IMMEDIATE')"
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("BEGIN IMMEDIATE")
        assert len(load_transcripts(path)) == 2
        other = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True, check=False)
    assert other.stderr.splitlines()[-1:] == ["sqlite3.OperationalError: database is locked"]
