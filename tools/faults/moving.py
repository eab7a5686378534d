"""The fault "moving": a process is killed while it imports conversations or rewrites code; another continues."""

import contextlib
import functools
import json
import random
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from memzoo.hosts.migrate.code import Migrated, migrate_code, write
from memzoo.hosts.migrate.importing import import_logs, read_logs
from memzoo.stores import open_store
from memzoo.sync import drive
from tests.hosts.migrate.samples import SAMPLES
from tools.faults.lives import killed, tell
from tools.faults.places import Places
from tools.faults.tally import Cell, Tally

__all__ = ["import_cells", "kill_imports", "kill_migrations", "migrate_cells"]

_FORM = "llama-index"
_TALKS, _MESSAGES, _BEFORE = 6, 40, 10
_COPIES = 3  # of each program
_LATER = 1.2  # the last kills come when a process has ended, as often as not


def import_cells(places: Places, kills: int) -> Iterator[Cell]:
    """Yield a cell for imports into each store that processes can share."""
    for store in ("sqlite", "postgresql"):
        work = functools.partial(kill_imports, new=functools.partial(places.url, store), places=places, kills=kills)
        yield Tally("import killed", _FORM, store), work


def migrate_cells(places: Places, kills: int) -> Iterator[Cell]:
    """Yield a cell for rewriting files."""
    yield Tally("migrate killed", "programs", "files"), functools.partial(kill_migrations, places=places, kills=kills)


def kill_imports(tally: Tally, new: Callable[[], str], places: Places, kills: int, *, seed: int = 0) -> None:
    """Kill `kills` imports at random moments; repeat each import on the same store until it finishes."""
    folder = places.folder()
    folder.mkdir(parents=True)
    earlier, source = _export(folder / "earlier.json", _BEFORE), _export(folder / "whole.json", _MESSAGES)
    expected = {log.title: list(log.messages) for log in read_logs(_FORM, source)}
    chance = random.Random(f"{seed} {tally.store}")  # noqa: S311 - chance that repeats
    url = new()
    _import(url, source, None)
    while tally.tried < kills:
        url = new()
        # Two conversations are there, but for what was said since.
        known = [log for log in read_logs(_FORM, earlier) if log.title in ("talk-0", "talk-1")]
        with contextlib.closing(open_store(url)) as store:
            import_logs(store, known)
        acknowledged, longest, is_killed = set[str](), _import(new(), source, None), True
        while is_killed and tally.tried < kills:
            told, is_killed = killed(_import, url, source, after=chance.uniform(0, _LATER * longest))
            acknowledged |= told
            tally.tried += is_killed
            _look(tally, _kept(url), expected, {log.title: _BEFORE for log in known}, acknowledged)
        _import(url, source, None)
        tally.check_equal(_kept(url), expected, "what is there in the end")


def _export(file: Path, messages: int) -> str:
    talks = {
        f"talk-{talk}": [
            {"role": ("user", "assistant")[place % 2], "blocks": [{"block_type": "text", "text": f"{talk} {place}"}]}
            for place in range(messages)
        ]
        for talk in range(_TALKS)
    }
    file.write_text(json.dumps({"store": talks}), encoding="utf-8")
    return str(file)


def _import(url: str, source: str, pipe: Connection | None) -> float:
    """Import, report the begin and each conversation over a pipe if given, and return the seconds taken."""
    with contextlib.closing(open_store(url)) as store:
        began = time.monotonic()
        tell(pipe, "open")
        for log in read_logs(_FORM, source):
            import_logs(store, [log])
            tell(pipe, log.title)
        return time.monotonic() - began


def _kept(url: str) -> dict[str, list[Any]]:
    with contextlib.closing(open_store(url)) as store:
        return {id_: [entry.message for entry in drive(store.read(id_))] for id_ in drive(store.conversations())}


def _look(
    tally: Tally,
    kept: Mapping[str, list[Any]],
    expected: Mapping[str, list[Any]],
    before: Mapping[str, int],
    acknowledged: set[str],
) -> None:
    """Check that a new conversation is whole or missing, and an existing one has its old and some new messages."""
    for id_, whole in expected.items():
        found = kept.get(id_, [])
        is_part = found == whole[: len(found)] and (len(found) in (0, len(whole)) if id_ not in before else True)
        tally.check_equal(is_part or found, True, f"{id_} after a kill")  # noqa: FBT003
        tally.doubled += len(found) > len(whole)
        if len(found) < (len(whole) if id_ in acknowledged else before.get(id_, 0)):
            tally.lost += 1
            tally.example(f"{id_} has {len(found)} messages")


def kill_migrations(tally: Tally, places: Places, kills: int, *, seed: int = 0) -> None:
    """Kill `kills` processes that rewrite a folder.

    Each file must be as before or fully rewritten. At the end, all files must be rewritten.
    """
    chance = random.Random(seed)  # noqa: S311 - chance that repeats
    expected = places.folder()
    programs = _programs(expected)
    before = _bytes(expected)
    longest = _rewrite(programs, None)
    after = _bytes(expected)
    while tally.tried < kills:
        folder, is_killed = places.folder(), True
        _fill(folder, before)
        while is_killed and tally.tried < kills:
            told, is_killed = killed(_rewrite, _left(programs, folder), after=chance.uniform(0, _LATER * longest))
            tally.tried += is_killed
            found = _bytes(folder)
            for name, old in before.items():
                if name in told and found.get(name) != after[name]:
                    tally.lost += 1
                    tally.example(f"{name} is not rewritten")
                tally.check_equal(found.get(name) in (old, after[name]), True, f"{name} after a kill")  # noqa: FBT003
        _rewrite(_left(programs, folder), None)
        tally.check_equal(_bytes(folder), after, "the files in the end")


def _programs(folder: Path) -> list[Migrated]:
    """Write programs into a folder, and return the expected migration of each program."""
    folder.mkdir(parents=True)
    changed: list[Migrated] = []
    for number, sample in enumerate(SAMPLES):
        first = folder / f"{number:03}-0.py"
        for copy in range(_COPIES):
            file = folder / f"{number:03}-{copy}.py"
            file.write_text(sample.code, encoding="utf-8")
            file.chmod((0o600, 0o644, 0o755)[copy % 3])
        if (done := migrate_code(first)).diff:
            changed += [replace(done, path=folder / f"{number:03}-{copy}.py") for copy in range(_COPIES)]
    return changed


def _fill(folder: Path, files: Mapping[str, tuple[bytes, int]]) -> None:
    folder.mkdir(parents=True)
    for name, (content, mode) in files.items():
        (folder / name).write_bytes(content)
        (folder / name).chmod(mode)


def _left(programs: list[Migrated], folder: Path) -> list[Migrated]:
    """Return the programs in a folder that are not rewritten yet."""
    there = [replace(one, path=folder / one.path.name) for one in programs]
    return [one for one in there if one.path.read_text(encoding="utf-8") == one.before]


def _bytes(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {file.name: (file.read_bytes(), file.stat().st_mode) for file in sorted(folder.iterdir())}


def _rewrite(programs: list[Migrated], pipe: Connection | None) -> float:
    began = time.monotonic()
    tell(pipe, "open")
    for one in programs:
        write(one)
        tell(pipe, one.path.name)
    return time.monotonic() - began
