"""Writes vectors as compact arrays that give back every number exactly."""

import base64
import struct
from typing import Any

__all__ = ["is_vector", "packed", "unpacked"]

# A shorter list of numbers stays readable.
_SHORTEST = 32


def packed(numbers: list[float]) -> tuple[str, str]:
    """Write numbers as an array: its kind and its text."""
    try:
        single = struct.pack(f"<{len(numbers)}f", *numbers)
        if _from_single(single) == numbers:
            return "f32", base64.b64encode(single).decode()
    except OverflowError:
        pass
    return "f64", base64.b64encode(struct.pack(f"<{len(numbers)}d", *numbers)).decode()


def unpacked(kind: str, text: str) -> list[float]:
    """Read the numbers of an array.

    Raises:
        ValueError: The text is damaged.
    """
    content = base64.b64decode(text, validate=True)
    if len(content) % (4 if kind == "f32" else 8):
        raise ValueError(f"an array of {len(content)} bytes is cut off")
    return _from_single(content) if kind == "f32" else list(struct.unpack(f"<{len(content) // 8}d", content))


def _from_single(content: bytes) -> list[float]:
    return [_shortest(number) for number in struct.unpack(f"<{len(content) // 4}f", content)]


def _shortest(number: float) -> float:
    """Find the shortest decimal that is the same number in single precision, as JSON has it."""
    exact = struct.pack("<f", number)
    for digits in range(6, 9):
        short = float(f"{number:.{digits}g}")
        if struct.pack("<f", short) == exact:
            return short
    return float(f"{number:.9g}")


def is_vector(items: list[Any]) -> bool:
    """Tell whether a list is worth packing."""
    return len(items) >= _SHORTEST and all(type(item) is float for item in items)
