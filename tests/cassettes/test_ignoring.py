"""What of a request may vary: by path, by pattern, by function; and never all of it."""

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memzoo.cassettes import ReplayError, use_cassette
from memzoo.cassettes.ignoring import VARIES, Ignore, Ignored
from memzoo.errors import OptionError

if TYPE_CHECKING:
    from tests.cassettes.conftest import ModelServer, Pipeline, Project

BODY: dict[str, Any] = {
    "model": "m",
    "user": "u-1",
    "messages": [{"role": "system", "content": "Today is 2030-01-02."}, {"role": "user", "content": "hi"}],
    "metadata": {"trace-id": "a", "deep": {"id": 1, "list": [{"id": 2}]}},
}


def without_system(body: Any) -> Any:
    """A rule of a project's own."""
    return body | {"messages": body["messages"][1:]}


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("$.user", {"user": VARIES}),
        ("$.messages[0].content", {"messages": [{"role": "system", "content": VARIES}, BODY["messages"][1]]}),
        ("$.messages[-1].content", {"messages": [BODY["messages"][0], {"role": "user", "content": VARIES}]}),
        ("$.messages[*].role", {"messages": [one | {"role": VARIES} for one in BODY["messages"]]}),
        ("$.metadata['trace-id']", {"metadata": BODY["metadata"] | {"trace-id": VARIES}}),
        ("$..id", {"metadata": {"trace-id": "a", "deep": {"id": VARIES, "list": [{"id": VARIES}]}}}),
        ("$.metadata.*", {"metadata": {"trace-id": VARIES, "deep": VARIES}}),
        ("$.absent.x", {}),
        (
            r"re:\d{4}-\d\d-\d\d",
            {"messages": [{"role": "system", "content": f"Today is {VARIES}."}, BODY["messages"][1]]},
        ),
        (re.compile("u-1"), {"user": VARIES}),
        (without_system, {"messages": BODY["messages"][1:]}),
        (f"{__name__}:without_system", {"messages": BODY["messages"][1:]}),
    ],
    ids=lambda one: getattr(one, "__name__", None) or str(one),
)
def test_rules(rule: Ignore, expected: dict[str, Any]) -> None:
    """Each rule takes out what it names, and nothing else."""
    before = json.dumps(BODY)
    assert Ignored([rule]).json(BODY) == BODY | expected
    assert json.dumps(BODY) == before


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("$", "is the whole body"),
        ("$.*", "is the whole body"),
        ("$..*", "is the whole body"),
        ("$.messages[?(@.role)]", r"'\[\?\(@.role\)\]' is not understood"),
        ("re:.*", "matches any text"),
        ("re:(?s).+", "matches any text"),
        ("re:(", "is not a regular expression"),
        ("messages", "is not a JSON path"),
        ("no_module:f", "No module named 'no_module'"),
        ("json:nothing", "has no attribute 'nothing'"),
        (17, "ignore=17 is not a JSON path"),
    ],
)
def test_wrong_rules(rule: Any, message: str) -> None:
    """A rule that cannot be read, or would ignore everything, is refused with the reason."""
    with pytest.raises(OptionError, match=message):
        Ignored([rule])


def test_a_text_is_no_list(path: Path) -> None:
    """One rule alone is refused with what to write."""
    with pytest.raises(OptionError, match=r"write ignore=\['\$.user'\]"), use_cassette(path, ignore="$.user"):
        pass


def test_functions_must_return() -> None:
    """A function that returns nothing is named."""
    with pytest.raises(OptionError, match=r"test_ignoring:.*returned None"):
        Ignored([lambda _: None]).json({})


def test_what_varies_replays(server: "ModelServer", pipeline: "Pipeline", path: Path) -> None:
    """A recording with rules replays other dates and users, shows its rules in its header, and holds all else."""
    rules = [r"re:\d{4}-\d\d-\d\d", "$.user"]
    with use_cassette(path, record="once", ignore=rules):
        pipeline.ask("Today is 2030-01-02.", at=server.url, user="u-1")
    assert "ignored:\n- re:\\d{4}-\\d\\d-\\d\\d\n- $.user\n" in path.read_text()
    with use_cassette(path, ignore=rules):
        assert pipeline.ask("Today is 2031-11-30.", user="u-2") == "You said: Today is 2030-01-02."
    with pytest.raises(ReplayError, match="was"), use_cassette(path, ignore=rules):
        pipeline.ask("Today was 2030-01-02.", user="u-1")


@pytest.mark.parametrize(
    ("asked", "rule"),
    [
        ("Today is 2031-11-30.", r"re:\d{4}"),
        ("It is late.", "$.messages[0].content"),
    ],
)
def test_the_offered_rule_works(asked: str, rule: str, server: "ModelServer", pipeline: "Pipeline", path: Path) -> None:
    """A miss names the path that differs and offers a rule; with that rule, the request finds its recording."""
    with use_cassette(path, record="once"):
        pipeline.ask("Today is 2030-01-02.", at=server.url)
    with (
        pytest.raises(ReplayError, match=r"differs at \$.messages\[0\].content:") as raised,
        use_cassette(path),
    ):
        pipeline.ask(asked)
    found = re.search(r"If that may vary: ignore=(\[.*\])", str(raised.value))
    assert found
    offer = [text.encode().decode("unicode_escape") for text in re.findall(r"'(.*?)'", found[1])]
    assert offer[0].startswith(rule)
    with use_cassette(path, ignore=offer):
        assert pipeline.ask(asked)


def test_in_projects(project: "Project") -> None:
    """Rules of the project and rules of a test work together."""
    test = """
        @pytest.mark.cassette(ignore=["re:U-[0-9]+"])
        def test_it():
            assert "2030" in ask("U-1 of 2030-01-02")
    """
    option = ("-o", r"cassette_ignore=re:\d{4}-\d\d-\d\d")
    project.test(test)
    project.record(*option).assert_outcomes(passed=1)
    project.go_offline()
    project.test(test.replace("U-1 of 2030-01-02", "U-2 of 2031-01-02"))
    project.replay(*option).assert_outcomes(passed=1)
    project.replay().assert_outcomes(failed=1)
