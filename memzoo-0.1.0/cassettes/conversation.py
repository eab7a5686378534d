"""Reads who says what in a request to a model: OpenAI's two APIs, Anthropic's, Gemini's."""

from collections.abc import Iterable, Iterator
from typing import Any

from memzoo.cassettes.http import is_array, is_object

__all__ = ["newest", "readable", "turns"]

_SPOKEN = ("system", "instructions", "systemInstruction", "system_instruction", "messages", "contents", "input")
_TEXTS = ("content", "parts", "text", "output")


def turns(body: Any) -> list[tuple[str, list[Any]]]:
    """List who speaks and what, text or other parts; empty if the body is no conversation."""
    if not is_object(body):
        return []
    found = [turn for name in _SPOKEN if name in body for turn in _turns(name, body[name])]
    return found if any(name in body for name in ("messages", "contents", "input")) else []


def newest(body: Any) -> str:
    """Return what is said last, as text; empty if nothing is."""
    spoken = turns(body)
    return "\n".join(part for part in spoken[-1][1] if isinstance(part, str)) if spoken else ""


def readable(body: Any) -> list[Any]:
    """Put a body into an order to read: its options, and then a `{speaker: text}` for each message."""
    spoken = turns(body)
    if not spoken:
        return [body]
    rest = {key: value for key, value in body.items() if key not in _SPOKEN}
    return [*([rest] if rest else []), *({who: parts[0] if len(parts) == 1 else parts} for who, parts in spoken)]


def _turns(name: str, said: Any) -> Iterator[tuple[str, list[Any]]]:
    if name in {"messages", "contents"} or (name == "input" and is_array(said)):
        for message in said if is_array(said) else [said]:
            if is_object(message):
                yield _speaker(message), list(_parts(message))
            else:
                yield "user", [message]
    else:
        yield ("user" if name == "input" else "system"), list(_parts(said))


def _speaker(message: dict[str, Any]) -> str:
    return str(message.get("role") or message.get("type") or "user")


def _parts(said: Any) -> Iterator[Any]:
    """List the texts of a message, and what else it has."""
    if is_array(said):
        for part in said:
            yield from _parts(part)
    elif is_object(said):
        rest = {key: value for key, value in said.items() if key not in (*_TEXTS, "role")}
        rest = {} if _is_text(rest) else rest
        yield from ([rest] if rest else [])
        yield from _below(said[name] for name in _TEXTS if name in said)
    elif said is not None:
        yield said


def _below(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        yield from _parts(value)


def _is_text(rest: dict[str, Any]) -> bool:
    return rest.keys() <= {"type"} and rest.get("type") in {None, "text", "input_text", "output_text", "message"}
