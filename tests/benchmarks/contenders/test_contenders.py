"""Contenders: other libraries' memories in a comparison, each in a process of its own."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from memzoo.benchmarks import Settings, Transcript, compare
from memzoo.benchmarks.contenders.known import find_adapter
from memzoo.benchmarks.contenders.process import Contender
from memzoo.benchmarks.variants import contender_variants
from memzoo.errors import PluginError

Write = Callable[..., Path]

HEADER = """# /// script
# [tool.memzoo.ways]
# newest = {about = "the newest messages", options = {most = 2}}
# all = {about = "all messages", options = {most = 100}, asks_model = true}
# ///
"""
NEWEST = """
class Memory:
    def __init__(self, count_tokens, budget, human_prefix, ai_prefix, most):
        self.count, self.said, self.most = count_tokens, [], most
        print("libraries print", flush=True)

    def save(self, messages, said_at):
        self.said += messages

    def view(self, question):
        return self.said[-self.most:]

    def delete(self, texts):
        self.said = [one for one in self.said if one["content"] not in texts]
"""
ASKS = """
import json, os, urllib.request

def ask(path, **asked):
    asked = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + path, json.dumps({"model": "any", **asked}).encode())
    return json.load(urllib.request.urlopen(asked))
"""


# The stream that only the runner may write to.
_OUT = (
    "next(one for one in gc.get_objects() if type(one).__name__ == 'TextIOWrapper' "
    "and one.name not in (0, 1, 2) and one.writable() and one.name != '<stdout>' and one.name != '<stderr>')"
)


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes an adapter, by default of the newest messages, with changes."""

    def write(*changes: tuple[str, str], code: str = HEADER + NEWEST) -> Path:
        for old, new in changes:
            assert old in code
            code = code.replace(old, new)
        file = tmp_path / "newest.py"
        file.write_text(code, encoding="utf-8")
        return file

    return write


def started(file: Path) -> Contender:
    """A process of an adapter, with a conversation."""
    contender = Contender(find_adapter(str(file)))
    contender.ask("start", options={"most": 2}, budget=100, human_prefix="Human", ai_prefix="AI")
    return contender


def test_the_adapter_of_the_page_runs(write: Write, transcript: Transcript) -> None:
    """Its block, in a file, is compared."""
    page = (Path(__file__).parents[3] / "docs/extending/contenders.md").read_text(encoding="utf-8")
    found = re.search(r"<!-- adapter -->\n\n```py\n(.*?)```", page, re.DOTALL)
    assert found
    compared = compare([transcript], contender_variants(str(write(code=found[1]))), Settings(budgets=[300]))
    names = ["none", "newest/newest", "newest/all", "everything"]
    assert [(row.memory.name, row.error) for row in compared.rows] == [(name, "") for name in names]


def test_a_contender_is_a_row_of_the_table(write: Write, transcript: Transcript) -> None:
    """It is shown the conversation as the others are, and its ways have names and options."""
    variants = contender_variants(str(write()))
    found = compare([transcript], ["window:k=1", *variants], Settings(budgets=[300]))
    rows = {row.memory.name: row.budgets[300] for row in found.rows if not row.error}
    assert list(rows) == ["none", "window:k=1", "newest/newest", "newest/all", "everything"]
    assert (rows["newest/newest"].covered, rows["newest/newest"].tokens) == (
        rows["window:k=1"].covered,
        rows["window:k=1"].tokens,
    )
    assert rows["newest/all"].covered == rows["everything"].covered


def test_the_model_of_the_comparison_answers_at_a_port(write: Write, transcript: Transcript) -> None:
    """Calls of chats and embeddings are counted there, as those of memzoo's own memories."""
    asks = 'ask("/chat/completions", messages=messages); ask("/embeddings", input="Oslo"); self.said += messages'
    file = write(("self.said += messages", asks), code=HEADER + ASKS + NEWEST)
    found = compare([transcript], contender_variants(f"{file}"), Settings(budgets=[300]))
    row = next(row for row in found.rows if row.memory.name == "newest/all")
    assert not row.error
    assert row.upkeep.calls == row.embedding.calls == len(transcript.exchanges)
    assert row.upkeep.prompt_tokens > 0
    assert row.memory.floor


def test_the_keys_of_the_user_are_not_passed_on(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """A contender asks at the port alone, so that it cannot spend anything beside the comparison."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("MY_TOKEN", "secret")
    shown = 'return [{"role": "user", "content": str(sorted(os.environ.items()))}]'
    contender = started(write(("return self.said[-self.most:]", shown), code=HEADER + ASKS + NEWEST))
    seen = contender.ask("view", question="Who?")["messages"][0]["content"]
    contender.stop()
    assert contender.port.url in seen
    assert "secret" not in seen


def test_tokens_are_counted_by_the_comparison(write: Write) -> None:
    """An adapter that fills a budget counts as the table does."""
    view = 'return [{"role": "user", "content": str(self.count("three words here"))}]'
    contender = started(write(("return self.said[-self.most:]", view)))
    answer = contender.ask("view", lambda text: len(text.split()), question="Who?")
    contender.stop()
    assert answer["messages"][0]["content"] == "3"


@pytest.mark.parametrize(
    ("view", "told"),
    [
        ("raise KeyError('Anna')", "failed at 'view': KeyError: 'Anna'. The end of its standard error: "),
        ("import os; os.write(2, b'no room'); os._exit(3)", "ended with exit code 3 at 'view'. The end"),
        ("import time; time.sleep(600)", "did not answer 'view' within 2 seconds."),
        (f"import gc; {_OUT}.write('oops\\n'); return []", "answered 'view' with b'oops\\n', which is not a JSON"),
    ],
)
def test_a_failure_names_the_contender_and_its_last_words(write: Write, view: str, told: str) -> None:
    """The error says at which request, and how to run the contender alone."""
    contender = started(write(("return self.said[-self.most:]", view)))
    contender.patience = 2 if "sleep" in view else contender.patience
    with pytest.raises(PluginError, match=re.escape(f"the contender 'newest' {told}")) as raised:
        contender.ask("view", question="Who?")
    assert "runner.py" in str(raised.value)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("class Memory", "class Memories"), "has no class Memory"),
        (("def view", "def views"), "has a class Memory without the method view"),
        (("most = 2", "least = 2"), "cannot make its Memory: missing a required argument: 'most'; it gets"),
        (("ai_prefix, most", "ai_prefix, most=1, *, more"), "and has the options ['most', 'more']"),
        (("human_prefix, ", ""), "got an unexpected keyword argument 'human_prefix'"),
    ],
)
def test_a_fault_of_the_adapter_is_named(
    write: Write, transcript: Transcript, change: tuple[str, str], told: str
) -> None:
    """Before the first conversation, without a traceback: the class, the method, the argument or the option."""
    with pytest.raises(PluginError, match=re.escape(told)) as raised:
        compare([transcript], contender_variants(str(write(change))), Settings(budgets=[300]))
    assert str(raised.value).startswith("the contender 'newest' ")
    assert "Traceback" not in str(raised.value)


def test_a_view_in_another_form_is_an_error_in_its_row(write: Write, transcript: Transcript) -> None:
    """The others are compared all the same."""
    variants = contender_variants(f"{write(('return self.said[-self.most:]', 'return [1]'))}/newest")
    found = compare([transcript], variants, Settings(budgets=[300]))
    errors = {row.memory.name: row.error for row in found.rows}
    assert errors["none"] == errors["everything"] == ""
    assert "view must return a list of" in errors["newest/newest"]
