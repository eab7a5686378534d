"""A failing model, step by step.

1. `RetryPolicy.watch_call` watches each call of a model. If the endpoint says that the prompt is too long, a
   `TooLongError` is raised, and prompts are shorter from then on (`PromptLimit`).
2. If the model fails, learning ends for this save or load. `decide` returns the consequences: the size of the next
   step, and possibly an exchange to set aside. `Learner` commits the new `Attempts` with the state, and the next save
   or load goes on from there, even in another process.
3. Before a later save or load asks the model, `RetryPolicy.check` makes sure that enough time has passed since the
   failure (`rest_of`).
4. A success resets the counts of failures (`after_success`).

An exchange is set aside only if two things are true. First, several steps with only this exchange have failed. Second,
the model is known to work: it just learnt from another exchange, or gave a reply, even a useless one. An outage
therefore sets no exchange aside.
"""

import contextlib
from collections.abc import Callable, Generator, Sequence
from contextvars import ContextVar
from dataclasses import replace
from typing import NamedTuple

from memzoo.errors import ModelError, ModelReplyError
from memzoo.memories.engine.prompt_limit import PromptLimit, TooLongError
from memzoo.memories.engine.state import Attempts
from memzoo.memories.text.grouping import exchange_ends
from memzoo.stores import Entry

MAX_TRIES = 3
"""How often the model may fail on one exchange, while it works on others, before that exchange is set aside."""

_LONGEST_REST = 300.0
_REST_OF_LOADS = 2 * _LONGEST_REST
_MOST_DOUBLINGS = 16


class RestingError(ModelError):
    """The model was not asked, because it failed a short time ago."""


class FailedStep(NamedTuple):
    """The step at which the model failed.

    Attributes:
        first: The log number of the step's first message.
        last: The log number of the step's last message.
        exchanges: The number of exchanges in the step; 0 if the call only tested the model.
        proven: True if the model is known to work, because it has just learnt from another exchange.
        tokens: The current token limit of a prompt.
        now: The time of the failure, in seconds.
    """

    first: int = 0
    last: int = 0
    exchanges: int = 0
    proven: bool = False
    tokens: int = 0
    now: float = 0.0


class Decision(NamedTuple):
    """The consequences of a failure.

    Attributes:
        attempts: The updated `Attempts`, to store with the state.
        set_aside: The first and last log number of the exchange to set aside; `None` to set none aside.
    """

    attempts: Attempts
    set_aside: tuple[int, int] | None = None


def decide(attempts: Attempts, error: ModelError, step: FailedStep) -> Decision:
    """Return the updated `Attempts` after a failed step, and possibly an exchange to set aside."""
    answered = isinstance(error, ModelReplyError)
    last_try = is_last_try(attempts)
    if isinstance(error, TooLongError) and error.asked and error.shorter:
        # The model works, and the next prompt is shorter, so there is no reason to wait.
        return Decision(replace(attempts, failures=1, at=step.now, prompt_tokens=step.tokens))
    failed = replace(attempts, failures=attempts.failures + 1, at=step.now)
    if not step.exchanges or (last_try and not step.proven and not attempts.answered):
        # Probably the model is at fault: the step stays the same.
        return Decision(failed)
    # An earlier reply may have come before an outage: only a new reply shows that the model still works.
    if last_try and (step.proven or answered):
        aside = step.first, step.last
        # Saves go on with the next exchange at once; loads wait, as after any failure.
        rest = Attempts(failures=1, at=step.now, prompt_tokens=attempts.prompt_tokens, aside=(*attempts.aside, aside))
        return Decision(rest, aside)
    # After the first failure the same step is tried again: as a rule the model works later. Then the step is halved.
    same = step.first == attempts.first
    half = max(step.exchanges // 2, 1) if same or attempts.exchanges else attempts.exchanges
    tries = (attempts.tries if same else 0) + (step.exchanges == 1)
    return Decision(replace(failed, first=step.first, exchanges=half, tries=tries, answered=int(answered)))


def is_last_try(attempts: Attempts) -> bool:
    """Return whether `decide` may set the first waiting exchange aside after the next failure.

    `decide` also checks that the model works with other exchanges.
    """
    return attempts.exchanges == 1 and 0 < attempts.tries >= MAX_TRIES - 1


def rest_of(attempts: Attempts, now: float, *, saving: bool) -> float:
    """Return the seconds until the model may be asked again after a failure.

    A save may ask at once after the first failure. After the second failure, the pause for saves is 2 seconds, and it
    doubles with each further failure, up to 300 seconds. The pause for loads is always 600 seconds, so that callers of
    a load seldom wait for a failing model.
    """
    if attempts.failures <= saving:
        return 0.0
    rest = min(2.0 ** min(attempts.failures - 1, _MOST_DOUBLINGS), _LONGEST_REST) if saving else _REST_OF_LOADS
    # If the clock was set back, the model may be asked at once.
    return max(rest - (now - attempts.at), 0.0) if attempts.at <= now else 0.0


def after_success(attempts: Attempts, *, all_of_it: bool) -> Attempts:
    """Return the updated `Attempts` after a step that worked.

    `all_of_it` is true if the step learnt from all waiting messages.
    """
    # An exchange that failed by itself and now succeeds was not at fault, so steps need not stay small.
    done = all_of_it or attempts.tries > 0
    exchanges = 0 if done else attempts.exchanges
    return Attempts(exchanges=exchanges, prompt_tokens=attempts.prompt_tokens, aside=attempts.aside)


# The attempts of the memory that is being loaded; `None` outside a load.
_loading: ContextVar[Attempts | None] = ContextVar("memzoo_loading", default=None)


class RetryPolicy:
    """Decides when to ask a failing model again, and with how many exchanges. All parts of a memory share one policy.

    Attributes:
        clock: Returns the time in seconds.
        prompts: The token limit of prompts.
    """

    def __init__(self, clock: Callable[[], float], prompts: PromptLimit) -> None:
        self.clock = clock
        self.prompts = prompts
        self._asked = Attempts()

    @contextlib.contextmanager
    def watch_call(self, prompt: str) -> Generator[None]:
        """Watch the call of a model in this block.

        Raises:
            TooLongError: The endpoint says that the prompt is too long.
            ModelError: The model failed. In a load, also if the model failed a short time ago: the block then does not
                run.
        """
        learnt = _loading.get()
        if learnt is not None and (rest := max(self.rest(one, saving=False) for one in (learnt, self._asked))):
            raise ModelError(f"the model failed a short time ago; a load does not ask it again for {rest:.0f} s")
        try:
            yield
        except ModelReplyError:
            raise  # The model works: it answered.
        except ModelError as error:
            self._asked = replace(self._asked, failures=self._asked.failures + 1, at=self.clock())
            if too_long := self.prompts.learn_from(error, prompt):
                raise too_long from error
            raise
        self._asked = Attempts()

    @contextlib.contextmanager
    def mark_load(self, attempts: Attempts) -> Generator[None]:
        """Mark this block as a load: its calls do not ask a model that failed a short time ago."""
        token = _loading.set(attempts)
        try:
            yield
        finally:
            _loading.reset(token)

    def rest(self, attempts: Attempts, *, saving: bool) -> float:
        """Return the seconds until a load or a save may ask the model again."""
        return rest_of(attempts, self.clock(), saving=saving)

    def check(self, attempts: Attempts, *, saving: bool | None) -> None:
        """Check that a save or a load may ask the model now. Other calls (`saving` is `None`) may always ask.

        Raises:
            RestingError: The model failed a short time ago.
        """
        if saving is not None and (rest := self.rest(attempts, saving=saving)):
            times = f"the model failed {attempts.failures} times in a row"
            raise RestingError(f"{times}; it is asked again in {rest:.0f} s, or by memory.settle() at once")

    def after_failure(
        self, attempts: Attempts, error: ModelError, entries: Sequence[Entry], *, proven: bool
    ) -> Decision:
        """Decide how to go on after the model failed to learn from messages (`entries`); see `decide`."""
        first, last = (entries[0].seq, entries[-1].seq) if entries else (0, 0)
        exchanges = sum(1 for _ in exchange_ends(entries))
        failed = FailedStep(first, last, exchanges, proven, tokens=self.prompts.tokens, now=self.clock())
        return decide(attempts, error, failed)

    def forgive(self) -> None:
        """Let loads ask the model again at once, even if it failed a short time ago."""
        self._asked = Attempts()
