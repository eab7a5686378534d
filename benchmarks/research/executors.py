"""One comparison on four engines, killed and not: `python -m memzoo.benchmarks.research executors`."""

import hashlib
import importlib
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from memzoo import dispatch
from memzoo.benchmarks import Settings
from memzoo.benchmarks.comparing import compare
from memzoo.benchmarks.drafting import gap_questions
from memzoo.benchmarks.measure.measuring import messages_in
from memzoo.benchmarks.research.inputs import LOCOMO, REALMEM, STATEBENCH, conversations, refusals
from memzoo.benchmarks.research.tables import show, table
from memzoo.benchmarks.transcripts import Transcript
from memzoo.errors import ExecutorError
from memzoo.strategy import text_of

__all__ = ["cluster", "coordinate", "executors", "write_short_talks"]

MEMORIES = ("window:k=2", "summary-buffer", "vector-retriever")
_NAMES = {"jobs": "`--jobs 2`", "threads": "`--threads 2`", "dask": "Dask, two workers"}
_EXCHANGES, _CHARACTERS, _QUESTIONS = (4, 5, 6), 300, 2
# Since version 2.60, a Ray that is started here takes nobody without a token, not even the same user.
_ENVIRONMENT = {"RAY_AUTH_MODE": "disabled"}
# Of Ray's processes those that work, or wait for work; without its agents a machine of Ray's ends.
_WORKERS = "spawn_main", "ray::_call", "ray::IDLE"
_CALL = "import sys, json; from memzoo.benchmarks.research.executors import {0}; {0}(**json.loads(sys.argv[1]))"


def executors(
    *,
    count: Annotated[int, typer.Option(help="Short conversations.")] = 10_000,
    killed: Annotated[int, typer.Option(help="As many where something is killed; 0 leaves that out.")] = 2_000,
    kills: Annotated[int, typer.Option(help="How often the coordinator is killed, and how often a worker.")] = 5,
    engines: Annotated[str, typer.Option(help="Of jobs, threads and dask.")] = "jobs,dask,threads",
    batches: Annotated[str, typer.Option(help="Seconds a batch shall take, with commas; 0 for none.")] = "",
    rounds: Annotated[int, typer.Option(help="How often; engines take turns.")] = 1,
    memory: Annotated[list[str] | None, typer.Option(help="What is compared; repeat it. By default three.")] = None,
) -> None:
    """Compare memories on many short conversations, made of LoCoMo, RealMem and StateBench, on each engine."""
    with refusals(), tempfile.TemporaryDirectory() as spare:
        folder, chosen, names = Path(spare), engines.split(","), memory or list(MEMORIES)
        talks = write_short_talks(folder / "talks.jsonl", count)
        lengths = [float(one) for one in batches.split(",")] if batches else [dispatch.BATCH_SECONDS]
        rows = list[list[str]]()
        # In turn, so that what else the machine does meets all of them.
        for number, seconds, engine in itertools.product(range(rounds), lengths, chosen):
            found = _run(engine, talks, folder / f"{engine}-{seconds}-{number}", names, seconds)
            rows.append(_cells(engine, seconds, found))
            typer.echo(", ".join(rows[-1]), err=True)  # each takes minutes
        heads = ["engine", "batches", "wall s", "CPU s: coordinator", "workers", "of the engine", "MB", "results"]
        show(table(heads, rows))
        if killed:
            few = write_short_talks(folder / "few.jsonl", killed)
            whole = _run("jobs", few, folder / "whole", names)["digest"]
            for engine in chosen:
                again, died = _kill(engine, few, folder / f"kill-{engine}", names=names, count=killed, kills=kills)
                worker = f"; worker: {died == whole}" if engine != "threads" else ""  # which are no processes
                show(f"{_NAMES[engine]}: coordinator killed, the same bytes: {again == whole}{worker}")


def write_short_talks(path: Path, count: int) -> Path:
    """Write conversations of four to six exchanges, each a piece of a longer one, with questions that rules draft.

    Raises:
        OptionError: The data are not there.
    """
    data = conversations(LOCOMO, REALMEM, STATEBENCH, STATEBENCH.with_name("train.jsonl"))
    with path.open("w", encoding="utf-8") as file:
        for piece in itertools.islice(_pieces(data), count):
            file.write(json.dumps(piece) + "\n")
    return path


def _pieces(data: list[Transcript]) -> Iterator[dict[str, Any]]:
    for length, talk in itertools.product(_EXCHANGES, data):
        for start in range(len(talk.exchanges) - length + 1):
            part = replace(talk, exchanges=talk.exchanges[start : start + length], questions=())
            short = [{**one, "content": text_of(one)[:_CHARACTERS]} for one in messages_in(part)]
            ids = {text_of(one): f"m{number}" for number, one in reversed([*enumerate(messages_in(part))])}
            asked = [
                {"question": one.text, "answer": one.answer, "evidence": [ids[text] for text in one.evidence]}
                for one in gap_questions(part, _QUESTIONS)
            ]
            said = [{**one, "id": f"m{number}"} for number, one in enumerate(short)]
            yield {"title": f"{talk.title} {start} {length}", "messages": said, "questions": asked}


def _cells(engine: str, seconds: float, found: dict[str, Any]) -> list[str]:
    numbers = [f"{found[one]:.1f}" for one in ("wall", "coordinator", "workers", "engine")]
    batch = f"{seconds:g} s" if seconds else "none"
    return [_NAMES[engine], batch, *numbers, f"{found['megabytes']:.0f}", found["digest"][:12]]


def _run(engine: str, talks: Path, out: Path, names: list[str], seconds: float | None = None) -> dict[str, Any]:
    """Compare once, in a process of its own."""
    with _serve(engine) as served, _coordinator(engine, served, talks, out, names=names, seconds=seconds) as process:
        return _read_result(process)


def coordinate(
    *, engine: str, url: str, root: int, talks: str, out: str, names: list[str], seconds: float | None
) -> None:
    """What runs in that process: compare, and tell what it took."""
    if seconds is not None:
        dispatch.BATCH_SECONDS = seconds
    working: Any = ThreadPoolExecutor(2) if engine == "threads" else dispatch.executor_of(2)
    if engine == "dask":
        working = nullcontext(importlib.import_module("distributed").Client(url).get_executor())
    with working as executor:
        root = root or os.getpid()
        before, own, wall = _cpu(root), time.process_time(), time.perf_counter()
        found = compare(talks, names, Settings(draft=False), out=out, executor=executor)
        found.save(out)
        wall, own = time.perf_counter() - wall, time.process_time() - own
        workers, others = (now - then for now, then in zip(_cpu(root), before, strict=True))
    files = [(Path(out) / name).read_bytes() for name in ("outcomes.jsonl", "results.json")]
    told = {"wall": wall, "coordinator": own, "workers": workers, "engine": others}
    size = _process(os.getpid()).memory_info().rss / 1024**2
    print(json.dumps(told | {"megabytes": size, "digest": hashlib.sha256(b"".join(files)).hexdigest()}))  # noqa: T201


def cluster(*, engine: str) -> None:
    """Serve two workers of Dask, until standard input ends; the first line says where."""
    module: Any = importlib.import_module({"dask": "distributed"}[engine])
    with module.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as served:
        print(served.scheduler_address, flush=True)  # noqa: T201
        sys.stdin.read()


@contextmanager
def _serve(engine: str) -> Generator[tuple[str, int]]:
    """Start what the engine needs beside the coordinator: its URL, and the process that its workers come from."""
    if engine in ("jobs", "threads"):
        yield engine, 0
        return
    with _start("cluster", engine=engine) as served:
        yield served.stdout.readline().strip(), served.pid
        served.stdin.close()


def _coordinator(
    engine: str, served: tuple[str, int], talks: Path, out: Path, *, names: list[str], seconds: float | None = None
) -> AbstractContextManager[Any]:
    (url, root), places = served, {"talks": str(talks), "out": str(out)}
    return _start("coordinate", engine=engine, url=url, root=root, names=names, seconds=seconds, **places)


@contextmanager
def _start(function: str, **arguments: Any) -> Generator[Any]:
    command = [sys.executable, "-c", _CALL.format(function), json.dumps(arguments)]
    pipe, environment = subprocess.PIPE, os.environ | _ENVIRONMENT
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment) as process:  # noqa: S603
        yield process


def _read_result(process: Any) -> dict[str, Any]:
    said, _ = process.communicate()
    if process.returncode:
        raise ExecutorError(f"a run ended with {process.returncode}; what it said is above")
    # Ray may write to the same output, until the process ends.
    found: dict[str, Any] = json.loads(next(line for line in reversed(said.splitlines()) if line.startswith("{")))
    return found


def _kill(engine: str, talks: Path, out: Path, *, names: list[str], count: int, kills: int) -> tuple[str, str]:
    """Kill the coordinator at so many points of a run, and a worker at so many of another: the digests of results."""
    # In finished units: the memories and the two baselines in each conversation.
    points = [(len(names) + 2) * count * number // (kills + 1) for number in range(1, kills + 1)]
    with _serve(engine) as served:
        for point in points:
            with _coordinator(engine, served, talks, out / "coordinator", names=names) as process:
                _wait_for(out / "coordinator", point, process)
                left = _children(process.pid)
                process.kill()
            _end(left)
        with _coordinator(engine, served, talks, out / "coordinator", names=names) as process:
            again = _read_result(process)["digest"]
        with _coordinator(engine, served, talks, out / "workers", names=names) as process:
            for point in points if engine != "threads" else []:
                _wait_for(out / "workers", point, process)
                _kill_a_worker(served[1] or process.pid, process)
            died = _read_result(process)["digest"]
    return again, died


def _wait_for(out: Path, units: int, process: Any) -> None:
    """Wait until so many units are finished: there is a line for each."""
    file = out / "outcomes.jsonl"
    while process.poll() is None and (not file.exists() or file.read_bytes().count(b"\n") < units):
        time.sleep(0.05)
    if process.poll() is not None:
        raise ExecutorError(f"the run had ended before {units} units were finished")


def _kill_a_worker(root: int, process: Any) -> None:
    while process.poll() is None:  # for a moment there may be none, since the last one was killed
        for one in _workers(root)[:1]:
            one.kill()
            return
        time.sleep(0.05)
    raise ExecutorError("the run had ended before another worker came")


def _cpu(root: int) -> tuple[float, float]:
    """CPU seconds of the workers below a process, and of what else the engine has: schedulers, servers."""
    workers = {one.pid for one in _workers(root)}
    processes = [*_children(root), *([_process(root)] if root != os.getpid() else [])]
    sums = {True: 0.0, False: 0.0}
    for one in processes:
        with suppress(_psutil().Error):
            sums[one.pid in workers] += sum(one.cpu_times()[:2])
    return sums[True], sums[False]


def _workers(root: int) -> list[Any]:
    return [one for one in _children(root) if any(_says(one, word) for word in _WORKERS)]


def _says(process: Any, word: str) -> bool:
    with suppress(_psutil().Error):
        return any(word in argument for argument in process.cmdline())
    return False


def _children(root: int) -> list[Any]:
    found: list[Any] = _process(root).children(recursive=True)
    return found


def _end(processes: list[Any]) -> None:
    for one in processes:
        with suppress(_psutil().Error):
            one.kill()


def _process(pid: int) -> Any:
    return _psutil().Process(pid)


def _psutil() -> Any:
    return importlib.import_module("psutil")  # comes with Dask
