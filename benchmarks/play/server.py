"""Serves the page of `memzoo play` on this machine.

Requests need the token in the page's address, so other pages in the same browser can neither read nor change anything.
"""

import json
import re
import secrets
import socket
import threading
from collections.abc import Callable
from itertools import chain
from typing import Any

from memzoo.benchmarks.play.page import POLICY, asset, dump_json, page
from memzoo.benchmarks.play.playing import Line, Play
from memzoo.errors import MemoryZooError, MissingExtraError, OptionError

try:
    import uvicorn
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.exceptions import HTTPException
    from starlette.middleware import Middleware
    from starlette.middleware.trustedhost import TrustedHostMiddleware
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route
except ImportError as failure:
    raise MissingExtraError.of("memzoo play without --html", "play") from failure

HOSTS = ["127.0.0.1", "localhost"]
"""The host names that the server accepts; any other name for this machine may belong to an attacker."""

_WAIT = 10.0  # seconds that a request for lines waits for a new line
_LONGEST = 1_000_000  # bytes of a request
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Feed:
    """The data of a page, as lines of JSON that are computed in the background and kept for the page's requests."""

    def __init__(self, play: Play) -> None:
        """Make a feed without lines; `run` adds the lines."""
        self.play = play
        self._lines: list[Line] = []
        self._done, self._failure = False, ""
        self._acting, self._more = threading.Lock(), threading.Condition()

    def run(self) -> None:
        """Compute the page's lines for the whole conversation. Meanwhile, `after` returns the lines that are ready.

        After the last exchange, the offline model, which costs nothing, is asked some of the transcript's questions;
        other models are asked none.
        """
        try:
            for line in chain(self.play.lines(), self.play.ask_known() if self.play.by_rules else ()):
                self._add(line)
        except Exception as error:  # the page shows the error too
            self._failure = f"{type(error).__name__}: {error}"
            raise
        finally:
            with self._more:
                self._done = True
                self._more.notify_all()

    def after(self, seen: int) -> dict[str, Any]:
        """Return the lines after the first `seen` lines. If there are none yet, wait up to ten seconds.

        Returns:
            A dict with `lines`; `done`, true if `run` has ended; and `error`, the error that ended it, or "".
        """
        with self._more:
            self._more.wait_for(lambda: len(self._lines) > seen or self._done, timeout=_WAIT)
            return {"lines": self._lines[seen:], "done": self._done, "error": self._failure}

    def act(self, action: Callable[[], list[Line]]) -> dict[str, Any]:
        """Run an action of the user, and return the resulting lines, which are also added to the page's lines.

        Raises:
            OptionError: `run` has not finished.
        """
        with self._acting:
            if not self._done:
                raise OptionError("the memories are still reading the conversation: try again in a moment")
            lines = action()
            self._add(*lines)
            return {"lines": lines}

    def _add(self, *lines: Line) -> None:
        with self._more:
            self._lines += lines
            self._more.notify_all()


def application(feed: Feed, token: str) -> Starlette:
    """Return the ASGI application that serves a page.

    Requests need the token: `?token=` for the page, the header `Authorization: token ...` for data.
    """
    pages = _Pages(feed, token)
    return Starlette(
        routes=[
            Route("/", pages.index),
            Route("/play.css", pages.file),
            Route("/play.js", pages.file),
            Route("/lines", pages.lines),
            Route("/say", pages.say, methods=["POST"]),
            Route("/ask", pages.ask, methods=["POST"]),
        ],
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=HOSTS, www_redirect=False)],
        exception_handlers={HTTPException: _refuse, MemoryZooError: _refuse},
    )


def serve(play: Play, ready: Callable[[str], None]) -> None:
    """Serve the page on this machine, at a free port, until interrupted.

    `ready` is called with the address once the page can be opened.
    """
    token, feed = secrets.token_urlsafe(24), Feed(play)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=feed.run, daemon=True).start()
        ready(f"http://127.0.0.1:{listening.getsockname()[1]}/?token={token}")
        # A shutdown does not wait for a browser's pending request for lines.
        config = uvicorn.Config(
            application(feed, token), log_level="warning", access_log=False, timeout_graceful_shutdown=1
        )
        uvicorn.Server(config).run(sockets=[listening])


class _Pages:
    """The request handlers."""

    def __init__(self, feed: Feed, token: str) -> None:
        self._feed, self._token = feed, token

    def index(self, request: Request) -> Response:
        self._check(request.query_params.get("token", ""))
        return _answer(page(), "text/html")

    def file(self, request: Request) -> Response:
        name = request.url.path.removeprefix("/")
        return _answer(asset(name), "text/css" if name.endswith("css") else "text/javascript")

    def lines(self, request: Request) -> Response:
        self._check_header(request)
        seen = request.query_params.get("after", "0")
        if not re.fullmatch("[0-9]{1,9}", seen):
            raise HTTPException(400, f"after must be a number of lines, not {seen!r}")
        return _json(self._feed.after(int(seen)))

    async def say(self, request: Request) -> Response:
        given = await self._read_body(request, {"text": str, "by": str, "answer": str})
        return await self._act(lambda: self._feed.play.say(**given))

    async def ask(self, request: Request) -> Response:
        given = await self._read_body(request, {"text": str, "moment": int})
        return await self._act(lambda: [self._feed.play.ask(**given)])

    async def _act(self, action: Callable[[], list[Line]]) -> Response:
        return _json(await run_in_threadpool(self._feed.act, action))

    async def _read_body(self, request: Request, kinds: dict[str, type]) -> dict[str, Any]:
        """Return the JSON object in a request's body; refuse unknown members and members of the wrong type."""
        self._check_header(request)
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > _LONGEST:
                raise HTTPException(413, f"a request may have at most {_LONGEST:,} bytes")
        try:
            given = json.loads(body)
        except (ValueError, RecursionError):
            given = None
        wanted = ", ".join(f"{name!r} ({kind.__name__})" for name, kind in kinds.items())
        if not isinstance(given, dict) or "text" not in given:
            raise HTTPException(400, f"expected a JSON object with 'text', and at most {wanted}")
        if any(type(value) is not kinds.get(name) for name, value in given.items()):
            raise HTTPException(400, f"expected a JSON object with at most {wanted}, not {given!r}")
        return given

    def _check_header(self, request: Request) -> None:
        self._check(request.headers.get("Authorization", "").removeprefix("token "))

    def _check(self, token: str) -> None:
        if not secrets.compare_digest(token.encode("utf-8", "replace"), self._token.encode()):
            raise HTTPException(403, "the address lacks its token: open the whole address that `memzoo play` printed")


def _answer(text: str, kind: str, status: int = 200) -> Response:
    return Response(text, status, _HEADERS, kind)


def _json(value: object, status: int = 200) -> Response:
    return _answer(dump_json(value), "application/json", status)


def _refuse(_request: Request, error: Exception) -> Response:
    if isinstance(error, HTTPException):
        return _json({"error": error.detail}, error.status_code)
    return _json({"error": str(error)}, 422)
