"""Writes YAML that people can read, and reads it again.

Texts are in blocks, vectors are on one line, and members keep their order.
"""

import base64
import hashlib
import re
import struct
from contextlib import suppress
from functools import partial
from typing import Any

import yaml

from memzoo.cassettes.http import is_array, is_object

# Characters that a block shows unchanged and every YAML reader returns unchanged. Other characters, such as a carriage
# return or a line separator, are escaped. libyaml misreads a first line that begins with a tab.
_BLOCK = re.compile(
    r"(?!\t)[\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010fffd]*",
)
_ENDLESS = 2**31
_FORMATS = {"f32": "<f", "f64": "<d"}
# Shorter lists of numbers and shorter repeated parts are readable without packing.
_SHORTEST_ARRAY = 32
_SMALLEST_SHARED = 120
# Python itself cannot parse deeper JSON.
_DEEPEST = 1_000
_DEEP_LINE = re.compile(rf"^[ \t?:-]{{{_DEEPEST}}}", re.MULTILINE)
_SafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def dump(value: Any, *, compact: bool = False, whole: bool = False) -> str:
    """Return a JSON value as YAML, with members in their original order.

    Args:
        value: The JSON value.
        compact: True to pack long vectors, and to write repeated long parts only once.
        whole: True to put YAML's marks `---` and `...` around the text, so that a cut-off file is noticed.
    """
    names = dict[int, str]()
    if compact:
        value, names = _name_repeated(value)
    dumper: Any = partial(_Dumper, names=names, arrays=compact)
    marks = {"explicit_start": whole, "explicit_end": whole}
    options: Any = marks | {"sort_keys": False, "allow_unicode": True, "width": _ENDLESS, "default_flow_style": False}
    return str(yaml.dump(value, Dumper=dumper, **options))


def load(text: str) -> Any:
    """Return the value of a YAML text from `dump`. Only plain values are created, never Python objects.

    Raises:
        ValueError: The text is not YAML, has tags that need an unsafe reader, or is nested too deeply.
    """
    try:
        if text.count("[") + text.count("{") > _DEEPEST or _DEEP_LINE.search(text):
            _refuse_depths(text)
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - a safe loader
    except (yaml.YAMLError, struct.error) as error:
        told = " ".join(str(error).replace('in "<unicode string>", ', "").split())
        raise ValueError(f"it is not plain YAML: {told}") from error


def _refuse_depths(text: str) -> None:
    """Raise an error for nesting so deep that libyaml's recursion would kill the process."""
    depth = 0
    for event in yaml.parse(text, Loader=_SafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEEPEST:
            raise ValueError(f"it has more than {_DEEPEST:,} nested lists or mappings")


class _Dumper(yaml.SafeDumper):
    def __init__(self, stream: Any, *, names: dict[int, str], arrays: bool, **options: Any) -> None:
        super().__init__(stream, **options)
        self.names = names
        self.arrays = arrays

    def analyze_scalar(self, scalar: str) -> Any:
        analysis = super().analyze_scalar(scalar)
        # PyYAML escapes a text with a tab or with spaces before a line break, but a block can contain both.
        analysis.allow_block = "\n" in scalar and _BLOCK.fullmatch(scalar) is not None
        return analysis

    def ignore_aliases(self, data: Any) -> bool:
        return id(data) not in self.names

    def represent_data(self, data: Any) -> Any:
        node: Any = super().represent_data(data)  # pyright: ignore[reportUnknownMemberType]
        node.name = self.names.get(id(data))
        return node

    def generate_anchor(self, node: Any) -> Any:
        return node.name


def _represent_text(dumper: _Dumper, text: str) -> Any:
    if _BLOCK.fullmatch(text) is None:
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"')
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


def _represent_list(dumper: _Dumper, items: list[Any]) -> Any:
    if dumper.arrays and len(items) >= _SHORTEST_ARRAY and all(type(item) is float for item in items):
        kind, text = pack_numbers(items)
        if len(text) < len(str(items)):
            return dumper.represent_scalar(f"!{kind}", text)
    numbers = bool(items) and all(isinstance(item, int | float) for item in items)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", items, flow_style=numbers)


_Dumper.add_representer(str, _represent_text)
_Dumper.add_representer(list, _represent_list)


class _Loader(_SafeLoader):  # type: ignore[misc]  # it is one of two
    """A YAML loader for plain values and arrays."""


def _construct_array(kind: str, loader: Any, node: Any) -> list[float]:
    return unpack_numbers(kind, loader.construct_scalar(node))


for _kind in _FORMATS:
    _Loader.add_constructor(f"!{_kind}", partial(_construct_array, _kind))


def _construct_header(loader: Any, node: Any) -> str:
    """Return a header's name as text: a file of vcrpy has such names with the type that aiohttp gives them."""
    (name,) = loader.construct_sequence(node)
    return str(name)


for _kind in ("apply", "new"):
    _Loader.add_constructor(f"tag:yaml.org,2002:python/object/{_kind}:multidict._multidict.istr", _construct_header)


def pack_numbers(numbers: list[float]) -> tuple[str, str]:
    """Return the kind of an array of numbers, and the array as text.

    The kind is "f32", or "f64" if single precision would change a number.
    """
    with suppress(OverflowError):  # beyond the range of single precision
        text = _encode("f32", numbers)
        if unpack_numbers("f32", text) == numbers:
            return "f32", text
    return "f64", _encode("f64", numbers)


def unpack_numbers(kind: str, text: str) -> list[float]:
    """Return the numbers that `pack_numbers` wrote as text.

    Raises:
        ValueError: The text is damaged.
        struct.error: The text is cut off.
    """
    content = base64.b64decode(text, validate=True)
    numbers = [number for (number,) in struct.iter_unpack(_FORMATS[kind], content)]
    return [_shortest(number) for number in numbers] if kind == "f32" else numbers


def _encode(kind: str, numbers: list[float]) -> str:
    return base64.b64encode(b"".join(struct.pack(_FORMATS[kind], number) for number in numbers)).decode()


def _shortest(number: float) -> float:
    """Return the number with the shortest decimal form among all numbers with the same value in single precision."""
    exact = struct.pack("<f", number)
    for digits in range(6, 9):
        short = float(f"{number:.{digits}g}")
        if struct.pack("<f", short) == exact:
            return short
    return float(f"{number:.9g}")


def _name_repeated(value: Any) -> tuple[Any, dict[int, str]]:
    """Replace equal parts of sufficient size by the same object.

    Returns:
        The value, and the names of the shared objects by `id`. A name depends only on the object's content, so changes
        of earlier parts do not change the name.
    """
    known: dict[bytes, Any] = {}
    fresh, *_ = _share(value, known)
    kinds = {digest: "text" if isinstance(part, str) else "part" for digest, part in known.items()}
    return fresh, {id(part): f"{kinds[digest]}-{digest.hex()[:10]}" for digest, part in known.items()}


def _share(value: Any, known: dict[bytes, Any]) -> tuple[Any, bytes, int]:
    """Return a part (or an equal known part), the digest of its content, and its length in characters."""
    if isinstance(value, str):
        fresh: Any = value
        says, size = b"s" + value.encode(errors="surrogatepass"), len(value)
    elif is_object(value) or is_array(value):
        names = list(value) if is_object(value) else []
        children = [_share(child, known) for child in (value.values() if is_object(value) else value)]
        parts = [part for part, *_ in children]
        fresh = dict(zip(names, parts, strict=True)) if is_object(value) else parts
        says = f"{type(value).__name__}{names!r}".encode(errors="surrogatepass")
        says += b"".join(digest for _, digest, _ in children)
        size = sum(size for *_, size in children)
    else:
        fresh, says, size = value, f"{type(value).__name__}{value!r}".encode(), 4
    digest = hashlib.sha256(says).digest()
    return (known.setdefault(digest, fresh) if size >= _SMALLEST_SHARED else fresh), digest, size
