"""JSON schemas of arguments and answers, each in one piece."""

from collections.abc import Mapping
from typing import Any

from memzoo.memories.hosts.mcp.calls import Arguments

__all__ = ["schema"]


def schema(kind: type[Arguments] | None, *, closed: bool = False) -> dict[str, Any] | None:
    """The schema of arguments or of an answer.

    Args:
        kind: Which; `None` for none.
        closed: Nothing else may be in it.

    Example:
        >>> from memzoo.memories.hosts.mcp.calls import Deletion
        >>> schema(Deletion, closed=True)["required"]
        ['entityName', 'observations']
    """
    if kind is None:
        return None
    whole = kind.model_json_schema()
    found: dict[str, Any] = _inlined(whole, whole.get("$defs", {}), closed=closed)
    return found


def _inlined(part: Any, known: Mapping[str, Any], *, closed: bool) -> Any:
    """A part without references, which some clients do not follow, and without the names of our classes."""
    if isinstance(part, list):
        each: list[Any] = part
        return [_inlined(one, known, closed=closed) for one in each]
    if not isinstance(part, dict):
        return part
    if "$ref" in part:
        return _inlined(known[str(part["$ref"]).rpartition("/")[2]], known, closed=closed)
    kept = {name: value for name, value in _own(part) if name not in ("$defs", "title", "description")}
    found = {name: _inlined(value, known, closed=closed) for name, value in kept.items()}
    if "properties" in part:
        found["properties"] = {name: _described(one, known, closed=closed) for name, one in _own(part["properties"])}
        found |= {"additionalProperties": False} if closed else {}
    return found


def _described(part: Any, known: Mapping[str, Any], *, closed: bool) -> Any:
    about = {"description": part["description"]} if "description" in part else {}
    return {**_inlined(part, known, closed=closed), **about}


def _own(part: Any) -> "list[tuple[str, Any]]":
    return [*part.items()]
