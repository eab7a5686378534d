"""What a model said is replayed to the letter; keys in it are hidden, and the recording and the replay say so."""

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai import AsyncOpenAI, OpenAI

from memzoo.cassettes import use_cassette
from memzoo.cassettes.answers import hide_in_answer
from memzoo.cassettes.format import read_cassette
from memzoo.cassettes.http import events, is_array, is_object
from memzoo.cassettes.library import clean, paths_in
from memzoo.cassettes.secrets import Keys
from memzoo.errors import MemoryZooWarning
from tests.cassettes.test_planted import HEADERS, LIKELY, SURE

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionMessageParam

    from tests.cassettes.conftest import ModelServer

DEAD = "http://dead.invalid/v1"
OURS = Path(__file__).parents[2] / "cassettes"
KEY = "sk-proj-Planted0123456789abcdefghij"
JSON, SSE, LINES = "application/json", "text/event-stream", "application/x-ndjson"
# Arguments as models write them: names of secrets, escapes, and white space that no writer of JSON would choose.
SAID = (
    r'{"cookies":"chocolate chip", "dessert": "chocolate chip cookies","has_password": "words of has_password",'
    r' "session_token":"a1b2c3d4e5f6a7b8c9d0" , "city":"K\u00f6ln", "dsn": "postgresql://app:hunter22@db/prod"}'
)


def sse(*found: Any) -> str:
    """A stream of these events."""
    return "".join(f"data: {json.dumps(event)}\n\n" for event in found)


def cut(text: str) -> list[str]:
    """A text in pieces."""
    return [text[start : start + 5] for start in range(0, len(text), 5)]


def call(arguments: str) -> dict[str, Any]:
    """A call of a tool, as OpenAI's chat has it."""
    return {"index": 0, "id": "c1", "type": "function", "function": {"name": "order", "arguments": arguments}}


def block(piece: str) -> dict[str, Any]:
    """A piece of a call, as Anthropic streams it; it is the second block."""
    delta = {"type": "input_json_delta", "partial_json": piece}
    return {"type": "content_block_delta", "index": 1, "delta": delta}


def candidate(text: str) -> dict[str, Any]:
    """A text, as Gemini has it."""
    return {"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}}]}


def responses(piece: str) -> dict[str, Any]:
    """A piece of a call, as the Responses API streams it."""
    return {"type": "response.function_call_arguments.delta", "item_id": "f", "output_index": 0, "delta": piece}


FORMATS: dict[str, tuple[str, Callable[[str], str]]] = {
    "chat": (JSON, lambda said: json.dumps({"choices": [{"message": {"tool_calls": [call(said)]}}]}, indent=1)),
    "structured": (JSON, lambda said: json.dumps({"choices": [{"message": {"content": said}}]}, ensure_ascii=False)),
    "chat stream": (
        SSE,
        lambda said: sse(*({"choices": [{"index": 0, "delta": {"tool_calls": [call(one)]}}]} for one in cut(said))),
    ),
    "anthropic": (JSON, lambda said: json.dumps({"content": [{"type": "tool_use", "input": json.loads(said)}]})),
    "anthropic stream": (SSE, lambda said: sse(block("{}").copy() | {"index": 0}, *map(block, cut(said)))),
    "gemini": (
        JSON,
        lambda said: json.dumps(
            {"candidates": [{"content": {"parts": [{"functionCall": {"args": json.loads(said)}}]}}]}
        ),
    ),
    "gemini stream": (SSE, lambda said: sse(*map(candidate, cut(said)))),
    "gemini list": (JSON, lambda said: json.dumps([*map(candidate, cut(said))])),
    "responses": (JSON, lambda said: json.dumps({"output": [{"type": "function_call", "arguments": said}]})),
    "responses stream": (
        SSE,
        lambda said: sse(*map(responses, cut(said)), {"type": "response.completed", "response": {"output": [said]}}),
    ),
    "ollama": (LINES, lambda said: "".join(json.dumps({"message": {"content": one}}) + "\n" for one in cut(said))),
    "plain": ("text/plain", lambda said: said),
}


@pytest.mark.parametrize(("kind", "make"), FORMATS.values(), ids=FORMATS)
def test_names_change_nothing(kind: str, make: Callable[[str], str]) -> None:
    """Whatever a name, or the words around it, tell of a value: of an answer, not one byte changes."""
    assert hide_in_answer(make(SAID), kind, Keys()) == (make(SAID), frozenset())


@given(
    st.dictionaries(st.sampled_from([*SURE, *LIKELY, *HEADERS]), st.text(min_size=1), min_size=1),
    st.sampled_from(sorted(FORMATS)),
    st.booleans(),
)
def test_any_value_under_any_name_stays(said: dict[str, str], name: str, ascii_only: bool) -> None:  # noqa: FBT001
    """No value changes for the sake of its name, in any format."""
    kind, make = FORMATS[name]
    answer = make(json.dumps(said, ensure_ascii=ascii_only))
    assert hide_in_answer(answer, kind, Keys()) == (answer, frozenset())


@pytest.mark.parametrize(("kind", "make"), FORMATS.values(), ids=FORMATS)
def test_a_key_alone_is_hidden(kind: str, make: Callable[[str], str]) -> None:
    """What looks like a key gives way to a placeholder, in pieces too; what stands around it stays, names above all."""
    said = SAID.replace("chocolate chip cookies", f"cookies with {KEY}, baked").replace("}", f', "{KEY}": 1}}')
    text, hidden = hide_in_answer(make(said), kind, Keys())
    assert len(hidden) == (2 if "completed" in text else 1)
    assert all(one.endswith("looks like a key (sk-...)") for one in hidden)
    found = [text]
    if kind != "text/plain":
        values = (
            [event for _, event in events(text, "data:" if kind == SSE else "")] if kind != JSON else json.loads(text)
        )
        found = [*_said(values)]
    assert "cookies with SCRUBBED, baked" in "".join(found)
    assert kind != JSON or make is FORMATS["gemini list"][1] or KEY in text
    assert KEY not in "".join(found).replace(f'"{KEY}":', "")


def _said(value: Any, name: str = "") -> Iterator[str]:
    """What a model says in these values, in order."""
    if isinstance(value, str) and name in {
        "arguments",
        "content",
        "delta",
        "dessert",
        "output",
        "partial_json",
        "text",
    }:
        yield value
    if is_object(value):
        for key, child in value.items():
            yield from _said(child, key)
    if is_array(value):
        for child in value:
            yield from _said(child, name)


def ask(url: str, key: str, *, stream: bool = False, messages: "list[ChatCompletionMessageParam] | None" = None) -> str:
    """The arguments of the call that a model answers with."""
    messages = messages or [{"role": "user", "content": "Dessert, please."}]
    with OpenAI(base_url=url, api_key=key, max_retries=0) as client:
        if not stream:
            return _arguments(client.chat.completions.create(model="m", messages=messages))
        chunks = client.chat.completions.create(model="m", messages=messages, stream=True)
        return "".join(one.choices[0].delta.tool_calls[0].function.arguments for one in chunks)  # type: ignore[index, union-attr, misc]


async def aask(url: str, key: str) -> str:
    """The same of an asynchronous client."""
    async with AsyncOpenAI(base_url=url, api_key=key, max_retries=0) as client:
        return _arguments(
            await client.chat.completions.create(model="m", messages=[{"role": "user", "content": "Dessert, please."}])
        )


def _arguments(reply: Any) -> str:
    return str(reply.choices[0].message.tool_calls[0].function.arguments)


def send(server: "ModelServer", name: str, said: str) -> None:
    """Let the server answer next in this format."""
    kind, make = FORMATS[name]
    server.send(kind, make(said))


def test_a_replay_gives_what_the_recording_gave(server: "ModelServer", path: Path) -> None:
    """Plain, streamed and asynchronous, the program is given the same arguments in both, and nothing is told."""

    def talk(url: str) -> list[str]:
        return [ask(url, "local-only-1"), ask(url, "local-only-1", stream=True), asyncio.run(aask(url, "local-only-1"))]

    for name in ("chat", "chat stream", "chat"):
        send(server, name, SAID)
    with use_cassette(path, record="once"):
        assert talk(server.url) == [SAID] * 3
    with use_cassette(path):
        assert talk(DEAD) == [SAID] * 3


def test_what_the_program_says_again_is_no_key(server: "ModelServer", path: Path) -> None:
    """Arguments that go back as a part of the conversation change no later answer, whatever they are called."""
    turn: Any = [
        {"role": "user", "content": f"I am given {SAID}"},
        {"role": "assistant", "content": None, "tool_calls": [call(SAID)]},
        {"role": "tool", "tool_call_id": "c1", "content": SAID},
    ]
    send(server, "chat", SAID)
    with use_cassette(path, record="once"):
        ask(server.url, "local-only-1", messages=turn)
    with use_cassette(path):
        assert ask(DEAD, "local-only-1", messages=turn) == SAID


@pytest.mark.parametrize("stream", [False, True])
def test_what_the_program_sent_as_a_key_is_hidden_aloud(
    stream: bool,  # noqa: FBT001
    server: "ModelServer",
    path: Path,
) -> None:
    """The recording and the replay say which cassette, where and why, and not the key; the argument keeps its name."""
    said = '{"city": "Oslo", "use": "my own key-9876 of today", "my own key-9876": 1}'
    send(server, "chat stream" if stream else "chat", said)
    told = list[str]()
    for url, key in ((server.url, "key-9876"), (DEAD, "other")):
        with pytest.warns(MemoryZooWarning) as caught, use_cassette(path, record="once"):
            given = ask(url, key, stream=stream)
        told.append(str(caught[0].message))
        assert given == (said if url != DEAD else said.replace("own key-9876 of", "own SCRUBBED of"))
    where = f"$.choices[0].{'delta' if stream else 'message'}.tool_calls[0].function.arguments"
    assert (
        told
        == [f"The cassette {str(path)!r} has SCRUBBED in place of keys in its answers:\n  1. {where} is known as a key"]
        * 2
    )


def test_a_token_that_is_used_later_is_hidden_in_the_answer_that_gave_it(server: "ModelServer", path: Path) -> None:
    """A sign-in's token is known for a key as soon as the program sends it as one, and then is in no answer."""

    def use(url: str) -> None:
        with httpx2.Client() as client:
            token = client.post(f"{url}/sign-in", json={"user": "me"}).json()["access_token"]
            client.post(f"{url}/embeddings", json={"input": "hi"}, headers={"Authorization": f"Bearer {token}"})

    server.send(JSON, '{"access_token": "t0ken-of-mine-123"}')
    with (
        pytest.warns(MemoryZooWarning, match=r"1\. \$\.access_token is known as a key"),
        use_cassette(path, record="once"),
    ):
        use(server.url)
    assert "t0ken" not in path.read_text()
    with pytest.warns(MemoryZooWarning), use_cassette(path):
        use(DEAD)


def test_what_is_not_sent_as_a_key_stays(server: "ModelServer", path: Path) -> None:
    """A word of the conversation that is told for a password is hidden in requests, and to the letter in answers."""
    said = '{"note": "Open-Sesame-99 is weak"}'
    send(server, "chat", said)
    with use_cassette(path, record="once"):
        ask(server.url, "none", messages=[{"role": "user", "content": "password: Open-Sesame-99"}])
    text = path.read_text()
    assert ("password: SCRUBBED" in text, "Open-Sesame-99 is weak" in text) == (True, True)


@pytest.mark.parametrize("path", paths_in(OURS), ids=lambda path: path.relative_to(OURS).as_posix())
def test_our_own_answers_are_whole(path: Path, tmp_path: Path) -> None:
    """No answer in a recording of ours has a key, or was changed to be without one."""
    file = read_cassette(path)
    clean(file, tmp_path / "fresh.yaml")
    answers = [[one.response for one in read.recordings] for read in (file, read_cassette(tmp_path / "fresh.yaml"))]
    assert answers[0] == answers[1]
    assert not any(one.hidden for one in file.recordings)
