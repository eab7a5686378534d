"""The pytest plugin, in projects of its users: what fails, and in which words."""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cassettes.conftest import Project

ONE_TEST = """
@pytest.mark.cassette
def test_it():
    assert ask("hi") == "You said: hi"
"""


class TestFailures:
    """A test fails when it and its cassette no longer agree."""

    @pytest.mark.parametrize(
        ("changed", "outcome", "message"),
        [
            ("assert ask('ho')", {"failed": 1}, "+ user: ho"),
            ("pass", {"passed": 1, "errors": 1}, "1 of 1 recorded requests were not sent:"),
            ("ask('hi'); ask('hi')", {"failed": 1}, "Its recordings (1) have all been played"),
            (
                "ask('hi')\n    try: ask('ho')\n    except Exception: pass",
                {"passed": 1, "errors": 1},
                "POST /chat/completions m: 'ho'",
            ),
            (
                "try: ask('ho')\n    except Exception: pass\n    assert False",
                {"failed": 1, "errors": 1},
                "POST /chat/completions m: 'ho'",
            ),
            ("assert not ask('hi')", {"failed": 1}, "assert not 'You said: hi'"),
            ("ask('hi'); pytest.skip('why')", {"skipped": 1}, ""),
            ("pytest.skip('why')", {"skipped": 1}, ""),
        ],
        ids=[
            "other",
            "unplayed",
            "twice",
            "swallowed",
            "swallowed-and-failed",
            "assertion",
            "skipped",
            "unplayed-skip",
        ],
    )
    def test_changed_code(self, changed: str, outcome: dict[str, int], message: str, project: "Project") -> None:
        """Another request, a missing one, one too many and a swallowed miss all fail, each with its reason."""
        project.test(ONE_TEST)
        project.record().assert_outcomes(passed=1)
        project.go_offline()
        project.test(f"@pytest.mark.cassette\ndef test_it():\n    {changed}\n")
        result = project.replay()
        result.assert_outcomes(**outcome)
        assert message in result.stdout.str()

    def test_missing_cassette(self, project: "Project") -> None:
        """A missing cassette fails with the command that records it, which can be pasted."""
        project.test("@pytest.mark.cassette\n@pytest.mark.parametrize('x', ['a'])\ndef test_it(x):\n    pass\n")
        result = project.replay()
        result.assert_outcomes(errors=1)
        assert "There is no cassette 'cassettes/test_it/test_it[a].yaml', and recording is off." in result.stdout.str()
        command = "pytest --cassettes=all 'tests/test_it.py::test_it[a]'"
        assert f"To record it: {command}" in result.stdout.str()

    def test_own_command(self, project: "Project") -> None:
        """A project can name a command of its own."""
        project.test(ONE_TEST)
        result = project.replay("-o", "cassette_record_command=make record")
        assert "To record it: make record" in result.stdout.str()

    @pytest.mark.parametrize(
        ("mark", "message"),
        [
            ("(allow_error=True)", "has no option 'allow_error'; it has "),
            ("(1)", "takes one name, a string, not [1]"),
            ("('a', 'b')", "takes one name"),
            ("('a', name='b')", "takes one name"),
            ("('')", "takes one name"),
        ],
    )
    def test_wrong_mark(self, mark: str, message: str, project: "Project") -> None:
        """A mark that says something else than it can is refused."""
        project.test(f"@pytest.mark.cassette{mark}\ndef test_it():\n    pass\n")
        result = project.record()
        result.assert_outcomes(errors=1)
        assert message in result.stdout.str()

    def test_fixture_without_mark(self, project: "Project") -> None:
        """The fixture is of use to marked tests only."""
        project.test("def test_it(cassette):\n    pass\n")
        result = project.replay()
        result.assert_outcomes(errors=1)
        assert "is for tests marked @pytest.mark.cassette" in result.stdout.str()

    def test_second_cassette(self, project: "Project") -> None:
        """Within a marked test, another cassette takes over until it is closed."""
        project.test(
            """
            from memzoo.cassettes import use_cassette

            @pytest.mark.cassette
            def test_it():
                with use_cassette("other.yaml", record="once"):
                    assert ask("hi") == "You said: hi"
                assert ask("ho") == "You said: ho"
            """
        )
        project.record().assert_outcomes(passed=1)
        project.go_offline()
        project.replay().assert_outcomes(passed=1)
        assert "You said: ho" not in (project.root / "other.yaml").read_text()
