"""The output of a comparison while it runs: a line of `outcomes.jsonl` for each memory in each conversation."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from memzoo.benchmarks.measure.caching import Requests
from memzoo.types import Spent

__all__ = ["AtBudget", "Outcome", "Scored", "Shape", "Sum", "Survived", "Update", "View"]

View: TypeAlias = tuple[tuple[str, str], ...]
"""The messages that a model would have seen, as (role, text), in order."""

Update: TypeAlias = Literal["corrected", "both", "stale", "neither"]
"""The view of a statement and its correction: only the correction, both, only the old one, neither."""


class Shape(BaseModel):
    """An immutable value that is written as JSON."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants")


class Sum(Shape):
    """A sum of model calls. Unlike `Spent` it has no seconds: it is the same for the same inputs."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @classmethod
    def of(cls, spent: Spent) -> "Sum":
        """Copy the usage, without the seconds."""
        return cls(calls=spent.calls, prompt_tokens=spent.prompt_tokens, completion_tokens=spent.completion_tokens)

    @property
    def tokens(self) -> int:
        """All tokens, sent and received."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: "Sum") -> "Sum":
        return Sum(
            calls=self.calls + other.calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
        )

    def __sub__(self, other: "Sum") -> "Sum":
        return Sum(
            calls=self.calls - other.calls,
            prompt_tokens=self.prompt_tokens - other.prompt_tokens,
            completion_tokens=self.completion_tokens - other.completion_tokens,
        )


class Scored(Shape):
    """The view of one memory for one question within one budget.

    Attributes:
        whole: The share of its evidence that was shown whole; `None` if no evidence is known.
        covered: The same, but for a long message, half of its runs of five words are enough.
        answer: True if the view contains the right answer; `None` if the answer is unknown or has nothing to look
            for.
        update: The view of a statement and its correction; `None` if the question is not about one.
        judged: True if a judge marked the model's answer right; `None` without a judge.
        reply: The model's answer; "" if it was not asked.
        tokens: The number of tokens shown.
        shown: The view; `None` if it was not kept.
    """

    whole: float | None = None
    covered: float | None = None
    answer: bool | None = None
    update: Update | None = None
    judged: bool | None = None
    reply: str = ""
    tokens: int = 0
    shown: View | None = None


class Survived(Shape):
    """The number of marked lines of a kind still shown.

    Attributes:
        kind: The kind, such as "goal".
        after: At least this many exchanges later (see `measure.surviving.AGES`); `None` for the end.
        shown: The number of times that one was shown.
        of: The number of looks.
    """

    kind: str
    after: int | None = None
    shown: int
    of: int


class AtBudget(Shape):
    """One memory in one conversation, within one budget.

    Attributes:
        loads: The number of exchanges behind the next figures; in long conversations, not all of them.
        tokens: The total number of tokens shown to the model at these.
        tokens_at_end: The number of tokens shown at the last of them.
        requests: The tokens of their requests: the text before the memory, its view, the user's words.
        course: Tokens over the conversation: (number of the exchange, tokens), at most 100 points.
        answers: One for each question asked, in order.
        survived: The marked lines still shown.
    """

    loads: int
    tokens: int
    tokens_at_end: int
    requests: Requests = Requests()
    course: tuple[tuple[int, int], ...]
    answers: tuple[Scored, ...]
    survived: tuple[Survived, ...] = ()


class Outcome(Shape):
    """One memory in one conversation.

    Attributes:
        transcript: The number of the conversation, from 0.
        memory: The name of the memory.
        exchanges: The number of exchanges saved.
        load: Model calls made to load the memory, at the exchanges.
        save: Model calls made to save the exchanges.
        asking: Model calls made to load the memory for the questions.
        judging: Model calls made to answer the questions and to judge the answers.
        embedding: The calls for embeddings among `load` and `save`.
        failed_saves: The number of saves at which the model failed.
        failure: The model's last failure; "" if there was none.
        budgets: By budget in tokens.
        error: Why there is no result; "" if there is one.
    """

    transcript: int
    memory: str
    exchanges: int = 0
    load: Sum = Sum()
    save: Sum = Sum()
    asking: Sum = Sum()
    judging: Sum = Sum()
    embedding: Sum = Sum()
    failed_saves: int = 0
    failure: str = ""
    budgets: Mapping[int, AtBudget] = Field(default_factory=dict)
    error: str = ""
