"""The pytest plugin, in projects of its users: recording and replaying."""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cassettes.conftest import ModelServer, Project

ONE_TEST = """
@pytest.mark.cassette
def test_it():
    assert ask("hi") == "You said: hi"
"""


class TestReplaying:
    """A test replays its own cassette."""

    def test_records_then_replays_offline(self, project: "Project") -> None:
        """What was recorded once passes without server and key, and without a trace of the key."""
        project.test(ONE_TEST)
        project.record().assert_outcomes(passed=1)
        project.go_offline()
        project.replay().assert_outcomes(passed=1)
        assert project.cassettes() == ["test_it/test_it.yaml"]
        assert "sk-planted" not in project.text("test_it/test_it.yaml")

    def test_plugin_by_conftest(self, project: "Project", pytester: pytest.Pytester) -> None:
        """A conftest can load the plugin, though it imports from it, too; coming twice does no harm."""
        project.write(
            "conftest.py",
            """
            from memzoo.cassettes import Cassette, use_cassette

            pytest_plugins = ["memzoo.cassettes"]
            """,
        )
        project.test(ONE_TEST.replace("ask(", "ask_over_http("))
        project.record().assert_outcomes(passed=1)
        project.go_offline()
        pytester.runpytest_inprocess().assert_outcomes(passed=1)

    def test_each_test_has_its_own_file(self, project: "Project") -> None:
        """Parameters, classes and folders make distinct files, and async tests replay like others."""
        project.test(
            """
            import asyncio
            from openai import AsyncOpenAI

            async def ask_async(text):
                async with AsyncOpenAI(base_url=os.environ["MODEL_URL"]) as client:
                    messages = [{"role": "user", "content": text}]
                    return (await client.chat.completions.create(model="m", messages=messages)).model

            @pytest.mark.cassette
            @pytest.mark.parametrize("text", ["a/b", "a_b", "hi"])
            def test_it(text):
                assert text in ask(text)

            @pytest.mark.cassette
            class TestIt:
                def test_it(self):
                    assert asyncio.run(ask_async("hi")) == "tiny-1"
            """,
            "tests/deep/test_it.py",
        )
        project.test(ONE_TEST, "tests/test_it.py")
        project.record("--import-mode=importlib").assert_outcomes(passed=5)
        assert project.cassettes() == [
            "deep/test_it/TestIt.test_it.yaml",
            "deep/test_it/test_it[a_b]-306b0382.yaml",
            "deep/test_it/test_it[a_b].yaml",
            "deep/test_it/test_it[hi].yaml",
            "test_it/test_it.yaml",
        ]
        project.go_offline()
        project.replay("--import-mode=importlib").assert_outcomes(passed=5)

    def test_same_file_is_refused(self, project: "Project") -> None:
        """Two tests that would have the same file are told so."""
        for name in ("tests/test_it.py", "test_it.py"):
            project.test(ONE_TEST, name)
        result = project.record("--import-mode=importlib")
        result.assert_outcomes(passed=1, errors=1)
        assert "test_it.py::test_it and tests/test_it.py::test_it have the same cassette" in result.stdout.str()

    def test_shared_by_name(self, project: "Project", server: "ModelServer") -> None:
        """Tests that name the same cassette share it: the first records, the others replay it."""
        project.test(
            """
            @pytest.mark.cassette("both")
            @pytest.mark.parametrize("kind", ["sync", "async"])
            def test_it(kind):
                assert ask("hi") == "You said: hi"
            """
        )
        project.record(mode="all").assert_outcomes(passed=2)
        assert len(server.seen) == 1
        assert project.cassettes() == ["test_it/both.yaml"]

    def test_other_folder(self, project: "Project") -> None:
        """The folder can be chosen."""
        project.test(ONE_TEST)
        project.record("-o", "cassette_dir=tests/tapes").assert_outcomes(passed=1)
        assert project.cassettes("tests/tapes") == ["test_it/test_it.yaml"]

    def test_am_i_recording(self, project: "Project") -> None:
        """The fixture tells whether the test records, and where."""
        project.test(
            """
            from openai import OpenAI

            @pytest.fixture
            def url(cassette):
                return os.environ["MODEL_URL"] if cassette.recording else "http://dead.invalid/v1"

            @pytest.mark.cassette
            def test_it(url, cassette):
                with OpenAI(base_url=url) as client:
                    assert client.embeddings.create(model="m", input="hi").data
                assert cassette.path.name == "test_it.yaml"
                assert cassette.recording != cassette.path.exists()
            """
        )
        project.record().assert_outcomes(passed=1)
        project.replay().assert_outcomes(passed=1)

    def test_unmarked_tests_are_left_alone(self, project: "Project", server: "ModelServer") -> None:
        """A test without the mark is neither recorded nor replayed."""
        project.test("def test_it():\n    assert ask('hi')\n")
        project.record(mode="all").assert_outcomes(passed=1)
        assert project.cassettes() == []
        assert len(server.seen) == 1

    def test_fixtures_of_the_test_are_part_of_it(self, project: "Project") -> None:
        """Requests of a fixture are recorded before and after the test, too."""
        project.test(
            """
            @pytest.fixture
            def earlier():
                yield ask("before")
                ask("after")

            @pytest.mark.cassette
            def test_it(earlier):
                assert earlier == "You said: before"
            """
        )
        project.record().assert_outcomes(passed=1)
        project.go_offline()
        project.replay().assert_outcomes(passed=1)
        assert project.text("test_it/test_it.yaml").count("- request:") == 2


class TestRecording:
    """Recording is a decision of the command line."""

    def test_failed_tests_record_nothing(self, project: "Project") -> None:
        """A failing test leaves its cassette as it was, and says so."""
        project.test(ONE_TEST)
        project.record().assert_outcomes(passed=1)
        before = project.text("test_it/test_it.yaml")
        project.test("@pytest.mark.cassette\ndef test_it():\n    assert not ask('new')\n")
        result = project.record(mode="all")
        result.assert_outcomes(failed=1)
        assert project.text("test_it/test_it.yaml") == before

    def test_failed_setup_records_nothing(self, project: "Project") -> None:
        """A test that never ran has no cassette."""
        project.test(
            """
            @pytest.fixture
            def bad():
                assert not ask("hi")

            @pytest.mark.cassette
            def test_it(bad):
                pass
            """
        )
        project.record().assert_outcomes(errors=1)
        assert project.cassettes() == []

    def test_errors_need_leave(self, project: "Project", server: "ModelServer") -> None:
        """An error status fails the recording, unless the mark allows it."""
        body = "\n    with pytest.raises(Exception): ask('hi')\n"
        for mark, outcome in (("", {"passed": 1, "errors": 1}), ("(allow_errors=True)", {"passed": 1})):
            server.enqueue("out of order", status=500)
            project.test(f"@pytest.mark.cassette{mark}\ndef test_it():{body}")
            project.record().assert_outcomes(**outcome)
        project.go_offline()
        project.replay().assert_outcomes(passed=1)

    def test_size_limits(self, project: "Project") -> None:
        """The limit can be set for the project and for a test."""
        project.test(ONE_TEST)
        result = project.record("-o", "cassette_max_bytes=100")
        result.assert_outcomes(passed=1, errors=1)
        assert "the limit is 100, so it was not written" in result.stdout.str()
        project.test(ONE_TEST.replace("cassette", "cassette(max_bytes=10_000)"))
        project.record("-o", "cassette_max_bytes=100").assert_outcomes(passed=1)

    def test_named_secrets(self, project: "Project", monkeypatch: pytest.MonkeyPatch) -> None:
        """A project can name environment variables whose values it keeps to itself; where answers have them is told."""
        monkeypatch.setenv("CUSTOMER", "customer-number-17")
        project.test("@pytest.mark.cassette\ndef test_it():\n    ask(os.environ['CUSTOMER'])\n")
        options = ("-o", "cassette_secrets=CUSTOMER", "-W", "default::memzoo.errors.MemoryZooWarning")
        for run in (project.record(*options), project.replay(*options)):
            run.assert_outcomes(passed=1, warnings=1)
            run.stdout.fnmatch_lines(["*1. $.choices*0*.message.content is known as a key"])
        assert "customer-number-17" not in project.text("test_it/test_it.yaml")

    def test_run_tells_what_it_does(self, project: "Project") -> None:
        """Each run says whether it records, and at the end what that took."""
        project.test(ONE_TEST)
        recorded, replayed = project.record(mode="all"), project.replay()
        assert "cassettes: record all, in cassettes" in recorded.outlines
        assert "cassettes: 1 recorded, 7 + 5 tokens, tiny-1" in recorded.outlines
        assert "cassettes: replay only, in cassettes" in replayed.outlines

    def test_key_in_a_replay(self, project: "Project") -> None:
        """A replay gives a key where there is none, and to the marked test only."""
        project.test(ONE_TEST)
        project.record().assert_outcomes(passed=1)
        project.go_offline()
        project.test(
            ONE_TEST
            + "    assert os.environ['OPENAI_API_KEY'] == 'replay'\n"
            + "def test_unmarked():\n    assert 'OPENAI_API_KEY' not in os.environ\n"
        )
        project.replay().assert_outcomes(passed=2)

    @pytest.mark.parametrize(
        ("url", "model", "keys"),
        [
            ("http://recorded/v1/messages", "claude", ["ANTHROPIC_API_KEY"]),
            ("http://recorded/v1beta/models/g:streamGenerateContent?alt=sse", "g", ["GEMINI_API_KEY"]),
            ("http://recorded/v1/files?beta=true", "claude", ["ANTHROPIC_API_KEY"]),
            ("http://recorded/v1beta/models/g:countTokens", "g", ["GEMINI_API_KEY"]),
            ("http://recorded/v1beta/openai/chat/completions", "g", ["OPENAI_API_KEY"]),
            ("https://api.mistral.ai/v1/chat/completions", "m", ["MISTRAL_API_KEY"]),
            ("http://recorded/v1/chat/completions", "mistral-small", ["MISTRAL_API_KEY", "OPENAI_API_KEY"]),
            ("http://recorded/v1/chat/completions", "gpt", ["OPENAI_API_KEY"]),
            ("http://recorded/v1/audio/transcriptions", "gpt", ["OPENAI_API_KEY"]),
            ("http://recorded/v1/threads/t/messages", "gpt", ["OPENAI_API_KEY"]),
        ],
    )
    def test_keys_of_the_recorded_providers_only(
        self, url: str, model: str, keys: list[str], project: "Project", monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A program that chooses its provider by the keys in its environment finds no others in a replay."""
        names = ("ANTHROPIC_API_KEY", "GEMINI_API_KEY", "MISTRAL_API_KEY", "OPENAI_API_KEY")
        for name in names:
            monkeypatch.delenv(name, raising=False)
        project.write(
            "cassettes/test_it/test_it.yaml",
            f"""
            version: 1
            interactions:
            - request: {{method: POST, url: "{url}"}}
              response: {{status: 200, headers: {{content-type: application/json}}, parsed_body: {{model: {model}}}}}
            - request: {{method: GET, url: /weather}}
              response: {{status: 200}}
            """,
        )
        project.test(
            f"""
            import httpx2

            @pytest.mark.cassette
            def test_it():
                httpx2.post({url!r})
                httpx2.get("http://dead.invalid/weather")
                assert [name for name in {names} if name in os.environ] == {keys}
            """
        )
        project.replay().assert_outcomes(passed=1)


@pytest.mark.usefixtures("as_installed")
class TestEntryPoint:
    """Where memzoo is installed, pytest loads as much of the kit as its tests need."""

    @pytest.fixture(autouse=True)
    def _installed(self, project: "Project", as_installed: None, monkeypatch: pytest.MonkeyPatch) -> None:
        """After the project, which switches off what is installed."""
        monkeypatch.setenv("OPENAI_API_KEY", "any")

    def test_a_marked_test_replays(self, project: "Project", pytester: pytest.Pytester, server: "ModelServer") -> None:
        """The mark alone records and replays; where there is no recording, nothing is sent."""
        project.test(ONE_TEST.replace("ask(", "ask_over_http("))
        refused = pytester.runpytest_subprocess()
        refused.assert_outcomes(errors=1)
        assert not server.seen
        refused.stdout.fnmatch_lines(["*There is no cassette*", "To record it: pytest --cassettes=all *"])
        # Whoever names the plugin besides, in a conftest and on the command line, has it once.
        project.write("conftest.py", 'pytest_plugins = ["memzoo.cassettes"]')
        pytester.runpytest_subprocess("-p", "memzoo.cassettes", "--cassettes=once").assert_outcomes(passed=1)
        (project.root / "conftest.py").unlink()
        project.go_offline()
        replayed = pytester.runpytest_subprocess()
        replayed.assert_outcomes(passed=1)
        assert "cassettes: replay only, in cassettes" in replayed.outlines

    def test_a_mark_that_comes_late(self, project: "Project", pytester: pytest.Pytester) -> None:
        """A mark of a parameter, or one that a conftest gives, is a mark like any other."""
        project.write(
            "conftest.py",
            """
            import pytest

            def pytest_collection_modifyitems(items):
                for item in items:
                    if item.name == "test_late":
                        item.add_marker("cassette")

            @pytest.fixture
            def folder(cassette):
                return cassette.path.parent.name
            """,
        )
        project.test(
            """
            def test_late():
                assert ask_over_http("late") == "You said: late"

            @pytest.mark.parametrize("text", [pytest.param("hi", marks=pytest.mark.cassette)])
            def test_parameter(text, folder):
                assert (ask_over_http(text), folder) == ("You said: hi", "test_it")
            """
        )
        pytester.runpytest_subprocess("--cassettes=once").assert_outcomes(passed=2)
        assert project.cassettes() == ["test_it/test_late.yaml", "test_it/test_parameter[hi].yaml"]

    def test_without_a_mark_nothing_is_loaded(self, project: "Project", pytester: pytest.Pytester) -> None:
        """A project without a mark pays for a module of options."""
        project.write(
            "test_it.py",
            """
            import sys

            def test_it():
                ours = {name for name in sys.modules if name.startswith("memzoo.cassettes")}
                assert ours == {"memzoo.cassettes", "memzoo.cassettes.mark"}
                assert not {"openai", "vcr", "yaml", "memzoo.stores"} & sys.modules.keys()
            """,
        )
        result = pytester.runpytest_subprocess()
        result.assert_outcomes(passed=1)
        assert "cassettes:" not in result.stdout.str()
