"""Rules for the parts of a request that may differ from run to run, such as ids and dates."""

import pkgutil
import re
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias, cast

from memzoo.cassettes.http import is_array, is_object
from memzoo.errors import OptionError

Ignore: TypeAlias = str | re.Pattern[str] | Callable[[Any], Any]
"""A rule: a JSON path (`"$.messages[0].content"`), a regular expression (`"re:..."` or compiled), or a function (the
object or its name `"module:name"`) that takes a JSON body and returns the part to compare."""

VARIES = "(varies)"
"""The replacement for a part that may vary."""

_STEP = re.compile(r"(?P<deep>\.\.)?(?:\.?(?P<name>[\w-]+|\*)|\[(?:(?P<place>-?\d+|\*)|'(?P<quoted>[^']+)')\])")
_KNOWN = "a JSON path like '$.messages[0].content', 're:' and a regular expression, or 'module:function'"
_ANY_TEXT = 'Any text, {"of": 1}\nor 2 lines'

# Patterns for the parts of a text that vary most often; suggested in preference to the whole text.
_OFTEN = (
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?",
    r"\b\d\d?:\d\d(?::\d\d)?\b",
    r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b",
    r"\b(?=[a-z_-]*\d)\w*[0-9a-f]{12,}\b",
)

_Step: TypeAlias = tuple[bool, str | int | None]


class Ignored:
    """The rules for the parts of a request that comparisons ignore.

    Attributes:
        shown: The rules as written in a cassette's header.
    """

    def __init__(self, rules: Iterable[Ignore] = ()) -> None:
        """Read the rules.

        Raises:
            OptionError: A rule is not of a kind in `Ignore`, or would ignore everything.
        """
        self._paths: list[list[_Step]] = []
        self._patterns: list[re.Pattern[str]] = []
        self._functions: list[Callable[[Any], Any]] = []
        self.shown = tuple(map(self._add, rules))

    def text(self, text: str) -> str:
        """Return a text with "(varies)" in place of the parts that may differ."""
        for pattern in self._patterns:
            text = pattern.sub(VARIES, text)
        return text

    def json(self, value: Any) -> Any:
        """Return a JSON body without the parts that may differ.

        Raises:
            OptionError: A rule is a function, and it returned `None`, so nothing could be compared.
        """
        for path in self._paths:
            value = _without(value, path)
        for function in self._functions:
            value = function(value)
            if value is None:
                raise OptionError(f"ignore={_name(function)!r} returned None, so nothing would be compared")
        return self._texts(value) if self._patterns else value

    def _texts(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if is_array(value):
            return [self._texts(item) for item in value]
        return {key: self._texts(child) for key, child in value.items()} if is_object(value) else value

    def _add(self, rule: Ignore) -> str:
        if isinstance(rule, str):
            return self._add_written(rule)
        if isinstance(rule, re.Pattern):
            return self._add_pattern(rule.pattern, rule)
        if callable(rule):
            self._functions.append(rule)
            return _name(rule)
        raise OptionError(f"ignore={rule!r} is not {_KNOWN}")

    def _add_written(self, rule: str) -> str:
        if rule.startswith("$"):
            self._paths.append(_steps(rule))
        elif rule.startswith("re:"):
            self._add_pattern(rule[3:])
        else:
            self._functions.append(_import(rule))
        return rule

    def _add_pattern(self, text: str, compiled: re.Pattern[str] | None = None) -> str:
        try:
            pattern = compiled or re.compile(text)
        except re.error as error:
            raise OptionError(f"ignore='re:{text}' is not a regular expression: {error}") from error
        if pattern.fullmatch("") or any(map(pattern.fullmatch, (_ANY_TEXT, _ANY_TEXT[:8]))):
            raise OptionError(f"ignore='re:{text}' matches any text, so nothing would be compared")
        self._patterns.append(pattern)
        return f"re:{text}"


NOTHING_IGNORED = Ignored()


def offer_rule(path: str, recorded: Any, asked: Any) -> str:
    """Return a rule that would ignore a difference: a pattern for a date or an id, otherwise a JSON path."""
    if isinstance(recorded, str) and isinstance(asked, str):
        for pattern in _OFTEN:
            if re.sub(pattern, VARIES, recorded) == re.sub(pattern, VARIES, asked):
                return f"re:{pattern}"
    return path


def _steps(path: str) -> list[_Step]:
    found, place = list[_Step](), 1
    while place < len(path):
        step = _STEP.match(path, place)
        if step is None or step.end() == place:
            raise OptionError(
                f"ignore={path!r}: {path[place:]!r} is not understood; supported are .name ..name [0] [*] .*"
            )
        place = step.end()
        found.append((bool(step["deep"]), _key(step)))
    if all(key is None for _, key in found):
        raise OptionError(f"ignore={path!r} is the whole body, so nothing would be compared; name the part that varies")
    return found


def _key(step: re.Match[str]) -> str | int | None:
    if step["quoted"]:
        return step["quoted"]
    key = step["name"] or step["place"]
    if key == "*":
        return None
    return int(key) if step["place"] else key


def _without(value: Any, steps: list[_Step]) -> Any:
    if not steps:
        return VARIES
    if is_array(value):
        return [_child(child, (place, place - len(value)), steps) for place, child in enumerate(value)]
    if is_object(value):
        return {key: _child(child, (key,), steps) for key, child in value.items()}
    return value


def _child(child: Any, names: tuple[str | int, ...], steps: list[_Step]) -> Any:
    deep, key = steps[0]
    if key is None or key in names:
        child = _without(child, steps[1:])
    return _without(child, steps) if deep else child


def _import(rule: str) -> Callable[[Any], Any]:
    try:
        function: Any = pkgutil.resolve_name(rule) if ":" in rule else None
    except (ImportError, AttributeError, ValueError) as error:
        raise OptionError(f"ignore={rule!r}: {error}") from error
    if not callable(function):
        raise OptionError(f"ignore={rule!r} is not {_KNOWN}")
    return cast("Callable[[Any], Any]", function)


def _name(function: Callable[[Any], Any]) -> str:
    return f"{function.__module__}:{getattr(function, '__qualname__', type(function).__name__)}"
