"""Limits for the size and the duration of answers."""

import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from typing import Any

from memzoo.errors import OptionError

__all__ = ["BoundMet", "Bounds"]


class BoundMet(BaseException):
    """An answer is too large, or takes too long.

    This is a `BaseException`: after an `Exception`, the `openai` client would send the request again. Callers get a
    `ModelError`.
    """


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits for the size of an answer, and for the time that it takes to arrive.

    Attributes:
        max_bytes: The maximum size of an answer in bytes, after decompression.
        max_seconds: The maximum number of seconds from an answer's first byte to its last. Before the first byte, the
            client's time-out applies.
    """

    max_bytes: int
    max_seconds: float

    def __post_init__(self) -> None:
        for name in self.__slots__:
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
                raise OptionError(f"{name.replace('max', 'max_reply')} must be a number greater than 0, not {value!r}")

    def as_options(self) -> dict[str, float]:
        """Return these limits as a dict of options for `ChatModel` or `OpenAIEmbedder`."""
        return {"max_reply_bytes": self.max_bytes, "max_reply_seconds": self.max_seconds}

    def hold(self, client: Any) -> Any:
        """Apply the limits to all answers of an `openai` client; return the client."""
        http = client._client  # noqa: SLF001 - it has no public name, and its events are public
        hook = self._bound_async if hasattr(http, "aclose") else self._bound
        http.event_hooks = {**http.event_hooks, "response": [*http.event_hooks.get("response", ()), hook]}
        return client

    def _bound(self, response: Any) -> None:
        read = response.iter_bytes

        def read_bounded(*size: int) -> Iterator[bytes]:
            check = self._check()
            for part in read(*size):
                check(part)
                yield part

        # Every way to read a response calls this method.
        response.iter_bytes = read_bounded

    async def _bound_async(self, response: Any) -> None:
        read = response.aiter_bytes

        async def read_bounded(*size: int) -> AsyncIterator[bytes]:
            check = self._check()
            async for part in read(*size):
                check(part)
                yield part

        response.aiter_bytes = read_bounded

    def _check(self) -> Callable[[bytes], None]:
        size, start = 0, time.monotonic()

        def check(part: bytes) -> None:
            nonlocal size
            size += len(part)
            if size > self.max_bytes:
                raise BoundMet(f"the answer has more than {self.max_bytes:,} bytes (max_reply_bytes)")
            if time.monotonic() - start > self.max_seconds:
                raise BoundMet(f"the answer takes more than {self.max_seconds:,} seconds (max_reply_seconds)")

        return check
