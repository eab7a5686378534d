"""Lets vcrpy's patches of HTTP clients ask the player of whoever sends a request. Only this module imports vcrpy."""
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# vcrpy has no types.

import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any
from unittest import mock

from vcr.cassette import Cassette as VcrCassette
from vcr.filters import decode_response
from vcr.record_mode import RecordMode
from vcr.request import Request
from vcr.stubs.httpx_stubs import vcr_handle_async_request, vcr_handle_request

from memzoo.cassettes.callers import current_caller, follow, is_unrecorded, opened
from memzoo.cassettes.chunks import RoundTrip, TimedStream, current_round_trip, paced, round_trip
from memzoo.cassettes.http import HttpRequest, Response
from memzoo.cassettes.matching import same_request
from memzoo.cassettes.player import Player
from memzoo.stores.forks import new_lock

__all__ = ["intercept"]

_CLIENTS = ("httpx", "httpx2")
_IN_PROCESS = ("ASGITransport", "WSGITransport", "MockTransport")
_METHODS = ("handle_request", "handle_async_request")

_lock = new_lock()
_patches = ExitStack()
_users = 0


@contextmanager
def intercept(player: Player) -> Generator[None]:
    """Let this thread or task, and those that it starts, play from or record to a player."""
    with opened(player), _patched():
        yield


@contextmanager
def _patched() -> Generator[None]:
    """Patch the HTTP clients for as long as any cassette is open: vcrpy patches classes, so once for all of them."""
    global _patches, _users  # noqa: PLW0603 - the classes are global, too
    with _lock:
        if not _users:
            with ExitStack() as patches:
                _patch(patches)
                _patches = patches.pop_all()
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if not _users:
                _patches.close()


def _patch(patches: ExitStack) -> None:
    tape = _Tape()
    untouched = list(_in_process_methods())
    streaming = list(_streaming_methods(tape))
    patches.enter_context(_Tape.use(path="memzoo"))
    patches.enter_context(follow())
    for transport, name, method in [*untouched, *streaming]:
        patches.enter_context(mock.patch.object(transport, name, method))


class _Tape(VcrCassette):
    """Overrides what vcrpy does with a request. It loads and saves nothing: players have the recordings."""

    def __init__(self) -> None:
        super().__init__("memzoo", record_mode=RecordMode.ONCE, match_on=(same_request,))

    @classmethod
    def load(cls, **_: Any) -> "_Tape":
        return cls()

    @property
    def data(self) -> list[Any]:
        # vcrpy follows redirects of aiohttp by looking for the next request itself.
        recordings = current_caller().player.recordings
        return [(Request(**vars(one.request)), one.response) for one in recordings]

    @data.setter
    def data(self, _: object) -> None:
        pass

    def filter_request(self, request: HttpRequest) -> HttpRequest:
        return current_caller().player.scrubber.request(request)

    def can_play_response_for(self, request: HttpRequest) -> bool:
        return not is_unrecorded() and current_caller().player.can_play(request, current_caller().name)

    def play_response(self, request: HttpRequest) -> Response:
        played = current_caller().player.play(request, current_caller().name)
        current_round_trip().played = played.arrival
        return played.response

    def append(self, request: HttpRequest, response: Response) -> None:
        if is_unrecorded():
            return
        raw = response["body"]["string"]
        clear: Response = decode_response(response)
        arrival = current_round_trip().arrival
        caller = current_caller()
        same = clear["body"]["string"] == raw
        caller.player.record(request, clear, arrival=arrival, chunked=same, caller=caller.name)


def _in_process_methods() -> Iterator[tuple[type, str, Any]]:
    """List the methods, as (class, name, function), of transports that answer within this process.

    vcrpy patches them too. But a recording of the app under test would be played instead of the app, and the test
    would prove nothing.
    """
    for client in filter(None, map(sys.modules.get, _CLIENTS)):
        for transport in filter(None, map(vars(client).get, _IN_PROCESS)):
            yield from ((transport, name, vars(transport)[name]) for name in _METHODS if name in vars(transport))


def _streaming_methods(tape: _Tape) -> Iterator[tuple[type, str, Any]]:
    """List what to patch, as (class, name, function): the transports of httpx, with streams that keep their chunks."""
    for client in filter(None, map(sys.modules.get, _CLIENTS)):
        real, real_async = client.HTTPTransport.handle_request, client.AsyncHTTPTransport.handle_async_request
        yield client.HTTPTransport, "handle_request", _streaming(tape, real, client)
        yield client.AsyncHTTPTransport, "handle_async_request", _streaming_async(tape, real_async, client)


def _streaming(tape: _Tape, real: Callable[..., Any], client: Any) -> Callable[..., Any]:
    def watched(transport: Any, request: Any) -> Any:
        return _watched(real(transport, request))

    play = vcr_handle_request(tape, watched, client)

    def handle_request(transport: Any, request: Any) -> Any:
        with round_trip() as noted:
            return _paced(client, play(transport, request), noted)

    return handle_request


def _streaming_async(tape: _Tape, real: Callable[..., Any], client: Any) -> Callable[..., Any]:
    async def watched(transport: Any, request: Any) -> Any:
        return _watched(await real(transport, request))

    play = vcr_handle_async_request(tape, watched, client)

    async def handle_async_request(transport: Any, request: Any) -> Any:
        with round_trip() as noted:
            return _paced(client, await play(transport, request), noted)

    return handle_async_request


def _watched(response: Any) -> Any:
    response.stream = TimedStream(response.stream, current_round_trip())
    return response


def _paced(client: Any, response: Any, noted: RoundTrip) -> Any:
    # While recording, the client has waited for the real stream already.
    arrival = noted.played or replace(noted.arrival, seconds=())
    response.stream = paced(client, b"".join(response.stream), arrival, noted.error)
    return response
