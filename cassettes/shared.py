"""What a cassette says several times is written once: equal parts of JSON become one object, which YAML refers to."""

import hashlib
from typing import Any

from memzoo.cassettes.http import is_array, is_object

__all__ = ["shared"]

# A part with fewer characters is written each time: a reader would rather see it than look it up.
_SMALLEST = 120


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
