"""Agents of frameworks are recorded with their tools, replayed without server and tools, and held to each word."""

from pathlib import Path

import pytest

from tests.cassettes.host_agents import HOSTS, check


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.filterwarnings("default")
def test_agents_of_other_frameworks(host: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One word of a prompt, an argument or a result fails, by the first step that has it.

    The tools are the steps 2 and 3: some frameworks run both at once, so either may come first.
    """
    monkeypatch.setenv("OPENAI_API_KEY", "replay")
    try:
        found = check(host, tmp_path)
    except ImportError as error:
        pytest.skip(f"not installed here: {error}")
    steps = {name: (one.step, one.how) for name, one in found.items() if one}
    assert steps.pop("argument") in [(2, "another argument"), (3, "another argument")]
    assert steps == {"prompt": (1, "another prompt"), "result": (4, "another prompt")}
