"""The settings of a comparison, and the seconds that its memories took."""

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
from memzoo.memories.models.chat import ModelOption, as_model
from memzoo.prompts import PromptSet

_Amount: TypeAlias = Annotated[float, Field(ge=0, lt=math.inf)]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of a comparison.

    Settings are checked when they are made. They can be sent to worker processes, each of which makes its own models.

    Attributes:
        model: The model of memories without a model of their own: a `ChatModel`, a model's name, `"offline"`, or a
            callable.
        make_model: A function that makes a model from a name, for memories, answers and the judge. For your own
            endpoint or limits, use `functools.partial(ChatModel, base_url=..., max_tokens=500)`.
        budgets: The numbers of tokens that a memory may show; each budget is measured.
        counter: The counter of shown tokens: a name for tiktoken, `"approximate"`, or a function that counts the tokens
            of a text.
        judge: A model that marks answers as right or wrong; `None` for no judge. With a judge, `model` answers the
            questions from the memories' views.
        prompts: Your own templates for the questions to `model` and `judge`.
        prices: A dict from model to its prices per million tokens, as (input, output). The key "*" stands for any
            other model, "embedding" for embeddings.
        currency: The currency of the prices.
        stop_at: The spending limit (needs `prices`): the run stops before its cost exceeds the limit. Finished work is
            kept.
        learnt: True to add a copy of each memory that uses a state recorded from a large model. The copy's name ends
            in a star. Only for a bundled conversation.
        cache: The rule of the provider's prompt cache: a provider's name, or your own rule.
        price_cached: The price of a million cached tokens, if it differs from the provider's usual price.
        system_tokens: The number of tokens before the memory in each request, such as a system prompt.
        paid: Limits on the cost of a request, as a number of full-price tokens (a cached token counts as a fraction).
            For each limit, the report recommends a memory and a budget.
        survival: True to check whether marked lines are still shown after 1, 2, 5, 10, ... exchanges and at the end,
            and whether unwanted statements are shown.
        relearn: With `survival`, the number of times that each memory learns the conversation anew before a last check.
        draft: True to let rules draft questions if no conversation has questions.
        timer: A function that returns the time in seconds, to time loads and saves.

    Raises:
        OptionError: A setting has an invalid type or value.
        OptionError: A template is invalid.
    """

    model: Annotated[ModelOption, SkipValidation] = OFFLINE
    make_model: Callable[[str], Model] = ChatModel
    budgets: Sequence[Annotated[int, Field(ge=1)]] = (1000,)
    counter: Callable[[str], int] | str = "approximate"
    judge: Annotated[ModelOption | None, SkipValidation] = None
    prompts: str | Path | Mapping[str, str] | None = None
    prices: Mapping[str, tuple[_Amount, _Amount]] = field(default_factory=dict[str, tuple[float, float]])
    currency: str = ""
    stop_at: _Amount | None = None
    learnt: bool = True
    cache: CacheRule | CacheName = "openai"
    price_cached: _Amount | None = None
    system_tokens: Annotated[int, Field(ge=0)] = 0
    paid: Sequence[Annotated[int, Field(ge=0)]] = ()
    survival: bool = False
    relearn: Annotated[int, Field(ge=0)] = 0
    draft: bool = True
    timer: Callable[[], float] = time.perf_counter

    def __post_init__(self) -> None:
        for name, check in _checks().items():
            try:
                check.validate_python(getattr(self, name), strict=True)
            except ValidationError as error:
                found, wrong = error.errors(), error.errors()[0]["input"]
                # Of a union, each kind has an error of its own about the same input.
                kinds = (one["msg"].removeprefix("Input should be ") for one in found if one["input"] is wrong)
                raise OptionError(f"{name} must be {' or '.join(dict.fromkeys(kinds))}, not {wrong!r}") from error
        for name, option in (("model", self.model), ("judge", self.judge)):
            if not (option is None or isinstance(option, str)):
                try:
                    as_model(option)
                except OptionError as error:
                    raise OptionError(f"{name} cannot be used: {error}") from error
        for is_wrong, reason in (
            (not self.budgets, "budgets must be one number at least, such as [1000], not []"),
            (self.stop_at is not None and not self.prices, "stop_at (--stop-at) needs prices (--prices)"),
            (self.relearn and not self.survival, f"relearn={self.relearn} needs survival (--survival)"),
        ):
            if is_wrong:
                raise OptionError(reason)
        if self.prompts is not None:
            PromptSet(self.prompts)
        for name in ("budgets", "paid"):
            object.__setattr__(self, name, tuple(sorted(set(getattr(self, name)))))

    def cache_for(self, model: str) -> CacheRule:
        """Return the rule of the prompt cache for a model, with the price `price_cached` if it is set.

        Raises:
            OptionError: `price_cached` is set, but the rule caches nothing, or the model's input price is missing or
                below `price_cached`.
        """
        rule = self._rule
        if self.price_cached is None:
            return rule
        full, _ = price_of(self.prices, model)
        if rule.read == 1 or not full or self.price_cached > full:
            raise OptionError(
                f"price_cached={self.price_cached!r} needs a cache rule and an input price, and must not exceed that "
                f"price; {model!r} costs {full:g} a million tokens, and the cache rule is {rule.name!r}"
            )
        return replace(rule, read=self.price_cached / full)

    @functools.cached_property
    def answering(self) -> Model:
        """The setting `model` as a `Model`: it answers questions, and serves memories without their own model."""
        return self.model_of(self.model)

    @functools.cached_property
    def counting(self) -> TextCounter:
        """The token counter, made from the setting `counter`."""
        given = self.counter
        if isinstance(given, str):
            return named_counter(given)
        own = getattr(given, "__qualname__", type(given).__name__)
        return given if isinstance(given, TextCounter) else TextCounter(own, given)

    def prompt_cache(self) -> PromptCache:
        """Return a new, empty prompt cache."""
        return PromptCache(self._rule, self.counting, system_tokens=self.system_tokens)

    def make_judge(self, spending_limit: SpendingLimit | None) -> Judge | None:
        """Return the judge, or `None` if none is set. Answering and judging keep within the spending limit."""
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
        """Return the model for a name, a model or a callable. For a name, `make_model` makes the model."""
        model = self.make_model(option) if isinstance(option, str) else as_model(option)
        return model.direct() if isinstance(model, ChatModel) else model  # for rules, a client costs most of the time


@functools.cache
def _checks() -> dict[str, TypeAdapter[Any]]:
    hints = get_type_hints(Settings, include_extras=True)
    return {name: TypeAdapter(hint, config=ConfigDict(arbitrary_types_allowed=True)) for name, hint in hints.items()}


@dataclass(frozen=True)
class Timing:
    """The number of loads and saves of one memory, and their total seconds, including model calls."""

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
        """The mean milliseconds of a load and of a save."""
        return 1000 * self.load_seconds / max(self.loads, 1), 1000 * self.save_seconds / max(self.saves, 1)
