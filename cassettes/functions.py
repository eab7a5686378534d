"""Records the calls of a function that takes messages and returns text, instead of HTTP requests."""

import inspect
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from memzoo.cassettes.callers import is_let_through, let_through
from memzoo.cassettes.http import JSON, HttpRequest
from memzoo.cassettes.scrubbing import ORIGIN
from memzoo.errors import OptionError
from memzoo.sync import drive

if TYPE_CHECKING:
    from memzoo.cassettes.player import Player

_Function: TypeAlias = Callable[[Sequence[Mapping[str, Any]]], str | Awaitable[str]]


def make_function(player: "Player", model: Any) -> "_Function":
    """Return a function that answers from a cassette, or asks a model and records its reply.

    Args:
        player: The player of the cassette.
        model: A function (sync or async) that takes messages and returns text, or an object with a method `complete`,
            such as `ChatModel`.

    Raises:
        OptionError: `model` is neither a function nor such an object.
    """
    complete = getattr(model, "complete", None)
    if complete is None and not callable(model):
        raise OptionError(f"model={model!r} is neither a function from messages to text nor a ChatModel")
    name = str(getattr(model, "name", None) or getattr(model, "__name__", type(model).__name__))

    async def ask(messages: Sequence[Mapping[str, Any]]) -> Any:
        reply = (await complete(messages, name)).text if complete else model(messages)
        return await reply if inspect.isawaitable(reply) else reply

    async def answer(messages: Sequence[Mapping[str, Any]]) -> str:
        if is_let_through():  # a recorded tool asks; the reply is part of the tool's call
            return cast("str", await ask(messages))
        asked = json.dumps({"model": name, "messages": [dict(message) for message in messages]}, ensure_ascii=False)
        request = HttpRequest("CALL", f"{ORIGIN}/model", asked.encode(), JSON)
        if player.can_play(request):
            return str(json.loads(player.play(request).response["body"]["string"])["text"])
        try:
            with let_through():
                reply = await ask(messages)
        except Exception as error:
            raise player.note_failure(request, error) from error
        player.stop_waiting(request)
        if not isinstance(reply, str):
            raise OptionError(f"A recorded model returned {reply!r}; it must return a string")
        body = {"string": json.dumps({"text": reply}, ensure_ascii=False).encode()}
        player.record(request, {"status": {"code": 200, "message": "OK"}, "headers": JSON, "body": body})
        return reply

    def answer_now(messages: Sequence[Mapping[str, Any]]) -> str:
        return drive(answer(messages))

    asynchronous = complete or inspect.iscoroutinefunction(model) or inspect.iscoroutinefunction(type(model).__call__)
    found: Any = answer if asynchronous else answer_now
    found.__name__ = name
    return cast("_Function", found)
