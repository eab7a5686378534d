"""What is sent can be parsed and is accepted, whatever a model or a user wrote; the log keeps it as it was written."""

import json
import re
from typing import Any

import pytest

from memzoo.memories import create_memory
from memzoo.stores import Message

RESULT: Message = {"role": "tool", "tool_call_id": "c", "content": "done"}


def calling(name: Any, arguments: Any) -> Message:
    """A message that calls a tool."""
    function = {"name": name, "arguments": arguments}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "type": "function", "function": function}]}


@pytest.mark.parametrize(
    "arguments",
    [
        '{"plant": "fe',
        "",
        "null",
        "[1]",
        '"text"',
        "NaN",
        '{"a": NaN}',
        '{"a": -Infinity}',
        '{"a": "\\ud83d"}',
        "plant=fern",
        '{"a": 1} {"b": 2}',
        '{"a": "line\nend"}',
        "[" * 99_999,
        None,
        7,
        ["a"],
    ],
)
def test_arguments_are_an_object(arguments: Any) -> None:
    """Arguments that are no JSON object for every parser are sent as none."""
    memory = create_memory("buffer")
    said = [{"role": "user", "content": "Water the fern."}, calling("water", arguments), RESULT]
    memory.add_messages(said)
    assert memory.messages()[1]["tool_calls"][0]["function"] == {"name": "water", "arguments": "{}"}
    assert memory.request("And?")[1]["tool_calls"][0]["function"] == {"name": "water", "arguments": "{}"}
    assert memory.history() == said


@pytest.mark.parametrize("arguments", ["{}", '{"a": {"b": [1, null, "\\u00e9"]}}', ' {"a":1e9}\n', {"a": 1}])
def test_an_object_stays(arguments: Any) -> None:
    """Arguments that are one are sent as they are; an object in place of a text is written as one."""
    memory = create_memory("buffer")
    memory.add_messages([{"role": "user", "content": "Hi"}, calling("f", arguments), RESULT])
    sent = memory.messages()[1]["tool_calls"][0]["function"]["arguments"]
    assert sent == (arguments if isinstance(arguments, str) else json.dumps(arguments))


@pytest.mark.parametrize("name", ["water plant", "", "a.b", "x" * 99, "fürs", "functions.water:0", None, "<tool>"])
def test_a_tools_name_is_allowed(name: Any) -> None:
    """A name that no tool can have is sent as one that a tool could have."""
    memory = create_memory("buffer")
    memory.add_messages([{"role": "user", "content": "Hi"}, calling(name, "{}"), RESULT])
    assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", memory.messages()[1]["tool_calls"][0]["function"]["name"])


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("Mara Lind", "Mara_Lind"),
        ("a<b|c\\d/e>f", "a_b_c_d_e_f"),
        ("梅", "梅"),
        ("x" * 99, "x" * 64),
        (7, None),
        ("", None),
    ],
)
def test_a_speakers_name_is_allowed(name: Any, sent: str | None) -> None:
    """What OpenAI refuses in a name is left out; the log has the name as it was given."""
    memory = create_memory("buffer")
    memory.add_messages([{"role": "user", "name": name, "content": "Hi."}, {"role": "assistant", "content": "Hi."}])
    assert memory.messages()[0].get("name") == sent
    assert memory.history()[0]["name"] == name


@pytest.mark.parametrize(
    "answer", ["", " \n", [], [{"type": "text", "text": ""}], [{"type": "thinking", "thinking": "Hm"}]]
)
def test_an_empty_answer_is_not_sent(answer: Any) -> None:
    """It stays in the log, and does not make what comes after it less stable."""
    memory = create_memory("buffer")
    said: list[Message] = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": answer}]
    memory.add_messages([*said, {"role": "user", "content": "Hello?"}, {"role": "assistant", "content": "Yes."}])
    sent = memory.messages()
    assert [message["content"] for message in sent] == ["Hi", "Hello?", "Yes."]
    assert sent.stable_upto == 3
    assert memory.history()[:2] == said
    window = create_memory("message-window", max_messages=9)
    window.add_messages(said)
    assert window.messages() == said[:1]


def test_members_of_providers_go_back_where_they_are_wanted() -> None:
    """A request for the family has them; other requests and all views have not."""
    memory = create_memory("buffer")
    signature = {"extra_content": {"google": {"thought_signature": "s"}}}
    call = calling("f", "{}")["tool_calls"][0] | signature
    said = {"role": "assistant", "content": "One moment.", "reasoning_content": "Hm.", "tool_calls": [call]}
    memory.add_messages([{"role": "user", "content": "Hi"}, said, RESULT, {"role": "assistant", "content": "Done."}])
    plain = {"role": "assistant", "content": "One moment.", "tool_calls": calling("f", "{}")["tool_calls"]}
    assert memory.messages()[1] == memory.request("And?")[1] == plain
    assert memory.request("And?", family="gemini")[1] == plain | {"tool_calls": [call]}
    assert memory.request("And?", family="deepseek")[1] == plain | {"reasoning_content": "Hm."}
    assert memory.request("And?", family="deepseek")[3]["reasoning_content"]
    told = memory.request("And?", family="minimax")[1]["content"]
    assert told == "<think>\nHm.\n</think>\n\nOne moment."
