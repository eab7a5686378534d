"""Reads recorded memory states, written by a large model.

The package has such states for the bundled conversations. They show how good a memory is with a large model, without
an API key. `memzoo.benchmarks.research learn` creates the files.
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

_FILES = ("sample_learnt.json", "sample_zh_learnt.json")


class LearntStep(Shape):
    """One update of a memory's state.

    Attributes:
        watermark: The log number of the newest message learnt.
        changes: A dict from key to changed item; `None` for a deleted item.
    """

    watermark: int
    changes: Mapping[str, Any]
    spent: Sum


class LearntState(Shape):
    """The recorded state of one memory.

    Attributes:
        steps: The updates of the state, in order.
    """

    options: Mapping[str, Any]
    name: str
    steps: tuple[LearntStep, ...] = ()

    @property
    def spent(self) -> Sum:
        """The sum of all model calls made for the state."""
        return sum((step.spent for step in self.steps), Sum())

    @property
    def items(self) -> dict[str, Any]:
        """The final state, as a dict from key to item."""
        changed = {key: item for step in self.steps for key, item in step.changes.items()}
        return {key: item for key, item in changed.items() if item is not None}

    def to_stored(self) -> dict[str, StoredState]:
        """Return the final state in a store's form, as a dict from the state's name to the state."""
        watermark = self.steps[-1].watermark if self.steps else 0
        return {self.name: StoredState(watermark, self.items)}


class Learnt(Shape):
    """The recorded states of memories for one conversation.

    Attributes:
        talk: A digest of the conversation, by which it is recognised; see `fingerprint`.
        by: A description of the model that answered the prompts.
        memories: A dict from each strategy's short name to its state.
    """

    talk: str
    by: str
    memories: Mapping[str, LearntState]


def learnt_of(talks: Iterable[Transcript]) -> Learnt | None:
    """Return the recorded states if `talks` is one bundled conversation, and nothing else; otherwise `None`."""
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
    """A model that must not be asked, because the memory has a recorded state."""

    def __init__(self, name: str) -> None:
        self.name = name

    async def complete(self, messages: Sequence[Message], purpose: str) -> Completion:
        """Raise an error, because this model cannot answer.

        Raises:
            OptionError: Always.
        """
        raise OptionError(
            f"{self.name} cannot be asked for {purpose}, because only its recorded state is known; record it again"
        )


def fingerprint(talk: Transcript) -> str:
    """Return a digest of a conversation, from its names, messages and times."""
    said = [[one.said_at.isoformat(), *one.messages] for one in talk.exchanges]
    return hashlib.sha256(json.dumps([talk.user, talk.assistant, said], sort_keys=True).encode()).hexdigest()


def log_of(talk: Transcript) -> list[Entry]:
    """Return the log of a conversation, as if each exchange had been saved at its own time."""
    said = [(place, one) for place, one in enumerate(talk.exchanges, start=1)]
    turns = [(record, f"exchange-{place}", one.said_at) for place, one in said for record in one.records]
    return [Entry(seq, one.message, turn, at, one.fields) for seq, (one, turn, at) in enumerate(turns, start=1)]
