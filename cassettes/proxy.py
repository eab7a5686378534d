"""A local server that plays or records a cassette for other processes, in any language."""

import json
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import ExitStack, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from os import PathLike
from typing import Any, Self, Unpack
from urllib.parse import urlsplit

from memzoo.cassettes.callers import let_through
from memzoo.cassettes.cassette import Cassette
from memzoo.cassettes.chunks import receive, steps_of
from memzoo.cassettes.errors import CassetteError
from memzoo.cassettes.http import HttpRequest, Recorded
from memzoo.cassettes.settings import CassetteOptions, CassetteSettings
from memzoo.errors import OptionError
from memzoo.sync import drive

_HOST = "127.0.0.1"
_NOT_PASSED_ON = frozenset(
    "connection keep-alive proxy-authenticate proxy-authorization te trailers transfer-encoding upgrade host"
    " content-length content-encoding accept-encoding".split()
)
_MISS = 409
_SECONDS = 600


class CassetteProxy:
    """A server that plays or records a cassette for clients that use its `url` as the base URL.

    Functions decorated with `recorded_tool` use the cassette too, if they run in this process.

    Attributes:
        url: The address of the server.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        *,
        upstream: str | None = None,
        port: int = 0,
        **settings: Unpack[CassetteOptions],
    ) -> None:
        """Open a cassette and a port. To answer requests, call `serve`; or use `with` to answer them in a thread.

        Args:
            path: The file of the cassette.
            upstream: The URL of the real API, such as `https://api.openai.com`; only for recording.
            port: The port on this machine; by default any free port.
            **settings: The options of `CassetteSettings`, as for `use_cassette`.

        Raises:
            OptionError: Recording is on, but `upstream` is missing.
            OptionError: A setting is unknown or invalid.
            CassetteError: See `Cassette`.
        """
        if upstream is not None and urlsplit(upstream).scheme not in {"http", "https"}:
            raise OptionError(f"upstream={upstream!r} is not an address; write https://api.openai.com, for example")
        self.cassette = Cassette(path, CassetteSettings.of("CassetteProxy", settings), clients=False)
        if self.cassette.recording and upstream is None:
            raise OptionError("Recording needs upstream, the address of the real API, such as https://api.openai.com")
        handler = type("Handler", (_Handler,), {"cassette": self.cassette, "upstream": (upstream or "").rstrip("/")})
        try:
            self._server = ThreadingHTTPServer((_HOST, port), handler)
        except OSError as error:
            raise OptionError.of_port(port, error) from error
        self.url = f"http://{_HOST}:{self._server.server_port}"

    def serve(self) -> None:
        """Answer requests until the process is interrupted."""
        with suppress(KeyboardInterrupt):
            self._server.serve_forever(poll_interval=0.05)

    def close(self, failure: BaseException | None = None) -> None:
        """Close the port and the cassette.

        Raises:
            CassetteError: See `Cassette.close`; for example, a recording was not played.
        """
        self._server.server_close()
        self.cassette.close(failure)

    def __enter__(self) -> Self:
        """Answer requests in a thread."""
        self._thread = threading.Thread(target=self.serve, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Stop answering, and close the port and the cassette."""
        self._server.shutdown()
        self._thread.join()
        self.close(error)


class _Handler(BaseHTTPRequestHandler):
    cassette: Cassette
    upstream: str
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer a request of any method."""
        request = HttpRequest(self.command, self.upstream + self.path, self._body(), dict(self.headers.items()))
        try:
            if self.cassette.player.can_play(request):
                self._play(self.cassette.player.play(request))
            else:
                self._forward(request)
        except CassetteError as error:
            self._refuse(error)
        except ConnectionError:
            self.close_connection = True  # the client has disconnected

    do_GET = do_HEAD = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_POST  # noqa: N815

    def _body(self) -> bytes:
        if self.headers.get("transfer-encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        parts: list[bytes] = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def _play(self, one: Recorded) -> None:
        self._begin(one.response["status"]["code"], one.response["headers"])
        for pause, chunk in steps_of(one.response["body"]["string"], one.arrival):
            time.sleep(pause)
            self._chunk(chunk)
        self._end(broken=bool(one.arrival.broken))

    def _forward(self, request: HttpRequest) -> None:
        from memzoo.http_library import http

        headers = {name: value for name, value in request.headers.items() if name.lower() not in _NOT_PASSED_ON}
        started = time.perf_counter()
        with let_through(), ExitStack() as opened:
            stream = http.stream(request.method, request.uri, content=request.body, headers=headers, timeout=_SECONDS)
            try:
                answer = opened.enter_context(stream)
            except (http.HTTPError, http.InvalidURL) as error:
                raise self.cassette.player.note_failure(request, error) from error
            kept = {name: [value] for name, value in answer.headers.items() if name.lower() not in _NOT_PASSED_ON}
            with suppress(ConnectionError):
                self._begin(answer.status_code, kept)
            content, arrival = drive(receive(self._pass_on(answer.iter_bytes()), started))
        status = {"code": answer.status_code, "message": answer.reason_phrase}
        with suppress(CassetteError):  # closing the cassette reports it
            self.cassette.player.record(
                request, {"status": status, "headers": kept, "body": {"string": content}}, arrival
            )
        self._end(broken=bool(arrival.broken))

    def _pass_on(self, chunks: Iterator[bytes]) -> Generator[bytes]:
        for chunk in chunks:
            with suppress(ConnectionError):  # a disconnected client does not end the recording
                self._chunk(chunk)
            yield chunk

    def _begin(self, status: int, headers: dict[str, Any]) -> None:
        self.send_response(status)
        for name, values in headers.items():
            for value in values:
                self.send_header(name, value)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()

    def _chunk(self, chunk: bytes) -> None:
        if chunk:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(chunk), chunk))
            self.wfile.flush()

    def _end(self, *, broken: bool) -> None:
        if broken:
            self.close_connection = True
        else:
            self.wfile.write(b"0\r\n\r\n")

    def _refuse(self, error: CassetteError) -> None:
        body = json.dumps({"error": {"message": str(error), "type": type(error).__name__}}).encode()
        # No client should retry a request that cannot succeed.
        self._begin(_MISS, {"content-type": ["application/json"], "x-should-retry": ["false"]})
        self._chunk(body)
        self._end(broken=False)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is http.server's
        """Log nothing: closing the cassette reports errors."""
