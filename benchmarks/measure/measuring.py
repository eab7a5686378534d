"""Runs one memory through one conversation as a chatbot would, and asks each question when it is due."""

import itertools
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from typing import Any, TypeAlias

from memzoo.benchmarks.contenders.memory import ContenderMemory
from memzoo.benchmarks.contenders.process import borrow
from memzoo.benchmarks.measure.caching import PromptCache, Requests
from memzoo.benchmarks.measure.evidence import score_question
from memzoo.benchmarks.measure.fitting import Said, fit
from memzoo.benchmarks.measure.settings import Settings, Timing
from memzoo.benchmarks.measure.surviving import AGES, Followed
from memzoo.benchmarks.money import MeteredModel, SpendingLimit
from memzoo.benchmarks.outcomes import AtBudget, Outcome, Scored, Sum, View
from memzoo.benchmarks.recorded_states import Unasked, log_of
from memzoo.benchmarks.results import main_budget
from memzoo.benchmarks.transcripts.conversations import UNDATED, Exchange, Mark, Question, Transcript
from memzoo.benchmarks.variants import Variant
from memzoo.errors import ModelError
from memzoo.memories import BaseMemory, Model, Usage
from memzoo.memories.text.order import lead_with, make_request
from memzoo.stores import InMemoryStore, Message
from memzoo.strategy import text_of
from memzoo.sync import drive
from memzoo.types import Piece, Shown, Spent

# Loads without a model call cost only time, but much time in a long conversation. So at most this number of loads,
# evenly spread, is measured for the mean. Loads of the whole conversation serve only to measure their time.
_MOST_LOADS = 200
_MOST_WHOLE_LOADS = 8
_POINTS = 100
_APART = 600.0  # seconds
_SETTLES = 20

Advance: TypeAlias = Callable[[int], None]


def measure(
    transcript: Transcript,
    number: int,
    variant: Variant,
    settings: Settings,
    *,
    keep_views: bool = True,
    progress: Advance = lambda _steps: None,
    spending_limit: SpendingLimit | None = None,
) -> tuple[Outcome, Timing]:
    """Run a memory through a conversation with a new store, and return its measurements and times.

    A memory that has an option with the value "budget" runs once for each budget; any other memory runs only once.
    Failures of the model are counted, and the run continues.

    With `keep_views`, the views shown for the questions are kept. `number` is the conversation's number. `progress` is
    called with 1 after each exchange and each question.

    Raises:
        LimitReachedError: The next model call might cost more than is left.
    """
    runs = [
        _Run(transcript, variant, settings, list(budgets), spending_limit, keep_views=keep_views)
        # A contender is told its budget at the start.
        for _, budgets in itertools.groupby(
            settings.budgets, key=lambda budget: (variant.contender and budget, repr(variant.options_at(budget)))
        )
    ]
    taken = itertools.count(1)

    def advance(steps: int) -> None:
        for _ in range(steps):
            if next(taken) % len(runs) == 0:
                progress(1)

    for run in runs:
        with run.opened():
            run.go(advance)
    # A user has only one budget; judging and failures count for every budget.
    main = next(run for run in runs if main_budget(settings.budgets) in run.budgets)
    calls: dict[str, Any] = main.calls | {"judging": sum((run.calls["judging"] for run in runs), Sum())}
    worst = max(runs, key=lambda run: run.failed_saves)
    outcome = Outcome(
        transcript=number,
        memory=variant.name,
        exchanges=len(transcript.exchanges),
        **calls,
        failed_saves=worst.failed_saves,
        failure=worst.failure,
        budgets={
            budget: found if run is main else found.model_copy(update=run.sum_upkeep())
            for run in runs
            for budget, found in run.collect().items()
        },
    )
    return outcome, main.sum_times()


def steps_in(transcript: Transcript) -> int:
    """Return the number of exchanges and questions in a conversation; `measure` reports progress after each."""
    return len(transcript.exchanges) + len(transcript.measured)


class _Tally:
    """The measurements within one budget during a run."""

    def __init__(self, cache: PromptCache) -> None:
        self.cache, self.requests = cache, Requests()
        self.shown: list[tuple[int, int]] = []
        self.answers: list[Scored] = []
        self.followed, self.relearnt = Followed(), Followed()

    def sum_up(self) -> AtBudget:
        # Rounded up, so that at most `_POINTS` points are left; the last exchange is always one of them.
        every = max(1, -(-len(self.shown) // _POINTS))
        course = [*self.shown[:-1][::every], *self.shown[-1:]]
        # A memory with a recorded state is loaded only for the questions.
        tokens = [tokens for _, tokens in self.shown] or [answer.tokens for answer in self.answers]
        return AtBudget(
            loads=len(tokens),
            tokens=sum(tokens),
            tokens_at_end=tokens[-1] if tokens else 0,
            requests=self.requests,
            course=tuple(course),
            answers=tuple(self.answers),
            survived=self.followed.list_survived(),
            relearnt=self.relearnt.list_survived(),
            unwanted=self.followed.list_unwanted(),
            stated=self.followed.list_stated(),
        )


class _Run:
    """One run of a memory through a conversation."""

    def __init__(
        self,
        transcript: Transcript,
        variant: Variant,
        settings: Settings,
        budgets: list[int],
        spending_limit: SpendingLimit | None,
        *,
        keep_views: bool,
    ) -> None:
        names = ("load", "save", "asking", "judging", "embedding", "settled", "relearning")
        self.budgets = budgets
        self.calls = dict.fromkeys(names, Sum())
        self.failed_saves = 0
        self.failure = ""
        self._transcript, self._variant, self._settings = transcript, variant, settings
        self._asks_at_load = variant.asks_at_load
        self._keep_views = keep_views
        self._tallies = {budget: _Tally(settings.prompt_cache()) for budget in budgets}
        self._now = next((one.said_at for one in transcript.exchanges), UNDATED)
        self._seconds = self._now.timestamp()
        self._rule: list[Message] = []
        self._marks: list[tuple[int, Mark]] = []
        self._forgotten = set[int]()
        self._said = Said(settings.counting) if variant.strategy == "buffer" or not variant.cut else None
        self._model = MeteredModel(self._choose_model(), spending_limit)
        self._judge = settings.make_judge(spending_limit)
        self._memory: BaseMemory | ContenderMemory | None = None
        self._usage, self._timer = Usage(), settings.timer
        self._load_seconds = self._save_seconds = 0.0
        self._loads = self._saves = 0

    @contextmanager
    def opened(self) -> Generator[None]:
        """Make the memory; a contender's process is borrowed while the block runs."""
        with ExitStack() as stack:
            self._memory = self._fresh(min(self._tallies), stack)
            if self._memory:
                self._usage = self._memory.usage
            if isinstance(self._memory, ContenderMemory):
                self._timer = self._memory.timer
            yield

    def go(self, progress: Advance) -> None:
        """For each exchange, ask the due questions, load the memory for the user's message, and save the exchange.

        The other questions are asked at the end, when the memory has learnt everything.
        """
        due = deque(self._transcript.measured)
        if self._variant.learnt:
            self.calls["save"] = self._variant.learnt.spent
            progress(len(self._transcript.exchanges))
            self._wait(self._transcript.exchanges[-1].said_at)
        # A recorded state is of the whole conversation, so all questions are asked at its end.
        exchanges = () if self._variant.learnt else self._transcript.exchanges
        for number, exchange in enumerate(exchanges, start=1):
            while due and due[0].asked_after is not None and due[0].asked_after < number:
                self._ask(due.popleft())
                progress(1)
            self._wait(exchange.date)
            for since, mark in self._marks if self._settings.survival else []:
                if number - since in AGES:
                    self._ask_for(mark, number - since, exchange.user_text)
            self._load(number, exchange)
            self._wait()
            self._save(number, exchange)
            self._marks += [(number, mark) for mark in exchange.marks]
            progress(1)
        is_followed = self._settings.survival and bool(exchanges)
        if exchanges and self._memory:
            self._learn("save", self._memory.settle)
            for _ in range(_SETTLES if is_followed else 0):
                self._learn("settled", self._memory.settle)
        for question in due:
            self._ask(question)
            progress(1)
        if is_followed:
            self._end(exchanges[-1].user_text)

    def collect(self) -> dict[int, AtBudget]:
        """Return the measurements by budget."""
        return {budget: tally.sum_up() for budget, tally in self._tallies.items()}

    def sum_upkeep(self) -> dict[str, Sum]:
        """Return the calls of all loads and saves, and those for embeddings, as the fields of `AtBudget`."""
        return {"upkeep": self.calls["load"] + self.calls["save"], "embedding": self.calls["embedding"]}

    def sum_times(self) -> Timing:
        """Return the times of loads and saves."""
        return Timing(self._variant.name, self._load_seconds, self._loads, self._save_seconds, self._saves)

    def _load(self, number: int, exchange: Exchange) -> None:
        timed = self._is_loaded_at(number)
        counted = timed or self._said is not None
        # The exchange before a measured exchange is loaded too, because its request is in the provider's cache.
        if not (counted or self._is_loaded_at(number + 1)):
            return
        before, start = self._sum_spent(), self._timer()
        view = self._view(exchange.user_text) if timed or not self._said else []
        if timed and self._memory:
            self._loads += 1
            self._load_seconds += self._timer() - start
        self._book("load", before)
        for budget, tally in self._tallies.items():
            # Without a cut the view is the whole conversation, whose size is known without loading it.
            shown = self._cut(view, budget) if self._variant.cut else Shown()
            request = self._reckon(tally.cache, shown, exchange)
            if self._marks and not self._settings.survival:
                tally.followed.look(number, self._marks, shown if self._variant.cut else None)
            if counted:
                tally.shown.append((number, self._tokens(shown)))
                tally.requests += request

    def _reckon(self, cache: PromptCache, shown: Shown, exchange: Exchange) -> Requests:
        """Return the token counts of the request at an exchange."""
        asked, at = exchange.asked, self._now.timestamp()
        if self._variant.cut or self._said is None:
            return cache.send(self._make_request(shown, asked), at)
        anew, self._rule = self._said.rule != self._rule, self._said.rule
        first = self._said.opening
        tokens = self._said.tokens + self._settings.counting.of_messages(first)
        return cache.grow(tokens, self._said.count + len(first), asked, at, anew=anew)

    def _make_request(self, shown: Shown, asked: Sequence[Message]) -> list[Message]:
        # The short system text stands for the system prompt, whose size the cache knows.
        system = "-" if self._settings.system_tokens else ""
        request = make_request(lead_with(system, [*shown.pieces, *map(Piece, asked)]))
        return request[1:] if request and request[0]["content"] == system else request

    def _is_loaded_at(self, number: int) -> bool:
        """Return True if the memory is loaded at an exchange: at all of them if loads ask a model, else at some."""
        exchanges = len(self._transcript.exchanges)
        most = _MOST_WHOLE_LOADS if self._said else _MOST_LOADS
        if self._asks_at_load and not self._model.given_up:
            most = exchanges
        # Every n-th exchange, with n rounded up, and the last exchange for the tokens shown at the end.
        return number <= exchanges and (not (number - 1) % -(-exchanges // most) or number == exchanges)

    def _save(self, number: int, exchange: Exchange) -> None:
        if memory := self._memory:
            start = self._timer()
            self._saves += 1
            self._learn("save", lambda: memory.add_messages(exchange.records, turn_id=f"exchange-{number}"))
            self._save_seconds += self._timer() - start
        if self._said:
            self._said.add(exchange.messages)
        if exchange.forgets:
            self._forget(number, exchange.forgets)

    def _learn(self, name: str, learn: Callable[[], object]) -> None:
        """Call `learn`, and add its model calls to `calls[name]`; count a model error, if `name` is "save"."""
        before = self._sum_spent()
        try:
            learn()
        except ModelError as error:
            # Learning the rest at the end is no save of its own.
            self.failed_saves = min(self.failed_saves + (name == "save"), self._saves)
            self.failure = str(error)
        self._book(name, before)

    def _forget(self, number: int, numbers: Sequence[int]) -> None:
        """Delete messages, as the application does after an exchange."""
        self._forgotten.update(numbers)
        if self._said:
            said = [message for one in self._transcript.exchanges[:number] for message in one.messages]
            self._said = Said(self._settings.counting)
            self._said.add([one for place, one in enumerate(said, start=1) if place not in self._forgotten])
            self._rule = [{}]  # so that the next request does not count as a continuation of the last one
        if memory := self._memory:
            self._learn("save", lambda: memory.forget(numbers))

    def _ask_for(self, mark: Mark, after: int | None, said: str | None, *, anew: bool = False) -> None:
        """Check if views for a marked line's question show the line; without a question, views for the words `said`."""
        for tally, shown in self._views(mark.asked or said):
            (tally.relearnt if anew else tally.followed).ask(mark, after, shown)

    def _views(self, query: str | None) -> list[tuple[_Tally, Shown]]:
        before = self._usage.total
        view = [] if self._said else self._view(query)
        if (spent := self._usage.total) != before:
            self.calls["asking"] += Sum.of(spent - before)
        return [(tally, self._cut(view, budget)) for budget, tally in self._tallies.items()]

    def _end(self, said: str | None) -> None:
        """Check all marked lines and unwanted statements at the end; then relearn, and check marked lines again."""
        marks, unwanted = [mark for _, mark in self._marks], self._transcript.unwanted
        for mark in marks:
            self._ask_for(mark, None, said)
        for query in [*(mark.asked for mark in marks), *(one.question for one in unwanted)] if unwanted else []:
            for tally, shown in self._views(query or said):
                tally.followed.watch(unwanted, shown)
        if self._settings.relearn and self._memory:
            for _ in range(self._settings.relearn):
                self._learn("relearning", self._memory.relearn)
            for mark in marks:
                self._ask_for(mark, None, said, anew=True)

    def _ask(self, question: Question) -> None:
        for tally, shown in self._views(question.text):
            tally.answers.append(self._answer(question, shown))
            if self._variant.learnt:  # its only requests are the questions
                request = self._make_request(shown, [{"role": "user", "content": question.text}])
                tally.requests += tally.cache.send(request, self._now.timestamp())

    def _answer(self, question: Question, shown: list[Message]) -> Scored:
        view: View = tuple((message["role"], text_of(message)) for message in shown)
        kept = view if self._keep_views and self._variant.cut else None
        answer = score_question(question, view).model_copy(update={"tokens": self._tokens(shown), "shown": kept})
        if self._judge is None or not self._variant.cut:
            return answer
        opinion = self._judge.judge(question, shown, self._transcript)
        self.calls["judging"] += opinion.spent
        return answer.model_copy(update={"reply": opinion.reply, "judged": opinion.right})

    def _view(self, query: str | None) -> list[Message]:
        return [] if self._memory is None else self._memory.messages(query)

    def _wait(self, until: datetime | None = None) -> None:
        """Advance the memory's clock to a date, but far enough that a model that failed is asked again."""
        self._now = until or self._now
        self._seconds = max(self._seconds + _APART, self._now.timestamp())

    def _cut(self, view: list[Message], budget: int) -> Shown:
        if self._said:
            return self._said.end(budget) if self._variant.cut else Shown(self._said.whole())
        return fit(view, budget, self._settings.counting)

    def _tokens(self, shown: list[Message]) -> int:
        return self._said.tokens if self._said and not self._variant.cut else self._settings.counting.of_messages(shown)

    def _choose_model(self) -> Model:
        """Return the model for the memory's prompts."""
        if self._variant.learnt:
            return Unasked(self._variant.learnt_by)
        return self._settings.answering if self._variant.model is None else self._settings.model_of(self._variant.model)

    def _fresh(self, budget: int, stack: ExitStack) -> BaseMemory | ContenderMemory | None:
        names = {"human_prefix": self._transcript.user, "ai_prefix": self._transcript.assistant}
        if adapter := self._variant.contender:
            contender = stack.enter_context(borrow(adapter))
            contender.port.model = self._model
            options = {"options": self._variant.options_at(budget), "budget": budget, **names}
            return ContenderMemory(contender, self._settings.counting, lambda: self._now, **options)
        # The store's clock follows the conversation, so that old messages look old to the memory.
        store = InMemoryStore(clock=lambda: self._now)
        if learnt := self._variant.learnt:
            drive(store.restore(self._variant.name, log_of(self._transcript), learnt.to_stored()))
        return self._variant.make(
            budget,
            llm=self._model,
            conversation_id=self._variant.name,
            store=store,
            clock=lambda: self._seconds,
            **names,
            token_counter=self._settings.counting.of_message,
        )

    def _sum_spent(self) -> tuple[Spent, Spent]:
        """Return the cost of embedding calls so far, and the cost of all calls."""
        return self._usage["embedding"], self._usage.total

    def _book(self, name: str, before: tuple[Spent, Spent]) -> None:
        if (now := self._sum_spent()) == before:
            return
        embedding, whole = (one - other for one, other in zip(now, before, strict=True))
        self.calls["embedding"] += Sum.of(embedding)
        self.calls[name] += Sum.of(whole - embedding)


def messages_in(transcript: Transcript) -> Iterator[Message]:
    """Return an iterator over all messages of a transcript, oldest first."""
    return (message for exchange in transcript.exchanges for message in exchange.messages)
