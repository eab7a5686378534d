"""What every strategy sends: the question that is being answered, within a bound if there is one."""

from random import Random
from typing import Any, cast

import pytest

from memzoo.errors import OptionError, OverBudgetError
from memzoo.memories import BaseMemory, CombinedMemory, Conversation, ConversationBufferMemory, create_memory
from memzoo.memories.text.families import FAMILIES
from memzoo.memories.text.order import find_fault
from memzoo.testing import ScriptedModel
from tests.conversations import call, legacy_call, result, said
from tests.memories.sequences import SPECIES, Models, options, words
from tests.memories.strategies.windows import A1, AB, RA, RB, RC, U1, U2, U3, C, S


def opened(name: str, limit: int = 20, **own: Any) -> BaseMemory:
    """A memory of any strategy, with a small limit."""
    usual = options(name, limit, Models(), Random(0))  # noqa: S311 - no secret
    usual |= {"oversized": "keep"} if "oversized" in usual else {}
    given: dict[str, Any] = {**usual, "token_counter": words, **own}
    return create_memory(name, **given)


@pytest.mark.parametrize("name", SPECIES)
@pytest.mark.parametrize("live", [[U3], [U3, C, RC], [U3, C, RC, AB, RB, RA]])
def test_shows_what_is_not_answered_yet(name: str, live: list[Any]) -> None:
    """A question that was stored, and what its tools gave, stand at the end of what is sent, whatever the strategy."""
    memory = opened(name, 60, **({"max_token_limit": 90} if name == "combined" else {}))
    for number in range(5):
        memory.save_context({"input": f"Sam likes tea {number}"}, {"output": "I know."})
    for message in live:
        memory.add_messages([message])
    sent = memory.messages()
    assert [message for message in sent if message["role"] == "user"][-1] == U3
    assert sorted(map(str, sent[-len(live) :])) == sorted(map(str, live))
    assert len(memory.history()) == 10 + len(live)


@pytest.mark.parametrize("name", SPECIES)
def test_a_call_that_waits_is_not_sent_yet(name: str) -> None:
    """While results are missing the question is sent without the call; when they are there, with it."""
    memory = opened(name, 60)
    memory.add_messages([U1, AB, RA])
    assert memory.messages()[-1] == U1
    memory.add_messages([RB])
    assert memory.messages()[-4:] == [U1, AB, RA, RB]


@pytest.mark.parametrize("name", SPECIES)
def test_holds_any_bound(name: str) -> None:
    """With `max_tokens` the oldest messages are left out, or an error says by how much it is too little."""
    memory = opened(name, 60)
    memory.add_messages([S])
    for number in range(8):
        memory.save_context({"input": f"Sam likes tea {number}"}, {"output": f"I know {number}."})
    memory.add_messages([U3])
    everything = memory.messages("Sam?")
    assert memory.messages("Sam?", max_tokens=sum(map(words, everything))) == everything
    with pytest.raises(OverBudgetError) as refused:
        memory.messages("Sam?", max_tokens=1)
    for bound in range(refused.value.size, sum(map(words, everything))):
        sent = memory.messages("Sam?", max_tokens=bound, catch_up=False)
        assert sum(map(words, sent)) <= bound
        assert sent[-1] == U3
        assert [message for message in everything if message in sent] == sent


def test_a_bound_leaves_tools_whole() -> None:
    """A call goes with its results, as in the windows."""
    memory = ConversationBufferMemory(token_counter=lambda _: 1)
    memory.add_messages([U1, C, RC, A1, U2])
    assert memory.messages(max_tokens=3) == [A1, U2]
    assert memory.messages(max_tokens=4) == [C, RC, A1, U2]


def test_a_list_of_messages_from_loading_can_be_sent_too() -> None:
    """With `return_messages` no call comes without its results; a transcript tells of them in words all the same."""
    memory = ConversationBufferMemory(return_messages=True)
    memory.add_messages([result("lost"), U1, call("waits"), A1])
    assert memory.load_memory_variables({}) == {"history": [U1, A1]}
    transcript = memory.clone(return_messages=False).load_memory_variables({})["history"]
    assert 'Tool: done\nHuman: question 1\nAI: [calls look_up({"what": "tea"})]' in transcript


def test_a_combined_memory_shows_the_question_before_all_else() -> None:
    """What is not answered takes its room first; if it does not fit, that is an error."""
    members: list[Any] = ["summary", "vector-retriever"]
    memory = CombinedMemory(memories=members, token_counter=words, max_token_limit=12)
    memory.save_context({"input": "Sam likes tea"}, {"output": "I know."})
    memory.add_messages([said("user", "What does Sam like to drink at noon?")])
    assert memory.messages("Sam")[-1]["content"].startswith("What does")
    assert sum(map(words, memory.messages("Sam"))) <= 12
    memory.add_messages([said("user", " ".join(["long"] * 12))])
    with pytest.raises(OverBudgetError, match="take 13 tokens, 1 more than the limit of 12"):
        memory.messages("Sam")


@pytest.mark.parametrize("name", ["summary", "summary-buffer", "entity", "knowledge-graph"])
def test_models_read_of_tools_and_pictures_in_words(name: str) -> None:
    """No kind of message crashes a strategy or reaches its model as nothing (T1, T3)."""
    model = ScriptedModel(*["Sam"] * 20)
    own: dict[str, Any] = {"max_token_limit": 0} if name == "summary-buffer" else {}
    own |= {"mine_ai": True} if name == "knowledge-graph" else {}
    memory = create_memory(name, llm=model, token_counter=words, on_model_error="defer", **own, learn_every=1)
    picture = {"type": "image_url", "image_url": {"url": "https://example.com/cat.png"}}
    sound = {"type": "input_audio", "input_audio": {"data": "", "format": "wav"}}
    file = {"type": "file", "file": {"filename": "plan.pdf", "file_data": ""}}
    custom = {"id": "x", "custom": {"name": "run", "input": "1"}}
    memory.add_messages(
        [
            {"role": "user", "content": [{"type": "text", "text": "Who is Sam?"}, picture, sound, file]},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [custom],
            },
            result("x", "It is Sam."),
            legacy_call("look_at"),
            {"role": "function", "name": "look_at", "content": "a cat"},
            {"role": "assistant", "content": None, "refusal": "I will not say."},
            {"role": "assistant", "content": None, "audio": {"id": "a", "transcript": "Sam speaks."}},
        ]
    )
    asked = "\n".join(text for _, text in model.asked)
    words_ = ("[image]", "[audio]", "[file: plan.pdf]", "[calls run(1)]", "It is Sam.", "[calls look_at({})]", "a cat")
    for word in (*words_, "I will not say.", "[audio: Sam speaks.]"):
        assert word in asked
    assert len(memory.history()) == 7


@pytest.mark.parametrize(
    "asked",
    [
        {"role": "user", "name": "Ann", "content": "Where?"},
        {"role": "user", "content": [{"type": "text", "text": "Where?"}]},
    ],
)
def test_a_question_of_the_log_is_asked_once(asked: Any) -> None:
    """Also with a name, in parts, or before the work of tools; another question, or one behind an answer, is new."""
    memory = create_memory("buffer")
    memory.add_messages([asked])
    assert len(memory.request("Where?")) == len(memory.request()) == 1
    memory.add_messages([call("a"), result("a")])
    assert [one["role"] for one in memory.request("Where?")] == ["user", "assistant", "tool"]
    assert memory.request("When?")[-1]["content"] == "When?"
    memory.add_messages([said("assistant", "Oslo.")])
    assert memory.request("Where?")[-1]["content"] == "Where?"


@pytest.mark.parametrize("asked", ["", " \n", {"role": "user", "content": []}])
def test_a_request_ends_with_a_user_or_tools(asked: Any) -> None:
    """Without the words of a question, an answered log and an empty one are gone on with."""
    memory = create_memory("buffer")
    assert find_fault(memory.request(asked, system="Be brief.")) == find_fault(memory.request(asked)) == ""
    memory.save_context({"input": "Hi!"}, {"output": "Hello."})
    assert find_fault(memory.request(asked)) == ""


def test_a_system_text_is_a_text() -> None:
    """A message in its place is refused: in a request, in a new conversation, and in a turn, which stores nothing."""
    wrong = cast("str", said("system"))
    with pytest.raises(OptionError, match="system must be a string"):
        create_memory("buffer").request("Hi!", system=wrong)
    with pytest.raises(OptionError, match="system must be a string"):
        Conversation("offline", system=wrong)
    conversation = Conversation("offline")
    conversation.system = wrong
    with pytest.raises(OptionError, match="system must be a string"):
        conversation.send("Hi!")
    assert conversation.memory.history() == []


def test_a_turn_knows_the_family_of_the_model() -> None:
    """A request of a turn has ids in the form of the model that the memory names, as any other."""
    memory = create_memory("buffer", token_counter="mistral-large-latest")
    with memory.turn("Look it up.") as turn:
        turn.add(call("call_12345678901"), result("call_12345678901"))
        assert find_fault(turn.messages(), FAMILIES["mistral"]) == ""
        turn.add(said("assistant", "Done."))
