"""Creates clients of the offline model for this process, and serves the model over HTTP."""

import contextlib
import threading
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any, Literal, overload

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI

BASE_URL = "http://offline.invalid/v1"
"""The base URL of clients in this process; its host name can never be resolved on a network."""


@overload
def offline_client(*, asynchronous: Literal[False] = False) -> "OpenAI": ...
@overload
def offline_client(*, asynchronous: Literal[True]) -> "AsyncOpenAI": ...
@overload
def offline_client(*, asynchronous: bool) -> "OpenAI | AsyncOpenAI": ...
def offline_client(*, asynchronous: bool = False) -> "OpenAI | AsyncOpenAI":
    """Return an `openai` client that calls the offline model in this process, without socket or key.

    Args:
        asynchronous: True for an `AsyncOpenAI`. It answers in the event loop's own thread, within milliseconds.

    Example:
        >>> client = offline_client()
        >>> asked = [{"role": "user", "content": "My cat is called Pixel. What is my cat called?"}]
        >>> client.chat.completions.create(model="any", messages=asked).choices[0].message.content
        'From what was said: My cat is called Pixel.'
    """
    from openai import AsyncOpenAI, OpenAI

    from memzoo.http_library import http
    from memzoo.memories.models.offline.server import AsyncTransport, transport

    options: Any = {"api_key": "offline", "base_url": BASE_URL, "max_retries": 0}
    if asynchronous:
        return AsyncOpenAI(**options, http_client=http.AsyncClient(transport=AsyncTransport(), trust_env=False))
    return OpenAI(**options, http_client=http.Client(transport=transport, trust_env=False))


@contextlib.contextmanager
def serve(host: str = "127.0.0.1", port: int = 0) -> Generator[str]:
    """Serve the offline model over HTTP in a thread while the block runs, and yield the `base_url` for clients.

    Anyone who can reach `host` can use the model. Port 0 selects any free port.
    """
    from memzoo.memories.models.offline.server import listen

    with listen(host, port) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, name="memzoo-offline")
        thread.start()
        try:
            yield _base_url(host, server.server_port)
        finally:
            server.shutdown()
            thread.join()


def serve_forever(host: str = "127.0.0.1", port: int = 8765, ready: "Callable[[str], object] | None" = None) -> None:
    """Call `ready` with the `base_url`, and serve the offline model in this thread until interrupted (Ctrl-C)."""
    from memzoo.memories.models.offline.server import listen

    with listen(host, port) as server, contextlib.suppress(KeyboardInterrupt):
        if ready:
            ready(_base_url(host, server.server_port))
        server.serve_forever()


def _base_url(host: str, port: int) -> str:
    return f"http://[{host}]:{port}/v1" if ":" in host else f"http://{host}:{port}/v1"
