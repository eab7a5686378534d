"""Clients of the offline model: in this process, or through a server of its own."""

import contextlib
import threading
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wsgiref.simple_server import WSGIServer

    from openai import AsyncOpenAI, OpenAI

__all__ = ["BASE_URL", "async_offline_client", "offline_client", "serve", "serve_forever"]

BASE_URL = "http://offline.invalid/v1"
"""Where the clients in this process believe the model to be: a name that no network can resolve."""

_KEY = "offline"


def offline_client() -> "OpenAI":
    """An `openai` client that speaks to the offline model in this process: no socket, no key.

    Example:
        >>> client = offline_client()
        >>> asked = [{"role": "user", "content": "My cat is called Pixel. What is my cat called?"}]
        >>> client.chat.completions.create(model="any", messages=asked).choices[0].message.content
        'From what was said: My cat is called Pixel.'
    """
    from openai import OpenAI

    from memzoo.memories.models.offline.transport import blocking_client

    return OpenAI(api_key=_KEY, base_url=BASE_URL, max_retries=0, http_client=blocking_client())


def async_offline_client() -> "AsyncOpenAI":
    """The asynchronous twin of `offline_client`. It answers in the thread of the event loop, within milliseconds."""
    from openai import AsyncOpenAI

    from memzoo.memories.models.offline.transport import asynchronous_client

    return AsyncOpenAI(api_key=_KEY, base_url=BASE_URL, max_retries=0, http_client=asynchronous_client())


@contextlib.contextmanager
def serve(host: str = "127.0.0.1", port: int = 0) -> Generator[str]:
    """Serve the offline model over HTTP in a thread while the block runs.

    Args:
        host: The address to listen on. Whoever reaches it can use the model; the default is this machine alone.
        port: The port; 0 for any that is free.

    Yields:
        The `base_url` for clients.

    Raises:
        OSError: The address cannot be listened on.
    """
    with _listening(host, port) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, name="memzoo-offline")
        thread.start()
        try:
            yield _base_url(host, server.server_port)
        finally:
            server.shutdown()
            thread.join()


def serve_forever(host: str = "127.0.0.1", port: int = 8765, ready: "Callable[[str], object] | None" = None) -> None:
    """Serve the offline model over HTTP in this thread until it is interrupted (Ctrl-C).

    Args:
        host: The address to listen on.
        port: The port; 0 for any that is free.
        ready: Called once with the `base_url` for clients, when requests are accepted.

    Raises:
        OSError: The address cannot be listened on.
    """
    with _listening(host, port) as server, contextlib.suppress(KeyboardInterrupt):
        if ready:
            ready(_base_url(host, server.server_port))
        server.serve_forever()


def _base_url(host: str, port: int) -> str:
    return f"http://[{host}]:{port}/v1" if ":" in host else f"http://{host}:{port}/v1"


def _listening(host: str, port: int) -> "WSGIServer":
    from memzoo.memories.models.offline.server import listening

    return listening(host, port)
