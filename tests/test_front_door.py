"""The package `memzoo` itself: its names, what they cost, and that nothing stands before it."""

import ast
import importlib
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import memzoo
import memzoo.errors

ROOT = Path(__file__).parent.parent
IN_CHECKOUT = pytest.mark.skipif(
    not (ROOT / "memzoo" / "memories").is_symlink(),
    reason="needs a checkout: a source distribution has no links to folders",
)
HEAVY = ["openai", "networkx", "chromadb", "numpy", "sqlalchemy", "tiktoken", "jinja2", "pydantic", "typer", "httpx2"]


def announced(file: str) -> set[str]:
    """The names that a facade announces to type checkers, those of memzoo.memories in `*`."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    [block] = [node for node in tree.body if isinstance(node, ast.If)]
    names = {alias.name for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    return names - {"*"} | (announced("memories/__init__.py") if "*" in names else set())


@pytest.mark.parametrize(
    ("package", "file"),
    [
        ("memzoo", "memzoo/__init__.py"),
        ("memzoo.memories", "memories/__init__.py"),
        ("memzoo.types", "memzoo/types.py"),
        ("memzoo.hosts.mcp", "hosts/mcp/__init__.py"),
    ],
)
def test_type_checkers_see_what_is_there(package: str, file: str):
    """What is announced to type checkers and what is loaded at run time are the same names, and each exists."""
    module = importlib.import_module(package)
    assert set(dir(module)) == announced(file)
    assert all(getattr(module, name) is not None for name in dir(module))


def test_an_unknown_name_is_an_import_error():
    """A misspelt name is told like that of any other module."""
    with pytest.raises(ImportError, match="cannot import name 'create_memmory' from 'memzoo'"):
        exec("from memzoo import create_memmory")  # noqa: S102 - type checkers refuse it
    with pytest.raises(AttributeError, match="module 'memzoo' has no attribute 'nope'"):
        getattr(memzoo, "nope")  # noqa: B009


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))], ids=lambda page: page.name
)
def test_what_the_pages_import_is_there(page: Path):
    """Each import of memzoo on a page works."""
    for line in re.findall(
        r"^ *(from memzoo(?:[.]\w+)* import [\w, ]+)", page.read_text(encoding="utf-8"), re.MULTILINE
    ):
        exec(line, {})  # noqa: S102


def test_all_errors_are_in_one_place():
    """`memzoo.errors` has every error, and all have one root."""
    errors = [getattr(memzoo.errors, name) for name in memzoo.errors.__all__]
    assert {memzoo.MemoryZooError, memzoo.errors.PluginError} < set(errors)
    assert all(issubclass(error, memzoo.MemoryZooError | memzoo.errors.MemoryZooWarning) for error in errors)


def run(code: str, cwd: Path, *arguments: str, **environment: str) -> list[str]:
    """What a new process prints."""
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, cwd=cwd, env={**os.environ, **environment}
    )
    return done.stdout.split()


def test_a_first_memory_loads_nothing_heavy(tmp_path: Path):
    """Importing and using a buffer loads less than 220 modules besides Python's own start, none of them heavy."""
    code = (
        "import sys; before = set(sys.modules)\n"
        "from memzoo import create_memory\n"
        "memory = create_memory('buffer')\n"
        "memory.save_context({'input': 'a'}, {'output': 'b'}); memory.load_memory_variables({})\n"
        f"print(len(set(sys.modules) - before), *sorted(set({HEAVY!r}) & sys.modules.keys()))"
    )
    count, *heavy = run(code, tmp_path)
    assert heavy == []
    assert int(count) < 220


def test_importing_the_package_loads_next_to_nothing(tmp_path: Path):
    """`import memzoo` alone loads its own few modules and no strategy."""
    code = "import sys, memzoo; print(*sorted(name for name in sys.modules if name.startswith('memzoo')))"
    assert run(code, tmp_path) == ["memzoo", "memzoo._lazy", "memzoo.memories"]


@IN_CHECKOUT
def test_a_folder_of_that_name_stands_not_before_it(tmp_path: Path):
    """An installed memzoo is found though the current folder has a folder `memzoo`."""
    (tmp_path / "memzoo").mkdir()
    code = "from memzoo import create_memory; print(type(create_memory('window')).__name__)"
    assert run(code, tmp_path, PYTHONPATH=str(ROOT)) == ["ConversationBufferWindowMemory"]


@IN_CHECKOUT
def test_everybody_in_the_checkout_sees_the_same_package(tmp_path: Path):
    """From the root, from elsewhere and by the links, each package is found in the one folder that holds it."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    folders = settings["setuptools"]["package-dir"]
    files = {name: (ROOT / folder / "__init__.py").resolve() for name, folder in folders.items()}
    code = "from importlib.util import find_spec; import sys; print(*(find_spec(name).origin for name in sys.argv[1:]))"
    for place in (ROOT, tmp_path):
        assert [Path(file).resolve() for file in run(code, place, *folders)] == [*files.values()]
    assert {name: ROOT.joinpath(*name.split("."), "__init__.py").resolve() for name in folders} == files


def test_no_name_needs_an_extra_to_be_loaded(tmp_path: Path):
    """`from memzoo import *`, `help(memzoo)` and editors look at every name; what is missing is told at its use."""
    code = (
        "import sys; sys.modules.update(dict.fromkeys(['psycopg', 'chromadb', 'cryptography', 'vcr']))\n"
        "from memzoo.stores import *; from memzoo import *; import memzoo, pydoc; pydoc.render_doc(memzoo)\n"
        "try: PgVectorIndex('postgresql://host/db')\n"
        "except ImportError as error: print(error)"
    )
    assert "'memzoo[postgres]'" in run(code, tmp_path)


def test_the_package_runs_as_a_module(tmp_path: Path):
    """`python -m memzoo` is the command, and knows its version."""
    command = [sys.executable, "-m", "memzoo", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout == f"memzoo {memzoo.__version__}\n"


def test_the_addresses_are_those_of_the_project() -> None:
    """The site names its address and the repository's only as `pyproject.toml` does."""
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    site = re.findall(r"^(site_url|repo_url): (\S+)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    urls: dict[str, str] = project.get("urls", {})
    named = {"site_url": urls.get("Documentation"), "repo_url": urls.get("Repository")}
    assert dict(site) == {name: url for name, url in named.items() if url}
