"""The command that talks to a model."""

import io
import json
import logging
import sys
import uuid
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from typing import Annotated

import typer
from rich.markup import escape

from memzoo.cli.options import (
    Asked,
    command,
    conversation_option,
    only_conversation,
    read_memory,
    unlock_store,
    write_count,
)
from memzoo.cli.terminal import Terminal, tell
from memzoo.errors import MessageError, ModelError, OverBudgetError, TurnError
from memzoo.memories import Conversation
from memzoo.strategy import BaseMemory
from memzoo.sync import drive
from memzoo.text import did_you_mean
from memzoo.types import Spent

console = Terminal(soft_wrap=True, highlight=False)

_COMMANDS = {
    "/help": "Show this.",
    "/regenerate": "Answer the last question again.",
    "/edit": "Say something else in place of your last message: /edit TEXT.",
    "/pin": "Pin your last message: the model sees it from now on, word for word.",
    "/memory": "Show the model's view, as chat messages.",
    "/usage": "Show calls and tokens since the start: for answers, and for the memory's upkeep.",
    "/quit": "End the chat, as do /exit, Ctrl-D, and Ctrl-C at the prompt. During an answer, Ctrl-C stops the answer.",
}


@command("Talk")
def chat(
    *,
    memory: Annotated[
        str, typer.Option(help="The strategy, or name:option=value,...; see `memzoo list`.")
    ] = "summary-buffer",
    asked: Asked,
    store: Annotated[
        str, typer.Option(help="The store for the conversation, such as sqlite:///chat.db.")
    ] = "memory://",
    conversation: Annotated[str | None, conversation_option("Which conversation of the store to continue.")] = None,
    system: Annotated[
        str, typer.Option(help="Instructions for the model. They are sent with each request and not stored.")
    ] = "",
) -> None:
    """Chat with a model that remembers. With --store, you can continue the conversation later."""
    if isinstance(sys.stdin, io.TextIOWrapper) and not sys.stdin.isatty():
        with suppress(io.UnsupportedOperation):  # some of it is read already
            sys.stdin.reconfigure(encoding="utf-8-sig", errors="surrogateescape")  # as files are read
    read_memory(memory)  # refuses an unknown name before a store is opened
    model = asked.make_model()
    with closing(unlock_store(store)) as opened, _notes_apart() as notes:
        # A read-only store fails here, before a model is paid for an answer.
        drive(opened.clear(uuid.uuid4().hex))
        id_ = conversation or only_conversation(opened)
        remembered = asked.memory(memory, store=opened, conversation_id=id_, on_model_error="defer")
        if getattr(remembered, "max_token_limit", None):
            # Load the vocabulary now: a warning that it is missing must not interrupt an answer.
            _ = remembered.render.counter.name
        console.print(
            f"[dim]{type(remembered).__name__}, model {escape(asked.model)}, conversation {escape(id_)}, "
            f"{write_count(len(remembered.history()), 'message')} so far. /help shows the commands.[/]"
        )
        with Conversation(model, remembered, system=system) as talking:
            failed = _converse(talking, asked.model, notes)
    if failed:
        raise typer.Exit(1)


class _Notes(logging.Handler):
    """Collects messages logged during an answer, each text once, and prints them afterwards."""

    def __init__(self) -> None:
        super().__init__()
        self._texts: dict[str, None] = {}

    def emit(self, record: logging.LogRecord) -> None:
        self._texts[record.getMessage()] = None

    def tell(self) -> None:
        for text in self._texts:
            tell("[yellow]note:[/]", text)
        self._texts.clear()


@contextmanager
def _notes_apart() -> Generator[_Notes]:
    """Yield a log handler that holds back memzoo's messages until the end of an answer."""
    logger, notes = logging.getLogger("memzoo"), _Notes()
    # Otherwise, log messages would appear in the middle of a streamed answer.
    before, logger.propagate = logger.propagate, False
    logger.addHandler(notes)
    try:
        yield notes
    finally:
        logger.removeHandler(notes)
        logger.propagate = before
        notes.tell()


def _converse(conversation: Conversation, model: str, notes: _Notes) -> bool:
    """Answer the user's lines until the input ends; return True if an answer failed."""
    failed = False
    while (line := _read_line()) is not None:
        try:
            word, _, rest = line.partition(" ")
            if word == "/regenerate" or (word == "/edit" and rest.strip()):
                _take_turn(conversation, model, rest.strip() or None, again=True)
            elif line.startswith("/"):
                _obey(word, conversation)
            elif line.strip():
                _take_turn(conversation, model, line.strip())
        except KeyboardInterrupt:
            console.print("\n[dim]Stopped. Your message is kept.[/]")
        except (ModelError, MessageError, OverBudgetError, TurnError) as error:
            console.print()
            tell("[bold red]error:[/]", str(error))
            failed = True
        notes.tell()
    return failed


def _before_question(memory: BaseMemory) -> int:
    """Return the log number just before the user's last message; 0 without such a message."""
    asked = (entry.seq for entry in memory.entries(newest_first=True) if entry.message["role"] == "user")
    return next(asked, 1) - 1


def _read_line() -> str | None:
    try:
        line = console.input("[bold]you:[/] ")
    except EOFError:
        console.print()
        return None
    except KeyboardInterrupt:
        console.print("\n[dim]Ended.[/]")
        raise typer.Exit(130) from None  # a shell's exit code after Ctrl-C
    return None if line.strip() in ("/quit", "/exit") else line


def _obey(word: str, conversation: Conversation) -> None:
    if word == "/memory":
        request = json.dumps(conversation.memory.messages(), indent=2, ensure_ascii=False)
        console.print(request, markup=False)
        return
    if word == "/pin":
        asked = _before_question(conversation.memory) + 1
        conversation.memory.pin(asked)
        console.print(f"  Message {asked} is pinned.")
        return
    if word == "/usage":
        answers = conversation.usage["chat"].calls
        for name, usage in ("answers", conversation.usage), ("memory", conversation.memory.usage):
            console.print(f"  {name:13}{_describe_cost(usage.total, answers)}")
        return
    if word not in _COMMANDS:
        console.print(f"There is no command {word!r}{did_you_mean(word, _COMMANDS)}", markup=False)
    for name, meaning in _COMMANDS.items():
        console.print(f"  {name:13}{meaning}")
    console.print("  To say something that begins with /, type a space before it.")


def _describe_cost(spent: Spent, answers: int) -> str:
    written = f", {spent.cache_write_tokens:,} written to its cache" if spent.cache_write_tokens else ""
    each = (spent.prompt_tokens + spent.completion_tokens) / max(answers, 1)
    return (
        f"{spent.calls:,} {'call' if spent.calls == 1 else 'calls'}: {spent.prompt_tokens:,} tokens sent, "
        f"{spent.cached_tokens:,} of them cached by the provider{written}; {spent.completion_tokens:,} received; "
        f"{each:,.0f} tokens an answer"
    )


def _take_turn(conversation: Conversation, model: str, line: str | None, *, again: bool = False) -> None:
    """Answer a line; with `again`, the line replaces the user's last message.

    Without a line, the last message is answered again.
    """
    after = _before_question(conversation.memory) if again and line else None
    console.print(f"[bold]{escape(model)}:[/] ", end="")
    with closing(conversation.stream(line, after=after)) as pieces:
        for piece in pieces:
            console.print(piece, end="", markup=False)
    console.print()
