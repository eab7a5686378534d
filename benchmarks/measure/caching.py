"""The price of requests with a provider's prompt cache: a repeated beginning costs a fraction.

Everything is counted in tokens sent: the text before the memory, the memory's view, the user's words.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass
from itertools import takewhile
from math import inf
from typing import Literal, TypeAlias

from memzoo.stores import Message
from memzoo.strategy import text_of

__all__ = [
    "CACHES",
    "FRAME",
    "REREAD",
    "CacheName",
    "CacheRule",
    "PromptCache",
    "Requests",
    "count_shared",
    "paid_tokens",
]

FRAME = (3, 1)
"""Tokens before and after a message's text with OpenAI: where it begins, its role, where its text begins; its end."""

REREAD = 0.1
"""The price of a repeated token with most providers, as a share of the price of a new one."""


@dataclass(frozen=True, slots=True)
class CacheRule:
    """The part of a request that a provider caches, and its price.

    Attributes:
        name: As it is chosen by.
        minimum: Shorter beginnings are not kept, in tokens.
        step: Beginnings are kept in multiples of this many tokens; 0 for whole messages, up to the last one that the
            next request shows again, which is where a `cache_control` belongs.
        read: The price of a cached token, as a share of the price of another.
        write: The price of a token written to the cache for the next request, as a share of the price of another.
        seconds: After a pause that is longer, nothing is kept any more.
    """

    name: str
    minimum: int = 0
    step: int = 1
    read: float = REREAD
    write: float = 1.0
    seconds: float = inf

    def count_kept(self, shared: int) -> int:
        """Return the number of tokens kept of a beginning.

        Example:
            >>> [CACHES["openai"].count_kept(shared) for shared in (1000, 1024, 1200)]
            [0, 1024, 1152]
        """
        if shared < self.minimum:
            return 0
        return shared - shared % self.step if self.step else shared

    def paid(self, requests: "Requests") -> float:
        """The price of requests, in tokens at the full price."""
        return requests.sent - (1 - self.read) * requests.cached + (self.write - 1) * requests.written


CacheName: TypeAlias = Literal["openai", "anthropic", "deepseek", "none"]
"""Whose rule it is; "none" for no cache."""

CACHES: Mapping[str, CacheRule] = {
    rule.name: rule
    for rule in (
        CacheRule("openai", minimum=1024, step=128, seconds=600),
        CacheRule("anthropic", minimum=1024, step=0, write=1.25, seconds=300),
        CacheRule("deepseek", minimum=64, step=64, read=0.02, seconds=3 * 3600),
        CacheRule("none", read=1.0, seconds=0),
    )
}
"""Rules by name, as the providers tell them in November 2026; where they name a span of time, its shorter end."""


@dataclass(frozen=True, slots=True)
class Requests:
    """Requests, summed up.

    Attributes:
        count: Their number.
        sent: Their tokens.
        cached: Of these, the cached ones.
        written: Of the others, those written to the cache at a price of its own.
    """

    count: int = 0
    sent: int = 0
    cached: int = 0
    written: int = 0

    def __add__(self, other: "Requests") -> "Requests":
        return Requests(*map(operator.add, astuple(self), astuple(other)))


class PromptCache:
    """Reckons the requests of one conversation, in their order, each against the one before.

    Example:
        >>> cache = PromptCache(CacheRule("in steps of one"), lambda text: len(text.split()), frame=(0, 0))
        >>> asked = [{"role": "user", "content": "Where is Oslo?"}]
        >>> answered = [*asked, {"role": "assistant", "content": "In Norway."}]
        >>> cache.send(asked).sent, cache.send([*answered, {"role": "user", "content": "And Bergen?"}]).cached
        (3, 3)
    """

    def __init__(
        self,
        rule: CacheRule,
        count: Callable[[str], int],
        *,
        system_tokens: int = 0,
        frame: tuple[int, int] = FRAME,
        written: Callable[[Message], str] | None = None,
    ) -> None:
        """Begin with an empty cache.

        Args:
            rule: The provider's.
            count: A text -> its tokens.
            system_tokens: Tokens at the start of each request: a system prompt, descriptions of tools.
            frame: Tokens before and after the text of a message: its role, and the marks where it begins and ends.
            written: A message -> all that the model reads of it, role and marks too, in place of a text in a frame.
        """
        self._rule, self._written = rule, written
        self._count, self._frame = count, (0, 0) if written else frame
        self._system_tokens = system_tokens
        self._before: list[tuple[str, str]] = []
        self._last: Requests | None = None
        self._at = 0.0

    def send(self, messages: Sequence[Message], at: float = 0.0) -> Requests:
        """Reckon the next request.

        Args:
            messages: The messages, in order.
            at: The time, in seconds of any clock.

        Returns:
            This request; with the tokens written for it at the one before.
        """
        said = list(map(self._read, messages))
        sent = sum(self._count(text) for _, text in said) + sum(self._frame) * len(said)
        shared = count_shared(self._before, said, self._count, whole=not self._rule.step, frame=self._frame)
        self._before = said
        return self.reckon(self._system_tokens + sent, self._system_tokens + shared, at)

    def grow(self, tokens: int, messages: int, asked: Sequence[Message], at: float, *, anew: bool = False) -> Requests:
        """Reckon a request that has all of the one before, with more behind it, without going through it.

        Args:
            tokens: Tokens of all messages but the last.
            messages: The number of these messages.
            asked: The last message.
            at: As for `send`.
            anew: It has a different beginning after all.
        """
        tokens += sum(self._count(self._read(message)[1]) for message in asked)
        sent = self._system_tokens + tokens + sum(self._frame) * (messages + len(asked))
        shared = self._last.sent if self._last and not anew else self._system_tokens
        return self.reckon(sent, shared, at)

    def reckon(self, sent: int, shared: int, at: float) -> Requests:
        """Reckon a request of a number of tokens, of which a number repeat the beginning of the one before."""
        rule, last = self._rule, self._last
        kept = rule.count_kept(min(shared, sent)) if last and rule.read != 1 else 0
        # Written by the request before, whether or not it is still there when it is wanted.
        written = max(kept - last.cached, 0) if last and rule.write != 1 else 0
        cached = kept if at - self._at <= rule.seconds else 0
        self._last, self._at = Requests(1, sent, cached, written), at
        return self._last

    def _read(self, message: Message) -> tuple[str, str]:
        return ("", self._written(message)) if self._written else (message["role"], text_of(message))


def count_shared(
    before: Sequence[tuple[str, str]],
    now: Sequence[tuple[str, str]],
    count: Callable[[str], int],
    *,
    whole: bool = False,
    frame: tuple[int, int] = (0, 0),
) -> int:
    """Count the tokens with which two requests begin alike, message by message.

    Args:
        before: One request: of each message its role and its text.
        now: The other.
        count: A text -> its tokens.
        whole: Count whole messages only.
        frame: As for `PromptCache`.

    Example:
        >>> count_shared([("user", "a b"), ("user", "c d ")], [("user", "a b"), ("user", "c e")], len)
        5
    """
    alike = [one for one, _ in takewhile(_are_same, zip(before, now, strict=False))]
    shared = sum(count(text) for _, text in alike) + sum(frame) * len(alike)
    if whole or len(alike) in (len(before), len(now)):
        return shared
    (role, text), (other_role, other) = before[len(alike)], now[len(alike)]
    return shared + (frame[0] + count(_find_common_start(text, other)) if role == other_role else 0)


def paid_tokens(before: str, text: str, count: Callable[[str], int]) -> float:
    """Count the tokens of a text as they are paid: the beginning that it shares with the text before costs a tenth.

    Example:
        >>> paid_tokens("one two three", "one two four", lambda text: len(text.split()))
        1.2
    """
    return count(text) - (1 - REREAD) * min(count(_find_common_start(before, text)), count(text))


def _find_common_start(one: str, other: str) -> str:
    """The letters with which two texts begin alike."""
    return "".join(letter for letter, _ in takewhile(_are_same, zip(one, other, strict=False)))


def _are_same(pair: tuple[object, object]) -> bool:
    return bool(pair[0] == pair[1])
