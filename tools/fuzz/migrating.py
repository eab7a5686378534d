"""Fuzzes programs: `memzoo migrate` rewrites each, or reports it and leaves it unchanged, and goes on to the next."""

import ast
import random
import re
import stat
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

from memzoo.errors import TransferError
from memzoo.hosts.migrate.apart import Apart
from memzoo.hosts.migrate.code import migrate_code, python_files, write
from tests.hosts.migrate.samples import SAMPLES
from tools.fuzz.mutations import Fuzzed, spoilt

__all__ = ["fuzz_migrate"]

_SECONDS = 20
# Lines that a rewriting may change: those with names of either library, with arguments, or with a bracket.
_TOUCHED = re.compile(r"langchain|memzoo|Memory|History|Conversation|KnowledgeTriple|session_id|connection|[()]")
_CODINGS = ("utf-99", "hex", "rot13", "latin-1", "utf-16", "utf-7", "ascii", "utf-8-sig", "cp1252", "")


def fuzz_migrate(count: int, folder: Path, seed: int = 0) -> Fuzzed:
    """Change `count` programs, and migrate the folder of the programs.

    Args:
        count: The number of changed programs.
        folder: An empty folder.
        seed: The seed of the changes.
    """
    fuzzed, chance = Fuzzed("programs"), random.Random(seed)  # noqa: S311 - chance that repeats
    before: dict[Path, tuple[bytes, int]] = {}
    for number in range(count):
        file = folder / f"{number}.py"
        content = _changed(chance.choice(SAMPLES).code.encode(), chance)
        file.write_bytes(content)
        file.chmod(chance.choice([0o600, 0o644, 0o755, 0o444]))
        before[file] = content, file.stat().st_mode
    odd: list[TransferError | str] = []
    with Apart(_SECONDS) as apart:
        for file in python_files(folder, odd.append, odd.append):
            try:
                done = apart.migrate_file(file)
                if done.diff:
                    write(done)
                outcome = "rewritten" if done.diff else "left"
            except TransferError:
                outcome = "refused by name"
            except Exception as error:  # noqa: BLE001 - what must not be
                outcome = "wrong"
                fuzzed.wrong.append(f"{file}: {error!r}")
            fuzzed.outcomes[outcome] += 1
            _look_at(fuzzed, file, *before[file], is_new=outcome == "rewritten")
    fuzzed.holds(sum(fuzzed.outcomes.values()) == count and not odd, f"not all files were looked at: {odd}")
    fuzzed.holds({*folder.iterdir()} == {*before}, "something was left beside the files")
    return fuzzed


def _changed(content: bytes, chance: random.Random) -> bytes:
    lines = content.splitlines(keepends=True)
    depth, wide = chance.choice([10, 300, 3_000]), chance.choice([100, 500, 900])

    def with_line(line: str) -> Callable[[], bytes]:
        return lambda: content + f"\n{line}\n".encode()

    ways: Sequence[Callable[[], bytes]] = [
        lambda: spoilt(content, chance),
        lambda: spoilt(content, chance),
        lambda: b"".join(chance.sample(lines, len(lines))),
        lambda: b"".join(line for line in lines if chance.random() < 0.9),
        lambda: content.replace(b"\n", b"\r\n"),
        lambda: content.replace(b"\n", b"\r"),
        lambda: content.replace(b"    ", b"\t"),
        lambda: f"# coding: {chance.choice(_CODINGS)}\nx = '\xe9'\n".encode("latin-1") + content,
        lambda: b"\xef\xbb\xbf" + content,
        with_line(f"x = {'(' * depth}{')' * depth}"),
        with_line(f"x = {'[' * depth}"),
        with_line("x = " + "+".join("1" * wide)),
        with_line("x = " + "-" * wide + "1"),
        with_line("x = a" + ".b" * wide),
        with_line("x = a" + "()" * wide),
        with_line("x = " + "lambda: " * depth + "1"),
        with_line("\n".join("  " * level + "if x:" for level in range(min(depth, 120)))),
        with_line("if a: pass\n" + "elif a: pass\n" * wide),
        with_line("x = " + "f'{" * 5 + "1" + "}'" * 5),
        with_line(
            "match x:\n  case [1, *_] | {'a': 1}: pass\ntype X[T] = list[T]\ntry: pass\nexcept* ValueError: pass"
        ),
    ]
    return chance.choice(ways)()


def _look_at(fuzzed: Fuzzed, file: Path, before: bytes, mode: int, *, is_new: bool) -> None:
    after = file.read_bytes()
    fuzzed.holds(file.stat().st_mode == mode, f"{file} has the mode {stat.filemode(file.stat().st_mode)}")
    if not is_new:
        fuzzed.holds(after == before, f"{file} is another one, and was not rewritten")
        return
    fuzzed.holds(_kept(after) == _kept(before), f"{file}: lines are lost")
    fuzzed.holds(_is_python(after) or not _is_python(before), f"{file} is no Python any more")
    fuzzed.holds(migrate_code(file).diff == "", f"{file} would change again")


def _kept(content: bytes) -> list[str]:
    return [line for line in re.split(r"\r\n|\r|\n", content.decode("latin-1")) if not _TOUCHED.search(line)]


def _is_python(content: bytes) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
