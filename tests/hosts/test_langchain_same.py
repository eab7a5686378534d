"""One conversation told to a class of LangChain and to ours: what comes out is the same."""

from typing import Any

import pytest
from langchain_core.prompts import PromptTemplate

from tests.hosts.sides import SIDES, answering, made

SAID = [
    ({"input": "Hi, I am Sam."}, {"output": "Hello Sam!"}),
    ({"input": "My dog is Rex."}, {"output": "A fine name."}),
    ({"input": "Rex likes snow."}, {"output": "So do I."}),
]
NAMES = (
    "ConversationBufferMemory ConversationBufferWindowMemory ConversationTokenBufferMemory "
    "ConversationSummaryMemory ConversationSummaryBufferMemory ConversationEntityMemory ConversationStringBufferMemory"
).split()
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "ConversationBufferMemory": [{}, {"memory_key": "chat", "human_prefix": "Friend", "ai_prefix": "Bot"}],
    "ConversationBufferWindowMemory": [{}, {"k": 1}, {"k": 0}],
    "ConversationTokenBufferMemory": [{"max_token_limit": limit} for limit in (8, 11, 100)],
    "ConversationSummaryMemory": [{}, {"buffer": "Two people."}],
    "ConversationSummaryBufferMemory": [
        {},
        {"max_token_limit": 8},
        {"max_token_limit": 0},
        {"max_token_limit": 100, "moving_summary_buffer": "They met before."},
    ],
    "ConversationStringBufferMemory": [{}, {"buffer": "Once:"}],
}
CASES = [(name, options) for name, each in OPTIONS.items() for options in each]
MODEL = ("TokenBuffer", "Summary")


def told(side: str, name: str, **options: Any) -> Any:
    """A memory of one side that was told everything."""
    if any(part in name for part in MODEL):
        options["llm"] = answering("one", "two", "three", "four")
    memory = made(side, name, **options)
    for inputs, outputs in SAID:
        memory.save_context(inputs, outputs)
    return memory


@pytest.mark.parametrize(("name", "options"), CASES)
def test_the_transcript(name: str, options: dict[str, Any]) -> None:
    """The variables are the same texts, after each class's own way of forgetting."""
    there, here = (told(side, name, **options) for side in SIDES)
    assert here.load_memory_variables({}) == there.load_memory_variables({})
    assert here.memory_variables == there.memory_variables
    assert here.buffer == there.buffer


def test_what_programs_print() -> None:
    """`print(memory.chat_memory)` and `print(memory.entity_store.store)` print what they print there."""
    there, here = (told(side, "ConversationBufferMemory") for side in SIDES)
    assert str(here.chat_memory) == str(there.chat_memory)
    notes = [made(side, "ConversationEntityMemory", llm=answering("one")).entity_store for side in SIDES]
    for store in notes:
        store.set("Sam", "A friend.")
    assert repr(notes[1].store) == repr(notes[0].store) == "{'Sam': 'A friend.'}"


@pytest.mark.parametrize(("name", "options"), [case for case in CASES if "String" not in case[0]])
def test_the_messages(name: str, options: dict[str, Any]) -> None:
    """With `return_messages` they are the same objects of LangChain."""
    there, here = (told(side, name, return_messages=True, **options) for side in SIDES)
    [variable] = there.memory_variables
    assert here.load_memory_variables({})[variable] == there.load_memory_variables({})[variable]
    kept = there.chat_memory.messages
    assert here.chat_memory.messages[6 - len(kept) :] == kept


@pytest.mark.parametrize(("name", "options"), CASES[:6])
def test_both_forms_of_a_buffer(name: str, options: dict[str, Any]) -> None:
    """`buffer_as_str` and `buffer_as_messages` do not depend on `return_messages`."""
    for return_messages in (True, False):
        there, here = (told(side, name, return_messages=return_messages, **options) for side in SIDES)
        assert here.buffer_as_str == there.buffer_as_str
        assert here.buffer_as_messages == there.buffer_as_messages


def test_entities() -> None:
    """Notes and exchanges come under the same variables."""
    there, here = (
        made(side, "ConversationEntityMemory", llm=answering(*replies), k=1)
        for side, replies in (
            ("langchain", ["Rex", "Rex is a dog.", "Rex"]),
            ("memzoo", ["Rex", "Rex: Rex is a dog.", "Rex"]),
        )
    )
    for memory in (there, here):
        memory.load_memory_variables({"input": "My dog is Rex."})
        memory.save_context({"input": "My dog is Rex."}, {"output": "A fine name."})
    expected = there.load_memory_variables({"input": "Who is Rex?"})
    assert here.load_memory_variables({"input": "Who is Rex?"}) == expected
    assert (here.entity_cache, here.memory_variables) == (there.entity_cache, there.memory_variables)
    assert here.entity_store.get("Rex") == there.entity_store.get("Rex") == "Rex is a dog."
    assert here.buffer == there.buffer


def test_facts() -> None:
    """The same triples come out of the same reply, and are shown in the same words."""
    reply = "(Rex, is, a dog)<|>(Rex, likes, snow)"
    there, here = (made(side, "ConversationKGMemory", llm=answering(reply, "Rex")) for side in SIDES)
    for memory in (there, here):
        memory.save_context({"input": "My dog Rex likes snow."}, {"output": "A fine name."})
    shown = there.load_memory_variables({"input": "Who is Rex?"})
    assert (
        here.load_memory_variables({"input": "Who is Rex?"})
        == shown
        == {"history": "On Rex: Rex is a dog. Rex likes snow."}
    )
    assert here.kg.get_triples() == there.kg.get_triples() == [("Rex", "a dog", "is"), ("Rex", "snow", "likes")]
    assert here.kg.get_entity_knowledge("Rex") == there.kg.get_entity_knowledge("Rex")


@pytest.mark.parametrize("options", [{}, {"k": 1, "human_prefix": "Me", "ai_prefix": "Bot"}])
def test_prompts_for_facts(options: dict[str, Any]) -> None:
    """A prompt of LangChain's gets the same history and input on both sides, at a save, at a load and by hand."""
    asked: dict[str, list[str]] = {}
    for side in SIDES:
        llm = answering(*["(Rex, is, a dog)<|>(Rex, likes, snow)"] * 9)
        prompts = {
            "knowledge_extraction_prompt": PromptTemplate.from_template("Facts: {history} | {input}"),
            "entity_extraction_prompt": PromptTemplate.from_template("Names: {history} | {input}"),
        }
        memory = made(side, "ConversationKGMemory", llm=llm, **prompts, **options)
        for inputs, outputs in SAID:
            memory.save_context(inputs, outputs)
        memory.load_memory_variables({"input": "What does he like?"})
        memory.get_current_entities("And who is he?")
        memory.get_knowledge_triplets("He barks.")
        asked[side] = llm.asked
    assert asked["memzoo"] == asked["langchain"]
    assert len(asked["memzoo"]) == len(SAID) + 3


def test_keys_are_refused_in_the_same_words() -> None:
    """Wrong inputs and outputs raise the errors that programs look for, before anything is stored."""
    for inputs, outputs in (({"a": "1", "b": "2"}, {"o": "3"}), ({}, {"o": "3"}), ({"a": "1"}, {})):
        texts: list[str] = []
        for side in SIDES:
            memory = made(side, "ConversationBufferMemory")
            with pytest.raises(ValueError, match=r"expected|output keys") as refused:
                memory.save_context(inputs, outputs)
            texts.append(str(refused.value))
            assert memory.buffer == ""
        assert len(set(texts)) == 1 or "One input key" in texts[0]


def test_from_messages() -> None:
    """A summary of a conversation there is, from a seed, so many messages at a time."""
    for side in SIDES:
        history = told(side, "ConversationBufferMemory").chat_memory
        llm = answering("one", "two", "three")
        cls = SIDES[side].ConversationSummaryMemory
        memory = cls.from_messages(llm, history, summarize_step=4, buffer="Before.")
        assert (memory.buffer, llm.i) == ("two", 2)


def test_combined() -> None:
    """Members keep their own variables; a repeated one is refused in the same words."""
    for side in SIDES:
        whole = made(side, "ConversationBufferMemory", memory_key="whole", input_key="input")
        last = made(side, "ConversationBufferWindowMemory", memory_key="last", k=1, input_key="input")
        fixed = made(side, "SimpleMemory", memories={"place": "Oslo"})
        memory = made(side, "CombinedMemory", memories=[whole, last, fixed])
        for inputs, outputs in SAID[:2]:
            memory.save_context(inputs, outputs)
        assert memory.memory_variables == ["whole", "last", "place"]
        loaded = memory.load_memory_variables({})
        assert (loaded["last"], loaded["place"]) == ("Human: My dog is Rex.\nAI: A fine name.", "Oslo")
        memory.clear()
        assert memory.load_memory_variables({}) == {"whole": "", "last": "", "place": "Oslo"}
        with pytest.raises(
            ValueError, match=r"Value error, The same variables \{'whole'\} are found in multiplememory"
        ):
            made(side, "CombinedMemory", memories=[whole, whole])


def test_read_only() -> None:
    """It shows what another memory shows, and changes nothing."""
    for side in SIDES:
        memory = told(side, "ConversationBufferMemory")
        shared = made(side, "ReadOnlySharedMemory", memory=memory)
        shared.save_context({"input": "no"}, {"output": "no"})
        shared.clear()
        assert shared.load_memory_variables({}) == memory.load_memory_variables({})
        assert shared.memory_variables == ["history"]
