"""Passes the requests of HTTP clients to the cassette of their thread or task."""
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# vcrpy has no types.

import re
import sys
import time
from collections.abc import Awaitable, Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any
from unittest import mock
from urllib.parse import urlsplit

from vcr.cassette import Cassette as VcrCassette
from vcr.filters import decode_response

from memzoo import counting
from memzoo.cassettes.callers import Caller, attach_player, current_caller, follow
from memzoo.cassettes.chunks import AT_ONCE, Arrival, pace, receive
from memzoo.cassettes.errors import CassetteError
from memzoo.cassettes.http import HttpRequest, Recorded, Response, encode_form, values_of
from memzoo.cassettes.player import Player
from memzoo.forks import new_lock
from memzoo.sync import drive

_CLIENTS = ("httpx", "httpx2")
_NETWORK = ("HTTPTransport", "AsyncHTTPTransport")
# Transports in the process, which vcrpy patches too: a test of an app must call the app itself, not its recording.
_IN_PROCESS = ("ASGITransport", "WSGITransport", "MockTransport")
_METHODS = ("handle_request", "handle_async_request")

# Not the program's own requests: files that libraries download once (tiktoken, Hugging Face, Chroma, NLTK, LiteLLM).
_DOWNLOADS = (
    r"openaipublic\.blob\.core\.windows\.net/",
    r"huggingface\.co/.+/resolve/",
    r"([\w-]+\.)+hf\.co/",
    r"chroma-onnx-models\.s3\.amazonaws\.com/",
    r"raw\.githubusercontent\.com/(nltk/nltk_data|BerriAI/litellm)/",
)
# And telemetry: OpenAI's tracing, LangSmith, PostHog, Sentry, and OpenTelemetry's collectors at any host.
_TELEMETRY = (
    r"api\.openai\.com/v1/traces/ingest",
    r"([\w-]+\.)*api\.smith\.langchain\.com/",
    r"([\w-]+\.)+posthog\.com/",
    r"([\w-]+\.)+sentry\.io/api/.+/(envelope|store)/",
    r"[^/]+/(.*/)?v1/(traces|metrics|logs)$",
)
_PAST = re.compile("|".join((*_DOWNLOADS, *_TELEMETRY)))

_lock = new_lock()
_patches = ExitStack()
_users = 0


@contextmanager
def intercept(player: Player) -> Generator[None]:
    """Pass the HTTP requests of a block to a cassette's player.

    These include the requests of threads and tasks started in the block.
    """
    with attach_player(player), _patch():
        yield


@contextmanager
def _patch() -> Generator[None]:
    """Patch the HTTP clients while any cassette is open; all cassettes share the patches, since they change classes."""
    global _patches, _users  # noqa: PLW0603 - the classes are global, too
    with _lock:
        if not _users:
            with ExitStack() as patches:
                methods = list(_methods())  # before vcrpy patches them
                patches.enter_context(_CurrentCassette.use(path="memzoo"))
                patches.enter_context(follow())
                patches.enter_context(mock.patch.object(counting, "through", _count))
                for method in methods:
                    patches.enter_context(mock.patch.object(*method))
                _patches = patches.pop_all()
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if not _users:
                _patches.close()


class _CurrentCassette(VcrCassette):
    """The current cassette in vcrpy's interface. Loads and saves nothing, because players have the recordings."""

    def _load(self) -> None:
        pass

    def can_play_response_for(self, request: HttpRequest) -> bool:
        caller = _find_caller(request)
        if caller is None:
            return False
        with caller.player.note_errors():
            encode_form(request)
        return caller.player.can_play(request)

    def play_response(self, request: HttpRequest) -> Response:
        caller = current_caller()
        assert caller is not None, "it could play"  # noqa: S101
        return caller.player.play(request, caller.name).response

    def append(self, request: HttpRequest, response: Response) -> None:
        if caller := _find_caller(request):
            # aiohttp passes on redirects without a body.
            _record(caller, request, response | {"body": {"string": response["body"].get("string", b"")}})


def _find_caller(request: HttpRequest) -> Caller | None:
    """Return the caller of a request; `None` if the request bypasses all cassettes."""
    url = urlsplit(request.uri)
    # The stream of a session with a server of MCP, and its end: in a replay there is no session.
    is_session = request.method in {"GET", "DELETE"} and values_of(request.headers, "mcp-session-id")
    if not is_session and not _PAST.match(f"{url.hostname or ''}{url.path or '/'}"):
        return current_caller()
    try:
        caller = current_caller()
        # An older recording may contain the request.
        if caller and caller.player.unplayed:
            encode_form(request)
            return caller if caller.player.has(request) else None
    except CassetteError:
        pass
    return None


def _count(encoding: str, text: str, count: Callable[[], int]) -> int:
    """Return the token count from the recording; while recording, count the tokens and record the count."""
    try:
        caller = current_caller()
    except CassetteError:
        caller = None
    return caller.player.count(encoding, text, count) if caller else count()


def _record(caller: Caller, request: HttpRequest, response: Response, arrival: Arrival = AT_ONCE) -> None:
    clear: Response = decode_response(response)
    if clear["body"]["string"] != response["body"]["string"]:
        # The chunks of a compressed body differ from the chunks of the stored body.
        arrival = Arrival(broken=arrival.broken)
    caller.player.record(request, clear, arrival, caller.name)


def _methods() -> Iterator[tuple[type, str, Any]]:
    """Yield the methods to set on httpx's transports, as (class, name, function)."""
    for client in filter(None, map(sys.modules.get, _CLIENTS)):
        for kind in (*_NETWORK, *_IN_PROCESS):
            transport = getattr(client, kind)
            for name in vars(transport).keys() & _METHODS:
                real = vars(transport)[name]
                yield transport, name, real if kind in _IN_PROCESS else _HANDLERS[name](client, real)


def _make_blocking(client: Any, real: Callable[..., Any]) -> Callable[..., Any]:
    def handle_request(transport: Any, request: Any) -> Any:
        async def send() -> Any:
            return real(transport, request)

        request.read()
        return drive(_answer(client, request, send))

    return handle_request


def _make_asynchronous(client: Any, real: Callable[..., Any]) -> Callable[..., Any]:
    async def handle_async_request(transport: Any, request: Any) -> Any:
        await request.aread()
        return await _answer(client, request, lambda: real(transport, request))

    return handle_async_request


_HANDLERS = {"handle_request": _make_blocking, "handle_async_request": _make_asynchronous}


async def _answer(client: Any, request: Any, send: Callable[[], Awaitable[Any]]) -> Any:
    """Return the answer to a request from its cassette, or send the request and record the response and its arrival."""
    asked = HttpRequest(request.method, str(request.url), request.content, request.headers)
    caller = _find_caller(asked)
    if caller is None:
        return await send()
    if caller.player.can_play(asked):
        return _play(client, caller.player.play(asked, caller.name))
    started = time.perf_counter()
    try:
        answer = await send()
    except Exception as error:
        raise caller.player.note_failure(asked, error) from error
    content, arrival = await receive(answer.stream, started)
    headers: dict[str, list[str]] = {}
    for name, value in answer.headers.multi_items():
        headers.setdefault(name, []).append(value)
    status = {"code": answer.status_code, "message": answer.reason_phrase}
    _record(caller, asked, {"status": status, "headers": headers, "body": {"string": content}}, arrival)
    # The client has already waited for the real stream.
    answer.stream = pace(client, content, replace(arrival, seconds=()))
    return answer


def _play(client: Any, one: Recorded) -> Any:
    status, headers = one.response["status"], one.response["headers"]
    return client.Response(
        status["code"],
        headers=[(name, value) for name, values in headers.items() for value in values],
        stream=pace(client, one.response["body"]["string"], one.arrival),
        extensions={"reason_phrase": status["message"].encode("ascii")} if status["message"] else None,
    )
