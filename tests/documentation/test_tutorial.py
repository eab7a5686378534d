"""The shell lines of the tutorial do what it says. Its Python blocks run with those of the other pages."""

import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.vocabulary import Vocabulary

PAGE = (Path(__file__).parents[2] / "docs" / "tutorial.md").read_text(encoding="utf-8")


def block(language: str, *, beginning: str) -> str:
    """The block of the page that begins so."""
    found = re.search(rf"^```{language}\n({re.escape(beginning)}.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    assert found, f"the tutorial has no {language} block that begins with {beginning!r}"
    return found[1]


def follow(*lines: str) -> str:
    """What a shell prints at these lines, with the programs of this environment."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path}
    shell = shutil.which("bash") or "bash"
    done = subprocess.run(
        [shell, "-e"], input="".join(lines), env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader's own folder."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("as_installed")
def test_the_bots_test_is_recorded_and_replayed(vocabulary: "Vocabulary") -> None:
    """Recorded once from the served offline model, the test passes when nobody answers any more.

    The machine that records has to download the tokenizer's vocabulary; the one that replays cannot.
    """
    for name in ("bot.py", "test_bot.py"):
        Path(name).write_text(block("python", beginning=f"# {name}\n"), encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    record, replay = (
        block("sh", beginning="export OPENAI_BASE_URL"),
        block("sh", beginning="pytest test_bot.py"),
    )
    assert "1 passed" in follow(record.replace("8765", port))
    assert vocabulary.served == 1
    vocabulary.forget()
    vocabulary.serve(up=False)
    assert "1 passed" in follow(replay)
    recording = re.search(r"`(cassettes/\S+\.yaml)`", PAGE)
    assert recording
    assert Path(recording[1]).exists()


def test_the_window_has_forgotten_the_oven() -> None:
    """Asked the questions of the example, the window shows none of the evidence, the two others all of it."""
    Path("questions.json").write_text(block("json", beginning="{\n"), encoding="utf-8")
    follow(block("sh", beginning="memzoo compare questions.json"))
    table = Path("remembered/report.md").read_text(encoding="utf-8")
    recall = dict(re.findall(r"^\| (\S+) \| (\S+) ", table, re.MULTILINE))
    assert (recall["window:k=1"], recall["buffer"], recall["vector-retriever"]) == (".00", "1.00", "1.00")
