"""No text stops the process: each expression and each function over text is linear in its length (I13)."""

import contextlib
import importlib
import inspect
import json
import pkgutil
import re
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, cast

import pytest

from memzoo.benchmarks.measure import answers
from memzoo.benchmarks.measure.answers import answer_found
from memzoo.cassettes.answers import hide_in_answer, hide_in_events
from memzoo.cassettes.secrets import Keys
from memzoo.errors import MissingExtraError
from memzoo.memories import create_memory
from memzoo.memories.models import replies
from memzoo.memories.models.hashing import hash_embedding
from memzoo.memories.models.offline.prompt import read_prompt, sentences, turns
from memzoo.memories.models.offline.tasks import reply as offline_reply
from memzoo.memories.search.words import Analyser
from memzoo.memories.text.fitting import shorten_text
from memzoo.memories.text.language import join_sentences
from memzoo.memories.text.messages import Labels, checked, quote_turns
from memzoo.memories.text.names import fold, mentions, places
from memzoo.memories.text.thoughts import Speech
from memzoo.memories.text.tokens import count_text
from memzoo.prompts import PromptSet
from memzoo.strategy import text_of
from tests.growth import ATOMS, against, repeated, superlinear
from tests.prompting import rendered

PACKAGES = ("memories", "prompts", "stores", "testing", "cassettes", "benchmarks", "hosts", "cli")
SIZE = 2_000
# On a busy machine, one may be taken for linear.
_TRIES = 5
PROMPTS = PromptSet()


def modules() -> Iterator[ModuleType]:
    """All modules that ship, but for programs, research, and adapters of other libraries."""
    for name in ("errors", "forks", "plugins", "sync", "text"):
        yield importlib.import_module(f"memzoo.{name}")
    for package in PACKAGES:
        top = importlib.import_module(f"memzoo.{package}")
        yield top
        for found in pkgutil.walk_packages(top.__path__, f"{top.__name__}."):
            if not re.search(r"\.research|\.adapters\.|__main__", found.name):
                with contextlib.suppress(MissingExtraError):  # an agent framework that is not installed
                    yield importlib.import_module(found.name)


Use = tuple["re.Pattern[str]", str]
"""An expression, and the method that is called."""


def uses() -> Iterator[Any]:
    """The expressions of each module as they are used: at the beginning of a text, for all of it, or anywhere in it."""
    for module in modules():
        source, found = inspect.getsource(module), list[Use]()
        for name, value in vars(module).items():
            if isinstance(value, re.Pattern) and isinstance(cast("re.Pattern[Any]", value).pattern, str):
                ways = set(re.findall(rf"\b{name}\.(\w+)", source))
                anchored = ways <= {"match", "fullmatch"} and ways
                found += [(cast("re.Pattern[str]", value), way) for way in (sorted(ways) if anchored else ["finditer"])]
        if found:
            yield pytest.param(found, id=module.__name__)
    tag = PROMPTS._templates.tag  # pyright: ignore[reportPrivateUsage] - made of the templates
    yield pytest.param([(tag, "finditer")], id=tag.pattern[:30])


@pytest.mark.parametrize("expressions", [*uses()])
def test_expressions(expressions: list[Use]) -> None:
    """An expression reads a text once, whatever the text: what its parts could take in turns included."""
    slow = [
        (pattern.pattern, text(20))
        for pattern, way in expressions
        for text in against(pattern)
        if superlinear(use(pattern, way), text, SIZE)
    ]
    assert slow == []


def use(pattern: re.Pattern[str], way: str) -> Callable[[str], object]:
    """A function that applies an expression to a text as the library does."""
    apply = getattr(pattern, way)
    return (lambda text: sum(1 for _ in apply(text))) if way == "finditer" else apply


def test_what_was_quadratic_is_found() -> None:
    """The test sees an expression that once stopped a process with one message."""
    compiled = re.compile(r"<(?=\s*/?\s*(?:summary|history))")
    texts = [*against(compiled)] * _TRIES
    assert any(superlinear(use(compiled, "finditer"), text, SIZE) for text in texts)


def stream(text: str) -> str:
    """The text as a model streams it, a few characters in each event, after the text as it is: eight times as long."""
    pieces = [text[start : start + 4] for start in range(0, len(text), 4)]
    return "\n".join([text, *(f"data: {json.dumps({'delta': piece})}" for piece in pieces)])


# They take a name, a place or a template that no user and no model can write, or do something with it.
NO_TEXT = frozenset(
    "confirm echo open_existing unlock_store open_store create_memory strategy_named short_name "
    "named_counter parse_variant plugins plugins_by_name source render_template read_cassette load".split()
)


def functions() -> Iterator[tuple[str, Callable[[str], object]]]:
    """All public functions of one text, by name: whoever writes another one has it tested without a word."""
    for module in modules():
        for name in public_names(module) - NO_TEXT:
            function = inspect.unwrap(getattr(module, name))  # what is kept from call to call would be no work
            if inspect.isfunction(function) and function.__module__ == module.__name__ and takes_a_text(function):
                yield f"{module.__name__}.{name}", function


def public_names(module: ModuleType) -> set[str]:
    """The names that others may use; a module without a list of them has no underscore before them."""
    return set(getattr(module, "__all__", None) or (name for name in vars(module) if not name.startswith("_")))


def takes_a_text(function: Callable[..., object]) -> bool:
    """Whether a function needs one argument, which is a text."""
    given = inspect.signature(function).parameters.values()
    needed = [one for one in given if one.default is one.empty and not str(one).startswith("*")]
    return [one.annotation for one in needed] == [str]


def forgetful(module: ModuleType) -> bool:
    """Empty the caches of a module: what is kept from call to call would be no work."""
    for function in vars(module).values():
        if hasattr(function, "cache_clear"):
            function.cache_clear()
    return True


def in_pieces(text: str) -> None:
    """Say a text in pieces."""
    speech = Speech()
    for place in range(0, len(text), 7):
        speech.add(text[place : place + 7])


FUNCTIONS: dict[str, Callable[[str], object]] = {
    **dict(sorted(functions())),
    "notes": lambda text: replies.amendments(f"Sam: {text}", ["Sam"], text),
    "aliases": lambda text: replies.aliases(text, ["Sam"], text),
    "prose": lambda text: replies.prose(text, "summary"),
    "answer_found": lambda text: forgetful(answers) and answer_found(text, [text]),
    "hash_embedding": lambda text: hash_embedding([text]),
    "read_prompt": read_prompt,
    "turns": turns,
    "sentences": sentences,
    "join_sentences": lambda text: join_sentences(text.split(" ")),
    "terms": lambda text: Analyser().terms([text]),
    "line": lambda text: Labels().line({"role": "user", "content": text}),
    "speaker": lambda text: Labels().speaker({"role": "user", "content": "", "name": text}),
    "checked": lambda text: checked({"role": "user", "content": text}),
    "text_of": lambda text: text_of({"role": "user", "content": [{"type": "text", "text": text}]}),
    "quote_turns": lambda text: quote_turns(text, ["Human", "AI"]),
    "speech": lambda text: in_pieces(f"<think>{text}"),
    "mentions": lambda text: mentions(fold(text), "sam"),
    "places": lambda text: [*places(text, "sam"), *places(text, text[: len(text) // 2])],
    "shorten_text": lambda text: shorten_text(text, lambda beginning: len(beginning) < 100),
    "tiktoken": lambda text: count_text(text, "o200k_base"),
    "render": lambda text: rendered("summary", summary=text, new_lines=text),
    "hide": lambda text: Keys().hide(text),
    "hide_in_events": lambda text: hide_in_events(
        stream(text[: len(text) // 8]), Keys()
    ),  # which is as long as the text
    "hide_in_answer": lambda text: hide_in_answer(json.dumps({"text": text}), "application/json", Keys()),
}


def test_functions_are_found() -> None:
    """The walk finds functions that are kept with a cache, too, and leaves out none that is no more."""
    names = {name.rpartition(".")[2] for name in FUNCTIONS}
    assert {"extract_spoken", "canonical", "content_stems", "rows_of_table", "visible"} <= names
    public = {name for module in modules() for name in public_names(module)}
    assert public >= NO_TEXT


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name: str) -> None:
    """A function over text takes time in proportion to its length, whatever is repeated in it."""
    slow = [text(20) for text in repeated(ATOMS, ("", "x")) if superlinear(FUNCTIONS[name], text, SIZE)]
    assert slow == []


@pytest.mark.parametrize("task", ["summary", "triple_extraction", "current_entities", ""])
def test_offline_rules(task: str) -> None:
    """The offline model reads each text in linear time, for each of its tasks."""
    known = {"summary": ""}

    def asked(text: str) -> str:
        prompt = rendered(task, **known, new_lines=f"Human: {text}", input=text) if task else text
        return offline_reply([("user", prompt)])

    assert asked("My sister Anna lives in Oslo.")  # what fails takes no time either
    assert [text(20) for text in repeated(ATOMS) if superlinear(asked, text, SIZE)] == []


@pytest.mark.parametrize("name", ["buffer", "summary", "entity", "vector-retriever", "knowledge-graph"])
def test_memories(name: str) -> None:
    """A message is saved, learnt from and loaded in linear time, by strategies with and without a model."""

    def turn(text: str) -> None:
        def say(messages: object) -> str:
            return text

        asked: dict[str, Any] = {"llm": say} if name not in ("buffer", "vector-retriever") else {}
        memory = create_memory(name, on_model_error="defer", **asked)
        memory.save_context({"input": text}, {"output": "ok"})
        memory.load_memory_variables({"input": text})

    atoms = ["< ", "\v", "\n", ". ", " ", "a\u0316\u0300", "\nHuman:", "|", "<think>", "\U0001f600", "Sam "]
    assert [text(20) for text in repeated(atoms) if superlinear(turn, text, 2_000)] == []
