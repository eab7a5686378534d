"""Plays each recording once, in order, or records; and remembers what went wrong."""

import itertools
import threading
from bisect import bisect_right
from collections import defaultdict, deque
from collections.abc import Iterable
from pathlib import Path

from memzoo.cassettes.errors import CassetteError, RecordingError, UnmatchedRequestError
from memzoo.cassettes.http import HttpRequest, Response
from memzoo.cassettes.matching import RequestKey, request_key, shown, unmatched
from memzoo.cassettes.scrubbing import Scrubber

__all__ = ["Player"]

_FIRST_ERROR = 400


class Player:
    """Answers requests from recordings, or records them; it knows nothing of where they come from.

    Attributes:
        recordings: Requests and responses, in the order of the requests.
        keys: The keys of their requests, in the same order; only for replaying.
        unplayed: The places in `recordings` that are still to be played.
        errors: The errors so far, though the code under test may have swallowed them.
    """

    def __init__(
        self,
        recordings: Iterable[tuple[HttpRequest, Response]] | None,
        *,
        scrubber: Scrubber,
        path: Path,
        hint: str,
        allow_errors: bool = False,
    ) -> None:
        """Make a player.

        Args:
            recordings: What to replay; `None` records.
            scrubber: Removes secrets, and all else that is not kept.
            path: The file of the cassette, for failure messages.
            hint: How to record again, for failure messages.
            allow_errors: Record responses with a status of 400 and above, too.
        """
        self.recording = recordings is None
        self.recordings = list(recordings or ())
        self.errors: list[CassetteError] = []
        self.path = path
        self.scrubber = scrubber
        self._hint = hint
        self._allow_errors = allow_errors
        self._lock = threading.Lock()
        self._starts = itertools.count()
        self._started: list[int] = []
        self.keys = [self._key(request) for request, _ in self.recordings]
        self.unplayed = set(range(len(self.keys)))
        self._waiting: defaultdict[RequestKey, deque[int]] = defaultdict(deque)
        for place, key in enumerate(self.keys):
            self._waiting[key].append(place)

    def can_play(self, request: HttpRequest) -> bool:
        """Tell whether to answer from a recording; asked before each request.

        Raises:
            UnmatchedRequestError: Recording is off, and no recording is left for the request.
        """
        if self.recording:
            # Answers arrive in any order, but a replay asks in the order of the requests: keep them in that order.
            vars(request).setdefault("recording_started", next(self._starts))
            return False
        key = self._key(request)
        with self._lock:
            return bool(self._places(key))

    def play(self, request: HttpRequest) -> Response:
        """Take the next recorded response to this request.

        Raises:
            UnmatchedRequestError: Another thread was faster and took the last one.
        """
        key = self._key(request)
        with self._lock:
            place = self._places(key).popleft()
            self.unplayed.remove(place)
            return self.recordings[place][1]

    def record(self, request: HttpRequest, response: Response) -> None:
        """Keep a request and its response, decoded.

        Raises:
            RecordingError: The response must not be recorded.
        """
        kept = self.scrubber.request(request)
        try:
            clean = self._accepted(kept, response)
        except RecordingError as error:
            self.errors.append(error)
            raise
        with self._lock:
            start = vars(request).get("recording_started", next(self._starts))
            place = bisect_right(self._started, start)
            self._started.insert(place, start)
            self.recordings.insert(place, (kept, clean))

    def _key(self, request: HttpRequest) -> RequestKey:
        return request_key(self.scrubber.request(request))

    def _accepted(self, request: HttpRequest, response: Response) -> Response:
        clean, code = self.scrubber.response(response), response["status"]["code"]
        if code < _FIRST_ERROR or self._allow_errors:
            return clean
        body = clean["body"]["string"].decode(errors="replace")
        raise RecordingError(
            f"The server answered {code} to {request_key(request)}\n  {body[:500]}\n"
            f"An error is not recorded unless it is allowed (allow_errors=True); "
            f"nothing was written to {shown(self.path)}"
        )

    def _places(self, key: RequestKey) -> deque[int]:
        """Find the recordings that are left for a request: at least one."""
        if not self._waiting[key]:
            error = UnmatchedRequestError(unmatched(key, self.keys, self.unplayed, self.path, self._hint))
            self.errors.append(error)
            raise error
        return self._waiting[key]
