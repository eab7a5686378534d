"""How a memory deals with a model that fails: when it is asked again, with how much, and what is set aside."""

import contextlib
from collections.abc import Callable, Generator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, cast

from memzoo.errors import ModelError, ModelReplyError
from memzoo.memories.engine.prompt_limit import PromptLimit, TooLongError
from memzoo.memories.engine.steps import exchange_ends
from memzoo.stores import JSON, Entry

__all__ = ["ATTEMPTS", "Attempts", "Patience", "RestingError"]

ATTEMPTS = "attempts:"
"""The item of a state that keeps them. No strategy sees it."""

_LONGEST_REST = 300.0
_REST_OF_LOADS = 2 * _LONGEST_REST
_MOST_DOUBLINGS = 16


class RestingError(ModelError):
    """The model was not asked, since it failed a short time ago."""


@dataclass(frozen=True, slots=True)
class Attempts:
    """How the attempts to learn from what waits have gone so far. It never changes; each outcome makes a new one.

    It is committed with the state that it belongs to, so the next call, or another process, goes on from there.

    Attributes:
        first: The number of the first message of the step that failed last; 0 if none did.
        failures: How often a model has failed since it last worked.
        at: When it failed last, in seconds.
        exchanges: At most so many make a step; 0 for as many as fit.
        tries: How often the first exchange has failed by itself.
        answered: 1 if what failed last was a reply: the model is there then.
        prompt_tokens: Tokens that a prompt may have, as far as an endpoint has told so; 0 if it has not.
        aside: The first and last numbers of exchanges that were set aside.
    """

    first: int = 0
    failures: int = 0
    at: float = 0.0
    exchanges: int = 0
    tries: int = 0
    answered: int = 0
    prompt_tokens: int = 0
    aside: tuple[tuple[int, int], ...] = ()

    @classmethod
    def from_json(cls, value: JSON) -> "Attempts":
        """Read what `as_json` wrote. What is not of that form, as from an edited file, counts as nothing."""
        given: Mapping[str, Any] = cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}
        numbers = {field.name: given.get(field.name, 0) for field in fields(cls) if field.name != "aside"}
        ranges: list[Any] = given["aside"] if isinstance(given.get("aside"), list) else []
        aside = tuple((one[0], one[1]) for one in ranges if _is_range(one))
        sound = all(_is_number(number, float if name == "at" else int) for name, number in numbers.items())
        return cls(**numbers, aside=aside) if sound else cls(aside=aside)

    def as_json(self) -> JSON:
        """All that is not as it was at first; `None` if nothing is."""
        known = asdict(self) | {"aside": [list(one) for one in self.aside]}
        return {name: value for name, value in known.items() if value} or None

    def rest(self, now: float, *, saving: bool) -> float:
        """The seconds for which no model is to be asked.

        A save may ask at once after a first failure; after that the rest doubles with each failure, from 2 to 300
        seconds. Somebody waits for what a load returns, so it leaves the trying to saves, and rests for 600 at once.
        """
        if self.failures <= saving:
            return 0.0
        rest = min(2.0 ** min(self.failures - 1, _MOST_DOUBLINGS), _LONGEST_REST) if saving else _REST_OF_LOADS
        # A clock that was set back does not make anybody wait for longer than that.
        return max(rest - (now - self.at), 0.0) if self.at <= now else 0.0

    def is_last_try(self, most_tries: int) -> bool:
        """Whether the next failure sets the first exchange aside, if the model is known to be there."""
        return self.exchanges == 1 and 0 < self.tries >= most_tries - 1

    def failed(self, first: int, exchanges: int, now: float, *, answered: bool = False) -> "Attempts":
        """After a step that failed.

        The first time, nothing else changes: as a rule it is the model's fault, and the same step may work later.

        Args:
            first: The number of its first message.
            exchanges: How many it had.
            now: The time in seconds.
            answered: The model gave a reply, of no use.
        """
        again = first == self.first or self.exchanges > 0
        return replace(
            self,
            first=first,
            failures=self.failures + 1,
            at=now,
            exchanges=max(exchanges // 2, 1) if again and exchanges else self.exchanges,
            tries=(self.tries if first == self.first else 0) + (exchanges == 1),
            answered=int(answered),
        )

    def refused(self, now: float) -> "Attempts":
        """After a call that failed for no fault of the step."""
        return replace(self, failures=self.failures + 1, at=now)

    def learnt(self, *, all_of_it: bool) -> "Attempts":
        """After a step that worked.

        Args:
            all_of_it: Nothing else waits.
        """
        # An exchange that failed by itself and works now was not at fault, so the steps need not be small.
        done = all_of_it or self.tries > 0
        return Attempts(exchanges=0 if done else self.exchanges, aside=self.aside)

    def set_aside(self, first: int, last: int) -> "Attempts":
        """After an exchange was given up."""
        return Attempts(aside=(*self.aside, (first, last)))

    def taken_up(self, one: tuple[int, int]) -> "Attempts":
        """After an exchange that was set aside could be learnt from."""
        return replace(self, aside=tuple(other for other in self.aside if other != one))


# The attempts to learn of the memory that is being loaded; `None` for who does not load.
_loading: ContextVar[Attempts | None] = ContextVar("memzoo_loading", default=None)


class Patience:
    """What all parts of one memory know about its model.

    Attributes:
        tries: An exchange that failed so often by itself is set aside.
        clock: Tells the time in seconds.
        prompts: How long a prompt may be.
    """

    def __init__(self, tries: int, clock: Callable[[], float], prompts: PromptLimit) -> None:
        self.tries = tries
        self.clock = clock
        self.prompts = prompts
        self._asked = Attempts()

    def rest(self, attempts: Attempts, *, saving: bool) -> float:
        """The seconds for which a load or a save does not ask the model."""
        return attempts.rest(self.clock(), saving=saving)

    def forgive(self) -> None:
        """Let loads ask the model again, although one of them failed a short time ago."""
        self._asked = Attempts()

    def check(self, attempts: Attempts, *, saving: bool | None) -> None:
        """Leave a model alone that failed a short time ago, in a save or a load; not if `saving` is `None`.

        Raises:
            RestingError: It did.
        """
        if saving is not None and (rest := self.rest(attempts, saving=saving)):
            times = f"the model failed {attempts.failures} times in a row"
            raise RestingError(f"{times}; it is asked again in {rest:.0f} s, or by memory.settle() at once")

    def needs_proof(self, attempts: Attempts) -> bool:
        """Whether the model has to be seen at work before the next failure sets an exchange aside."""
        return attempts.is_last_try(self.tries) and not attempts.answered

    def after(self, attempts: Attempts, entries: Sequence[Entry], error: ModelError, *, proven: bool) -> Attempts:
        """What is known of the attempts after a step that failed; if its exchange was given up, that is set aside.

        Args:
            attempts: What was known before.
            entries: The messages of the step.
            error: The failure.
            proven: The model was just seen at work with another exchange.
        """
        now = self.clock()
        if isinstance(error, TooLongError) and error.asked and error.shorter:
            # The model is there, and the next prompt is shorter, so there is no reason to wait.
            return replace(attempts, failures=1, at=now, prompt_tokens=self.prompts.tokens)
        if not entries or (self.needs_proof(attempts) and not proven):
            return attempts.refused(now)
        first, answered = entries[0].seq, isinstance(error, ModelReplyError)
        # A reply may have come before an outage: only another one shows that the model is still there.
        if attempts.is_last_try(self.tries) and (proven or answered):
            return attempts.set_aside(first, entries[-1].seq)
        return attempts.failed(first, sum(1 for _ in exchange_ends(entries)), now, answered=answered)

    @contextlib.contextmanager
    def loading(self, attempts: Attempts) -> Generator[None]:
        """Mark what runs in this block as a load, which does not wait for a model that has just failed."""
        token = _loading.set(attempts)
        try:
            yield
        finally:
            _loading.reset(token)

    @contextlib.contextmanager
    def asking(self, prompt: str) -> Generator[None]:
        """Watch the call of a model in this block.

        Raises:
            TooLongError: The endpoint says that the prompt is too long.
            ModelError: The model failed; or this is a load, and it failed a short time ago.
        """
        learnt = _loading.get()
        if learnt is not None and (rest := max(self.rest(one, saving=False) for one in (learnt, self._asked))):
            raise ModelError(f"the model failed a short time ago; a load does not ask it again for {rest:.0f} s")
        try:
            yield
        except ModelReplyError:
            raise  # It is there, and answers.
        except ModelError as error:
            self._asked = self._asked.refused(self.clock())
            if too_long := self.prompts.learnt_from(error, prompt):
                raise too_long from error
            raise
        self._asked = Attempts()


def _is_number(value: object, kind: type[float]) -> bool:
    return isinstance(value, (int, kind)) and not isinstance(value, bool) and 0 <= value < 2**53


def _is_range(value: object) -> bool:
    """Whether it is the first and the last number of an exchange."""
    if not isinstance(value, list):
        return False
    pair: list[Any] = value
    return len(pair) == 2 and all(type(one) is int for one in pair) and 0 < pair[0] <= pair[1] < 2**53  # noqa: PLR2004
