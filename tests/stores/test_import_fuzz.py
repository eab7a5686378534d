"""Changed files: what an import accepts, every strategy can load; all else is refused, and nothing is stored.

`MEMZOO_MUTATIONS=10000 pytest tests/stores/test_import_fuzz.py` tries so many of each file.
"""

import copy
import hashlib
import json
import logging
import os
import random
from typing import Any

import pytest

from memzoo.errors import ModelError, TransferError
from memzoo.memories import STRATEGIES, create_memory
from memzoo.memories.strategies.named import further_names, strategy_named
from memzoo.stores import InMemoryStore, ManagedStore, export_conversation, import_conversation
from memzoo.strategy import ModelBackedMemory
from memzoo.sync import drive
from tools.fuzz.mutations import ODD, places

MUTATIONS = int(os.environ.get("MEMZOO_MUTATIONS", "50"))
SAID = [
    ("I am Sam. My sister Anna lives in Oslo.", "Nice to meet you, Sam."),
    ("Anna works at Acme, and her boss is Bob Miller.", "Noted."),
    ("Robert Miller, called Bob, likes tea.", "I see."),
    ("What does Anna do?", "She works at Acme."),
]
WITH_STATES = ["summary", "summary-buffer", "entity", "vector-retriever", "knowledge-graph", "summarizing-window"]
NAMES = [name for name in (*STRATEGIES, *further_names()) if name != "combined"]


def exported(strategy: str) -> list[Any]:
    """The lines of a conversation from which a strategy has learnt, as JSON."""
    options: dict[str, Any] = {"max_token_limit": 10} if strategy == "summary-buffer" else {}
    options |= {"max_messages": 2} if strategy == "summarizing-window" else {}
    memory = create_memory(strategy, token_counter="approximate", **options, learn_every=1)
    for said, answer in SAID:
        memory.save_context({"input": said}, {"output": answer})
    return list(map(json.loads, export_conversation(memory.store, memory.conversation_id)))


def mutated(lines: list[Any], chance: random.Random) -> list[str]:
    """The lines with a few changes, and the digest of them, as a forger would leave them."""
    lines = copy.deepcopy(lines)
    for _ in range(chance.randint(1, 3)):
        kind, at = chance.randrange(5), chance.randrange(len(lines) - 1)
        if kind == 0:
            del lines[at]
        elif kind == 1:
            lines.insert(at, copy.deepcopy(chance.choice(lines[:-1])))
        else:
            holder, place = chance.choice(list(places(lines[at])) or [(lines, at)])
            other, there = chance.choice(list(places(chance.choice(lines))))
            if kind == 2 and isinstance(holder, dict):
                del holder[place]
            else:
                holder[place] = copy.deepcopy(chance.choice(ODD) if kind == 3 else other[there])
    digest = hashlib.sha256("".join(f"{json.dumps(line)}\n" for line in lines[:-1]).encode()).hexdigest()
    lines[-1] = {"end": len(lines) - 1, "sha256": digest}
    return [json.dumps(line) for line in lines]


def no_model(_: object) -> str:
    """Never answers."""
    raise ModelError("no model")


def load_all(store: ManagedStore, id_: str) -> None:
    """Load with every strategy, and save with one."""
    for name in NAMES:
        backed = issubclass(strategy_named(name), ModelBackedMemory)
        options: dict[str, Any] = {"llm": no_model, "on_model_error": "defer"} if backed else {}
        memory = create_memory(
            name, store=store, conversation_id=id_, token_counter="approximate", **options, learn_every=1
        )
        memory.load_memory_variables({"input": "What does Anna do? Who is Bob? Sam?"})
        memory.messages("Anna")
    before = len(drive(store.read(id_)))
    create_memory("buffer", store=store, conversation_id=id_).save_context({"input": "more"}, {"output": "ok"})
    assert len(drive(store.read(id_))) == before + 2


@pytest.mark.parametrize("strategy", WITH_STATES)
def test_what_is_accepted_can_be_loaded(strategy: str, caplog: pytest.LogCaptureFixture):
    """However a file was changed, it is refused as a whole, or every strategy can go on with it."""
    caplog.set_level(logging.CRITICAL, "memzoo")
    lines, chance = exported(strategy), random.Random(strategy)  # noqa: S311
    accepted = 0
    for _ in range(MUTATIONS):
        store, forged = InMemoryStore(), mutated(lines, chance)
        try:
            id_ = import_conversation(store, forged)
        except TransferError as error:
            reason = str(error)
            assert reason.endswith("nothing was stored")
            assert drive(store.conversations()) == []
        else:
            accepted += 1
            load_all(store, id_)
    assert 0 < accepted < MUTATIONS


@pytest.mark.parametrize("strategy", WITH_STATES)
def test_any_change_is_told_by_the_digest(strategy: str):
    """A text, a number or a line that was changed, added or left out spoils the file."""
    lines = exported(strategy)
    for at, line in enumerate(lines[:-1]):
        for holder, place in places(line):
            value = holder[place]
            holder[place] = f"{value}!" if isinstance(value, str) else 99
            with pytest.raises(TransferError, match="nothing was stored"):
                import_conversation(InMemoryStore(), map(json.dumps, lines))
            holder[place] = value
        rest = [*lines[:at], *lines[at + 1 :]]
        rest[-1] = {**rest[-1], "end": len(rest) - 1}
        with pytest.raises(TransferError, match="nothing was stored"):
            import_conversation(InMemoryStore(), map(json.dumps, rest))
    assert import_conversation(InMemoryStore(), map(json.dumps, lines)) == lines[0]["conversation_id"]
