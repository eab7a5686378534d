"""Variants: the memories in a comparison, by name and options.

Presets are variants that need only a name, such as "window". Their names never change, so that results from different
days can be compared. Two baselines stand at the ends of the table: "none" and "everything".
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

from memzoo.benchmarks.contenders.known import Adapter, find_adapter
from memzoo.benchmarks.recorded_states import Learnt, LearntState
from memzoo.errors import OptionError
from memzoo.memories import STRATEGIES, BaseMemory, create_memory
from memzoo.memories.strategies.named import short_name, strategy_named
from memzoo.prompts import PromptSource
from memzoo.strategy import ModelBackedMemory
from memzoo.text import read_options

Factory: TypeAlias = Callable[..., BaseMemory]
"""A function that makes a memory, and gives it the `store`, `conversation_id` and `token_counter` of each call."""

_WITH = re.compile(r"(.*?\.py|[^/:]+)(?:/([^:]+))?(?::(.+))?")

BUDGET = "budget"
"""The value of an option that stands for the budget being measured."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A memory in a comparison.

    Attributes:
        name: The memory's unique name in tables.
        about: A short description of the memory's views.
        strategy: The strategy's short name; "" for a baseline or if `factory` makes the memory.
        options: The strategy's own options. The value "budget" is replaced by the budget in tokens.
        model: The model for the memory's prompts; `None` for the comparison's model.
        prompts: Your own templates for the memory's prompts.
        factory: A function that makes the memory, instead of a strategy.
        contender: The adapter that runs another library's memory, instead of a strategy.
        way: The way to run the contender; see `Way`.
        baseline: True for "none" and "everything", which are measured but never picked.
        cut: True if views are cut to the budget.
        learnt: A recorded state, used instead of learning during the run.
        learnt_by: The model that wrote the recorded state.
    """

    name: str
    about: str = ""
    strategy: str = ""
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    model: str | None = None
    prompts: PromptSource = None
    factory: Factory | None = None
    contender: Adapter | None = None
    way: str = ""
    baseline: bool = False
    cut: bool = True
    learnt: LearntState | None = field(default=None, repr=False)
    learnt_by: str = ""

    @property
    def asks_model(self) -> bool:
        """True if the strategy or contender asks a model; false for a memory from `factory`, where this is unknown."""
        if self.contender:
            return self.contender.ways[self.way].asks_model
        members = [one if isinstance(one, str) else one[0] for one in self.options.get("memories", ())]
        names = [self.strategy, *members] if self.strategy else []
        return any(issubclass(strategy_named(name), ModelBackedMemory) for name in names)

    @property
    def asks_at_load(self) -> bool:
        """True if the memory asks a model at each load, or is a contender that may ask a model."""
        if self.contender:
            return self.asks_model
        members = [one[1] for one in self.options.get("memories", ()) if not isinstance(one, str)]
        return any(options.get("ask_at_load") for options in (self.options, *members))

    def options_at(self, budget: int) -> dict[str, Any]:
        """Return the options for a budget: each value "budget" is replaced by this number of tokens."""
        return {name: _at(value, budget) for name, value in self.options.items()}

    def make(self, budget: int, **common: Any) -> BaseMemory | None:
        """Return a new memory of this variant; `None` for a baseline.

        `common` has the options that all memories get.

        Raises:
            OptionError: An option is unknown, or has an invalid value.
        """
        if self.factory:
            return self.factory(**{name: common[name] for name in ("store", "conversation_id", "token_counter")})
        if not self.strategy:
            return None
        return create_memory(self.strategy, **self.given(budget, common.pop("llm", None)), **common)

    def given(self, budget: int, llm: Any) -> dict[str, Any]:
        """Return the options for a budget, including the variant's prompts if it has any.

        A memory that asks a model gets `llm`. In a combined memory, each member that asks a model gets it.
        """
        options = self.options_at(budget) | ({"prompts": self.prompts} if self.prompts else {})
        if self.asks_model and "memories" in options:
            return options | {"memories": [_with_model(one, llm) for one in options["memories"]]}
        return {"llm": llm, **options} if self.asks_model else options


def _at(value: Any, budget: int) -> Any:
    if value == BUDGET:
        return budget
    if isinstance(value, Mapping):
        return {name: _at(one, budget) for name, one in value.items()}  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, list | tuple):
        return [_at(one, budget) for one in value]  # pyright: ignore[reportUnknownVariableType]
    return value


def _with_model(member: str | Sequence[Any], llm: Any) -> tuple[str, dict[str, Any]]:
    given: Any = [member, {}] if isinstance(member, str) else member
    name, options = given[0], dict(given[1])
    return name, options | ({"llm": llm} if issubclass(strategy_named(name), ModelBackedMemory) else {})


def _preset(name: str, about: str, **options: Any) -> Variant:
    return Variant(name, about, name, options)


PRESETS: dict[str, Variant] = {
    one.name: one
    for one in (
        Variant("none", "no memory at all: the floor", baseline=True),
        _preset("buffer", "all that was said, cut at the budget: the newest messages"),
        _preset("window", "the last 5 exchanges", k=5),
        _preset("summary", "a running summary"),
        _preset(
            "summary-buffer",
            "a summary, then as many of the newest messages as the budget leaves room for",
            max_token_limit=BUDGET,
            count_summary=True,
        ),
        _preset(
            "entity",
            "notes on whom the question is about, up to the budget, and the last 3 exchanges",
            k=3,
            max_token_limit=BUDGET,
        ),
        _preset(
            "vector-retriever", "the messages that fit the question best, up to the budget", max_token_limit=BUDGET
        ),
        _preset(
            "knowledge-graph",
            "facts about whom the question is about, up to the budget, the newest first",
            k=2,
            mine_ai=True,
            max_token_limit=BUDGET,
        ),
        _preset(
            "combined",
            "the messages that fit the question best, and the newest ones with what they leave of the budget",
            memories=[["vector-retriever", {"max_token_limit": BUDGET}], ["window", {"k": 5}]],
            max_token_limit=BUDGET,
            shares=[1, 0],
        ),
        _preset("message-window", "the last 20 messages", max_messages=20),
        _preset(
            "token-window",
            "as many of the newest messages as the budget has room for",
            max_token_limit=BUDGET,
            oversized="keep",
        ),
        _preset(
            "summarizing-window",
            "a summary of all but the newest exchanges, renewed whenever these reach 10 messages",
            max_messages=10,
        ),
        Variant("everything", "all that was said, whatever it costs: the ceiling", baseline=True, cut=False),
    )
}
"""The variants without options, by name, in the order of the table."""

BASELINES = tuple(one.name for one in PRESETS.values() if one.baseline)
"""The names of the first and the last variant of the table: the lower and the upper bound."""


def parse_variant(text: str) -> Variant:
    """Return the variant for a value of `--memory`: a name, or a name and options.

    A name alone means the preset with that name. A name with options means the strategy with these options. The options
    `model` and `prompts` (a folder) set the variant's attributes.

    Raises:
        OptionError: No strategy has this name.
        OptionError: The text cannot be understood.

    Example:
        >>> parse_variant("window:k=2").options
        {'k': 2}
    """
    name, colon, given = text.partition(":")
    if name in BASELINES:
        raise OptionError(f"--memory {text!r} is a baseline, and always in the table; leave it out")
    if not colon:
        return _look_up(short_name(name))
    return _of_options(text, short_name(name), read_options(given))


def contender_variants(text: str) -> list[Variant]:
    """Return the variants for a value of `--with`, such as NAME, NAME/WAY or NAME/WAY:k=2.

    NAME is the name of an installed adapter, or the path of a file that ends in `.py`. Without a WAY, all ways of the
    contender are returned.

    Raises:
        OptionError: There is no such contender or way.
    """
    parts = _WITH.fullmatch(text)
    if not parts:
        raise OptionError(f"--with {text!r} is not NAME, NAME/WAY or NAME/WAY:option=value,...")
    name, way, given = parts[1], parts[2] or "", parts[3] or ""
    adapter = find_adapter(name)
    if way and way not in adapter.ways:
        raise OptionError(f"the contender {name!r} has no way {way!r}; it has {', '.join(adapter.ways)}")
    if given and not way:
        raise OptionError(f"--with {text!r}: options need a way, such as {name}/{next(iter(adapter.ways))}")
    return [
        Variant(
            f"{adapter.name}/{own}" + (f":{given}" if given else ""),
            one.about,
            options={**one.options, **(read_options(given) if given else {})},
            contender=adapter,
            way=own,
        )
        for own, one in adapter.ways.items()
        if way in ("", own)
    ]


def variants_of(document: Mapping[str, Any], where: str) -> list[Variant]:
    """Return the variants in the table `memories` of a configuration file. Each has a name, a `strategy` and options.

    Raises:
        OptionError: The table is malformed, or names an unknown strategy.
        OptionError: The file has an unknown table.
    """
    if unknown := sorted(document.keys() - {"memories", "prices"}):
        raise OptionError(f"{where} has the unknown table {unknown[0]!r}; the tables are 'memories' and 'prices'")
    memories: Any = document.get("memories", {})
    if not isinstance(memories, dict):
        raise OptionError(f"{where}, 'memories': expected tables such as [memories.short], not {memories!r}")
    return [_of_table(name, table, where) for name, table in memories.items()]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def choose_variants(variants: Iterable[Variant | str]) -> list[Variant]:
    """Return the rows of a comparison: "none", the chosen variants in the order of the presets, and "everything".

    If no variants are given, the seven strategies are chosen.

    Raises:
        OptionError: A name is not the name of a strategy.
        OptionError: Two variants have the same name.
    """
    given = [parse_variant(one) if isinstance(one, str) else one for one in variants]
    given = [one for one in given if not one.baseline] or [PRESETS[name] for name in STRATEGIES]
    order = {name: place for place, name in enumerate(PRESETS)}
    # Equal variants are compared once; different ones need different names.
    unique = list({(one.name, repr(one)): one for one in given}.values())
    names = [one.name for one in unique]
    if repeated := sorted({name for name in names if names.count(name) > 1 or name in BASELINES}):
        raise OptionError(f"two memories would be called {repeated[0]!r} in the table; give one another name")
    # A preset comes before the variants of its strategy; other variants come last.
    unique.sort(key=lambda one: (order.get(one.strategy, len(order)), one.name != one.strategy))
    return [PRESETS[BASELINES[0]], *unique, PRESETS[BASELINES[1]]]


def with_learnt(variants: Iterable[Variant], learnt: Learnt) -> list[Variant]:
    """Return the variants. After each preset with a state in `learnt`, add a copy ("summary*") that uses this state."""
    found: list[Variant] = []
    for one in (one for one in variants if not one.learnt):
        found.append(one)
        state = learnt.memories.get(one.name)
        if state and one == PRESETS.get(one.name):
            about = f"{one.about}; {learnt.by} answered its prompts"
            own = replace(one, name=f"{one.name}*", about=about, options=state.options)
            found.append(replace(own, learnt=state, learnt_by=learnt.by))
    return found


def check_variants(variants: Iterable[Variant], budgets: Iterable[int]) -> None:
    """Make each memory once, so that invalid options are reported before the run costs anything.

    Raises:
        OptionError: An option is unknown, or has an invalid value; the message names the variant.
    """
    from memzoo.benchmarks.contenders.process import borrow
    from memzoo.stores import InMemoryStore

    given = list(budgets)
    common: dict[str, Any] = {"conversation_id": "check", "token_counter": "approximate", "llm": "offline"}
    for variant in variants:
        if variant.contender:
            names, options = {"human_prefix": "Human", "ai_prefix": "AI"}, variant.options_at(given[0])
            with borrow(variant.contender) as contender:
                contender.ask("start", len, options=options, budget=given[0], **names)
            continue
        for budget in given:
            try:
                made: Any = variant.make(budget, store=InMemoryStore(), **common)
            except Exception as error:
                raise OptionError(f"{variant.name}: {error}") from error
            if made is not None and not isinstance(made, BaseMemory):
                raise OptionError(f"{variant.name}: its factory made {made!r}; it must make a BaseMemory")


def _look_up(short: str) -> Variant:
    return PRESETS.get(short) or Variant(short, _about(short), short)


def _about(short: str) -> str:
    return (strategy_named(short).__doc__ or "").partition("\n")[0]


# Options that a comparison sets itself, and what to write instead.
_SHARED = {
    "llm": "write model=NAME",
    "token_counter": "--token-counter sets one counter for all memories",
    **dict.fromkeys(("store", "conversation_id", "name"), "a comparison sets it itself"),
}


def _of_options(name: str, short: str, options: dict[str, Any]) -> Variant:
    if shared := next((option for option in _SHARED if option in options), None):
        raise OptionError(f"{name}: {shared!r} is not an option of a memory here; {_SHARED[shared]}")
    model, prompts = options.pop("model", None), options.pop("prompts", None)
    base = _look_up(short)
    return replace(base, name=name, about=_about(short), options=options or base.options, model=model, prompts=prompts)


def _of_table(name: str, table: Any, where: str) -> Variant:
    if not (isinstance(table, dict) and isinstance(table.get("strategy"), str)):  # pyright: ignore[reportUnknownMemberType]
        raise OptionError(f"{where}, memories.{name}: expected a table with 'strategy' and options, not {table!r}")
    options: dict[str, Any] = dict(table)  # pyright: ignore[reportUnknownArgumentType]
    return _of_options(name, short_name(options.pop("strategy")), options)


def read_config(path: Path) -> dict[str, Any]:
    """Return the contents of a TOML file.

    Raises:
        OptionError: The file cannot be read.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise OptionError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise OptionError(f"{path} cannot be read as TOML: {error}") from error
