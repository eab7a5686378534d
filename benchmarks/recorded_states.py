"""What a large model learnt of a bundled conversation: states of memories that come with the package.

Without a key, rules stand in for a model, and what they let a memory remember is a floor. Of the bundled conversation
it is also known what a model that follows instructions makes of it: its replies were read by the memories once, and
the states that they led to lie beside the conversation. `memzoo.benchmarks.research learn` makes them.
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
    """What one memory learnt in one go.

    Attributes:
        watermark: The log number up to which it has learnt then.
        changes: The items that changed, by key; `None` for one that went.
        spent: What that took: calls, and tokens of prompts and replies by `o200k_base`.
    """

    watermark: int
    changes: Mapping[str, Any]
    spent: Sum


class LearntState(Shape):
    """What one memory learnt.

    Attributes:
        options: The memory's own options.
        name: Of its state.
        steps: What it learnt, in order.
    """

    options: Mapping[str, Any]
    name: str
    steps: tuple[LearntStep, ...] = ()

    @property
    def spent(self) -> Sum:
        """What learning took in all."""
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
    """What memories learnt of one conversation.

    Attributes:
        talk: The fingerprint of the conversation.
        by: Who answered their prompts, in words.
        memories: By short name of the strategy.
    """

    talk: str
    by: str
    memories: Mapping[str, LearntState]


def learnt_of(talks: Iterable[Transcript]) -> Learnt | None:
    """Return what comes with the package about some conversations; `None` unless it is a single one that is bundled."""
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
    """Return what tells a conversation from any other: a digest of all that is said, by whom and when."""
    said = [[one.said_at.isoformat(), *one.messages] for one in talk.exchanges]
    return hashlib.sha256(json.dumps([talk.user, talk.assistant, said], sort_keys=True).encode()).hexdigest()


def log_of(talk: Transcript) -> list[Entry]:
    """Return the log of a conversation, as it stands when each exchange was saved when it was said."""
    said = [(place, one) for place, one in enumerate(talk.exchanges, start=1)]
    turns = [(record, f"exchange-{place}", one.said_at) for place, one in said for record in one.records]
    return [Entry(seq, one.message, turn, at, one.fields) for seq, (one, turn, at) in enumerate(turns, start=1)]
