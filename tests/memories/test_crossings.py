"""Where two features meet: pins and limits, pins and learning, what is known and the room of a prompt."""

from datetime import UTC, datetime
from typing import Any

import pytest

from memzoo.errors import ModelError
from memzoo.memories import create_memory
from memzoo.memories.engine.prompt_limit import next_step
from memzoo.stores import Entry, Message
from memzoo.testing import ScriptedModel


def one(_: Message) -> int:
    """Each message as one token."""
    return 1


ONE_EACH: dict[str, Any] = {"token_counter": one}


def exchange(number: int) -> list[Message]:
    """A question and its answer."""
    return [{"role": "user", "content": f"Question {number}?"}, {"role": "assistant", "content": f"Answer {number}."}]


def test_a_pinned_message_makes_no_room_in_a_summary_buffer() -> None:
    """It is shown all the same, so as many others have to go as without it being counted as gone."""
    model = ScriptedModel("They talk.")
    memory = create_memory("summary-buffer", llm=model, max_token_limit=6, prune_to=3, **ONE_EACH)
    memory.add_messages(exchange(1)[:1], pinned=True)
    memory.add_messages(exchange(1)[1:])
    for number in (2, 3, 4):
        memory.add_messages(exchange(number))
    shown = [message["content"] for message in memory.messages() if message["role"] != "system"]
    assert shown == ["Question 1?", "Question 4?", "Answer 4."]


def test_what_is_pinned_takes_its_room_beside_what_waits_for_a_failing_model() -> None:
    """A pinned message that was learnt from long ago counts, as does what cannot be learnt from now."""
    model = ScriptedModel("They talk.", *[ModelError("busy")] * 20)
    memory = create_memory(
        "summary", llm=model, on_model_error="defer", max_pending_tokens=6, **ONE_EACH, learn_every=1
    )
    memory.add_messages(exchange(0), pinned=True)
    for number in range(1, 6):
        memory.add_messages(exchange(number))
    said = [message["content"] for message in memory.messages() if message["role"] != "system"]
    assert said == [
        "Question 0?",
        "Answer 0.",
        *(message["content"] for number in (4, 5) for message in exchange(number)),
    ]


@pytest.mark.parametrize("between", [14, 100, 900])
def test_a_pinned_call_is_shown_with_results_from_far_behind(between: int) -> None:
    """A tool may take long, and the talk go on meanwhile."""
    call = {"id": "c1", "type": "function", "function": {"name": "research", "arguments": "{}"}}
    memory = create_memory("window", k=1)
    memory.add_messages(exchange(0)[:1])
    memory.add_messages([{"role": "assistant", "content": None, "tool_calls": [call]}], pinned=True)
    memory.add_messages([{"role": "system", "content": f"Note {number}."} for number in range(between)])
    memory.add_messages([{"role": "tool", "tool_call_id": "c1", "content": "Found."}, *exchange(1), *exchange(2)])
    shown = memory.messages()
    assert [message.get("tool_call_id") for message in shown if message["role"] == "tool"] == ["c1"]


def test_a_question_that_is_too_long_is_learnt_from_with_what_follows_it() -> None:
    """Of an exchange that no prompt has room for, a step has two messages at least, cut to what fits."""
    roles = ("user", "assistant", "tool", "assistant")
    waiting = [
        Entry(number, {"role": role, "content": "word " * 500}, "", datetime(2026, 1, 1, tzinfo=UTC))
        for number, role in enumerate(roles, 1)
    ]
    step = next_step(waiting, len(waiting), tokens=100, most=0)
    assert ([entry.seq for entry in step.entries], step.is_last) == ([1, 2], False)


def test_what_the_user_said_has_the_room_that_a_prompt_leaves_to_what_is_known() -> None:
    """Of more facts than fit, those on the assistant's advice come last, though they have more of the new words."""
    kinds = [f"kind{at}" for at in range(60)]
    advice = "\n".join(f"assistant | advises for breakfast | {kind} bread" for kind in kinds)
    model = ScriptedModel(f"{advice}\nNoor | bakes | bread", "NONE")
    memory = create_memory("knowledge-graph", llm=model, k=0, learn_every=1)
    for said in ("Noor bakes bread", f"Is there bread of {' '.join(kinds)}?"):
        memory.save_context({"input": said}, {"output": "I advise bread."})
    known = model.asked[1][1].partition("<known>\n")[2].partition("\n</known>")[0]
    assert "Noor | bakes | bread" in known
    assert 20 < known.count("advises for breakfast") < 60
