"""Fits a request into the model's context window."""

import functools
import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from memzoo.errors import OptionError, OverBudgetError
from memzoo.memories.options import one_of, whole_number
from memzoo.memories.text.eviction import Weighed, fit_messages
from memzoo.memories.text.fitting import shorten_text, without_middle
from memzoo.memories.text.framing import is_recalled, reframed
from memzoo.memories.text.grouping import is_instruction
from memzoo.memories.text.messages import text_of
from memzoo.memories.text.tokens import TokenCounter
from memzoo.stores import Message

__all__ = ["Oversized", "Room"]

logger = logging.getLogger("memzoo")

Oversized: TypeAlias = Literal["raise", "shorten"]
"""The treatment of a message that is too long: raise an error, or cut the message in the middle before sending."""

_WHAT = "the system messages, the user's message, the tools' results, and the tools' descriptions"


class Room:
    """Fits requests to a token limit; without a limit, to the size of requests that the model accepts.

    Args:
        max_tokens: The token limit of a request; `None` if unknown.
        oversized: The treatment of a message that is longer than half of the token limit.
        counter: A function that returns the token counter; called when the counter is first needed.

    Raises:
        OptionError: An option has a value that cannot work.
    """

    def __init__(self, max_tokens: int | None, oversized: Oversized, counter: Callable[[], TokenCounter]) -> None:
        one_of("oversized", oversized, "raise", "shorten")
        if max_tokens is not None:
            whole_number("max_tokens", max_tokens, at_least=1)
        elif oversized == "shorten":
            raise OptionError("oversized='shorten' needs max_tokens=: the most tokens of a request")
        self.max_tokens = max_tokens
        self._shortens = oversized == "shorten"
        self._counter = counter
        # Messages are counted only once for all rounds of tool calls, unless the counter changes.
        self._count = functools.lru_cache(maxsize=1024)(self._count_anew)
        # The limit in characters, after the model has refused a request as too long.
        self._characters: int | None = None

    def fit(
        self,
        system: Sequence[Message],
        before: Sequence[Message],
        turn: Sequence[Message],
        tools: Sequence[Mapping[str, Any]],
        pinned: Sequence[Message] = (),
    ) -> list[Message]:
        """Return a request that fits, leaving out the oldest earlier messages.

        Args:
            system: The first messages of the request.
            before: The memory's messages. System messages and recalled texts among these stay, with their ends cut if
                necessary.
            turn: The open question and the messages after it.
            tools: Descriptions of the tools.
            pinned: The pinned messages in `before`, which stay as they are.

        Raises:
            OverBudgetError: The request is over the limit even with only the pinned messages of the memory.
        """
        request = [*system, *before, *turn]
        if self._characters is not None:
            request = _newest(request, self._characters, _characters, pinned)
            before = request[len(system) : len(request) - len(turn)]
        if self.max_tokens is None:
            return request
        limit = self.max_tokens - self._counter().base
        if tools:
            limit -= self._counter().of_text(json.dumps(list(tools)))
        if self._shortens:
            most = max(limit, 2) // 2
            request = [one if one in pinned else self._shorten(one, most) for one in request]
        if self._size(left := _newest(request, limit, self._tokens, pinned)) <= limit:
            return left
        first, last = request[: len(system)], request[len(request) - len(turn) :]
        spare = limit - self._size([*first, *pinned, *last])
        if spare < 0:
            what = f"{_WHAT}, and the pinned messages" if pinned else _WHAT
            raise OverBudgetError.of(what, self.max_tokens - spare, self.max_tokens, advice="; nothing was sent")
        recalled = (message for message in before if _stays(message) and message not in pinned)
        return [*first, *self._beginnings(recalled, spare), *pinned, *last]

    def shorten_request(
        self, request: Sequence[Message], least: Sequence[Message], pinned: Sequence[Message] = ()
    ) -> list[Message] | None:
        """Return a shorter request after the model refused a request as too long: half of it, and finally the minimum.

        Returns:
            The shorter request; `None` if the model refused the minimum.
        """
        if len(request) <= len(least):
            return None
        self._characters = sum(map(_characters, request)) // 2
        left = _newest(request, self._characters, _characters, pinned)
        left = left if len(left) < len(request) else list(least)
        logger.warning(
            "the model refused a request of %d messages as too long; it is asked again with %d of them, without the "
            "oldest. max_tokens= keeps requests shorter from the beginning",
            len(request),
            len(left),
        )
        return left

    def _count_anew(self, message: str, _counted_by: str) -> int:
        return self._counter()(json.loads(message))

    def _tokens(self, message: Message) -> int:
        # Messages with pictures may be large and are counted quickly, so caching their counts is not worthwhile.
        is_text = isinstance(message.get("content"), str)
        counter = self._counter()
        return self._count(json.dumps(message), counter.name) if is_text else counter(message)

    def _size(self, messages: Iterable[Message]) -> int:
        return sum(map(self._tokens, messages))

    def _beginnings(self, messages: Iterable[Message], spare: int) -> Iterator[Message]:
        """Yield the messages with recalled texts, each cut to the beginning that fits into the spare tokens."""
        for message in messages:
            room = spare

            def fit_beginning(text: str, message: Message = message, room: int = room) -> str:
                whole = text_of(message)
                return shorten_text(
                    text, lambda kept: self._tokens(message | {"content": whole.replace(text, kept, 1)}) <= room
                )

            if beginning := reframed(text_of(message), fit_beginning):
                yield (cut := message | {"content": beginning})
                spare -= self._tokens(cut)

    def _shorten(self, message: Message, limit: int) -> Message:
        content = message.get("content")
        if not isinstance(content, str) or self._tokens(message) <= limit:
            return message
        kept = len(content)
        while kept and self._tokens(cut := message | {"content": without_middle(content, kept)}) > limit:
            # Cut the excess share, but at least a tenth: a tokenizer may count few characters as many tokens.
            kept = min(kept * limit // self._tokens(cut), kept * 9 // 10)
        return message | {"content": without_middle(content, kept)}


def _newest(
    request: Sequence[Message], limit: int, size: Callable[[Message], int], pinned: Sequence[Message]
) -> list[Message]:
    weighed = (Weighed(place, message, size(message)) for place, message in enumerate(request))
    stays = {place for place, message in enumerate(request) if message in pinned or is_recalled(message)}
    return [one.message for one in fit_messages(weighed, limit, pinned=stays).kept]


def _stays(message: Message) -> bool:
    return is_instruction(message) or is_recalled(message)


def _characters(message: Message) -> int:
    return len(text_of(message))
