"""What llama.cpp's server and a base model of 270 M parameters answered once, and what a memory does with it.

Recorded with `make real-server ARGS=--record`, see README.md. The model talks nonsense, which is the point;
where a grammar holds it to a form, it is said in the name of the test or in its docstring.
"""

import asyncio
import os
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from openai import OpenAI

from memzoo.cassettes import Cassette
from memzoo.errors import ModelError, ModelReplyError
from memzoo.memories import (
    BaseMemory,
    ChatModel,
    Conversation,
    ConversationEntityMemory,
    ConversationKGMemory,
    ConversationSummaryMemory,
    OpenAIEmbedder,
    VectorStoreRetrieverMemory,
)
from memzoo.memories.models.cleaning import extract_spoken
from memzoo.stores import InMemoryStore
from tools.real_server.runs import Servers
from tools.real_server.server import CONTEXT, MODEL
from tools.real_server.talk import LONG, SAID

# Prompts that are cut to what the model can take give the day of the messages, and the days' names differ in length.
RECORDED = datetime(2026, 11, 23, 12, tzinfo=UTC)
NOWHERE = "http://127.0.0.1:9/v1"
SENTENCE = 'root ::= [A-Z] [a-z ]{10,40} "."'
FACT = 'root ::= name " | " ("lives in" | "works at") " | " name\nname ::= "Anna" | "Oslo" | "Equinor"'
NOTE = 'root ::= "Anna: " [a-z ]{10,30}'


@pytest.fixture
def servers(cassette: Cassette) -> Servers:
    """The servers while recording; addresses where nobody answers while replaying."""
    if not cassette.recording:
        return Servers(NOWHERE, NOWHERE)
    if "REAL_SERVER" not in os.environ:
        pytest.skip("recorded by `make real-server ARGS=--record`")
    return Servers(os.environ["REAL_SERVER"], os.environ["REAL_SERVER_EMBEDDINGS"])


def model(servers: Servers, grammar: str = "", **parameters: Any) -> ChatModel:
    """The model; with a grammar it comes to an end, and has the form of an answer."""
    form: dict[str, Any] = {"extra_body": {"grammar": grammar}} if grammar else {}
    return servers.model(**{"seed": 7, "max_tokens": 24, **form, **parameters})


def embedder(url: str) -> OpenAIEmbedder:
    """The model that gives embeddings; asked once, since a replay is not to wait either."""
    return OpenAIEmbedder(MODEL, client=OpenAI(base_url=url, api_key="none", max_retries=0))


def called(memory: BaseMemory, method: str, *args: Any) -> Any:
    """The synchronous method."""
    return getattr(memory, method)(*args)


def awaited(memory: BaseMemory, method: str, *args: Any) -> Any:
    """Its asynchronous twin, awaited in a loop of its own."""
    return asyncio.run(getattr(memory, f"a{method}")(*args))


each_way = pytest.mark.parametrize("call", [called, awaited], ids=["sync", "async"])


def save(memory: BaseMemory, *numbers: int, call: Callable[..., Any] = called) -> None:
    """Save exchanges of the talk."""
    for number in numbers:
        user, answer = SAID[number]
        call(memory, "save_context", {"input": user}, {"output": answer})


def shown(memory: BaseMemory, query: str = "") -> str:
    """What the memory shows."""
    return str(memory.load_memory_variables({"input": query})["history"])


class TestConversation:
    """Talks with the model itself."""

    @pytest.mark.cassette
    def test_a_reply_that_is_cut_off_is_an_answer(self, servers: Servers) -> None:
        """It is given with the reason why it ended, and stored with the question."""
        conversation = Conversation(model(servers, stop=None), "buffer")
        reply = conversation.send(SAID[0][0])
        assert reply.finish_reason == "length"
        assert [message["content"] for message in conversation.memory.history()] == [SAID[0][0], str(reply)]
        assert conversation.usage["chat"].completion_tokens == 24

    @pytest.mark.cassette
    def test_a_stream(self, servers: Servers) -> None:
        """Its pieces are the answer that is stored, and its tokens are counted."""
        conversation = Conversation(model(servers, stop=None), "buffer")
        pieces = list(conversation.stream(SAID[2][0]))
        assert len(pieces) > 5
        assert conversation.memory.history()[-1]["content"] == extract_spoken("".join(pieces))
        assert conversation.usage["chat"].completion_tokens == 24

    @pytest.mark.cassette(allow_errors=True)
    def test_a_message_over_the_context(self, servers: Servers) -> None:
        """The server's 400 says by how much it is too long; nothing of it is kept, and the next message is answered."""
        conversation = Conversation(model(servers), "buffer")
        with pytest.raises(ModelError, match=rf"400.*exceeds the available context size \({CONTEXT} tokens\)"):
            conversation.send(LONG)
        assert conversation.memory.history() == []
        reply = conversation.send(SAID[1][0])
        assert [message["content"] for message in conversation.memory.history()] == [SAID[1][0], str(reply)]


class TestLearning:
    """What strategies learn from its replies."""

    @each_way
    @pytest.mark.cassette("summary")
    def test_a_sentence_becomes_the_summary(self, servers: Servers, call: Callable[..., Any]) -> None:
        """A reply that stops is taken, true or not, each time in place of the one before (by a grammar)."""
        memory = ConversationSummaryMemory(llm=model(servers, SENTENCE), learn_every=1)
        save(memory, 1, 2, call=call)
        assert memory.summary.endswith(".")
        assert call(memory, "load_memory_variables", {}) == {"history": memory.summary}
        assert memory.usage["summary"].calls == 2

    @pytest.mark.cassette
    def test_a_reply_that_is_cut_off_is_no_summary(self, servers: Servers) -> None:
        """The summary of before stays, and what was not learnt from is shown behind it."""
        place: dict[str, Any] = {"store": InMemoryStore(), "conversation_id": "a"}
        save(ConversationSummaryMemory(llm=model(servers, SENTENCE), **place, learn_every=1), 1)
        memory = ConversationSummaryMemory(llm=model(servers, stop=None), **place, learn_every=1)
        before = memory.summary
        with pytest.raises(ModelReplyError, match="cut off"):
            save(memory, 2)
        assert memory.summary == before
        assert shown(memory) == f"{before}\nHuman: {SAID[2][0]}\nAI: {SAID[2][1]}"

    @pytest.mark.cassette(allow_errors=True)
    def test_an_exchange_over_the_context_is_cut_and_learnt(self, servers: Servers) -> None:
        """The server's 400 tells how long a prompt may be; the next try is shorter, and nothing is set aside."""
        memory = ConversationSummaryMemory(llm=model(servers, SENTENCE))
        with pytest.raises(ModelError, match="exceeds the available context size"):
            save(memory, 7)
        memory.settle()
        assert shown(memory) == memory.summary != ""
        assert memory.set_aside() == []
        assert 0 < memory.usage["summary"].prompt_tokens < CONTEXT

    @pytest.mark.cassette
    def test_parts_of_the_prompt_are_no_names(self, servers: Servers) -> None:
        """It repeats a tag of the prompt (by a grammar); that is refused, and nothing is noted."""
        memory = ConversationEntityMemory(llm=model(servers, 'root ::= "<history>"'), learn_every=1)
        with pytest.raises(ModelReplyError, match="<history>"):
            save(memory, 1)
        assert memory.entities == {}

    @pytest.mark.cassette
    def test_marks_of_the_chat_template_are_no_fact(self, servers: Servers) -> None:
        """Neither "<|im_start|>human" nor a tag is a triple, though one has two bars."""
        memory = ConversationKGMemory(llm=model(servers, stop=["\n"]), on_model_error="defer", learn_every=1)
        save(memory, 1, 2)
        memory.settle()
        assert memory.kg.facts() == []
        assert SAID[1][0] in shown(memory)

    @each_way
    @pytest.mark.cassette("facts")
    def test_a_line_with_two_bars_becomes_a_fact(self, servers: Servers, call: Callable[..., Any]) -> None:
        """It is found by the name of its subject (by a grammar)."""
        memory = ConversationKGMemory(llm=model(servers, FACT), learn_every=1)
        save(memory, 1, call=call)
        (fact,) = memory.kg.facts()
        facts = call(memory, "load_memory_variables", {"input": f"What about {fact.subject}?"})["history"]
        assert facts == f"{fact.subject} {fact.relation} {fact.object}."

    @pytest.mark.cassette
    def test_json_by_a_schema_becomes_facts(self, servers: Servers) -> None:
        """Lists of three texts, as `response_format` asks for, are read as triples or refused, never half."""
        text = {"type": "string", "minLength": 2, "maxLength": 12}
        row = {"type": "array", "minItems": 3, "maxItems": 3, "items": text}
        schema = {"name": "facts", "schema": {"type": "array", "minItems": 1, "maxItems": 1, "items": row}}
        form = {"type": "json_schema", "json_schema": schema}
        memory = ConversationKGMemory(llm=model(servers, response_format=form, stop=None, max_tokens=48), learn_every=1)
        save(memory, 1)
        assert len(memory.kg.facts()) == 1

    @pytest.mark.cassette
    def test_a_line_with_a_name_and_a_colon_becomes_a_note(self, servers: Servers) -> None:
        """The same line is a name at first, then a note on it, and a name again at the load (by a grammar)."""
        memory = ConversationEntityMemory(llm=model(servers, NOTE), ask_at_load=True, learn_every=1)
        save(memory, 1)
        assert list(memory.entities) == ["Anna"]
        assert memory.load_memory_variables({"input": "Who is Anna?"})["entities"] == memory.entities

    @pytest.mark.cassette(allow_errors=True)
    def test_an_option_that_the_server_refuses_harms_nothing(self, servers: Servers) -> None:
        """A grammar with a mistake is a 400; the exchange waits word for word, and is no reason for shorter prompts."""
        memory = ConversationSummaryMemory(llm=model(servers, "root ::= ("), learn_every=1)
        with pytest.raises(ModelError, match="failed to parse grammar"):
            save(memory, 1)
        assert shown(memory) == f"Human: {SAID[1][0]}\nAI: {SAID[1][1]}"

    @pytest.mark.cassette
    def test_what_fails_for_good_is_set_aside(self, servers: Servers) -> None:
        """One exchange fails again and again while others work: it stays in view, and can be learnt later."""
        now = [0.0]
        place: dict[str, Any] = {
            "store": InMemoryStore(clock=lambda: RECORDED),
            "conversation_id": "a",
            "clock": lambda: now[0],
        }
        rambling, brief = model(servers, stop=None), model(servers, SENTENCE)

        async def either(messages: list[dict[str, Any]]) -> str:
            chosen = rambling if "Bruno" in messages[-1]["content"] else brief
            return (await chosen.complete(messages, "summary")).text

        memory = ConversationSummaryMemory(llm=either, on_model_error="defer", **place, learn_every=1)
        for number in (3, 4, 8):
            save(memory, number)
            now[0] += 1000
        for _ in range(6):
            memory.settle()
            now[0] += 1000
        assert [entry.message["content"] for entry in memory.set_aside()] == list(SAID[3])
        assert f"Human: {SAID[3][0]}" in shown(memory)
        healthy = ConversationSummaryMemory(llm=brief, **place, learn_every=1)
        healthy.relearn(only_set_aside=True)
        assert healthy.set_aside() == []
        assert shown(healthy) == healthy.summary != ""


class TestEmbeddings:
    """The server as one that gives embeddings, and as one that does not."""

    @pytest.mark.cassette
    def test_a_message_is_found_by_what_the_model_makes_of_it(self, servers: Servers) -> None:
        """Each exchange is embedded once, the query too; all vectors fit each other."""
        memory = VectorStoreRetrieverMemory(embedder=embedder(servers.embeddings), k=1)
        save(memory, 1, 3)
        assert shown(memory, "To what is Bruno allergic?") == f"input: {SAID[3][0]}\noutput: {SAID[3][1]}"
        assert memory.usage["embedding"].calls == 3

    @pytest.mark.cassette(allow_errors=True)
    def test_a_message_over_its_batch_is_embedded_in_part(self, servers: Servers) -> None:
        """The server answers 500 to more than 512 tokens; the message is cut until it fits, and not set aside."""
        memory = VectorStoreRetrieverMemory(embedder=embedder(servers.embeddings), k=1)
        with pytest.raises(ModelError, match="too large to process"):
            save(memory, 7)
        with pytest.raises(ModelError, match="too large to process"):
            memory.settle()
        memory.settle()
        assert memory.set_aside() == []
        assert "the till was counted" in shown(memory, "the till")

    @pytest.mark.cassette(allow_errors=True)
    def test_without_embeddings_words_are_searched(self, servers: Servers) -> None:
        """Its 501 costs the meaning of the message, and neither the message nor the search."""
        memory = VectorStoreRetrieverMemory(embedder=embedder(servers.chat), k=1)
        with pytest.raises(ModelError, match="does not support embeddings"):
            save(memory, 3)
        assert "allergic to chicken" in shown(memory, "To what is Bruno allergic?")
