"""Whether a strategy can work as it is written: its class, before the first memory of it is made, and what hooks give.

None of this decides what a strategy does: it only says in one sentence what would otherwise fail somewhere else.
"""

import dataclasses
import inspect
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from typing import Any, TypeVar, cast
from weakref import WeakSet

from memzoo.errors import PluginError

__all__ = ["check_class", "check_returned"]

T = TypeVar("T")

_HOOKS = ("view", "derive", "due", "oldest_needed", "on_state_change")

_sound: WeakSet[type] = WeakSet()


def check_class(cls: type, base: type) -> None:
    """Make sure, once, that memories of a class can be made, and that its hooks are found and can be called.

    Args:
        cls: The class of a strategy.
        base: `BaseMemory`, which has the hooks as they are to be.

    Raises:
        PluginError: It is no strategy as it stands; the text says what would be right.
    """
    if cls in _sound:
        return
    for wrong in _faults(cls, base):
        raise PluginError(f"the strategy {cls.__name__} cannot be used: {wrong}")
    _sound.add(cls)


def check_returned(owner: object, hook: str, value: object, kind: type[T], right: str) -> T:
    """Return what a hook has returned, if it is of the right kind.

    Raises:
        PluginError: It is not.
    """
    if isinstance(value, kind):
        return value
    raise PluginError(
        f"{type(owner).__name__}.{hook} must return {right}, not something of type {type(value).__name__}"
    )


def _faults(cls: type, base: type) -> Iterator[str]:
    own = [one for one in cls.__mro__ if one not in base.__mro__]
    for one in own:
        defaults = _defaults(one)
        for name, value in vars(one).items():
            ignored = name in defaults and value is not defaults[name] and not hasattr(value, "__get__")
            if ignored or isinstance(value, dataclasses.Field):
                yield f"{one.__name__} sets the option {name!r}: write @strategy above it, and what type the option has"
    called = getattr(cls, "name", None)
    if not isinstance(called, str) or not called:
        yield f'write a `name` in the class, such as name = "pinned", not {called!r}'
    left = [hook for hook in _HOOKS if getattr(cls, hook) is getattr(base, hook)]
    for method, function in [item for one in own for item in vars(one).items()]:
        near = get_close_matches(method, left, 1)
        if near and not method.startswith("_") and _names(function) == _names(getattr(base, near[0])):
            yield f"nothing calls its method {method!r}. Did you mean {near[0]!r}?"
    yield from (
        f"write `{declaration} = True` in the class to have {hook!r} called"
        for hook, declaration in (("derive", "learns"), ("on_state_change", "follows_state"))
        if hook not in left and all(declaration not in vars(one) for one in own)
    )
    if lacks := sorted(getattr(cls, "__abstractmethods__", ())):
        yield f"it lacks {', '.join(map(repr, lacks))}"
    made = cast("object", object.__new__(cls))
    for hook in _HOOKS:
        if hook not in left and not _fits(getattr(made, hook), getattr(base, hook)):
            yield f"write its hook as `{_form(hook, getattr(base, hook))}`"


def _defaults(cls: type) -> dict[str, object]:
    return {field.name: field.default for field in dataclasses.fields(cls)} if dataclasses.is_dataclass(cls) else {}


def _names(function: object) -> list[str]:
    return list(inspect.signature(function).parameters) if inspect.isfunction(function) else []


def _fits(hook: Any, model: Callable[..., Any]) -> bool:
    """Whether a hook can be called and awaited like its model."""
    if not callable(hook):
        return False
    parameters = [*inspect.signature(model).parameters.values()][1:]
    named = {one.name: None for one in parameters if one.kind is one.KEYWORD_ONLY}
    try:
        inspect.signature(hook).bind(*parameters[len(named) :], **named)
    except TypeError:
        return False
    if not inspect.iscoroutinefunction(model):
        return not inspect.iscoroutinefunction(hook)
    # A decorator may hide that what it wraps is a coroutine.
    awaited = any(map(inspect.iscoroutinefunction, (hook, inspect.unwrap(hook))))
    return awaited or not inspect.isroutine(hook)


def _form(hook: str, model: Callable[..., Any]) -> str:
    parameters = [*inspect.signature(model).parameters.values()]
    bare = inspect.Signature([one.replace(annotation=one.empty) for one in parameters])
    return f"{'async ' * inspect.iscoroutinefunction(model)}def {hook}{bare}"
