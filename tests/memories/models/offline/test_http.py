"""The HTTP interface, through the real clients: in this process and over a socket."""

import asyncio
import base64
import http.client
import json
import signal
import struct
import subprocess
import sys
import threading
from typing import Any
from urllib.parse import urlsplit

import openai
import pytest
from openai import AsyncOpenAI, OpenAI

from memzoo.memories import offline_client
from memzoo.memories.models.hashing import hash_embedding
from memzoo.memories.models.offline import serve
from memzoo.memories.models.offline.endpoint import CHAT_MODEL, EMBEDDING_MODEL, count_tokens
from memzoo.memories.models.offline.serving import serve_forever

QUESTION = "I like tea. What do I like?"
ANSWER = "From what was said: I like tea."
MESSAGES: Any = [{"role": "user", "content": QUESTION}]


@pytest.fixture(params=["in process", "served"])
def either(request: pytest.FixtureRequest, client: OpenAI) -> OpenAI:
    """The client in this process, then one of the server."""
    if request.param == "in process":
        return client
    return OpenAI(base_url=request.getfixturevalue("served"), api_key="any", max_retries=0)


def async_client(kind: str, served: str) -> AsyncOpenAI:
    """The asynchronous client of either kind."""
    if kind == "in process":
        return offline_client(asynchronous=True)
    return AsyncOpenAI(base_url=served, api_key="any", max_retries=0)


class TestChat:
    """`POST /v1/chat/completions`."""

    def test_answers_in_openai_shape(self, either: OpenAI) -> None:
        """The answer says which model it is, whatever was asked for, and counts tokens by the rule."""
        said = either.chat.completions.create(model="gpt-4o-mini", messages=MESSAGES, temperature=0.7, seed=3)
        assert (said.model, said.object, said.created) == (CHAT_MODEL, "chat.completion", 0)
        assert [(choice.index, choice.finish_reason) for choice in said.choices] == [(0, "stop")]
        assert (said.choices[0].message.role, said.choices[0].message.content) == ("assistant", ANSWER)
        assert said.usage is not None
        assert (said.usage.prompt_tokens, said.usage.completion_tokens) == (
            count_tokens(QUESTION),
            count_tokens(ANSWER),
        )
        assert said.usage.total_tokens == said.usage.prompt_tokens + said.usage.completion_tokens

    def test_streams_the_same_answer(self, either: OpenAI) -> None:
        """The pieces make up the whole answer; one finish reason comes last, and no usage unless it is asked for."""
        chunks = list(either.chat.completions.create(model="any", messages=MESSAGES, stream=True))
        assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == ANSWER
        assert [chunk.choices[0].finish_reason for chunk in chunks] == [None] * (len(chunks) - 1) + ["stop"]
        assert {(chunk.model, chunk.usage) for chunk in chunks} == {(CHAT_MODEL, None)}

    def test_streams_usage_on_request(self, either: OpenAI) -> None:
        """With `include_usage`, a last chunk without choices carries the usage."""
        stream = either.chat.completions.create(
            model="any", messages=MESSAGES, stream=True, stream_options={"include_usage": True}
        )
        *chunks, last = list(stream)
        assert all(chunk.usage is None and chunk.choices for chunk in chunks)
        assert last.choices == []
        assert last.usage is not None
        assert last.usage.total_tokens == count_tokens(QUESTION) + count_tokens(ANSWER)

    @pytest.mark.parametrize("kind", ["in process", "served"])
    def test_asynchronous_client(self, kind: str, served: str) -> None:
        """The asynchronous client gets the same answers, whole, streamed, and many at once."""

        async def run() -> tuple[list[str | None], str]:
            async with async_client(kind, served) as client:
                calls = [client.chat.completions.create(model="any", messages=MESSAGES) for _ in range(40)]
                wholes = await asyncio.gather(*calls)
                stream = await client.chat.completions.create(model="any", messages=MESSAGES, stream=True)
                pieces = [chunk.choices[0].delta.content or "" async for chunk in stream]
                return [said.choices[0].message.content for said in wholes], "".join(pieces)

        wholes, streamed = asyncio.run(run())
        assert wholes == [ANSWER] * 40
        assert streamed == ANSWER

    def test_cuts_at_max_tokens(self, either: OpenAI) -> None:
        """A limit is kept and its effect is reported, as any model does."""
        said = either.chat.completions.create(model="any", messages=MESSAGES, max_completion_tokens=2)
        assert said.choices[0].message.content == ANSWER[:8]
        assert said.choices[0].finish_reason == "length"

    def test_reads_content_parts(self, client: OpenAI) -> None:
        """The text parts of a message count, other parts do not."""
        parts: Any = [
            {"type": "text", "text": QUESTION},
            {"type": "image_url", "image_url": {"url": "https://example.invalid/a.png"}},
        ]
        said = client.chat.completions.create(model="any", messages=[{"role": "user", "content": parts}])
        assert said.choices[0].message.content == ANSWER

    def test_never_calls_tools(self, client: OpenAI) -> None:
        """Tool definitions are accepted and left alone."""
        tools: Any = [{"type": "function", "function": {"name": "tea", "parameters": {"type": "object"}}}]
        said = client.chat.completions.create(model="any", messages=MESSAGES, tools=tools)
        assert (said.choices[0].message.tool_calls, said.choices[0].message.content) == (None, ANSWER)

    def test_same_request_same_id(self, client: OpenAI) -> None:
        """An id depends on the request and on nothing else."""
        ids = [client.chat.completions.create(model="any", messages=MESSAGES).id for _ in range(2)]
        other = client.chat.completions.create(model="any", messages=[{"role": "user", "content": "hm"}]).id
        assert ids[0] == ids[1] != other


class TestErrors:
    """What cannot be answered is refused as OpenAI refuses it."""

    @pytest.mark.parametrize(
        ("changes", "param"),
        [
            ({"messages": []}, "messages"),
            ({"messages": "hello"}, "messages"),
            ({"messages": ["hello"]}, "messages[0]"),
            ({"messages": [{"content": "hello"}]}, "messages[0].role"),
            ({"messages": [{"role": "user", "content": 3}]}, "messages[0].content"),
            ({"model": None}, "model"),
            ({"n": 2}, "n"),
            ({"response_format": {"type": "json_object"}}, "response_format"),
            ({"max_tokens": 0}, "max_tokens"),
            ({"max_completion_tokens": True}, "max_completion_tokens"),
        ],
    )
    def test_bad_chat_requests(self, either: OpenAI, changes: dict[str, Any], param: str) -> None:
        """A bad request is a 400 that names the parameter."""
        body = {"model": "any", "messages": MESSAGES, **changes}
        with pytest.raises(openai.BadRequestError) as caught:
            either.post("/chat/completions", cast_to=object, body=body)
        assert (caught.value.param, caught.value.type) == (param, "invalid_request_error")

    def test_a_bad_stream_request_fails_before_the_stream(self, either: OpenAI) -> None:
        """It is a 400 and not a broken stream."""
        with pytest.raises(openai.BadRequestError):
            either.chat.completions.create(model="any", messages=[], stream=True)

    @pytest.mark.parametrize(
        ("changes", "param"),
        [
            ({"input": []}, "input"),
            ({"input": [1, 2]}, "input"),
            ({"input": None}, "input"),
            ({"input": ["a"] * 2049}, "input"),
            ({"dimensions": 7}, "dimensions"),
            ({"dimensions": 4097}, "dimensions"),
            ({"dimensions": True}, "dimensions"),
            ({"encoding_format": "hex"}, "encoding_format"),
            ({"encoding_format": []}, "encoding_format"),
        ],
    )
    def test_bad_embedding_requests(self, client: OpenAI, changes: dict[str, Any], param: str) -> None:
        """So is a bad request for embeddings."""
        with pytest.raises(openai.BadRequestError) as caught:
            client.post("/embeddings", cast_to=object, body={"model": "any", "input": "a", **changes})
        assert caught.value.param == param

    def test_unknown_path(self, either: OpenAI) -> None:
        """An unknown path is a 404 that lists the known ones."""
        with pytest.raises(openai.NotFoundError, match="/v1/chat/completions"):
            either.post("/responses", cast_to=object, body={})

    def test_wrong_method(self, either: OpenAI) -> None:
        """A known path with the wrong method is a 405."""
        with pytest.raises(openai.APIStatusError, match="takes POST, not GET") as caught:
            either.get("/embeddings", cast_to=object)
        assert caught.value.status_code == 405

    @pytest.mark.parametrize("body", [b"{", b"[]", b"", b"\xff", b"[" * 100_000])
    def test_malformed_json(self, served: str, body: bytes) -> None:
        """What is not a JSON object is a 400 in OpenAI's form."""
        status, answer = post(served, body)
        assert status == 400
        assert set(answer["error"]) == {"message", "type", "param", "code"}

    @pytest.mark.parametrize(("length", "expected"), [("x", 400), (str(10**12), 413), (str(3 << 20), 413)])
    def test_absurd_lengths(self, served: str, length: str, expected: int) -> None:
        """A length that is no number, or too large to be read, is refused unread."""
        assert post(served, b"", **{"Content-Length": length})[0] == expected


def post(served: str, body: bytes, **headers: str) -> tuple[int, Any]:
    """Post bytes as they are, past the client that would not send them."""
    address = urlsplit(served)
    connection = http.client.HTTPConnection(address.hostname or "", address.port)
    try:
        connection.request("POST", f"{address.path}/chat/completions", body, headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


class TestEmbeddings:
    """`POST /v1/embeddings`."""

    @pytest.mark.parametrize("form", ["float", "base64", None])
    def test_both_encodings_carry_the_same_numbers(self, either: OpenAI, form: Any) -> None:
        """Floats and base64 (which the client asks for by itself) give the vectors of `hash_embedding`."""
        chosen = {} if form is None else {"encoding_format": form}
        got = either.embeddings.create(model="any", input=["red bus", "Oslo"], **chosen)
        vectors = [unpacked(item.embedding) for item in got.data]
        assert vectors == hash_embedding(["red bus", "Oslo"]).tolist()
        assert (got.model, [item.index for item in got.data]) == (EMBEDDING_MODEL, [0, 1])
        assert got.usage.prompt_tokens == got.usage.total_tokens == 3

    def test_one_text_and_dimensions(self, either: OpenAI) -> None:
        """A single text gets a single vector, as long as asked for."""
        got = either.embeddings.create(model="any", input="red bus", dimensions=32)
        assert [len(item.embedding) for item in got.data] == [32]

    def test_asynchronous_client(self) -> None:
        """The asynchronous client gets the same vectors."""

        async def run() -> list[float]:
            async with offline_client(asynchronous=True) as client:
                return (await client.embeddings.create(model="any", input="Oslo")).data[0].embedding

        assert asyncio.run(run()) == hash_embedding(["Oslo"])[0].tolist()


def unpacked(embedding: Any) -> list[float]:
    """The numbers of an embedding, also where the client leaves base64 as it is."""
    if isinstance(embedding, str):
        packed = base64.b64decode(embedding)
        return list(struct.unpack(f"<{len(packed) // 4}f", packed))
    return list(embedding)


def test_lists_models(either: OpenAI) -> None:
    """`GET /v1/models` names what there is."""
    assert [model.id for model in either.models.list()] == [CHAT_MODEL, EMBEDDING_MODEL]


class TestServing:
    """The server as a whole."""

    def test_stops_and_leaves_nothing_behind(self) -> None:
        """After the block its threads are gone, nobody answers, and the port can be taken again at once."""
        before = set(threading.enumerate())
        with serve() as url:
            port = urlsplit(url).port or 0
            with OpenAI(base_url=url, api_key="any", max_retries=0) as client:
                client.models.list()
        assert set(threading.enumerate()) <= before
        with (
            OpenAI(base_url=url, api_key="any", max_retries=0) as client,
            pytest.raises(openai.APIConnectionError),
        ):
            client.models.list()
        with serve(port=port) as again:
            assert again == url

    def test_is_quiet(self, served: str, capfd: pytest.CaptureFixture[str]) -> None:
        """Requests, also bad ones, write nothing to the terminal."""
        post(served, b"{")
        assert capfd.readouterr() == ("", "")

    def test_an_ipv6_address_is_written_with_brackets(self) -> None:
        """The base URL of an IPv6 address can be used as it is."""
        try:
            running = serve("::1")
            url = running.__enter__()
        except OSError:
            pytest.skip("this machine has no IPv6 loopback")
        try:
            assert url.startswith("http://[::1]:")
            with OpenAI(base_url=url, api_key="any", max_retries=0) as client:
                assert len(client.models.list().data) == 2
        finally:
            running.__exit__(None, None, None)

    def test_a_taken_port_is_an_error(self, served: str) -> None:
        """Two servers on one port: the second says so."""
        with pytest.raises(OSError, match="in use"), serve(port=urlsplit(served).port or 0):
            pass

    def test_an_interrupt_before_the_first_request_ends_it_as_well(self) -> None:
        """From the moment that it is ready, Ctrl-C is a way to end it and no error."""
        heard: list[str] = []

        def ready(url: str) -> None:
            heard.append(url)
            raise KeyboardInterrupt

        serve_forever(port=0, ready=ready)
        assert heard[0].startswith("http://127.0.0.1:")

    def test_serve_forever_ends_when_interrupted(self) -> None:
        """It tells its base URL when it is ready, answers, and ends quietly and without an error on Ctrl-C."""
        code = (
            "import signal\n"
            "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # it may be ignored in the background
            "from memzoo.memories.models.offline.serving import serve_forever\n"
            "serve_forever(port=0, ready=lambda url: print(url, flush=True))"
        )
        with subprocess.Popen(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            with OpenAI(base_url=process.stdout.readline().strip(), api_key="any", max_retries=0) as client:
                assert (
                    client.chat.completions.create(model="any", messages=MESSAGES).choices[0].message.content == ANSWER
                )
            process.send_signal(signal.SIGINT)
            assert process.communicate(timeout=30) == ("", "")
        assert process.returncode == 0
