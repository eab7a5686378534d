"""The measurements of a running comparison: a line of `outcomes.jsonl` for each memory and conversation."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from memzoo.benchmarks.measure.caching import Requests
from memzoo.types import Spent

View: TypeAlias = tuple[tuple[str, str], ...]
"""The messages that a model would have seen, as (role, text), in order."""

Update: TypeAlias = Literal["corrected", "both", "stale", "neither"]
"""Which of a correction and the old statement are shown: only the correction, both, only the old one, or neither."""


class Shape(BaseModel):
    """A base class for immutable values that can be written as JSON."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants")


class Sum(Shape):
    """The number of model calls and their tokens. Seconds are left out, because they differ from run to run."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0

    @classmethod
    def of(cls, spent: Spent) -> "Sum":
        """Return the number of calls and tokens in `spent`, without the seconds."""
        return cls.model_validate({name: getattr(spent, name) for name in cls.model_fields})

    @property
    def tokens(self) -> int:
        """The number of all tokens, sent and received."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: "Sum") -> "Sum":
        return Sum.model_validate({name: getattr(self, name) + getattr(other, name) for name in Sum.model_fields})

    def __sub__(self, other: "Sum") -> "Sum":
        return Sum.model_validate({name: getattr(self, name) - getattr(other, name) for name in Sum.model_fields})


class Scored(Shape):
    """The scores of one memory for one question within one budget.

    Attributes:
        whole: The share of the question's evidence texts that are shown word for word; `None` if none are known.
        covered: The share of the question's evidence texts that are shown. A long text counts if half of it is shown.
        answer: True if the view contains the right answer; `None` if unknown.
        update: "corrected", "stale", "both" or "neither" (see `update_shown`); `None` if the question is not about a
            correction.
        judged: True if a judge marked the model's answer as right; `None` without a judgement.
        reply: The model's answer; "" if the model was not asked.
        tokens: The number of tokens shown.
        shown: The view; `None` if views are not kept.
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
    """How often marked lines of one kind and age were still shown.

    Attributes:
        kind: The kind of the lines, such as "goal".
        after: The least age of the lines in exchanges; `None` at the end of the conversation.
        shown: The number of checks that found the line in the view.
        of: The number of checks.
    """

    kind: str
    after: int | None = None
    shown: int
    of: int

    def __str__(self) -> str:
        return f"{self.shown} of {self.of}"

    def __add__(self, other: "Survived") -> "Survived":
        return self.model_copy(update={"shown": self.shown + other.shown, "of": self.of + other.of})


class AtBudget(Shape):
    """The measurements of one memory in one conversation, within one budget.

    Attributes:
        loads: The number of measured exchanges; in long conversations, not all exchanges are measured.
        tokens: The total number of tokens shown at the measured exchanges.
        tokens_at_end: The number of tokens shown at the last measured exchange.
        requests: The tokens sent at the measured exchanges: system tokens, the view, and the user's message.
        course: Up to 100 pairs from the whole conversation: the number of an exchange, and the tokens shown at it.
        answers: The scores of the questions asked, in order.
        survived: How often marked lines were still shown, by kind of line and age in exchanges.
        relearnt: Like `survived`, after the memory has learnt the conversation anew.
        unwanted: How often unwanted statements were shown, by kind.
        stated: The unwanted statements shown, with their kinds.
        upkeep: The model calls of all loads and saves, without embeddings, if this budget had a run of its own, apart
            from the run for the main budget.
        embedding: The embedding calls of that run.
    """

    loads: int
    tokens: int
    tokens_at_end: int
    requests: Requests = Requests()
    course: tuple[tuple[int, int], ...]
    answers: tuple[Scored, ...]
    survived: tuple[Survived, ...] = ()
    relearnt: tuple[Survived, ...] = ()
    unwanted: tuple[Survived, ...] = ()
    stated: tuple[str, ...] = ()
    upkeep: Sum | None = None
    embedding: Sum | None = None


class Outcome(Shape):
    """The measurements of one memory in one conversation.

    Attributes:
        transcript: The number of the conversation, from 0.
        load: The model calls to load the memory before each exchange, without embeddings.
        save: The model calls to save exchanges, without embeddings.
        asking: The model calls to load the memory for questions.
        judging: The model calls to answer the questions and to judge the answers.
        embedding: The embedding calls while loading and saving.
        settled: The model calls of `settle` when there is nothing left to learn; the right number is 0.
        failed_saves: The number of saves that failed because of the model.
        budgets: A dict from budget in tokens to the measurements within it.
        error: The error that prevented a result; "" if there was none.
    """

    transcript: int
    memory: str
    exchanges: int = 0
    load: Sum = Sum()
    save: Sum = Sum()
    asking: Sum = Sum()
    judging: Sum = Sum()
    embedding: Sum = Sum()
    settled: Sum = Sum()
    relearning: Sum = Sum()
    failed_saves: int = 0
    failure: str = ""
    budgets: Mapping[int, AtBudget] = Field(default_factory=dict)
    error: str = ""
