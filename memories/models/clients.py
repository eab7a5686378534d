"""The openai clients of one endpoint: a blocking one and asynchronous ones, made when they are needed."""

import weakref
from asyncio import AbstractEventLoop, get_running_loop
from collections.abc import Callable
from typing import Any

from memzoo.stores.driving import is_blocking

__all__ = ["Clients"]


class Clients:
    """Sends requests with the client that fits the caller.

    Args:
        make: Makes a client by the name of its class, "OpenAI" or "AsyncOpenAI".
        client: The client for synchronous calls, if there is one already.
        async_client: The client for asynchronous calls, if there is one already.
    """

    def __init__(self, make: Callable[[str], Any], client: Any = None, async_client: Any = None) -> None:
        self.given = bool(client or async_client)
        self._make = make
        self._client = client
        self._async_client = async_client
        self._by_loop: weakref.WeakKeyDictionary[AbstractEventLoop, Any] = weakref.WeakKeyDictionary()

    async def call(self, request: Callable[[Any], Any]) -> Any:
        """The response to a request, given as a function of the client."""
        if is_blocking():
            if self._client is None:
                self._client = self._make("OpenAI")
            return request(self._client)
        return await request(self._async_client or self._of_this_loop())

    def _of_this_loop(self) -> Any:
        # Connections belong to the loop that opened them: a client shared by two loops fails in the second.
        loop = get_running_loop()
        if loop not in self._by_loop:
            self._by_loop[loop] = self._make("AsyncOpenAI")
        return self._by_loop[loop]
