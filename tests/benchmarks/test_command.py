"""The command, as somebody types it: each option."""

import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

from memzoo.benchmarks.measure.measuring import steps_in
from memzoo.benchmarks.progress import ProgressLines, watch_progress
from memzoo.benchmarks.transcripts import read_transcripts
from memzoo.cli.commands import app
from memzoo.errors import MemoryZooError, OptionError
from memzoo.memories.models.offline import serve

FORMATS = Path(__file__).parent / "formats"
Run = Callable[..., Result]


@pytest.fixture
def talk(chat: dict[str, Any], saved: Callable[..., Path]) -> Path:
    """A short conversation with questions."""
    return saved(chat)


@pytest.fixture
def run(tmp_path: Path, talk: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs `memzoo compare` on the short conversation, with the results in the folder `out`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)

    def invoke(*options: str, files: tuple[str, ...] = (str(talk),), **more: Any) -> Result:
        return CliRunner().invoke(app, ["compare", *files, "--out", "out", *options], **more)

    return invoke


def done(result: Result, code: int = 0) -> str:
    """What was printed, if it ended as it should."""
    assert result.exit_code == code, (result.output, result.exception)
    return re.sub(r"\s+", " ", result.output)


def results(folder: str = "out") -> dict[str, Any]:
    """The results that were written."""
    found: dict[str, Any] = json.loads((Path(folder) / "results.json").read_text(encoding="utf-8"))
    return found


def names() -> list[str]:
    """The memories in the results."""
    return [row["memory"]["name"] for row in results()["rows"]]


def test_the_seven_are_compared(run: Run) -> None:
    """The verdict comes before the table; everything is written, and no model is asked."""
    shown = done(run())
    assert shown.index(" first") < shown.index("recall")
    assert len(names()) == 9
    assert {path.name for path in Path("out").iterdir()} == {
        "outcomes.jsonl",
        "report.html",
        "report.md",
        "results.json",
        "times.json",
        "times.jsonl",
    }


def test_floors_are_marked(run: Run) -> None:
    """In the table, and one sentence says what --model would add."""
    shown = done(run("--memory", "summary", "--memory", "window"))
    assert re.search(r"summary ≥ \d?\.\d\d ", shown)
    assert re.search(r"window \d?\.\d\d ±", shown)
    assert "`--model NAME` measures them" in shown


def test_variants(run: Run) -> None:
    """Two of one strategy, with options."""
    done(run("--memory", "window:k=1", "--memory", "window:k=2"))
    assert names() == ["none", "window:k=1", "window:k=2", "everything"]


def test_a_configuration(run: Run, tmp_path: Path) -> None:
    """Memories by name, and prices with their currency."""
    (tmp_path / "c.toml").write_text(
        '[memories.short]\nstrategy = "window"\nk = 1\n[prices]\ncurrency = "EUR"\n"offline" = [1, 2]\n',
        encoding="utf-8",
    )
    assert "EUR" in done(run("--config", "c.toml"))
    assert names() == ["none", "short", "everything"]


def test_several_budgets(run: Run) -> None:
    """A table for each."""
    shown = done(run("--memory", "window", "--budget", "10,20"))
    assert "within 10 tokens" in shown
    assert "within 20 tokens" in shown
    assert "not '0'" in str(run("--budget", "0").exception)
    assert "--budget must be one or more numbers of tokens from 1, such as 500 or 500,1000, not 'x'" in str(
        run("--budget", "x").exception
    )


def test_a_budget_of_paid_tokens(run: Run) -> None:
    """Several budgets of tokens shown are tried, and the verdict says who shows the most for the price."""
    shown = done(run("--memory", "window", "--memory", "buffer", "--budget", "60paid"))
    assert re.search(r"For at most 60 paid tokens a request, \w+ shows the most", " ".join(shown.split()))
    assert results()["run"]["budgets"] == [125, 250, 500, 1000, 2000, 4000]
    done(run("--memory", "window", "--budget", "10,60paid"))
    assert (results()["run"]["budgets"], results()["run"]["paid"]) == ([10], [60])
    assert "500paid" in str(run("--budget", "0paid").exception)
    assert "500paid" in str(run("--budget", "paid").exception)


def test_the_cache_and_what_stands_before_the_memory(run: Run) -> None:
    """Whose rule, at what price, behind how many tokens; what cannot be is refused."""
    options = "--cache", "deepseek", "--system-tokens", "640", "--prices", "2,0,0.5"
    shown = " ".join(done(run("--memory", "buffer", *options)).split())
    assert (
        "a beginning shared with the previous request costs 0.25 of the price, from 64 tokens on, in steps of 64"
        in shown
    )
    assert "640 tokens before the memory" in shown
    figures = next(row for row in results()["rows"] if row["memory"]["name"] == "buffer")["budgets"]["1000"]
    assert figures["sent"] > 640 > figures["paid"]
    assert "no prompt cache: all tokens at the full price" in done(run("--memory", "buffer", "--cache", "none"))
    assert run("--cache", "mine").exit_code == 2
    assert "price_cached=3.0 needs a cache rule" in str(run("--prices", "1,2,3").exception)


def test_several_files_and_processes(run: Run, talk: Path) -> None:
    """The same figures as in turn."""
    files = (str(talk), str(FORMATS / "realmem.json"), str(FORMATS / "statebench.jsonl"))
    done(run("--memory", "window", files=files))
    alone = results()
    done(run("--memory", "window", "--jobs", "2", files=files))
    assert results() == alone
    assert alone["talks"]["count"] == 4


def test_standard_input(run: Run) -> None:
    """Read once, and held."""
    done(run("--memory", "window", files=("-",), input="user: Hello\nassistant: Hi\n"))
    assert results()["talks"]["messages"] == 2


def test_prices(run: Run, tmp_path: Path) -> None:
    """By option or by file."""
    shown = done(run("--memory", "window", "--prices", "$1,2"))
    assert "cost, in $" in shown or "1,000 exchanges cost" in shown
    (tmp_path / "p.toml").write_text('"*" = [1, 2]\nembedding = 0.02\n', encoding="utf-8")
    done(run("--memory", "window", "--prices", "p.toml"))
    assert results()["run"]["prices"] == {"*": [1.0, 2.0], "embedding": [0.02, 0.02]}
    for wrong in ('"much"', "[1]", "1979-05-27"):
        (tmp_path / "q.toml").write_text(f"m = {wrong}\n", encoding="utf-8")
        assert "expected [price of input" in str(run("--prices", "q.toml").exception)


def test_a_dry_run(run: Run) -> None:
    """Calls, tokens and cost without a key; what is exact and what is not is said; nothing is written."""
    shown = done(run("--model", "gpt-4o-mini", "--dry-run", "--prices", "1,0", "--token-counter", "approximate"))
    assert re.search(r"window +[\d,]+ +[\d,]+ +0 +0 +0 +0 +0.00", shown)
    assert re.search(r"summary +≈ [\d,]+ +≈ [\d,]+ +0 +\d+ +≈ [\d,]+ +≈ [\d,]+ +≈ \d", shown)
    assert "no model was asked, nothing was spent" in shown
    assert not Path("out").exists()


def test_a_dry_run_knows_the_price_of_each_model(run: Run, tmp_path: Path) -> None:
    """A memory that names a model of its own costs what that one costs."""
    (tmp_path / "p.toml").write_text("m = 1000\nown = 100_000\n", encoding="utf-8")
    memories = ("--memory", "summary", "--memory", "summary:model=own", "--memory", "window")
    shown = done(run("--model", "m", "--dry-run", "--prices", "p.toml", "--token-counter", "approximate", *memories))
    costs = {
        name: float(re.findall(rf" {name} .*? ([\d,.]+\.\d\d) ", shown)[0].replace(",", ""))
        for name in ("window", "summary", "summary:model=own")
    }
    assert costs["window"] == 0
    assert costs["summary:model=own"] == pytest.approx(100 * costs["summary"], rel=0.01)
    assert costs["summary"] > 0
    refused = run("--model", "n", "--dry-run", "--prices", "p.toml", *memories)
    assert str(refused.exception) == "the prices have none for 'n', only for 'm', 'own'; '*' is any other model"


def test_a_limit(run: Run) -> None:
    """What was finished is kept; the code says that not everything is there."""
    options = ("--memory", "window", "--memory", "summary", "--prices", "1,0", "--stop-at", "0.0001")
    assert "stopped: " in done(run(*options), 1)
    assert b'"window"' in Path("out/outcomes.jsonl").read_bytes()
    assert Path("out/unfinished.json").exists()
    done(run(*options[:-1], "9"))
    assert not Path("out/unfinished.json").exists()


def test_a_missing_key_is_said_before_anything_runs(run: Run) -> None:
    """In one line; a comparison that asks no model needs none."""
    for options in (("--memory", "summary"), ("--memory", "window", "--judge", "gpt-4o")):
        failed = run("--model", "gpt-4o-mini", "--token-counter", "approximate", *options)
        assert isinstance(failed.exception, MemoryZooError)
        assert "needs a key: set OPENAI_API_KEY" in str(failed.exception)
        assert not Path("out").exists()
    done(run("--model", "gpt-4o-mini", "--token-counter", "approximate", "--memory", "window"))


def test_options_after_a_judge_are_refused(run: Run) -> None:
    """They would be read as part of its name, and written into every report, with a key among them."""
    failed = run("--model", "m:api_key=x", "--memory", "window", "--judge", "gpt-4o:api_key=sk-secret")
    assert isinstance(failed.exception, OptionError)
    assert str(failed.exception) == (
        "model 'gpt-4o' has options after its name; all models of a run have the options of --model, so give only the "
        "name"
    )
    assert not Path("out").exists()


def test_a_failing_model_ends_with_1(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its row stays; no log lines stand between those of the table."""
    memories = ("--memory", "summary:learn_every=1", "--memory", "window")
    options = (*memories, "--model", "m", "--token-counter", "approximate")
    with serve() as url:
        monkeypatch.setenv("OPENAI_API_KEY", "x")
        monkeypatch.setenv("OPENAI_BASE_URL", f"{url}/nowhere")  # which the client takes for an answer, and asks once
        shown = done(run(*options), 1)
    assert "summary:learn_every=1: the model failed in 100% of the saves" in shown
    assert "not all of it learnt" not in shown
    assert re.search(r"summary:learn_every=1 +[.\d]", shown)
    assert "window comes first" in shown
    assert "summary:learn_every=1 comes first" not in shown


def test_a_judge(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Asked at an endpoint; the offline model stands for one, and marks nothing."""
    with serve() as url:
        monkeypatch.setenv("OPENAI_API_KEY", "x")
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        options = ("--memory", "window", "--model", "m", "--judge", "j", "--token-counter", "approximate")
        shown = done(run(*options))
    assert "judge: j" in shown
    row = results()["rows"][1]
    assert row["judging"]["calls"] >= 2
    assert results()["questions"][0]["memories"]["window"]["1000"]["reply"]


def test_a_threshold(run: Run) -> None:
    """Reached or missed by the best memory."""
    done(run("--memory", "window", "--fail-under", "recall=0.5"))
    shown = done(run("--memory", "window:k=1", "--budget", "5", "--fail-under", "recall=0.9"), 1)
    assert "--fail-under: recall is" in shown
    assert "--fail-under 'beauty=1' is not" in str(run("--fail-under", "beauty=1").exception)


def test_a_baseline(run: Run, tmp_path: Path) -> None:
    """What changed, and what did not."""
    done(run("--memory", "window", "--budget", "10"))
    Path("out/results.json").rename("before.json")
    assert "Nothing changed since" in done(run("--memory", "window", "--budget", "10", "--baseline", "before.json"))
    shown = done(run("--memory", "window:k=1", "--budget", "10", "--baseline", "before.json"))
    assert "window:k=1: only in this run" in shown
    (tmp_path / "old.json").write_text("{}", encoding="utf-8")
    assert "is not a results.json" in str(run("--baseline", "old.json").exception)
    missing = str(run("--baseline", "none.json").exception)
    assert missing == "--baseline none.json cannot be read: No such file or directory"


def test_a_baseline_is_of_the_same_conversations(run: Run, talk: Path, tmp_path: Path) -> None:
    """Of others it is refused before anything runs, with their titles; another name of the file is no other one."""
    done(run("--memory", "window"))
    Path("out/results.json").rename("before.json")
    before = ("--memory", "window", "--baseline", "before.json", "--out", "again")
    done(run(*before, files=(str(talk.rename(tmp_path / "renamed.json")),)))
    other = run(*before[:-1], "none", files=(str(FORMATS / "realmem.json"),))
    assert isinstance(other.exception, OptionError)
    assert "only in this run: 'Ann_Berg'; only in the earlier run: 'Cat & boat'" in str(other.exception)
    text = (tmp_path / "renamed.json").read_text(encoding="utf-8")
    (tmp_path / "asked.json").write_text(text.replace("called?", "named?"), encoding="utf-8")
    asked = run(*before[:-1], "none", files=("asked.json",))
    assert isinstance(asked.exception, OptionError)
    assert "changed since: 'Cat & boat'" in str(asked.exception)
    assert not Path("none").exists()


def test_one_is_no_plural(run: Run) -> None:
    """A conversation of one exchange."""
    Path("one.txt").write_text("user: I have a cat.\nassistant: Nice.\n", encoding="utf-8")
    assert "one (1 exchange, 0 questions)" in done(run("--memory", "window", files=("one.txt",)))


def test_a_counter(run: Run) -> None:
    """Named in the results; with the offline model the default needs no network, and says so."""
    assert "Tokens are estimated" in done(run("--memory", "window"))
    assert "Tokens are estimated" not in done(run("--memory", "window", "--token-counter", "approximate"))
    assert results()["run"]["counter"] == "approximate"


def test_ctrl_c_keeps_what_is_finished(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """And says how to go on."""
    from memzoo.benchmarks.checkpoint import Checkpoint

    write = Checkpoint.write

    def tired(self: Checkpoint, *given: Any) -> None:
        if len(self) == 2:
            raise KeyboardInterrupt
        write(self, *given)

    monkeypatch.setattr(Checkpoint, "write", tired)
    assert "run the same command again to continue" in done(run("--memory", "window"), 130)
    monkeypatch.setattr(Checkpoint, "write", write)
    done(run("--memory", "window"))
    assert names() == ["none", "window", "everything"]


def test_who_does_the_work(run: Run) -> None:
    """Processes for the rules, and threads for a model at an endpoint."""
    with serve() as url:
        done(run("--memory", "summary", "--jobs", "2", "--model", f"m:base_url={url}"))
    assert names() == ["none", "summary", "everything"]


def test_places_may_be_urls(run: Run, talk: Path, tmp_path: Path) -> None:
    """The conversations, and the folder for the results."""
    done(run("--memory", "window", "--out", f"{tmp_path.as_uri()}/there", files=(talk.as_uri(),)))
    assert results(str(tmp_path / "there"))["talks"]["count"] == 1


def test_off_a_terminal_progress_is_lines() -> None:
    """Now and then, and when a memory is done: what is done and since when. What is left nobody knows: b is slower."""
    console, now = Console(width=100, file=io.StringIO()), [0.0]
    lines = ProgressLines(10, ["a", "b"], console, lambda: now[0])
    for step in range(20):
        now[0] += 1 if step < 10 else 4
        lines("a" if step < 10 else "b", 1)
    assert printed(console) == [
        "a: done; 50% of all, after 10 s",
        "b: 30%; 65% of all, after 22 s",
        "b: 60%; 80% of all, after 34 s",
        "b: 90%; 95% of all, after 46 s",
        "b: done; 100% of all, after 50 s",
    ]


def test_on_a_terminal_progress_is_bars(talk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One for each memory that has begun, with the share that is done."""
    monkeypatch.setenv("TERM", "xterm")
    console = Console(width=100, file=io.StringIO(), force_terminal=True, color_system=None)
    total = sum(map(steps_in, read_transcripts([talk])))
    with watch_progress([talk], ["a", "b"], console) as advance:
        advance("a", total)
        advance("b", total // 2)
    # Bars are drawn again and again: these are the last ones.
    shown = re.findall(r"([ab]) [^\w\n]*(\d+%)", "\n".join(printed(console)))
    assert shown[-2:] == [("a", "100%"), ("b", f"{total // 2 / total:.0%}")]


def printed(console: Console) -> list[str]:
    """The lines that went to a console."""
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


@pytest.mark.parametrize("option", ["--config", "--prices"])
def test_prices_that_are_no_table(option: str, run: Run, tmp_path: Path) -> None:
    """One line names the file and what is expected there."""
    (tmp_path / "some.toml").write_text("prices = 5\n", encoding="utf-8")
    refused = run(option, str(tmp_path / "some.toml")).exception
    assert isinstance(refused, OptionError)
    assert "some.toml, 'prices': expected a table" in str(refused)
