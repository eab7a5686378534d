"""The command that measures search in messages of people, in each language."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memzoo.benchmarks.research.__main__ import app
from memzoo.benchmarks.research.lifebench import lives
from tests.benchmarks.research.test_strong_model import rows

LIFE = {
    "person": "anna",
    "language": "zh",
    "conversations": [
        {
            "id": "sms-0",
            "with": "王海",
            "messages": [
                {"id": "2", "at": "2025-03-02T10:00:00", "by": "contact", "text": "租金涨到了八千块。"},
                {"id": "1", "at": "2025-03-01T10:00:00", "by": "user", "text": "房子怎么样\uff1f"},
            ],
        }
    ],
    "questions": [{"question": "租金是多少\uff1f", "answer": "租金八千块", "category": "one", "evidence": ["1", "2"]}],
}


def test_has_a_table_for_each_language(tmp_path: Path) -> None:
    """The message with the answer comes first in the evidence; all is shown where there is room, as by BM25."""
    path = tmp_path / "lives.json"
    path.write_text(json.dumps([LIFE, LIFE | {"language": "en"}]), encoding="utf-8")
    (life,) = lives(path)["zh"]
    assert life.questions[0].evidence == ("租金涨到了八千块。", "房子怎么样\uff1f")
    assert [one.messages[0].get("name") for one in life.exchanges] == [None, "王海"]
    done = CliRunner().invoke(app, ["lifebench", str(path), "--budgets", "30,200"])
    assert done.exit_code == 0, done.output
    chinese, ahead, *english = f"\n{done.output}".split("\n**")[1:]
    assert rows(chinese)["memzoo: the message with the answer"] == ["1.000", "1.000"]
    assert rows(ahead)["the message with the answer"] == ["+0.000 (+0.000 to +0.000)"] * 3
    assert [one.split("**")[1] for one in (chinese, ahead)] == [one.split("**")[1] for one in english]


def test_says_that_the_file_is_absent() -> None:
    """An absent file is named."""
    done = CliRunner().invoke(app, ["lifebench", "no-such-file.json"])
    assert (done.exit_code, "there is no no-such-file.json" in done.output) == (1, True)


def test_says_how_to_get_the_other_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without an environment of bm25s, the command that makes it is named."""
    path = tmp_path / "lives.json"
    path.write_text(json.dumps([LIFE]), encoding="utf-8")
    monkeypatch.setenv("MEMZOO_CONTENDERS", str(tmp_path))
    done = CliRunner().invoke(app, ["lifebench", str(path), "--bm25s"])
    assert (done.exit_code, "compare --with bm25s --install" in done.output) == (1, True)
