"""The server: that of the standard library, with a thread for each request."""

import socket
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from memzoo.memories.models.offline.app import application

__all__ = ["listening"]

_IDLE_SECONDS = 5


class _Handler(WSGIRequestHandler):
    # A client that connects and says nothing must not keep the server from stopping.
    timeout = _IDLE_SECONDS

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name that the base class gives it
        """Nothing: who serves wants no line for each request."""


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = False
    allow_reuse_address = True
    request_queue_size = 128

    def server_bind(self) -> None:
        """Bind without asking a name server who we are, which the standard library does here."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])
        self.setup_environ()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing: a client that went away is no news."""


class _Server6(_Server):
    address_family = socket.AF_INET6


def listening(host: str, port: int) -> WSGIServer:
    """A server that listens; using it as a context manager closes it and joins its threads."""
    server = (_Server6 if ":" in host else _Server)((host, port), _Handler)
    server.set_app(application)
    return server
