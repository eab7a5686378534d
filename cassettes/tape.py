"""The cassette that vcrpy's patches talk to: plays each recording once, in order, and notes what went wrong."""

import itertools
import threading
from bisect import bisect_right
from collections import defaultdict, deque
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

from memzoo.cassettes import reporting
from memzoo.cassettes.errors import CassetteError, CassetteFormatError, RecordingError, UnmatchedRequestError
from memzoo.cassettes.in_process import in_process_methods
from memzoo.cassettes.matching import RequestKey, request_key, same_request
from memzoo.cassettes.optional import optional
from memzoo.cassettes.scrubbing import Scrubber
from memzoo.cassettes.serializing import ReadableSerializer
from memzoo.cassettes.wire import HttpRequest, Response

__all__ = ["Tape", "TapeRules", "insert_tape"]

_FIRST_ERROR = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class TapeRules:
    """What a tape goes by.

    Attributes:
        path: The file of the cassette.
        recording: Whether requests are sent and recorded, or answered from the recording.
        allow_errors: Record responses with a status of 400 and above, too.
        scrubber: Makes of requests and responses what is kept of them.
        hint: How to record again, for failure messages.
    """

    path: Path
    recording: bool
    allow_errors: bool
    scrubber: Scrubber
    hint: str


class Tape:
    """Overrides, as a mix-in, what vcrpy's `Cassette` does with a request.

    Attributes:
        data: The interactions, as (request, response).
        keys: What is matched of their requests, in the same order.
        unplayed: The places in `data` that were not played yet.
        noted: What went wrong, though the code under test may have swallowed it.
    """

    def __init__(self, *, rules: TapeRules, **vcrpy_options: Any) -> None:
        self.keys: list[RequestKey] = []
        self.unplayed: set[int] = set()
        self.noted: list[CassetteError] = []
        self._rules = rules
        self._lock = threading.Lock()
        self._waiting: defaultdict[RequestKey, deque[int]] = defaultdict(deque)
        self._starts = itertools.count()
        self._started: list[int] = []
        super().__init__(**vcrpy_options)
        self.data: list[tuple[HttpRequest, Response]] = []

    def can_play_response_for(self, request: HttpRequest) -> bool:
        """Whether to play; vcrpy asks before each request.

        Raises:
            UnmatchedRequestError: It is to be played, and no recording is left for it.
        """
        if self._rules.recording:
            # Answers are kept in the order of their requests: that is the order in which they will be asked for.
            vars(request).setdefault("recording_started", next(self._starts))
            return False
        key = self._key(request)
        with self._lock:
            return bool(self._places(key))

    def play_response(self, request: HttpRequest) -> Response:
        """The next recorded response to this request.

        Raises:
            UnmatchedRequestError: Another thread was faster and took the last one.
        """
        key = self._key(request)
        with self._lock:
            place = self._places(key).popleft()
            self.unplayed.remove(place)
            return self.data[place][1]

    def append(self, request: HttpRequest, response: Response) -> None:
        """Take an interaction from the file or, when recording, from the server.

        Raises:
            RecordingError: The response must not be recorded.
        """
        if self._rules.recording:
            self._record(request, response)
        else:
            self._load_interaction(request, response)

    def _key(self, request: HttpRequest) -> RequestKey:
        return request_key(self._rules.scrubber.request(request))

    def _load_interaction(self, request: HttpRequest, response: Response) -> None:
        place, key = len(self.data), self._key(request)
        self.data.append((request, response))
        self.keys.append(key)
        self.unplayed.add(place)
        self._waiting[key].append(place)

    def _record(self, request: HttpRequest, response: Response) -> None:
        kept = self._rules.scrubber.request(request)
        try:
            clean = self._accepted(kept, response)
        except RecordingError as error:
            self._note(error)
            raise
        with self._lock:
            start = vars(request).get("recording_started", next(self._starts))
            place = bisect_right(self._started, start)
            self._started.insert(place, start)
            self.data.insert(place, (kept, clean))

    def _accepted(self, request: HttpRequest, response: Response) -> Response:
        clean, code = self._rules.scrubber.response(response), response["status"]["code"]
        if code < _FIRST_ERROR or self._rules.allow_errors:
            return clean
        body = clean["body"]["string"].decode(errors="replace")
        raise RecordingError(
            f"The server answered {code} to {request_key(request)}\n  {body[:500]}\n"
            f"An error is not recorded unless it is allowed (allow_errors=True); "
            f"nothing was written to {reporting.shown(self._rules.path)}"
        )

    def _note(self, error: CassetteError) -> CassetteError:
        self.noted.append(error)
        return error

    def _places(self, key: RequestKey) -> deque[int]:
        """Where the recordings are that are left for a request: at least one."""
        if not self._waiting[key]:
            message = reporting.unmatched(key, self.keys, self.unplayed, self._rules.path, self._rules.hint)
            raise self._note(UnmatchedRequestError(message))
        return self._waiting[key]


@contextmanager
def insert_tape(rules: TapeRules) -> Generator[Tape]:
    """Let every HTTP client of this process play from, or record to, a new tape; write nothing.

    Raises:
        CassetteFormatError: The file is not a cassette.
        MissingExtraError: vcrpy is not installed.
    """
    modes = optional("vcr.record_mode").RecordMode
    tape_class = _tape_class(optional("vcr.cassette").Cassette)
    with ExitStack() as patches:
        untouched = list(in_process_methods())
        context = tape_class.use(
            rules=rules,
            path=str(rules.path),
            persister=_Shelf(rules),
            serializer=ReadableSerializer(),
            record_mode=modes.ONCE if rules.recording else modes.NONE,
            match_on=(same_request,),
            before_record_request=rules.scrubber.request,
        )
        tape = patches.enter_context(context)
        for transport, name, method in untouched:
            patches.enter_context(mock.patch.object(transport, name, method))
        yield tape


@cache
def _tape_class(vcrpy_cassette: type) -> Any:
    return type("VcrTape", (Tape, vcrpy_cassette), {})


class _Shelf:
    """Where vcrpy loads from. It is never told to save: its patches would leak when that fails."""

    def __init__(self, rules: TapeRules) -> None:
        self._rules = rules

    def load_cassette(self, path: str, serializer: ReadableSerializer) -> Any:
        if self._rules.recording:
            raise optional("vcr.persisters.filesystem").CassetteNotFoundError
        try:
            return optional("vcr.serialize").deserialize(Path(path).read_text(encoding="utf-8"), serializer)
        except (CassetteFormatError, UnicodeDecodeError) as error:
            where = reporting.shown(self._rules.path)
            raise CassetteFormatError(f"{where}: {error}\n{self._rules.hint}") from error
