"""How a memory deals with a model that fails: when it is asked again, how often, and with how much."""

import contextlib
from collections.abc import Callable, Generator
from contextvars import ContextVar

from memzoo.memories.engine.attempts import Attempts
from memzoo.memories.engine.prompt_limit import PromptLimit
from memzoo.stores.errors import ModelError, ModelReplyError

__all__ = ["Patience"]

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

    @contextlib.contextmanager
    def loading(self, attempts: Attempts) -> Generator[None]:
        """Mark what runs in this block as a load, which does not wait for a model that has just failed."""
        token = _loading.set(attempts)
        try:
            yield
        finally:
            _loading.reset(token)

    @contextlib.contextmanager
    def asking(self, prompt: str, purpose: str) -> Generator[None]:
        """Watch the call of a model in this block.

        Raises:
            TooLongError: The prompt is too long, for what is known already or for what the endpoint says.
            ModelError: The model failed; or this is a load, and it failed a short time ago.
        """
        learning = _loading.get()
        rests = [self.rest(one, saving=False) for one in (learning, self._asked) if one and learning is not None]
        if any(rests):
            raise ModelError(f"the model failed a short time ago; a load does not ask it again for {max(rests):.0f} s")
        self.prompts.check(prompt, purpose)
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
