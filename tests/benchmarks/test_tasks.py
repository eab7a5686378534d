"""What is finished is kept: killed and begun again, alone or by several processes, the result has the same bytes."""

import functools
import json
import os
import signal
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memzoo.benchmarks import Comparison, Settings, Variant, compare
from memzoo.benchmarks.checkpoint import Checkpoint
from memzoo.benchmarks.measure.counting import TextCounter
from memzoo.benchmarks.outcomes import Outcome
from memzoo.benchmarks.transcripts import read_transcripts
from memzoo.errors import OptionError
from memzoo.memories import ConversationBufferMemory
from tests.executors import EXECUTORS
from tests.forking import run_program

MEMORIES = ["window:k=1", "summary-buffer", "vector-retriever"]
FILES = ("outcomes.jsonl", "results.json", "report.md")

# Ends the process, as if the machine had been switched off, in the middle of writing an outcome.
KILLED = """
import os, signal, sys
from memzoo.benchmarks import Settings, compare
from memzoo.benchmarks.checkpoint import Checkpoint

write, left = Checkpoint.write, int(sys.argv[3])

def writing(self, *done):
    global left
    left -= 1
    if left < 0:
        with self.path.open("ab") as file:
            file.write(b'{"transcript":0,"mem')
        os.kill(os.getpid(), signal.SIGKILL)
    write(self, *done)

Checkpoint.write = writing
compare(sys.argv[1], sys.argv[4:], Settings(budgets=[20, 40]), out=sys.argv[2])
"""


@pytest.fixture(scope="module")
def talks(chat_text: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five conversations of different lengths, one on each line."""
    path = tmp_path_factory.mktemp("talks") / "talks.jsonl"
    chat = json.loads(chat_text)
    (session,) = chat["sessions"]
    long = [{"messages": [{**one, "id": f"{n}-{one['id']}"} for one in session["messages"]]} for n in range(3)]
    counts = enumerate((0, 3, 1, 0, 2))
    lines = [{**chat, "title": f"Talk {n}", "sessions": [session, *long[:count]]} for n, count in counts]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return path


def run(talks: Path, out: Path, **options: Any) -> Comparison:
    """Compare, and write everything."""
    found = compare(talks, MEMORIES, Settings(budgets=[20, 40]), out=out, **options)
    found.save(out)
    return found


@pytest.fixture(scope="module")
def undisturbed(talks: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of a run that nobody disturbed."""
    run(talks, out := tmp_path_factory.mktemp("whole"))
    return out


@pytest.fixture(scope="module")
def executors() -> Iterator[Callable[[str], Any]]:
    """The executor of each kind, begun when first asked for: to start its processes takes longer than the work."""
    with ExitStack() as stack:

        @functools.cache
        def begun(kind: str) -> Any:
            return stack.enter_context(EXECUTORS[kind]())

        yield begun


def written(folder: Path) -> dict[str, bytes]:
    """The files that two runs agree on."""
    assert {path.name for path in folder.iterdir()} == {*FILES, "report.html", "times.json", "times.jsonl"}
    return {name: (folder / name).read_bytes() for name in FILES if name != "report.md"}


@pytest.mark.parametrize(("finished", "kind"), [(7, "processes"), (24, None)])
def test_killed_at_any_moment_it_goes_on(
    finished: int,
    kind: str | None,
    talks: Path,
    undisturbed: Path,
    tmp_path: Path,
    *,
    executors: Callable[[str], Any],
) -> None:
    """Nothing is measured twice, and the result is that of a run which nobody disturbed."""
    broken = tmp_path / "broken"
    assert run_program(KILLED, talks, broken, finished, *MEMORIES) == -signal.SIGKILL
    assert (broken / "outcomes.jsonl").read_bytes().count(b"\n") == finished
    steps: dict[str, int] = {}

    def count(name: str, done: int) -> None:
        steps[name] = steps.get(name, 0) + done

    run(talks, broken, executor=executors(kind) if kind else None, progress=count)
    assert written(broken) == written(undisturbed)
    assert len(set(steps.values())) == 1


def test_what_is_finished_is_not_done_again(talks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that was interrupted by hand has kept what it wrote."""
    write = Checkpoint.write

    def tired(self: Checkpoint, *done: Any) -> None:
        if len(self) == 9:
            raise KeyboardInterrupt
        write(self, *done)

    monkeypatch.setattr(Checkpoint, "write", tired)
    with pytest.raises(KeyboardInterrupt):
        run(talks, tmp_path / "out")
    monkeypatch.setattr(Checkpoint, "write", write)
    begun = (tmp_path / "out" / "outcomes.jsonl").read_bytes()
    counted: list[str] = []
    measure: Callable[..., Any] = sys.modules["memzoo.benchmarks.tasks"].measure

    def counting(*given: Any, **more: Any) -> Any:
        counted.append("")
        return measure(*given, **more)

    monkeypatch.setattr("memzoo.benchmarks.tasks.measure", counting)
    run(talks, tmp_path / "out")
    assert len(counted) == 5 * 5 - 9
    assert (tmp_path / "out" / "outcomes.jsonl").read_bytes().startswith(begun)


def test_other_settings_begin_anew(talks: Path, tmp_path: Path) -> None:
    """What was finished within another budget, or of another file, is worth nothing here."""
    out = tmp_path / "out"
    settings: dict[str, Any] = {"budget": 1}
    checkpoint = Checkpoint(out, settings, ["window"])
    assert len(checkpoint) == 0
    (out / "outcomes.jsonl").write_text('{"transcript":0,"memory":"window"}\n', encoding="utf-8")
    assert (0, "window") in Checkpoint(out, settings, ["window"])
    assert len(Checkpoint(out, {"budget": 2}, ["window"])) == 0


@pytest.mark.parametrize("kind", ["threads", "processes"])
def test_whoever_does_the_work_the_results_are_the_same(
    kind: str, executors: Callable[[str], Any], talks: Path, undisturbed: Path, tmp_path: Path
) -> None:
    """Processes, threads: the same bytes."""
    run(talks, tmp_path, executor=executors(kind))
    assert written(tmp_path) == written(undisturbed)


class Deadly:
    """Makes a memory, and kills the first worker that calls it: a file tells who was first."""

    def __init__(self, file: Path) -> None:
        self.file, self.home = file, os.getpid()

    def __call__(self, **common: Any) -> ConversationBufferMemory:
        """Make one."""
        if os.getpid() != self.home and not self.file.exists():
            self.file.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return ConversationBufferMemory(**common)


def test_what_a_dead_worker_had_is_done_by_another(talks: Path, tmp_path: Path) -> None:
    """The outcomes are those of a run in which nobody died."""
    file = tmp_path / "died"
    found = compare(talks, {"mine": Deadly(file), "window": "window"}, executor=2)
    assert file.exists()
    alone = compare(talks, {"mine": Deadly(file), "window": "window"})
    assert found.results == alone.results


@pytest.mark.parametrize("kind", ["threads", "processes"])
def test_functions_reach_the_workers(kind: str, executors: Callable[[str], Any], talks: Path) -> None:
    """Memories, models and counters of one's own: to threads as they are, to processes by cloudpickle."""
    pytest.importorskip("cloudpickle")
    replied = "The user has a cat called Tom."

    def model(_messages: list[dict[str, Any]]) -> str:
        return replied

    def mine(**common: Any) -> ConversationBufferMemory:
        return ConversationBufferMemory(**common)

    counter = TextCounter("words", lambda text: len(text.split()))
    given = Settings(model=model, counter=counter)
    found = compare(talks, {"mine": mine, "summary": "summary"}, given, executor=executors(kind))
    assert found.results == compare(talks, {"mine": mine, "summary": "summary"}, given).results


def test_what_cannot_travel_is_named(talks: Path) -> None:
    """Before anything runs, with what to do. Threads take it."""
    lock = threading.Lock()

    def locked(**common: Any) -> ConversationBufferMemory:
        with lock:
            return ConversationBufferMemory(**common)

    with pytest.raises(
        OptionError, match=r"the memory 'mine' cannot be sent to the workers.*cannot pickle.*or use threads"
    ):
        compare(talks, {"mine": locked}, executor=2)
    with pytest.raises(OptionError, match="model cannot be sent"):
        compare(talks, ["window"], Settings(model=lambda _: str(lock)), executor=2)
    with ThreadPoolExecutor(2) as threads:
        assert not compare(talks, {"mine": locked}, executor=threads).results.failed


@pytest.mark.parametrize("kind", ["threads", "processes"])
def test_no_more_is_spent_than_the_limit(
    kind: str | None, executors: Callable[[str], Any], talks: Path, tmp_path: Path
) -> None:
    """However many work at once. With the rest of the money the run goes on, to the same results."""
    settings = Settings(prices={"*": (1.0, 1.0)})
    executor = executors(kind) if kind else None
    whole = compare(talks, ["summary"], settings, executor=executor)
    spent = sum(one.tokens for row in whole.rows for one in (row.load, row.save, row.asking)) / 1e6
    found = compare(
        talks, ["summary"], replace(settings, stop_at=0.6 * spent + 0.0015), out=tmp_path, executor=executor
    )
    assert "might cost" in found.ended
    lines = (tmp_path / "outcomes.jsonl").read_text(encoding="utf-8").splitlines()
    sums = [Outcome.model_validate_json(line) for line in lines]
    kept = sum(one.tokens for done in sums for one in (done.load, done.save, done.asking)) / 1e6
    assert 0 < kept <= 0.6 * spent + 0.0015
    again = compare(talks, ["summary"], replace(settings, stop_at=spent + 0.01), out=tmp_path, executor=executor)
    assert (again.ended, again.results) == ("", whole.results)


def test_many_conversations_are_not_held(talks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are read as they are needed: while the first is measured, the last was not made yet a second time."""
    made: list[int] = []
    read = read_transcripts

    def counting(paths: Any) -> Any:
        for number, one in enumerate(read(paths)):
            made.append(number)
            yield one

    monkeypatch.setattr("memzoo.benchmarks.inputs.read_transcripts", counting)
    seen: list[int] = []

    def look(_name: str, _steps: int) -> None:
        seen.append(len(made))

    compare(talks, [Variant("window", strategy="window")], progress=look)
    assert seen[0] < 5 + 5


@pytest.mark.parametrize("kind", [None, "processes"])
def test_a_memory_that_fails_reports_all_steps(kind: str | None, executors: Callable[[str], Any], talks: Path) -> None:
    """However many processes there are, as many steps are told of one that ends in an error as of the others."""
    steps: Counter[str] = Counter()

    def count(name: str, done: int) -> None:
        steps[name] += done

    # No message fits, so that the first load is an error.
    failing = Variant("failing", strategy="token-window", options={"max_token_limit": 1})
    found = compare(talks, ["window", failing], executor=executors(kind) if kind else None, progress=count)
    assert [row.memory.name for row in found.results.rows if row.error] == ["failing"]
    assert steps["failing"] == steps["window"] > 0


def test_the_folder_must_be_writable(talks: Path) -> None:
    """Whatever is in the way is said before anything runs."""
    with pytest.raises(OptionError, match=r"the results cannot be written to '.*': Not a directory$"):
        compare(talks, ["window"], out=Path(os.devnull) / "out")
