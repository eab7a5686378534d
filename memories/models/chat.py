"""Sends requests to models: any OpenAI-compatible endpoint, the offline model, or a function."""

import contextlib
import functools
import re
import time
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeAlias, runtime_checkable

from memzoo.errors import MemoryZooError, MemoryZooWarning, ModelError, ModelReplyError, OptionError
from memzoo.memories.models.answer import Answer, read_answer, unusable
from memzoo.memories.models.cleaning import extract_spoken, is_sendable
from memzoo.memories.models.clients import BoundMet, Bounds, Clients, as_responses, call_function, split_parameters
from memzoo.memories.models.usage import Spent
from memzoo.memories.text.context_windows import read_told
from memzoo.memories.text.families import ANY, Family, family_of
from memzoo.memories.text.messages import as_sent
from memzoo.memories.text.responses import as_request, as_tool
from memzoo.stores import Message
from memzoo.sync import settled
from memzoo.warned import warn_caller

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI

_UNCHANGED = "; nothing was changed"
# OpenAI's models with thoughts. It refuses others that are asked for encrypted thoughts, gpt-5-chat-latest included.
_THINKS = re.compile(r"(.*/)?(o\d|gpt-[5-9](?!.*chat)|codex)")
_WINDOW_SECONDS = 10
_STREAMED = {"stream": True, "stream_options": {"include_usage": True}}

ChatFunction: TypeAlias = Callable[[list[Message]], str | Awaitable[str]]
"""A function that takes chat messages, oldest first, and returns the text of the reply."""


@dataclass(frozen=True, slots=True)
class Completion:
    """A usable reply.

    Attributes:
        text: The model's text, stripped of white space; never empty.
        spent: The cost of the call.
    """

    text: str
    spent: Spent


@runtime_checkable
class Model(Protocol):
    """A model that answers chat messages."""

    @property
    def name(self) -> str:
        """The model's name, which selects the tokenizer and appears in reports."""
        ...

    async def complete(self, messages: Sequence[Message], purpose: str) -> Completion:
        """Return the model's reply to chat messages.

        Args:
            messages: The chat messages, oldest first.
            purpose: The name of the prompt, for error messages.

        Raises:
            ModelError: The call failed.
            ModelReplyError: The reply is empty, a refusal, or cut off.
        """
        ...


ModelOption: TypeAlias = str | Model | ChatFunction
"""A `Model` such as `ChatModel`, a model's name, `"offline"`, or a function from chat messages to text."""


def as_model(option: ModelOption | None) -> Model:
    """Return the model for the option `llm`; for `None`, the offline model, with a warning once per process.

    Raises:
        OptionError: The option is not a model.
    """
    if option is None:
        _warn_of_rules()
        return ChatModel("offline")
    if isinstance(option, str):
        return ChatModel(option)
    if isinstance(option, Model):
        return option
    if callable(option):
        return _FunctionModel(option)
    raise OptionError(
        f"llm must be a ChatModel, a model's name, 'offline', or a function from messages to text, not {option!r}; "
        "an openai client goes into ChatModel(name, client=...)"
    )


@functools.cache
def _warn_of_rules() -> None:
    warn_caller(
        "no llm was given, so memzoo's offline model answers: rules that quote sentences, not a language model. "
        'Pass llm="offline" to keep it, or a model such as llm=ChatModel("gpt-4o-mini").',
        MemoryZooWarning,
    )


class ChatModel:
    """A chat model that is called through the `openai` client.

    Configure retries, time-outs, proxies and keys in the client. The name `"offline"` without a client selects the
    built-in extractive model (`memzoo.memories.models.offline`), which needs neither a key nor a network.

    Example:
        >>> from memzoo.sync import drive
        >>> model = ChatModel("offline")
        >>> question = [{"role": "user", "content": "I like tea. What do I like?"}]
        >>> drive(model.complete(question, "example")).spent.calls
        1
    """

    def __init__(
        self,
        model: str,
        client: "OpenAI | None" = None,
        async_client: "AsyncOpenAI | None" = None,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        max_reply_bytes: int = 100_000_000,
        max_reply_seconds: float = 3600.0,
        **parameters: Any,
    ) -> None:
        """Set up the model; clients are created at the first call, from the arguments or the environment.

        Args:
            model: The endpoint's name for the model, or `"offline"`.
            client: The client for synchronous calls; by default created when needed.
            async_client: The client for asynchronous calls; by default created when needed, one for each event loop.
            base_url: The URL of any OpenAI-compatible endpoint; by default `OPENAI_BASE_URL`, or else OpenAI's URL.
            api_key: The endpoint's key; by default `OPENAI_API_KEY`. A server on this machine (`localhost`) needs no
                key.
            max_reply_bytes: The maximum size of an answer in bytes, after decompression; the framing of a stream counts
                too. Applies only to clients created by this object.
            max_reply_seconds: The maximum number of seconds from an answer's first byte to its last; before the first
                byte, the client's time-out applies. Applies only to clients created by this object.
            **parameters: Parameters of each request, such as `temperature=0` or `max_completion_tokens=500`, and
                options of clients created by this object, such as `max_retries=0` or `organization="..."`.

        Raises:
            OptionError: The model's name is not a string, the `openai` client does not know one of `parameters`, or a
                limit is not a number.
        """
        if not isinstance(model, str) or not model:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise OptionError(f"model must be the endpoint's name for a model, such as 'gpt-4o-mini', not {model!r}")
        self.name = model
        self.parameters, options = split_parameters("ChatModel", "chat.completions", parameters, client or async_client)
        make = _offline_client if model == "offline" and not (base_url or api_key) else None
        self._clients = Clients(
            client=client,
            async_client=async_client,
            base_url=base_url,
            api_key=api_key,
            options=options,
            make=make,
            bounds=Bounds(max_reply_bytes, max_reply_seconds),
        )
        self._is_rules = bool(make) and not self._clients.given
        self._window: int | None = None
        self._served = ""

    def __repr__(self) -> str:
        return f"ChatModel({self.name!r})"

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return self._clients.reduce_owner(self, self.name, self.parameters)

    @property
    def base_url(self) -> str:
        """The endpoint's address, from an argument, the client or the environment; "" if it is in none of them."""
        return self._clients.address

    @property
    def timeout(self) -> float:
        """The time-out for an answer, in seconds; 0 for the client's default."""
        timeout = self.parameters.get("timeout", self._clients.timeout)
        seconds = getattr(timeout, "read", timeout)  # a client's time-out may have a value for each phase
        return float(seconds) if isinstance(seconds, (int, float)) else 0.0

    async def complete(self, messages: Sequence[Message], purpose: str) -> Completion:
        """Return the model's reply to chat messages; see `Model.complete`."""
        asked, family = self.asked_for(purpose), self.family
        with self.failing(purpose):
            self.connect()
            start = time.perf_counter()
            reply = await self.request([as_sent(message, family) for message in messages])
        return _completion(read_answer(reply, time.perf_counter() - start, asked, _UNCHANGED), asked)

    def direct(self) -> Model:
        """Return this model; for the offline model, return a faster model that applies its rules without a client.

        The faster model gives the same answers at the same cost, but cassettes cannot record its calls.
        """
        return _Rules(self) if self._is_rules else self

    def asked_for(self, purpose: str) -> str:
        """Return text for the beginning of an error message: the names of the model and the prompt."""
        return f"model {self.name!r}, asked for prompt {purpose!r}"

    def connect(self) -> None:
        """Create the client if needed. In each process, the first call imports the `openai` package."""
        _ = self._clients.of_caller().chat.completions

    async def request(
        self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]] = (), *, stream: bool = False
    ) -> Any:
        """Send the messages, and return the client's result."""
        request: dict[str, Any] = {"model": self.name, "messages": list(messages), **self.parameters}
        request |= ({"tools": list(tools)} if tools else {}) | (_STREAMED if stream else {})
        return await settled(self._clients.of_caller().chat.completions.create(**request))

    async def respond(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]], *, stream: bool) -> Any:
        """Send the messages through the Responses API, and return the client's result.

        The endpoint is asked to store nothing, so it returns the model's thoughts in encrypted form; the next request
        sends them back.
        """
        request: dict[str, Any] = {"model": self.name, "store": False, **as_request(messages)}
        if _THINKS.match(self.name):
            request["include"] = ["reasoning.encrypted_content"]
        if tools:
            request["tools"] = list(map(as_tool, tools))
        request |= as_responses(self.parameters) | ({"stream": True} if stream else {})
        return await settled(self._clients.of_caller().responses.create(**request))

    @property
    def family(self) -> Family:
        """The endpoint's family, recognised by the model file that it serves, or else by its URL and model name."""
        told = family_of(self._served)
        return family_of(self.name, self.base_url) if told == ANY else told

    async def find_window(self) -> int | None:
        """Return the model's context window as stated by the endpoint; `None` if it states none.

        llama.cpp's `/props` is tried first, then the list of models. After a success, later calls return the same
        window without a request. OpenAI is not asked, because its list of models has no windows.
        """
        if self._window or self._is_rules:
            return self._window
        with self.failing("window"):
            client = self._clients.of_caller().with_options(timeout=_WINDOW_SECONDS, max_retries=0)
        if f".{client.base_url.host}".endswith(".openai.com"):
            return None
        root = str(client.base_url).rstrip("/").removesuffix("/v1")
        for address in (f"{root}/props", "/models"):
            with contextlib.suppress(Exception, BoundMet):
                told = await settled(client.get(address, cast_to=object))
                self._window, served = read_told(told, self.name)
                self._served = served or self._served
                if self._window:
                    break
        return self._window

    @contextlib.contextmanager
    def failing(self, purpose: str) -> Generator[None]:
        """Return a context manager that turns any exception of the client into a `ModelError`, even during a stream."""
        try:
            yield
        except MemoryZooError as error:
            error.add_note(f"This happened in the model call for prompt {purpose!r} (template {purpose}.jinja).")
            raise
        except (Exception, BoundMet) as error:
            raise ModelError(
                f"the call of model {self.name!r} for prompt {purpose!r} failed: {self._clients.describe_error(error)}"
            ) from error


def _offline_client(kind: str) -> Any:
    from memzoo.memories.models.offline import offline_client

    return offline_client(asynchronous=kind != "OpenAI")


def _completion(answer: Answer, asked: str) -> Completion:
    """Return the completion for an answer that must be a complete text."""
    text, cut_after = extract_spoken(answer.message["content"] or ""), None
    if refusal := answer.message.get("refusal"):
        fault = f"refused: {refusal!r}"
    elif answer.finish_reason == "length":
        cut_after = len(text)
        fault = f"was cut off after {cut_after} characters (a larger max_completion_tokens may help)"
    elif text:
        return Completion(text, answer.spent)
    else:
        fault = "sent an empty reply"
    raise unusable(asked, fault + _UNCHANGED, answer.spent, cut_after=cut_after)


class _Rules:
    """The offline model, called without a client."""

    def __init__(self, model: ChatModel) -> None:
        self.name, self.parameters, self._asked_for = model.name, model.parameters, model.asked_for

    def __repr__(self) -> str:
        return f"ChatModel({self.name!r}).direct()"

    async def complete(self, messages: Sequence[Message], purpose: str) -> Completion:
        from memzoo.memories.models.offline.endpoint import RequestError, completion

        start, asked = time.perf_counter(), self._asked_for(purpose)
        try:
            found = completion(b"", {**self.parameters, "messages": list(messages)})
        except RequestError as error:
            raise ModelError(f"{asked}: {error}") from error
        choice, usage = found["choices"][0], found["usage"]
        spent = Spent(1, usage["prompt_tokens"], usage["completion_tokens"], time.perf_counter() - start)
        message = {"content": choice["message"]["content"]}
        return _completion(Answer(message, choice["finish_reason"], spent), asked)


class _FunctionModel:
    """A user's function as a model; its cost consists of calls and seconds, without tokens."""

    def __init__(self, function: ChatFunction) -> None:
        self._function = function
        self.name = getattr(function, "__name__", type(function).__name__)

    def __repr__(self) -> str:
        return self.name

    async def complete(self, messages: Sequence[Message], purpose: str) -> Completion:
        failed = f"llm {self.name!r} failed for prompt {purpose!r}"
        text, spent = await call_function(self._function, [dict(as_sent(message)) for message in messages], failed)
        if not isinstance(text, str) or not is_sendable(text) or not (said := extract_spoken(text)):
            gave = repr(text)[:200]
            raise ModelReplyError(f"llm {self.name!r} returned {gave} for prompt {purpose!r}; it must return a string")
        return Completion(said, spent)
