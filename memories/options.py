"""Options of a memory: each is declared once, with meaning and bounds, and checked when a memory is made or copied."""

import ast
import contextlib
import copy
import dataclasses
import functools
import inspect
import itertools
import math
import pickle
import sys
import textwrap
from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType, UnionType
from typing import Annotated, Any, Literal, NoReturn, TypeVar, Union, cast, dataclass_transform, get_args, get_origin

from memzoo.errors import OptionError, PluginError
from memzoo.stores import Store
from memzoo.stores.base import methods_lacking
from memzoo.stores.common import HIGHEST
from memzoo.text import did_you_mean

Check = Callable[[str, Any], None]
T = TypeVar("T")
_TOO_LONG = 10**100


@dataclasses.dataclass(frozen=True)
class AtLeast:
    """Bounds of an option that is a whole number: `k: Annotated[int, AtLeast(0)] = 3`."""

    least: int
    """The smallest allowed number."""

    def __call__(self, name: str, value: object) -> None:
        """Check an option's value.

        Raises:
            OptionError: The value is not a whole number, too small, or too great.
        """
        whole_number(name, value, at_least=self.least)


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(dataclasses.field,))
def strategy(cls: type[T]) -> type[T]:
    """Make a class a strategy: its annotated attributes become options, each explained by the string below it.

    Options are keyword arguments, and are listed in the class's docstring. Their values are checked against the
    annotation: `bool`, `int` or `Literal[...]`. Functions in `Annotated[...]` replace these checks: each is called with
    the option's name and value, and raises an `OptionError` for a wrong value.

    Raises:
        PluginError: An option of the class is declared incorrectly.
    """
    try:
        made = dataclasses.dataclass(kw_only=True, eq=False, repr=False)(cls)
    except (TypeError, ValueError) as error:  # no annotation, or a list as default, which all memories would share
        right = "`k: int = 3`, or `words: list[str] = field(default_factory=list)`"
        raise PluginError(f"{cls.__name__} cannot be a strategy: {error}; write options as {right}") from error
    own = inspect.get_annotations(cls)
    for field in dataclasses.fields(cast("Any", made)):
        if field.name in own:
            field.metadata = MappingProxyType({"check": _check_of(field, cls.__module__)})
    made.__doc__ = cast("str", _Documentation(made.__doc__ or ""))
    return made


def options_of(cls: type) -> list[str]:
    """Return the names of a class's options."""
    return [field.name for field in dataclasses.fields(cls) if field.init]


def refuse_unknown(cls: type, given: Collection[str]) -> None:
    """Check the names of options given for a class: none is unknown, and no option without a default is missing.

    Raises:
        OptionError: The class has no such option; the text names the unknown and the existing options.
        OptionError: An option without a default is not given.
    """
    if unknown := sorted(set(given) - set(options_of(cls))):
        raise OptionError(describe_unknown(cls, unknown))
    missing, fields = dataclasses.MISSING, dataclasses.fields(cls)
    required = [one.name for one in fields if one.default is missing and one.default_factory is missing and one.init]
    if lacks := sorted(set(required) - set(given)):
        raise OptionError(f"{cls.__name__} needs the option {lacks[0]!r}, which has no default")


def describe_unknown(cls: type, unknown: Sequence[str]) -> str:
    """Return the text of an error for unknown options of a class, with the existing options."""
    known = options_of(cls)
    has = f"{cls.__name__} has no option {', '.join(map(repr, unknown))}; it has: {', '.join(known)}"
    return f"{has}{did_you_mean(unknown[0], known)}"


def check(memory: Any) -> None:
    """Check the values of all options of a memory.

    Raises:
        OptionError: A value is invalid; the text names the option, the value, and the allowed values.
    """
    for field in dataclasses.fields(memory):
        field.metadata["check"](field.name, getattr(memory, field.name))


def meanings(cls: type) -> dict[str, str]:
    """Return a dict from each option of a class to its meaning, as written below the option in the source code.

    Without source code, the result is empty.
    """
    return {name: text for one in reversed(cls.__mro__) for name, text in _own_meanings(one).items()}


def refuse_assignment(memory: Any, name: str, value: object) -> None:
    """Set an attribute of a memory, but refuse to change an option. Used as `memory.__setattr__`.

    While the memory is being made, options can be set.

    Raises:
        OptionError: The attribute is an option of a finished memory.
    """
    if name in memory.__dataclass_fields__ and "log" in vars(memory):
        raise OptionError(f"{name} cannot change once a memory is made; make another one: memory.clone({name}=...)")
    object.__setattr__(memory, name, value)


def refuse_pickling(instead: str) -> Callable[[Any, Any], NoReturn]:
    """Return a `__reduce_ex__` that raises an `OptionError`, for a class that must not be pickled or copied."""

    def refuse(owner: Any, _: object) -> NoReturn:
        raise OptionError(f"a {type(owner).__name__} cannot be pickled or copied; {instead}")

    return refuse


def _check_of(field: "dataclasses.Field[Any]", module: str) -> Check:
    """Return the function that checks an option's value, made from the annotation."""
    annotation: Any = field.type
    if isinstance(annotation, str):
        # A type imported for type checkers only cannot be evaluated, and has no bounds.
        with contextlib.suppress(Exception):
            annotation = eval(annotation, dict(vars(sys.modules[module])))  # noqa: S307 - a line of that module
    kind, *bounds = get_args(annotation) if get_origin(annotation) is Annotated else [annotation]
    kinds: Sequence[Any] = get_args(kind) if get_origin(kind) in (Union, UnionType) else [kind]
    allowed = [value for one in kinds if get_origin(one) is Literal for value in get_args(one)]
    if not bounds and (bool in kinds or allowed):
        bounds = [lambda name, value: one_of(name, value, *(allowed or (True, False)))]
    elif not bounds and int in kinds:
        bounds = [whole_number]
    may_be_none = field.default is None or type(None) in kinds

    def check_value(name: str, value: object) -> None:
        if value is not None or not may_be_none:
            for bound in bounds:
                bound(name, value)

    return check_value


def non_empty_text(name: str, value: object) -> None:
    """Raise an `OptionError` unless an option is a non-empty string."""
    if not isinstance(value, str) or not value:
        hint = "; leave it out for a fresh one" if name == "conversation_id" else ""
        raise OptionError(f"{name} must be a non-empty string, not {value!r}{hint}")


def a_clock(name: str, value: object) -> None:
    """Raise an `OptionError` unless an option is a function that returns a number."""
    if not callable(value):
        raise OptionError(f"{name} must be a function, such as time.time, not {value!r}")
    if not isinstance(now := value(), int | float) or not math.isfinite(now):  # a store's clock returns a `datetime`
        raise OptionError(f"{name} must return the seconds since 1970, as time.time does, not {now!r}")


def a_store(name: str, value: object) -> None:
    """Raise an `OptionError` unless an option has all methods of a store."""
    if not isinstance(value, Store):
        what = f"{value!r}, which lacks {', '.join(methods_lacking(value))}"
        raise OptionError(f"{name} must be a Store, such as open_store('sqlite:///memories.db'), not {what}")


def names(name: str, value: object) -> None:
    """Raise an `OptionError` unless an option is a collection of strings; a single string is refused."""
    several: list[object] = list(value) if isinstance(value, Collection) else [value]
    if isinstance(value, (str, bytes)) or not all(isinstance(one, str) for one in several):
        raise OptionError(f"{name} must be a list of strings, such as ['context'], not {value!r}")


def one_of(name: str, value: object, *allowed: object) -> None:
    """Raise an `OptionError` unless an option is one of several allowed values."""
    if not any(value is one or (isinstance(one, str) and value == one) for one in allowed):
        likely = did_you_mean(value, [one for one in allowed if isinstance(one, str)])
        raise OptionError(f"{name} must be {' or '.join(map(repr, allowed))}, not {value!r}{likely}")


def check_texts(**given: object) -> None:
    """Raise an `OptionError` for the first argument that is not a string."""
    for name, value in given.items():
        if not isinstance(value, str):
            raise OptionError(f"{name} must be a string, not {value!r}")


def whole_number(name: str, value: object, *, at_least: int | None = None) -> None:
    """Raise an `OptionError` unless an option is a whole number within 64 bits, and not below `at_least`."""
    least = -HIGHEST if at_least is None else at_least
    if not isinstance(value, int) or isinstance(value, bool):
        bound = "" if at_least is None else f" of at least {at_least}"
        raise OptionError(f"{name} must be a whole number{bound}, not {value!r}")
    if not least <= value <= HIGHEST:
        bound = f"at least {least}" if value < least else f"at most {HIGHEST}"
        # Python refuses to convert a number of thousands of digits to a string.
        shown = value if abs(value) < _TOO_LONG else f"one of {value.bit_length()} bits"
        raise OptionError(f"{name} must be a whole number of {bound}, not {shown}")


def reduce_memory(memory: Any) -> tuple[Any, ...]:
    """Return the value of `__reduce__` for a memory: a function that makes the memory again, and its arguments.

    Raises:
        OptionError: An option cannot be pickled; the text names the option.
    """
    given = _options_given(memory)
    for name, value in given.items():
        try:
            pickle.dumps(value)
        except Exception as error:  # a value may raise any exception
            raise OptionError(
                f"this {type(memory).__name__} cannot be pickled, because its option {name}={value!r} cannot: {error}"
            ) from error
    # The values themselves, not the pickles just made: members of a combined memory must keep sharing one store.
    return _reopen, (type(memory), given)


def copy_memory(memory: Any, memo: dict[int, Any] | None = None) -> Any:
    """Return a copy of a memory, for `__copy__`, or for `__deepcopy__` if `memo` is given.

    Unlike a pickle, a copy may have any options.
    """
    given = _options_given(memory)
    return _reopen(type(memory), given if memo is None else copy.deepcopy(given, memo))


def _options_given(memory: Any) -> dict[str, Any]:
    return {name: getattr(memory, name) for name in options_of(type(memory))}


def _reopen(cls: type, options: Mapping[str, Any]) -> Any:
    """Return a new memory of a class with these options; over the same store, it has the same conversation."""
    return cls(**options)


class _Documentation:
    """The docstring of a strategy with all its options in the section "Args"; composed at the first access."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __get__(self, memory: object, cls: type) -> str:
        cls.__doc__ = made = _document(cls, self.text)
        return made


@functools.cache
def _own_meanings(cls: type) -> Mapping[str, str]:
    try:
        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
    except (OSError, TypeError, SyntaxError):
        return {}
    found = dict[str, str]()
    for declared, text in itertools.pairwise(cast("ast.ClassDef", tree).body):
        match declared, text:
            case ast.AnnAssign(target=ast.Name(name)), ast.Expr(ast.Constant(str(meaning))):
                found[name] = " ".join(meaning.split())
    return found


def _document(cls: type, written: str) -> str:
    """Return the docstring of a class with all options in the section "Args", first the class's own options."""
    own, told = inspect.get_annotations(cls), meanings(cls)
    fields = sorted(dataclasses.fields(cls), key=lambda field: field.name not in own)
    lines = [_line(field, told[field.name]) for field in fields if field.name in told]
    text, section, example = written.rstrip().partition("\n    Example:")
    options = textwrap.indent("\n".join(lines), " " * 8)
    return f"{text.rstrip()}\n\n    Args:\n{options}\n{section and chr(10)}{section[1:]}{example}\n    "


def _line(field: "dataclasses.Field[Any]", meaning: str) -> str:
    # The order of a set differs between processes.
    default = sorted(field.default) if isinstance(field.default, frozenset) else field.default
    shown = "" if default is dataclasses.MISSING else f" Default: `{default!r}`."
    return textwrap.fill(f"{field.name}: {meaning}{shown}", 108, subsequent_indent="    ", break_long_words=False)
