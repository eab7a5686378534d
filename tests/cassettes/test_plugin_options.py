"""The plugin's options: age, budget, compression, lists, short failures, several processes."""

import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cassettes.conftest import ModelServer, Project

ONE_TEST = """
@pytest.mark.cassette
def test_it():
    assert ask("hi") == "You said: hi"
"""


def age(project: "Project") -> None:
    """Make the recording of the one test an old one."""
    text = project.text("test_it/test_it.yaml")
    project.write("cassettes/test_it/test_it.yaml", re.sub(r"recorded: '\d{4}", "recorded: '2001", text))


@pytest.mark.parametrize(
    ("options", "outcome", "message"),
    [
        ((), {"passed": 1}, ""),
        (("-o", "cassette_max_age=99999"), {"passed": 1}, ""),
        (("-o", "cassette_max_age=90", "-W", "default"), {"passed": 1, "warnings": 1}, "days old; max_age is 90."),
        (("-o", "cassette_max_age=90", "-o", "cassette_stale=fail"), {"errors": 1}, "days old; max_age is 90."),
    ],
)
def test_age(options: tuple[str, ...], outcome: dict[str, int], message: str, project: "Project") -> None:
    """A recording that is older than it may be is reported or fails, and is never recorded anew by itself."""
    project.test(ONE_TEST)
    project.record().assert_outcomes(passed=1)
    age(project)
    before = project.text("test_it/test_it.yaml")
    result = project.replay(*options)
    result.assert_outcomes(**outcome)  # type: ignore[arg-type]
    assert message in result.stdout.str()
    assert project.text("test_it/test_it.yaml") == before


def test_budget(project: "Project", server: "ModelServer") -> None:
    """When the tokens are spent, the next request is not sent, and its test says why."""
    project.test(ONE_TEST + ONE_TEST.replace("test_it", "test_two").replace("hi", "ho"))
    result = project.record("--record-budget=12")
    result.assert_outcomes(passed=1, failed=1)
    assert "The budget for recordings, 12 tokens, is spent (12)" in result.stdout.str()
    assert len(server.seen) == 1
    assert project.cassettes() == ["test_it/test_it.yaml"]
    assert project.record("--record-budget=0").ret != 0


def test_compressed(project: "Project") -> None:
    """A project can keep its cassettes compressed."""
    project.test(ONE_TEST)
    project.record("-o", "cassette_gzip=true").assert_outcomes(passed=1)
    assert project.cassettes() == ["test_it/test_it.yaml.gz"]
    project.go_offline()
    project.replay("-o", "cassette_gzip=true").assert_outcomes(passed=1)


def test_list(project: "Project") -> None:
    """The cassettes of the tests are listed without running them."""
    project.test(ONE_TEST)
    project.replay("--collect-only", "--cassette-list=listed.txt")
    assert (project.root / "listed.txt").read_text().endswith("cassettes/test_it/test_it.yaml")


@pytest.mark.parametrize("asked", ["ho", "x\n" * 500, "word " * 5000])
def test_failures_are_short(asked: str, project: "Project") -> None:
    """A failure prints at most 25 lines, without a frame of the client, and names the line that asked."""
    project.test(ONE_TEST)
    project.record().assert_outcomes(passed=1)
    project.go_offline()
    project.test(f"@pytest.mark.cassette\ndef test_it():\n    ask({asked!r})\n")
    lines = project.replay("--tb=auto").outlines
    start = next(place for place, line in enumerate(lines) if line.startswith("No recording is left"))
    end = next(place for place, line in enumerate(lines) if "short test summary" in line)
    assert end - start <= 25
    assert not any("site-packages" in line for line in lines)
    assert lines[end - 1].startswith("Sent by ")
    assert "test_it.py:" in lines[end - 1]


def test_many_unplayed_are_short(project: "Project") -> None:
    """Thirty requests that are no longer sent are reported in as few lines."""
    project.test("@pytest.mark.cassette\ndef test_it():\n    for n in range(30):\n        ask(f'question {n}')\n")
    project.record().assert_outcomes(passed=1)
    project.test("@pytest.mark.cassette\ndef test_it():\n    pass\n")
    lines = project.replay().outlines
    start = next(place for place, line in enumerate(lines) if line.startswith("30 of 30 recorded requests"))
    assert lines[start + 21].strip() == "... and 10 more"


def test_several_processes(project: "Project", monkeypatch: pytest.MonkeyPatch) -> None:
    """With pytest-xdist, each process records and replays the tests it runs."""
    monkeypatch.setenv("PYTEST_PLUGINS", "xdist")
    names = [f"test_{number}" for number in range(2)]
    test = ONE_TEST.replace("ask(", "ask_over_http(")
    project.test("".join(test.replace("test_it", name) for name in names))
    project.record("-n", "2").assert_outcomes(passed=2)
    assert len(project.cassettes()) == 2
    project.go_offline()
    project.replay("-n", "1").assert_outcomes(passed=2)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("cassette_max_bytes = lots", "cassette_max_bytes = lots is not a number"),
        ("cassette_max_age = a week", "cassette_max_age = a week is not a number"),
        ("cassette_stale = error", "stale='error' is not one of 'warn', 'fail'"),
        ("cassette_gzip = maybe", "invalid truth value 'maybe'"),
        ("addopts = --record-budget=0", "A budget of 0 tokens allows nothing"),
    ],
)
def test_wrong_options(line: str, message: str, project: "Project") -> None:
    """What is wrong in the project's settings is said once, without a frame of the plugin."""
    project.write("pytest.ini", f"[pytest]\n{line}\n")
    project.test(ONE_TEST)
    result = project.replay()
    lines = [*result.outlines, *result.errlines]
    # Besides, pytest's summary names each failed test with its message, in full only where it runs as CI.
    assert len([line for line in lines if message in line and not line.startswith("ERROR ")]) == 1
    assert not any("plugin.py" in line or "Traceback" in line for line in lines)
