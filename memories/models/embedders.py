"""Turns texts into vectors with an OpenAI-compatible endpoint, any function, or hashing."""

import functools
import json
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING, Any, Protocol, SupportsIndex, TypeAlias, runtime_checkable

from memzoo.errors import ModelError, OptionError
from memzoo.memories.models.clients import SECRET_NAME, BoundMet, Bounds, Clients, call_function, split_parameters
from memzoo.memories.models.usage import Spent
from memzoo.sync import settled

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI

# The weight of sentence embeddings, tuned with all-MiniLM-L6-v2; see docs/retrieval-research.md.
_SENTENCE_WEIGHT = 8.0

EmbedFunction: TypeAlias = Callable[[list[str]], Any]
"""A function, perhaps asynchronous, that returns a vector (list or array of numbers) for each text, in order."""


@dataclass(frozen=True, slots=True)
class Embedded:
    """Embeddings of some texts.

    Attributes:
        vectors: The vectors, one for each text, in order, as float32 little-endian bytes.
        spent: The cost of the embeddings.
    """

    vectors: list[bytes]
    spent: Spent


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors."""

    @property
    def name(self) -> str:
        """The embedder's name. Vectors from embedders with different names are never compared."""
        ...

    @property
    def weight(self) -> float:
        """The weight of vector similarity relative to word matches: 8 for sentence embeddings, 2 for hashed words."""
        ...

    async def embed(self, texts: Sequence[str]) -> Embedded:
        """Return one vector for each text.

        Raises:
            ModelError: The call failed.
        """
        ...


EmbedderOption: TypeAlias = Embedder | EmbedFunction | None
"""An `Embedder`, a function such as Chroma's embedding functions, or `None` for no embeddings."""


def as_embedder(option: Embedder | EmbedFunction) -> Embedder:
    """Return the embedder for the option `embedder`, which is an embedder or a function.

    Raises:
        OptionError: The option is neither.
    """
    if isinstance(option, Embedder):
        return option
    if callable(option):
        return _FunctionEmbedder(option)
    raise OptionError(f"embedder must be an OpenAIEmbedder, a function from texts to vectors, or None, not {option!r}")


class HashEmbedder:
    """Hashes words and parts of words into vectors: texts match by spelling, not by meaning.

    No download is needed. Use this embedder for tests, or for a vector index without an embedding model.

    Example:
        >>> from memzoo.sync import drive
        >>> len(drive(HashEmbedder(dimensions=64).embed(["hello"])).vectors[0])  # 64 numbers of 4 bytes
        256
    """

    weight = 2.0
    """The weight of vector similarity, as in `Embedder`."""

    def __init__(self, dimensions: int = 256) -> None:
        """Choose the length of the vectors.

        Raises:
            OptionError: `dimensions` is not a whole number of at least 1.
        """
        is_whole = isinstance(dimensions, SupportsIndex) and not isinstance(dimensions, bool)
        self.dimensions = index(dimensions) if is_whole else 0
        if self.dimensions < 1:
            raise OptionError(f"dimensions must be a whole number of at least 1, not {dimensions!r}")
        self.name = f"hashing-{self.dimensions}"

    async def embed(self, texts: Sequence[str]) -> Embedded:
        """Return one vector for each text; see `Embedder.embed`."""
        from memzoo.memories.models.hashing import hash_embedding

        return Embedded(_pack(hash_embedding(list(texts), self.dimensions), len(texts), self.name), Spent())


class OpenAIEmbedder:
    """Embeds texts with an OpenAI-compatible endpoint.

    Args:
        model: The endpoint's name for the model.
        client: The client for synchronous calls; by default created from the environment when needed.
        async_client: The client for asynchronous calls; by default created from the environment when needed.
        base_url: The URL of any OpenAI-compatible endpoint.
        api_key: The endpoint's key; by default `OPENAI_API_KEY`. A server on this machine (`localhost`) needs no key.
        weight: The weight of vector similarity relative to word matches.
        max_reply_bytes: The maximum size of an answer in bytes, after decompression. Applies only to clients created by
            this object.
        max_reply_seconds: The maximum number of seconds from an answer's first byte to its last; before the first byte,
            the client's time-out applies. Applies only to clients created by this object.
        **parameters: Parameters of each request, such as `dimensions=512`, and options of clients created by this
            object, such as `max_retries=0`. Request parameters are part of the embedder's name, except `timeout` and
            parameters that may contain a secret, such as `extra_headers`.

    Raises:
        OptionError: The model's name is not a string, the `openai` client does not know one of `parameters`, or a limit
            is not a number.
    """

    def __init__(
        self,
        model: str = "text-embedding-3-small",
        client: "OpenAI | None" = None,
        async_client: "AsyncOpenAI | None" = None,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        weight: float = _SENTENCE_WEIGHT,
        max_reply_bytes: int = 100_000_000,
        max_reply_seconds: float = 600.0,
        **parameters: Any,
    ) -> None:
        if not isinstance(model, str) or not model:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise OptionError(f"model must be a model's name, such as 'text-embedding-3-small', not {model!r}")
        parameters, options = split_parameters("OpenAIEmbedder", "embeddings", parameters, client or async_client)
        self.name = "-".join(
            [model, *(f"{key}={value}" for key, value in _drop_secrets(parameters) if key != "timeout")]
        )
        self.weight = weight
        self._parameters = parameters
        self._request = {"model": model, "encoding_format": "float", **parameters}
        self._clients = Clients(
            client=client,
            async_client=async_client,
            base_url=base_url,
            api_key=api_key,
            options=options,
            bounds=Bounds(max_reply_bytes, max_reply_seconds),
        )

    def __repr__(self) -> str:
        return f"OpenAIEmbedder({self.name!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return self._clients.reduce_owner(self, self._request["model"], {**self._parameters, "weight": self.weight})

    async def embed(self, texts: Sequence[str]) -> Embedded:
        """Return one vector for each text; see `Embedder.embed`."""
        import openai

        try:
            request: dict[str, Any] = {"input": list(texts), **self._request}
            embeddings = self._clients.of_caller().embeddings
            start = time.perf_counter()
            reply = await settled(embeddings.create(**request))
            vectors = [item.embedding for item in sorted(reply.data, key=lambda item: item.index)]
        except (openai.OpenAIError, AttributeError, TypeError, ValueError, BoundMet) as error:
            why = self._clients.describe_error(error)
            raise ModelError(f"the embeddings of {self.name!r} failed: {why}") from error
        spent = Spent.of(reply, time.perf_counter() - start)
        return Embedded(_pack(vectors, len(texts), self.name), spent)


class _FunctionEmbedder:
    """A user's function as an embedder."""

    weight = _SENTENCE_WEIGHT
    """The weight of vector similarity, as in `Embedder`."""

    def __init__(self, function: EmbedFunction) -> None:
        self._function = function
        self.name = _name(function)

    async def embed(self, texts: Sequence[str]) -> Embedded:
        vectors, spent = await call_function(self._function, list(texts), f"embedder {self.name!r} failed")
        return Embedded(_pack(vectors, len(texts), self.name), spent)


def _name(function: Any) -> str:
    """Return a function's name, with the settings of a partial function or of a Chroma embedding function."""
    if isinstance(function, functools.partial):
        given = [*map(repr, function.args), *(f"{key}={value!r}" for key, value in _drop_secrets(function.keywords))]
        return f"{_name(function.func)}({', '.join(given)})"
    # Chroma's base class warns and returns NotImplemented for functions without a name or settings.
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        name = function.name() if callable(getattr(function, "name", None)) else None
        settings: Any = function.get_config() if callable(getattr(function, "get_config", None)) else None
    if not isinstance(name, str):
        return str(getattr(function, "__qualname__", type(function).__name__))
    if settings is None or settings is NotImplemented:
        return name
    return f"{name}({json.dumps(dict(_drop_secrets(settings)), sort_keys=True, default=str)})"


def _drop_secrets(settings: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return the settings without secrets, because the embedder's name is stored and logged."""
    return sorted((key, value) for key, value in settings.items() if not SECRET_NAME.search(key))


def _pack(vectors: Any, count: int, name: str) -> list[bytes]:
    import numpy

    try:
        # Always little-endian, because stores move between machines.
        rows = numpy.asarray(vectors, dtype="<f4")
    except (TypeError, ValueError) as error:
        raise ModelError(f"embedder {name!r} returned unequal vectors: {str(error)[:200]}") from error
    if count and (rows.ndim != 2 or len(rows) != count or not rows.size or not numpy.isfinite(rows).all()):  # noqa: PLR2004
        raise ModelError(
            f"embedder {name!r} returned shape {rows.shape} for {count} texts, not one finite vector for each text"
        )
    return [row.tobytes() for row in rows]
