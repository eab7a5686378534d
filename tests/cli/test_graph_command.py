"""The command that writes the graph of a stored conversation."""

import json
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memzoo.cli.commands import app
from memzoo.errors import MemoryZooError, ModelError, OptionError
from memzoo.memories import ConversationKGMemory
from memzoo.stores import open_store
from memzoo.testing import ScriptedModel


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A store with a conversation that was told two exchanges, of which the model understood the first two."""
    url = f"sqlite:///{tmp_path}/chat.db"
    replies: list[str | Exception] = ["Sam | lives in | Oslo", "Sam | lives in | [bold]Rome", ModelError("down")]
    with closing(open_store(url)) as store:
        memory = ConversationKGMemory(
            llm=ScriptedModel(*replies),
            store=store,
            conversation_id="a",
            on_model_error="defer",
            mine_ai=False,
            learn_every=1,
        )
        for said in ("Sam lives in Oslo", "He moved to Rome", "He likes tea"):
            memory.save_context({"input": said}, {"output": "ok"})
    return url


BEHIND = (
    "No facts have been learnt yet from the newest 2 messages; `memzoo learn --memory knowledge-graph` learns them.\n"
)


def run(*args: str, form: str = "graph") -> tuple[str, str]:
    """What the command writes, and what it says besides."""
    done = CliRunner().invoke(app, ["show", "--as", form, *args], catch_exceptions=False)
    return done.stdout, done.stderr


def test_prints_the_facts_as_text(url: str) -> None:
    """By default: what holds, as text, with a note of how many messages it is behind."""
    assert run("--store", url) == (
        "Sam | lives in | [bold]Rome [3]\n",
        BEHIND,
    )


def test_shows_history_in_another_format(url: str) -> None:
    """With `--history` what is superseded comes too; the conversation can be named."""
    lines = run("--store", url, "--conversation", "a", "--history", form="json")[0].splitlines()
    assert [(fact["object"], fact["superseded_by"]) for fact in map(json.loads, lines)] == [
        ("[bold]Rome", 0),
        ("Oslo", 3),
    ]


@pytest.mark.parametrize("form", ["graph", "json", "mermaid", "graphml", "html"])
def test_writes_a_file(form: str, url: str, tmp_path: Path) -> None:
    """With `--out` the format is written into a file, and only its name is printed."""
    out = tmp_path / "graph"
    assert run("--store", url, "--out", str(out), form=form) == ("", f"wrote {out}\n{BEHIND}")
    assert "Rome" in out.read_text(encoding="utf-8")


def test_refuses_what_is_not_there(url: str) -> None:
    """An unknown format or conversation is an error that names the known ones."""
    with pytest.raises(OptionError, match="no conversation 'b'; it has 'a'"):
        run("--store", url, "--conversation", "b")
    assert "'mermaid', 'graphml'" in run("--store", url, form="gexf")[1]


def test_of_another_strategy_is_empty(tmp_path: Path) -> None:
    """A conversation of which no graph was derived has no facts, and all of it is ahead."""
    url = f"sqlite:///{tmp_path}/chat.db"
    with closing(open_store(url)) as store:
        ConversationKGMemory(
            llm=ScriptedModel(ModelError("down")),
            store=store,
            conversation_id="a",
            on_model_error="defer",
            mine_ai=False,
            learn_every=1,
        ).save_context({"input": "x"}, {"output": "y"})
    assert run("--store", url) == ("", BEHIND)


def test_of_an_empty_store_is_an_error(tmp_path: Path) -> None:
    """A store without conversations has no graph."""
    url = f"sqlite:///{tmp_path}/empty.db"
    open_store(url).close()
    with pytest.raises(MemoryZooError, match="the store has no conversation"):
        run("--store", url)
