"""`memzoo chat` with a model that is spoken to over HTTP."""

from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from memzoo.cli.commands import app

if TYPE_CHECKING:
    from tests.memories.chat.conftest import Endpoint


@pytest.fixture
def chat(endpoint: "Endpoint", monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    """Runs the command against the endpoint."""
    monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    return CliRunner()


ARGUMENTS = ["chat", "--memory", "buffer", "--model", "scripted"]


def test_answers_are_streamed(chat: CliRunner, endpoint: "Endpoint") -> None:
    """The model is asked for a stream, and what it writes is printed as it stands, brackets too."""
    endpoint.says("One [bold]two[/bold] three")
    output = chat.invoke(app, ARGUMENTS, input="Count!\n/quit\n").output
    assert endpoint.asked[0]["stream"] is True
    assert "scripted: One [bold]two[/bold] three\n" in output


def test_goes_on_after_a_failure(chat: CliRunner, endpoint: "Endpoint") -> None:
    """An answer that breaks off is an error in red; what was said and read is kept, and the talk goes on."""
    endpoint.breaks_off("One")
    endpoint.says("One two")
    output = chat.invoke(app, ARGUMENTS, input="Count!\n/memory\nCount!\n").output
    assert "ended its reply in the middle of it" in output
    assert '"content": "Count!"' in output
    assert [message["content"] for message in endpoint.sent()] == ["Count!", "One", "Count!"]
    assert "One two" in output
