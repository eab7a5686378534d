"""What a reader meets: the hooks of a strategy, the files that know it, and that a name means one thing."""

import ast
import dataclasses
from pathlib import Path

import pytest

from memzoo.memories import STRATEGIES, BaseMemory
from memzoo.memories.strategies.named import further_names, strategy_named

ROOT = Path(__file__).parents[2]
PACKAGES = ("memzoo", "memories", "prompts", "stores", "testing", "cassettes", "benchmarks", "hosts", "cli")
SHIPPED = [path for name in PACKAGES for path in (ROOT / name).rglob("*.py") if "research" not in path.parts]

NAMES = [*STRATEGIES, *further_names()]
HOOKS = {"view", "derive", "due", "is_over_limit", "oldest_needed", "on_state_change"}
# What a strategy may override besides the hooks, and why.
EXCEPTIONS = {
    # Embeddings of another embedder are another state, and so is a window by LangChain4j's rules. A copy of a retriever
    # searches an index of its own.
    "vector-retriever": {"_state_name", "clone"},
    "message-window": {"_state_name"},
    "token-window": {"_state_name"},
    # It returns what it noted about entities under a variable of its own.
    "entity": {"memory_variables"},
    # Its members have variables and states of their own; it has none itself. They are copied with it.
    "combined": {"memory_variables", "aload_memory_variables", "clone"},
}


def own_classes(strategy: type) -> list[type]:
    """The classes of a strategy that are ours."""
    return [cls for cls in strategy.__mro__ if cls.__module__.startswith("memzoo.")]


def overridden(strategy: type) -> set[str]:
    """What of `BaseMemory` a strategy or a class between the two defines anew."""
    between = [cls for cls in own_classes(strategy) if cls is not BaseMemory]
    attributes = options("buffer") | {
        "needs_query",
        "_keeps_fields",
        "_own_prompts",
        "_shows_waiting",
        "_learns_system",
        "_limits_messages",
        "_tokenizer_model",
        "_longest_prompt",
        "_most_pending",
        "_usual_portion",
        "_usual_prompt",
        "_lease_seconds",
        "_learns",
    }
    names = {name for cls in between for name in vars(cls) if not name.startswith(("__", "_abc"))}
    return {name for name in names if hasattr(BaseMemory, name)} - attributes


def test_a_new_strategy_touches_four_files() -> None:
    """Its own, the table of names, and the two that type checkers read: nothing else in the zoo knows its class."""
    strategy = strategy_named("summarizing-window")
    own = f"{strategy.__module__.removeprefix('memzoo.').replace('.', '/')}.py"
    found = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "memories").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if strategy.__name__ in (getattr(node, "name", ""), *str(getattr(node, "value", "")).replace(":", " ").split())
    }
    listed = {"memories/__init__.py", "memories/registry.py", "memories/strategies/named.py"}
    assert found == {own, *listed}


@pytest.mark.parametrize("name", NAMES)
def test_a_strategy_overrides_hooks_only(name: str) -> None:
    """A strategy is six hooks at most, and what it adds."""
    assert overridden(strategy_named(name)) - HOOKS - EXCEPTIONS.get(name, set()) == set()


@pytest.mark.parametrize("name", NAMES)
def test_help_shows_every_option(name: str) -> None:
    """`help()` gives the meaning of each option, the common ones too."""
    strategy = strategy_named(name)
    lines = [line.strip() for line in (strategy.__doc__ or "").partition("Args:")[2].splitlines()]
    meanings = {head: text for head, colon, text in (line.partition(": ") for line in lines) if colon}
    given = {field.name for field in dataclasses.fields(strategy) if field.init}
    assert {option for option in given if len(meanings.get(option, "")) < 15} == set()


def test_a_class_has_a_name_of_its_own() -> None:
    """No two classes share a name, except adapters' and LangChain's names, and those inside of one file."""
    found: dict[str, list[str]] = {}
    for path in SHIPPED:
        place = path.relative_to(ROOT)
        if not {"langchain", "adapters"} & {*place.parts}:
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    found.setdefault(node.name, []).append(str(place))
    assert {name: places for name, places in found.items() if len(places) > 1} == {}


def options(name: str) -> set[str]:
    """The options of a strategy, with the name of its class."""
    return {"name", *(field.name for field in dataclasses.fields(strategy_named(name)))}
