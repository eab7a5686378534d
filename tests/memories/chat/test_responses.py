"""Conversations by OpenAI's Responses API: what the model sent goes back whole, to a server that checks it."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openai
import pytest

from memzoo.cassettes import use_cassette
from memzoo.errors import ModelError, ModelReplyError, OptionError
from memzoo.memories import ChatModel, Conversation, create_memory
from memzoo.memories.models.offline import serve
from tests.memories.chat.ways import Say, each_way
from tests.responses_api import Item, ResponsesApi, serving


@pytest.fixture
def api() -> Iterator[ResponsesApi]:
    """The server."""
    with serving() as server:
        yield server


def degrees(city: str) -> str:
    """How warm it is."""
    return f"{len(city)} degrees"


def begun(api: ResponsesApi, memory: Any = "buffer", **options: Any) -> Conversation:
    """A conversation with a tool."""
    model = ChatModel("gpt-5", base_url=api.base_url, max_completion_tokens=99, reasoning_effort="low")
    return Conversation(model, memory, system="Be brief.", tools=[degrees], api="responses", **options)


@each_way
def test_turns_with_tools_are_all_answered(say: Say, api: ResponsesApi, tmp_path: Path) -> None:
    """Thoughts, ids and calls go back as they came, also after a restart and beside a summary of what was before."""
    options: dict[str, Any] = {"store": f"sqlite:///{tmp_path / 'chat.db'}", "conversation_id": "c", "llm": "offline"}
    for part in range(2):
        memory = create_memory("summary-buffer", max_token_limit=300, token_counter="approximate", **options)
        conversation = begun(api, memory)
        for turn in range(3):
            assert say(conversation, f"How warm is it in Oslo and Leeds, {part} {turn}?").startswith("Answer")
        memory.close()
    assert api.refused == []
    sent = api.requests[-1]
    assert sent["instructions"].startswith("Be brief.\n\n")
    assert sent["max_output_tokens"] == 99
    assert sent["reasoning"] == {"effort": "low"}
    assert {item.get("type") for item in sent["input"]} > {"reasoning", "function_call", "function_call_output"}


@each_way
def test_an_answer_tells_its_cost(say: Say, api: ResponsesApi) -> None:
    """Cached tokens are among those of the prompt."""
    conversation = begun(api)
    say(conversation, "How warm is it?")
    spent = conversation.usage["chat"]
    assert (spent.calls, spent.prompt_tokens, spent.cached_tokens, spent.completion_tokens) == (2, 180, 80, 24)


def test_a_request_is_made_for_the_plain_client(api: ResponsesApi) -> None:
    """`request(form="responses")` gives the client's arguments, in both ways of calling."""
    conversation = begun(api)
    conversation.send("How warm is it?")
    memory = conversation.memory
    request = memory.request("And now?", system="Be brief.", form="responses")
    assert asyncio.run(memory.arequest("And now?", system="Be brief.", form="responses")) == request
    with openai.OpenAI(base_url=api.base_url, api_key="none") as client:
        create: Any = client.responses.create  # its overloads ask for the names of all arguments
        assert create(model="gpt-5", store=False, **request).output_text == "Answer 3."
    assert "response_items" not in str(memory.request("And now?"))


def test_a_part_of_another_form_is_sent_as_it_is() -> None:
    """Parts have many forms; one that is not OpenAI's does not break the requests behind it."""
    memory = create_memory("buffer")
    strange = [
        {"type": "image_url"},
        {"type": "file", "base64": "aGk="},
        {"type": "image_url", "image_url": "https://a.b"},
    ]
    memory.add_messages([{"role": "user", "content": strange}])
    (sent,) = memory.request("", form="responses")["input"]
    image = {"type": "input_image", "image_url": "https://a.b", "detail": "auto"}
    assert sent["content"] == [*strange[:2], image]


def test_words_that_were_changed_go_back_without_thoughts(api: ResponsesApi) -> None:
    """Half of an answer would be refused: neither thoughts nor ids go back with it."""
    conversation = begun(api, redact={"number": r"\d+ degrees"})
    conversation.memory.add_messages([{"role": "user", "content": "It has 7 degrees."}])
    conversation.send("How warm is it?")
    said = conversation.memory.history()
    answer = said[-1] | {"content": "Another answer."}
    other = begun(api)
    other.memory.add_messages([*said[:-1], answer])
    other.send("And now?")
    assert api.refused == []
    sent = api.requests[-2]["input"]
    assert {"role": "assistant", "content": "Another answer."} in sent


def test_thoughts_that_only_the_server_has_stay_there(api: ResponsesApi) -> None:
    """A server that stores nothing knows no thought by its id alone."""
    conversation = begun(api)
    conversation.send("How warm is it?")
    said = conversation.memory.history()
    for message in said:
        for item in message.get("response_items", ()):
            item.pop("encrypted_content", None)
    other = begun(api)
    other.memory.add_messages(said)
    other.send("And now?")
    assert api.refused == []


def test_a_chat_model_takes_over(api: ResponsesApi) -> None:
    """The next request by chat completions has the same words and calls, and nothing of the items."""
    conversation = begun(api)
    conversation.send("How warm is it?")
    roles = [message["role"] for message in conversation.memory.request("And now?")]
    assert roles == ["user", "assistant", "tool", "tool", "assistant", "user"]
    assert Conversation("offline", conversation.memory).send("And now?")


@each_way
def test_a_cassette_replays_it(say: Say, api: ResponsesApi, tmp_path: Path) -> None:
    """The second time, no server is asked, and the log is the same."""
    logs = list[Any]()
    for _ in range(2):
        with use_cassette(tmp_path / "chat.yaml", record="once"):
            conversation = begun(api)
            say(conversation, "How warm is it?")
            logs.append(conversation.memory.history())
    assert logs[0] == logs[1]
    assert len(api.requests) == 2


@pytest.mark.parametrize(
    ("ending", "error"),
    [
        ({"status": "failed", "error": {"code": "server_error", "message": "Out of order."}}, "failed: Out of order."),
        ({"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}, "content filter"),
        ({"output": []}, "empty reply"),
    ],
)
@each_way
def test_a_failure_is_a_reply_error(say: Say, api: ResponsesApi, ending: dict[str, Any], error: str) -> None:
    """The question is stored, without an answer."""
    api.ending = ending
    conversation = begun(api)
    with pytest.raises(ModelReplyError, match=error):
        say(conversation, "How warm is it?")
    assert [message["role"] for message in conversation.memory.history()] == ["user"]


@each_way
def test_an_answer_may_be_cut_off(say: Say, api: ResponsesApi) -> None:
    """It is given and stored as far as it goes."""
    conversation = begun(api)
    say(conversation, "How warm is it?")
    api.ending = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
    conversation.tools.clear()
    assert say(conversation, "And now?") == "Answer 3."


def thought(**members: Any) -> Item:
    """A thought."""
    return {"id": "rs_x", "type": "reasoning", "summary": [], **members}


def words(text: str | None, id_: str = "msg_x") -> Item:
    """A message of the model's."""
    parts: list[Any] | None = None if text is None else [{"type": "output_text", "text": text, "annotations": []}]
    return {"id": id_, "type": "message", "role": "assistant", "status": "completed", "content": parts}


def call(city: str, call_id: str) -> Item:
    """A call of the tool."""
    arguments = f'{{"city": "{city}"}}'
    return {"id": f"fc_{city}", "type": "function_call", "call_id": call_id, "name": "degrees", "arguments": arguments}


@pytest.mark.parametrize("call_id", ["", "call_1"])
def test_calls_with_one_id_get_a_result_each(api: ResponsesApi, call_id: str) -> None:
    """They get new ids, in the kept items, too."""
    # Without ids of their own, since the server would find these items changed.
    calls = [{name: value for name, value in call(city, call_id).items() if name != "id"} for city in ("Oslo", "Rome!")]
    api.outputs = [calls]
    begun(api).send("How warm is it?")
    sent = api.requests[-1]["input"]
    assert [item["output"] for item in sent if item.get("type") == "function_call_output"] == ["4 degrees", "5 degrees"]
    assert [item["status"] if "status" in item else item["call_id"][:5] for item in sent[1:]] == ["call_"] * 4
    assert len({item["call_id"] for item in sent[1:]}) == 2


@pytest.mark.parametrize("said", ["Let me look.\n\n", "<think>Hm.</think>\n\nLet me look.", "\n", ""])
@each_way
def test_thoughts_go_back_although_the_words_were_cleaned(say: Say, api: ResponsesApi, said: str) -> None:
    """White space and marks are no change of the words; the items go back as they came."""
    output = [thought(encrypted_content="gAAA"), words(said), call("Oslo", "call_1")]
    api.outputs = [output]
    say(begun(api), "How warm is it?")
    assert api.refused == []
    assert api.requests[-1]["input"][1:4] == output


@each_way
def test_a_message_without_content_beside_a_call_has_no_words(say: Say, api: ResponsesApi) -> None:
    """The call is made; the message does not go back, since it would be refused."""
    api.outputs = [[thought(encrypted_content="gAAA"), words(None), call("Oslo", "call_1")]]
    say(begun(api), "How warm is it?")
    assert [item.get("type") for item in api.requests[-1]["input"][1:3]] == ["reasoning", "function_call"]


@each_way
def test_half_a_character_in_a_summary_becomes_a_sign(say: Say, api: ResponsesApi) -> None:
    """The answer is not lost for it; half a character in the words is still an error."""
    api.outputs = [
        [thought(encrypted_content="gAAA", summary=[{"type": "summary_text", "text": "hm \ud83d"}]), words("A")]
    ]
    conversation = begun(api)
    assert say(conversation, "Hi!") == "A"
    assert conversation.memory.history()[-1]["response_items"][0]["summary"][0]["text"] == "hm \ufffd"
    api.outputs = [[words("A \ud83d")]]
    with pytest.raises(ModelReplyError, match="half a character"):
        say(conversation, "Hi!")


def test_a_stream_may_give_its_items_only_on_the_way(api: ResponsesApi) -> None:
    """Its last event has none."""
    api.bare = True
    conversation = begun(api)
    assert "".join(conversation.stream("How warm is it?")) == "Answer 2."
    assert [item["type"] for item in conversation.memory.history()[-1]["response_items"]] == ["reasoning", "message"]


def test_the_pieces_of_two_messages_are_the_logged_text(api: ResponsesApi) -> None:
    """An empty line stands between the messages, in both."""
    api.outputs = [[words("A"), words("", "msg_y"), words("B", "msg_z")]]
    conversation = begun(api)
    said = "".join(conversation.stream("Hi!"))
    assert said == conversation.memory.history()[-1]["content"] == "A\n\nB"


@pytest.mark.parametrize(
    "members",
    [
        {"encrypted_content": "q" * 40_000},
        {"content": [{"type": "reasoning_text", "text": "word " * 4_000}]},
        {"encrypted_content": "gAAA", "summary": [{"type": "summary_text", "text": "word " * 4_000}]},
    ],
)
def test_thoughts_count_where_they_are_sent(api: ResponsesApi, members: Item) -> None:
    """A limit leaves their turn out of the next request; a request for chat completions keeps the turn."""
    api.outputs = [[thought(**members), words("Long thought about.")]]
    conversation = begun(api, max_tokens=300)
    conversation.send("Hi!")
    conversation.tools.clear()
    conversation.send("And now?")
    assert "Long thought about." not in str(api.requests[-1]["input"])
    assert "Long thought about." in str(conversation.memory.request("And now?", max_tokens=300))


def test_a_stream_that_breaks_off_is_an_error(api: ResponsesApi) -> None:
    """Without its last event, nobody knows whether the answer is whole."""
    api.breaks = True
    with pytest.raises(ModelReplyError, match="an incomplete reply"):
        list(begun(api).stream("How warm is it?"))


def test_an_older_endpoint_is_named() -> None:
    """An endpoint with chat completions alone says so."""
    with serve() as url, pytest.raises(ModelError, match="there is nothing at /v1/responses"):
        Conversation(ChatModel("m", base_url=url, api_key="x"), api="responses").send("Hi!")


def test_models_without_the_api_are_refused() -> None:
    """A function and the offline model lack the API; a parameter it lacks would be refused at the first question."""
    models: list[Any] = ["offline", str]
    for model in models:
        with pytest.raises(OptionError, match="must be a ChatModel"):
            Conversation(model, api="responses")
    with pytest.raises(OptionError, match="no parameter 'logit_bias'"):
        Conversation(ChatModel("m", base_url="http://127.0.0.1:9/v1", logit_bias={}), api="responses")
    with pytest.raises(OptionError, match="api must be 'chat' or 'responses'"):
        Conversation("offline", api="answers")  # type: ignore[arg-type]
