"""Finds strategies by name: memzoo's own, and strategies from installed packages."""

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING

from memzoo.errors import OptionError, PluginError
from memzoo.memories.base import BaseMemory
from memzoo.memories.engine.hooks import check_class
from memzoo.text import did_you_mean

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

SEVEN = {
    "buffer": "buffer:ConversationBufferMemory",
    "window": "window:ConversationBufferWindowMemory",
    "summary": "summary:ConversationSummaryMemory",
    "summary-buffer": "summary_buffer:ConversationSummaryBufferMemory",
    "entity": "entity:ConversationEntityMemory",
    "vector-retriever": "vector_retriever:VectorStoreRetrieverMemory",
    "knowledge-graph": "knowledge_graph:ConversationKGMemory",
}
"""The seven strategies, from the simplest to the most elaborate: short name -> "module:class" in this folder."""

FURTHER = {
    "combined": "combined:CombinedMemory",
    "message-window": "windows:MessageWindowMemory",
    "token-window": "windows:TokenWindowMemory",
    "summarizing-window": "summarizing_window:SummarizingWindowMemory",
}
"""Further strategies: short name -> "module:class" in this folder."""

_OWN = SEVEN | FURTHER

_LANGCHAINS = {"token-buffer": "token-window", "ConversationTokenBufferMemory": "token-window"}
"""LangChain's names of a strategy that has another name here."""


def short_name(name: str) -> str:
    """Return the short name of a strategy, given its class name or short name.

    Raises:
        OptionError: No strategy has this name.
    """
    # Installed packages are looked up last, because the lookup takes longer than making a memory.
    name = _LANGCHAINS.get(name, name)
    short = _short_among(_OWN, name) or _short_among(_find_places(), name)
    if short is None:
        raise _unknown(name)
    return short


def strategy_named(name: str) -> type[BaseMemory]:
    """Return the class of a strategy, given its class name or short name.

    Raises:
        OptionError: No strategy has this name.
        PluginError: The strategy's package cannot be loaded, or has no strategy with this name.
    """
    short = short_name(name)
    if short not in _OWN:
        return _memory_of(_find_added()[short])
    module, _, class_name = _OWN[short].partition(":")
    found: type[BaseMemory] = getattr(importlib.import_module(f"memzoo.memories.strategies.{module}"), class_name)
    return found


def further_names() -> list[str]:
    """Return the short names of all strategies besides the classic seven; those from installed packages come last."""
    return [*FURTHER, *_find_added()]


def _find_added() -> "Mapping[str, EntryPoint]":
    from memzoo.plugins import plugins_by_name

    return plugins_by_name("memzoo.strategies", frozenset(_OWN))


def _memory_of(plugin: "EntryPoint") -> type[BaseMemory]:
    from memzoo.plugins import load_plugin

    found, what = load_plugin(plugin), f"{plugin.value}, the strategy {plugin.name!r},"
    if not isinstance(found, type) or not issubclass(found, BaseMemory):
        raise PluginError(f"{what} is {found!r}; it must be a BaseMemory")
    if (name := getattr(found, "name", None)) != plugin.name:
        raise PluginError(f"{what} has the name {name!r}: its entry point and the `name` of its class must be the same")
    check_class(found, BaseMemory)
    return found


def _find_places() -> dict[str, str]:
    return {name: plugin.value for name, plugin in _find_added().items()}


def _short_among(places: Mapping[str, str], name: str) -> str | None:
    return next((short for short, place in places.items() if name in (short, _class_name(place))), None)


def _class_name(place: str) -> str:
    return place.partition(":")[2]


def _unknown(name: str) -> OptionError:
    known = {short: _class_name(place) for short, place in (_OWN | _find_places()).items()}
    hint = did_you_mean(name, [*known, *known.values()])
    listed = ", ".join(f"{short!r} ({class_name})" for short, class_name in known.items())
    return OptionError(f"there is no strategy {name!r}; there are {listed}{hint}")
