"""The rows of the table that `speed` prints."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from memzoo.benchmarks.research import speed_memzoo as ours
from memzoo.benchmarks.research import speed_peers as peers
from memzoo.benchmarks.research.speed_talk import FREQUENT, RARE
from memzoo.benchmarks.research.speed_timing import Maker, Place

__all__ = ["LANGCHAIN", "LLAMA", "MEMZOO", "ROWS", "SESSION", "Row"]

MEMZOO, LANGCHAIN, LLAMA, SESSION = "memzoo", "langchain-classic", "llama-index-core", "openai-agents"

_MANY = 10_000
_FEW = 3
"""Calls in a sample that makes the conversation longer: a few, so that it keeps its length."""


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes:
        name: For the command line.
        title: What is measured.
        target: Seconds of CPU that memzoo may take, or the number of calls.
        makers: What to time, by library.
        most: The most calls in a sample.
        slow: Libraries that take minutes; they run only when asked for.
        counts: What to count instead of timing something, by library.
    """

    name: str
    title: str
    target: float
    makers: Mapping[str, Maker] = field(default_factory=dict[str, Maker])
    most: int = 1_000
    slow: Mapping[str, Maker] = field(default_factory=dict[str, Maker])
    counts: Mapping[str, Callable[[Place], int]] = field(default_factory=dict[str, Callable[[Place], int]])


def _buffer(count: int, target: float, turn_target: float) -> list[Row]:
    turns = {
        MEMZOO: ours.buffer_turn(count),
        LANGCHAIN: peers.langchain_buffer(count, "load", "save"),
        LLAMA: peers.llama_buffer(count, "load", "save"),
    }
    loads = {
        MEMZOO: ours.buffer_load(count),
        LANGCHAIN: peers.langchain_buffer(count, "load"),
        LLAMA: peers.llama_buffer(count, "load"),
    }
    return [
        Row(f"buffer-load-{count}", f"buffer, load as text, {count:,} exchanges", target, loads),
        Row(f"buffer-turn-{count}", f"buffer, save + load by turns, {count:,} exchanges", turn_target, turns, _FEW),
    ]


def _token_buffer(limit: int, target: float) -> list[Row]:
    loads = {
        MEMZOO: ours.token_buffer_load(limit),
        LANGCHAIN: peers.langchain_token_buffer(limit, "load"),
        LLAMA: peers.llama_token_buffer(limit, "load"),
    }
    saves = {MEMZOO: ours.token_buffer_save(limit), LANGCHAIN: peers.langchain_token_buffer(limit, "save")}
    return [
        Row(f"token-buffer-load-{limit}", f"token-buffer, load, limit {limit:,}", target, loads),
        Row(f"token-buffer-save-{limit}", f"token-buffer, save, limit {limit:,}", 100e-6, saves, _FEW),
    ]


ROWS = [
    *_buffer(1_000, 100e-6, 150e-6),
    *_buffer(10_000, 1e-3, 1.5e-3),
    Row(
        "save",
        "save, in memory",
        10e-6,
        {
            MEMZOO: ours.buffer_save,
            LANGCHAIN: peers.langchain_buffer(0, "save"),
            LLAMA: peers.llama_buffer(0, "save"),
        },
    ),
    Row(
        "window-load",
        "window `k=5`, load, after 10,000 exchanges",
        9e-6,
        {MEMZOO: ours.window_load(_MANY), LANGCHAIN: peers.langchain_window(_MANY, "load")},
    ),
    Row(
        "window-load-sqlite",
        "window over SQLite, load, the same (openai-agents: the last 20 messages)",
        100e-6,
        {
            MEMZOO: ours.window_load_sqlite(_MANY),
            LANGCHAIN: peers.langchain_window(_MANY, "load", sqlite=True),
            SESSION: peers.sessions(_MANY, "load"),
        },
    ),
    Row(
        "save-sqlite",
        "save over SQLite, after 10,000 exchanges",
        150e-6,
        {
            MEMZOO: ours.window_save_sqlite(_MANY),
            LANGCHAIN: peers.langchain_window(_MANY, "save", sqlite=True),
            SESSION: peers.sessions(_MANY, "save"),
        },
        100,
    ),
    *_token_buffer(2_000, 30e-6),
    *_token_buffer(100_000, 1e-3),
    Row(
        "opened-token-buffer",
        "10,000 stored messages opened with a 2,000 token limit, first load (langchain-classic: first save)",
        10e-3,
        {MEMZOO: ours.token_buffer_open},
        1,
        {LANGCHAIN: peers.langchain_open},
    ),
    Row(
        "retriever-rare",
        "retriever, 10,000 messages, load, warm, rare words",
        4e-3,
        {MEMZOO: ours.retriever_load(RARE), LANGCHAIN: peers.langchain_retriever(RARE)},
    ),
    Row(
        "retriever-frequent",
        "retriever, 10,000 messages, load, warm, frequent words",
        15e-3,
        {MEMZOO: ours.retriever_load(FREQUENT), LANGCHAIN: peers.langchain_retriever(FREQUENT)},
    ),
    Row(
        "opened-retriever",
        "retriever, first load after opening 10,000 messages on SQLite",
        50e-3,
        {MEMZOO: ours.retriever_open(RARE)},
        1,
    ),
    Row(
        "model-calls",
        "summary-buffer, model calls in 40 exchanges of 100 tokens, `max_token_limit=2000` already full",
        5,
        counts={MEMZOO: ours.model_calls, LANGCHAIN: peers.langchain_model_calls},
    ),
]
