"""Fits a request into the model's context window."""

import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from memzoo.errors import OptionError, OverBudgetError
from memzoo.memories.options import one_of, whole_number
from memzoo.memories.text.estimating import remember
from memzoo.memories.text.eviction import fit_pieces, make_fitting
from memzoo.memories.text.families import Family
from memzoo.memories.text.fitting import shorten_text, without_middle
from memzoo.memories.text.grouping import is_instruction
from memzoo.memories.text.messages import text_of
from memzoo.memories.text.order import make_request
from memzoo.memories.text.thoughts import as_counted
from memzoo.memories.text.tokens import TokenCounter
from memzoo.memories.text.view import Piece
from memzoo.stores import Message

logger = logging.getLogger("memzoo")

Oversized: TypeAlias = Literal["raise", "shorten"]
"""The treatment of a message that is too long: raise an error, or cut the message in the middle before sending."""

_WHAT = "the system messages, the user's message, the tools' results, and the tools' descriptions"


class Room:
    """Shortens requests to a token limit.

    Without a limit, requests are sent whole until the model refuses one as too long.

    Args:
        max_tokens: The token limit of a request; `None` if unknown.
        oversized: `"shorten"` to cut messages longer than half of the token limit; `"raise"` to leave them whole, and
            raise an `OverBudgetError` if the request does not fit.
        counter: A function that returns the token counter; called when the counter is first needed.

    Raises:
        OptionError: An option has an invalid value.
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
        self._count = remember(self._count_anew, 1024)
        # The limit in characters, after the model has refused a request as too long.
        self._characters: int | None = None

    def fit(
        self, before: Sequence[Piece], turn: Sequence[Piece], tools: Sequence[Mapping[str, Any]], family: Family
    ) -> list[Piece]:
        """Return the parts of a request that fit the limit. The oldest messages are left out first.

        Args:
            before: The application's system text, and the memory's messages and texts. The application's text and
                pinned messages stay whole. The memory's system message and recalled texts stay, but their ends are cut
                off if necessary.
            turn: The unanswered question and the messages after it, which all stay.
            tools: Descriptions of the tools.
            family: The endpoint's family, which determines the form of the request.

        Raises:
            OverBudgetError: The request is over the limit even with only the pinned messages of the memory.
        """
        pieces = [*before, *turn]
        if self._characters is not None:
            pieces, _ = fit_pieces(pieces, self._characters, _characters)
        if self.max_tokens is None:
            return pieces
        limit = self.max_tokens - self._counter().base
        if tools:
            limit -= self._counter().of_text(json.dumps(list(tools)))
        if self._shortens:
            pieces = [one if one.kind == "pinned" else self._shorten(one, max(limit, 2) // 2) for one in pieces]
        least = [*_find_least(pieces[: len(pieces) - len(turn)]), *pieces[len(pieces) - len(turn) :]]

        def weigh(piece: Piece) -> float:
            return self._tokens(piece.sent_to(family))

        weight = sum(map(weigh, least))

        def make(bound: float) -> tuple[list[Piece], float]:
            left, size = fit_pieces(pieces, bound, weigh)
            if size > bound:
                left = [*self._beginnings(pieces, least, bound - weight)]
            return left, sum(map(self._tokens, make_request(left, family)))

        if (left := make_fitting(make, limit)) is not None:
            return left
        needed = sum(map(self._tokens, make_request(least, family)))
        what = f"{_WHAT}, and the pinned messages" if any(one.kind == "pinned" for one in least) else _WHAT
        raise OverBudgetError.of(what, self.max_tokens + needed - limit, self.max_tokens, advice="; nothing was sent")

    def shorten(self, pieces: Sequence[Piece], turn: Sequence[Piece]) -> list[Piece] | None:
        """Return the parts of a shorter request, after the model has refused a request as too long.

        The new request has at most half as many characters. If that is impossible, it has only the messages that every
        request needs: the application's system text, the pinned messages and the turn.

        Returns:
            The parts; `None` if the refused request already had only these messages.
        """
        least = [*_find_least(pieces[: len(pieces) - len(turn)]), *turn]
        if len(pieces) <= len(least):
            return None
        self._characters = sum(map(_characters, pieces)) // 2
        left, _ = fit_pieces(pieces, self._characters, _characters)
        left = left if len(left) < len(pieces) else least
        logger.warning(
            "the model refused a request of %d messages as too long; it is asked again with %d of them, without the "
            "oldest. max_tokens= keeps requests shorter from the beginning",
            len(pieces),
            len(left),
        )
        return left

    def _count_anew(self, message: str, _counted_by: str) -> float:
        return self._counter()(json.loads(message))

    def _tokens(self, message: Message) -> float:
        message = as_counted(message)
        # Messages with pictures may be large and are counted quickly, so caching their counts is not worthwhile.
        is_text = isinstance(message.get("content"), str)
        counter = self._counter()
        return self._count(json.dumps(message), counter.name) if is_text else counter(message)

    def _weigh(self, piece: Piece) -> float:
        return self._tokens(piece.sent)

    def _beginnings(self, pieces: Iterable[Piece], least: Sequence[Piece], spare: float) -> Iterator[Piece]:
        """Yield the pieces of `least`, and the beginnings of the other system and recalled texts that fit `spare`."""
        for piece in pieces:
            if piece in least:
                yield piece
            elif piece.kind == "recalled" or is_instruction(piece.message):
                room = spare

                def fits(text: str, piece: Piece = piece, room: float = room) -> bool:
                    return self._weigh(_reword(piece, text)) <= room

                if beginning := shorten_text(text_of(piece.message), fits):
                    yield (cut := _reword(piece, beginning))
                    spare -= self._weigh(cut)

    def _shorten(self, piece: Piece, limit: int) -> Piece:
        content = piece.message.get("content")
        if not isinstance(content, str) or self._weigh(piece) <= limit:
            return piece
        kept = len(content)
        while kept and self._weigh(cut := _reword(piece, without_middle(content, kept))) > limit:
            # Cut the excess share, but at least a tenth: a tokenizer may count few characters as many tokens.
            kept = min(int(kept * limit / self._weigh(cut)), kept * 9 // 10)
        return _reword(piece, without_middle(content, kept))


def _find_least(before: Iterable[Piece]) -> list[Piece]:
    """Return the pieces before a turn that every request must have: the application's system text, pinned messages."""
    return [one for one in before if one.kind == "pinned" or (one.kind == "system" and not one.entry)]


def _reword(piece: Piece, text: str) -> Piece:
    return replace(piece, message={**piece.message, "content": text})


def _characters(piece: Piece) -> int:
    return len(text_of(piece.sent))
