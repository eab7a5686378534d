"""The API reference has an entry for each public name, and for each attribute of a public class."""

import importlib
import inspect
import re
from functools import cache
from pathlib import Path
from typing import Any

import griffe
import pytest
import yaml

ROOT = Path(__file__).parents[2]
PACKAGES = (
    "memzoo",
    "memzoo.memories",
    "memzoo.stores",
    "memzoo.strategy",
    "memzoo.types",
    "memzoo.errors",
    "memzoo.cassettes",
    "memzoo.testing",
    "memzoo.benchmarks",
    "memzoo.prompts",
    "memzoo.langchain",
)
HEADING = re.compile(r"^## `(\w+)`$", re.MULTILINE)
ENTRY = re.compile(r"^::: (\S+)\n((?: {4}.*\n|\n(?= {4}))*)", re.MULTILINE)
# A module that is a public name, and the version, which is on no page.
NO_ENTRY = {"errors", "__version__"}
# What `dir` shows and nobody is to use: pydantic's, the bridge to LangChain's classes. A contract's tests are run.
INNER = {"model_config", "brought", "defaults", "extras", "host_class", "host_modules", "plain_class"}


@cache
def shown() -> dict[str, dict[str, Any]]:
    """The entries of the pages, by path, with their options."""
    pages = "\n".join(path.read_text(encoding="utf-8") + "\n" for path in (ROOT / "docs/reference").glob("*.md"))
    found: dict[str, dict[str, Any]] = {}
    for path, below in ENTRY.findall(pages):
        given: dict[str, Any] = yaml.safe_load(below) or {} if below.strip() else {}
        found[path] = given.get("options", {})
    return found


@cache
def package() -> griffe.Object:
    """What the site's reader sees of the package."""
    if not (ROOT / "memzoo" / "memories").is_symlink():
        pytest.skip("needs a checkout: a source distribution has no links to folders")
    loaded = griffe.load(
        "memzoo",
        search_paths=[str(ROOT)],
        extensions=griffe.load_extensions(str(ROOT / ".ci" / "api_options.py")),
        docstring_parser="google",
    )
    assert isinstance(loaded, griffe.Object)
    return loaded


def place_of(value: Any) -> str:
    """The path by which the reference knows a class or a function; "" for any other value."""
    name = getattr(value, "__qualname__", "")
    return f"{value.__module__}.{name}" if name and "<" not in name and "memzoo" in value.__module__ else ""


def has_entry(path: str) -> bool:
    """Whether something has an entry of its own, or one as part of what it belongs to."""
    if path in shown():
        return True
    around, _, name = path.rpartition(".")
    if around not in shown():
        return bool(around) and has_entry(around)
    options = shown()[around]
    only, filters = options.get("members"), options.get("filters", [])
    kept = name in only if isinstance(only, list) else only is not False
    return kept and not any(rule.startswith("!") and re.search(rule[1:], name) for rule in filters)


def seen(path: str) -> griffe.Object:
    """What the site's reader sees of a class or a function."""
    found = package()[path.removeprefix("memzoo.")]
    return found.final_target if isinstance(found, griffe.Alias) else found


def is_told(one: str, owner: str, name: str) -> bool:
    """Whether a member of a class has an entry, or the docstring of a class lists it.

    Args:
        one: The path of the class.
        owner: That of the class that it is inherited from, or the same.
        name: The member's.
    """
    for path in {one, owner}:
        docstring = seen(path).docstring
        listed = re.search(rf"^\s*{name}(?: \(.*\))?: ", docstring.value if docstring else "", re.MULTILINE)
        if listed and has_entry(path):
            return True
    member = seen(owner).members.get(name)
    options = shown().get(one, {})
    inherited = options.get("inherited_members")
    here = inherited is True or (isinstance(inherited, list) and name in inherited)
    options = options if here else shown().get(owner, options)
    told = member and (member.docstring or options.get("show_if_no_docstring"))
    return bool(told) and (has_entry(f"{owner}.{name}") or (here and has_entry(one)))


@pytest.mark.parametrize("name", PACKAGES)
def test_each_public_name_has_an_entry(name: str) -> None:
    """What can be imported stands on a page of the reference."""
    module = importlib.import_module(name)
    page = (ROOT / "docs/reference/langchain.md").read_text(encoding="utf-8")
    ends = {path.rpartition(".")[2] for path in shown()} | set(HEADING.findall(page))
    missing = [
        one
        for one in set(module.__all__) - NO_ENTRY
        if not has_entry(place_of(value := getattr(module, one))) and not (one in ends and not place_of(value))
    ]
    assert missing == []


def test_each_entry_is_of_something() -> None:
    """No entry names what there is not: to look it up would fail."""
    for path in shown():
        assert package()[path.removeprefix("memzoo.")].name == path.rpartition(".")[2]


@pytest.mark.parametrize("name", PACKAGES)
def test_each_attribute_of_a_public_class_has_an_entry(name: str) -> None:
    """What `dir` shows of a class is told at the class itself, or once at the one that it is inherited from."""
    module = importlib.import_module(name)
    classes = [one for one in (getattr(module, each) for each in module.__all__) if inspect.isclass(one)]
    missing: list[str] = []
    for one in classes:
        ours = [base for base in one.__mro__ if place_of(base)]
        for attribute in dir(one):
            owners = [base for base in ours if attribute in vars(base) or attribute in inspect.get_annotations(base)]
            if attribute.startswith(("_", "test_")) or not owners or attribute in INNER:
                continue
            if not any(is_told(place_of(one), place_of(base), attribute) for base in owners):
                missing.append(f"{one.__name__}.{attribute} of {owners[0].__name__}")
    assert missing == []


def test_what_most_people_call_stands_first() -> None:
    """The synchronous form of a method tells all; the coroutine behind it comes after all of them, in a line."""
    memory = package()["memories.base.BaseMemory"]
    assert isinstance(memory, griffe.Object)
    method, awaited = memory.members["save_context"], memory.members["asave_context"]
    assert isinstance(method, griffe.Function)
    assert isinstance(awaited, griffe.Function)
    assert "inputs" in {one.name for one in method.parameters}
    assert method.docstring
    assert "Args:" in method.docstring.value
    assert awaited.docstring
    assert awaited.docstring.value == "Like `save_context`, to be awaited."
    assert (method.lineno or 0) < (memory.members["explain"].lineno or 0) < (awaited.lineno or 0)
