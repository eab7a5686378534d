"""Lets one strategy after another talk with the server, and counts the results."""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from memzoo.errors import ModelError, OverBudgetError
from memzoo.memories import STRATEGIES, BaseMemory, ChatModel, Conversation, OpenAIEmbedder, create_memory
from memzoo.memories.models.chat import ModelOption
from memzoo.memories.models.cleaning import extract_spoken
from memzoo.memories.models.embedders import EmbedderOption
from memzoo.memories.models.refusals import is_too_long
from memzoo.memories.strategies.named import further_names
from memzoo.stores import Message
from memzoo.strategy import text_of
from memzoo.sync import drive
from tools.real_server.server import MODEL
from tools.real_server.talk import SAID

__all__ = ["NAMES", "WAYS", "Clock", "Row", "Servers", "Way", "memory_named", "run"]

Way: TypeAlias = Literal["sync", "async", "streamed"]
WAYS: tuple[Way, ...] = ("sync", "async", "streamed")
NAMES = [*STRATEGIES, *further_names()]
_ROUNDS, _PATIENCE = 60, 8
_SECONDS_BETWEEN = 60.0


@dataclass
class Clock:
    """A clock that moves only when told to, so that pauses take no real time."""

    now: float = 1_750_000_000.0

    def __call__(self) -> float:
        """Return the clock's time."""
        return self.now


@dataclass(frozen=True)
class Servers:
    """The addresses of the models, and the limit for their answers.

    Attributes:
        chat: The base URL of the model that answers.
        embeddings: The base URL of the model for embeddings.
        max_tokens: The most tokens of an answer: without a limit, a base model never ends.
    """

    chat: str
    embeddings: str
    max_tokens: int = 48

    def embedder(self) -> OpenAIEmbedder:
        """Return the embedder."""
        return OpenAIEmbedder(MODEL, base_url=self.embeddings, api_key="none")

    def model(self, **parameters: Any) -> ChatModel:
        """Return the model that answers."""
        given: dict[str, Any] = {"max_tokens": self.max_tokens, "temperature": 0.7, "stop": ["\n\n"]} | parameters
        return ChatModel(MODEL, base_url=self.chat, api_key="none", **given)


@dataclass
class Row:
    """The results of one talk.

    Attributes:
        strategy: The name of the strategy.
        way: The way of calling the memory.
        exchanges: The number of saved exchanges, without refused exchanges.
        learnt: The number of exchanges in the state; `None` for a strategy that learns nothing.
        aside: The number of exchanges set aside.
        waiting: The number of exchanges shown word for word until they are due to be learnt.
        pending: The number of exchanges that could not be learnt.
        calls: The number of model calls by the memory.
        tokens: The number of tokens in the memory's prompts.
        errors: The number of `ModelError`s raised, by type.
        left: The number of exchanges that even the offline model, asked in the end, could not learn.
        wrong: Descriptions of errors: other exceptions, lost or changed messages.
        seconds: The duration of the talk in seconds.
    """

    strategy: str
    way: Way
    exchanges: int = 0
    learnt: int | None = None
    aside: int = 0
    waiting: int = 0
    pending: int = 0
    calls: int = 0
    tokens: int = 0
    errors: Counter[str] = field(default_factory=Counter[str])
    left: int = 0
    wrong: list[str] = field(default_factory=list[str])
    seconds: float = 0.0


def memory_named(name: str, servers: Servers, **common: Any) -> BaseMemory:
    """Return a memory with limits low enough for a short talk to reach them."""
    return _made(name, servers.model(), servers.embedder(), **common)


def _made(name: str, llm: ModelOption, embedder: EmbedderOption, **common: Any) -> BaseMemory:
    options: dict[str, dict[str, Any]] = {
        "summary": {"llm": llm},
        "summary-buffer": {"llm": llm, "max_token_limit": 120},
        "entity": {"llm": llm},
        "knowledge-graph": {"llm": llm},
        "vector-retriever": {"embedder": embedder},
        "combined": {"memories": [("window", {"k": 2}), ("summary", {"llm": llm})]},
        "message-window": {"max_messages": 6},
        "token-window": {"max_token_limit": 200},
        "summarizing-window": {"llm": llm, "max_messages": 6},
    }
    return create_memory(name, token_counter="approximate", learn_every=1, **options.get(name, {}), **common)


def run(name: str, way: Way, servers: Servers, said: Sequence[tuple[str, str]] = SAID) -> Row:
    """Let a strategy take part in a talk, and return the counts.

    Args:
        name: The name of the strategy.
        way: The way of calling the memory.
        servers: The models.
        said: The talk: pairs of the user's message and the assistant's answer.
    """
    row, clock, start = Row(name, way), Clock(), time.monotonic()
    memory = memory_named(name, servers, clock=clock)
    call = _awaited if way == "async" else _called
    talk = _streamed(memory, servers, row, clock, said) if way == "streamed" else _saved(memory, call, row, clock, said)
    (asyncio.run if way == "async" else drive)(_whole(talk, memory, call, row, clock))
    spent = memory.usage.total
    row.calls, row.tokens, row.seconds = spent.calls, spent.prompt_tokens, time.monotonic() - start
    memory.close()
    return row


_Call: TypeAlias = Callable[..., Awaitable[Any]]


async def _called(memory: BaseMemory, method: str, *args: Any, **named: Any) -> Any:
    return getattr(memory, method)(*args, **named)


async def _awaited(memory: BaseMemory, method: str, *args: Any, **named: Any) -> Any:
    return await getattr(memory, f"a{method}")(*args, **named)


async def _whole(talk: Awaitable[list[Message]], memory: BaseMemory, call: _Call, row: Row, clock: Clock) -> None:
    expected = await talk
    kept = [(one["role"], text_of(one)) for one in await call(memory, "history")]
    if kept != [(one["role"], text_of(one)) for one in expected]:
        row.wrong.append(f"{len(expected)} messages were said, and the log has {len(kept)}, or others")
    await _count(memory, call, row, whole=await _settled(memory, call, row, clock))
    if row.pending or row.aside:
        await _healed(memory, row.strategy, call, row)


async def _saved(
    memory: BaseMemory, call: _Call, row: Row, clock: Clock, said: Sequence[tuple[str, str]]
) -> list[Message]:
    """Load and save each exchange, like a chatbot of your own; return the saved messages."""
    expected: list[Message] = []
    for user, answer in said:
        clock.now += _SECONDS_BETWEEN
        await _tried(row, call(memory, "load_memory_variables", {"input": user}))
        await _tried(row, call(memory, "save_context", {"input": user}, {"output": answer}))
        expected += [{"role": "user", "content": user}, {"role": "assistant", "content": answer}]
    row.exchanges = len(said)
    return expected


async def _streamed(
    memory: BaseMemory, servers: Servers, row: Row, clock: Clock, said: Sequence[tuple[str, str]]
) -> list[Message]:
    """Let the model stream its answers; return the stored messages.

    A message that is too long for the model is not stored; a message that the model fails to answer is stored.
    """
    conversation = Conversation(servers.model(), memory)
    expected: list[Message] = []
    for user, _ in said:
        clock.now += _SECONDS_BETWEEN
        try:
            answer = "".join(conversation.stream(user))
        except ModelError as error:
            row.errors[type(error).__name__] += 1
            expected += [] if is_too_long(error) else [{"role": "user", "content": user}]
        except Exception as error:  # noqa: BLE001 - this is what is looked for
            row.wrong.append(f"{type(error).__name__}: {error}"[:300])
        else:
            expected += [{"role": "user", "content": user}, {"role": "assistant", "content": extract_spoken(answer)}]
    row.exchanges = sum(message["role"] == "user" for message in expected)
    return expected


async def _tried(row: Row, doing: Awaitable[Any]) -> Any:
    try:
        return await doing
    except (ModelError, OverBudgetError) as error:
        row.errors[type(error).__name__] += 1
    except Exception as error:  # noqa: BLE001 - this is what is looked for
        row.wrong.append(f"{type(error).__name__}: {error}"[:300])
    return None


async def _settled(memory: BaseMemory, call: _Call, row: Row, clock: Clock) -> bool:
    """Let time pass until all exchanges are learnt or set aside; return whether that happened."""
    before: list[object] = []
    for _ in range(_ROUNDS):
        clock.now += 1000 * _SECONDS_BETWEEN
        errors = row.errors.total()
        await _tried(row, call(memory, "settle"))
        if row.errors.total() == errors:
            return True
        before.append([*await _watermarks(memory), len(await call(memory, "set_aside"))])
        if before[-_PATIENCE:] == [before[-1]] * _PATIENCE:
            break
    return False


async def _watermarks(memory: BaseMemory) -> list[int]:
    """Return the last log number learnt by each learning part of a memory."""
    updates = [await memory.store.read_state(memory.conversation_id, one.name) for one in memory.learners]
    return [update.watermark for update in updates]


async def _count(memory: BaseMemory, call: _Call, row: Row, *, whole: bool) -> None:
    marks = await _watermarks(memory)
    if not marks:
        return
    aside = [entry.seq for entry in await call(memory, "set_aside") if entry.message["role"] == "user"]
    users = [entry.seq for entry in await call(memory, "entries") if entry.message["role"] == "user"]
    row.aside = len(aside)
    row.learnt = sum(seq <= min(marks) for seq in users) - len(aside)
    left = len(users) - row.learnt - row.aside
    row.pending, row.waiting = (0, left) if whole else (left, 0)


async def _healed(memory: BaseMemory, name: str, call: _Call, row: Row) -> None:
    """Open the conversation with a model that works, and check that all exchanges can be learnt."""
    healthy = _made(name, "offline", None, store=memory.store, conversation_id=memory.conversation_id)
    await _tried(row, call(healthy, "settle"))
    await _tried(row, call(healthy, "relearn", only_set_aside=True))
    await call(healthy, "settle")
    row.left = len(await call(healthy, "set_aside"))
