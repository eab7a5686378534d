"""Lets vcrpy's patches of HTTP clients ask a player. Only this module imports vcrpy, which has no types."""
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false

from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

from vcr.cassette import Cassette as VcrCassette
from vcr.filters import decode_response
from vcr.record_mode import RecordMode
from vcr.request import Request

from memzoo.cassettes.http import HttpRequest, Response, in_process_methods
from memzoo.cassettes.matching import same_request
from memzoo.cassettes.player import Player

__all__ = ["intercept"]


@contextmanager
def intercept(player: Player) -> Generator[None]:
    """Let every HTTP client of this process play from, or record to, a player."""
    with ExitStack() as patches:
        untouched = list(in_process_methods())
        patches.enter_context(_Tape.use(path=str(player.path), player=player))
        for transport, name, method in untouched:
            patches.enter_context(mock.patch.object(transport, name, method))
        yield


class _Tape(VcrCassette):
    """Overrides what vcrpy does with a request. It loads and saves nothing: the player has its recordings."""

    def __init__(self, *, path: str, player: Player) -> None:
        super().__init__(
            path,
            record_mode=RecordMode.ONCE if player.recording else RecordMode.NONE,
            match_on=(same_request,),
            before_record_request=player.scrubber.request,
        )
        self._player = player
        # vcrpy follows redirects of aiohttp by looking for the next request itself.
        self.data = [(Request(**vars(request)), response) for request, response in player.recordings]

    @classmethod
    def load(cls, **options: Any) -> "_Tape":
        return cls(**options)

    def can_play_response_for(self, request: HttpRequest) -> bool:
        return self._player.can_play(request)

    def play_response(self, request: HttpRequest) -> Response:
        return self._player.play(request)

    def append(self, request: HttpRequest, response: Response) -> None:
        self._player.record(request, decode_response(response))
