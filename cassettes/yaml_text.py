"""Writes and reads YAML for people: text in blocks, vectors on a line, nothing reordered, and nothing said twice.

PyYAML reads it. It also decides which texts need quotes and puts them in; only the layout, which is that of
PyYAML's own dumper, is written here: its dumper in Python takes twenty times as long, and the one in C allows
neither tabs in blocks nor names of our own for what is said again.
"""

import base64
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from io import StringIO
from typing import Any

import yaml
from yaml.emitter import Emitter
from yaml.representer import SafeRepresenter
from yaml.resolver import Resolver

from memzoo.cassettes.compact import is_vector, packed, shared, unpacked

__all__ = ["dump", "load"]

# Characters that a block shows as they are and that every YAML reader gives back unchanged. Others, such as a
# carriage return or a line separator, are escaped. A first line that begins with a tab confuses libyaml.
_BLOCK = re.compile(
    r"(?!\t)[\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010fffd]*",
)
# Surely needs no quotes: words, with no colon before a space and no "#" after one. All words that mean something else
# to YAML, such as "false", are shorter. PyYAML would look at each character.
_WORDS = re.compile(r"[A-Za-z](?=.{5})(?:[!\"$-9;-~\xa1-\u2027]++| ++(?=[^ #])|:(?=[^ ])|#(?<! #))*+")
_LONGEST_KEY = 122
_BREAKS = frozenset("\n\x85\u2028\u2029")
_STR = "tag:yaml.org,2002:str"
_SafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_emitter: Any = Emitter(StringIO(), allow_unicode=True)
_resolver: Any = Resolver()


def dump(value: Any, *, compact: bool = False) -> str:
    """Write JSON as YAML, in its own order.

    Args:
        value: What to write.
        compact: Write long vectors as arrays, and long parts that are equal once.
    """
    value, names = shared(value) if compact else (value, {})
    writer = _Writer(names, compact=compact)
    # The document is like an item of nothing: what parts it from its dash goes.
    writer.value(value, -1, item=True)
    text = "".join(writer.parts)[1:] + "\n"
    # A block that ends with empty lines says where it ends.
    return f"{text}...\n" if text.endswith("\n\n") else text


def load(text: str) -> Any:
    """Read what `dump` wrote; only plain values, never objects.

    Raises:
        ValueError: The text is not YAML, or has tags that only an unsafe reader would follow.
    """
    try:
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - a safe loader
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error


class _Writer:
    def __init__(self, names: Mapping[int, str], *, compact: bool) -> None:
        self.parts: list[str] = []
        self._names = names
        self._compact = compact
        self._said: set[int] = set()

    def value(self, value: Any, depth: int, *, item: bool) -> None:
        """Write a value behind a key, or behind the dash of an item; both stand at a depth."""
        name = self._names.get(id(value), "")
        if id(value) in self._said:
            self.parts.append(f" *{name}")
            return
        if name:
            self._said.add(id(value))
            self.parts.append(f" &{name}")
        inline = item and not name
        if isinstance(value, dict) and value:
            self._mapping(value, depth + 1, inline=inline)
        elif isinstance(value, list) and not _is_row(value):
            self._sequence(value, depth + item, inline=inline)
        else:
            self.parts.append(f" {self._scalar(value, depth)}")

    def _mapping(self, value: dict[str, Any], depth: int, *, inline: bool) -> None:
        line = "\n" + "  " * depth
        lead = " " if inline else line
        for key, child in value.items():
            if 0 < len(key) <= _LONGEST_KEY and _BREAKS.isdisjoint(key):
                self.parts.append(f"{lead}{_quoted(key)}:")
                self.value(child, depth, item=False)
            else:
                self.parts.append(f"{lead}? {_text(key, depth)}{line}:")
                self.value(child, depth, item=True)
            lead = line

    def _sequence(self, value: list[Any], depth: int, *, inline: bool) -> None:
        line = "\n" + "  " * depth
        lead = " " if inline else line
        for child in value:
            self.parts.append(f"{lead}-")
            self.value(child, depth, item=True)
            lead = line

    def _scalar(self, value: Any, depth: int) -> str:
        if isinstance(value, str):
            return _text(value, depth)
        if isinstance(value, bytes):
            return "!!binary " + (_block(base64.encodebytes(value).decode(), depth) if value else '""')
        if not isinstance(value, list):
            return "{}" if value == {} else _plain(value)
        row = f"[{', '.join(map(_plain, value))}]"
        if self._compact and is_vector(value):
            kind, text = packed(value)
            return f"!{kind} '{text}'" if len(text) < len(str(value)) else row
        return row


def _is_row(items: list[Any]) -> bool:
    return all(isinstance(item, int | float) for item in items)


def _text(text: str, depth: int) -> str:
    return _block(text, depth) if "\n" in text and _BLOCK.fullmatch(text) else _quoted(text)


def _block(text: str, depth: int) -> str:
    # What PyYAML calls hints: an indentation that does not show, and how many line breaks end the text.
    begins = "2" if text[0] in " \n" else ""
    ends = "-" if text[-1] != "\n" else "+" if text[-2:] in {"\n", "\n\n"} else ""
    pad = "  " * max(1, depth + 1)
    lines = (line and pad + line for line in text.removesuffix("\n").split("\n"))
    return "\n".join([f"|{begins}{ends}", *lines])


@lru_cache(maxsize=128)
def _quoted(text: str) -> str:
    """Write a text on a line, with quotes if it needs them."""
    if _WORDS.fullmatch(text):
        return text
    analysis = _emitter.analyze_scalar(text)
    if _BLOCK.fullmatch(text) and "\n" not in text:
        if analysis.allow_block_plain and _resolver.resolve(yaml.ScalarNode, text, (True, False)) == _STR:
            return text
        if analysis.allow_single_quoted:
            return "'" + text.replace("'", "''") + "'"
    emitter: Any = Emitter(stream := StringIO(), allow_unicode=True, width=2**31)
    emitter.write_double_quoted(text)
    return stream.getvalue().lstrip()


def _plain(value: Any) -> str:
    node: Any = SafeRepresenter().represent_data(value)  # pyright: ignore[reportUnknownMemberType]
    return str(node.value)


class _Loader(_SafeLoader):  # type: ignore[misc]  # it is one of two
    """Knows arrays, besides plain values."""


def _construct_array(kind: str) -> Callable[[Any, Any], list[float]]:
    return lambda loader, node: unpacked(kind, loader.construct_scalar(node))


for _kind in ("f32", "f64"):
    _Loader.add_constructor(f"!{_kind}", _construct_array(_kind))
