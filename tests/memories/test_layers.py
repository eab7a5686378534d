"""Dependencies point one way: benchmarks -> memories -> stores, memories -> prompts."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

ALLOWED = {
    "stores": {"stores"},
    "prompts": {"prompts", "stores.errors"},
    "memories": {"memories", "stores", "prompts", "_lazy"},
    "cassettes": {"cassettes", "stores.errors", "stores.base"},
}


MODULES = [path for layer in ALLOWED for path in sorted((ROOT / layer).rglob("*.py")) if "_root" not in path.parts]


def imported(tree: ast.AST) -> Iterator[str]:
    """What a module imports of memzoo, by full name, without the prefix; a relative import counts as "."."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            base = "." if node.level else node.module or ""
            yield from (f"{base}.{alias.name}" for alias in node.names) if base == "memzoo" else [base]
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def at_top(tree: ast.Module) -> ast.Module:
    """The module without its functions: what is imported when it is imported."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return ast.Module([node for node in tree.body if not isinstance(node, functions)], [])


def is_allowed(name: str, layer: str) -> bool:
    """Whether a layer may import a name."""
    inside = name.removeprefix("memzoo.")
    return any(inside == allowed or inside.startswith(f"{allowed}.") for allowed in ALLOWED[layer])


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_one_way(path: Path) -> None:
    """No module imports from a layer above or beside its own; the command may, inside its functions (DESIGN 3)."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    layer = path.relative_to(ROOT).parts[0]
    scope = at_top(tree) if path.is_relative_to(ROOT / "memories" / "cli") else tree
    names = [name for name in imported(scope) if name.startswith(("memzoo", "."))]
    assert [name for name in names if not is_allowed(name, layer)] == []


def test_the_command_imports_benchmarks_at_most() -> None:
    """Inside its functions the command may go one layer up, no further."""
    tree = ast.parse((ROOT / "memories" / "cli" / "commands.py").read_text(encoding="utf-8"))
    above = [name for name in imported(tree) if name.startswith("memzoo") and not is_allowed(name, "memories")]
    assert all(name.startswith("memzoo.benchmarks") or name == "memzoo.__version__" for name in above)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_test_tools_are_imported_for_tests_only(path: Path) -> None:
    """A test library is needed by the shipped contract suites and the replay plugin, by nothing else."""
    shipped = "testing" in path.parts or path.is_relative_to(ROOT / "cassettes")
    names = set(imported(ast.parse(path.read_text(encoding="utf-8"))))
    assert shipped or not {"pytest", "hypothesis"} & names
