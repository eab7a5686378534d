"""Fits a request to what the model has room for."""

import functools
import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from memzoo.errors import OptionError, OverBudgetError
from memzoo.memories.options import one_of, whole_number
from memzoo.memories.text.eviction import Weighed, fitted
from memzoo.memories.text.framing import is_recalled, reframed
from memzoo.memories.text.grouping import is_instruction
from memzoo.memories.text.messages import text_of
from memzoo.memories.text.shortening import shortened, without_middle
from memzoo.memories.text.tokens import TokenCounter
from memzoo.stores import Message

__all__ = ["Oversized", "Room"]

logger = logging.getLogger("memzoo")

Oversized: TypeAlias = Literal["raise", "shorten"]
"""What becomes of a message that is too long: it is refused, or cut in the middle in what is sent."""

_WHAT = "the system messages, the user's message, what tools gave, and the tools' descriptions"


class Room:
    """Fits requests to a number of tokens; without one, to what the model turns out to take.

    Args:
        max_tokens: Tokens that a request may have; `None` if that is not known.
        oversized: What becomes of a message that takes more than half of them.
        counter: Gives the counter of tokens, which is asked for when something is to be counted.

    Raises:
        OptionError: An option has a value that cannot work.
    """

    def __init__(self, max_tokens: int | None, oversized: Oversized, counter: Callable[[], TokenCounter]) -> None:
        one_of("oversized", oversized, "raise", "shorten")
        if max_tokens is not None:
            whole_number("max_tokens", max_tokens, at_least=1)
        elif oversized == "shorten":
            raise OptionError("oversized='shorten' needs max_tokens=: the tokens that a request may have")
        self.max_tokens = max_tokens
        self._shortens = oversized == "shorten"
        self._counter = counter
        # What was counted in one round of tools need not be counted in the next.
        self._count = functools.lru_cache(maxsize=1024)(lambda message: counter()(json.loads(message)))
        # The characters of the largest request that was taken after a larger one was refused.
        self._characters: int | None = None

    def fitting(
        self,
        system: Sequence[Message],
        before: Sequence[Message],
        turn: Sequence[Message],
        tools: Sequence[Mapping[str, Any]],
        pinned: Sequence[Message] = (),
    ) -> list[Message]:
        """Make the request that fits: the oldest messages of what was said before are left out.

        Args:
            system: What comes first.
            before: What the memory shows. Its system messages and what it recalls stay, cut at their ends if need be.
            turn: The open question and what follows it.
            tools: Descriptions of the tools.
            pinned: What of the memory is pinned, and stays as it is.

        Raises:
            OverBudgetError: All but the memory is over the limit, with what is pinned in it.
        """
        request = [*system, *before, *turn]
        if self.max_tokens is None:
            return request if self._characters is None else _newest(request, self._characters, _characters, pinned)
        limit = self.max_tokens
        if tools:
            limit -= self._tokens({"role": "system", "content": json.dumps(list(tools))})
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

    def shorter(
        self, request: Sequence[Message], least: Sequence[Message], pinned: Sequence[Message] = ()
    ) -> list[Message] | None:
        """Shorten a request that the model refused as too long: to half of it, and at last to the least.

        Returns:
            `None` if the least was refused.
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

    def _tokens(self, message: Message) -> int:
        # Pictures may be large, and are counted quickly: they are not worth keeping.
        is_text = isinstance(message.get("content"), str)
        return self._count(json.dumps(message)) if is_text else self._counter()(message)

    def _size(self, messages: Iterable[Message]) -> int:
        return sum(map(self._tokens, messages))

    def _beginnings(self, messages: Iterable[Message], spare: int) -> Iterator[Message]:
        """The beginnings of what was recalled, as far as there is room for them."""
        for message in messages:
            room = spare

            def fitting(text: str, message: Message = message, room: int = room) -> str:
                whole = text_of(message)
                return shortened(
                    text, lambda kept: self._tokens(message | {"content": whole.replace(text, kept, 1)}) <= room
                )

            if beginning := reframed(text_of(message), fitting):
                yield (cut := message | {"content": beginning})
                spare -= self._tokens(cut)

    def _shorten(self, message: Message, limit: int) -> Message:
        content = message.get("content")
        if not isinstance(content, str) or self._tokens(message) <= limit:
            return message
        kept = len(content)
        while kept and self._tokens(cut := message | {"content": without_middle(content, kept)}) > limit:
            # By the share that is too much, but by a tenth at least: a tokenizer may count few characters as many.
            kept = min(kept * limit // self._tokens(cut), kept * 9 // 10)
        return message | {"content": without_middle(content, kept)}


def _newest(
    request: Sequence[Message], limit: int, size: Callable[[Message], int], pinned: Sequence[Message]
) -> list[Message]:
    weighed = (Weighed(place, message, size(message)) for place, message in enumerate(request))
    stays = {place for place, message in enumerate(request) if message in pinned or is_recalled(message)}
    return [one.message for one in fitted(weighed, limit, pinned=stays).kept]


def _stays(message: Message) -> bool:
    return is_instruction(message) or is_recalled(message)


def _characters(message: Message) -> int:
    return len(text_of(message))
