"""Reads requests and answers of four APIs: OpenAI's two, Anthropic's and Gemini's."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from memzoo.cassettes.http import content_type, events, is_array, is_object, is_stream

SPOKEN = ("system", "instructions", "systemInstruction", "system_instruction", "messages", "contents", "input")
"""The names of a request's members with words for a model."""

_ASKED = frozenset({"messages", "contents", "input"})
_TEXTS = ("content", "parts", "text", "output")
_ARGUMENTS = ("arguments", "input", "args")
_LONGEST_ANSWER = 200
_USAGE = {
    "read": ("prompt_tokens", "input_tokens", "promptTokenCount"),
    "written": ("completion_tokens", "output_tokens", "candidatesTokenCount"),
}
_SPEAKING = frozenset({"choices", "message", "delta", "content", "output", "candidates", "parts", "text"})


@dataclass(frozen=True, slots=True)
class Statistics:
    """The number of responses in a recording, with their models and tokens.

    Attributes:
        models: The names of the answering models, sorted.
        input_tokens: The tokens of the prompts, as counted by the server.
        output_tokens: The tokens of the answers, as counted by the server.
    """

    models: tuple[str, ...] = ()
    responses: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    @property
    def tokens(self) -> str:
        """The tokens as a text for people, such as "1,200 + 80 tokens": input + output."""
        return f"{self.input_tokens:,} + {self.output_tokens:,} tokens"

    def __add__(self, other: "Statistics") -> "Statistics":
        return Statistics(
            tuple(sorted({*self.models, *other.models})),
            self.responses + other.responses,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
        )


def statistics_of(responses: Iterable[Mapping[str, Any]]) -> Statistics:
    """Return the sum of the statistics of several responses, which are dicts in vcrpy's form."""
    return sum(map(_statistics, responses), Statistics())


def answer_text(response: Mapping[str, Any]) -> str:
    """Return the text of a model's answer in any of the four APIs, even if it was streamed."""
    said = "".join(text for reply in _replies(response) for text in _list_texts(reply))
    return said or _text(response)[:_LONGEST_ANSWER]


def contents(response: Mapping[str, Any]) -> list[Any]:
    """Return the JSON values of a response: its body, or each event of a stream."""
    if is_stream(content_type(response["headers"])):
        return [event for _, event in events(_text(response))]
    try:
        return [json.loads(_text(response))]
    except (ValueError, RecursionError):
        return []


def calls_in(response: Mapping[str, Any]) -> list[str]:
    """Return the tools that a model's answer calls, with their arguments. For a stream, the arguments are left out."""
    found, left = dict[Any, str](), contents(response)
    while left:
        value = left.pop(0)
        if is_object(value):
            given = next((value[name] for name in _ARGUMENTS if name in value), None)
            if given is not None and isinstance(name := value.get("name"), str) and name:
                said = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
                # A stream of the Responses API tells a call several times, and at last with its arguments.
                found[value.get("id") or len(found)] = f"{name} {said}".strip()
        left[:0] = value.values() if is_object(value) else value if is_array(value) else ()
    return list(found.values())


def list_spoken(body: Any) -> list[tuple[str, list[Any]]]:
    """Return the speaker and the content of each message in a request; an empty list if the request has no messages."""
    if not is_object(body) or _ASKED.isdisjoint(body):
        return []
    return [turn for name in SPOKEN if name in body for turn in _turns(name, body[name])]


@lru_cache(maxsize=256)
def is_asking(body: str) -> bool:
    """Return whether a text is the JSON of a request to a model, with messages."""
    try:
        return bool(list_spoken(json.loads(body)))
    except (ValueError, RecursionError):
        return False


def newest(body: Any) -> str:
    """Return the text of the last message in a request; "" without messages."""
    spoken = list_spoken(body)
    return "\n".join(part for part in spoken[-1][1] if isinstance(part, str)) if spoken else ""


def readable(body: Any) -> list[Any]:
    """Return the body of a request in a readable order: its options, then each message as `{speaker: text}`."""
    spoken = list_spoken(body)
    if not spoken:
        return [body]
    rest = {key: value for key, value in body.items() if key not in SPOKEN}
    return [*([rest] if rest else []), *({who: parts[0] if len(parts) == 1 else parts} for who, parts in spoken)]


def _turns(name: str, said: Any) -> Iterator[tuple[str, list[Any]]]:
    if name not in _ASKED:
        yield "system", list(_parts(said))
        return
    for message in said if is_array(said) else [said]:
        speaker = (message.get("role") or message.get("type")) if is_object(message) else None
        yield str(speaker or "user"), list(_parts(message))


def _parts(said: Any) -> Iterator[Any]:
    """Yield the texts and other parts of a message."""
    if is_array(said):
        for part in said:
            yield from _parts(part)
    elif is_object(said):
        rest = {key: value for key, value in said.items() if key not in (*_TEXTS, "role", "cache_control")}
        texts = {None, "text", "input_text", "output_text", "message"}
        if not rest.keys() <= {"type"} or rest.get("type") not in texts:
            yield rest
        for name in _TEXTS:
            yield from _parts(said.get(name))
    elif said is not None:
        yield said


def _statistics(response: Mapping[str, Any]) -> Statistics:
    replies = list(_replies(response))
    named = (reply.get(name) for reply in replies for name in ("model", "modelVersion"))
    models = {name for name in named if isinstance(name, str)}
    # A stream may report its running total repeatedly; Anthropic reports input and output in different events.
    spent = dict.fromkeys(_USAGE, 0)
    for reply in replies:
        usage = next((use for name in ("usage", "usageMetadata") if is_object(use := reply.get(name))), {})
        for name, keys in _USAGE.items():
            spent[name] = next((usage[key] for key in keys if isinstance(usage.get(key), int)), spent[name])
    return Statistics(tuple(sorted(models)), 1, spent["read"], spent["written"])


def _list_texts(reply: Mapping[str, Any]) -> Iterator[str]:
    """Yield the texts of a reply, or of one event of a stream."""
    for name, child in reply.items():
        if name in {"text", "content", "delta"} and isinstance(child, str):
            yield child
        elif name in _SPEAKING:
            for one in child if is_array(child) else [child]:
                yield from _list_texts(one) if is_object(one) else ()


def _replies(response: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the objects with the model's data in a response, unwrapped from a stream's events if necessary."""
    wrapped = ("response", "message") if is_stream(content_type(response["headers"])) else ()
    for value in filter(is_object, contents(response)):
        yield next((one for name in wrapped if is_object(one := value.get(name))), value)


def _text(response: Mapping[str, Any]) -> str:
    body: str | bytes | None = response["body"]["string"]
    return body.decode(errors="replace") if isinstance(body, bytes) else body or ""
