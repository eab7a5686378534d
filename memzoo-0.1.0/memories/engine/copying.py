"""Copying and pickling memories: what travels is the class and its options, never what was said."""

import copy
import dataclasses
import pickle
from collections.abc import Mapping
from typing import Any

from memzoo.stores.errors import OptionError

__all__ = ["travelling"]


def travelling(memory: Any) -> tuple[Any, ...]:
    """What `memory.__reduce__` gives: how to make the memory again, with the same options."""
    owner, options = type(memory).__name__, [field.name for field in dataclasses.fields(memory) if field.init]
    return _reopened, (type(memory), {name: _Travelling(owner, name, getattr(memory, name)) for name in options})


class _Travelling:
    """The value of an option on its way into a copy or a pickle.

    A pickle names the option that cannot be pickled; a copy in this process may hold anything.
    """

    def __init__(self, owner: str, name: str, value: Any) -> None:
        self.owner = owner
        self.name = name
        self.value = value

    def __deepcopy__(self, memo: dict[int, Any]) -> "_Travelling":
        return _Travelling(self.owner, self.name, copy.deepcopy(self.value, memo))

    def __reduce__(self) -> tuple[Any, ...]:
        try:
            pickle.dumps(self.value)
        except Exception as error:  # whatever the value raises
            raise OptionError(
                f"this {self.owner} cannot be pickled, because its option {self.name}={self.value!r} cannot: {error}"
            ) from error
        # The value itself, not what was just tried: members of a combined memory share one store, and go on doing so.
        return _arrived, (self.value,)


def _arrived(value: Any) -> Any:
    return value


def _reopened(cls: type, options: Mapping[str, Any]) -> Any:
    """A memory of a class with these options: the same conversation, if the store is the same."""
    return cls(**{name: one.value if isinstance(one, _Travelling) else one for name, one in options.items()})
