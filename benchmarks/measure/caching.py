"""What requests cost with a provider's prompt cache: a beginning that the request before had is paid at a fraction.

Everything is counted in tokens of what is sent: what stands before the memory, what the memory shows, the user's words.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from math import inf

from memzoo.stores import Message
from memzoo.strategy import text_of

__all__ = ["CACHES", "REREAD", "CacheRule", "PromptCache", "Requests", "as_written", "paid_tokens", "shared_tokens"]

REREAD = 0.1
"""What a token costs with most providers that was in the request before, as a share of one that was not."""


@dataclass(frozen=True, slots=True)
class CacheRule:
    """What a provider keeps of a request, and what it takes for what it has kept.

    Attributes:
        name: As it is chosen by.
        minimum: Shorter beginnings are not kept, in tokens.
        step: Beginnings are kept in multiples of so many tokens; 0 for whole messages, up to the last one that the next
            request shows again, which is where a `cache_control` belongs.
        read: What a token that was kept costs, as a share of one that was not.
        write: What a token costs that is written to the cache for the next request, as a share of one that is not.
        seconds: After a pause that is longer, nothing is kept any more.
    """

    name: str
    minimum: int = 0
    step: int = 1
    read: float = REREAD
    write: float = 1.0
    seconds: float = inf

    def kept(self, shared: int) -> int:
        """How many tokens are kept of a beginning.

        Example:
            >>> [CACHES["openai"].kept(shared) for shared in (1000, 1024, 1200)]
            [0, 1024, 1152]
        """
        if shared < self.minimum:
            return 0
        return shared - shared % self.step if self.step else shared

    def paid(self, requests: "Requests") -> float:
        """What requests cost, in tokens at the full price."""
        return requests.sent - (1 - self.read) * requests.cached + (self.write - 1) * requests.written


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
        count: How many.
        sent: Their tokens.
        cached: Of these, what was kept of the request before.
        written: Of the others, what was written to the cache at a price of its own.
    """

    count: int = 0
    sent: int = 0
    cached: int = 0
    written: int = 0

    def __add__(self, other: "Requests") -> "Requests":
        pairs = ((one, getattr(other, name)) for name, one in self._amounts())
        return Requests(*(one + more for one, more in pairs))

    def _amounts(self) -> list[tuple[str, int]]:
        return [(name, getattr(self, name)) for name in ("count", "sent", "cached", "written")]


class PromptCache:
    """Reckons the requests of one conversation, in their order, each against the one before.

    Example:
        >>> cache = PromptCache(CacheRule("in steps of one"), lambda text: len(text.split()), frame=0)
        >>> asked = [{"role": "user", "content": "Where is Oslo?"}]
        >>> answered = [*asked, {"role": "assistant", "content": "In Norway."}]
        >>> cache.send(asked).sent, cache.send([*answered, {"role": "user", "content": "And Bergen?"}]).cached
        (4, 4)
    """

    def __init__(
        self,
        rule: CacheRule,
        count: Callable[[str], int],
        *,
        system_tokens: int = 0,
        written: Callable[[Message], str] | None = None,
        frame: int = 2,
    ) -> None:
        """Begin with an empty cache.

        Args:
            rule: The provider's.
            count: A text -> its tokens.
            system_tokens: So many stand before each request: a system prompt, descriptions of tools.
            written: A message -> as the model reads it; by default its role and its text.
            frame: Tokens besides, for the marks where a message begins and ends.
        """
        self._rule, self._written = rule, written or as_written
        self._count, self._frame = count, frame
        self._system_tokens = system_tokens
        self._before: list[str] | None = None
        self._at = 0.0
        self._cached = 0

    def send(self, messages: Sequence[Message], at: float = 0.0) -> Requests:
        """Reckon the next request.

        Args:
            messages: What is sent, in order.
            at: When, in seconds of any clock.

        Returns:
            This request; with what had to be written for it at the one before.
        """
        texts = list(map(self._written, messages))
        sent = self._system_tokens + sum(map(self._count, texts)) + self._frame * len(texts)
        cached = written = 0
        if self._before is not None:
            whole = not self._rule.step
            shared = self._system_tokens + shared_tokens(
                self._before, texts, self._count, whole=whole, frame=self._frame
            )
            kept = self._rule.kept(min(shared, sent))
            # Written by the request before, whether or not it is still there when it is wanted.
            written = max(kept - self._cached, 0) if self._rule.write != 1 else 0
            cached = kept if at - self._at <= self._rule.seconds and self._rule.read != 1 else 0
        self._before, self._at, self._cached = texts, at, cached
        return Requests(1, sent, cached, written)


def shared_tokens(
    before: Sequence[str], now: Sequence[str], count: Callable[[str], int], *, whole: bool = False, frame: int = 0
) -> int:
    """Count the tokens with which two requests begin alike, message by message as the model reads them.

    Args:
        before: One request.
        now: The other.
        count: A text -> its tokens.
        whole: Count whole messages only.
        frame: Tokens of a whole message besides.

    Example:
        >>> shared_tokens(["a b ", "c d "], ["a b ", "c e "], lambda text: len(text.split()))
        3
    """
    alike = [one for one, _ in takewhile(_are_same, zip(before, now, strict=False))]
    shared = sum(map(count, alike)) + frame * len(alike)
    if whole or len(alike) in (len(before), len(now)):
        return shared
    return shared + count(_beginning(before[len(alike)], now[len(alike)]))


def paid_tokens(before: str, text: str, count: Callable[[str], int]) -> float:
    """Count the tokens of a text as they are paid: the beginning that it shares with the text before costs a tenth.

    Example:
        >>> paid_tokens("one two three", "one two four", lambda text: len(text.split()))
        1.2
    """
    return count(text) - (1 - REREAD) * min(shared_tokens([before], [text], count), count(text))


def as_written(message: Message) -> str:
    """Write a message as a model reads it, about: its role, then its text."""
    return f"{message['role']}\n{text_of(message)}"


def _beginning(one: str, other: str) -> str:
    """The letters with which two texts begin alike."""
    return "".join(letter for letter, _ in takewhile(_are_same, zip(one, other, strict=False)))


def _are_same(pair: tuple[str, str]) -> bool:
    return pair[0] == pair[1]
