"""Passes requests to the offline model's WSGI application, through a threaded server or without a socket."""

import socket
import sys
from socketserver import TCPServer, ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from memzoo.http_library import http
from memzoo.memories.models.offline.endpoint import application

transport = http.WSGITransport(app=application)


class AsyncTransport(http.AsyncBaseTransport):
    """A transport for asynchronous clients. It calls the offline model in the event loop's thread."""

    async def handle_async_request(self, request: http.Request) -> http.Response:
        """Return the offline model's response to a request."""
        await request.aread()
        reply = transport.handle_request(request)
        return http.Response(reply.status_code, headers=reply.headers, content=reply.read())


class _Handler(WSGIRequestHandler):
    # A client that connects without sending a request must not keep the server from stopping.
    timeout = 5

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name that the base class gives it
        """Log nothing."""


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = False
    request_queue_size = 128

    def server_bind(self) -> None:
        """Bind to the address without the standard library's DNS lookup of the host's own name."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])
        self.setup_environ()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Write one line about a failed request to standard error."""
        sys.stderr.write(f"the request of {client_address[0]} failed: {sys.exception()!r}\n")


class _Server6(_Server):
    address_family = socket.AF_INET6


def listen(host: str, port: int) -> WSGIServer:
    """Return a listening server; the end of its `with` block closes the server and joins its threads."""
    server = (_Server6 if ":" in host else _Server)((host, port), _Handler)
    server.set_app(application)
    return server
