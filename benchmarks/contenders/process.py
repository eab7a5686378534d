"""Starts a contender as a process in its own environment, and exchanges lines of JSON with it."""

import atexit
import contextlib
import json
import os
import queue
import subprocess
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from memzoo.benchmarks.contenders.environments import python_of
from memzoo.benchmarks.contenders.known import Adapter
from memzoo.errors import PluginError

_RUNNER = Path(__file__).with_name("runner.py")
_PATIENCE = 300.0  # seconds
_LINES = 8
_GRACE = 5.0
# A contender gets no key of the user, and no proxy: it has a model at its port, and needs no other host.
_PASSED = ("HOME", "LANG", "PATH", "SYSTEMROOT", "TEMP", "TIKTOKEN_CACHE_DIR", "TMP", "TMPDIR", "USERPROFILE")


class Contender:
    """The process of a contender.

    Attributes:
        patience: The seconds to wait for an answer.
        port: The local server through which the contender calls the comparison's model.
        seconds: The CPU time of the process so far.

    Raises:
        PluginError: The environment is missing.
    """

    def __init__(self, adapter: Adapter) -> None:
        from memzoo.benchmarks.contenders.port import ModelPort  # most comparisons need no server

        self._name, self.patience = adapter.name, _PATIENCE
        command = [*python_of(adapter), "-s", "-P", str(_RUNNER), str(adapter.file)]
        self.port, self.seconds = ModelPort(), 0.0
        given = {name: os.environ[name] for name in _PASSED if name in os.environ}
        given |= {"OPENAI_BASE_URL": self.port.url, "OPENAI_API_KEY": "of-the-port"}
        # Without a seed, sets of words have another order in each process.
        given |= {"PYTHONHASHSEED": "0", "PYTHONWARNINGS": "ignore", "PYTHONUTF8": "1"}
        pipe = subprocess.PIPE
        self._command = command
        self._process = started = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=given)  # noqa: S603
        assert started.stdin and started.stdout and started.stderr  # noqa: PT018, S101 - all three are pipes
        self._in, self._out, self._err = started.stdin, started.stdout, started.stderr
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._told: deque[str] = deque(maxlen=_LINES)
        self._readers = [threading.Thread(target=one, daemon=True) for one in (self._read, self._listen)]
        for one in self._readers:
            one.start()

    def ask(self, do: str, count: Callable[[str], int] = len, **members: Any) -> dict[str, Any]:
        """Send a request, and return the answer. Before answering, the contender may ask for token counts of texts.

        Raises:
            PluginError: The contender failed, ended, or sent a late or invalid answer. Its process is then stopped.
        """
        self.port.failure = None
        sent: dict[str, Any] = {"do": do, **members}
        while True:
            self._send(sent)
            answer = self._receive(do)
            if "count" not in answer:
                break
            sent = {"tokens": count(str(answer["count"]))}
        self.seconds = float(answer.get("cpu") or 0.0)
        if self.port.failure:
            raise self.port.failure
        if "fault" in answer:
            self.stop()
            raise PluginError(f"the contender {self._name!r} {answer['fault']}")
        if "error" in answer:
            raise self._failed(f"failed at {do!r}: {answer['error']}")
        return answer

    def stop(self) -> None:
        """End the process by closing its input. If it keeps running, kill it."""
        with contextlib.suppress(OSError):  # a contender that has ended has closed its side
            self._in.close()
        try:
            self._process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for reader in self._readers:
            reader.join()
        self._out.close()
        self._err.close()
        self.port.close()

    def _send(self, members: dict[str, Any]) -> None:
        # One that has ended closes its pipe: the missing answer says so, with its last words.
        with contextlib.suppress(OSError):
            self._in.write(json.dumps(members).encode() + b"\n")
            self._in.flush()

    def _receive(self, do: str) -> dict[str, Any]:
        try:
            line = self._lines.get(timeout=self.patience)
        except queue.Empty:
            raise self._failed(f"did not answer {do!r} within {self.patience:g} seconds") from None
        if not line:
            raise self._failed(f"ended with exit code {self._process.wait()} at {do!r}")
        try:
            answer: Any = json.loads(line)
        except ValueError:
            answer = line
        if not isinstance(answer, dict):
            raise self._failed(f"answered {do!r} with {line[:200]!r}, which is not a JSON object on one line")
        return answer  # pyright: ignore[reportUnknownVariableType]

    def _failed(self, reason: str) -> PluginError:
        self.stop()
        said = "\n".join(self._told).strip()
        return PluginError(
            f"the contender {self._name!r} {reason}. "
            + (f"The end of its standard error: {said}. " if said else "Its standard error is empty. ")
            + f"To run it alone, send requests to: {' '.join(self._command)}"
        )

    def _read(self) -> None:
        for line in self._out:
            self._lines.put(line)
        self._lines.put(b"")

    def _listen(self) -> None:
        for line in self._err:
            self._told.append(line.decode(errors="replace").rstrip())


_idle: dict[tuple[int, str, str], list[Contender]] = defaultdict(list)


@contextlib.contextmanager
def borrow(adapter: Adapter) -> Iterator[Contender]:
    """Yield a running process of a contender. After the block, keep it for the next run; if the block fails, stop it.

    Each run begins with the request `start`, which clears the data of the previous run.
    """
    waiting = _idle[os.getpid(), str(adapter.file), adapter.digest]
    contender = waiting.pop() if waiting else Contender(adapter)
    try:
        yield contender
    except BaseException:
        contender.stop()
        raise
    waiting.append(contender)


@atexit.register
def stop_all() -> None:
    """Stop the processes that are kept for another run."""
    for (owner, *_), waiting in _idle.items():
        while waiting and owner == os.getpid():
            waiting.pop().stop()
