"""`memzoo chat`, as a user types in it."""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from memzoo import MemoryZooError, open_store
from memzoo.cli.commands import app
from memzoo.errors import StoreError
from memzoo.sync import drive
from tests.cli.conftest import Command, Endpoint
from tests.stores.test_sql import read_only
from tests.vocabulary import Vocabulary

Memzoo = Callable[..., Result]
# Where the tests run in the background, children would ignore Ctrl-C.
OBEYING = "import signal; signal.signal(2, signal.default_int_handler); import runpy; runpy.run_module('memzoo')"


@pytest.fixture
def memzoo() -> Memzoo:
    """Runs the command with arguments, and with lines typed in."""

    def run(*arguments: str, typed: str = "") -> Result:
        result = CliRunner().invoke(app, arguments, input=typed, env={"COLUMNS": "200"})
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


def kept(store: str) -> list[tuple[str, str]]:
    """What a store has: roles and texts."""
    with open_store(store) as opened:
        [id_] = drive(opened.conversations())
        return [(entry.message["role"], entry.message["content"]) for entry in drive(opened.read(id_))]


def test_goes_on_after_a_restart(memzoo: Memzoo, tmp_path: Path) -> None:
    """With a store, the next start goes on with its conversation, under another strategy too."""
    store = f"sqlite:///{tmp_path}/chat.db"
    first = memzoo("chat", "--store", store, typed="My sister Anna lives in Oslo.\n/quit\n")
    assert "0 messages so far" in first.output
    again = memzoo("chat", "--store", store, "--memory", "vector-retriever", typed="Where does Anna live?\n")
    assert "2 messages so far" in again.output
    assert "Oslo" in again.output


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
@pytest.mark.parametrize(
    "arguments",
    [
        ["chat", "--memory", "buffer", "--store"],
        ["chat", "--memory", "summary", "--store"],
        ["upkeep", "--memory", "summary"],
        ["relearn", "--yes", "--memory", "summary", "--store"],
    ],
    ids=" ".join,
)
def test_no_model_is_asked_where_nothing_can_be_stored(
    arguments: list[str], memzoo: Memzoo, endpoint: Endpoint
) -> None:
    """A file that can only be read is refused before an answer, or a summary, is paid for."""
    asked, endpoint.reply = ["--model", f"m:base_url={endpoint.url}"], "Sam said hello."
    # Not in pytest's own folder, which is closed to other users.
    with tempfile.TemporaryDirectory() as folder:
        for name in ("first", "chat"):
            said = "I am Sam.\nI like tea and coffee, and biscuits with them.\n"
            memzoo("chat", *asked, "--memory", "buffer", "--store", f"sqlite:///{folder}/{name}.db", typed=said)
        # What the command imports cannot be read by another user.
        memzoo(*arguments, f"sqlite:///{folder}/first.db", *asked, typed="hello\n")
        endpoint.bodies.clear()
        with read_only(Path(folder)), pytest.raises((StoreError, SystemExit)):
            raise SystemExit(memzoo(*arguments, f"sqlite:///{folder}/chat.db", *asked, typed="hello\n").exit_code)
    assert endpoint.bodies == []


def test_exit_ends_it_too(memzoo: Memzoo) -> None:
    """Who types what other programs take is understood."""
    assert "never" not in memzoo("chat", typed="/exit\nnever said\n").output


def test_shows_what_the_model_sees(memzoo: Memzoo) -> None:
    """`/memory` prints the view as chat messages."""
    output = memzoo("chat", "--memory", "buffer", typed="I like tea\n\n/memory\n/quit\nnever said\n").output
    assert '"content": "I like tea"' in output
    assert "never said" not in output


def test_answers_again(memzoo: Memzoo, tmp_path: Path) -> None:
    """`/regenerate` answers the last message again, and `/edit` says something else in its place."""
    store = f"sqlite:///{tmp_path}/chat.db"
    typed = "My cat is Pixel.\n/regenerate\nMy dog is Rex.\n/edit My dog is Max.\n/edit\n/quit\n"
    output = memzoo("chat", "--memory", "buffer", "--store", store, typed=typed).output
    assert "/edit TEXT" in output
    assert [text for role, text in kept(store) if role == "user"] == ["My cat is Pixel.", "My dog is Max."]
    assert [role for role, _ in kept(store)] == ["user", "assistant"] * 2
    result = memzoo("chat", typed="/regenerate\n/quit\n")
    assert "no question to answer again" in result.output + result.stderr
    assert result.exit_code == 1


def test_counts_without_a_vocabulary(memzoo: Memzoo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the offline model tokens are counted approximately by default; a tokenizer that is asked for is used."""
    monkeypatch.setattr("tiktoken.get_encoding", pytest.fail)
    assert "offline: Noted." in memzoo("chat", typed="I like tea\nI like cake\n/quit\n").output
    store = f"sqlite:///{tmp_path}/chat.db"
    with pytest.raises(ValueError, match="gpt-0' is neither a model"):
        memzoo("chat", "--memory", "window:token_counter=gpt-0", "--store", store, typed="I like tea\n/quit\n")


@pytest.mark.parametrize("name", ["summary-buffer", "window"])
def test_asks_nothing_before_tokens_can_be_counted(name: str, memzoo: Memzoo, tmp_path: Path) -> None:
    """A name that counts nothing ends the chat before the first answer."""
    store = f"sqlite:///{tmp_path}/chat.db"
    with pytest.raises(MemoryZooError, match="gpt-0' is neither a model"):
        memzoo("chat", "--memory", f"{name}:token_counter=gpt-0", "--store", store, typed="I like tea\n")
    with open_store(store) as opened:
        assert drive(opened.conversations()) == []


@pytest.mark.parametrize("name", ["summary-buffer", "token-window"])
def test_estimates_without_a_vocabulary(name: str, memzoo: Memzoo, vocabulary: Vocabulary) -> None:
    """A vocabulary that cannot be had is told before the first answer, and tokens are estimated."""
    vocabulary.serve(up=False)
    with pytest.warns(UserWarning, match="'o200k_base' .* tokens are estimated"):
        chat = memzoo("chat", "--memory", f"{name}:token_counter=gpt-4o", typed="I like tea\n")
    assert "offline: Noted." in chat.output


def test_makes_no_file_for_a_strategy_that_there_is_not(memzoo: Memzoo, tmp_path: Path) -> None:
    """A wrong name is refused before the store is opened."""
    with pytest.raises(ValueError, match="no strategy 'nope'"):
        memzoo("chat", "--memory", "nope", "--store", f"sqlite:///{tmp_path}/chat.db")
    assert list(tmp_path.iterdir()) == []


def test_asks_which_of_several_conversations(memzoo: Memzoo, tmp_path: Path) -> None:
    """A store with several conversations needs a choice, and the error lists them."""
    store = f"sqlite:///{tmp_path}/chat.db"
    for conversation in ("one", "two"):
        memzoo("chat", "--store", store, "--conversation", conversation, typed="hi\n")
    with pytest.raises(ValueError, match="choose one with --conversation: 'one', 'two'"):
        memzoo("chat", "--store", store)
    shown = memzoo("chat", "--store", store, "--conversation", "two").output
    assert "2 messages so far" in " ".join(shown.split())


def test_slash_words_are_never_said(memzoo: Memzoo, tmp_path: Path) -> None:
    """A word with a slash is a command or is refused, with the likely one named; a space before it says it."""
    store = f"sqlite:///{tmp_path}/chat.db"
    output = memzoo("chat", "--store", store, typed="hi\n/hlep\n/help\n/memroy all\n /etc is a folder\n").output
    assert "There is no command '/hlep'. Did you mean '/help'?" in output
    assert "There is no command '/memroy'. Did you mean '/memory'?" in output
    assert output.count("/quit ") == 3
    assert [text for role, text in kept(store) if role == "user"] == ["hi", "/etc is a folder"]


def test_ends_on_a_line_of_its_own(memzoo: Memzoo) -> None:
    """After the end of the input, the prompt of the shell begins a new line."""
    assert memzoo("chat", typed="hi\n").output.endswith("you: \n")


def test_options_of_the_model_are_sent(endpoint: Endpoint, memzoo: Memzoo) -> None:
    """Endpoint, cap, temperature and instructions reach the server with each request; nothing else is sent."""
    model = f"m:base_url={endpoint.url},max_tokens=60,temperature=0,timeout=20"
    asked = ["--memory", "buffer", "--model", model, "--system", "Be brief."]
    assert "m: Hello there\n" in memzoo("chat", *asked, typed="hi\n").output
    [body] = endpoint.bodies
    assert body.pop("messages") == [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hi"}]
    assert body.pop("stream_options") == {"include_usage": True}
    assert body == {"model": "m", "stream": True, "max_tokens": 60, "temperature": 0}


def test_shows_what_was_spent(endpoint: Endpoint, memzoo: Memzoo) -> None:
    """`/usage` tells calls and tokens, how many of them the provider had in its cache, and how many an answer takes."""
    asked = ["--memory", "buffer", "--model", f"m:base_url={endpoint.url}"]
    output = memzoo("chat", *asked, typed="hi\n/usage\n").output
    assert "answers      1 call: 1,300 tokens sent, 1,152 of them cached by the provider; 2 received; " in output
    assert "1,302 tokens an answer\n" in output
    assert "memory       0 calls: 0 tokens sent" in output


def test_pins_the_last_message(memzoo: Memzoo) -> None:
    """`/pin` pins what was said last: a window still shows it later; if nothing was said yet, an error says so."""
    result = memzoo("chat", "--memory", "window", typed="/pin\nNever fly.\n/pin\n" + "hi\n" * 6 + "/memory\n")
    assert "Message 1 is pinned." in result.output
    assert "error: " in result.stderr
    assert result.stdout.count('"content": "Never fly."') == 1


def test_warnings_stand_beside_the_answer(endpoint: Endpoint, memzoo: Memzoo, tmp_path: Path) -> None:
    """What is logged during an answer is told after it, once, and not among what the model says."""
    store = f"sqlite:///{tmp_path}/chat.db"
    options = ["--memory", "summary", "--model", f"m:base_url={endpoint.url}"]
    result = memzoo("chat", *options, "--store", store, typed="hi\n")
    assert "m: Hello there\n" in result.stdout
    notes = result.stderr.splitlines()
    assert notes
    assert len(notes) == len(set(notes))
    assert [note for note in notes if not note.startswith("note: ")] == []
    assert kept(store) == [("user", "hi"), ("assistant", "Hello there")]


def test_a_failed_answer_keeps_what_was_said(endpoint: Endpoint, memzoo: Memzoo, tmp_path: Path) -> None:
    """An error of the model is one line; the chat goes on, the message is kept, and the exit code is 1."""
    store = f"sqlite:///{tmp_path}/chat.db"
    options = ["--memory", "buffer", "--model", f"broken:base_url={endpoint.url}", "--store", store]
    result = memzoo("chat", *options, typed="hi\nstill there?\n")
    assert [line.partition(" ")[0] for line in result.stderr.splitlines()] == ["error:", "error:"]
    assert result.exit_code == 1
    assert kept(store) == [("user", "hi"), ("user", "still there?")]


@contextlib.contextmanager
def chatting(*options: str) -> Generator[tuple[subprocess.Popen[str], Callable[[Callable[[str], bool]], None]]]:
    """A chat in a process of its own, to which "hi" was said, and how to read until what it says is enough."""
    with subprocess.Popen(
        [sys.executable, "-u", "-c", OBEYING, "chat", "--memory", "buffer", *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "COLUMNS": "200"},
    ) as chat:
        stdin, stdout = chat.stdin, chat.stdout
        assert stdin is not None
        assert stdout is not None
        said = ""

        def read_until(is_enough: Callable[[str], bool]) -> None:
            nonlocal said
            while not is_enough(said):
                said += stdout.read(1)

        try:
            stdin.write("hi\n")
            stdin.flush()
            yield chat, read_until
        finally:
            chat.kill()  # a test that fails does not wait for it


def test_piped_lines_are_utf_8(tmp_path: Path) -> None:
    """As files are, whatever encoding the system has; a line with other bytes is refused, and the talk goes on."""
    arguments = ["chat", "--store", (store := f"sqlite:///{tmp_path}/chat.db")]
    piped = CliRunner(charset="cp1252").invoke(app, arguments, input="\ufeffÉlodie mag Käse 🧀\n".encode())
    assert piped.exit_code == 0
    assert kept(store)[0] == ("user", "Élodie mag Käse 🧀")
    refused = CliRunner(charset="cp1252").invoke(app, arguments, input="Käse\nBrot\n".encode("cp1252"))
    assert refused.exit_code == 1
    assert [text for role, text in kept(store) if role == "user"] == ["Élodie mag Käse 🧀", "Brot"]


def test_ctrl_c_stops_the_answer_only(endpoint: Endpoint, tmp_path: Path) -> None:
    """In mid-answer it ends the answer; what was said and read is kept, and the next message is answered."""
    endpoint.go_on.clear()
    store, stopped, sent = f"sqlite:///{tmp_path}/chat.db", threading.Event(), list[int]()
    with chatting("--model", f"m:base_url={endpoint.url}", "--store", store) as (chat, read_until):

        def interrupt() -> None:
            # Once, as a rule: Python loses an interrupt that comes while it finalizes an object, and says so.
            while not stopped.is_set():
                sent.append(signal.SIGINT)
                chat.send_signal(signal.SIGINT)
                stopped.wait(10)

        read_until(lambda said: said.endswith("m: Hello"))
        interrupting = threading.Thread(target=interrupt)
        interrupting.start()
        try:
            read_until(lambda said: said.endswith("kept.\n"))
        finally:
            stopped.set()
            interrupting.join()
        endpoint.go_on.set()
        rest, errors = chat.communicate("and now?\n")
    assert "m: Hello there\n" in rest
    assert errors == "" or len(sent) > 1
    assert chat.returncode == 0
    said = [("user", "hi"), ("assistant", "Hello"), ("user", "and now?"), ("assistant", "Hello there")]
    assert kept(store) == said


def test_ctrl_c_at_the_prompt_ends_the_chat(tmp_path: Path) -> None:
    """With the code that shells expect, and without a loss: what was said and answered is in the store."""
    store = f"sqlite:///{tmp_path}/chat.db"
    with chatting("--store", store) as (chat, read_until):
        read_until(lambda said: said.count("you: ") > 1)
        chat.send_signal(signal.SIGINT)
        rest, errors = chat.communicate()
    assert chat.returncode == 130
    assert "Ended.\n" in rest
    assert errors == ""
    assert [role for role, _ in kept(store)] == ["user", "assistant"]


def test_a_missing_key_is_told_first(command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without a key nothing is asked or stored, and no store made: one line says what to set."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    code, output, errors = command("chat", "--store", f"sqlite:///{tmp_path}/chat.db", "--model", "gpt-4o-mini")
    assert (code, output, list(tmp_path.iterdir())) == (2, "", [])
    assert errors.startswith("error: model 'gpt-4o-mini' needs a key: set OPENAI_API_KEY")
    assert errors.count("\n") == 1
