"""Measures the cost of each memory with a prompt cache: `python -m memzoo.benchmarks.research cache`.

Each exchange of a conversation is one request: a system prompt, the memory's view, and the user's message. By OpenAI's
rule, the tokens that repeat the beginning of the previous request are cheaper, if there are at least 1,024 of them.
Questions do not count as requests.
"""

import contextlib
import functools
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

import typer

from memzoo.benchmarks.measure.caching import CACHES, CacheRule, PromptCache, Requests
from memzoo.benchmarks.measure.counting import TextCounter, named_counter
from memzoo.benchmarks.measure.evidence import score_question
from memzoo.benchmarks.outcomes import Scored
from memzoo.benchmarks.research.inputs import conversations, limits_of, refusals
from memzoo.benchmarks.research.tables import show, table
from memzoo.benchmarks.transcripts import sample_transcripts
from memzoo.benchmarks.transcripts.conversations import Question, Transcript
from memzoo.benchmarks.variants import PRESETS, Variant, check_variants, parse_variant
from memzoo.errors import ModelError
from memzoo.memories import BaseMemory, ChatModel
from memzoo.stores import InMemoryStore, Message
from memzoo.strategy import text_of

_PRICES = (0.1, 0.02)


@dataclass
class Measured:
    """The measurements of one memory over some conversations.

    Attributes:
        requests: A dict from the size of a system prompt, in tokens, to the totals of the requests with this prompt.
        answers: The scores of the view for each question.
        shown: The number of tokens shown for each question.
    """

    requests: dict[int, Requests] = field(default_factory=dict[int, Requests])
    answers: list[Scored] = field(default_factory=list[Scored])
    shown: list[int] = field(default_factory=list[int])


def whole_views(names: Sequence[str]) -> list[Variant]:
    """Return the memories with these names; by default all but "everything". Here, no view is cut to a budget.

    Raises:
        MemoryZooError: A name is not the name of a strategy, or its options cannot be read.
    """
    chosen = [parse_variant(one) for one in names] or [one for one in PRESETS.values() if one.cut]
    return [one for one in chosen if one.strategy or one.baseline]


def measure_requests(
    transcripts: Sequence[Transcript],
    variant: Variant,
    counter: TextCounter,
    *,
    budget: int,
    systems: Sequence[int],
    rule: CacheRule,
) -> Measured:
    """Run a memory through conversations, and return its measurements.

    `systems` are the sizes, in tokens, of the system prompts to measure with.
    """
    found = Measured({system: Requests() for system in systems})
    for transcript in transcripts:
        caches = {system: PromptCache(rule, counter, system_tokens=system) for system in systems}
        _talk(transcript, functools.partial(variant.make, budget), counter, caches, found)
    return found


def _talk(
    transcript: Transcript,
    make: Callable[..., BaseMemory | None],
    counter: TextCounter,
    caches: Mapping[int, PromptCache],
    found: Measured,
) -> None:
    now = [transcript.exchanges[0].said_at]
    memory = make(
        llm=ChatModel("offline").direct(),
        conversation_id="cache",
        store=InMemoryStore(clock=lambda: now[0]),
        clock=lambda: now[0].timestamp(),  # noqa: PLW0108 - another date each time
        human_prefix=transcript.user,
        ai_prefix=transcript.assistant,
        token_counter=counter.of_message,
    )
    due = deque(transcript.measured)
    for number, exchange in enumerate(transcript.exchanges, start=1):
        while due and due[0].asked_after is not None and due[0].asked_after < number:
            _ask(memory, due.popleft(), counter, found)
        now[0] = exchange.said_at
        # The short system text stands for the system prompt, whose size the caches know.
        request = exchange.asked if memory is None else memory.request(*exchange.asked, system="-")
        for system, one in caches.items():
            found.requests[system] += one.send(request, now[0].timestamp())
        if memory is not None:
            # Rules cannot answer every prompt; messages not learnt are shown word for word and learnt later.
            with contextlib.suppress(ModelError):
                memory.add_messages(exchange.records)
    for question in due:
        _ask(memory, question, counter, found)


def _ask(memory: BaseMemory | None, question: Question, counter: TextCounter, found: Measured) -> None:
    shown = _view_of(memory, question.text)
    found.answers.append(score_question(question, tuple((one["role"], text_of(one)) for one in shown)))
    found.shown.append(counter.of_messages(shown))


def _view_of(memory: BaseMemory | None, query: str | None) -> Sequence[Message]:
    return [] if memory is None else memory.messages(query)


def cache(
    files: Annotated[list[Path] | None, typer.Argument(help="Files of talks, instead of the bundled one.")] = None,
    *,
    memory: Annotated[list[str] | None, typer.Option(help="A memory, as NAME or NAME:OPTION=VALUE,...")] = None,
    budget: Annotated[int, typer.Option(help="Tokens that memories with a limit may show.", min=1)] = 1_000,
    system: Annotated[str, typer.Option(help="Tokens of the system prompt.")] = "0,1600,6000",
    pauses: Annotated[bool, typer.Option(help="A long pause of the talk empties the cache.")] = False,
    talks: Annotated[int | None, typer.Option(help="The number of talks to take from each file.", min=1)] = None,
) -> None:
    """Measure the cost of each memory's requests with a prompt cache, and the evidence that the memory shows."""
    with refusals():
        systems = [int(one) for one in system.split(",")] if "0" in system.split(",") else limits_of(system)
        counter = named_counter("o200k_base")
        rule = CACHES["openai"] if pauses else replace(CACHES["openai"], seconds=float("inf"))
        variants = whole_views(memory or [])
        check_variants(variants, [budget])
        for title, transcripts in _sets(files or [], talks):
            found = {
                one.name: measure_requests(transcripts, one, counter, budget=budget, systems=systems, rule=rule)
                for one in variants
            }
            show(_table(title, found, rule), "")


def _sets(files: Sequence[Path], most: int | None) -> Iterator[tuple[str, Sequence[Transcript]]]:
    if not files:
        yield "the bundled talk", sample_transcripts()
    for path in files:
        transcripts = conversations(path)[:most]
        yield f"{path.resolve().parent.name}/{path.name}", transcripts


def _table(title: str, found: Mapping[str, Measured], rule: CacheRule) -> str:
    systems = list(next(iter(found.values())).requests)
    heads = ["memory", "evidence", "whole", "answers", "shown"]
    for one in systems:
        heads += [f"sent +{one:,}", "cached", *(f"paid {price:g}" for price in _PRICES)]
    rows = [
        [
            name,
            _mean([answer.covered for answer in one.answers]),
            _mean([answer.whole for answer in one.answers]),
            _mean([answer.answer for answer in one.answers]),
            f"{sum(one.shown) / max(len(one.shown), 1):,.0f}",
            *(cell for requests in one.requests.values() for cell in _cells(requests, rule)),
        ]
        for name, one in found.items()
    ]
    first = next(iter(found.values()))
    count = first.requests[systems[0]].count
    return table(heads, rows, f"{title}: {count:,} requests, {len(first.answers):,} questions; tokens of a request")


def _cells(requests: Requests, rule: CacheRule) -> list[str]:
    paid = (replace(rule, read=price).paid(requests) / requests.count for price in _PRICES)
    return [
        f"{requests.sent / requests.count:,.0f}",
        f"{requests.cached / max(requests.sent, 1):.0%}",
        *(f"{one:,.0f}" for one in paid),
    ]


def _mean(values: Sequence[float | bool | None]) -> str:
    known = [float(one) for one in values if one is not None]
    return f"{sum(known) / len(known):.3f}" if known else "-"
