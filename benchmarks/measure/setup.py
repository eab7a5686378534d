"""What the memories of a comparison have in common, and how long each took."""

import functools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memzoo.benchmarks.measure.caching import CACHES, CacheRule, PromptCache
from memzoo.benchmarks.measure.counting import TextCounter, named_counter
from memzoo.benchmarks.measure.judging import Judge
from memzoo.benchmarks.money import MeteredModel, SpendingLimit
from memzoo.memories import ChatModel, Model
from memzoo.prompts import PromptSet, PromptSource
from memzoo.strategy import ModelOption, as_model

__all__ = ["Setup", "Timing"]


@dataclass(frozen=True)
class Setup:
    """What all memories of a comparison have in common.

    It goes to other processes as it was given: models, counter and judge are made where they are first needed, because
    they hold connections and locks.

    Attributes:
        model: Answers for memories that need a model and name none.
        budgets: Tokens that may be shown, ascending.
        counter: Counts the tokens of what is shown.
        judge: Marks answers; `None` for none.
        prompts: Templates of one's own for the questions to `model` and `judge`.
        make_model: Makes a model of its name.
        cache: What the provider of the model that is shown all this keeps of a request.
        system_tokens: So many stand before the memory in each request.
        timer: Gives seconds.
    """

    model: ModelOption
    budgets: Sequence[int]
    counter: TextCounter | str
    judge: ModelOption | None = None
    prompts: PromptSource = None
    make_model: Callable[[str], Model] = ChatModel
    cache: CacheRule = CACHES["openai"]
    system_tokens: int = 0
    timer: Callable[[], float] = time.perf_counter

    @functools.cached_property
    def answering(self) -> Model:
        """The model that `model` stands for."""
        return self.model_of(self.model)

    @functools.cached_property
    def counting(self) -> TextCounter:
        """The counter that `counter` stands for."""
        return named_counter(self.counter) if isinstance(self.counter, str) else self.counter

    def prompt_cache(self) -> PromptCache:
        """Make an empty cache."""
        return PromptCache(self.cache, self.counting, system_tokens=self.system_tokens)

    def make_judge(self, spending_limit: SpendingLimit | None) -> Judge | None:
        """Make the judge, with the model whose answers it marks; both keep to a limit."""
        if self._judge is None:
            return None
        answering, judging = (MeteredModel(one, spending_limit) for one in (self.answering, self._judge))
        return Judge(answering, judging, self._prompting)

    @functools.cached_property
    def _judge(self) -> Model | None:
        return None if self.judge is None else self.model_of(self.judge)

    @functools.cached_property
    def _prompting(self) -> PromptSet:
        return PromptSet(self.prompts)

    def model_of(self, option: ModelOption) -> Model:
        """Make a model, if it is given by name."""
        model = self.make_model(option) if isinstance(option, str) else as_model(option)
        return model.direct() if isinstance(model, ChatModel) else model  # a client costs more than the rules behind it


@dataclass(frozen=True)
class Timing:
    """Seconds of one memory, model calls included, and how many loads and saves they are for."""

    memory: str
    load_seconds: float = 0.0
    loads: int = 0
    save_seconds: float = 0.0
    saves: int = 0

    def __add__(self, other: "Timing") -> "Timing":
        load_seconds, loads = self.load_seconds + other.load_seconds, self.loads + other.loads
        save_seconds, saves = self.save_seconds + other.save_seconds, self.saves + other.saves
        return Timing(self.memory, load_seconds, loads, save_seconds, saves)

    @property
    def milliseconds(self) -> tuple[float, float]:
        """Mean milliseconds of a load and of a save."""
        return 1000 * self.load_seconds / max(self.loads, 1), 1000 * self.save_seconds / max(self.saves, 1)
