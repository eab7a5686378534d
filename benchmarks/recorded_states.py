"""States that memories learnt of a bundled conversation from a large model; they come with the package.

Without a key, rules stand in for a model, and their result is a lower bound. For the bundled conversation there
are also states from an instruction-following model: the memories read its replies once, and the resulting states lie
beside the conversation. `memzoo.benchmarks.research learn` makes them.
"""

import hashlib
import importlib.resources
import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memzoo.benchmarks.outcomes import Shape, Sum
from memzoo.benchmarks.transcripts.conversations import Transcript
from memzoo.errors import OptionError
from memzoo.stores import Entry, Message, StoredState
from memzoo.types import Completion

__all__ = ["Learnt", "LearntState", "LearntStep", "Unasked", "fingerprint", "learnt_of", "log_of"]

_FILES = ("sample_learnt.json", "sample_zh_learnt.json")


class LearntStep(Shape):
    """One step of learning of one memory.

    Attributes:
        watermark: The log number up to which it had learnt after the step.
        changes: The items that changed, by key; `None` for a removed one.
        spent: Its cost: calls, and tokens of prompts and replies by `o200k_base`.
    """

    watermark: int
    changes: Mapping[str, Any]
    spent: Sum


class LearntState(Shape):
    """The states that one memory learnt.

    Attributes:
        options: The memory's own options.
        name: The name of its state.
        steps: Its steps, in order.
    """

    options: Mapping[str, Any]
    name: str
    steps: tuple[LearntStep, ...] = ()

    @property
    def spent(self) -> Sum:
        """The total cost of learning."""
        return sum((step.spent for step in self.steps), Sum())

    @property
    def items(self) -> dict[str, Any]:
        """The items of the state in the end, by key."""
        changed = {key: item for step in self.steps for key, item in step.changes.items()}
        return {key: item for key, item in changed.items() if item is not None}

    def to_stored(self) -> dict[str, StoredState]:
        """Return the state in the end as a store takes it."""
        watermark = self.steps[-1].watermark if self.steps else 0
        return {self.name: StoredState(watermark, self.items)}


class Learnt(Shape):
    """The states that memories learnt of one conversation.

    Attributes:
        talk: The fingerprint of the conversation.
        by: A description of the model that answered their prompts.
        memories: By short name of the strategy.
    """

    talk: str
    by: str
    memories: Mapping[str, LearntState]


def learnt_of(talks: Iterable[Transcript]) -> Learnt | None:
    """Return the states in the package for some conversations; `None` unless it is a single bundled one."""
    some = list(itertools.islice(talks, 2))
    if len(some) != 1:
        return None
    wanted = fingerprint(some[0])
    for name in _FILES:
        file = importlib.resources.files("memzoo.benchmarks.data") / name
        if file.is_file():
            found = Learnt.model_validate_json(file.read_bytes())
            if found.talk == wanted:
                return found
    return None


class Unasked:
    """The model of a memory that learnt everything beforehand: asking it is an error."""

    def __init__(self, name: str) -> None:
        self.name = name

    async def complete(self, messages: Sequence[Message], purpose: str) -> Completion:
        """Refuse to answer.

        Raises:
            OptionError: Always.
        """
        raise OptionError(f"{self.name} answered beforehand and cannot be asked for {purpose}: it is to learn anew")


def fingerprint(talk: Transcript) -> str:
    """Return the fingerprint of a conversation: a digest of all texts, speakers and times."""
    said = [[one.said_at.isoformat(), *one.messages] for one in talk.exchanges]
    return hashlib.sha256(json.dumps([talk.user, talk.assistant, said], sort_keys=True).encode()).hexdigest()


def log_of(talk: Transcript) -> list[Entry]:
    """Return the log of a conversation, as it stands when each exchange was saved when it was said."""
    said = [(place, one) for place, one in enumerate(talk.exchanges, start=1)]
    turns = [(record, f"exchange-{place}", one.said_at) for place, one in said for record in one.records]
    return [Entry(seq, one.message, turn, at, one.fields) for seq, (one, turn, at) in enumerate(turns, start=1)]
