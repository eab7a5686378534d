"""The zoo: every strategy by class name and by short name."""

import sys
from pathlib import Path
from typing import Any

import pytest

from memzoo import plugins
from memzoo.errors import MemoryZooError, OptionError, PluginError
from memzoo.memories import STRATEGIES, BaseMemory, create_memory
from memzoo.memories.strategies.named import strategy_named

SEVEN = {
    "buffer": "ConversationBufferMemory",
    "window": "ConversationBufferWindowMemory",
    "summary": "ConversationSummaryMemory",
    "summary-buffer": "ConversationSummaryBufferMemory",
    "entity": "ConversationEntityMemory",
    "vector-retriever": "VectorStoreRetrieverMemory",
    "knowledge-graph": "ConversationKGMemory",
}


def test_has_the_seven() -> None:
    """The seven strategies have LangChain's class names, from the simplest to the most elaborate."""
    names = {name: strategy.__name__ for name, strategy in STRATEGIES.items()}
    assert {name: names[name] for name in SEVEN} == SEVEN
    assert [name for name in STRATEGIES if name in SEVEN][:5] == list(SEVEN)[:5]


@pytest.mark.parametrize(("short", "name"), SEVEN.items())
def test_knows_both_names(short: str, name: str) -> None:
    """Class name and short name stand for the same class, whose `name` is the short one."""
    assert strategy_named(short) is strategy_named(name) is type(create_memory(name))
    assert strategy_named(name).name == short


@pytest.mark.parametrize("name", ["", "bufer", "Buffer", "BaseMemory", "ConversationTokenBuffer"])
def test_unknown_one_is_an_error_that_lists_them(name: str) -> None:
    """An unknown name is an error with all that there are."""
    with pytest.raises(OptionError) as caught:
        create_memory(name)
    text = str(caught.value)
    assert text.startswith(f"there is no strategy {name!r}; there are 'buffer' (ConversationBufferMemory), ")
    assert all(f"{short!r} ({long})" in text for short, long in SEVEN.items())
    assert isinstance(caught.value, MemoryZooError)


def test_passes_options_on() -> None:
    """Options are those of the class."""
    memory = create_memory("ConversationBufferWindowMemory", k=1, memory_key="chat")
    assert memory.memory_variables == ["chat"]
    unknown: dict[str, Any] = {"max_token_limit": 5}
    with pytest.raises(OptionError, match="has no option 'max_token_limit'"):
        create_memory("window", **unknown)


def test_the_class_is_changed_by_changing_the_name() -> None:
    """One conversation can be opened with any strategy, in turn (DESIGN 1)."""
    first = create_memory("buffer")
    first.save_context({"input": "my cat"}, {"output": "ok"})
    for name in ("window", "buffer"):
        opened = create_memory(name, store=first.store, conversation_id=first.conversation_id)
        assert isinstance(opened, BaseMemory)
        assert opened.load_memory_variables({}) == {"history": "Human: my cat\nAI: ok"}


def test_no_package_takes_a_name_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """What is installed adds strategies under their own names, and replaces none, which one warning tells."""
    info = tmp_path / "memzoo_other-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: memzoo-other\nVersion: 1.0\n", encoding="utf-8")
    own = "memzoo.memories.strategies.buffer:ConversationBufferMemory"
    module = "from memzoo import ConversationBufferMemory as Base\nclass OtherMemory(Base):\n    name = 'other'\n"
    (tmp_path / "memzoo_other.py").write_text(module, encoding="utf-8")
    points = f"[memzoo.strategies]\nwindow = {own}\nother = memzoo_other:OtherMemory\nanother = {own}\n"
    (info / "entry_points.txt").write_text(points, encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    plugins.plugins.cache_clear()
    try:
        with pytest.raises(OptionError, match=r"'other' \(OtherMemory\)") as caught:
            create_memory("bufer")
        assert str(caught.value).count("'window' (ConversationBufferWindowMemory)") == 1
        [record] = caplog.records
        passed = f"'window' in memzoo.strategies: {own} of the package 'memzoo-other' is ignored"
        assert record.message == f"{passed}, because memzoo's own 'window' is used"
        with pytest.raises(OptionError, match=r"Did you mean 'OtherMemory'\?$"):
            create_memory("OtherMemori")
        with pytest.raises(PluginError, match="the strategy 'another', has the name 'buffer'"):
            create_memory("another")
        assert type(create_memory("window")).__name__ == SEVEN["window"]
        assert type(create_memory("other")).__name__ == "OtherMemory"
    finally:
        plugins.plugins.cache_clear()
