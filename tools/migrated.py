"""Programs of others through `memzoo migrate`, and run before and after: `python -m tools.migrated FOLDER`.

The folder has Python files that use LangChain's memory; none is part of this project, and tests/hosts/migrate has the
names of those that docs/langchain.md tells of. Each is rewritten, and read again. Those that change are run twice, each
time in a process of its own: with langchain-classic in the place of langchain, scripted models, and stand-ins for all
that is not installed. Compared is what they print, how they end, and what each memory that they leave shows after three
more exchanges. Run it where their code may do no harm, such as a container without network.
"""

import ast
import builtins
import contextlib
import importlib
import io
import json
import logging
import multiprocessing
import os
import signal
import sys
import tempfile
import types
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Annotated, Any
from unittest.mock import MagicMock

import typer
from langchain_core.language_models import FakeListChatModel
from langchain_core.language_models.fake import FakeListLLM

import memzoo.langchain
from memzoo.errors import TransferError
from memzoo.hosts.migrate.code import Migrated, migrate_code

_SECONDS = 5
_REPLIES = list[str]("One Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve".split())
_TYPED = ("hello", "bye")


def migrated(
    folder: Annotated[Path, typer.Argument(help="Where the programs are.", exists=True, file_okay=False)],
    *,
    without_langchain: Annotated[bool, typer.Option(help="Rewrite ConversationChain, too.")] = False,
    run: Annotated[bool, typer.Option(help="Run the programs, too.")] = True,
) -> None:
    """Rewrite each program, run it before and after, and print what came out otherwise, and a count."""
    counts = Counter[str]()
    for path in sorted(folder.rglob("*.py")):
        name = path.relative_to(folder)
        counts["files"] += 1
        try:
            made = migrate_code(path, without_langchain=without_langchain)
        except TransferError as error:
            counts["refused"] += 1
            typer.echo(f"{name}: {error}")
            continue
        counts["uses"] += len(made.findings)
        counts["left, with a reason"] += len(made.left)
        counts["rewritten"] += len(made.findings) - len(made.left)
        for fault in _faults(made):
            counts["wrong"] += 1
            typer.echo(f"{name}: {fault}")
        if run and made.diff:
            before, after = (_outcome(code, path) for code in (made.before, made.after))
            counts["run"] += 1
            counts["run, to a memory or to the end"] += before["ended"] == "" or bool(before["shown"])
            if before != after:
                counts["other outcome"] += 1
                for key in (key for key in before if before[key] != after[key]):
                    typer.echo(f"{name}: {key}\n  before: {before[key]!r:.300}\n  after:  {after[key]!r:.300}")
    typer.echo("\n".join(f"{number:6} {what}" for what, number in counts.items()))


def _faults(made: Migrated) -> Iterator[str]:
    """What can be seen to be wrong without running it."""
    try:
        tree = ast.parse(made.after)
    except SyntaxError as error:
        yield f"cannot be read any more: {error}"
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "memzoo.langchain":
            yield from (f"there is no {one.name}" for one in node.names if one.name not in memzoo.langchain.__all__)


def _outcome(code: str, path: Path) -> Mapping[str, Any]:
    """Run a program in a process of its own: what it printed, how it ended, and what its memories show."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(target=_run, args=(code, path, theirs))
    child.start()
    theirs.close()
    try:
        return dict(ours.recv())
    except EOFError:
        return {"printed": "", "ended": "killed", "shown": {}}
    finally:
        child.join()


def _run(code: str, path: Path, to: Connection) -> None:
    signal.setitimer(signal.ITIMER_VIRTUAL, _SECONDS)  # ends it; of its own time, whatever else runs here
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    os.environ["OPENAI_API_KEY"] = "none"
    sys.meta_path.insert(0, _LangChain())
    sys.meta_path.append(_StandIns())
    typed, printed, ended = iter(_TYPED), io.StringIO(), ""

    def answer(*_: object) -> str:
        if (line := next(typed, None)) is None:
            raise EOFError
        return line

    builtins.input = answer  # type: ignore[assignment]
    left: dict[str, Any] = {"__name__": "__main__", "__package__": "of_the_program"}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        try:
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
                exec(compile(code, str(path), "exec"), left)  # noqa: S102
        except BaseException as error:  # noqa: BLE001 - whatever the program does is its outcome
            ended = f"{type(error).__name__}: {error}"
        to.send({"printed": printed.getvalue(), "ended": ended, "shown": dict(_shown(left))})


def _shown(left: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What each memory that a program leaves shows after three more exchanges."""
    for name, value in left.items():
        found: list[tuple[str, Any]] = [(name, value), (f"{name}.memory", getattr(value, "memory", None))]
        for place, one in found:
            if not hasattr(one, "load_memory_variables") or isinstance(one, (type, types.ModuleType, MagicMock)):
                continue
            said, answered = (getattr(one, f"{side}_key", None) or side for side in ("input", "output"))
            try:
                for number in range(3):
                    one.save_context({said: f"I like tea {number}."}, {answered: f"Fine {number}."})
                loaded = one.load_memory_variables({said: "Tea?"})
            except Exception as error:  # noqa: BLE001 - as above
                yield place, f"{type(error).__name__}: {error}"
            else:
                yield place, json.dumps(loaded, default=_said, sort_keys=True)


def _said(message: Any) -> list[str]:
    return [str(message.type), str(message.content)]


class _LangChain(MetaPathFinder, Loader):
    """`langchain` as `langchain_classic` has it, with scripted models."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: Any = None) -> ModuleSpec | None:
        """See `MetaPathFinder`."""
        if fullname.partition(".")[0] in {"langchain", "langchain_openai", "langchain_ollama"}:
            return ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec: ModuleSpec) -> types.ModuleType:
        """See `Loader`."""
        head, _, rest = spec.name.partition(".")
        if head == "langchain" and rest.split(".")[0] not in {"llms", "chat_models", "embeddings"}:
            with contextlib.suppress(ImportError):
                real = importlib.import_module(f"langchain_classic.{rest}".rstrip("."))
                return _Made(spec.name, real)
        return _Made(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """Nothing is left to do."""


class _StandIns(_LangChain):
    """Whatever is not installed, or is not there in this version."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: Any = None) -> ModuleSpec | None:
        """See `MetaPathFinder`."""
        return ModuleSpec(fullname, self, is_package=True)


class _Made(types.ModuleType):
    """A module that has every name: that of a real one, a scripted model, or a stand-in."""

    def __init__(self, name: str, real: types.ModuleType | None = None) -> None:
        super().__init__(name)
        self.__path__ = []
        self._real = real

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in {"OpenAI", "OllamaLLM", "Ollama", "LlamaCpp"}:
            return _TextModel
        with contextlib.suppress(AttributeError):
            return getattr(self._real, name)
        if self._real is None and name.startswith("Chat"):
            return _ChatModel
        stand_in = MagicMock(name=f"{self.__name__}.{name}")
        setattr(self, name, stand_in)
        return stand_in


def _words(text: str) -> int:
    return len(text.split())


class _TextModel(FakeListLLM):
    def __init__(self, *_: Any, **__: Any) -> None:
        super().__init__(responses=_REPLIES)

    def get_num_tokens(self, text: str) -> int:
        return _words(text)


class _ChatModel(FakeListChatModel):
    def __init__(self, *_: Any, **__: Any) -> None:
        super().__init__(responses=_REPLIES)

    def get_num_tokens(self, text: str) -> int:
        return _words(text)

    def get_num_tokens_from_messages(self, messages: Any, tools: Any = None) -> int:
        return sum(_words(str(one.content)) for one in messages)


if __name__ == "__main__":
    typer.run(migrated)
