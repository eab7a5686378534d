"""Computes the cost of requests with a provider's prompt cache.

The beginning that a request shares with the previous request is cheaper. A request consists of the tokens before the
memory ("system tokens"), the memory's view, and the user's message.
"""

import bisect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from math import inf
from typing import Literal, TypeAlias

from memzoo.stores import Message
from memzoo.strategy import text_of

FRAME = (3, 1)
"""Tokens around a message's text with OpenAI: three before (message start, role, text start) and one after (end)."""

REREAD = 0.1
"""The price of a cached token with most providers, as a share of the full price."""


@dataclass(frozen=True, slots=True)
class CacheRule:
    """A provider's rule for its prompt cache: the part of a request that is cached, and the prices.

    Attributes:
        minimum: The least number of tokens that can be cached.
        step: The number of tokens in a block, if the cache keeps only whole blocks; 0 if it keeps whole messages.
        read: The price of a cached token, as a share of the full price.
        write: The price of a token that is written to the cache, as a share of the full price.
        seconds: The time in seconds that the cache is kept after a request.
    """

    name: str
    minimum: int = 0
    step: int = 1
    read: float = REREAD
    write: float = 1.0
    seconds: float = inf

    def count_kept(self, shared: int) -> int:
        """Return the number of cached tokens in a request that repeats the first `shared` tokens of the previous one.

        Example:
            >>> [CACHES["openai"].count_kept(shared) for shared in (1000, 1024, 1200)]
            [0, 1024, 1152]
        """
        if shared < self.minimum:
            return 0
        return shared - shared % self.step if self.step else shared

    def paid(self, requests: "Requests") -> float:
        """Return the cost of requests, as the number of full-price tokens that would cost the same."""
        return requests.sent - (1 - self.read) * requests.cached + (self.write - 1) * requests.written


CacheName: TypeAlias = Literal["openai", "anthropic", "deepseek", "none"]
"""The name of a provider with a cache rule; "none" for no cache."""

CACHES: Mapping[str, CacheRule] = {
    rule.name: rule
    for rule in (
        CacheRule("openai", minimum=1024, step=128, seconds=600),
        CacheRule("anthropic", minimum=1024, step=0, write=1.25, seconds=300),
        CacheRule("deepseek", minimum=64, step=64, read=0.02, seconds=3 * 3600),
        CacheRule("none", read=1.0, seconds=0),
    )
}
"""The rules by name, as documented in November 2026; if a provider names a range of times, its shortest time."""


@dataclass(frozen=True, slots=True)
class Requests:
    """The token counts of one or more requests, added up.

    Attributes:
        sent: The number of tokens sent.
        cached: The number of sent tokens that were read from the cache.
        written: The number of tokens written to the cache, if writing has a separate price; otherwise 0.
    """

    count: int = 0
    sent: int = 0
    cached: int = 0
    written: int = 0

    def __add__(self, other: "Requests") -> "Requests":
        return Requests(
            self.count + other.count,
            self.sent + other.sent,
            self.cached + other.cached,
            self.written + other.written,
        )


class PromptCache:
    """A simulated prompt cache: it counts the tokens that each request repeats from the previous one.

    In the example, a word is a token. The second request repeats the first one's three tokens.

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
        """Make an empty cache.

        Args:
            rule: The provider's rule.
            count: A function that counts the tokens of a text.
            system_tokens: The number of tokens before the memory in each request, such as a system prompt.
            frame: Two numbers: the tokens that a model's format adds before a message's text, and after it.
            written: A function that returns a message exactly as the model reads it, including the role and the
                format's own tokens. `frame` then has no effect.
        """
        self._rule, self._written = rule, written
        self._count, self._frame = count, (0, 0) if written else frame
        self._system_tokens = system_tokens
        self._before: list[tuple[str, str]] = []
        self._last: Requests | None = None
        self._at = 0.0

    def send(self, messages: Sequence[Message], at: float = 0.0) -> Requests:
        """Return the token counts of the next request: sent, cached, written.

        Args:
            messages: The messages sent, in order.
            at: The time of the request, in seconds of any clock.
        """
        said = list(map(self._read, messages))
        sent = sum(self._count(text) for _, text in said) + sum(self._frame) * len(said)
        shared = count_shared(self._before, said, self._count, whole=not self._rule.step, frame=self._frame)
        self._before = said
        return self.reckon(self._system_tokens + sent, self._system_tokens + shared, at)

    def grow(self, tokens: int, messages: int, asked: Sequence[Message], at: float, *, anew: bool = False) -> Requests:
        """Return the token counts of a request that adds messages to the previous one; faster than `send`.

        Args:
            tokens: The number of tokens in the texts of all messages before `asked`.
            messages: The number of messages before `asked`.
            asked: The newest messages: any system messages, then the user's message; empty if the user says nothing.
            at: The time of the request, in seconds of any clock.
            anew: True if an earlier message has changed, so that only the system tokens repeat the previous request.
        """
        tokens += sum(self._count(self._read(message)[1]) for message in asked)
        sent = self._system_tokens + tokens + sum(self._frame) * (messages + len(asked))
        shared = self._last.sent if self._last and not anew else self._system_tokens
        return self.reckon(sent, shared, at)

    def reckon(self, sent: int, shared: int, at: float) -> Requests:
        """Return the token counts of a request with `sent` tokens, the first `shared` as in the previous request."""
        rule, last = self._rule, self._last
        kept = rule.count_kept(min(shared, sent)) if last and rule.read != 1 else 0
        # The previous request has paid for writing, even if the cache has expired since.
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
    """Return the number of tokens up to the first difference between two requests.

    Args:
        before: The first request, as a (role, text) pair for each message.
        now: The second request.
        count: A function that counts the tokens of a text.
        whole: True to count whole messages only.
        frame: Two numbers: the tokens before each message's text, and after it.

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
    """Return the cost of sending `text` after `before`, in full-price tokens.

    The tokens of their common beginning cost a tenth, as in a provider's cache.

    Example:
        >>> paid_tokens("one two three", "one two four", lambda text: len(text.split()))
        1.2
    """
    return count(text) - (1 - REREAD) * min(count(_find_common_start(before, text)), count(text))


def _find_common_start(one: str, other: str) -> str:
    """Return the common beginning of two texts."""
    most = min(len(one), len(other))
    return one[: bisect.bisect_left(range(most), 1, key=lambda place: one[: place + 1] != other[: place + 1])]


def _are_same(pair: tuple[object, object]) -> bool:
    return bool(pair[0] == pair[1])
