"""Answers requests from recordings, or makes new recordings. Each recording answers only one request."""

import itertools
import os
import threading
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from memzoo.cassettes.chunks import AT_ONCE, Arrival, by_event, resize
from memzoo.cassettes.conversation import calls_in, statistics_of
from memzoo.cassettes.errors import CassetteError
from memzoo.cassettes.files import shorten_path
from memzoo.cassettes.http import TOOL, HttpRequest, Recorded, Response, content_type, is_stream
from memzoo.cassettes.matching import RequestKey, name_text, report_unmatched, request_key, stands_for
from memzoo.cassettes.scrubbing import Scrubber
from memzoo.cassettes.settings import CassetteSettings
from memzoo.forks import new_lock

_FIRST_ERROR = 400

Counts = Mapping[str, Mapping[str, int]]
"""Token counts of texts, by encoding and by the name of the text."""


class Player:
    """A player of a cassette: it answers requests from recordings, or records requests and responses.

    Attributes:
        recordings: The recordings, in the order of the requests.
        keys: The `RequestKey` of each recorded request, in the same order; only for replaying.
        errors: The errors so far, even if the code under test swallowed them.
        tools: A dict from a tool's name to a pair: the tool's code, and the object of a method.
    """

    def __init__(
        self,
        recordings: Iterable[Recorded] | None,
        *,
        scrubber: Scrubber,
        path: Path,
        settings: CassetteSettings,
        counts: Counts | None = None,
        in_order: bool = False,
        live: Sequence[Recorded] | None = None,
    ) -> None:
        """Create a player that plays or makes recordings.

        Args:
            recordings: The recordings to play; `None` to make recordings.
            scrubber: The scrubber that removes secrets.
            path: The cassette, for failure messages.
            settings: The settings of the cassette.
            counts: The recorded token counts.
            in_order: True to accept requests only in the recorded order. (Tool calls that one answer asks for may still
                come in any order.)
            live: The old steps that follow `recordings` and are to be recorded anew; `None` to replay all steps.
        """
        self.recording = recordings is None
        self._counts = counts or {}
        self._counted: dict[tuple[str, str], int] = {}
        self.recordings = list(recordings or ())
        self.errors: list[CassetteError] = []
        self.tools: dict[str, tuple[Any, Any]] = {}
        self.path = path
        self.scrubber = scrubber
        self._settings = settings
        self._lock = new_lock()
        self._process = os.getpid()
        self._turns = itertools.count()
        self._sent: dict[int, HttpRequest] = {}
        self.keys = [self._key(one.request) for one in self.recordings]
        self._waiting: defaultdict[RequestKey, list[int]] = defaultdict(list)
        for place, key in enumerate(self.keys):
            self._waiting[key].append(place)
        self._live = live is not None
        self._live_keys = {self._key(one.request) for one in live or ()}
        self._order = _find_order(self.recordings) if in_order else []
        # A run that is recorded from its first step on has only the order of its new steps.
        self._has_order = bool(self._order) or not self.recordings
        self._played = set[int]()
        self._next = 0
        self._is_sequence = True
        self._callers: list[tuple[int, str]] = []

    @property
    def unplayed(self) -> set[int]:
        """The positions of the recordings that have not been played yet."""
        return {place for places in self._waiting.values() for place in places}

    @property
    def in_order(self) -> bool:
        """True if the recorded run called tools and did one step after the other, in a single thread and task."""
        has_tools = any(one.request.method == TOOL for one in self.recordings)
        threads = {thread for thread, _ in self._callers}
        return (
            has_tools
            and self._is_sequence
            and self._live <= self._has_order
            and len(threads) == 1
            and len({*self._callers}) == len(self._callers)
        )

    def has(self, request: HttpRequest) -> bool:
        """Return whether a recording remains for a request."""
        return bool(self._waiting.get(self._key(request)))

    def count(self, encoding: str, text: str, count: Callable[[], int]) -> int:
        """Return the recorded token count of a text, or else the result of `count`.

        The recorded count is used even if it is an estimate and `count` is exact. With another count, a memory might
        send requests that have no recording.
        """
        key = encoding, text
        if key not in self._counted:
            tokens = self._counts[encoding].get(self._name(text)) if encoding in self._counts else None
            self._counted[key] = count() if tokens is None else tokens
        return self._counted[key]

    def list_counts(self) -> Counts:
        """Return all token counts, in an order that does not depend on threads."""
        counts: defaultdict[str, dict[str, int]] = defaultdict(dict)
        named = ((encoding, self._name(text), tokens) for (encoding, text), tokens in self._counted.items())
        for encoding, name, tokens in sorted(named):
            counts[encoding][name] = tokens
        return dict(counts)

    def can_play(self, request: HttpRequest) -> bool:
        """Return whether a recording will answer a request; if not, the caller must send the request and record it.

        Raises:
            ReplayError: Recording is off, and no recording remains for the request.
            CassetteError: Recording is on, and the budget is spent.
            CassetteError: This process was forked after the cassette was opened, so its recordings would be lost.
        """
        if os.getpid() != self._process:
            with self.note_errors():
                raise CassetteError(
                    f"{self._key(request)} comes from a process that was forked while the cassette"
                    f" {shorten_path(self.path)!r} was open, and a cassette belongs to one process."
                    " Use threads, open a cassette in that process, or let it ask a `memzoo cassettes proxy`."
                )
        if not self.recording:
            key = self._key(request)
            with self._lock:
                if not self._is_live(key):
                    return bool(self._places(key))
        if self._settings.budget:
            with self.note_errors():
                self._settings.budget.check()
        # Answers arrive in any order, but a replay needs the recordings in the order of the requests.
        turn = vars(request).setdefault("recorded_turn", next(self._turns))
        with self._lock:
            self._is_sequence = self._is_sequence and not self._sent
            self._sent[turn] = request
        return False

    def play(self, request: HttpRequest, caller: str = "") -> Recorded:
        """Return the next recording for a request, and mark it as played.

        A recording by the same thread or task is preferred.

        Raises:
            ReplayError: Another thread was faster and took the last recording.
        """
        key = self._key(request)
        with self._lock:
            places = self._places(key)
            place = next((one for one in places if self.recordings[one].caller == caller), places[0])
            places.remove(place)
            self._played.add(place)
        played = self.recordings[place]
        if self._live:
            # The new file replays this run, whose requests may differ in parts that are ignored, such as the model.
            self.recordings[place] = replace(played, request=request)
        return replace(played, arrival=self._time(played.arrival))

    def record(self, request: HttpRequest, response: Response, arrival: Arrival = AT_ONCE, caller: str = "") -> None:
        """Add a recording of a request, its response, and the arrival of the response.

        Raises:
            CassetteError: The response must not be recorded; for example, it is an error without `allow_errors`.
        """
        turn = vars(request).get("recorded_turn", next(self._turns))
        self.stop_waiting(request)
        if (here := (threading.get_ident(), caller)) not in self._callers[-1:]:
            self._callers.append(here)
        streamed = is_stream(content_type(response["headers"])) or arrival.broken
        body = response["body"]["string"] or b""
        arrival = by_event(self._time(arrival), body) if streamed else AT_ONCE
        with self.note_errors():
            fresh = self._clean(Recorded(request, response, caller, arrival, turn=turn))
            self._check(fresh)
        if self._settings.budget:
            statistics = statistics_of([fresh.response])
            self._settings.budget.spend(statistics.input_tokens + statistics.output_tokens)
        self.recordings.append(fresh)

    def stop_waiting(self, request: HttpRequest) -> None:
        """Stop waiting for the answer to a request, so that `end` does not report the request as unanswered."""
        with self._lock:
            # aiohttp follows redirects with its own requests; the first of these replaces the announced request.
            same = (turn for turn, one in self._sent.items() if (one.method, one.uri) == (request.method, request.uri))
            self._sent.pop(vars(request).get("recorded_turn", next(same, -1)), None)

    def note_failure(self, request: HttpRequest, error: Exception) -> CassetteError:
        """Return the error for a request that got no answer, and add it to `errors`."""
        self.stop_waiting(request)
        told = self._report_no_answer(request, f"{type(error).__name__}: {error}".removesuffix(": "))
        self.errors.append(told)
        return told

    def end(self) -> None:
        """End the recording.

        If the program has left a recorded generator open, the items read so far are recorded. Each request without an
        answer adds an error to `errors`.
        """
        for request in list(self._sent.values()):
            if finish := vars(request).get("finish"):
                finish()
            else:
                why = "it was given up, cut off, or is still awaited"
                self.errors.append(self._report_no_answer(request, why))

    def list_recordings(self) -> list[Recorded]:
        """Return the recordings, with the secrets removed. A secret found in one recording is removed from all."""
        clean = sorted(self.recordings, key=lambda one: one.turn)
        while any(one.known != self.scrubber.known for one in clean):
            clean = list(map(self._clean, clean))
        callers: defaultdict[RequestKey, set[str]] = defaultdict(set)
        for one in clean if any(one.caller for one in clean) else ():
            callers[self._key(one.request)].add(one.caller)
        # The caller matters only if several callers sent the same request.
        return [
            replace(one, caller="") if one.caller and len(callers[self._key(one.request)]) == 1 else one
            for one in clean
        ]

    def _clean(self, one: Recorded) -> Recorded:
        known = self.scrubber.known
        if one.known == known:
            return one
        request, (response, hidden) = self.scrubber.request(one.request), self.scrubber.response(one.response)
        sizes = resize(one.arrival.sizes, one.response["body"]["string"] or b"", response["body"]["string"])
        clean = replace(one, request=request, response=response, arrival=replace(one.arrival, sizes=sizes), known=known)
        return replace(clean, hidden=one.hidden | hidden)

    def _key(self, request: HttpRequest) -> RequestKey:
        return request_key(self.scrubber.request(request), self._settings.ignored)

    def _name(self, text: str) -> str:
        # A name derived from a short secret would reveal the secret.
        clean = self.scrubber.request(HttpRequest("COUNT", "", text.encode(errors="surrogatepass"), {}))
        return name_text(clean.body or b"")

    def _time(self, arrival: Arrival) -> Arrival:
        return arrival if self._settings.timing == "recorded" else replace(arrival, seconds=())

    def _check(self, one: Recorded) -> None:
        code, broken = one.response["status"]["code"], one.arrival.broken
        if (code < _FIRST_ERROR and not broken) or self._settings.allow_errors:
            return
        body = one.response["body"]["string"].decode(errors="replace")
        what = f"The answer broke off ({broken})" if broken else f"The server answered {code}"
        raise CassetteError(
            f"{what} to {request_key(one.request)}\n  {body[:500]}\n"
            f"An error is not recorded unless it is allowed (allow_errors=True); "
            f"nothing was written to {shorten_path(self.path)}"
        )

    def _report_no_answer(self, request: HttpRequest, why: str) -> CassetteError:
        return CassetteError(
            f"No answer came to {self._key(request)} ({why})\n"
            f"A request without an answer cannot be recorded; nothing was written to {shorten_path(self.path)}"
        )

    def _is_live(self, key: RequestKey) -> bool:
        """Return whether a request belongs to the part of a run that is recorded anew."""
        return self._live and not self._waiting.get(key) and (key in self._live_keys or not self.unplayed)

    def _places(self, key: RequestKey) -> list[int]:
        """Return the indexes of the remaining recordings for a request, at least one."""
        if key not in self._waiting:
            # The request may still have secrets that are hidden in the recording.
            key = next((one for one in self._waiting if stands_for(one, key)), key)
        left = self._waiting.get(key)
        if left and self._order:
            while self._next in self._played:
                self._next += 1
            left = [place for place in left if self._order[place] == self._order[self._next]] and left
        if left:
            return left
        with self.note_errors():
            hint, ignored, order = self._settings.hint, self._settings.ignored, self._order
            raise report_unmatched(key, self.keys, self.unplayed, self.path, hint, ignored=ignored, order=order)

    @contextmanager
    def note_errors(self) -> Generator[None]:
        """Add errors raised in the `with` block to `errors`, so that they show even if the tested code catches them."""
        try:
            yield
        except CassetteError as error:
            self.errors.append(error)
            raise


def _find_order(recordings: Sequence[Recorded]) -> list[int]:
    """Return a number for each recording: equal for calls of tools that one answer asks for, rising otherwise."""
    found, calls, group = list[int](), 0, 0
    for place, one in enumerate(recordings):
        is_tool = one.request.method == TOOL
        if not is_tool:
            calls, group = len(calls_in(one.response)), place + 1
        found.append(group if is_tool and calls > 1 else place)
    return found
