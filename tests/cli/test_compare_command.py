"""`memzoo compare` and `memzoo questions` ask the model that the command line describes."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command, Endpoint

LIMITS = ("--max-tokens", "60", "--temperature", "0", "--timeout", "20")


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
    models = ("--model", "m", "--judge", "j", "--token-counter", "approximate", "--jobs", jobs)
    ran = command("compare", talk, *memories, *models, "--base-url", endpoint.url, *LIMITS)
    assert ran.code == 0, ran
    assert {body["model"] for body in endpoint.bodies} == {"m", "own", "j"}
    sent = [{name: body[name] for name in body.keys() - {"model", "messages"}} for body in endpoint.bodies]
    assert [one for one in sent if one != {"max_tokens": 60, "temperature": 0.0}] == []


def test_other_limits_are_another_run(talk: str, endpoint: Endpoint, command: Command) -> None:
    """What an interrupted run has finished is not gone on with under other limits."""
    endpoint.reply = "yes"
    prices = ("--price-in", "1", "--stop-at", "0.0002", "--memory", "summary", "--token-counter", "approximate")
    run = ("compare", talk, "--model", "m", "--base-url", endpoint.url, *prices)
    assert command(*run).code == 1
    kept = Path("memzoo-compare/unfinished.json").read_text(encoding="utf-8")
    assert command(*run, "--temperature", "1").code == 1
    assert Path("memzoo-compare/unfinished.json").read_text(encoding="utf-8") != kept
    assert endpoint.url not in kept


def test_a_dry_run_asks_nobody(talk: str, endpoint: Endpoint, command: Command) -> None:
    """Not even the model that a memory names."""
    asked = ("--model", "m", "--memory", "summary:model=own", "--token-counter", "approximate")
    assert command("compare", talk, *asked, "--base-url", endpoint.url, "--dry-run").code == 0
    assert endpoint.bodies == []


@pytest.mark.parametrize("arguments", ["compare {} --memory summary", "questions {}"])
def test_a_bad_endpoint_is_told_first(arguments: str, talk: str, endpoint: Endpoint, command: Command) -> None:
    """One line, before anything is asked or written."""
    ran = command(*arguments.format(talk).split(), "--model", "m", "--base-url", "localhost:80")
    assert ran.code == 2
    assert "must be like http://127.0.0.1:8080/v1" in ran.errors
    assert [path.name for path in Path().iterdir()] == [talk]
    assert endpoint.bodies == []


def test_off_a_terminal_no_line_is_broken(talk: str, command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """The verdict is a line, and so is each memory in the table, however long its name."""
    monkeypatch.setenv("COLUMNS", "80")
    name = "summary-buffer:max_token_limit=100,count_summary=true"
    lines = command("compare", talk, "--memory", name, "--token-counter", "approximate").output.splitlines()
    assert [line for line in lines if line.startswith("Rules answered ") and line.endswith("measures it.")]
    assert len([line for line in lines if line.startswith(f"{name} ")]) == 1


def test_questions_are_drafted(talk: str, endpoint: Endpoint, command: Command) -> None:
    """As YAML that can be read, corrected and compared with; evidence names messages that there are."""
    endpoint.reply = "Here you are:\nWhat is it called? | Tom | 0, 99 | fact\nWhere? | Bergen | none | fact\n"
    asked = ("--model", "m", "--base-url", endpoint.url, *LIMITS)
    assert command("questions", talk, *asked, "--out", "q.yaml").code == 0
    [body] = endpoint.bodies
    assert (body["model"], body["max_tokens"], body["temperature"]) == ("m", 60, 0.0)
    text = Path("q.yaml").read_text(encoding="utf-8")
    assert 'question: "What is it called?"' in text
    assert "Where?" not in text
    assert command("compare", "q.yaml", "--memory", "window").code == 0
    [kept] = json.loads(Path("memzoo-compare/results.json").read_text(encoding="utf-8"))["questions"]
    assert kept["question"]["evidence"] == ["My cat is called Tom."]


def test_the_offline_model_drafts_no_questions(talk: str, command: Command) -> None:
    """It is refused, with what to write instead."""
    ran = command("questions", talk)
    assert ran.code == 2
    assert "name another with --model" in ran.errors


def test_the_bundled_conversation_in_chinese(tmp_path: Path, command: Command) -> None:
    """`--sample zh` compares on it, without any file."""
    ran = command("compare", "--sample", "zh", "--memory", "window", "--out", str(tmp_path))
    assert ran.code == 0
    assert json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))["talks"]["questions"] == 62
