"""Turns texts into vectors with an OpenAI-compatible endpoint, any function, or hashing."""

import functools
import json
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from memzoo.errors import ModelError, OptionError
from memzoo.memories.models.bounds import BoundMet, Bounds
from memzoo.memories.models.clients import SECRET_NAME, Clients, call_function
from memzoo.memories.models.parameters import split_parameters
from memzoo.memories.models.usage import Spent
from memzoo.sync import settled

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI

__all__ = ["Embedded", "Embedder", "EmbedderOption", "HashEmbedder", "OpenAIEmbedder", "as_embedder"]

# The weight of sentence embeddings, chosen with all-MiniLM-L6-v2; see docs/retrieval-research.md.
_SENTENCE_WEIGHT = 8.0

EmbedFunction: TypeAlias = Callable[[list[str]], Any]
"""Texts -> one vector each, in the same order, as lists or arrays of numbers; may be asynchronous."""


@dataclass(frozen=True, slots=True)
class Embedded:
    """Embeddings of some texts.

    Attributes:
        vectors: One for each text, in order, float32 little-endian.
        spent: Their cost.
    """

    vectors: list[bytes]
    spent: Spent


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors."""

    @property
    def name(self) -> str:
        """The name of the kind of vectors; vectors of different names are never compared."""
        ...

    @property
    def weight(self) -> float:
        """The weight of its similarities beside words: 8 for embeddings of sentences, 2 for hashed words."""
        ...

    async def embed(self, texts: Sequence[str]) -> Embedded:
        """Make one vector for each text.

        Raises:
            ModelError: The call failed.
        """
        ...


EmbedderOption: TypeAlias = Embedder | EmbedFunction | None
"""An `Embedder`, a function such as one of Chroma's embedding functions, or `None` for none."""


def as_embedder(option: Embedder | EmbedFunction) -> Embedder:
    """Return the embedder for an option.

    Raises:
        OptionError: The option is not an embedder.
    """
    if isinstance(option, Embedder):
        return option
    if callable(option):
        return _FunctionEmbedder(option)
    raise OptionError(f"embedder must be an OpenAIEmbedder, a function from texts to vectors, or None, not {option!r}")


class HashEmbedder:
    """Words and parts of words hashed into a vector: finds spellings and endings, not meanings. Needs no download.

    For tests, and for searches by embeddings alone; `VectorStoreRetrieverMemory` finds as much without it.

    Example:
        >>> from memzoo.sync import drive
        >>> len(drive(HashEmbedder(dimensions=64).embed(["hello"])).vectors[0])
        256
    """

    weight = 2.0
    """See `Embedder`."""

    def __init__(self, dimensions: int = 256) -> None:
        self.dimensions = dimensions
        self.name = f"hashing-{dimensions}"

    async def embed(self, texts: Sequence[str]) -> Embedded:
        """See `Embedder.embed`."""
        from memzoo.memories.models.hashing import hash_embedding

        return Embedded(_pack(hash_embedding(list(texts), self.dimensions), len(texts), self.name), Spent())


class OpenAIEmbedder:
    """The embeddings of an OpenAI-compatible endpoint.

    Args:
        model: The name that the endpoint knows it by.
        client: For synchronous calls; made from the environment when needed if it is not given.
        async_client: For asynchronous calls, likewise.
        base_url: Of any OpenAI-compatible endpoint.
        api_key: Its key; by default `OPENAI_API_KEY`. A server of this machine (`localhost`) needs none.
        weight: See `Embedder.weight`.
        max_reply_bytes: What an answer may have, unpacked; for clients that are made here, as the next.
        max_reply_seconds: How long an answer may take once it has begun. Before that, the client's time-out counts.
        **parameters: Sent with each request, such as `dimensions=512`. They are part of the embedder's name, but for
            those that may hold a secret, such as `extra_headers`. Options of the client (`max_retries=0`) go to the
            clients that are made here.

    Raises:
        OptionError: The `openai` client has no parameter or option of that name, or a limit is not a number.
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
        parameters, options = split_parameters("OpenAIEmbedder", "embeddings", parameters, client or async_client)
        self.name = "-".join([model, *(f"{key}={value}" for key, value in _drop_secrets(parameters))])
        self.weight = weight
        self._parameters = parameters
        self._request = {"model": model, "encoding_format": "float", **parameters}
        self._bounds = Bounds(max_reply_bytes, max_reply_seconds)
        self._clients = Clients(
            client, async_client, base_url=base_url, api_key=api_key, options=options, bounds=self._bounds
        )

    def __repr__(self) -> str:
        return f"OpenAIEmbedder({self.name!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        own = {"weight": self.weight, **self._bounds.as_options()}
        return self._clients.reduce_owner(self, self._request["model"], {**self._parameters, **own})

    async def embed(self, texts: Sequence[str]) -> Embedded:
        """See `Embedder.embed`."""
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
    """See `Embedder`."""

    def __init__(self, function: EmbedFunction) -> None:
        self._function = function
        self.name = _name(function)

    async def embed(self, texts: Sequence[str]) -> Embedded:
        vectors, spent = await call_function(self._function, list(texts), f"embedder {self.name!r} failed")
        return Embedded(_pack(vectors, len(texts), self.name), spent)


def _name(function: Any) -> str:
    """Return a name that distinguishes settings: of a partial function, of one of Chroma's, or of any other."""
    if isinstance(function, functools.partial):
        given = [*map(repr, function.args), *(f"{key}={value!r}" for key, value in _drop_secrets(function.keywords))]
        return f"{_name(function.func)}({', '.join(given)})"
    # Chroma's base class returns NotImplemented, with a warning, for functions without a name or settings.
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        name = function.name() if callable(getattr(function, "name", None)) else None
        settings: Any = function.get_config() if callable(getattr(function, "get_config", None)) else None
    if not isinstance(name, str):
        return str(getattr(function, "__qualname__", type(function).__name__))
    if settings is None or settings is NotImplemented:
        return name
    return f"{name}({json.dumps(dict(_drop_secrets(settings)), sort_keys=True, default=str)})"


def _drop_secrets(settings: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return the settings without secrets, for a name that is stored and logged."""
    return sorted((key, value) for key, value in settings.items() if not SECRET_NAME.search(key))


def _pack(vectors: Any, count: int, name: str) -> list[bytes]:
    import numpy

    try:
        # Little-endian on any machine, because stores move between machines.
        rows = numpy.asarray(vectors, dtype="<f4")
    except (TypeError, ValueError) as error:
        raise ModelError(f"embedder {name!r} returned unequal vectors: {str(error)[:200]}") from error
    if count and (rows.ndim != 2 or len(rows) != count or not rows.size or not numpy.isfinite(rows).all()):  # noqa: PLR2004
        raise ModelError(f"embedder {name!r} returned shape {rows.shape} for {count} texts, not a finite vector each")
    return [row.tobytes() for row in rows]
