"""The README: what it shows runs, and its table is the zoo."""

import re
from pathlib import Path

import pytest

from memzoo import benchmarks, memories
from memzoo.benchmarks.variants import BASELINES, PRESETS
from memzoo.memories import STRATEGIES, BaseMemory
from memzoo.memories.strategies.named import FURTHER, strategy_named

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"^```python\n(.*?)^```", README, flags=re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("snippet", [snippet for snippet in SNIPPETS if "pytest.mark" not in snippet])
def test_snippet_runs(snippet: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each Python snippet runs as it stands, without a key."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    exec(compile(snippet, "README.md", "exec"), {})  # noqa: S102


def test_first_snippet_is_short() -> None:
    """The first snippet has at most 12 lines of code."""
    assert len([line for line in SNIPPETS[0].splitlines() if line.strip()]) <= 12


def test_first_snippet_recalls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first snippet prints what was said about Anna."""
    monkeypatch.chdir(tmp_path)
    exec(SNIPPETS[0], {})  # noqa: S102
    assert "Oslo" in capsys.readouterr().out.splitlines()[0]


def test_table_registry_exports_and_presets_agree() -> None:
    """The README's table, the registry, the exported classes and the comparison's presets name the same strategies."""
    rows = dict(re.findall(r"^\| `([\w-]+)` \| `(\w+)` \|", README, flags=re.MULTILINE))
    classes = {name for name in dir(memories) if _is_strategy(getattr(memories, name))}
    assert rows == {name: strategy.__name__ for name, strategy in STRATEGIES.items()}
    assert classes == {strategy_named(name).__name__ for name in (*STRATEGIES, *FURTHER)}
    assert set(PRESETS) - set(BASELINES) == {*STRATEGIES, *FURTHER}
    assert benchmarks.__doc__


def test_replay_snippet_records_and_replays(
    pytester: pytest.Pytester, offline_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The replay snippet records from an endpoint, then replays without it."""
    snippet = next(snippet for snippet in SNIPPETS if "pytest.mark" in snippet)
    pytester.makepyfile(test_bot=snippet)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-readme-example-0123456789")
    monkeypatch.setenv("OPENAI_BASE_URL", offline_url)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # what else is installed here is slow to load
    pytester.runpytest_subprocess("-p", "memzoo.cassettes", "--cassettes=all").assert_outcomes(passed=1)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    pytester.runpytest_subprocess("-p", "memzoo.cassettes").assert_outcomes(passed=1)


def _is_strategy(thing: object) -> bool:
    return isinstance(thing, type) and issubclass(thing, BaseMemory) and thing is not BaseMemory
