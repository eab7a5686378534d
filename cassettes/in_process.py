"""Transports that reach no network: an app under test, or a mock, answers in the same process."""

import sys
from collections.abc import Iterator
from typing import Any

__all__ = ["in_process_methods"]

_CLIENTS = ("httpx", "httpx2")
_TRANSPORTS = ("ASGITransport", "WSGITransport", "MockTransport")
_METHODS = ("handle_request", "handle_async_request")


def in_process_methods() -> Iterator[tuple[type, str, Any]]:
    """The methods, as (class, name, function), that vcrpy patches although no request leaves the process.

    A recording of the app under test would be played instead of the app, and the test would prove nothing.
    """
    for client in filter(None, map(sys.modules.get, _CLIENTS)):
        for transport in filter(None, map(vars(client).get, _TRANSPORTS)):
            yield from ((transport, name, vars(transport)[name]) for name in _METHODS if name in vars(transport))
