"""The options that all strategies share, and checks of option values."""

import dataclasses
import uuid
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, Literal, Self

from memzoo.memories.text.tokens import TokenCounterOption
from memzoo.prompts import PromptSource
from memzoo.stores import InMemoryStore, Store
from memzoo.stores.errors import OptionError, UnknownOptionError

__all__ = ["CommonOptions", "names", "one_of", "whole_number"]


@dataclass(kw_only=True, eq=False)
class CommonOptions:
    """What can be chosen for every strategy; names and defaults are LangChain's where it has them.

    Args:
        memory_key: The variable under which `load_memory_variables` returns the memory.
        input_key: The input that holds the user's words; `None` if there is only one.
        output_key: The output that holds the assistant's words; `None` if there is only one, or one called "output".
        human_prefix: The user's label in a transcript.
        ai_prefix: The assistant's label in a transcript.
        return_messages: Return chat messages instead of a transcript.
        store: Keeps log and state; in memory by default.
        conversation_id: Whose conversation; a fresh one by default. Nothing is shared between two ids.
        prompts: A folder or a mapping with prompt templates of one's own, by name.
        token_counter: A model's name for tiktoken, `"approximate"`, or a callable: one message -> its tokens.
        on_model_error: What a save does when a model fails, after what was said is stored: `"raise"` a `ModelError`,
            or `"defer"`, which logs it. The next call catches up in both cases; until then the view shows the
            messages word for word.
        background: A save returns as soon as what was said is stored; what is to be learnt from it is learnt after
            that, by a task of the running event loop or, in synchronous code, by a thread. Errors are logged.
        keep_history: Keep all that was ever said. Otherwise a save deletes for good what the strategy has no more use
            for, for every strategy on this conversation; a buffer and a retriever have use for everything.

    Raises:
        UnknownOptionError: There is no such option; the text lists those that there are.
        OptionError: An option has a value that cannot work.
    """

    memory_key: str = "history"
    input_key: str | None = None
    output_key: str | None = None
    human_prefix: str = "Human"
    ai_prefix: str = "AI"
    return_messages: bool = False
    store: Store = field(default_factory=InMemoryStore)
    conversation_id: str = field(default_factory=lambda: uuid.uuid4().hex)
    prompts: PromptSource = None
    token_counter: TokenCounterOption = None
    on_model_error: Literal["raise", "defer"] = "raise"
    background: bool = False
    keep_history: bool = True

    def __new__(cls, **options: Any) -> Self:
        """Refuse options that the class does not have, naming those that it has."""
        known = [option.name for option in dataclasses.fields(cls) if option.init]
        if unknown := sorted(set(options) - set(known)):
            raise UnknownOptionError(
                f"{cls.__name__} has no option {', '.join(map(repr, unknown))}; it has: {', '.join(known)}"
            )
        return super().__new__(cls)

    def __post_init__(self) -> None:
        for name in ("memory_key", "human_prefix", "ai_prefix", "conversation_id"):
            value: object = getattr(self, name)
            if not isinstance(value, str) or not value:
                hint = "; leave it out for a fresh one" if name == "conversation_id" else ""
                raise OptionError(f"{name} must be a text that is not empty, not {value!r}{hint}")
        if not isinstance(self.store, Store):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise OptionError(f"store must be a Store, such as open_store('sqlite:///memories.db'), not {self.store!r}")
        for option in dataclasses.fields(self):
            value = getattr(self, option.name)
            if isinstance(option.default, bool) and not isinstance(value, bool):
                raise OptionError(f"{option.name} must be True or False, not {value!r}")
        if self.on_model_error not in ("raise", "defer"):
            raise OptionError(f"on_model_error must be 'raise' or 'defer', not {self.on_model_error!r}")


def names(option: str, value: object) -> None:
    """Check that an option is several texts, not one that would be taken for its letters.

    Raises:
        OptionError: It is not.
    """
    several: list[object] = list(value) if isinstance(value, Collection) else [value]
    if isinstance(value, (str, bytes)) or not all(isinstance(one, str) for one in several):
        raise OptionError(f"{option} must be a list of texts, such as ['context'], not {value!r}")


def one_of(name: str, value: object, *allowed: object) -> None:
    """Check that an option is one of several values.

    Raises:
        OptionError: It is not.
    """
    if not any(value is one or (isinstance(one, str) and value == one) for one in allowed):
        raise OptionError(f"{name} must be {' or '.join(map(repr, allowed))}, not {value!r}")


def whole_number(name: str, value: object, *, at_least: int | None = None) -> None:
    """Check that an option is a whole number.

    Raises:
        OptionError: It is not, or it is too small.
    """
    if not isinstance(value, int) or isinstance(value, bool) or (at_least is not None and value < at_least):
        bound = "" if at_least is None else f" of at least {at_least}"
        raise OptionError(f"{name} must be a whole number{bound}, not {value!r}")
