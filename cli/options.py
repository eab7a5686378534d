"""Options shared by several commands: the model to ask, the store to open, the file to write."""

import dataclasses
import functools
import inspect
import os
import re
import shutil
import sys
import tempfile
import uuid
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Annotated, Any, TextIO
from urllib.parse import unquote

import typer

from memzoo.dispatch import executor_of
from memzoo.errors import OptionError, StoreError, UnsupportedError
from memzoo.memories import ChatModel, create_memory
from memzoo.memories.strategies.named import short_name, strategy_named
from memzoo.memories.text.tokens import token_counter
from memzoo.stores import Entry, ManagedStore, open_store
from memzoo.stores.encryption import keys_from_environment
from memzoo.strategy import BaseMemory, ModelBackedMemory
from memzoo.sync import drive
from memzoo.text import did_you_mean, is_loopback, read_options, redact_url, visible

# The most conversation ids in an error message.
_LISTED = 20
_MODEL = re.compile(r"(.+?):\s*([\w-]++=.*)")
# The options of memories that a command has under another name.
_OTHERS = {
    "llm": "use --model",
    "store": "use --store",
    "conversation_id": "use --conversation",
    "name": "write the name of the strategy before the colon",
}
_NUMBERS = {"max_completion_tokens", "max_tokens", "temperature", "timeout"}
_NO_KEY = (
    "model {!r} needs a key: set OPENAI_API_KEY (to any value if the server checks no keys), or use --model offline"
)


def conversation_option(text: str) -> Any:
    """Return the option --conversation with the given help text. An empty value is refused."""

    def check(given: str | None) -> str | None:
        # A script with an unset variable passes "", and must not touch another conversation.
        if given == "":
            raise OptionError("--conversation must name a conversation, not ''; or leave the option out")
        return given

    return typer.Option("--conversation", callback=check, help=text)


StoreURL = Annotated[str, typer.Option(help="The store, such as sqlite:///chat.db.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")]
OutFile = Annotated[Path | None, typer.Option(help="The file to write; by default, print the result.")]


def command(panel: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that makes a function a command of `memzoo`.

    Each parameter that is a dataclass is replaced by options, one for each field.

    Args:
        panel: The heading under which the help lists the command.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        made = _with_options(function)
        # Typer keeps the line ends of all but the first paragraph.
        made.__doc__ = re.sub(r"(?<!\n)\n(?!\n)", " ", inspect.cleandoc(made.__doc__ or ""))
        vars(made)["shown"] = {"rich_help_panel": panel}
        return made

    return decorate


def shown_as(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the arguments that make typer's decorator `command` list a command under its heading in the help."""
    shown: dict[str, Any] = vars(function).get("shown", {})
    return shown


def _with_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command in which each parameter of a dataclass type is replaced by one option for each field."""
    own = inspect.signature(command).parameters
    groups: dict[str, Any] = {
        name: one.annotation for name, one in own.items() if dataclasses.is_dataclass(one.annotation)
    }
    fields = {name: inspect.signature(group).parameters for name, group in groups.items()}
    options = [option for name, one in own.items() for option in fields.get(name, {name: one}).values()]

    @functools.wraps(command)
    def run(**given: Any) -> Any:
        made = {name: groups[name](**{option: given.pop(option) for option in fields[name]}) for name in groups}
        return command(**made, **given)

    # Typer reads the signature and the annotations. In a signature, only keyword-only parameters may have a default
    # before a parameter without a default.
    by_keyword = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in options]
    vars(run)["__signature__"] = inspect.Signature(by_keyword)
    run.__annotations__ = {one.name: one.annotation for one in options}
    return run


@dataclasses.dataclass(frozen=True)
class Stored:
    """The options for a store and a conversation in the store."""

    store: StoreURL
    conversation: Annotated[str | None, conversation_option("Which conversation of the store, if it has several.")] = (
        None
    )

    @contextmanager
    def open_conversation(self) -> Generator[tuple[ManagedStore, str]]:
        """Yield the opened store, and the id of the conversation given with --conversation.

        Without this option, the store must have exactly one conversation.

        Raises:
            StoreError: The store cannot be opened.
            OptionError: The store has no such conversation.
            OptionError: No conversation was given, and the store has several or none.
        """
        with closing(open_existing(self.store)) as store:
            yield store, self.choose(store)

    def choose(self, store: ManagedStore) -> str:
        """Return the id of the chosen conversation of an opened store, as `open_conversation` does."""
        if self.conversation and drive(store.read(self.conversation, limit=1)):
            return self.conversation
        known = _list_ids(store)
        if not known:
            raise OptionError("the store has no conversation yet")
        if self.conversation:
            likely = did_you_mean(self.conversation, known)
            raise OptionError(f"the store has no conversation {self.conversation!r}; it has {_tell(known)}{likely}")
        return only_conversation(store)


@dataclasses.dataclass(frozen=True)
class Asked:
    """The options for the model that answers a command's prompts."""

    given: Annotated[
        str,
        typer.Option(
            "--model",
            help="A model at your endpoint (set OPENAI_API_KEY), or 'offline' for the built-in rules. Options of the "
            "request and the client follow a colon, with commas between them: gpt-4o-mini:seed=7.",
        ),
    ] = "offline"

    @property
    def model(self) -> str:
        """The model's name, which may have colons, such as "qwen3:4b"."""
        found = _MODEL.fullmatch(self.given)
        return found[1] if found else self.given

    @property
    def options(self) -> dict[str, Any]:
        """The options in --model, as arguments of `ChatModel`.

        Raises:
            OptionError: A part of the text is not an option, or an option needs a number but has another value.
        """
        found = _MODEL.fullmatch(self.given)
        options = read_options(found[2]) if found else {}
        if "model" in options:
            raise OptionError(f"--model: write the model's name before the colon, not as an option: {self.given!r}")
        for name in _NUMBERS & options.keys():
            if not isinstance(options[name], int | float):
                raise OptionError(f"--model: {name} must be a number, not {options[name]!r}")
        return options

    @property
    def is_rules(self) -> bool:
        """True if the built-in offline model answers, and no endpoint is asked."""
        return self.model == "offline" and "base_url" not in self.options

    def make_model(self) -> ChatModel:
        """Check the endpoint and the key as `check` does, and return the model."""
        self.check(self.model)
        return self.make_named(self.model)

    def make_named(self, name: str) -> ChatModel:
        """Return a model with another name at the same endpoint, with the same options."""
        return ChatModel(name, **self.options)

    def memory(self, given: str, **options: Any) -> BaseMemory:
        """Return a memory with the strategy in `given`. If the strategy needs a model, it gets the one in --model.

        Raises:
            OptionError: The endpoint is not a URL, or the key is missing.
            OptionError: An option is unknown, or has an invalid value.
        """
        name, own = read_memory(given)
        if issubclass(strategy_named(name), ModelBackedMemory):
            options["llm"] = self.make_model()
        # An unknown name is refused here, also by a strategy that counts nothing.
        options["token_counter"] = token_counter(own.get("token_counter"), self.model).chosen
        return create_memory(name, **{**options, **own})

    def check(self, name: str) -> None:
        """Check the endpoint's URL and the key for a model, without asking the model.

        Raises:
            OptionError: The endpoint is not a URL, the key is missing, or `name` is followed by options.
        """
        if found := _MODEL.fullmatch(name):  # the options may have a key, so the error does not repeat them
            raise OptionError(
                f"model {found[1]!r} has options after its name; all models of a run have the options of --model, so "
                "give only the name"
            )
        given = self.options.get("base_url")
        if name == "offline" and not given:
            return
        import openai

        url = str(given or os.environ.get("OPENAI_BASE_URL", ""))
        wrong = OptionError(
            f"base_url (or OPENAI_BASE_URL) must be like http://127.0.0.1:8080/v1, not {redact_url(url)!r}"
        )
        if not re.match("https?://.|$", url):
            raise wrong
        try:
            key = "none" if is_loopback(url) and not os.environ.get("OPENAI_API_KEY") else None
            openai.OpenAI(base_url=given, api_key=self.options.get("api_key", key)).close()
        except openai.OpenAIError as error:
            raise OptionError(_NO_KEY.format(name)) from error
        except Exception as error:  # openai's transport raises several types
            raise wrong from error


@dataclasses.dataclass(frozen=True)
class Workers:
    """The option for the number of processes, or threads, that work at the same time."""

    jobs: Annotated[
        int, typer.Option(min=1, help="Number of processes for the rules, or of threads for a model at an endpoint.")
    ] = 1

    def open_executor(self, asked: Asked) -> AbstractContextManager[Executor | None]:
        """Return a context manager that yields an executor, or `None` to work in the current thread."""
        if self.jobs == 1 or asked.is_rules:
            return executor_of(self.jobs)
        return ThreadPoolExecutor(self.jobs)


def read_memory(text: str) -> tuple[str, dict[str, Any]]:
    """Split a value of --memory, such as window:k=3, into the strategy's short name and its options.

    Raises:
        OptionError: No strategy has this name.
        OptionError: A part of the text is not an option, or must be given in another way, such as with --store.
    """
    name, _, given = text.partition(":")
    name, options = short_name(name), read_options(given) if given else {}
    if other := next((option for option in _OTHERS if option in options), None):
        raise OptionError(f"{other} is not an option of --memory: {_OTHERS[other]}")
    return name, options


def unlock_store(url: str) -> ManagedStore:
    """Return the store at a URL, opened with the keys in MEMZOO_KEY.

    Several keys are separated by commas, the newest first.
    """
    return open_store(url, key=keys_from_environment())


def open_existing(url: str) -> ManagedStore:
    """Return the store at a URL, as `unlock_store` does, but never create a file.

    Raises:
        StoreError: The file does not exist.
    """
    if file := find_missing_file(url):
        raise StoreError(f"there is no file {file}")
    return unlock_store(url)


def find_missing_file(url: str) -> Path | None:
    """Return the file of an SQLite URL if it does not exist; otherwise `None`."""
    file = Path(unquote(re.sub("[?].*", "", url.removeprefix("sqlite:///"))))
    return file if url.startswith("sqlite:///") and not file.exists() else None


def only_conversation(store: ManagedStore) -> str:
    """Return the id of a store's only conversation, or a new id if the store is empty.

    Raises:
        OptionError: The store has several conversations.
        UnsupportedError: The store cannot list its conversations.
    """
    known = _list_ids(store)
    if len(known) > 1:
        raise OptionError(f"the store has several conversations; choose one with --conversation: {_tell(known)}")
    return known[0] if known else uuid.uuid4().hex


def _list_ids(store: ManagedStore) -> list[str]:
    if not hasattr(store, "conversations"):  # a plain store from another package
        raise UnsupportedError(f"{type(store).__name__} cannot list its conversations: name one with --conversation")
    return drive(store.conversations(limit=_LISTED + 1))


def _tell(ids: list[str]) -> str:
    more = ", and more (`memzoo list --store` lists all)" if len(ids) > _LISTED else ""
    return ", ".join(map(repr, ids[:_LISTED])) + more


def write(file: Path | None, pieces: Iterable[str]) -> None:
    """Write a text to a file in UTF-8. Without a file, print the text; unless to a terminal, in UTF-8 too.

    Only the owner may read a new file, because it contains conversations.

    Raises:
        OptionError: The file cannot be written. An existing file stays unchanged.
    """
    if file is None:
        if not sys.stdout.isatty() and (change := getattr(sys.stdout, "reconfigure", None)):
            change(encoding="utf-8")
        sys.stdout.writelines(map(visible, pieces))
        return
    try:
        with _in_place_of(file) as opened:
            opened.writelines(pieces)
    except OSError as error:
        raise OptionError(f"{str(file)!r} cannot be written: {error.strerror}") from error


@contextmanager
def _in_place_of(file: Path) -> Generator[TextIO]:
    """Yield a new file for writing, which replaces another file once it is complete."""
    is_there = file.exists()
    if is_there:
        # Opening fails for a read-only file, which must not be replaced. A pipe or the like is written directly.
        with file.open("r+" if file.is_file() else "w", encoding="utf-8") as opened:
            if not file.is_file():
                yield opened
                return
    place = file.resolve()  # a link stays a link
    number, name = tempfile.mkstemp(prefix=".memzoo-", dir=place.parent)
    fresh = Path(name)
    try:
        with os.fdopen(number, "w", encoding="utf-8") as opened:
            yield opened
        if is_there:
            shutil.copymode(place, fresh)
        fresh.replace(place)
    finally:
        fresh.unlink(missing_ok=True)


def show_time(entry: Entry) -> str:
    """Return the time of a message as text; "-" if unknown."""
    return entry.said_at.isoformat(sep=" ", timespec="seconds") if entry.said_at else "-"


def write_count(count: int, what: str) -> str:
    """Return a number with its noun, such as "1 message"."""
    return f"{count} {what}{'' if count == 1 else 's'}"
