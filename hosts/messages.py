"""Converts a host's messages to chat messages, for the adapters of agent frameworks."""

import itertools
import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, cast

from memzoo.errors import MessageError
from memzoo.memories.text.messages import ROLES, checked, tool_call
from memzoo.memories.text.thoughts import set_thoughts_apart
from memzoo.stores import JSON, Message
from memzoo.text import is_too_deep

PART = ""
"""The mark of the second and later chat messages made from one host message; only the first has the host's own form."""


class HostMessage(NamedTuple):
    """A message of a host (an agent framework), as a chat message and in the host's own form.

    Attributes:
        message: The OpenAI chat message, from which memories learn.
        own: The host's own form of the message as JSON. Models never see this form.
        key: The host's id of the message; "" without an id. A message whose key is in the log is not stored again.
        seq: The log number; 0 if the message is not in the log.
        thread: The id of the host's thread that contains the message; "" if unknown.
        unfinished: True for the beginning of an answer that was stopped.
        recalled: True for a text that the memory made, such as a summary.
    """

    message: Message
    own: JSON = None
    key: str = ""
    seq: int = 0
    thread: str = ""
    unfinished: bool = False
    recalled: bool = False


def add_calls(said: Message, calls: Iterable[Any]) -> Message:
    """Return an assistant's message with more tool calls added to it."""
    return said | {"content": said["content"] or None, "tool_calls": [*said.get("tool_calls", ()), *calls]}


def chat_of(
    role: str,
    texts: Iterable[str],
    *,
    calls: Sequence[Message] = (),
    results: Iterable[tuple[str, str]] = (),
    others: Sequence[str] = (),
) -> list[Message]:
    """Return a host's message as chat messages: one for each tool result, then one for the rest.

    Args:
        role: The role of the message: user, assistant, system.
        texts: The texts of the message.
        calls: The tool calls of the message, made by `make_call`.
        results: The tool results of the message: pairs of a call's id and a text.
        others: The kinds of the parts that have no text, such as "image".
    """
    said: list[Message] = [{"role": "tool", "tool_call_id": id_, "content": result} for id_, result in results]
    text = "\n".join(texts)
    parts = [*([{"type": "text", "text": text}] if text else ()), *({"type": kind} for kind in others)]
    content = parts if others else text
    if calls:
        said.append({"role": "assistant", "content": content or None, "tool_calls": list(calls)})
    elif content or not said:
        said.append({"role": role, "content": content})
    return said


def in_pieces(chat: Iterable[Message], own: JSON, key: str) -> list[HostMessage]:
    """Return the chat messages made from one message of a host, each as a `HostMessage`.

    The first `HostMessage` also keeps `own`, the host's own form of the message.
    """
    return [
        HostMessage(message, PART if place else own, f"{key}/{place}" if place and key else key)
        for place, message in enumerate(chat)
    ]


def make_call(id_: object, name: object, arguments: object) -> Message:
    """Return a tool call. The id and the name may be missing; `arguments` may be JSON text."""
    given = arguments if isinstance(arguments, str) else dump_json({} if arguments is None else arguments) or "{}"
    return tool_call(str(id_ or name or ""), str(name or "a tool"), given)


def host_text(content: Any) -> str:
    """Return the text in a message's content. The content may be a text or a list of parts."""
    if isinstance(content, str):
        return content
    parts: list[Any] = content if isinstance(content, list) else []
    return "\n".join(map(_part_text, parts)).strip()


def _part_text(part: Any) -> str:
    if isinstance(part, str):
        return part
    known = dict_of(part)
    return str(known.get("text") or known.get("refusal") or "")


def dict_of(thing: Any) -> dict[str, Any]:
    """Return a value if it is a dict; otherwise an empty dict."""
    return cast("dict[str, Any]", thing) if isinstance(thing, dict) else {}


def dicts_of(parts: Any) -> list[dict[str, Any]]:
    """Return the dicts in a list; an empty list for other values."""
    several: list[Any] = parts if isinstance(parts, list) else []
    return [dict_of(part) for part in several if isinstance(part, dict)]


def dump_model(model: Any, **options: Any) -> Any:
    """Return a Pydantic model as JSON; values that are not JSON become texts."""
    try:
        return model.model_dump(mode="json", **options)
    except (TypeError, ValueError):
        return json.loads(json.dumps(model.model_dump(**options), default=str, skipkeys=True))


def fit_message(message: Message) -> Message:
    """Return a chat message of a host, with its invalid parts left out or turned into text.

    This function raises no error: the model has already answered, and an error would lose the answer.
    """
    try:
        fit = checked(message)
    except (MessageError, RecursionError):
        fit = _mend(message)
    return set_thoughts_apart(fit)


def _mend(message: Message) -> Message:
    message = {name: dump_json(part) if is_too_deep([part]) else part for name, part in message.items()}
    try:
        # Lone surrogates become question marks, and values that are not JSON become texts.
        plain: Message = json.loads(
            json.dumps(message, default=str, ensure_ascii=False).encode(errors="replace"), parse_constant=str
        )
    except (TypeError, ValueError, RecursionError):
        plain = {}
    role, content = message.get("role"), plain.get("content")
    mended: Message = {"role": role if role in ROLES else "assistant", "content": host_text(content)}
    if isinstance(content, list) and all(isinstance(part.get("type"), str) for part in dicts_of(content)):
        mended["content"] = dicts_of(content)
    if role == "tool":
        mended["tool_call_id"] = str(message.get("tool_call_id") or "")
    calls = [call for call in dicts_of(plain.get("tool_calls")) if isinstance(call.get("function"), dict)]
    if calls:
        mended["tool_calls"] = [{**call, "id": str(call.get("id") or "")} for call in calls]
    return checked(mended)


def dump_json(own: JSON) -> str | None:
    """Return the host's own form of a message as JSON text; `None` if `own` is `None` or cannot become JSON."""
    if own is None:
        return None
    try:
        text = json.dumps(own, ensure_ascii=False, default=str)
        # Stores refuse lone surrogates; escaped surrogates are read back unchanged.
        return text if text.encode(errors="replace").decode() == text else json.dumps(own, default=str)
    except (TypeError, ValueError, RecursionError):
        return None


def in_common(old: Sequence[object], new: Sequence[object]) -> int:
    """Return the number of messages that two conversations have in common at their beginning."""
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
