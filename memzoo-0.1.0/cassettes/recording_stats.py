"""Statistics of a recording: the models that answered and the tokens they took."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from memzoo.cassettes.http import content_type, is_array, is_object, is_stream
from memzoo.cassettes.streams import events

__all__ = ["Facts", "answer_text", "facts_of"]

_LONGEST = 200
_USAGE = {
    "read": ("prompt_tokens", "input_tokens", "promptTokenCount"),
    "written": ("completion_tokens", "output_tokens", "candidatesTokenCount"),
}
_SPEAKING = frozenset({"choices", "message", "delta", "content", "output", "candidates", "parts", "text"})


@dataclass(frozen=True, slots=True)
class Facts:
    """Statistics of a recording, read from its responses.

    Attributes:
        models: The names of the models that answered, sorted.
        responses: How many responses there are.
        input_tokens: The tokens of the prompts, as the server counted them.
        output_tokens: The tokens of the answers, as the server counted them.
    """

    models: tuple[str, ...] = ()
    responses: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: "Facts") -> "Facts":
        return Facts(
            tuple(sorted({*self.models, *other.models})),
            self.responses + other.responses,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
        )


def facts_of(responses: Iterable[Mapping[str, Any]]) -> Facts:
    """Add up the statistics of responses in vcrpy's form."""
    return sum(map(_facts, responses), Facts())


def answer_text(response: Mapping[str, Any]) -> str:
    """Return what a model said, as text: of OpenAI's two APIs, Anthropic's or Gemini's, streamed or not."""
    kind, body = content_type(response["headers"]), response["body"]["string"]
    said = "".join(text for reply in _replies(body, kind) for text in _said(reply))
    return said or (body.decode(errors="replace") if isinstance(body, bytes) else body or "")[:_LONGEST]


def _facts(response: Mapping[str, Any]) -> Facts:
    replies = list(_replies(response["body"]["string"], content_type(response["headers"])))
    named = (reply.get(name) for reply in replies for name in ("model", "modelVersion"))
    models = {name for name in named if isinstance(name, str)}
    # A stream may report its running total several times, and Anthropic's reports each half in another event.
    spent = dict.fromkeys(_USAGE, 0)
    for reply in replies:
        usage = next((use for name in ("usage", "usageMetadata") if is_object(use := reply.get(name))), {})
        for name, keys in _USAGE.items():
            spent[name] = next((usage[key] for key in keys if isinstance(usage.get(key), int)), spent[name])
    return Facts(tuple(sorted(models)), 1, spent["read"], spent["written"])


def _said(reply: Mapping[str, Any]) -> Iterator[str]:
    """List the texts of a reply, or of one event of a stream."""
    for name, child in reply.items():
        if name in {"text", "content", "delta"} and isinstance(child, str):
            yield child
        elif name in _SPEAKING:
            for one in child if is_array(child) else [child]:
                yield from _said(one) if is_object(one) else ()


def _replies(body: str | bytes | None, kind: str) -> Iterator[dict[str, Any]]:
    text = body.decode(errors="replace") if isinstance(body, bytes) else body or ""
    if is_stream(kind):
        yield from (_inner(event) for _, event in events(text))
        return
    try:
        reply = json.loads(text)
    except (ValueError, RecursionError):
        return
    if is_object(reply):
        yield reply


def _inner(event: dict[str, Any]) -> dict[str, Any]:
    return next((one for name in ("response", "message") if is_object(one := event.get(name))), event)
