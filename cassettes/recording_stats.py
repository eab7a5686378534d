"""Statistics of a recording: the models that answered and the tokens they took."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from memzoo.cassettes.http import content_type, is_object, is_stream
from memzoo.cassettes.secrets import events

__all__ = ["Facts", "facts_of"]


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


def _facts(response: Mapping[str, Any]) -> Facts:
    replies = list(_replies(response["body"]["string"], content_type(response["headers"])))
    models = {reply["model"] for reply in replies if isinstance(reply.get("model"), str)}
    # A stream may report its running total several times.
    usage = next((use for reply in reversed(replies) if is_object(use := reply.get("usage"))), dict[str, Any]())
    spent = _tokens(usage, "prompt_tokens", "input_tokens"), _tokens(usage, "completion_tokens", "output_tokens")
    return Facts(tuple(sorted(models)), 1, *spent)


def _tokens(usage: Mapping[str, Any], *names: str) -> int:
    return next((usage[name] for name in names if isinstance(usage.get(name), int)), 0)


def _replies(body: str | bytes | None, kind: str) -> Iterator[dict[str, Any]]:
    text = body.decode(errors="replace") if isinstance(body, bytes) else body or ""
    if is_stream(kind):
        for _, event in events(text):
            inner = event.get("response")
            yield inner if is_object(inner) else event
        return
    try:
        reply = json.loads(text)
    except (ValueError, RecursionError):
        return
    if is_object(reply):
        yield reply
