"""How the clients of `openai` reach the offline model without a socket."""

from collections.abc import AsyncIterator
from typing import cast

import httpx2

from memzoo.memories.models.offline.app import application

__all__ = ["InProcessTransport", "asynchronous_client", "blocking_client"]


class InProcessTransport(httpx2.AsyncBaseTransport):
    """Hands asynchronous requests to the blocking transport, in the thread of the event loop.

    An answer takes milliseconds of computing and waits for nothing, so a thread would gain nothing. That the request
    passes through `WSGITransport.handle_request` lets cassettes record both clients alike.
    """

    def __init__(self) -> None:
        """Wrap the application."""
        self._transport = httpx2.WSGITransport(app=application)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Answer a request."""
        await request.aread()
        response = self._transport.handle_request(request)
        stream = _Stream(cast("httpx2.SyncByteStream", response.stream))
        return httpx2.Response(response.status_code, headers=response.headers, stream=stream)


class _Stream(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.SyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._stream:
            yield chunk

    async def aclose(self) -> None:
        self._stream.close()


def blocking_client() -> httpx2.Client:
    """An HTTP client whose requests all go to the offline model."""
    return httpx2.Client(transport=httpx2.WSGITransport(app=application), trust_env=False)


def asynchronous_client() -> httpx2.AsyncClient:
    """Its asynchronous twin."""
    return httpx2.AsyncClient(transport=InProcessTransport(), trust_env=False)
