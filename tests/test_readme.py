"""The README: what it shows runs, and its table is the zoo."""

import os
import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest

# PyYAML fails in its second copy, and each run of pytester imports anew what nobody had imported before.
import yaml  # noqa: F401  # pyright: ignore[reportUnusedImport]

from memzoo import benchmarks, memories
from memzoo.benchmarks.variants import BASELINES, PRESETS
from memzoo.memories import STRATEGIES, BaseMemory
from memzoo.memories.strategies.named import further_names, strategy_named
from tests.documentation import generated

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
SNIPPETS: list[str] = re.findall(r"^```python\n(.*?)^```", README, flags=re.DOTALL | re.MULTILINE)


@pytest.fixture
def cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without tokenizers' vocabularies, which cannot download them."""
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    monkeypatch.setattr("tiktoken.registry.ENCODINGS", {})


@pytest.mark.parametrize("snippet", [snippet for snippet in SNIPPETS if "pytest.mark" not in snippet])
def test_snippet_runs(snippet: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each Python snippet runs as it stands, without a key."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    exec(compile(snippet, "README.md", "exec"), {})  # noqa: S102


@pytest.mark.parametrize("name", [strategy_named(name).__name__ for name in (*STRATEGIES, *further_names())])
@pytest.mark.usefixtures("cut_off")
def test_first_snippet_recalls_with_any_name(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first snippet prints what was said about Anna, whichever memory it names, without key or network."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert SNIPPETS[0].count('"ConversationEntityMemory"') == 1
    exec(SNIPPETS[0].replace("ConversationEntityMemory", name), {})  # noqa: S102
    assert "Oslo" in capsys.readouterr().out


def test_install_line_installs(tmp_path: Path) -> None:
    """The line under the pitch installs memzoo from a copy of the repository."""
    if generated.published():
        pytest.skip("the line installs what the package index has")
    if not (ROOT / ".git").exists():
        pytest.skip("needs a checkout: git clones no folder of a source distribution")
    line = re.findall(r"^```sh\n(.*)\n```", README, flags=re.MULTILINE)[0]
    source, environment = tmp_path / "source", tmp_path / "environment"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(source)], check=True)  # noqa: S607
    venv.create(environment)
    python = str(environment / "bin" / "python")
    # What memzoo depends on takes minutes, and is tried by `make compare`.
    without_dependencies = os.environ | {"PIP_NO_DEPS": "1", "PIP_NO_COMPILE": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "pip", "--python", python, *line.split()[1:]],
        cwd=source,
        env=without_dependencies,
        capture_output=True,
        text=True,
        check=False,
    )
    if "Could not find a version" in done.stdout + done.stderr:
        pytest.skip("pip reaches no package index, and needs setuptools")
    assert done.returncode == 0, done.stderr
    found = subprocess.check_output([python, "-c", "import memzoo; print(memzoo.__file__)"], cwd=tmp_path, text=True)
    assert found.startswith(str(environment))


def test_table_registry_exports_and_presets_agree() -> None:
    """The README's table, the registry, the exported classes and the comparison's presets name the same strategies."""
    rows = dict(re.findall(r"^\| `([\w-]+)` \| `(\w+)` \|", README, flags=re.MULTILINE))
    classes = {name for name in dir(memories) if _is_strategy(getattr(memories, name))}
    assert rows == {name: strategy.__name__ for name, strategy in STRATEGIES.items()}
    assert classes == {strategy_named(name).__name__ for name in (*STRATEGIES, *further_names())}
    assert set(PRESETS) - set(BASELINES) == {*STRATEGIES, *further_names()}
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
    pytester.runpytest_inprocess("-p", "memzoo.cassettes", "--cassettes=all").assert_outcomes(passed=1)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    pytester.runpytest_inprocess("-p", "memzoo.cassettes").assert_outcomes(passed=1)


def _is_strategy(thing: object) -> bool:
    return isinstance(thing, type) and issubclass(thing, BaseMemory) and thing is not BaseMemory
