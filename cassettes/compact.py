"""Makes a cassette small: vectors as arrays that give back every number exactly; what is said several times, once."""

import base64
import hashlib
import struct
from typing import Any

from memzoo.cassettes.http import is_array, is_object

__all__ = ["is_vector", "packed", "shared", "unpacked"]

# A shorter list of numbers stays readable, and so does a shorter part that is said again.
_SHORTEST = 32
_SMALLEST = 120


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


def shared(value: Any) -> tuple[Any, dict[int, str]]:
    """Put one object in place of all equal parts that are large enough.

    Returns:
        The value, and the names of these objects, by their `id`. A name comes from what the part says, so it stays the
        same whatever is written before it.
    """
    known: dict[bytes, Any] = {}
    fresh, *_ = _shared(value, known)
    kinds = {digest: "text" if isinstance(part, str) else "part" for digest, part in known.items()}
    return fresh, {id(part): f"{kinds[digest]}-{digest.hex()[:10]}" for digest, part in known.items()}


def _shared(value: Any, known: dict[bytes, Any]) -> tuple[Any, bytes, int]:
    """Return a part, a digest of what it says, and how many characters that takes."""
    if isinstance(value, str):
        return _once(value, hashlib.sha256(b"s" + value.encode(errors="surrogatepass")).digest(), len(value), known)
    if not is_object(value) and not is_array(value):
        return value, hashlib.sha256(f"{type(value).__name__}{value!r}".encode()).digest(), 4
    names = list(value) if is_object(value) else []
    children = [_shared(child, known) for child in (value.values() if is_object(value) else value)]
    fresh = (
        {name: child for name, (child, *_) in zip(names, children, strict=True)}
        if is_object(value)
        else [child for child, *_ in children]
    )
    digest = hashlib.sha256(type(value).__name__.encode() + repr(names).encode(errors="surrogatepass"))
    for _, part, _ in children:
        digest.update(part)
    return _once(fresh, digest.digest(), sum(size for *_, size in children), known)


def _once(value: Any, digest: bytes, size: int, known: dict[bytes, Any]) -> tuple[Any, bytes, int]:
    return (known.setdefault(digest, value) if size >= _SMALLEST else value), digest, size
