"""Measures the cost of learning in portions: `python -m memzoo.benchmarks.research portions`.

Each exchange of the bundled conversation is one request (the memory's view and the user's message), and is then saved.
Rules stand in for a model.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from memzoo.benchmarks.measure.caching import count_shared
from memzoo.benchmarks.measure.counting import TextCounter, named_counter
from memzoo.benchmarks.research.inputs import limits_of, refusals
from memzoo.benchmarks.research.tables import show, table
from memzoo.benchmarks.transcripts import Transcript, sample_transcripts
from memzoo.memories import ChatModel, create_memory
from memzoo.stores import Message
from memzoo.strategy import text_of
from memzoo.types import Completion

_MEMORIES = "summary,summary-buffer,entity,knowledge-graph"


@dataclass
class Cost:
    """The cost of one memory over a conversation.

    Attributes:
        calls: The number of model calls for learning.
        sent: The tokens sent in these calls.
        shared: The tokens of `sent` that repeat the beginning of the previous call's prompt.
        received: The tokens received in these calls.
        reading: The tokens of the requests to the chatbot's model, which contain the memory's views.
        longest: The highest number of calls made by a single save.
    """

    exchanges: int = 0
    calls: int = 0
    sent: int = 0
    shared: int = 0
    received: int = 0
    reading: int = 0
    longest: int = 0

    def cells(self) -> list[str]:
        """Return the cells of a row: figures per exchange, and repeated tokens per call."""
        own = self.sent + self.received
        each = [f"{one / self.exchanges:,.0f}" for one in (own, self.reading, own + self.reading)]
        calls = [f"{self.calls / self.exchanges:.2f}", f"{self.longest}"]
        return [*calls, *each, f"{self.shared / max(self.calls - 1, 1):,.0f}"]


class _Counted:
    """The offline model, with its calls counted."""

    def __init__(self, cost: Cost, counter: TextCounter) -> None:
        self._model = ChatModel("offline").direct()
        self.name = self._model.name
        self._cost, self._count = cost, counter
        self._before: list[tuple[str, str]] = []

    async def complete(self, messages: Sequence[Message], purpose: str) -> Completion:
        """Return the offline model's reply, and count the call."""
        reply = await self._model.complete(messages, purpose)
        sent = [(str(one["role"]), text_of(one)) for one in messages]
        self._cost.calls += 1
        self._cost.sent += sum(self._count(text) for _, text in sent)
        self._cost.shared += count_shared(self._before, sent, self._count)
        self._cost.received += self._count(reply.text)
        self._before = sent
        return reply


def measure_portions(talk: Transcript, name: str, learn_every: int, prompts: Path | None = None) -> Cost:
    """Return the cost of a memory that learns a conversation in portions of `learn_every` exchanges."""
    cost, counter = Cost(), named_counter("o200k_base")
    memory = create_memory(
        name,
        llm=_Counted(cost, counter),
        human_prefix=talk.user,
        ai_prefix=talk.assistant,
        token_counter=counter.of_message,
        prompts=prompts,
        learn_every=learn_every,
    )
    for exchange in talk.exchanges:
        cost.exchanges += 1
        cost.reading += counter.of_messages(memory.request(*exchange.asked))
        before = cost.calls
        memory.add_messages(exchange.records)
        cost.longest = max(cost.longest, cost.calls - before)
    memory.settle()
    return cost


def portions(
    *,
    memory: Annotated[str, typer.Option(help="The memories, with commas between them.")] = _MEMORIES,
    sizes: Annotated[str, typer.Option(help="The values of learn_every.")] = "1,2,4,8,16",
    prompts: Annotated[Path | None, typer.Option(help="A folder with other prompts.")] = None,
    sample: Annotated[str, typer.Option(help="The bundled conversation: en or zh.")] = "en",
) -> None:
    """Measure the calls and tokens of memories that learn in portions."""
    (talk,) = sample_transcripts(sample)
    with refusals():
        found = {
            (name, size): measure_portions(talk, name, size, prompts)
            for name in memory.split(",")
            for size in limits_of(sizes)
        }
    heads = ["memory", "learn_every", "calls", "longest save", "own tokens", "reading", "together", "shared"]
    rows = [[f"`{name}`", f"{size}", *cost.cells()] for (name, size), cost in found.items()]
    show(table(heads, rows, f"{talk.title}: {len(talk.exchanges)} exchanges"))
