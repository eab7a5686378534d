"""`memzoo play` and `memzoo demo`: what they take, what they write, what they refuse."""

import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from memzoo.benchmarks.transcripts import sample_path
from memzoo.memories import STRATEGIES, create_memory
from memzoo.stores import open_store
from tests.benchmarks.play.talks import SAID, Page
from tests.cli.conftest import Command, Endpoint


def told(file: Path) -> Page:
    """What a written page tells."""
    found = re.search(r'<script type="application/json" id="lines">(.*?)</script>', file.read_text("utf-8"), re.DOTALL)
    assert found
    return Page(json.loads(found[1]))


@pytest.fixture
def chat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A short conversation in a file, in an empty folder, without a key."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    messages = [
        {"role": role, "content": text} for pair in SAID for role, text in zip(("user", "assistant"), pair, strict=True)
    ]
    (tmp_path / "chat.jsonl").write_text("\n".join(map(json.dumps, messages)), encoding="utf-8")
    return tmp_path / "chat.jsonl"


def test_writes_a_page_about_a_file(command: Command, chat: Path) -> None:
    """Without a key, which it says; with the seven, the turns and what is asked at the end."""
    asked = {"question": "Where does Anna live?", "answer": "Oslo", "evidence": [0]}
    talk = {"messages": list(map(json.loads, chat.read_text("utf-8").splitlines())), "questions": [asked]}
    chat.write_text(json.dumps(talk), encoding="utf-8")
    ran = command("play", "chat.jsonl", "--html", "play.html")
    assert (ran.code, "rules stand in" in ran.output, "wrote play.html" in ran.output) == (0, True, True)
    page = told(chat.with_name("play.html"))
    assert [one["name"] for one in page.start["memories"]] == list(STRATEGIES)
    assert (page.start["rules"], len(page.moments), page.questions[0]["text"]) == (True, 6, "Where does Anna live?")


def test_takes_what_compare_takes(command: Command, chat: Path) -> None:
    """Memories with options."""
    given = ["--memory", "window:k=1", "--memory", "vector-retriever:max_token_limit=50"]
    assert command("play", "chat.jsonl", *given, "--html", "play.html").code == 0
    page = told(chat.with_name("play.html"))
    assert [one["name"] for one in page.start["memories"]] == ["window:k=1", "vector-retriever:max_token_limit=50"]
    assert page.frame(5, "vector-retriever:max_token_limit=50")["limit"] == 50


def test_asks_the_model_that_is_named(command: Command, chat: Path, endpoint: Endpoint) -> None:
    """It learns for the memories that ask one."""
    endpoint.reply = "A summary of Mara."
    given = ["--memory", "summary", "--model", f"small:base_url={endpoint.url}"]
    ran = command("play", "chat.jsonl", *given, "--html", "play.html")
    assert (ran.code, "rules" in ran.output) == (0, False)
    page = told(chat.with_name("play.html"))
    assert (page.start["model"], page.start["rules"]) == ("small", False)
    assert page.view(5, "summary")[0][-1] == "A summary of Mara."
    assert len(endpoint.bodies) == len(SAID)


def test_looks_at_a_stored_conversation(command: Command, chat: Path) -> None:
    """With what was learnt there; the file of the store stays as it was, to the byte."""
    with open_store("sqlite:///chat.db") as store:
        memory = create_memory("summary", llm="offline", store=store, conversation_id="mara", learn_every=1)
        for said, answer in SAID:
            memory.save_context({"input": said}, {"output": answer})
    before = chat.with_name("chat.db").read_bytes()
    assert command("play", "--store", "sqlite:///chat.db", "--conversation", "mara", "--html", "play.html").code == 0
    assert chat.with_name("chat.db").read_bytes() == before
    page = told(chat.with_name("play.html"))
    assert page.start["stored"] is True
    assert page.view(5, "summary, as stored") == page.view(5, "summary")


def test_takes_the_longest_of_several_or_the_one_that_is_named(command: Command, chat: Path) -> None:
    """It says so; text in a title is enough, and text in no title is an error."""
    talks = [
        {"title": title, "messages": [{"role": "user", "content": "hi"}] * count}
        for title, count in (("a", 1), ("a bee", 2), ("bees", 3))
    ]
    chat.write_text("\n".join(map(json.dumps, talks)), encoding="utf-8")
    ran = command("play", "chat.jsonl", "--memory", "buffer", "--html", "play.html")
    assert "Showing the longest of 3 conversations, 'bees'" in ran.output
    assert told(chat.with_name("play.html")).start["title"] == "bees"
    for named, title in (("a", "a"), ("A b", "a bee")):
        command("play", f"chat.jsonl:title={named}", "--memory", "buffer", "--html", "play.html")
        assert told(chat.with_name("play.html")).start["title"] == title
    wrong = command("play", "chat.jsonl:title=wasp", "--html", "other.html")
    assert (wrong.code, "'wasp'" in wrong.errors, chat.with_name("other.html").exists()) == (2, True, False)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["no-such.jsonl", "--html", "x.html"], "cannot be read"),
        (["--memory", "no-such", "--html", "x.html"], "no-such"),
        (["chat.jsonl", "--empty", "--html", "x.html"], "give only one of"),
        (["chat.jsonl", "--conversation", "a", "--html", "x.html"], "--conversation needs --store"),
        (["--store", "sqlite:///no.db", "--html", "x.html"], "there is no file"),
        (["--model", "gpt-4o-mini", "--html", "x.html"], "needs a key"),
        (["sample:xx", "--html", "x.html"], "no bundled conversation"),
        (["--empty", "--html", "no/such/folder/x.html"], "cannot be written"),
    ],
)
def test_what_cannot_work_is_refused(command: Command, chat: Path, arguments: list[str], error: str) -> None:
    """In one line, and nothing is written."""
    ran = command("play", *arguments)
    assert (ran.code, error in ran.errors, chat.with_name("x.html").exists()) == (2, True, False)


def test_without_the_extra_it_says_what_to_install(
    command: Command, chat: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page as a file needs no server."""
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "memzoo.benchmarks.play.server", raising=False)
    refused = command("play", "chat.jsonl")
    assert (refused.code, "pip install 'memzoo[play]'" in refused.errors) == (2, True)
    assert command("play", "chat.jsonl", "--memory", "buffer", "--html", "play.html").code == 0


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such interrupt")
def test_serves_the_page_until_interrupted(chat: Path) -> None:
    """At an address of this machine with a token, which it prints; Ctrl-C ends it."""
    command = [sys.executable, "-m", "memzoo", "play", "chat.jsonl", "--memory", "buffer"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, bufsize=1) as running:
        assert running.stdout is not None
        address = next(line.strip() for line in running.stdout if line.startswith("http"))
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{32}", address)
        base, token = address.split("?token=")
        assert "<title>memzoo play</title>" in httpx.get(address, trust_env=False).text
        assert httpx.get(base, trust_env=False).status_code == 403
        headers = {"Authorization": f"token {token}"}
        found: dict[str, Any] = {"lines": [], "done": False}
        while not found["done"]:
            found = httpx.get(f"{base}lines", headers=headers, trust_env=False).json()
        assert len(Page(found["lines"]).moments) == 6
        running.send_signal(2)
        running.stdout.read()
    assert running.returncode in (0, -2, 130)


def test_demo_compares_and_opens_the_page(command: Command, chat: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both pages are in the folder, the verdict on the terminal, whose user sees the page in the browser."""
    sample = json.loads(sample_path().read_bytes())
    sample["sessions"] = sample["sessions"][:1]  # all ten take half a minute
    said = {message["id"] for message in sample["sessions"][0]["messages"]}
    sample["questions"] = [one for one in sample["questions"] if said.issuperset(one["evidence"])]
    short, opened = chat.with_name("sample.json"), list[str]()
    short.write_text(json.dumps(sample), encoding="utf-8")
    for place in ("transcripts", "inputs"):
        monkeypatch.setattr(f"memzoo.benchmarks.{place}.sample_path", lambda _="en": short)
    monkeypatch.setattr("memzoo.benchmarks.play.command.ProcessPoolExecutor", _pool)
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setenv("FORCE_COLOR", "1")
    ran = command("demo")
    assert (ran.code, "vector-retriever" in ran.output) == (0, True)
    file = chat.with_name("memzoo-demo") / "play.html"
    assert opened == [file.as_uri()]
    page = told(file)
    assert len(page.moments) == len(said) / 2 + 1 > len(page.questions) > 0
    assert (file.with_name("report.html").exists(), page.start["title"]) == (True, sample["title"])


def _pool(workers: int, mp_context: object) -> ThreadPoolExecutor:
    """A thread instead of a process, which would read the whole sample."""
    return ThreadPoolExecutor(workers)
