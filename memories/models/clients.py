"""Creates `openai` clients and limits the size and duration of their answers; also calls a function used as a model."""

import functools
import inspect
import os
import re
import time
import weakref
from asyncio import AbstractEventLoop, get_running_loop
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any
from urllib.parse import urlsplit

from memzoo.errors import AsyncOnlyError, ModelError, ModelReplyError, OptionError
from memzoo.memories.models.usage import Spent
from memzoo.sync import is_blocking, settled
from memzoo.text import did_you_mean, is_loopback, redact_url

SECRET_NAME = re.compile(
    r"key$|(?:^|_)token$|secret|password|credential|auth|identity$|headers$|_query$", re.IGNORECASE
)
"""A pattern for names of parameters with possibly secret values, which must not appear in names and pickles."""

_DEFAULT_TIMEOUT = 600  # seconds: that of openai's clients

# Characters of an error: a proxy may answer with a whole page, too long for a log. `PromptLimit` reads this many.
_MOST_TOLD = 2_000
# A shorter key is a dummy for a server without keys; hiding it would damage other words.
_SHORTEST_KEY = 8

# Parameters set by each call.
_BY_CALL = frozenset({"self", "model", "messages", "input", "stream", "stream_options"})
# Client options that have their own arguments, are also request parameters, or differ between the two kinds of clients.
_NOT_FOR_BOTH = frozenset({"base_url", "api_key", "timeout", "http_client"})
# Parameters of chat completions under other names in the Responses API.
_LENGTHS = frozenset({"max_tokens", "max_completion_tokens"})
_NESTED = {"reasoning_effort": ("reasoning", "effort"), "verbosity": ("text", "verbosity")}


def split_parameters(
    owner: str, endpoint: str, given: Mapping[str, Any], client: Any = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Separate request parameters from client options.

    Args:
        owner: The name of the class that takes the arguments, for error messages.
        endpoint: The client's attribute for the request, such as `"chat.completions"`.
        given: All arguments.
        client: An existing client. With it, client options are refused.

    Returns:
        The request parameters, and the client options.

    Raises:
        OptionError: An argument is neither a request parameter nor a client option of the installed `openai`.
        OptionError: An argument must be given elsewhere; the error says where.
    """
    if not given:
        return {}, {}  # without importing the client
    takes = inspect.signature(_create(endpoint, client)).parameters
    # A wrapper, such as a tracer, may take any parameter.
    takes_any = any(one.kind is one.VAR_KEYWORD for one in takes.values())
    of_client = set[str]() if takes_any and client is not None else _of_client() - takes.keys()
    parameters, options = dict[str, Any](), dict[str, Any]()
    for name, value in given.items():
        if name in _BY_CALL:
            raise OptionError(f"{owner}: {name} is set by each call; leave it out")
        if name == "http_client":
            raise OptionError(f"{owner}: http_client belongs to your own client: client=OpenAI(http_client=...)")
        if name in of_client:
            options[name] = value
        elif name in takes or takes_any:
            parameters[name] = value
        else:
            raise OptionError(
                f"{owner}: the openai client has no parameter {name!r}; pass one that only your endpoint knows as "
                f"extra_body={{{name!r}: ...}}{did_you_mean(name, [*takes, *of_client])}"
            )
    if client is not None and options:
        name = next(iter(options))
        raise OptionError(
            f"{owner}: {name} is an option of the client, which exists already: client=OpenAI({name}=...)"
        )
    return parameters, options


def as_responses(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a chat completion in the form of the Responses API.

    Raises:
        OptionError: The Responses API has no such parameter.
    """
    if not given:
        return {}
    from openai.resources.responses import Responses

    made, takes = dict[str, Any](), inspect.signature(Responses.create).parameters
    for name, value in given.items():
        if name in _LENGTHS:
            made["max_output_tokens"] = value
        elif name in _NESTED:
            outer, inner = _NESTED[name]
            made.setdefault(outer, {})[inner] = value
        elif name in takes:
            made[name] = value
        else:
            raise OptionError(f"the Responses API has no parameter {name!r}; leave it out, or pass it in extra_body")
    return made


def _create(endpoint: str, client: Any) -> Any:
    from openai.resources import Embeddings
    from openai.resources.chat import Completions

    if client is not None:
        return attrgetter(f"{endpoint}.create")(client)
    return Embeddings.create if endpoint == "embeddings" else Completions.create


def _of_client() -> set[str]:
    import openai

    names = inspect.signature(openai.OpenAI).parameters
    return {name for name in names if not name.startswith("_")} - _NOT_FOR_BOTH


class BoundMet(BaseException):
    """An answer is too large, or takes too long.

    This is a `BaseException`: after an `Exception`, the `openai` client would send the request again. Callers get a
    `ModelError`.
    """


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits for the size of an answer, and for the time that it takes to arrive.

    Attributes:
        max_bytes: The maximum size of an answer in bytes, after decompression.
        max_seconds: The maximum number of seconds from an answer's first byte to its last. Before the first byte, the
            client's time-out applies.
    """

    max_bytes: int
    max_seconds: float

    def __post_init__(self) -> None:
        for name in self.__slots__:
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
                raise OptionError(f"{name.replace('max', 'max_reply')} must be a number greater than 0, not {value!r}")

    def hold(self, client: Any) -> Any:
        """Apply the limits to all answers of an `openai` client; return the client."""
        http = client._client  # noqa: SLF001 - it has no public name, and its events are public
        hook = self._bound_async if hasattr(http, "aclose") else self._bound
        http.event_hooks = {**http.event_hooks, "response": [*http.event_hooks.get("response", ()), hook]}
        return client

    def _bound(self, response: Any) -> None:
        read = response.iter_bytes

        def read_bounded(*size: int) -> Iterator[bytes]:
            check = self._check()
            for part in read(*size):
                check(part)
                yield part

        # Every way to read a response calls this method.
        response.iter_bytes = read_bounded

    async def _bound_async(self, response: Any) -> None:
        read = response.aiter_bytes

        async def read_bounded(*size: int) -> AsyncIterator[bytes]:
            check = self._check()
            async for part in read(*size):
                check(part)
                yield part

        response.aiter_bytes = read_bounded

    def _check(self) -> Callable[[bytes], None]:
        size, start = 0, time.monotonic()

        def check(part: bytes) -> None:
            nonlocal size
            size += len(part)
            if size > self.max_bytes:
                raise BoundMet(f"the answer has more than {self.max_bytes:,} bytes (max_reply_bytes)")
            if time.monotonic() - start > self.max_seconds:
                raise BoundMet(f"the answer takes more than {self.max_seconds:,} seconds (max_reply_seconds)")

        return check


@dataclass(eq=False, repr=False, kw_only=True)  # a generated `repr` would show the key
class Clients:
    """The synchronous and asynchronous clients of an endpoint, created when needed.

    If only one client is given, the missing client is created with the options of the given one, except `http_client`.

    Attributes:
        client: The client for synchronous calls; the first such call creates it if it was not given. An asynchronous
            client given here is treated as `async_client`.
        async_client: An existing client for asynchronous calls.
        base_url: The endpoint's URL, for clients created here; by default from the environment.
        api_key: The endpoint's key, for clients created here; by default from the environment.
        options: Further options for clients created here, such as `max_retries`.
        make: Creates a client, given the class name "OpenAI" or "AsyncOpenAI"; by default, that class of `openai` is
            called.
        bounds: Limits for the answers to clients created here.
        given: True if a client was given.
    """

    client: Any = None
    async_client: Any = None
    base_url: str | None = None
    api_key: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    make: Callable[[str], Any] | None = None
    bounds: Bounds

    def __post_init__(self) -> None:
        if hasattr(self.client, "__aenter__") and not hasattr(self.client, "__enter__"):
            self.client, self.async_client = None, self.async_client or self.client
        self.given = bool(self.client or self.async_client)
        self._by_loop: weakref.WeakKeyDictionary[AbstractEventLoop, Any] = weakref.WeakKeyDictionary()

    @property
    def address(self) -> str:
        """The endpoint's URL, from an argument, the user's client or the environment; "" if it is in none of them."""
        given = getattr(self.client or self.async_client, "base_url", None) if self.given else self.base_url
        return str(given or os.environ.get("OPENAI_BASE_URL", ""))

    @property
    def timeout(self) -> Any:
        """The time-out of the user's own client; `None` if there is no such client, or it has openai's default."""
        chosen = getattr(self.client or self.async_client, "timeout", None) if self.given else None
        return None if chosen == _DEFAULT_TIMEOUT or getattr(chosen, "read", None) == _DEFAULT_TIMEOUT else chosen

    def of_caller(self) -> Any:
        """Return the client that the caller needs, synchronous or asynchronous; create it at the first call."""
        if is_blocking():
            if self.client is None:
                self.client = self._make("OpenAI")
            return self.client
        if self.async_client is not None:
            return self.async_client
        # Connections belong to the loop that opened them: a client shared by two loops fails in the second loop.
        loop = get_running_loop()
        if loop not in self._by_loop:
            self._by_loop[loop] = self._make("AsyncOpenAI")
        return self._by_loop[loop]

    def reduce_owner(self, owner: Any, model: str, parameters: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return the value of `__reduce__` for `owner`, the model or embedder that uses these clients.

        The key is not pickled; after unpickling, it comes from the environment.

        Raises:
            OptionError: The owner was made with a client, or with an argument that might contain a key.
        """
        suspects = {"client": self.given, "base_url": "@" in str(self.base_url)}
        parameters = {**parameters, **self.options}
        suspects |= {name: True for name in parameters if SECRET_NAME.search(name)}
        if given := [name for name, found in suspects.items() if found]:
            raise OptionError(f"{owner!r} cannot be pickled with {given[0]}=...; leave it out, and use the environment")
        limits = {"max_reply_bytes": self.bounds.max_bytes, "max_reply_seconds": self.bounds.max_seconds}
        return _remake, (type(owner), model, {**parameters, **limits, "base_url": self.base_url})

    def describe_error(self, error: BaseException) -> str:
        """Return a short description of an error; for a failed connection, with the endpoint's address.

        A key that appears in the error is removed.
        """
        from openai import APIConnectionError, OpenAIError

        text = f"{type(error).__name__}: {error}"
        # The client has no specific type for a missing key, and its message lists every kind of key.
        # Servers' errors are subclasses.
        if type(error) is OpenAIError and ("Missing credentials" in text or "api_key client option" in text):
            text = "it needs a key: set OPENAI_API_KEY (to any value, if the server checks no keys)"
        if isinstance(error, APIConnectionError):
            address = redact_url(str(error.request.url).partition("?")[0])
            text += f" ({': '.join(filter(None, (address, str(error.__cause__ or ''))))})"
        known = [self.api_key, *(getattr(one, "api_key", None) for one in (self.client, self.async_client))]
        known.append(urlsplit(self.base_url or "").password)
        secret = [key for key in known if isinstance(key, str) and len(key) >= _SHORTEST_KEY]
        return functools.reduce(lambda text, key: text.replace(key, "***"), secret, text)[:_MOST_TOLD]

    def _make(self, kind: str) -> Any:
        if self.make:
            made = self.make(kind)
            return made.with_options(**self.options) if self.options else made
        import openai

        other: Any = self.client or self.async_client
        is_own = type(other) in (openai.OpenAI, openai.AsyncOpenAI, type(None))
        if not is_own or getattr(other, "_api_key_provider", None):
            given = type(other).__name__ + (" with a function for its key" if is_own else "")
            missing = "client" if kind == "OpenAI" else "async_client"
            raise OptionError(f"the client is a {given}; give {missing}= as well, for the other kind of calls")
        kept = ("base_url", "api_key", "organization", "project", "timeout", "max_retries")
        options = {name: getattr(other, name) for name in kept} if other else {}
        if other:
            options |= {"default_headers": other._custom_headers, "default_query": other._custom_query}  # noqa: SLF001
        options |= {name: one for name, one in (("base_url", self.base_url), ("api_key", self.api_key)) if one}
        options |= self.options
        if not options.get("api_key") and not os.environ.get("OPENAI_API_KEY") and is_loopback(self.address):
            options["api_key"] = "none"  # a server on this machine needs none, but the client does
        made = getattr(openai, kind)(**{key: value for key, value in options.items() if value is not None})
        return self.bounds.hold(made)


async def call_function(function: Callable[[Any], Any], given: Any, failed: str) -> tuple[Any, Spent]:
    """Call a user's function, which may be asynchronous, and return the result and the cost.

    Raises:
        AsyncOnlyError: The function needs an event loop, and the caller is synchronous.
        ModelReplyError: The function raised a `ModelReplyError`.
        ModelError: The function raised another exception. The error's message begins with `failed`.
    """
    start = time.perf_counter()
    try:
        result = await settled(function(given))
    except (AsyncOnlyError, ModelReplyError):
        raise
    except Exception as error:
        raise ModelError(f"{failed}: {type(error).__name__}: {error}"[:_MOST_TOLD]) from error
    return result, Spent(calls=1, seconds=time.perf_counter() - start)


def _remake(cls: type, model: str, options: dict[str, Any]) -> Any:
    return cls(model, **options)
