"""Options of a memory: declared once, with their meaning and their bounds, checked when a memory is made or copied."""

import copy
import dataclasses
import inspect
import pickle
import textwrap
from collections.abc import Callable, Collection, Mapping, Sequence
from types import UnionType
from typing import Any, NoReturn, TypeVar, Union, dataclass_transform, get_args, get_origin

from memzoo.errors import OptionError, PluginError, UnknownOptionError
from memzoo.stores import Store
from memzoo.stores.base import find_lacking, methods_lacking
from memzoo.stores.common import HIGHEST
from memzoo.text import did_you_mean

__all__ = [
    "a_function",
    "a_store",
    "assign_option",
    "check",
    "check_texts",
    "copy_memory",
    "describe_unknown",
    "make_setattr",
    "names",
    "non_empty_text",
    "one_of",
    "option",
    "options_of",
    "reduce_memory",
    "refuse_idle",
    "refuse_pickling",
    "refuse_unknown",
    "strategy",
    "whole_number",
]

Check = Callable[[str, Any], None]
T = TypeVar("T")
_TOO_LONG = 10**100
_FIXED = "{name} cannot change once it is made, make another one: {kind}({name}=..., ...)"


def option(
    default: Any = dataclasses.MISSING,
    *,
    doc: str,
    factory: Any = dataclasses.MISSING,
    at_least: int | None = None,
    at_most: int = HIGHEST,
    one_of: tuple[object, ...] = (),
    check: Check | None = None,
    fixed: bool = False,
) -> Any:
    """Declare an option of a memory: a dataclass field that also knows what it means and what it may be.

    An option annotated `bool` must be true or false, and one annotated `int` a whole number; or `None`, if that is the
    default or in the annotation.

    Args:
        default: Its value if it is left out.
        doc: What it means, for `help()`.
        factory: Makes its value if it is left out, instead of `default`.
        at_least: The smallest whole number it may be.
        at_most: The greatest.
        one_of: The only values it may have.
        check: Called with the option's name and value; raises an `OptionError`.
        fixed: It cannot change once the memory is made, because parts of the memory are made from it.
    """
    bounds = {"doc": doc, "at_least": at_least, "at_most": at_most, "one_of": one_of, "check": check, "fixed": fixed}
    return dataclasses.field(default=default, default_factory=factory, metadata=bounds)


@dataclass_transform(kw_only_default=True, eq_default=False)
def strategy(cls: type[T]) -> type[T]:
    """Make a class with options a strategy: they are keyword arguments, and stand in its docstring.

    Raises:
        PluginError: An option of it is not written as one.
    """
    try:
        made = dataclasses.dataclass(kw_only=True, eq=False, repr=False)(cls)
    except (TypeError, ValueError) as error:  # one without an annotation, or a list that all memories would share
        right = '`k: int = option(3, doc="...")`, or `words: list[str] = option(factory=list, doc="...")`'
        raise PluginError(f"{cls.__name__} cannot be a strategy: {error}; write options as {right}") from error
    made.__doc__ = _document(made)
    return made


def options_of(cls: type) -> list[str]:
    """The names of the options of a class."""
    return [field.name for field in dataclasses.fields(cls) if field.init]


def refuse_unknown(cls: type, given: Collection[str]) -> None:
    """Refuse options that a class does not have, and to do without those that have no default.

    Raises:
        UnknownOptionError: The text names them, and those that there are.
        OptionError: One that has no default is not given.
    """
    if unknown := sorted(set(given) - set(options_of(cls))):
        raise UnknownOptionError(describe_unknown(cls, unknown))
    missing, fields = dataclasses.MISSING, dataclasses.fields(cls)
    required = [one.name for one in fields if one.default is missing and one.default_factory is missing and one.init]
    if lacks := sorted(set(required) - set(given)):
        raise OptionError(f"{cls.__name__} needs the option {lacks[0]!r}, which has no default")


def describe_unknown(cls: type, unknown: Sequence[str]) -> str:
    """Say that a class does not have some options, and which it has."""
    known = options_of(cls)
    has = f"{cls.__name__} has no option {', '.join(map(repr, unknown))}; it has: {', '.join(known)}"
    return f"{has}{did_you_mean(unknown[0], known)}"


def check(memory: Any) -> None:
    """Check the values of all options of a memory.

    Raises:
        OptionError: One of them cannot work; the text names it, its value, and what would be right.
    """
    for field in dataclasses.fields(memory):
        _check_value(memory, field, getattr(memory, field.name))


def assign_option(memory: Any, name: str, value: object) -> None:
    """Give an option of a memory in use another value, if it can have one; this is what `memory.__setattr__` does.

    Raises:
        OptionError: It cannot work with that value, or cannot change any more.
    """
    field: dataclasses.Field[Any] | None = memory.__dataclass_fields__.get(name)
    is_made = "log" in vars(memory)
    if is_made and not field and not hasattr(memory, name):
        refuse_idle(memory, name, memory.__dataclass_fields__)
    if field and is_made:
        value = memory.resolved(name, value)
        if field.metadata.get("fixed"):
            raise OptionError(_FIXED.format(name=name, kind=type(memory).__name__))
        _check_value(memory, field, value)
    object.__setattr__(memory, name, value)
    if field and is_made:
        # There may be something to learn, though nothing was said.
        for learner in memory.learners:
            learner.idle_at = ()


def refuse_idle(owner: object, name: str, known: Collection[str]) -> None:
    """Refuse to assign a public attribute that an object never reads; a class of one's own may have any.

    Args:
        owner: The object.
        name: What is assigned.
        known: The public attributes that it has.

    Raises:
        OptionError: It is an option that is chosen when the object is made, or nothing at all.
    """
    if name in known or name.startswith("_") or not (kind := type(owner)).__module__.startswith("memzoo."):
        return
    if name in inspect.signature(kind).parameters:
        raise OptionError(_FIXED.format(name=name, kind=kind.__name__))
    raise OptionError(f"a {kind.__name__} has nothing called {name!r} to assign{did_you_mean(name, known)}")


def make_setattr(*known: str) -> Callable[[Any, str, Any], None]:
    """Make the `__setattr__` of a class: these attributes may change; others are refused as in `refuse_idle`."""

    def assign(owner: Any, name: str, value: Any) -> None:
        refuse_idle(owner, name, known)
        object.__setattr__(owner, name, value)

    return assign


def refuse_pickling(instead: str) -> Callable[[Any, Any], NoReturn]:
    """Make the `__reduce_ex__` of a class whose objects live in one process: an `OptionError` with some advice."""

    def refuse(owner: Any, _: object) -> NoReturn:
        raise OptionError(f"a {type(owner).__name__} cannot be pickled or copied; {instead}")

    return refuse


def _check_value(memory: Any, field: "dataclasses.Field[Any]", value: object) -> None:
    if field.name == "keep_history" and not value and (lacks := find_lacking(memory.store, "forget")):
        raise OptionError(f"keep_history=False needs a store that can delete, not a {type(lacks).__name__}")
    bounds = field.metadata
    kinds = _kinds(field.type)
    if not bounds or (value is None and (field.default is None or type(None) in kinds)):
        return
    if bounds["check"]:
        bounds["check"](field.name, value)
    elif bounds["one_of"]:
        one_of(field.name, value, *bounds["one_of"])
    elif bool in kinds:
        one_of(field.name, value, True, False)  # noqa: FBT003 - these are the values
    elif int in kinds:
        whole_number(field.name, value, at_least=bounds["at_least"], at_most=bounds["at_most"])


def _kinds(annotation: Any) -> list[Any]:
    """The types that an annotation allows; a module may have its annotations as texts."""
    if isinstance(annotation, str):
        known = {"int": int, "bool": bool, "None": type(None)}
        return [known.get(one.strip()) for one in annotation.split("|")]
    return list(get_args(annotation)) if get_origin(annotation) in (Union, UnionType) else [annotation]


def non_empty_text(name: str, value: object) -> None:
    """Check that an option is a text with something in it.

    Raises:
        OptionError: It is not.
    """
    if not isinstance(value, str) or not value:
        hint = "; leave it out for a fresh one" if name == "conversation_id" else ""
        raise OptionError(f"{name} must be a text that is not empty, not {value!r}{hint}")


def a_function(name: str, value: object) -> None:
    """Check that an option can be called.

    Raises:
        OptionError: It cannot.
    """
    if not callable(value):
        raise OptionError(f"{name} must be a function, such as time.time, not {value!r}")


def a_store(name: str, value: object) -> None:
    """Check that an option is a store.

    Raises:
        OptionError: It is not.
    """
    if not isinstance(value, Store):
        what = f"{value!r}, which lacks {', '.join(methods_lacking(value))}"
        raise OptionError(f"{name} must be a Store, such as open_store('sqlite:///memories.db'), not {what}")


def names(name: str, value: object) -> None:
    """Check that an option is several texts, not one that would be taken for its letters.

    Raises:
        OptionError: It is not.
    """
    several: list[object] = list(value) if isinstance(value, Collection) else [value]
    if isinstance(value, (str, bytes)) or not all(isinstance(one, str) for one in several):
        raise OptionError(f"{name} must be a list of texts, such as ['context'], not {value!r}")


def one_of(name: str, value: object, *allowed: object) -> None:
    """Check that an option is one of several values.

    Raises:
        OptionError: It is not.
    """
    if not any(value is one or (isinstance(one, str) and value == one) for one in allowed):
        likely = did_you_mean(value, [one for one in allowed if isinstance(one, str)])
        raise OptionError(f"{name} must be {' or '.join(map(repr, allowed))}, not {value!r}{likely}")


def check_texts(**given: object) -> None:
    """Check arguments by name that must be texts.

    Raises:
        OptionError: One is none.
    """
    for name, value in given.items():
        if not isinstance(value, str):
            raise OptionError(f"{name} must be text, not {value!r}")


def whole_number(name: str, value: object, *, at_least: int | None = None, at_most: int = HIGHEST) -> None:
    """Check that an option is a whole number.

    Raises:
        OptionError: It is not, or it is too small or too great.
    """
    least = -HIGHEST if at_least is None else at_least
    if not isinstance(value, int) or isinstance(value, bool):
        bound = "" if at_least is None else f" of at least {at_least}"
        raise OptionError(f"{name} must be a whole number{bound}, not {value!r}")
    if not least <= value <= at_most:
        bound = f"at least {least}" if value < least else f"at most {at_most}"
        # Python refuses to write thousands of digits.
        shown = value if abs(value) < _TOO_LONG else f"one of {value.bit_length()} bits"
        raise OptionError(f"{name} must be a whole number of {bound}, not {shown}")


def reduce_memory(memory: Any) -> tuple[Any, ...]:
    """Return what `memory.__reduce__` gives: how to make the memory again, with the same options."""
    owner, options = type(memory).__name__, options_of(type(memory))
    return _reopen, (type(memory), {name: _Travelling(owner, name, getattr(memory, name)) for name in options})


def copy_memory(memory: Any, **changed: Any) -> Any:
    """Make a memory with the options of another one, but for some that are changed."""
    return type(memory)(**{name: getattr(memory, name) for name in options_of(type(memory))} | changed)


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
        return _unpack, (self.value,)


def _unpack(value: Any) -> Any:
    return value


def _reopen(cls: type, options: Mapping[str, Any]) -> Any:
    """Make a memory of a class with these options: the same conversation, if the store is the same."""
    return cls(**{name: one.value if isinstance(one, _Travelling) else one for name, one in options.items()})


def _document(cls: type) -> str:
    """The docstring of a class with all its options in the section "Args", its own first."""
    own = inspect.get_annotations(cls)
    fields = [field for field in dataclasses.fields(cls) if field.metadata]
    lines = [_line(field) for field in sorted(fields, key=lambda field: field.name not in own)]
    text, section, example = (cls.__doc__ or "").rstrip().partition("\n    Example:")
    options = textwrap.indent("\n".join(lines), " " * 8)
    return f"{text.rstrip()}\n\n    Args:\n{options}\n{section and chr(10)}{section[1:]}{example}\n    "


def _line(field: "dataclasses.Field[Any]") -> str:
    # A set has another order in each process.
    default = sorted(field.default) if isinstance(field.default, frozenset) else field.default
    shown = "" if default is dataclasses.MISSING else f" Default: `{default!r}`."
    text = f"{field.name}: {field.metadata['doc']}{shown}"
    return textwrap.fill(text, 108, subsequent_indent="    ", break_long_words=False)
