"""Compares memories on conversations by recall, cost and speed."""

import importlib
import importlib.metadata
import itertools
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TypeAlias

from memzoo.benchmarks.aggregate import gather
from memzoo.benchmarks.checkpoint import Checkpoint, Copy, settings_digest
from memzoo.benchmarks.inputs import Conversations, Source, Survey, draft_missing, source_of
from memzoo.benchmarks.measure.settings import Settings, Timing
from memzoo.benchmarks.money import check_prices
from memzoo.benchmarks.paths import is_remote, path_of
from memzoo.benchmarks.recorded_states import learnt_of
from memzoo.benchmarks.report.pages import fragment
from memzoo.benchmarks.report.tabulating import records
from memzoo.benchmarks.report.writing import write_report
from memzoo.benchmarks.results import OFFLINE, UNREAD, Compared, MemoryInfo, Run
from memzoo.benchmarks.tasks import Progress, Task, run_tasks
from memzoo.benchmarks.variants import Factory, Variant, check_variants, choose_variants, parse_variant, with_learnt
from memzoo.dispatch import Workers, check_it_travels, executor_of, in_this_process
from memzoo.errors import MissingExtraError, OptionError
from memzoo.memories import ChatModel, ConversationEntityMemory, Model
from memzoo.sync import drive

Memories: TypeAlias = Iterable[Variant | str] | Mapping[str, Factory | Variant | str]
"""The memories to compare: names with or without options, or a mapping from your own names to memory factories."""

_VIEWS = 300
_LOOKED_INTO, _FIRST_EXCHANGES = 5, 20


class Comparison(Compared):
    """The results of `compare`, as a table, a data frame or files."""

    def table(self) -> list[dict[str, Any]]:
        """Return a flat record (a dict without nesting) for each memory and budget."""
        return records(self)

    def to_pandas(self) -> Any:
        """Return the table as a `pandas.DataFrame`.

        Raises:
            MissingExtraError: pandas is not installed.
        """
        try:
            pandas: Any = importlib.import_module("pandas")
        except ModuleNotFoundError as error:
            raise MissingExtraError("to_pandas needs pandas: pip install pandas") from error
        return pandas.DataFrame(self.table())

    def save(self, folder: str | Path) -> list[Path]:
        """Write results.json, times.json, report.md and report.html into a folder or URL, and return their paths."""
        return write_report(self, path_of(folder))

    def _repr_html_(self) -> str:
        return fragment(self)


def compare(
    transcripts: Source,
    memories: Memories = (),
    settings: Settings | None = None,
    *,
    out: str | Path | None = None,
    executor: Workers = None,
    progress: Progress | None = None,
) -> Comparison:
    """Run memories through conversations, ask the questions, and return the comparison.

    If a memory's model fails, the memory is still measured. After any other error, the memory's row shows the error
    instead of figures.

    Args:
        transcripts: The conversations, at least one.
        memories: The memories to compare; by default the seven strategies. The baselines "none" and "everything" are
            always added.
        settings: The settings; by default, a budget of 1,000 tokens and the offline model (rules).
        out: A folder or URL for finished work; an interrupted run continues there.
        executor: The number of worker processes, or any `concurrent.futures.Executor`, such as
            `ThreadPoolExecutor(16)` for remote models or `Client(...).get_executor()` of Dask. Your own functions are
            sent to other processes by cloudpickle, if it is installed.
        progress: A function called during the run with a memory's name and the number of its steps done since the
            previous call.

    Raises:
        OptionError: An argument is invalid; nothing was run.
        ExecutorError: The executor kept failing. Finished work is kept in `out`.
        TransferError: A file cannot be understood; nothing was run.

    Example:
        >>> from memzoo.benchmarks import Settings, compare
        >>> found = compare("sample:en", ["window", "window:k=20"], Settings(budgets=[300]))
        >>> [row.memory.name for row in found.rows]
        ['none', 'window', 'window:k=20', 'everything']
    """
    settings = Settings() if settings is None else settings
    if not isinstance(settings, Settings):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise OptionError(f"settings must be Settings(...), not {settings!r}")
    source, variants = source_of(transcripts), choose_variants(_variants(memories))
    check_variants(variants, settings.budgets)
    if settings.draft:
        source = draft_missing(source) or source
    answering = settings.model_of(settings.model)
    run = Run(
        memzoo=importlib.metadata.version("memzoo"),
        model=answering.name,
        judge=settings.model_of(settings.judge).name if settings.judge is not None else "",
        counter=settings.counting.name,
        budgets=tuple(settings.budgets),
        currency=settings.currency,
        prices=settings.prices,
        offline=answering.name == OFFLINE,
        cache=settings.cache_for(answering.name),
        system_tokens=settings.system_tokens,
        paid=tuple(settings.paid),
        survival=settings.survival,
        relearn=settings.relearn,
    )
    check_prices(settings.prices, filter(None, [run.model, run.judge, *(one.model for one in variants)]))
    if settings.learnt and run.offline:
        variants = beside_learnt(source, variants)
    with tempfile.TemporaryDirectory() as spare, executor_of(executor) as working:
        check_it_travels(working, _parts(settings, variants))
        if in_this_process(working) and any(one.asks_model for one in variants):
            _warm_up(answering)
        survey = Survey(source)
        if settings.survival and not survey.marked:
            raise OptionError(
                "survival needs lines marked with 'keep', and the conversations have none; those of sample:survival do"
            )
        depends: dict[str, Any] = {
            "run": run.model_dump(exclude={"prices", "currency", "cache", "paid"}),
            "talks": survey.digest,
            # The price of a cached token does not affect outcomes.
            "cache": asdict(replace(run.cache, read=float(run.cache.read == 1))),
            # A digest, because an endpoint's URL may contain a password.
            "memories": [
                *map(repr, variants),
                settings_digest([repr(settings.prompts), repr(settings.make_model)]),
            ],
        }
        folder = path_of(out or spare)
        place, copy = (Path(spare), Copy(folder)) if is_remote(folder) else (folder, None)
        checkpoint = Checkpoint(place, depends, [one.name for one in variants], copy)
        try:
            tasks = _tasks(source, variants)
            ended = run_tasks(tasks, checkpoint, settings, executor=working, progress=progress)
        finally:
            checkpoint.flush()
        unread = run.offline and any(one.strategy in UNREAD for one in variants) and not _names_found(source, answering)
        results = gather(
            checkpoint.outcomes(),
            memories=[_info(one, run) for one in variants],
            talks=survey.talks.model_copy(update={"unread": unread}),
            questions=survey.questions,
            details=survey.details,
            run=run,
        )
        sums: dict[str, Timing] = {}
        for one in checkpoint.times():
            sums[one.memory] = sums.get(one.memory, Timing(one.memory)) + one
        if not ended:
            checkpoint.finish()
        return Comparison(results, {name: one.milliseconds for name, one in sums.items()}, ended)


def _names_found(source: Conversations, rules: Model) -> bool:
    """Return True if the offline model finds a name in the first exchanges of the first conversations."""
    for transcript in itertools.islice(source(), _LOOKED_INTO):
        memory = ConversationEntityMemory(llm=rules, learn_every=1)
        for exchange in transcript.exchanges[:_FIRST_EXCHANGES]:
            memory.add_messages(exchange.records)
            if memory.entities:
                return True
    return False


def beside_learnt(transcripts: Source, variants: Sequence[Variant]) -> list[Variant]:
    """Return the variants. For a bundled conversation, add copies with states recorded from a large model."""
    source = source_of(transcripts)
    known = learnt_of(source())
    return with_learnt(variants, known) if known else list(variants)


def in_place_of_rules(transcripts: Source, variants: Sequence[Variant]) -> list[Variant]:
    """Return the variants, replacing each one that has a copy from `beside_learnt` with this copy."""
    found = beside_learnt(transcripts, variants)
    learnt = {one.strategy for one in found if one.learnt}
    return [one for one in found if one.learnt or one.name not in learnt]


def _variants(memories: Any) -> Iterator[Variant | str]:
    if not isinstance(memories, Mapping):
        if isinstance(memories, str | bytes) or not isinstance(memories, Iterable):
            raise OptionError(f"memories must be a list of names, such as ['window', 'summary'], not {memories!r}")
        listed: Iterable[Any] = memories
        for one in listed:
            if not isinstance(one, Variant | str):
                raise OptionError(
                    f"memories must be names with or without options, or Variants, not {one!r}; put a function that "
                    "makes a memory into a dict, under a name of your own"
                )
            yield one
        return
    named: Mapping[Any, Any] = memories
    for name, one in named.items():
        if not (isinstance(name, str) and name):
            raise OptionError(f"the names of memories must be non-empty strings, not {name!r}")
        if isinstance(one, Variant | str):
            yield replace(parse_variant(one) if isinstance(one, str) else one, name=name)
        elif callable(one):
            yield Variant(name, "a memory of your own", factory=one)
        else:
            raise OptionError(f"{name}: expected a function that makes a memory, or a name with options, not {one!r}")


def _parts(settings: Settings, variants: Sequence[Variant]) -> dict[str, object]:
    """Return the objects that are sent to the workers, by their names in error messages."""
    own = {name: getattr(settings, name) for name in ("model", "make_model", "judge", "counter", "prompts")}
    return own | {f"the memory {one.name!r}": one for one in variants}


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
    """Load the modules that a first model call needs, so that no memory's time includes loading. Spends no tokens."""
    if isinstance(model, ChatModel):
        importlib.import_module("openai")
    elif model.name == OFFLINE:
        drive(model.complete([{"role": "user", "content": "hello"}], "warm-up"))
