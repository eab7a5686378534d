"""The programs of docs/hosts run as they stand, each where its host is installed."""

import pytest

from tests.hosts.page import run_page

SCRIPT = ["I see.", "In Oslo."]


def test_openai_agents() -> None:
    """docs/hosts/openai_agents.md."""
    pytest.importorskip("agents")
    from tests.hosts.test_openai_agents import scripted, sent_to

    run_page("openai_agents", model=(model := scripted(SCRIPT)))
    assert "Oslo" in str(sent_to(model)[1])


def test_langchain() -> None:
    """docs/hosts/langchain_agents.md."""
    pytest.importorskip("langchain.agents", exc_type=ImportError)
    from tests.hosts.langchain_models import ScriptedChat

    run_page("langchain_agents", model=(model := ScriptedChat(script=list(SCRIPT), sent=[])))
    assert "Oslo" in str(model.sent[1])


def test_langgraph() -> None:
    """docs/hosts/langgraph.md."""
    pytest.importorskip("langgraph.graph", exc_type=ImportError)
    from tests.hosts.langchain_models import ScriptedChat

    run_page("langgraph", model=(model := ScriptedChat(script=list(SCRIPT), sent=[])))
    assert "Oslo" in str(model.sent[1])


def test_pydantic_ai() -> None:
    """docs/hosts/pydantic_ai.md."""
    pytest.importorskip("pydantic_ai")
    from tests.hosts.test_pydantic_ai import Scripted

    run_page("pydantic_ai", model=(scripted := Scripted(SCRIPT)).model)
    assert "Oslo" in str(scripted.sent[1])
