"""Options of a memory: declared once, with their meaning and their bounds, checked when a memory is made or copied."""

import ast
import contextlib
import copy
import dataclasses
import functools
import inspect
import itertools
import pickle
import sys
import textwrap
from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType, UnionType
from typing import Annotated, Any, Literal, NoReturn, TypeVar, Union, cast, dataclass_transform, get_args, get_origin

from memzoo.errors import OptionError, PluginError, UnknownOptionError
from memzoo.stores import Store
from memzoo.stores.base import methods_lacking
from memzoo.stores.common import HIGHEST
from memzoo.text import did_you_mean

__all__ = [
    "AtLeast",
    "a_function",
    "a_store",
    "check",
    "check_texts",
    "describe_unknown",
    "meanings",
    "names",
    "non_empty_text",
    "one_of",
    "options_of",
    "reduce_memory",
    "refuse_assignment",
    "refuse_pickling",
    "refuse_unknown",
    "strategy",
    "whole_number",
]

Check = Callable[[str, Any], None]
T = TypeVar("T")
_TOO_LONG = 10**100


@dataclasses.dataclass(frozen=True)
class AtLeast:
    """The smallest whole number that an option may be, and the greatest: `k: Annotated[int, AtLeast(0)] = 3`."""

    least: int
    """The smallest."""
    most: int = HIGHEST
    """The greatest."""

    def __call__(self, name: str, value: object) -> None:
        """Check a value.

        Raises:
            OptionError: It is no whole number, too small, or too great.
        """
        whole_number(name, value, at_least=self.least, at_most=self.most)


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(dataclasses.field,))
def strategy(cls: type[T]) -> type[T]:
    """Make a class a strategy: its annotated attributes are options, with the meaning in the text below each.

    Options are keyword arguments, and stand in the docstring. An option annotated `bool` must be true or false, one
    annotated `int` a whole number, and one annotated `Literal[...]` one of its values; or `None`, if that is the
    default or in the annotation. Functions in `Annotated[...]` check a value instead: each is called with the option's
    name and its value, and raises an `OptionError`.

    Raises:
        PluginError: An option of it is not written as one.
    """
    try:
        made = dataclasses.dataclass(kw_only=True, eq=False, repr=False)(cls)
    except (TypeError, ValueError) as error:  # one without an annotation, or a list that all memories would share
        right = "`k: int = 3`, or `words: list[str] = field(default_factory=list)`"
        raise PluginError(f"{cls.__name__} cannot be a strategy: {error}; write options as {right}") from error
    own = inspect.get_annotations(cls)
    for field in dataclasses.fields(cast("Any", made)):
        if field.name in own:
            field.metadata = MappingProxyType({"check": _check_of(field, cls.__module__)})
    made.__doc__ = cast("str", _Documentation(made.__doc__ or ""))
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
        field.metadata["check"](field.name, getattr(memory, field.name))


def meanings(cls: type) -> dict[str, str]:
    """The meaning of each option of a class: the text below it in the source, if there is a source."""
    return {name: text for one in reversed(cls.__mro__) for name, text in _own_meanings(one).items()}


def refuse_assignment(memory: Any, name: str, value: object) -> None:
    """Assign an attribute of a memory that is no option; this is `memory.__setattr__`.

    Raises:
        OptionError: It is an option, and the memory is made.
    """
    if name in memory.__dataclass_fields__ and "log" in vars(memory):
        raise OptionError(f"{name} cannot change once a memory is made; make another one: memory.clone({name}=...)")
    object.__setattr__(memory, name, value)


def refuse_pickling(instead: str) -> Callable[[Any, Any], NoReturn]:
    """Make the `__reduce_ex__` of a class whose objects live in one process: an `OptionError` with some advice."""

    def refuse(owner: Any, _: object) -> NoReturn:
        raise OptionError(f"a {type(owner).__name__} cannot be pickled or copied; {instead}")

    return refuse


def _check_of(field: "dataclasses.Field[Any]", module: str) -> Check:
    """Make the check of an option from its annotation."""
    annotation: Any = field.type
    if isinstance(annotation, str):
        # Types that are imported for type checkers only cannot be told; they have no bounds.
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


class _Documentation:
    """The docstring of a strategy with all its options in the section "Args"; written when it is first read."""

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
    """The docstring of a class with all its options in the section "Args", its own first."""
    own, told = inspect.get_annotations(cls), meanings(cls)
    fields = sorted(dataclasses.fields(cls), key=lambda field: field.name not in own)
    lines = [_line(field, told[field.name]) for field in fields if field.name in told]
    text, section, example = written.rstrip().partition("\n    Example:")
    options = textwrap.indent("\n".join(lines), " " * 8)
    return f"{text.rstrip()}\n\n    Args:\n{options}\n{section and chr(10)}{section[1:]}{example}\n    "


def _line(field: "dataclasses.Field[Any]", meaning: str) -> str:
    # A set has another order in each process.
    default = sorted(field.default) if isinstance(field.default, frozenset) else field.default
    shown = "" if default is dataclasses.MISSING else f" Default: `{default!r}`."
    return textwrap.fill(f"{field.name}: {meaning}{shown}", 108, subsequent_indent="    ", break_long_words=False)
