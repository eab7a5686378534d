"""Reads MessagePack, as LangGraph writes its checkpoints: values only, nothing is called or imported."""

import struct
from typing import Any

__all__ = ["unpacked"]

_PLAIN = {0xC0: None, 0xC2: False, 0xC3: True}
_NUMBERS = {
    0xCA: ">f",
    0xCB: ">d",
    0xCC: ">B",
    0xCD: ">H",
    0xCE: ">I",
    0xCF: ">Q",
    0xD0: ">b",
    0xD1: ">h",
    0xD2: ">i",
    0xD3: ">q",
}
# First byte -> what it is, and the format of its length.
_SIZED = {
    0xC4: ("bytes", ">B"),
    0xC5: ("bytes", ">H"),
    0xC6: ("bytes", ">I"),
    0xC7: ("extension", ">B"),
    0xC8: ("extension", ">H"),
    0xC9: ("extension", ">I"),
    0xD9: ("text", ">B"),
    0xDA: ("text", ">H"),
    0xDB: ("text", ">I"),
    0xDC: ("list", ">H"),
    0xDD: ("list", ">I"),
    0xDE: ("map", ">H"),
    0xDF: ("map", ">I"),
}
_DEEPEST = 100


def unpacked(data: bytes) -> Any:
    r"""Read a value.

    LangGraph's extensions, objects of Python, become what they were made from: an object with fields its fields, with
    the name of its class under "type" if it has none; any other the arguments of its constructor.

    Raises:
        ValueError: It is not MessagePack.

    Example:
        >>> unpacked(b"\x82\xa1a\x01\xa1b\x92\xc0\xa2hi")
        {'a': 1, 'b': [None, 'hi']}
    """
    reader = _Reader(data)
    try:
        return reader.value()
    except (struct.error, IndexError, UnicodeDecodeError, TypeError) as error:
        raise ValueError(f"not MessagePack, at byte {reader.place}: {error}") from error


class _Reader:
    def __init__(self, data: bytes, depth: int = 0) -> None:
        self.place = 0
        self._data = data
        self._depth = depth

    def value(self) -> Any:  # noqa: PLR0911 - one for each kind
        first = self._take(1)[0]
        if first <= 0x7F or first >= 0xE0:  # noqa: PLR2004 - the format's own bounds, as below
            return first if first <= 0x7F else first - 0x100  # noqa: PLR2004
        if first in _PLAIN:
            return _PLAIN[first]
        if first in _NUMBERS:
            return self._number(_NUMBERS[first])
        if first in _SIZED:
            kind, form = _SIZED[first]
            return self._sized(kind, self._number(form))
        if 0xD4 <= first <= 0xD8:  # noqa: PLR2004
            return self._sized("extension", 1 << (first - 0xD4))
        if first < 0xA0:  # noqa: PLR2004
            return self._sized("map" if first < 0x90 else "list", first & 0x0F)  # noqa: PLR2004
        if first < 0xC0:  # noqa: PLR2004
            return self._sized("text", first & 0x1F)
        raise ValueError(f"not MessagePack, at byte {self.place}: {first:#x}")

    def _sized(self, kind: str, size: int) -> Any:
        match kind:
            case "text":
                return self._take(size).decode("utf-8", "replace")
            case "bytes":
                return self._take(size)
            case "extension":
                code = self._take(1)[0]
                return self._extension(code, self._take(size))
            case _:
                return self._several(kind, size)

    def _several(self, kind: str, size: int) -> Any:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise ValueError("nested too deeply")
        try:
            if kind == "list":
                return [self.value() for _ in range(size)]
            return {str(self.value()): self.value() for _ in range(size)}
        finally:
            self._depth -= 1

    def _extension(self, _code: int, data: bytes) -> Any:
        if self._depth > _DEEPEST:
            raise ValueError("nested too deeply")
        made: Any = _Reader(data, self._depth + 1).value()
        if not isinstance(made, list) or len(made) < 3:  # noqa: PLR2004  # pyright: ignore[reportUnknownArgumentType]
            return made  # pyright: ignore[reportUnknownVariableType]
        name, given = made[1], made[2]  # pyright: ignore[reportUnknownVariableType]
        return {"type": name, **given} if isinstance(given, dict) else given  # pyright: ignore[reportUnknownVariableType]

    def _number(self, form: str) -> Any:
        return struct.unpack(form, self._take(struct.calcsize(form)))[0]

    def _take(self, size: int) -> bytes:
        taken = self._data[self.place : self.place + size]
        if len(taken) < size:
            raise IndexError("it ends too soon")
        self.place += size
        return taken
