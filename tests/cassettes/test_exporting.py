"""What we recorded is played by vcrpy's own player, once it is exported."""

import json
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

import httpx2
import pytest
import yaml
from openai import APIStatusError, OpenAI
from typer.testing import CliRunner

from memzoo.cassettes import CassetteError, use_cassette
from memzoo.cassettes.exporting import export_cassette
from memzoo.cassettes.format import read_cassette
from memzoo.cassettes.http import Recorded
from memzoo.cassettes.library import paths_in
from memzoo.cli.commands import app
from memzoo.errors import OptionError

if TYPE_CHECKING:
    from tests.cassettes.conftest import ModelServer, Pipeline

OURS = Path(__file__).parents[2] / "cassettes"
MATCHED = ["method", "scheme", "host", "port", "path", "query", "body"]
Vcrpy = Callable[[Path], Any]


@pytest.fixture
def vcrpy() -> Vcrpy:
    """Opens a file with vcrpy alone: nothing is recorded, and all that vcrpy can match is matched."""
    kit: Any = import_module("vcr")
    return lambda path: kit.use_cassette(str(path), record_mode="none", match_on=MATCHED)


def ask(client: OpenAI, one: Recorded) -> tuple[int, bytes]:
    """Send a recorded request through the openai client: the status and the body of the answer."""
    url = urlsplit(one.request.uri)
    options: Any = {"params": dict(parse_qsl(url.query))}
    try:
        if one.request.method == "GET":
            answer = client.get(url.path, cast_to=httpx2.Response, options=options)
        else:
            body = json.loads(one.request.body)
            answer = client.post(url.path, cast_to=httpx2.Response, body=body, options=options)
    except APIStatusError as error:
        return error.status_code, error.response.content
    return answer.status_code, answer.content


@pytest.mark.parametrize("path", paths_in(OURS), ids=lambda path: path.relative_to(OURS).as_posix())
def test_our_recordings(path: Path, vcrpy: Vcrpy, tmp_path: Path) -> None:
    """Vcrpy answers each request of each of this project's recordings through the openai client, to the last byte."""
    target = tmp_path / "exported" / "it.yaml"
    export_cassette(path, target, origin="http://model.invalid:8080")
    recordings = read_cassette(path).recordings
    with vcrpy(target) as played, OpenAI(base_url="http://model.invalid:8080", api_key="k", max_retries=0) as client:
        answers = [ask(client, one) for one in recordings]
    assert answers == [(one.response["status"]["code"], one.response["body"]["string"]) for one in recordings]
    assert played.all_played


def test_what_we_write_shorter(server: "ModelServer", pipeline: "Pipeline", vcrpy: Vcrpy, path: Path) -> None:
    """A stream, a long prompt that we keep once, and a packed vector come back as the client had them."""
    prompt = "Say it again, please. " * 20

    def talk(url: str) -> Any:
        said = [*pipeline.stream(prompt, at=url), pipeline.ask(prompt, at=url), pipeline.ask(f"{prompt}!", at=url)]
        return said, pipeline.embed("hi", at=url, encoding_format="float")

    vector = [1 / place for place in range(3, 67)]
    data = [{"object": "embedding", "index": 0, "embedding": vector}]
    answers = [server.reply({"messages": [{"content": prompt}]}) for _ in range(3)]
    server.queued.extend(answers)
    server.send("application/json", json.dumps({"object": "list", "model": "m", "data": data}))

    with use_cassette(path, record="once"):
        before = talk(server.url)
    assert ("*part-" in path.read_text(), "!f64" in path.read_text()) == (True, True)
    target = path.with_name("exported.yaml")
    export_cassette(path, target)
    assert yaml.safe_load(target.read_text())["version"] == 1
    with vcrpy(target):
        assert talk("https://api.openai.com/v1") == before


def test_there_and_back(server: "ModelServer", pipeline: "Pipeline", path: Path) -> None:
    """What is exported and adopted again is what was recorded."""
    with use_cassette(path, record="once"):
        pipeline.ask("hi", at=server.url)
        pipeline.models(at=server.url)
    target = path.with_name("exported.yaml")
    export_cassette(path, target)
    there, back = (read_cassette(one).recordings for one in (path, target))
    assert [one.response for one in there] == [one.response for one in back]
    assert [one.request.body or b"" for one in there] == [one.request.body or b"" for one in back]


def test_the_command(server: "ModelServer", pipeline: "Pipeline", vcrpy: Vcrpy, path: Path) -> None:
    """A folder is exported as a whole; what cannot be read is named, and the others are written."""
    with use_cassette(path.with_name("a.yaml.gz"), record="once"):
        pipeline.ask("hi", at=server.url)
    path.write_text("interactions: 7")
    target = path.parent.parent / "for vcrpy"
    done = CliRunner().invoke(app, ["cassettes", "export", str(path.parent), str(target)])
    assert done.exit_code == 1
    assert "1 call: " in done.output
    assert "not read" in done.output
    with vcrpy(target / "a.yaml"):
        assert pipeline.ask("hi", at="https://api.openai.com/v1") == "You said: hi"


@pytest.mark.parametrize("origin", ["", "api.openai.com", "https://api.openai.com/v1"])
def test_origins(origin: str, path: Path, server: "ModelServer", pipeline: "Pipeline") -> None:
    """An origin is a scheme and a host; the path is in the cassette."""
    with use_cassette(path, record="once"):
        pipeline.ask("hi", at=server.url)
    with pytest.raises(OptionError, match="origin must be"):
        export_cassette(path, path.with_name("x.yaml"), origin=origin)
    with pytest.raises(CassetteError):
        export_cassette(path.with_name("none.yaml"), path.with_name("x.yaml"))


def test_pytest_recording(server: "ModelServer", pipeline: "Pipeline", tmp_path: Path) -> None:
    """A test with pytest-recording's mark plays the exported file, with the network blocked."""
    pytest.importorskip("pytest_recording")
    ours, folder = tmp_path / "ours.yaml", tmp_path / "cassettes" / "test_it"
    with use_cassette(ours, record="once"):
        pipeline.ask("hi", at=server.url)
    export_cassette(ours, folder / "test_it.yaml")
    (tmp_path / "test_it.py").write_text(
        "import pytest\nfrom openai import OpenAI\n\n@pytest.mark.block_network\n@pytest.mark.vcr\ndef test_it():\n"
        "    messages = [{'role': 'user', 'content': 'hi'}]\n"
        "    with OpenAI(api_key='k', max_retries=0) as client:\n"
        "        reply = client.chat.completions.create(model='m', messages=messages, stream=False)\n"
        "    assert reply.choices[0].message.content == 'You said: hi'\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", "--record-mode=none", "test_it.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "1 passed" in done.stdout, done.stdout


def test_requests_without_a_body(server: "ModelServer", pipeline: "Pipeline", vcrpy: Vcrpy, path: Path) -> None:
    """A request that has no body replays in vcrpy where bodies are matched."""
    with use_cassette(path, record="once"):
        assert pipeline.models(server.url) == ["tiny-1"]
    target = path.with_name("theirs.yaml")
    done = CliRunner().invoke(app, ["cassettes", "export", str(path), str(target)])
    assert done.exit_code == 0, done.output
    with vcrpy(target):
        assert pipeline.models("https://api.openai.com/v1") == ["tiny-1"]


def test_a_folder_is_not_exported_into_a_file(tmp_path: Path) -> None:
    """Where OLD is a folder, the name of a file for NEW is refused."""
    done = CliRunner().invoke(app, ["cassettes", "export", str(tmp_path), str(tmp_path / "new.yaml")])
    assert "is a folder, so write to a folder too" in str(done.exception)
