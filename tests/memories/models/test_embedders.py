"""Embeddings: of an OpenAI-compatible endpoint, of any function."""

import asyncio
import functools
import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy
import openai
import pytest

from memzoo.errors import ModelError, OptionError
from memzoo.http_library import http
from memzoo.memories import Embedder, HashEmbedder, OpenAIEmbedder, VectorStoreRetrieverMemory
from memzoo.memories.models.embedders import as_embedder
from memzoo.stores import ChromaIndex, InMemoryStore, open_store
from memzoo.stores.base import managed
from memzoo.sync import drive

Answer = Callable[[dict[str, Any]], http.Response]


def two_vectors(body: dict[str, Any]) -> http.Response:
    """A reply with vectors in another order than the texts."""
    data = [{"object": "embedding", "index": place, "embedding": [float(place), 0.5]} for place in (1, 0)]
    usage = {"prompt_tokens": 7, "total_tokens": 7}
    return http.Response(200, json={"object": "list", "model": body["model"], "data": data, "usage": usage})


def handler(answer: Answer, asked: list[dict[str, Any]]) -> Callable[[http.Request], http.Response]:
    """What the client talks to instead of a server."""

    def respond(request: http.Request) -> http.Response:
        asked.append(json.loads(request.content))
        return answer(asked[-1])

    return respond


def client(answer: Answer, asked: list[dict[str, Any]] | None = None) -> openai.OpenAI:
    """A real client over a prepared transport."""
    transport = http.MockTransport(handler(answer, [] if asked is None else asked))
    return openai.OpenAI(api_key="key", http_client=http.Client(transport=transport), max_retries=0)


class TestOpenAI:
    """`OpenAIEmbedder`."""

    def test_gives_one_vector_for_each_text_in_order(self) -> None:
        """Vectors are put into the order of the texts, as float32; tokens are counted; options are sent."""
        asked: list[dict[str, Any]] = []
        embedder = OpenAIEmbedder("small", client(two_vectors, asked), dimensions=2)
        embedded = drive(embedder.embed(["a", "b"]))
        assert [numpy.frombuffer(vector, "<f4").tolist() for vector in embedded.vectors] == [[0.0, 0.5], [1.0, 0.5]]
        spent = embedded.spent
        assert (spent.calls, spent.prompt_tokens, spent.completion_tokens) == (1, 7, 0)
        assert spent.seconds > 0
        assert asked == [{"model": "small", "input": ["a", "b"], "encoding_format": "float", "dimensions": 2}]

    def test_is_named_by_model_and_options(self) -> None:
        """Embeddings of another model or size have another name, so that they are never compared."""
        names = {OpenAIEmbedder().name, OpenAIEmbedder("large").name, OpenAIEmbedder("large", dimensions=256).name}
        assert len(names) == 3
        assert OpenAIEmbedder("large", timeout=2, max_retries=0).name == "large"  # another one need not embed anew

    def test_in_async_calls_uses_an_async_client(self) -> None:
        """The asynchronous client serves asynchronous calls (I5)."""

        async def embed() -> int:
            transport = http.MockTransport(handler(two_vectors, []))
            async with http.AsyncClient(transport=transport) as sending:
                embedder = OpenAIEmbedder(async_client=openai.AsyncOpenAI(api_key="key", http_client=sending))
                return len((await embedder.embed(["a", "b"])).vectors)

        assert asyncio.run(embed()) == 2

    @pytest.mark.parametrize(
        "response",
        [
            http.Response(500, json={"error": {"message": "broken"}}),
            http.Response(401, json={"error": {"message": "no key"}}),
            http.Response(200, json={"object": "list", "data": []}),
            http.Response(200, text="<html>hello</html>", headers={"content-type": "text/html"}),
            http.Response(200, json={"object": "list", "data": None}),
        ],
    )
    def test_fails_with_a_model_error(self, response: http.Response) -> None:
        """Whatever is wrong with the endpoint or its reply is a `ModelError` that names the embedder (I4)."""
        with pytest.raises(ModelError, match="small"):
            drive(OpenAIEmbedder("small", client(lambda _: response)).embed(["a", "b"]))

    def test_does_without_usage(self) -> None:
        """An endpoint that counts no tokens is as good as another."""

        def silent(body: dict[str, Any]) -> http.Response:
            reply = json.loads(two_vectors(body).content)
            del reply["usage"]
            return http.Response(200, json=reply)

        embedded = drive(OpenAIEmbedder("small", client(silent)).embed(["a", "b"]))
        assert embedded.spent.prompt_tokens == 0

    def test_makes_its_client_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A client that is made from the environment is kept, with its connections, for the next call."""
        prepared = client(two_vectors)
        made: list[openai.OpenAI] = []

        def make(**_: Any) -> openai.OpenAI:
            made.append(prepared)
            return prepared

        monkeypatch.setattr(openai, "OpenAI", make)
        embedder = OpenAIEmbedder("small")
        for _ in range(3):
            drive(embedder.embed(["a", "b"]))
        assert len(made) == 1


class TestOptions:
    """What an `embedder` may be."""

    def test_may_be_nothing(self) -> None:
        """Without an embedder words are searched alone: nothing is embedded, and no embedding is stored."""
        memory = VectorStoreRetrieverMemory()
        memory.add_messages([{"role": "user", "content": f"message {number}"} for number in range(100)])
        assert "message 42" in memory.load_memory_variables({"input": "message 42"})["history"]
        assert memory.usage.total.calls == 0
        states = drive(managed(memory.store, "states").states(memory.conversation_id))
        assert "vector-retriever" in states
        for name in states:
            assert drive(managed(memory.store, "embeddings").embeddings(memory.conversation_id, name)) == {}

    def test_leaves_alone_what_hashing_embedded(self) -> None:
        """A conversation that was embedded by hashing, the default once, is found by its words; its state stays."""
        store, said = InMemoryStore(), {"input": "Anna lives in Oslo."}
        old = VectorStoreRetrieverMemory(store=store, conversation_id="a", embedder=HashEmbedder())
        old.save_context(said, {"output": "Noted."})
        memory = VectorStoreRetrieverMemory(store=store, conversation_id="a")
        assert "Oslo" in memory.load_memory_variables({"input": "Where does Anna live?"})["history"]
        memory.save_context({"input": "Ben lives in Rome."}, {"output": "Noted."})
        assert len(drive(store.embeddings("a", "vector-retriever/hashing-256"))) == 2

    def test_is_not_needed_for_an_index(self, tmp_path: Path) -> None:
        """Chroma's folder alone holds vectors of hashed words, which a process that opens it again searches."""
        pytest.importorskip("chromadb", reason="needs the 'chroma' extra")
        store = open_store(f"sqlite:///{tmp_path}/memories.db")
        for said in ("My sister Anna lives in Oslo.", "We open at seven."):
            with closing(ChromaIndex(tmp_path / "vectors")) as index:
                memory = VectorStoreRetrieverMemory(index=index, store=store, conversation_id="mara", k=1)
                memory.save_context({"input": said}, {"output": "Noted."})
                memory.load_memory_variables({"input": said})
        with closing(ChromaIndex(tmp_path / "vectors")) as index:
            assert set(drive(index.known("mara", "vector-retriever/hashing-256"))) == {1, 2, 3, 4}
            memory = VectorStoreRetrieverMemory(index=index, store=store, conversation_id="mara", k=1)
            assert "Oslo" in memory.load_memory_variables({"input": "Where does my sistr live?"})["history"]

    def test_may_be_an_embedder(self) -> None:
        """An object with the methods of an embedder is taken as it is."""
        embedder = OpenAIEmbedder(weight=3)
        assert isinstance(embedder, Embedder)
        assert as_embedder(embedder) is embedder

    def test_may_be_a_function_of_chromas_without_settings(self) -> None:
        """A subclass of Chroma's base that tells neither name nor settings goes by its class, or by its name alone."""
        chromadb: Any = pytest.importorskip("chromadb", reason="needs the 'chroma' extra")

        class Ones(chromadb.EmbeddingFunction):
            def __init__(self) -> None: ...

            def __call__(self, input: list[str]) -> list[Any]:  # noqa: A002
                return [numpy.ones(3, "<f4") for _ in input]

        class Named(Ones):
            @staticmethod
            def name() -> str:
                return "ones"

        embedders = as_embedder(Ones()), as_embedder(Named())
        assert [embedder.name.rpartition(".")[2] for embedder in embedders] == ["Ones", "ones"]
        assert len(drive(embedders[0].embed(["a", "b"])).vectors) == 2

    def test_functions_that_differ_have_different_names(self) -> None:
        """Two settings of one function are two embedders: their vectors are never compared (I3)."""

        def embed(texts: list[str], model: str) -> list[list[float]]:
            return [[float(len(model))]] * len(texts)

        small, large = (as_embedder(functools.partial(embed, model=model)) for model in ("small", "large"))
        assert small.name != large.name
        assert small.name == as_embedder(functools.partial(embed, model="small")).name

    @pytest.mark.parametrize("vectors", [numpy.ones((2, 3)), [numpy.ones(3)] * 2, [[1, 1, 1]] * 2, ((1.0, 1, 1),) * 2])
    def test_functions_may_return_lists_or_arrays(self, vectors: Any) -> None:
        """Lists, tuples and arrays of numbers of any kind become float32 vectors."""
        embedded = drive(as_embedder(lambda _: vectors).embed(["a", "b"]))
        assert [len(vector) for vector in embedded.vectors] == [12, 12]
        assert embedded.vectors[0] == numpy.ones(3, "<f4").tobytes()


@pytest.mark.parametrize("wrong", [0, -1, 2.5, "256", True])
def test_dimensions_that_cannot_be_are_refused(wrong: Any) -> None:
    """They are named when the embedder is made, not after a turn is stored."""
    with pytest.raises(OptionError, match=f"dimensions must be a whole number of at least 1, not {wrong!r}"):
        HashEmbedder(wrong)


@pytest.mark.parametrize("wrong", [None, "", 5])
def test_a_model_has_a_name(wrong: Any) -> None:
    """Anything else is named when the embedder is made."""
    with pytest.raises(OptionError, match=f"'text-embedding-3-small', not {wrong!r}"):
        OpenAIEmbedder(wrong)


def test_empty_vectors_are_refused() -> None:
    """Vectors without numbers cannot be searched, so they count as a failure (I4)."""
    with pytest.raises(ModelError, match=r"returned shape \(1, 0\) for 1 texts"):
        drive(as_embedder(lambda _: [[]]).embed(["a"]))


def test_a_page_in_place_of_vectors_is_not_repeated_whole() -> None:
    """An error may go to a log, which has no room for all that an endpoint or a function sent."""

    def broken(_: list[str]) -> list[str]:
        raise ValueError("long page" * 100_000)

    def chatty(_: list[str]) -> list[str]:
        return ["long page" * 100_000]

    for function in (broken, chatty):
        with pytest.raises(ModelError) as caught:
            drive(as_embedder(function).embed(["a"]))
        assert "long page" in str(caught.value)
        assert len(str(caught.value)) < 2200
