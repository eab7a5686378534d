"""What saving and loading ask of a memory."""

from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

from memzoo.memories.engine.log import Log
from memzoo.memories.engine.state import State
from memzoo.memories.text.view import Shown, View
from memzoo.stores import Store

if TYPE_CHECKING:
    from memzoo.memories.engine.learner import Learner
    from memzoo.memories.engine.pins import Pins
    from memzoo.memories.engine.system_message import SystemMessage
    from memzoo.memories.models.usage import Usage
    from memzoo.memories.text.redaction import Redact, Redactor
    from memzoo.memories.text.rendering import Renderer
    from memzoo.memories.text.tokens import TokenCounter

__all__ = ["Memory"]


class Memory(Protocol):
    """A memory, as saving and loading see it; `BaseMemory` says more of each."""

    name: ClassVar[str]
    store: Store
    conversation_id: str
    max_pending_tokens: int
    keep_history: bool
    learn: Any
    token_counter: Any
    on_model_error: Any
    redact: "Redact | None"
    pinned_first: bool
    log: Log
    pins: "Pins"
    system: "SystemMessage"
    render: "Renderer"
    usage: "Usage"
    learner: "Learner | None"
    learners: "Sequence[Learner]"
    needs_query: bool
    shows_waiting: bool
    return_messages: bool

    @property
    def memory_variables(self) -> list[str]:
        """The variables that loading returns."""
        ...

    def view(self, log: Log, state: State, query: str | None, /) -> Awaitable[View]:
        """What to show the model now."""
        ...

    def amessages(self, query: str | None = None, *, catch_up: bool = True) -> Awaitable[Shown]:
        """The memory as chat messages."""
        ...

    def arewind(self, last: int, *, until: int | None = None) -> Awaitable[object]:
        """Take back what was said after a log number."""
        ...

    def clone(self, **changed: Any) -> Self:
        """A memory with the same options, but for some."""
        ...

    def oldest_needed(self, log: Log, state: State, /) -> Awaitable[int]:
        """The first log number that there is still a use for."""
        ...

    @property
    def redactor(self) -> "Redactor":
        """Takes out of texts what `redact` says."""
        ...

    @property
    def counter(self) -> "TokenCounter":
        """Counts the tokens of a message."""
        ...

    @property
    def message_limit(self) -> int | None:
        """The tokens that messages may have in a view."""
        ...

    def known_state(self) -> Awaitable[State]:
        """What was learnt so far."""
        ...
