"""Checks a strategy: its class, before the first memory of this class is made, and the results of its hooks."""

import dataclasses
from collections.abc import Awaitable, Iterator
from typing import TypeVar
from weakref import WeakSet

from memzoo.errors import PluginError

T = TypeVar("T")

_sound: WeakSet[type] = WeakSet()


def check_class(cls: type, base: type) -> None:
    """Check that a strategy's class can work. Each class is checked only once.

    Raises:
        PluginError: The class is invalid; the message tells how to correct it.
    """
    if cls in _sound:
        return
    for wrong in _faults(cls, base):
        raise PluginError(f"the strategy {cls.__name__} cannot be used: {wrong}")
    _sound.add(cls)


def check_returned(owner: object, hook: str, value: object, kind: type[T], right: str) -> T:
    """Return a hook's result after checking its type.

    Raises:
        PluginError: The result has the wrong type.
    """
    if isinstance(value, kind):
        return value
    raise PluginError(
        f"{type(owner).__name__}.{hook} must return {right}, not something of type {type(value).__name__}"
    )


async def await_hook(owner: object, hook: str, called: object, kind: type[T], right: str) -> T:
    """Await `called`, the coroutine that a hook returned; check the type of the result, and return it.

    Raises:
        PluginError: `called` is not a coroutine, or the result has the wrong type.
    """
    if not isinstance(called, Awaitable):
        raise PluginError(f"{type(owner).__name__}.{hook} must be a coroutine: write `async def {hook}`")
    return check_returned(owner, hook, await called, kind, right)


def _faults(cls: type, base: type) -> Iterator[str]:
    own = [one for one in cls.__mro__ if one not in base.__mro__]
    for one in own:
        for field in dataclasses.fields(one) if dataclasses.is_dataclass(one) else ():
            value = vars(one).get(field.name, field.default)
            if value is not field.default and not hasattr(value, "__get__"):
                right = "write @strategy above it, and the type of the option"
                yield f"{one.__name__} sets the option {field.name!r}: {right}"
    called = getattr(cls, "name", None)
    if not isinstance(called, str) or not called:
        yield f'write a `name` in the class, such as name = "pinned", not {called!r}'
    if lacks := sorted(getattr(cls, "__abstractmethods__", ())):
        yield f"it lacks {', '.join(map(repr, lacks))}"
