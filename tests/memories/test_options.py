"""Options: names and defaults of LangChain, refused by name where they cannot work."""

import importlib
import inspect
import re
import sys
import uuid
from pathlib import Path
from typing import Any

import pytest

from memzoo.errors import OptionError
from memzoo.memories import STRATEGIES, BaseMemory, create_memory
from memzoo.memories.options import options_of
from memzoo.stores import open_store
from tools.templates.talks import OPTIONS

WINDOW = {"evict": "message", "oversized": "raise", "rules": "memzoo", "step": 0}
DEFAULTS: dict[str, dict[str, Any]] = {
    "buffer": {},
    "window": {"k": 5, "step": 0},
    "summary": {"learn_every": None},
    "summary-buffer": {"max_token_limit": 2000, "count_summary": False, "prune_to": None},
    "entity": {
        "k": 3,
        "step": 0,
        "max_token_limit": 1000,
        "ask_at_load": False,
    },
    "vector-retriever": {"k": None, "max_token_limit": None, "embedder": None},
    "knowledge-graph": {
        "k": 2,
        "max_token_limit": 1000,
        "ask_at_load": False,
        "mine_ai": True,
    },
    "combined": {"memories": ("vector-retriever", "window"), "max_token_limit": None, "shares": None},
    "message-window": {**WINDOW, "max_messages": 20},
    "token-window": {**WINDOW, "max_token_limit": 2000},
    "summarizing-window": {"max_messages": 20},
}
# The smallest number that an option may be, where it has one.
LEAST = {
    ("summary", "learn_every"): 1,
    ("summary", "max_state_tokens"): 1,
    ("summary", "max_prompt_tokens"): 1536,
    ("summary-buffer", "max_token_limit"): 0,
    ("summary-buffer", "prune_to"): 0,
    ("entity", "max_token_limit"): 1,
    ("entity", "max_state_tokens"): 1,
    ("vector-retriever", "k"): 1,
    ("vector-retriever", "max_token_limit"): 1,
    ("knowledge-graph", "max_token_limit"): 1,
    ("knowledge-graph", "max_state_tokens"): 1,
    ("combined", "max_token_limit"): 1,
    ("window", "step"): 0,
    ("entity", "step"): 0,
    ("message-window", "max_messages"): 1,
    ("message-window", "step"): 0,
    ("token-window", "max_token_limit"): 1,
    ("summarizing-window", "max_messages"): 1,
}


def made(name: str, **options: Any) -> BaseMemory:
    """A memory with options that type checkers need not know."""
    return create_memory(name, **options)


@pytest.mark.parametrize("name", DEFAULTS)
def test_defaults_are_langchains(name: str) -> None:
    """Every strategy has LangChain's names, and its defaults or those that are better (reference 2.3, 2.4)."""
    common = {
        "memory_key": "history",
        "input_key": None,
        "output_key": None,
        "human_prefix": "Human",
        "ai_prefix": "AI",
    }
    memory = create_memory(name)
    for option, default in (common | {"return_messages": False} | DEFAULTS[name]).items():
        assert getattr(memory, option) == default, option


@pytest.mark.parametrize(("name", "option"), LEAST)
def test_the_smallest_number_of_an_option_is_allowed(name: str, option: str) -> None:
    """It works, and the one below it is refused with what would be right."""
    least = LEAST[name, option]
    memory = made(name, **{option: least})
    memory.save_context({"input": "My dog is called Rex."}, {"output": "A fine name."})
    with pytest.raises(OptionError, match=f"{option} must be a whole number of at least {least}"):
        made(name, **{option: least - 1})


@pytest.mark.parametrize(("name", "option"), LEAST.keys() - {("summary-buffer", "prune_to")})
def test_the_greatest_number_of_an_option_is_allowed(name: str, option: str, tmp_path: Path) -> None:
    """It works on a log that is read piece by piece, and the one above it is refused with what would be right."""
    greatest = 2**63 - 1
    said = [{"role": role, "content": "My dog Rex lives in Oslo."} for role in ("user", "assistant")]
    with open_store(f"sqlite:///{tmp_path}/a.db") as store:
        kept: dict[str, Any] = {"store": store, "conversation_id": "c"}
        create_memory("buffer", **kept).add_messages(50 * said)
        memory = made(name, learn="later", **kept, **{option: greatest})
        assert "Rex" in str((memory.load_memory_variables({"input": "Rex?"}), memory.messages("Rex?")))
        memory.save_context({"input": "Rex?"}, {"output": "Rex!"})
        for number in (greatest + 1, 10**5000):
            with pytest.raises(OptionError, match=f"{option} must be a whole number of at most {greatest}, not "):
                made(name, **kept, **{option: number})


@pytest.mark.parametrize("strategy", STRATEGIES.values())
def test_unknown_ones_are_refused(strategy: type[BaseMemory]) -> None:
    """A misspelt option is an error that names it and all that there are; LangChain ignored it (reference 2.1)."""
    with pytest.raises(OptionError) as caught:
        strategy(memory_kee="x", zzz=1, conversation_id="a")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    text = str(caught.value)
    assert text.startswith(f"{strategy.__name__} has no option 'memory_kee', 'zzz'; it has: ")
    assert "conversation_id" in text
    assert "_start" not in text


@pytest.mark.parametrize(("name", "given"), [(name, one) for name, several in OPTIONS.items() for one in several])
def test_the_options_of_the_run_over_templates_exist(name: str, given: dict[str, Any]) -> None:
    """`make templates` can make each memory that it means to."""
    create_memory(name, llm="offline", token_counter="approximate", **given)


def test_errors_fit_builtins() -> None:
    """Who catches TypeError for an unknown option, or ValueError for a wrong value, catches ours."""
    assert issubclass(OptionError, TypeError)
    assert issubclass(OptionError, ValueError)


@pytest.mark.parametrize("url", ["memory://", "sqlite://"])
def test_a_turn_id_must_be_a_text(url: str) -> None:
    """A number or a UUID is refused in the same words whatever the store, and nothing is stored."""
    memory = create_memory("buffer", store=open_store(url))
    turn_id: Any = uuid.UUID(int=7)
    with pytest.raises(OptionError, match="turn_id must be a string, or None for a fresh one, not UUID"):
        memory.save_context({"input": "hi"}, {"output": "hello"}, turn_id=turn_id)
    with pytest.raises(OptionError, match="turn_id must be a string"):
        memory.turn("hi", turn_id=turn_id)
    assert memory.history() == []


@pytest.mark.parametrize("name", DEFAULTS)
def test_no_option_can_be_assigned(name: str) -> None:
    """Parts of a memory were made from its options, so a later value is an error that says how to have it."""
    memory = create_memory(name)
    for option in options_of(type(memory)):
        before = getattr(memory, option)
        with pytest.raises(OptionError, match=rf"{option} cannot change .* memory\.clone\({option}=\.\.\.\)"):
            setattr(memory, option, "other")
        assert getattr(memory, option) is before


def test_a_clone_has_other_options() -> None:
    """It is checked as any memory, and remembers the same conversation."""
    memory = create_memory("window")
    for said in "ab":
        memory.save_context({"input": said}, {"output": "ok"})
    assert memory.clone(k=1, return_messages=True).load_memory_variables({})["history"] == [
        {"role": "user", "content": "b"},
        {"role": "assistant", "content": "ok"},
    ]
    with pytest.raises(OptionError, match="k must be a whole number"):
        memory.clone(k="two")
    with pytest.raises(OptionError, match="'kk'"):
        memory.clone(kk=2)


def test_the_limit_of_a_clone_holds_for_what_waits_too() -> None:
    """What could not be learnt from is shown within the limit of the memory that shows it."""

    def down(_: object) -> str:
        raise RuntimeError

    memory = create_memory("knowledge-graph", llm=down, on_model_error="defer")
    for number in range(5):
        memory.save_context({"input": f"words {number}"}, {"output": "ok"})
    assert "words 0" in str(memory.messages("words"))
    shown = str(memory.clone(max_pending_tokens=20).messages("words"))
    assert "words 4" in shown
    assert "words 0" not in shown


def test_the_default_of_a_set_is_told_in_order() -> None:
    """A set has another order in each process, and the reference would change with each build."""
    told = " ".join((inspect.getdoc(STRATEGIES["knowledge-graph"]) or "").split())
    relations = re.findall(r"'([^']+)'", told.partition("Relations with one object")[2].partition("]")[0])
    assert len(relations) > 20
    assert relations == sorted(relations)


@pytest.mark.parametrize("header", ["", "from __future__ import annotations\n"])
def test_annotations_say_what_options_may_be(header: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers and truth values are checked, however a module writes its annotations; a list of numbers is none."""
    text = f'''{header}
from dataclasses import field
from typing import Annotated, Literal
from memzoo.strategy import AtLeast, BaseMemory, View, strategy

@strategy
class ListedMemory(BaseMemory):
    """Shows nothing."""
    name = "listed"
    k: Annotated[int, AtLeast(0)] = 3
    """How many exchanges."""
    most: int | None = 3
    loud: bool = False
    tone: Literal["high", "low"] | None = None
    ids: list[int] = field(default_factory=list)

    async def view(self, log, state, query):
        return View()
'''
    name = f"listed_{len(header)}"
    (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    listed = importlib.import_module(name).ListedMemory
    assert listed(ids=[1], most=None).ids == [1]
    assert "k: How many exchanges. Default: `3`." in listed.__doc__
    for wrong in ({"k": -1}, {"k": "x"}, {"most": "x"}, {"loud": "x"}, {"tone": "x"}):
        with pytest.raises(OptionError, match=f"{next(iter(wrong))} must be "):
            listed(**wrong)
