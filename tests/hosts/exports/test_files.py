"""Files, folders and ZIPs: documents are found one by one, and what cannot be read is named."""

import io
import json
import os
import sys
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some
from typer.testing import CliRunner

from memzoo.benchmarks.inputs import Files
from memzoo.benchmarks.transcripts import load_transcripts
from memzoo.benchmarks.transcripts.reading import read_transcripts
from memzoo.cli.commands import app
from memzoo.errors import MemoryZooWarning, OptionError, TransferError
from memzoo.hosts.exports import ChatLog, Fields, Form, files, having, reading
from memzoo.hosts.exports.files import FoundDocument, find_in_text
from memzoo.hosts.exports.forms import known_forms
from memzoo.hosts.exports.options import FILE_OPTIONS
from memzoo.hosts.exports.reading import Choice, read_conversations, read_document
from memzoo.hosts.migrate.importing import read_logs
from tests.hosts.exports.applications import grok

# Objects that begin alike, also within each other.
KEYS = some.sampled_from("ab") | some.text()
JSON = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats(allow_nan=False) | some.text(),
    lambda inner: some.lists(inner) | some.dictionaries(KEYS, inner),
    max_leaves=8,
)
ANY = Form("anything", "object", lambda _: True, lambda document, _: [document], known="", get="")


def talk(number: int, *texts: str, at: float = 0) -> dict[str, Any]:
    """A conversation of ChatGPT's export."""
    nodes: dict[str, Any] = {"root": {"message": None, "parent": None}}
    for place, text in enumerate(texts):
        message = {
            "author": {"role": ("user", "assistant")[place % 2]},
            "create_time": at + place if at else None,
            "content": {"content_type": "text", "parts": [text]},
        }
        nodes[f"m{place}"] = {"message": message, "parent": f"m{place - 1}" if place else "root"}
    last = f"m{len(texts) - 1}"
    return {"title": f"Talk {number}", "conversation_id": f"c{number}", "mapping": nodes, "current_node": last}


def export(folder: Path) -> Path:
    """The folder of an export, with the files that stand beside the conversations."""
    pages = {"conversations-000.json": [talk(1, "My cat is Tom.", "Nice.")], "conversations-001.json": [talk(2, "Hi")]}
    beside = {"user.json": {"id": "u"}, "message_feedback.json": [{"id": "f"}], "shared_conversations.json": []}
    beside |= {"conversation_asset_file_names.json": {"file_a.dat": "a.png"}, "library_files.json": [{"file_id": "f"}]}
    beside |= {"ads.json": {"ads_profile": []}, "sectioned_conversations.json": []}
    for name, document in {**pages, **beside}.items():
        (folder / name).write_text(json.dumps(document), encoding="utf-8")
    (folder / "chat.html").write_text("<html>", encoding="utf-8")
    return folder


def zipped(folder: Path, place: Path) -> Path:
    """The same folder as a ZIP."""
    with zipfile.ZipFile(place, "w") as archive:
        for file in folder.iterdir():
            archive.write(file, f"export/{file.name}")
    return place


def titles(place: Path, choice: Choice = Choice()) -> list[str]:  # noqa: B008 - it is frozen
    """The titles of the conversations, and the errors, in their order."""
    return [one.title if isinstance(one, ChatLog) else str(one) for one in read_conversations([place], choice)]


@given(
    some.lists(some.dictionaries(KEYS, JSON), min_size=1, max_size=4),
    some.integers(1, 9),
    some.sampled_from([None, 1]),
)
def test_a_list_is_read_in_parts_of_any_size(items: list[Any], size: int, indent: int | None) -> None:
    """Where a part of the file ends makes no difference."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "_CHUNK", size)
        text = io.StringIO(json.dumps(items, indent=indent))
        found = list(find_in_text(text, "x.json", [ANY]))
    assert [one.document for one in found if isinstance(one, FoundDocument)] == items


def test_the_first_conversation_is_there_before_the_file_is_read(tmp_path: Path) -> None:
    """A long list is not read to its end first."""
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([talk(number, "word " * 1_000) for number in range(200)]), encoding="utf-8")
    with path.open(encoding="utf-8") as file:
        first = next(find_in_text(file, str(path), known_forms()))
        assert isinstance(first, FoundDocument)
        assert len(file.read()) > 0


def test_an_export_is_read_as_it_is_delivered(tmp_path: Path) -> None:
    """Its other files are passed over, in a folder and in a ZIP."""
    (tmp_path / "export").mkdir()
    folder = export(tmp_path / "export")
    for place in (folder, zipped(folder, tmp_path / "export.zip")):
        assert titles(place) == ["Talk 1", "Talk 2"]


def test_the_items_of_a_large_object_are_read_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if they were read together; the first is there before the file is read."""
    path = tmp_path / "prod-grok-backend.json"
    said = [grok("1", None, "human", "My tent is green.", 1), grok("2", "1", "ASSISTANT", "word " * 50_000, 2)]
    talks = [{"conversation": {"id": f"k{n}", "title": f"Tent {n}"}, "responses": said} for n in range(9)]
    path.write_text(json.dumps({"conversations": talks, "projects": []}), encoding="utf-8")
    one_by_one = list(read_conversations([path]))
    with path.open(encoding="utf-8") as file:
        next(find_in_text(file, str(path), known_forms()))
        assert file.buffer.tell() < path.stat().st_size / 2  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    monkeypatch.setattr(files, "_CHUNK", path.stat().st_size)
    assert one_by_one == list(read_conversations([path]))
    assert len(one_by_one) == len(talks)


def test_a_bad_entry_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    """By all that read files; in Python, a warning says so."""
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([talk(1, "Hi"), {"id": "odd"}, talk(3, "Ho")]), encoding="utf-8")
    first, error, last = titles(path)
    assert (first, last) == ("Talk 1", "Talk 3")
    assert error.startswith(f"{path}, item 1 is in none of the known formats: its keys are 'id'")
    with pytest.warns(MemoryZooWarning, match="item 1 is in none"):
        assert [one.title for one in load_transcripts(path)] == ["Talk 1", "Talk 3"]


def test_a_file_that_is_cut_off_gives_what_is_whole(tmp_path: Path) -> None:
    """The error names the entry that is not."""
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([talk(1, "Hi"), talk(2, "Ho")])[:-50], encoding="utf-8")
    first, error = titles(path)
    assert first == "Talk 1"
    assert "item 1: this is not JSON (the file is cut off)" in error


def test_written_questions_name_the_extra_that_reads_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it is not installed."""
    path, drafted = tmp_path / "conversations.json", tmp_path / "drafted.yaml"
    path.write_text(json.dumps([talk(1, "My cat is called Tom.", "Nice.")]), encoding="utf-8")
    monkeypatch.setitem(sys.modules, "yaml", None)
    done = CliRunner().invoke(app, ["compare", str(path), "--write-questions", str(drafted)])
    assert drafted.exists()
    assert "pip install 'memzoo[replay]'" in done.output


def test_conversations_are_chosen(tmp_path: Path) -> None:
    """By a part of the title, by the newest messages, by a date; the order stays."""
    path, day = tmp_path / "conversations.json", 86_400
    path.write_text(json.dumps([talk(number, "Hi", at=number * day) for number in (3, 1, 2)]), encoding="utf-8")
    assert titles(path, Choice(title="TALK 1")) == ["Talk 1"]
    assert titles(path, Choice(last=2)) == ["Talk 3", "Talk 2"]
    assert titles(path, Choice(since=datetime.fromtimestamp(2 * day, UTC))) == ["Talk 3", "Talk 2"]


def test_other_branches_are_counted_or_read(tmp_path: Path) -> None:
    """Each is a conversation with an id of its own; where all are read, no note says that one is left out."""
    path, document = tmp_path / "conversations.json", talk(1, "Which bird?", "A wren.")
    document["mapping"]["other"] = json.loads(json.dumps(document["mapping"]["m1"]).replace("wren", "robin"))
    path.write_text(json.dumps(document), encoding="utf-8")
    [shown] = read_conversations([path])
    assert isinstance(shown, ChatLog)
    assert shown.notes == ["1 other branch left out (FILE:branches=all reads them)"]
    logs = [one for one in read_conversations([path], Choice(all_branches=True)) if isinstance(one, ChatLog)]
    assert [(one.id, one.messages[-1]["content"]) for one in logs] == [("c1", "A wren."), ("c1, branch 2", "A robin.")]
    assert [one.notes for one in logs] == [[], []]


def test_the_longest_of_many_conversations_are_taken_and_said(tmp_path: Path) -> None:
    """In their order; with `longest=0`, all."""
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([talk(number, *["Hi", "Ho"] * number) for number in (1, 3, 2)]), encoding="utf-8")
    found = Files([path], longest=2)
    assert [one.title for one in found()] == [one.title for one in found()] == ["Talk 3", "Talk 2"]
    assert found.taken == ("the 2 longest of 3 conversations are taken (FILE:last=0 takes all): 'Talk 3', 'Talk 2'")
    assert len(list(Files([path])())) == len(list(Files([f"{path}:last=0"], longest=2)())) == 3


def test_options_behind_a_file_choose_conversations(tmp_path: Path) -> None:
    """Each file has its own; a title may have a comma, and a file of such a name is read whole."""
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([talk(1, "Hi"), talk(2, "Ho") | {"title": "Tea, at 2"}]), encoding="utf-8")
    assert [one.title for one in load_transcripts(f"{path}:title=tea, at,last=1")] == ["Tea, at 2"]
    both = read_transcripts([f"{path}:title=talk", f"{path}:title=tea,branches=all"])
    assert [one.title for one in both] == ["Talk 1", "Tea, at 2"]
    if os.name != "nt":
        assert len(load_transcripts(str(path.rename(tmp_path / "chats:title=x")))) == 2


@pytest.mark.parametrize(
    ("option", "told"),
    [
        (
            "titel=x",
            f"'titel' is not an option of a file; the options are {', '.join(FILE_OPTIONS)}. Did you mean 'title'?",
        ),
        ("branches=some", "branches must be 'shown' or 'all', not 'some'"),
        ("since=soon", "since must be a date such as 2026-03-02, not 'soon'"),
        ("title=x,last=-1", "last must be a whole number from 0, not '-1'"),
        ("user=Ann,title=", "each option of a file must be given once, with a value, not 'user=Ann,title='"),
        ("last=1,last=2", "each option of a file must be given once, with a value, not 'last=1,last=2'"),
    ],
)
def test_an_option_that_cannot_work_is_refused(option: str, told: str) -> None:
    """By the commands, too."""
    for words in (["compare"], ["play"], ["import", "--store", "memory://"]):
        refused = CliRunner().invoke(app, [*words, f"chats.zip:{option}"]).exception
        assert (type(refused), str(refused)) == (OptionError, told)


def test_options_that_choose_nothing_are_told_though_another_file_is_read(tmp_path: Path) -> None:
    """A comparison of several files does not leave one out without a word."""
    path, told = tmp_path / "conversations.json", list[str]()
    path.write_text(json.dumps([talk(1, "Hi")]), encoding="utf-8")
    both = read_transcripts([f"{path}:title=nosuch", path], lambda error: told.append(str(error)))
    assert [one.title for one in both] == ["Talk 1"]
    assert told == [f"{path} has no conversation with 'nosuch' in its title"]


def test_a_conversation_that_is_given_twice_is_read_once(tmp_path: Path) -> None:
    """And a note counts it; one that has gone on, or has another id, is another one."""
    path = tmp_path / "conversations.json"
    others = [talk(1, "Hi", "Ho", "Ha"), talk(1, "Hi") | {"conversation_id": "c9"}]
    path.write_text(json.dumps([talk(1, "Hi"), talk(2, "Ho")]), encoding="utf-8")
    (tmp_path / "conversations-001.json").write_text(json.dumps([talk(2, "Ho"), *others]), encoding="utf-8")
    found = Files([tmp_path, path])
    assert sorted(one.title for one in found()) == ["Talk 1", "Talk 1", "Talk 1", "Talk 2"]
    assert found.repeated == "3 repeated conversations left out: messages, title, id and dates are the same"
    given = [f"{path}:title=Talk 1", f"{path}:title=Talk 1", "--html", str(tmp_path / "play.html")]
    for words in (["play", *given], ["compare", str(tmp_path), "--dry-run"]):
        assert "1 repeated conversation left out" in CliRunner().invoke(app, words).output
    with pytest.warns(MemoryZooWarning, match="1 repeated conversation left out"):
        load_transcripts(tmp_path)


def test_what_was_said_is_redacted_for_a_comparison(tmp_path: Path) -> None:
    """Messages, and the questions and evidence about them."""
    path = tmp_path / "chat.json"
    question = {"question": "Who is a@b.org?", "answer": "a@b.org", "evidence": [0]}
    messages = [{"role": "user", "content": "I am a@b.org."}]
    path.write_text(json.dumps({"messages": messages, "questions": [question]}), encoding="utf-8")
    [one] = Files([path], redact={"email": r"\S+@\S+\.\w+"})()
    assert "@" not in repr(one)
    assert one.exchanges[0].user_text == "I am [email]."
    assert (one.questions[0].evidence, one.questions[0].text) == (("I am [email].",), "Who is [email]?")


def test_telephone_numbers_are_redacted_and_dates_stay(tmp_path: Path) -> None:
    """Questions ask for dates and prices, so these stay what they are."""
    said = "Call +31 6 12345678, (0171) 234 567, 555-123-4567 or 13812345678 by 2026-03-02 14:30"
    kept = "between 03/02/2026 and 05-06-2026, in 2019-2024; it costs 1 250 000"
    path = tmp_path / "chat.json"
    path.write_text(json.dumps([{"role": "user", "content": f"{said}, {kept}, with Anna of Oslo."}]), encoding="utf-8")
    given = ["compare", str(path), "--redact", "phone", "--write-questions", str(tmp_path / "drafted.yaml")]
    assert CliRunner().invoke(app, given).exit_code == 0
    drafted = (tmp_path / "drafted.yaml").read_text(encoding="utf-8")
    assert f"Call [phone], [phone], [phone] or [phone] by 2026-03-02 14:30, {kept}" in drafted


def test_numbers_are_redacted_and_the_years_of_dates_stay(tmp_path: Path) -> None:
    """A number that may be a year is redacted elsewhere."""
    kept = "On 12 May 2026, 12. März 2026, May 12, 2026, 2026-05-12, 12/05/2026 or in June 2026"
    path = tmp_path / "chat.json"
    path.write_text(json.dumps([{"role": "user", "content": f"{kept}, my code is 1987 and 471100."}]), encoding="utf-8")
    given = ["compare", str(path), "--redact", "number", "--write-questions", str(tmp_path / "drafted.yaml")]
    assert CliRunner().invoke(app, given).exit_code == 0
    drafted = (tmp_path / "drafted.yaml").read_text(encoding="utf-8")
    assert f"{kept}, my code is [number] and [number]." in drafted


def test_an_error_between_conversations_says_which_can_be_read(tmp_path: Path) -> None:
    """A reader that fails has given the conversations before, and gives none after."""

    def read(document: Any, title: str) -> Any:
        yield ChatLog.of(title, [({"role": "user", "content": "Hi"}, None)])
        raise KeyError("content")

    found = FoundDocument(Form("Diary", "object", lambda _: True, read, known="", get=""), {}, "diary", "diary.json")
    _, error = read_document(found, Choice())
    assert str(error) == (
        "diary.json cannot be read as Diary: KeyError: 'content'; "
        "1 conversation before this can be read, and none after it"
    )


def test_a_system_message_of_the_conversation_is_read(tmp_path: Path) -> None:
    """As memzoo writes it; ChatGPT's own are hidden or empty."""
    document = talk(1, "Be kind.", "Hello!")
    document["mapping"]["m0"]["message"]["author"]["role"] = "system"
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([document]), encoding="utf-8")
    [log] = read_conversations([path])
    assert isinstance(log, ChatLog)
    assert [message["role"] for message in log.messages] == ["system", "assistant"]


@pytest.mark.parametrize(
    ("reference", "shown"),
    [
        (
            {"matched_text": "\ue200cite\ue202turn0\ue201", "alt": "([Skelby News](https://example.org))"},
            "([Skelby News](https://example.org))",
        ),
        ({"matched_text": "\ue200cite\ue202turn0\ue201", "alt": None}, ""),
        ({}, ""),
    ],
)
def test_citations_are_what_the_page_shows(reference: dict[str, Any], shown: str, tmp_path: Path) -> None:
    """Marks without a reference are left out."""
    path, document = tmp_path / "conversations.json", talk(1, "Who won?", "Tilda.\ue200cite\ue202turn0\ue201")
    document["mapping"]["m1"]["message"]["metadata"] = {"content_references": [reference]}
    path.write_text(json.dumps(document), encoding="utf-8")
    [log] = read_conversations([path])
    assert isinstance(log, ChatLog)
    assert log.messages[1]["content"] == f"Tilda.{shown}"


def test_what_chatgpt_shows_apart_is_counted(tmp_path: Path) -> None:
    """In words of the page, for the shown branch; contents without text are nothing."""
    document = talk(1, "Which bird?", "A wren.")
    mapping, place = document["mapping"], "m0"
    apart: list[dict[str, Any]] = [
        {"author": {"role": "user"}, "content": {"content_type": "user_editable_context", "user_profile": "A potter"}},
        {"author": {"role": "assistant"}, "content": {"content_type": "model_editable_context", "repository": None}},
        {"author": {"role": "assistant"}, "content": {"content_type": "thoughts", "thoughts": [{"content": "Hm"}]}},
        {"author": {"role": "assistant"}, "recipient": "web", "content": {"content_type": "code", "text": "bird"}},
        {"author": {"role": "tool", "name": "web"}, "content": {"content_type": "text", "parts": ["Wrens"]}},
        {"author": {"role": "assistant"}, "recipient": "canmore.create_textdoc", "content": {"content_type": "code"}},
    ]
    for number, message in enumerate(apart):
        mapping[f"apart{number}"] = {"id": f"apart{number}", "parent": place, "message": message}
        place = f"apart{number}"
    mapping["m1"]["parent"] = place
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    [log] = read_conversations([path])
    assert isinstance(log, ChatLog)
    assert [one["content"] for one in log.messages] == ["Which bird?", "A wren."]
    assert log.notes == ["left out: 1 canvas step, 1 custom instruction, 1 thought, 2 tool steps"]


@pytest.mark.parametrize("member", ["children", "parentMessageId", "parent_id", "parent_message_id"])
def test_messages_that_name_each_other_are_no_line_of_talk(member: str, tmp_path: Path) -> None:
    """A list of a form that is not known may hold several branches."""
    path = tmp_path / "log.json"
    path.write_text(json.dumps([{"role": "user", "content": "Hi", member: ["2"]}]), encoding="utf-8")
    [error] = titles(path)
    assert f"it has {member!r}" in error


def test_a_table_of_messages_that_name_each_other_is_no_line_of_talk(tmp_path: Path) -> None:
    """As in a list, a column with parents tells of branches."""
    path = tmp_path / "log.csv"
    path.write_text("id,parent_id,role,content\n1,,user,Hi\n2,1,assistant,Ho\n3,1,assistant,Hey\n", encoding="utf-8")
    [error] = titles(path)
    assert "'parent_id'" in error


@pytest.mark.parametrize("name", ["dialogue.json", "dialogue.csv"])
def test_a_system_that_answers_the_user_is_the_assistant(name: str, tmp_path: Path) -> None:
    """Data sets of dialogues call it so. Instructions of an application stand beside answers."""
    pairs = [("USER", "A table for two."), ("SYSTEM", "Where?"), ("USER", "In Graz."), ("SYSTEM", "It is booked.")]
    rows = "\n".join(["speaker,text", *(f"{who},{words}" for who, words in pairs)])
    turns = [{"speaker": who, "text": words} for who, words in pairs]
    (tmp_path / name).write_text(rows if name.endswith(".csv") else json.dumps({"turns": turns}), encoding="utf-8")
    [log] = read_conversations([tmp_path / name])
    assert isinstance(log, ChatLog)
    assert [one["role"] for one in log.messages] == ["user", "assistant", "user", "assistant"]
    assert log.notes == ["'system' answers, and is the assistant"]


@pytest.mark.parametrize("text", ["[LINE] Chat with Bo", "[14 Jan 2026 09:01] hi", "{kiln} is free"])
def test_a_text_that_begins_like_json_is_not_called_damaged(text: str, tmp_path: Path) -> None:
    """A bracket alone does not make a text a list."""
    path = tmp_path / "talk.txt"
    path.write_text(text, encoding="utf-8")
    [error] = titles(path)
    assert "is in none of the known formats" in error


def test_a_picture_with_its_address_as_value_is_no_words(tmp_path: Path) -> None:
    """LLaMA-Factory writes the texts and the addresses of pictures as values."""
    path = tmp_path / "log.jsonl"
    parts = [{"type": "image_url", "value": "data/1.jpg"}, {"type": "text", "value": "Who is this?"}]
    path.write_text(json.dumps({"messages": [{"role": "user", "content": parts}]}), encoding="utf-8")
    [log] = read_conversations([path])
    assert isinstance(log, ChatLog)
    assert (log.messages, log.notes) == (
        [{"role": "user", "content": "Who is this?"}],
        ["1 part other than text left out: image_url"],
    )


@pytest.mark.parametrize("text", ["on: push\n1: two\n", "2026-01-01: a holiday\n", "&a [*a]\n"])
def test_yaml_that_is_no_conversation_is_refused(text: str, tmp_path: Path) -> None:
    """Its keys can be true, numbers and dates, and a list can stand in itself."""
    path = tmp_path / "build.yaml"
    path.write_text(text, encoding="utf-8")
    [error] = titles(path)
    assert "build.yaml" in error


def test_times_in_yaml_are_read(tmp_path: Path) -> None:
    """YAML has a type for them."""
    path = tmp_path / "log.yaml"
    path.write_text("- {role: user, content: Hi, date: 2026-03-22T18:01:05Z}\n", encoding="utf-8")
    [log] = read_conversations([path])
    assert isinstance(log, ChatLog)
    assert (log.dates, log.notes) == ([datetime(2026, 3, 22, 18, 1, 5, tzinfo=UTC)], [])


MEMBERS: list[tuple[list[dict[str, Any]], list[str], list[str]]] = [
    ([{"from": "user", "text": "Hi"}, {"from": "bot", "text": "Ho"}], ["Hi", "Ho"], []),
    (
        [{"role": "user", "content": "Who?", "images": ["aGk="]}, {"role": "assistant", "content": "Bo."}],
        ["Who?", "Bo."],
        ["1 part other than text left out: image"],
    ),
    (
        [{"role": "user", "content": "Hi", "attachments": [{"name": "a.pdf"}]}],
        ["Hi"],
        ["1 part other than text left out: a.pdf"],
    ),
    (
        [{"role": "user", "content": "No", "deleted": True}, {"role": "user", "content": "Hi", "deleted_at": None}],
        ["Hi"],
        ["left out: 1 deleted message"],
    ),
    (
        [
            {"role": "user", "content": "Hi", "deleted": "false", "attachments": {}},
            {"role": "user", "content": "You", "deleted_at": "0001-01-01T00:00:00Z", "images": ""},
        ],
        ["Hi", "You"],
        [],
    ),
    (
        [{"role": "user", "content": [{"type": "image_description", "content": "A red boat."}]}],
        ["A red boat."],
        [],
    ),
]


@pytest.mark.parametrize(
    ("messages", "said", "notes"),
    MEMBERS,
)
def test_members_of_messages_that_many_applications_store_are_known(
    messages: list[dict[str, Any]], said: list[str], notes: list[str], tmp_path: Path
) -> None:
    """The words of a sender, pictures beside the words, and messages that were deleted."""
    path = tmp_path / "log.json"
    path.write_text(json.dumps(messages), encoding="utf-8")
    [log] = read_conversations([path])
    assert isinstance(log, ChatLog)
    assert ([one["content"] for one in log.messages], log.notes) == (said, notes)


def test_an_answer_beside_the_messages_is_told(tmp_path: Path) -> None:
    """The messages are those of the request."""
    path = tmp_path / "log.json"
    choices = [{"message": {"role": "assistant", "content": "Ho"}}]
    path.write_text(json.dumps({"messages": [{"role": "user", "content": "Hi"}], "choices": choices}), encoding="utf-8")
    [log] = read_conversations([path])
    assert isinstance(log, ChatLog)
    assert log.notes == ["the answer at 'choices' is in no known format, and is left out"]


def test_a_pointer_of_git_lfs_is_told(tmp_path: Path) -> None:
    """A clone without Git LFS has them in place of a data set's files."""
    (tmp_path / "train.jsonl").write_text(
        "version https://git-lfs.github.com/spec/v1\noid sha256:0\n", encoding="utf-8"
    )
    [error] = titles(tmp_path / "train.jsonl")
    assert "train.jsonl is a pointer of Git LFS: fetch the file itself with `git lfs pull`" in error


def test_a_log_of_messages_keeps_each_time(tmp_path: Path) -> None:
    """An exchange has the first time that it has; foreign members are not part of a message."""
    path = tmp_path / "log.json"
    messages = [
        {"role": "user", "content": "Hi", "timestamp": None, "chatId": 7},
        {"role": "assistant", "content": "Ho", "timestamp": "2026-03-22T18:01:05Z"},
    ]
    path.write_text(json.dumps(messages), encoding="utf-8")
    [one] = load_transcripts(path)
    assert one.exchanges[0].date == datetime(2026, 3, 22, 18, 1, 5, tzinfo=UTC)
    assert one.exchanges[0].messages[0] == {"role": "user", "content": "Hi"}


def test_forms_are_distinct() -> None:
    """Each form says what is known of it, and how to get a file."""
    assert all(form.known and form.get for form in known_forms())
    assert ANY not in known_forms()


def test_claude_ai_is_read(tmp_path: Path) -> None:
    """Words and times of the shown branch; thoughts are apart, and results of tools have the ids of their calls."""
    nil, day = "00000000-0000-4000-8000-000000000000", "2026-04-01T08:0"

    def said(uuid: str, parent: str, sender: str, *blocks: dict[str, Any]) -> dict[str, Any]:
        known = {"uuid": uuid, "parent_message_uuid": parent, "sender": sender, "text": "as the page once had it"}
        return known | {"content": list(blocks), "created_at": f"{day}{uuid}:00Z"}

    messages = [
        said("1", nil, "human", {"type": "text", "text": "What likes shade?"}),
        said("2", "1", "assistant", {"type": "text", "text": "Roses."}),
        said(
            *("3", "1", "assistant"),
            {"type": "thinking", "thinking": "Shade ..."},
            {"type": "tool_use", "id": "t", "name": "search", "input": {}},
            {"type": "tool_result", "tool_use_id": "t", "content": []},
            {"type": "text", "text": "Ferns."},
        ),
    ]
    talks: list[dict[str, Any]] = [
        {"uuid": "a", "name": "Shade", "chat_messages": messages},
        {"uuid": "b", "name": "", "chat_messages": []},
    ]
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps(talks), encoding="utf-8")
    [log] = read_conversations([path])
    assert isinstance(log, ChatLog)
    assert (log.title, log.id) == ("Shade", "a")
    assert [message["content"] for message in log.messages] == ["What likes shade?", None, "[]", "Ferns."]
    assert log.messages[1]["tool_calls"][0]["id"] == log.messages[2]["tool_call_id"] == "t"
    assert log.messages[3]["reasoning_content"] == "Shade ..."
    assert log.dates == [datetime(2026, 4, 1, 8, minute, tzinfo=UTC) for minute in (1, 3, 3, 3)]
    assert any(note.startswith("1 other branch left out") for note in log.notes)


def test_a_form_without_parents_in_older_files_is_read_in_the_order_of_dates(tmp_path: Path) -> None:
    """As Claude.ai's of 2024; a parent under nearly the same name is an error."""
    said = [("human", "What likes shade?", 1), ("assistant", "Ferns.", 2)]
    messages = [{"sender": who, "text": text, "created_at": f"2024-04-01T08:0{at}:00Z"} for who, text, at in said]
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([{"uuid": "a", "name": "Shade", "chat_messages": messages}]), encoding="utf-8")
    [log] = read_conversations([path])
    assert isinstance(log, ChatLog)
    assert [message["content"] for message in log.messages] == ["What likes shade?", "Ferns."]
    other = [message | {"parentMessageUuid": None} for message in messages]
    path.write_text(json.dumps([{"uuid": "a", "name": "Shade", "chat_messages": other}]), encoding="utf-8")
    [error] = read_conversations([path])
    assert "did you mean 'parent_message_uuid'?" in str(error)


def test_a_pasted_text_of_claude_ai_is_words(tmp_path: Path) -> None:
    """Of a file with a name of its own, the name is told."""
    attached = [{"file_name": "", "extracted_content": "Ferns"}, {"file_name": "a.txt", "extracted_content": "Moss"}]
    said = {"uuid": "1", "parent_message_uuid": None, "sender": "human", "text": "Water?", "attachments": attached}
    talk = {"uuid": "a", "name": "Shade", "chat_messages": [said | {"created_at": "2026-04-01T08:00:00Z"}]}
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([talk]), encoding="utf-8")
    [log] = read_conversations([path])
    assert isinstance(log, ChatLog)
    assert log.messages == [{"role": "user", "content": "Water?\n[pasted text]\nFerns"}]
    assert log.notes == ["1 part other than text left out: a.txt"]


def test_an_object_with_two_lists_of_messages_has_two_conversations(tmp_path: Path) -> None:
    """Each is named after its list."""
    path = tmp_path / "two.json"
    path.write_text(json.dumps({name: [{"role": "user", "content": name}] for name in ("messages", "old")}), "utf-8")
    assert titles(path) == ["two, messages", "two, old"]


@pytest.mark.parametrize(
    ("text", "thoughts", "words"),
    [
        ("A goat eats hay.\n</think>\n\nHay.", "A goat eats hay.", "Hay."),
        ("`</think>` ends a thought.", None, "`</think>` ends a thought."),
    ],
)
def test_thoughts_without_their_opening_mark_are_apart(
    text: str, thoughts: str | None, words: str, tmp_path: Path
) -> None:
    """Some chat templates put the mark into the request."""
    path = tmp_path / "talk.json"
    said = [{"role": "user", "content": "What do goats eat?"}, {"role": "assistant", "content": text}]
    path.write_text(json.dumps(said), encoding="utf-8")
    [log] = read_conversations([path])
    assert isinstance(log, ChatLog)
    assert (log.messages[1].get("reasoning_content"), log.messages[1]["content"]) == (thoughts, words)


def test_the_command_imports_a_zip_and_tells_what_is_left_out(tmp_path: Path) -> None:
    """Conversations have their own ids; an entry that cannot be read is named, and the exit says so."""
    document = talk(1, "Which bird?", "A wren.")
    document["mapping"]["other"] = json.loads(json.dumps(document["mapping"]["m1"]).replace("wren", "robin"))
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        archive.writestr("conversations.json", json.dumps([document, {"id": "odd"}]))
    command = ["import", str(tmp_path / "export.zip"), "--store", f"sqlite:///{tmp_path}/new.db"]
    done = CliRunner().invoke(app, command)
    assert done.stdout.startswith("c1\t2 read\t2 new")
    assert done.stdout.endswith("\tTalk 1\n")
    assert "note: c1: 1 other branch left out" in done.stderr
    assert "conversations.json, item 1 is in none of the known formats" in str(done.exception)


@pytest.mark.parametrize("form", ["{}: {}", "**{}:** {}", "#### {}:\n{}"])
def test_a_name_without_a_role_is_the_assistant_where_only_the_users_label_tells_one(form: str, tmp_path: Path) -> None:
    """A line of the talk with another name stays in its message, and so do labels in code."""
    said = [("You", "My hive is Saffron."), ("DeepSeek", "Nice.\nNote: bees sleep."), ("You", "It is blue.")]
    said.append(("DeepSeek", "Ok.\n```\nYou: no label\n```"))
    place = tmp_path / "talk.txt"
    place.write_text("\n".join(form.format(name, words) for name, words in said), encoding="utf-8")
    [talk] = load_transcripts(place)
    roles = [(one["role"], one["content"]) for exchange in talk.exchanges for one in exchange.messages]
    assert roles == [({"You": "user"}.get(name, "assistant"), words) for name, words in said]
    assert talk.notes == ("'DeepSeek' answers, and is the assistant",)


def test_messages_that_name_their_conversations_are_kept_apart(tmp_path: Path) -> None:
    """Also where they alternate; a time as a text is read, and one that is not understood is told."""
    items = [
        {"session_id": "1", "role": "user", "content": "a", "timestamp": "1701123112345"},
        {"session_id": "2", "role": "user", "content": "b", "timestamp": "02/03/2026 09:15"},
        {"session_id": "1", "role": "assistant", "content": "A"},
    ]
    place = tmp_path / "log.jsonl"
    place.write_text("\n".join(map(json.dumps, items)), encoding="utf-8")
    first, second = load_transcripts(place)
    assert [[one["content"] for one in exchange.messages] for exchange in first.exchanges] == [["a", "A"]]
    assert str(first.exchanges[0].date) == "2023-11-27 22:11:52.345000+00:00"
    assert second.notes == ("1 time not understood, such as '02/03/2026 09:15'", "1 message without a time")


@pytest.mark.parametrize("name", ["system", "system_prompt", "systemMessage"])
def test_the_system_text_of_an_object_is_its_first_message(name: str, tmp_path: Path) -> None:
    """Under any of the names that applications give it."""
    place = tmp_path / "talk.json"
    place.write_text(json.dumps({name: "Be kind.", "messages": [{"role": "user", "content": "Hi."}]}), encoding="utf-8")
    [talk] = load_transcripts(place)
    instruction = {"role": "system", "content": "Be kind."}
    assert [one.messages for one in talk.exchanges] == [(instruction, {"role": "user", "content": "Hi."})]


def test_files_that_are_called_as_those_beside_an_export_are_read_without_it(tmp_path: Path) -> None:
    """A folder of one's own may have a users.json with a conversation."""
    for name in ("chat.json", "users.json"):
        (tmp_path / name).write_text(json.dumps([{"role": "user", "content": name}]), encoding="utf-8")
    assert [talk.title for talk in load_transcripts(tmp_path)] == ["chat", "users"]


def test_attached_files_are_counted(tmp_path: Path) -> None:
    """Of ChatGPT and of Claude.ai; where a message is nothing else, their names stay, because an answer follows."""
    chat = talk(1, "", "Paid.")
    [*_, first, _] = chat["mapping"].values()
    first["message"]["metadata"] = {"attachments": [{"name": "bill.pdf", "mime_type": "application/pdf"}]}
    lines: list[dict[str, Any]] = [
        {"sender": "human", "text": "", "files": [{"file_name": "bill.pdf"}], "parent_message_uuid": None},
        {"sender": "assistant", "text": "Paid.", "attachments": [], "parent_message_uuid": "m0"},
    ]
    lines = [{"uuid": f"m{place}", "created_at": "2026-05-01T10:00:00Z", **one} for place, one in enumerate(lines)]
    for name, document in (("chatgpt", chat), ("claude", {"uuid": "c", "name": "Bill", "chat_messages": lines})):
        place = tmp_path / f"{name}.json"
        place.write_text(json.dumps([document]), encoding="utf-8")
        [read] = load_transcripts(place)
        assert [one["content"] for one in read.exchanges[0].messages] == ["[bill.pdf]", "Paid."]
        assert read.notes[0] == "1 part other than text left out: bill.pdf"


def test_a_speaker_who_is_not_there_is_an_error(tmp_path: Path) -> None:
    """It has the names that are there."""
    place = tmp_path / "talk.txt"
    place.write_text("Anna: Hi.\nBen: Hi.\nAnna: Tea?\nBen: Yes.", encoding="utf-8")
    with pytest.raises(TransferError, match="no speaker is called 'Nobody'; the speakers are 'Anna', 'Ben'"):
        load_transcripts(f"{place}:user=Nobody")


def test_a_speaker_is_chosen_in_vain_where_nobody_has_a_name(tmp_path: Path) -> None:
    """A note says so."""
    (tmp_path / "conversations.json").write_text(json.dumps([talk(1, "Hi", "Ho")]), encoding="utf-8")
    [one] = load_transcripts(f"{tmp_path}:user=Ida")
    assert one.notes == ("its speakers have no names, so 'Ida' has no effect",)
    place = tmp_path / "messages.json"
    place.write_text(json.dumps([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}]))
    [one] = load_transcripts(f"{place}:user=Ida")
    assert one.notes == ("its messages have roles, so 'Ida' chooses nobody",)


@pytest.mark.parametrize(
    ("first", "kind"),
    [
        (b"PK\x03\x04\xff", "a document in a ZIP"),
        (b"\x89PNG\r\n", "a picture or a recording"),
        (b"\x1f\x8b", "a file packed by gzip"),
        (b"PAR1\x15\x04\xff", "a Parquet file"),
    ],
)
def test_the_kind_of_a_file_that_is_no_text_is_told(first: bytes, kind: str, tmp_path: Path) -> None:
    """By its first bytes."""
    (tmp_path / "chat.docx").write_bytes(first)
    with pytest.raises(TransferError, match=f"is not text, but {kind}.*; save the chat as text or JSON, in UTF-8"):
        load_transcripts(tmp_path / "chat.docx")


def test_a_result_that_answers_no_call_gets_an_id() -> None:
    """Endpoints refuse an empty one; a note counts them."""
    result, asked = {"role": "function", "content": "2"}, {"role": "user", "content": "Hi"}
    log = ChatLog.of("a", [(asked, None), (result, None), (result, None)])
    assert [one.get("tool_call_id") for one in log.messages] == [None, "call-0", "call-1"]
    assert log.notes == ["2 results of tools without an id, a name and a call"]


def test_messages_of_several_conversations_may_stand_within_the_document() -> None:
    """At the path of the messages, as without groups."""
    lines = [{"talk": name, "role": "user", "content": f"I am {name}."} for name in ("Ada", "Bo", "Ada")]
    logs = [*Fields("state.lines", group="talk", title="")({"state": {"lines": lines}}, "a")]
    assert [(log.title, len(log.messages)) for log in logs if isinstance(log, ChatLog)] == [("Ada", 2), ("Bo", 1)]


def test_roles_of_a_form_may_be_numbers() -> None:
    """As the values in the file are."""
    read = Fields("lines", "kind", "text", roles={1: "user", 2: "assistant"})
    [log] = read({"lines": [{"kind": 1, "text": "Hi."}, {"kind": 2, "text": "Ho."}]}, "a")
    assert isinstance(log, ChatLog)
    assert [one["role"] for one in log.messages] == ["user", "assistant"]


def test_a_reader_with_an_unknown_role_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package's reader may be wrong; the error names the file, the message and the form, and others are read."""

    def read(*_: object) -> list[ChatLog]:
        return [ChatLog("t", [{"role": "host"}], [None])]

    form = Form("tea", "object", having("tea"), read, "1", "1")
    monkeypatch.setattr(reading, "known_forms", lambda: (form, *known_forms()))
    (tmp_path / "a.json").write_text('{"tea": 1}', encoding="utf-8")
    (tmp_path / "b.json").write_text('[{"role": "user", "content": "Hi"}]', encoding="utf-8")
    wrong: list[TransferError] = []
    logs = list(read_logs("", str(tmp_path), wrong.append))
    assert [log.title for log in logs] == ["b"]
    (error,) = wrong
    assert str(error).startswith(f"{tmp_path}/a.json, 't' cannot be read as tea: message 1: role must be one of")


@pytest.mark.parametrize(
    "given",
    [
        {"messages": [{"role": "user", "content": "Who?"}], "answers": ["Bo"]},
        {
            "messages": [{"role": "user", "content": "Who?"}, {"role": "assistant", "content": "Bo."}],
            "choices": ["A", "B"],
        },
    ],
)
def test_members_beside_the_messages_that_answer_nothing_are_no_answers(given: dict[str, Any], tmp_path: Path) -> None:
    """Other lists beside a talk are neither refused nor told of as its answer."""
    path = tmp_path / "log.json"
    path.write_text(json.dumps(given), encoding="utf-8")
    [log] = read_conversations([path])
    assert isinstance(log, ChatLog)
    assert log.notes == []


def test_reminders_of_the_system_are_no_answers(tmp_path: Path) -> None:
    """In a request with several system messages, nobody has answered yet."""
    roles = ["system", "user", "system", "user", "system", "user"]
    path = tmp_path / "log.json"
    path.write_text(json.dumps([{"role": role, "content": "Hi"} for role in roles]), encoding="utf-8")
    [log] = read_conversations([path])
    assert isinstance(log, ChatLog)
    assert [one["role"] for one in log.messages] == roles


def test_a_row_with_a_cell_too_many_is_read(tmp_path: Path) -> None:
    """The cell has no column, and is left out."""
    path = tmp_path / "log.csv"
    path.write_text("role,content\nuser,Who?,more\nassistant,Bo.\n", encoding="utf-8")
    [log] = read_conversations([path])
    assert isinstance(log, ChatLog)
    assert [one["content"] for one in log.messages] == ["Who?", "Bo."]
