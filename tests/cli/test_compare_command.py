"""`memzoo compare` asks the model that the command line describes."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command, Endpoint

LIMITS = "max_tokens=60,temperature=0,timeout=20"


@pytest.fixture
def talk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A short conversation with a question, in the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    messages = [{"role": "user", "content": "My cat is called Tom."}, {"role": "assistant", "content": "Fine."}]
    question = {"question": "What is my cat called?", "answer": "Tom", "evidence": [0]}
    (tmp_path / "talk.json").write_text(json.dumps({"messages": messages, "questions": [question]}), encoding="utf-8")
    return "talk.json"


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_every_model_of_a_comparison(jobs: str, talk: str, endpoint: Endpoint, command: Command) -> None:
    """That of the memories, one that a memory names, and the judge are asked at the endpoint, within the limits."""
    endpoint.reply = "yes"
    memories = ("--memory", "summary", "--memory", "summary:model=own")
    models = ("--judge", "j", "--token-counter", "approximate", "--jobs", jobs)
    ran = command("compare", talk, *memories, *models, "--model", f"m:base_url={endpoint.url},{LIMITS}")
    assert ran.code == 0, ran
    assert {body["model"] for body in endpoint.bodies} == {"m", "own", "j"}
    sent = [{name: body[name] for name in body.keys() - {"model", "messages"}} for body in endpoint.bodies]
    assert [one for one in sent if one != {"max_tokens": 60, "temperature": 0}] == []


def test_other_limits_are_another_run(talk: str, endpoint: Endpoint, command: Command) -> None:
    """What an interrupted run has finished is not gone on with under other limits."""
    endpoint.reply = "yes"
    prices = ("--prices", "1,0", "--stop-at", "0.0002", "--memory", "summary", "--token-counter", "approximate")
    run = ("compare", talk, *prices, "--model", f"m:base_url={endpoint.url}")
    assert command(*run).code == 1
    kept = Path("memzoo-compare/unfinished.json").read_text(encoding="utf-8")
    assert command(*run[:-1], f"{run[-1]},temperature=1").code == 1
    assert Path("memzoo-compare/unfinished.json").read_text(encoding="utf-8") != kept
    assert endpoint.url not in kept


def test_a_dry_run_asks_nobody(talk: str, endpoint: Endpoint, command: Command) -> None:
    """Not even the model that a memory names."""
    asked = ("--model", f"m:base_url={endpoint.url}", "--memory", "summary:model=own")
    assert command("compare", talk, *asked, "--token-counter", "approximate", "--dry-run").code == 0
    assert endpoint.bodies == []


@pytest.mark.parametrize("arguments", ["compare {} --memory summary", "compare {} --write-questions q.yaml"])
def test_a_bad_endpoint_is_told_first(arguments: str, talk: str, endpoint: Endpoint, command: Command) -> None:
    """One line, before anything is asked or written."""
    ran = command(*arguments.format(talk).split(), "--model", "m:base_url=localhost:80")
    assert ran.code == 2
    assert "must be like http://127.0.0.1:8080/v1" in ran.errors
    assert [path.name for path in Path().iterdir()] == [talk]
    assert endpoint.bodies == []


def test_off_a_terminal_no_line_is_broken(talk: str, command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """The verdict is a line, and so is each memory in the table, however long its name."""
    monkeypatch.setenv("COLUMNS", "80")
    name = "summary-buffer:max_token_limit=100,count_summary=true"
    lines = command("compare", talk, "--memory", name, "--token-counter", "approximate").output.splitlines()
    assert [line for line in lines if " needs a model. " in line and line.endswith("measures them.")]
    assert len([line for line in lines if line.startswith(f"{name}  ")]) == 1


def test_the_output_is_what_was_found(talk: str, command: Command) -> None:
    """All else, such as progress and where the files are, stands beside it: `> table.txt` has the verdict and table."""
    ran = command("compare", talk, "--memory", "window", "--fail-under", "judged=1")
    assert ran.code == 1
    assert ran.output.startswith("With 1,000 tokens of memory, window comes first")
    beside = ("Tokens are estimated", "window: done; ", "wrote ", "--fail-under: judged was not measured")
    assert [text for text in beside if text in ran.output or text not in ran.errors] == []


def test_evidence_that_names_no_message_is_told_first(talk: str, command: Command) -> None:
    """With the question and what it cites, before anything is run."""
    chat = json.loads(Path(talk).read_text(encoding="utf-8"))
    chat["questions"] += [{"question": f"Where {number}?", "evidence": [0, "m9"]} for number in range(21)]
    chat["questions"][1]["evidence"] = [7]
    Path(talk).write_text(json.dumps(chat), encoding="utf-8")
    lines = command("compare", talk, "--memory", "window").errors.splitlines()
    notes = [line for line in lines if line.startswith("note: ")]
    names_none = "but no message with text has this id"
    assert notes[0] == f"note: talk: the question 'Where 0?' cites 7, {names_none}; it is not asked"
    assert notes[1] == f"note: talk: the question 'Where 1?' cites m9, {names_none}; only its other evidence counts"
    assert notes[20:] == ["note: and 1 more note"]
    assert lines.index(notes[20]) < next(place for place, line in enumerate(lines) if line.startswith("none: "))


def test_questions_are_drafted(talk: str, endpoint: Endpoint, command: Command) -> None:
    """As YAML that can be read, corrected and compared with; evidence names messages that there are."""
    endpoint.reply = (
        f"Here you are:\nWhat is it called? | Tom | 00, 99, {'9' * 5000} | fact\nWhere? | Bergen | none | fact\n"
    )
    asked = ("--model", f"m:base_url={endpoint.url},{LIMITS}")
    assert command("compare", talk, *asked, "--write-questions", "q.yaml").code == 0
    [body] = endpoint.bodies
    assert (body["model"], body["max_tokens"], body["temperature"]) == ("m", 60, 0)
    text = Path("q.yaml").read_text(encoding="utf-8")
    assert 'question: "What is it called?"' in text
    assert "Where?" not in text
    assert command("compare", "q.yaml", "--memory", "window").code == 0
    [kept] = json.loads(Path("memzoo-compare/results.json").read_text(encoding="utf-8"))["questions"]
    assert kept["question"]["evidence"] == ["My cat is called Tom."]


def test_corrected_questions_are_not_overwritten(told: Path, command: Command) -> None:
    """A file that exists is refused before anything is read."""
    Path("q.yaml").write_text("corrected", encoding="utf-8")
    ran = command("compare", str(told), "--write-questions", "q.yaml")
    assert (ran.code, Path("q.yaml").read_text(encoding="utf-8")) == (2, "corrected")
    assert "give the name of a new file" in ran.errors


def test_rules_draft_questions_without_a_model(told: Path, command: Command) -> None:
    """Of several files and folders, as a file that says that it was drafted, and that compare reads."""
    assert command("compare", str(told), "--write-questions", "q.yaml").code == 0
    text = Path("q.yaml").read_text(encoding="utf-8")
    assert text.startswith("# Questions that rules drafted")
    assert 'question: "My flight to Bergen leaves on ___."' in text
    ran = command("compare", "q.yaml", "--memory", "window", "--memory", "buffer")
    assert ran.code == 0
    assert "The questions were drafted by rules" in ran.output
    kept = json.loads(Path("memzoo-compare/results.json").read_text(encoding="utf-8"))
    assert (kept["talks"]["count"], kept["talks"]["questions"], kept["talks"]["drafted"]) == (2, 2, 2)


def test_compare_drafts_questions_where_there_are_none(told: Path, command: Command) -> None:
    """So that everybody has a verdict; what somebody asked is never replaced."""
    ran = command("compare", str(told), "--memory", "buffer")
    assert "rules drafted some" in ran.errors
    assert "buffer comes first" in ran.output
    assert "rules drafted" not in command("compare", "--memory", "window", "--out", "sample").errors


def test_nothing_to_ask_about_is_told(tmp_path: Path, command: Command) -> None:
    """And what to do then."""
    (tmp_path / "talk.json").write_text('[{"role": "user", "content": "hello"}]', encoding="utf-8")
    ran = command("compare", str(tmp_path / "talk.json"), "--write-questions", "q.yaml")
    assert ran.code == 2
    assert "rules found nothing to ask about" in ran.errors
    assert "--model" in ran.errors


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two conversations."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "talks"
    folder.mkdir()
    for name, text in (("a", "My flight to Bergen leaves on 3 June."), ("b", "We paid the plumber 240 crowns.")):
        said = [{"role": "user", "content": text}, {"role": "assistant", "content": "Good to know."}]
        (folder / f"{name}.json").write_text(json.dumps(said), encoding="utf-8")
    return folder


def test_names_that_rules_cannot_read_are_not_measured(told: Path, tmp_path: Path, command: Command) -> None:
    """A figure for notes and facts in a language that the rules do not read would say nothing."""
    said = [
        {"role": "user", "content": "私の妹のアンナは三年前からオスロに住んでいます。"},
        {"role": "assistant", "content": "はい。"},
    ]
    talk = {"messages": said, "questions": [{"question": "妹はどこに\uff1f", "answer": "オスロ", "evidence": [0]}]}
    (tmp_path / "talk.json").write_text(json.dumps(talk, ensure_ascii=False), encoding="utf-8")
    ran = command("compare", str(tmp_path / "talk.json"), "--memory", "entity", "--memory", "buffer")
    assert ran.code == 0
    assert "entity: not measured, since the built-in rules found no name" in ran.output
    [row] = [line for line in ran.output.splitlines() if line.startswith("entity ")]
    assert "not measured" in row


def test_names_in_a_short_talk_are_found(told: Path, command: Command) -> None:
    """Also in fewer exchanges than a memory waits for before it learns."""
    ran = command("compare", str(told), "--memory", "entity", "--memory", "buffer")
    assert ran.code == 0
    assert "not measured" not in ran.output


def test_the_bundled_conversation_in_chinese(tmp_path: Path, command: Command) -> None:
    """`sample:zh` stands for its file."""
    ran = command("compare", "sample:zh", "--memory", "window", "--out", str(tmp_path))
    assert ran.code == 0
    assert json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))["talks"]["questions"] == 62
