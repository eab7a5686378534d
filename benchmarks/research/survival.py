"""Measures which rules, goals and facts a memory still shows: `python -m memzoo.benchmarks.research survival`.

Statements of six kinds are made early in a conversation, which then continues with other topics. Each round adds as
many tokens as the budget. After a round, the memory's view for a next step is checked for the statements, though the
step asks for none of them. Then the same is measured with the statements pinned. By default the offline model answers
the memories' prompts; the summaries of another model (`--model`) keep other statements.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from memzoo.benchmarks.research.inputs import limits_of, refusals
from memzoo.benchmarks.research.tables import show, table
from memzoo.benchmarks.transcripts import sample_transcripts
from memzoo.benchmarks.transcripts.conversations import Exchange
from memzoo.memories import STRATEGIES, BaseMemory, ChatModel, create_memory
from memzoo.memories.strategies.named import further_names, short_name
from memzoo.strategy import text_of

__all__ = ["STATEMENTS", "Statement", "measure_survival", "survival"]

NEXT_STEP = "Good. What do we do next?"


# The mean number of tokens in a message of the bundled conversation.
_TOKENS = 25


@dataclass(frozen=True)
class Statement:
    """A statement made early in a conversation, which should hold to the end.

    Attributes:
        kind: The kind of the statement.
        said: The user's messages; for a correction, the wrong statement first.
        marks: Words in lower case; a view shows the statement if it contains all of them.
    """

    kind: str
    said: Sequence[str]
    marks: Sequence[str]


STATEMENTS = (
    Statement("safety rule", ["Never delete the production backups."], ["never", "production backups"]),
    Statement("safety rule", ["Do not mail customers before Rosa approves."], ["not mail", "rosa"]),
    Statement("constraint", ["The whole trip must cost less than 640 euros."], ["640 euros"]),
    Statement("constraint", ["Everything has to run on Python 3.11."], ["python 3.11"]),
    Statement("goal", ["We want to launch the bakery's web shop on 3 June."], ["launch", "3 june"]),
    Statement("goal", ["My goal is to run ten kilometres by autumn."], ["ten kilometres"]),
    Statement("preference", ["I prefer answers in short bullet points."], ["bullet points"]),
    Statement("preference", ["I like my reports in British spelling."], ["british spelling"]),
    Statement("fact", ["My sister Ingrid lives in Bergen."], ["ingrid", "bergen"]),
    Statement("fact", ["The router's serial number is QX-7741."], ["qx-7741"]),
    Statement("correction", ["The key is with Anton.", "No, the key is with Larkin instead."], ["larkin"]),
    Statement(
        "correction", ["Our supplier is Halloran.", "Our supplier is not Halloran but Pemberton."], ["pemberton"]
    ),
)
"""The statements to check for, two of each kind."""


def measure_survival(
    name: str, rounds: Sequence[int], *, pinned: bool, budget: int, model: str | ChatModel = "offline"
) -> dict[int, Mapping[str, float]]:
    """Return the share of statements of each kind that a memory still shows, by the number of rounds.

    Args:
        name: The strategy.
        rounds: The numbers of rounds after which the view is checked.
        pinned: True to pin the statements when they are made.
        budget: The number of tokens in a round; also the token limit of each memory that has one.
        model: The model for the memories' prompts.
    """
    memory = _memory(name, budget, model)
    for one in STATEMENTS:
        for said in one.said:
            # Of a correction, only the new statement is pinned.
            is_pinned = pinned and said == one.said[-1]
            memory.add_messages([{"role": "user", "content": said}], pinned=is_pinned, learn=False)
            memory.add_messages([{"role": "assistant", "content": "Understood."}])
    talk, found = itertools.cycle(sample_transcripts()[0].exchanges), dict[int, Mapping[str, float]]()
    for done in range(1, max(rounds) + 1):
        _go_on(memory, talk, budget)
        if done in rounds:
            found[done] = _shares(memory)
    return found


def _memory(name: str, budget: int, model: str | ChatModel) -> BaseMemory:
    limit = {"token-window": "max_tokens"} | dict.fromkeys(
        ("summary-buffer", "token-buffer", "vector-retriever", "entity", "knowledge-graph", "combined"),
        "max_token_limit",
    )
    limits: dict[str, Any] = {limit[name]: budget} if name in limit else {}
    if name in ("message-window", "summarizing-window"):
        limits["max_messages"] = max(budget // _TOKENS, 30)
    # After a reply that cannot be used, the model is asked again at the next save.
    options: dict[str, Any] = {"token_counter": "approximate", "on_model_error": "defer", **limits}
    return create_memory(name, llm=model, **options)


def _go_on(memory: BaseMemory, talk: Iterator[Exchange], budget: int) -> None:
    spent = 0
    while spent < budget:
        messages = next(talk).messages
        memory.add_messages(messages)
        spent += sum(map(memory.counter, messages))


def _shares(memory: BaseMemory) -> Mapping[str, float]:
    shown = "\n".join(map(text_of, memory.messages(NEXT_STEP))).lower()
    kinds: dict[str, list[bool]] = {}
    for one in STATEMENTS:
        kinds.setdefault(one.kind, []).append(all(mark in shown for mark in one.marks))
    return {kind: sum(held) / len(held) for kind, held in kinds.items()}


def _percent(share: float) -> str:
    return f"{100 * share:.0f}"


def survival(
    names: Annotated[list[str] | None, typer.Argument(help="Strategies; by default all.")] = None,
    *,
    rounds: Annotated[str, typer.Option(help="Rounds of compaction after which is looked.")] = "1,5,10,20",
    budget: Annotated[int, typer.Option(help="Tokens of a round, and of what is shown.", min=100)] = 1000,
    model: Annotated[str, typer.Option(help="A model's name, or 'offline'.")] = "offline",
) -> None:
    """Measure the share of rules, goals and facts still shown after rounds of new topics, unpinned and pinned."""
    with refusals():
        chosen, looked = list(map(short_name, names)) if names else [*STRATEGIES, *further_names()], limits_of(rounds)
        llm: str | ChatModel = model if model == "offline" else ChatModel(model)
        plain, pinned = (
            {name: measure_survival(name, looked, pinned=pins, budget=budget, model=llm) for name in chosen}
            for pins in (False, True)
        )
    kinds = list(dict.fromkeys(one.kind for one in STATEMENTS))
    by_round = [[name, *(f"{_mean(plain[name][at])} / {_mean(pinned[name][at])}" for at in looked)] for name in chosen]
    by_kind = [[name, *(_percent(plain[name][looked[-1]][kind]) for kind in kinds)] for name in chosen]
    heads = ["%, without / with pins", *(f"{at} round{'s' * (at > 1)}" for at in looked)]
    show(
        table(heads, by_round, f"Shown of {len(STATEMENTS)} statements, {budget:,} tokens a round"),
        table(["%, without pins", *kinds], by_kind, f"By kind, after {looked[-1]} rounds"),
    )


def _mean(shares: Mapping[str, float]) -> str:
    return _percent(sum(shares.values()) / len(shares))
