"""The settings of a comparison, and how long each memory took."""

import functools
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, TypeAlias, get_type_hints

from pydantic import ConfigDict, Field, SkipValidation, TypeAdapter, ValidationError

from memzoo.benchmarks.measure.caching import CACHES, CacheName, CacheRule, PromptCache
from memzoo.benchmarks.measure.counting import TextCounter, named_counter
from memzoo.benchmarks.measure.judging import Judge
from memzoo.benchmarks.money import MeteredModel, SpendingLimit, price_of
from memzoo.benchmarks.results import OFFLINE
from memzoo.errors import OptionError
from memzoo.memories import ChatModel, Model
from memzoo.prompts import PromptSet
from memzoo.strategy import ModelOption, as_model

__all__ = ["Settings", "Timing"]

_Amount: TypeAlias = Annotated[float, Field(ge=0, lt=math.inf)]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of a comparison; wrong ones are refused when they are made.

    They go to other processes as they were given: models, counter and judge are made where they are first needed,
    because they hold connections and locks.

    Attributes:
        model: Answers for memories that need a model and name none: a `ChatModel`, a model's name, `"offline"`, or a
            callable.
        make_model: Makes each model given by name, also for memories and the judge. For your own endpoint or
            limits, use `functools.partial(ChatModel, base_url=..., max_tokens=500)`.
        budgets: Token limits for the view of a memory; each is measured.
        counter: Counts the tokens shown: a name for tiktoken, `"approximate"`, or a counter.
        judge: A model that marks the answers of `model` from the view of each memory.
        prompts: Your own templates for the questions to `model` and `judge`.
        prices: The prices of a million tokens by model: input, output; "*" for any other, "embedding" for embeddings.
        currency: The currency of the prices.
        per_month: Your number of exchanges per month, to compute their cost.
        stop_at: Stop asking models before the run costs more than this; needs prices. Finished work is kept.
        learnt: If rules answer on a bundled conversation, also show, as memories with a star, states that a large model
            taught the memories beforehand.
        cache: The provider's rule for cached prompts and their price, or a rule of your own. A longer
            pause between the dates of the talk empties it.
        price_cached: The price of a million cached tokens, instead of the provider's share of the input price.
        system_tokens: The number of tokens before the memory in each request: a system prompt, descriptions of tools.
        paid: Limits for the price of a request, in paid tokens: for each, the verdict names the memory that shows the
            most, and with which of `budgets`.
        draft: If no conversation has questions, let rules draft some, as `memzoo compare` does; the verdict says so.
        timer: Gives seconds.

    Raises:
        OptionError: A setting has a type or a value that cannot work.
        PromptError: A template cannot work.
    """

    model: Annotated[ModelOption, SkipValidation] = OFFLINE
    make_model: Callable[[str], Model] = ChatModel
    budgets: Sequence[Annotated[int, Field(ge=1)]] = (1000,)
    counter: TextCounter | str = "approximate"
    judge: Annotated[ModelOption | None, SkipValidation] = None
    prompts: str | Path | Mapping[str, str] | None = None
    prices: Mapping[str, tuple[_Amount, _Amount]] = field(default_factory=dict[str, tuple[float, float]])
    currency: str = ""
    per_month: Annotated[int, Field(ge=1)] | None = None
    stop_at: _Amount | None = None
    learnt: bool = True
    cache: CacheRule | CacheName = "openai"
    price_cached: _Amount | None = None
    system_tokens: Annotated[int, Field(ge=0)] = 0
    paid: Sequence[Annotated[int, Field(ge=0)]] = ()
    draft: bool = True
    timer: Callable[[], float] = time.perf_counter

    def __post_init__(self) -> None:
        for name, check in _checks().items():
            try:
                check.validate_python(getattr(self, name), strict=True)
            except ValidationError as error:
                first = error.errors()[0]
                raise OptionError(f"{name}: {first['msg']}, not {first['input']!r}") from error
        if not self.budgets:
            raise OptionError("budgets: there must be one at least, such as [1000], not []")
        if self.stop_at is not None and not self.prices:
            raise OptionError("stop_at needs prices: without them the cost is unknown")
        if self.prompts is not None:
            PromptSet(self.prompts)
        for name in ("budgets", "paid"):
            object.__setattr__(self, name, tuple(sorted(set(getattr(self, name)))))

    def cache_for(self, model: str) -> CacheRule:
        """Return the cache rule of a model's provider, with the given price.

        Raises:
            OptionError: The price of a cached token is above that of input, or does not follow from it.
        """
        rule = self._rule
        if self.price_cached is None:
            return rule
        full, _ = price_of(self.prices, model)
        if rule.read == 1 or not full or self.price_cached > full:
            raise OptionError(
                "price_cached must be from 0 to the price of input, which must be given, with a cache; not "
                f"{self.price_cached!r} where a million tokens of {model!r} cost {full:g}, and the cache {rule.name!r}"
            )
        return replace(rule, read=self.price_cached / full)

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
        return PromptCache(self._rule, self.counting, system_tokens=self.system_tokens)

    def make_judge(self, spending_limit: SpendingLimit | None) -> Judge | None:
        """Make the judge, with the model whose answers it marks; both keep to a limit."""
        if self._judge is None:
            return None
        answering, judging = (MeteredModel(one, spending_limit) for one in (self.answering, self._judge))
        return Judge(answering, judging, self._prompting)

    @property
    def _rule(self) -> CacheRule:
        return CACHES[self.cache] if isinstance(self.cache, str) else self.cache

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


@functools.cache
def _checks() -> dict[str, TypeAdapter[Any]]:
    hints = get_type_hints(Settings, include_extras=True)
    return {name: TypeAdapter(hint, config=ConfigDict(arbitrary_types_allowed=True)) for name, hint in hints.items()}


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
