"""Compares memories on conversations: what each remembers, what it costs, how slow it is."""

import functools
import importlib
import importlib.metadata
import itertools
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TypeAlias

from memzoo.benchmarks.arguments import check_arguments
from memzoo.benchmarks.checkpoint import Checkpoint, Copy
from memzoo.benchmarks.comparison import Comparison
from memzoo.benchmarks.gathering import gather
from memzoo.benchmarks.learnt import learnt_of
from memzoo.benchmarks.measure.caching import CACHES, CacheRule
from memzoo.benchmarks.measure.counting import TextCounter, named_counter
from memzoo.benchmarks.measure.measuring import steps_in
from memzoo.benchmarks.measure.setup import Setup, Timing
from memzoo.benchmarks.money import Prices, price_of
from memzoo.benchmarks.paths import is_remote, path_of
from memzoo.benchmarks.results import OFFLINE, UNREAD, MemoryInfo, Run
from memzoo.benchmarks.survey import Conversations, Source, Survey, draft_missing, source_of
from memzoo.benchmarks.variants import Factory, Variant, check_variants, choose_variants, parse_variant, with_learnt
from memzoo.benchmarks.work import Progress, Task, run_tasks, settings_digest
from memzoo.dispatch import Workers, check_it_travels, executor_of, in_this_process
from memzoo.errors import OptionError
from memzoo.memories import ChatModel, ConversationEntityMemory, Model
from memzoo.prompts import PromptSet, PromptSource
from memzoo.strategy import ModelOption
from memzoo.sync import drive

__all__ = ["OFFLINE", "Comparison", "Memories", "beside_learnt", "compare", "in_place_of_rules", "total_steps"]

Memories: TypeAlias = Iterable[Variant | str] | Mapping[str, Factory | Variant | str]
"""What to compare: names with or without options, or a mapping from your own names to functions that make memories."""

_VIEWS = 300
_LOOKED_INTO, _FIRST_EXCHANGES = 5, 20


def compare(
    transcripts: Source,
    memories: Memories = (),
    *,
    model: ModelOption = OFFLINE,
    make_model: Callable[[str], Model] = ChatModel,
    budgets: Sequence[int] = (1000,),
    counter: TextCounter | str = "approximate",
    judge: ModelOption | None = None,
    prompts: PromptSource = None,
    prices: Prices | None = None,
    currency: str = "",
    per_month: int | None = None,
    stop_at: float | None = None,
    out: str | Path | None = None,
    executor: Workers = None,
    progress: Progress | None = None,
    learnt: bool = True,
    cache: CacheRule | str = "openai",
    price_cached: float | None = None,
    system_tokens: int = 0,
    paid: Sequence[int] = (),
    draft: bool = True,
) -> Comparison:
    """Run memories through conversations and ask them the questions.

    If a memory's model fails, its row has what the memory showed meanwhile; any other error is recorded in its row, and
    the others continue.

    Args:
        transcripts: The conversations, at least one.
        memories: What to compare; by default the seven. The baselines are always added.
        model: Answers for memories that need a model: a `ChatModel`, a model's name, `"offline"`, or a callable.
        make_model: Makes each model given by name, including those of `memories` and the judge. For your own endpoint
            or limits, use `functools.partial(ChatModel, base_url=..., max_tokens=500)`.
        budgets: How many tokens a memory may show; each budget is measured.
        counter: Counts the tokens shown: a name for tiktoken, `"approximate"`, or a counter.
        judge: A model that marks the answers that `model` gives from what each memory showed.
        prompts: Your own templates for the questions to `model` and `judge`.
        prices: The prices of a million tokens by model: input, output; "*" for any other, "embedding" for embeddings.
        currency: The currency of the prices.
        per_month: How many exchanges you have a month, to compute their cost.
        stop_at: Stop asking models before the run costs more than this; needs prices. Finished work is kept.
        out: A folder or URL for finished work; an interrupted run continues there.
        executor: Does the work: a number of processes, or any `concurrent.futures.Executor`, such as
            `ThreadPoolExecutor(16)` for models behind a network or `Client(...).get_executor()` of Dask. Your own
            functions travel to other processes by cloudpickle, if it is installed.
        progress: Called during the run with the name of a memory and the steps it took.
        learnt: If rules answer on a bundled conversation, also show, as memories with a star, what a large model taught
            the memories beforehand.
        cache: What the provider keeps of a request for the next one, and at what price: `"openai"`, `"anthropic"`,
            `"deepseek"`, `"none"`, or your own rule. A longer pause between the dates of the talk empties it.
        price_cached: The price of a million cached tokens, instead of the provider's share of the input price.
        system_tokens: How many tokens precede the memory in each request: a system prompt, descriptions of tools.
        paid: What a request may cost, in paid tokens: for each of these, the verdict says which memory shows the most,
            and with which of `budgets`.
        draft: If no conversation has questions, let rules draft some, as `memzoo compare` does; the verdict says so.

    Raises:
        OptionError: An argument cannot work; nothing was run.
        ExecutorError: The executor kept failing. Finished work is kept in `out`.
        TranscriptError: A file cannot be understood; nothing was run.

    Example:
        >>> from memzoo.benchmarks import TextCounter, compare, sample_transcripts
        >>> words = TextCounter("words", lambda text: len(text.split()))
        >>> found = compare(sample_transcripts(), ["window", "window:k=20"], budgets=[300], counter=words)
        >>> [row.memory.name for row in found.rows]
        ['none', 'window', 'window:k=20', 'everything']
    """
    check_arguments(locals())
    source, variants, limits = source_of(transcripts), choose_variants(_variants(memories)), tuple(sorted(set(budgets)))
    if stop_at is not None and not prices:
        raise OptionError("stop_at needs prices: without them nobody knows what was spent")
    check_variants(variants, limits)
    if draft:
        source = draft_missing(source) or source
    counting = named_counter(counter) if isinstance(counter, str) else counter
    if prompts is not None:
        PromptSet(prompts)  # templates that cannot work are refused before anything runs
    setup = Setup(
        *(model, limits, counting.name if isinstance(counter, str) else counting, judge, prompts, make_model),
        cache=CACHES[cache] if isinstance(cache, str) else cache,
        system_tokens=system_tokens,
    )
    answering = setup.model_of(model)
    run = Run(
        memzoo=importlib.metadata.version("memzoo"),
        model=answering.name,
        judge=setup.model_of(judge).name if judge is not None else "",
        counter=counting.name,
        budgets=limits,
        currency=currency,
        prices=dict(prices or {}),
        per_month=per_month,
        offline=answering.name == OFFLINE,
        cache=setup.cache if price_cached is None else _price(setup.cache, price_cached, prices, answering.name),
        system_tokens=setup.system_tokens,
        paid=tuple(sorted(set(paid))),
    )
    if learnt and run.offline:
        variants = beside_learnt(source, variants)
    with tempfile.TemporaryDirectory() as spare, executor_of(executor) as working:
        check_it_travels(working, _parts(setup, variants))
        if in_this_process(working) and any(one.asks_model for one in variants):
            _warm_up(answering)
        doing = functools.partial(run_tasks, setup=setup, executor=working, prices=prices or {}, stop_at=stop_at)
        work = functools.partial(doing, progress=progress or (lambda _name, _steps: None))
        folder = path_of(out or spare)
        place, copy = (Path(spare), Copy(folder)) if is_remote(folder) else (folder, None)
        begin = functools.partial(Checkpoint, place, copy=copy)
        return _compare(source, variants, run, work, begin, prompts, make_model)


def _compare(
    source: Conversations,
    variants: Sequence[Variant],
    run: Run,
    work: Callable[[Iterable[Task], Checkpoint], str],
    begin: Callable[[Mapping[str, Any], Sequence[str]], Checkpoint],
    *more: object,
) -> Comparison:
    survey = Survey(source)
    unread = run.offline and any(one.strategy in UNREAD for one in variants) and not _names_found(source)
    settings: dict[str, Any] = {
        "run": run.model_dump(exclude={"prices", "currency", "per_month", "cache", "paid"}),
        "talks": survey.digest,
    }
    # The price of a cached token changes no outcome.
    settings["cache"] = asdict(replace(run.cache, read=float(run.cache.read == 1)))
    # As a digest, because an endpoint's URL may contain a password.
    settings["memories"] = [repr(one) for one in variants] + [settings_digest(map(repr, more))]
    checkpoint = begin(settings, [one.name for one in variants])
    try:
        ended = work(_tasks(source, variants), checkpoint)
    finally:
        checkpoint.flush()
    results = gather(
        checkpoint.outcomes(),
        memories=[_info(one, run) for one in variants],
        talks=survey.talks.model_copy(update={"unread": unread}),
        questions=survey.questions,
        details=survey.details,
        run=run,
    )
    times = _times(checkpoint.times())
    if not ended:
        checkpoint.finish()
    return Comparison(results, times, ended)


def _names_found(source: Conversations) -> bool:
    """Tell whether the rules that replace a model find a name at the beginning of conversations."""
    for transcript in itertools.islice(source(), _LOOKED_INTO):
        memory = ConversationEntityMemory(llm=OFFLINE)
        for exchange in transcript.exchanges[:_FIRST_EXCHANGES]:
            memory.add_messages(exchange.records)
            if memory.entities:
                return True
    return False


def beside_learnt(transcripts: Source, variants: Sequence[Variant]) -> list[Variant]:
    """Add to each memory what it learnt of a bundled conversation from a large model; see `with_learnt`."""
    source = source_of(transcripts)
    known = learnt_of(source())
    return with_learnt(variants, known) if known else list(variants)


def in_place_of_rules(transcripts: Source, variants: Sequence[Variant]) -> list[Variant]:
    """Put what memories learnt of a bundled conversation from a large model in the place of what rules make of it."""
    found = beside_learnt(transcripts, variants)
    learnt = {one.strategy for one in found if one.learnt}
    return [one for one in found if one.learnt or one.name not in learnt]


def total_steps(transcripts: Source) -> int:
    """Count the steps of progress that a memory takes through all conversations."""
    return sum(map(steps_in, source_of(transcripts)()))


def _variants(memories: Any) -> Iterator[Variant | str]:
    if not isinstance(memories, Mapping):
        if isinstance(memories, str | bytes) or not isinstance(memories, Iterable):
            raise OptionError(f"memories must be a list of names, such as ['window', 'summary'], not {memories!r}")
        listed: Iterable[Any] = memories
        for one in listed:
            if not isinstance(one, Variant | str):
                raise OptionError(
                    "memories must be names with or without options, or Variants; a function that makes a memory goes "
                    f"into a dict, by a name of your own; not {one!r}"
                )
            yield one
        return
    named: Mapping[Any, Any] = memories
    for name, one in named.items():
        if not (isinstance(name, str) and name):
            raise OptionError(f"memories must have names that are texts, not {name!r}")
        if isinstance(one, Variant | str):
            yield replace(parse_variant(one) if isinstance(one, str) else one, name=name)
        elif callable(one):
            yield Variant(name, "a memory of your own", factory=one)
        else:
            raise OptionError(f"{name}: expected a function that makes a memory, or a name with options, not {one!r}")


def _price(rule: CacheRule, price: float, prices: Prices | None, model: str) -> CacheRule:
    full, _ = price_of(prices or {}, model)
    if rule.read == 1 or not full or not 0 <= price <= full:
        raise OptionError(
            "price_cached must be from 0 to the price of input, which must be given, with a cache; not "
            f"{price!r} where a million tokens of {model!r} cost {full:g} and the cache is {rule.name!r}"
        )
    return replace(rule, read=price / full)


def _parts(setup: Setup, variants: Sequence[Variant]) -> dict[str, object]:
    """Return what is sent to the workers, with names for people."""
    own = {"model": setup.model, "make_model": setup.make_model, "judge": setup.judge, "counter": setup.counter}
    return own | {"prompts": setup.prompts} | {f"the memory {one.name!r}": one for one in variants}


def _tasks(source: Conversations, variants: Sequence[Variant]) -> Iterator[Task]:
    asked = 0
    for number, transcript in enumerate(source()):
        keep = asked < _VIEWS
        asked += len(transcript.measured)
        yield from (Task(transcript, number, variant, keep) for variant in variants)


def _info(variant: Variant, run: Run) -> MemoryInfo:
    model = (variant.learnt_by or variant.model or run.model) if variant.asks_model else ""
    return MemoryInfo(
        name=variant.name,
        about=variant.about,
        strategy=variant.strategy,
        options=dict(variant.options),
        prompts=str(variant.prompts) if isinstance(variant.prompts, str | Path) else "",
        model=model,
        baseline=variant.baseline,
        floor=model == OFFLINE,
        learnt_by=variant.learnt_by,
    )


def _warm_up(model: Model) -> None:
    """Load what the first call would load, so that its time counts against no memory. Spends no tokens."""
    if isinstance(model, ChatModel):
        importlib.import_module("openai")
    elif model.name == OFFLINE:
        drive(model.complete([{"role": "user", "content": "hello"}], "warm-up"))


def _times(timings: Iterable[Timing]) -> dict[str, tuple[float, float]]:
    sums: dict[str, Timing] = {}
    for one in timings:
        sums[one.memory] = sums.get(one.memory, Timing(one.memory)) + one
    return {name: one.milliseconds for name, one in sums.items()}
