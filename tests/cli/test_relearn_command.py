"""The command that lets a strategy learn anew."""

from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memzoo.cli.commands import app
from memzoo.errors import OptionError
from memzoo.memories import ConversationSummaryMemory
from memzoo.stores import open_store
from memzoo.testing import ScriptedModel


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A store with a conversation of which a model has made nonsense."""
    url = f"sqlite:///{tmp_path}/chat.db"
    with closing(open_store(url)) as store:
        memory = ConversationSummaryMemory(
            llm=ScriptedModel("Nonsense."), store=store, conversation_id="a", learn_every=1
        )
        memory.save_context({"input": "My sister Anna lives in Oslo."}, {"output": "Noted."})
    return url


def run(*args: str, answer: str = "") -> tuple[int, str]:
    """The exit code of the command, and what it writes."""
    done = CliRunner().invoke(app, ["learn", "--again", *args], input=answer)
    if isinstance(done.exception, OptionError):
        raise done.exception
    return done.exit_code, done.stdout


def summary(url: str) -> str:
    """The summary that is stored."""
    with closing(open_store(url)) as store:
        return ConversationSummaryMemory(llm="offline", store=store, conversation_id="a", learn_every=1).summary


def test_it_is_for_one_conversation(url: str) -> None:
    """A beginning of ids, which names several, is refused; the summary stays."""
    before = summary(url)
    with pytest.raises(OptionError, match=r"the store has no conversation 'a\*'"):
        run("--store", url, "--memory", "summary", "--conversation", "a*", "--yes")
    assert summary(url) == before


def test_learns_anew(url: str) -> None:
    """What was learnt wrongly is gone, and what it cost is said."""
    assert run("--store", url, "--memory", "summary", "--yes") == (0, "Learnt again, with 1 model call.\n")
    assert "Anna" in summary(url)


def test_the_conversation_is_named_as_everywhere(url: str) -> None:
    """`--conversation` names it, or nothing if it is the only one."""
    given = ("--store", url, "--memory", "summary", "--yes")
    assert [run(*given)[0], run("--conversation", "a", *given)[0]] == [0, 0]
    with pytest.raises(OptionError, match="no conversation 'b'"):
        run("--conversation", "b", *given)


def test_a_terminal_sees_how_far_it_is(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """There a bar stands beside the output while it learns; off a terminal there is none."""
    given = ["learn", "--again", "--store", url, "--memory", "summary", "--yes"]
    assert "Learning" not in CliRunner().invoke(app, given).stderr
    monkeypatch.setenv("FORCE_COLOR", "1")
    done = CliRunner().invoke(app, given)
    assert "Learning" in done.stderr
    assert "Learning" not in done.stdout


def test_asks_before_it_does(url: str) -> None:
    """A "no" leaves everything as it is."""
    assert run("--store", url, "--memory", "summary", answer="n\n")[0] == 1
    assert summary(url) == "Nonsense."


def test_warns_where_the_beginning_is_gone(url: str) -> None:
    """What was learnt from deleted messages cannot be learnt again."""
    with closing(open_store(url)) as store:
        memory = ConversationSummaryMemory(
            llm=ScriptedModel("Anna lives in Oslo."),
            store=store,
            conversation_id="a",
            keep_history=False,
            learn_every=1,
        )
        memory.save_context({"input": "I like tea."}, {"output": "Good."})
    assert "first messages have been deleted" in run("--store", url, "--memory", "summary", answer="n\n")[1]


def test_refuses_a_conversation_that_is_not_there(url: str) -> None:
    """The error names those that are."""
    with pytest.raises(OptionError, match="no conversation 'b'; it has 'a'"):
        run("--conversation", "b", "--store", url, "--memory", "summary", "--yes")
