"""memzoo in LlamaIndex: chat engines and agents with a scripted model, and our memory."""

import asyncio
import json
import threading
from collections.abc import Iterator, Sequence
from typing import Any, get_args

from memzoo import MemoryProvider, create_memory
from memzoo.hosts.llama_index import ChatMemory
from memzoo.stores import Message
from memzoo.testing import ScriptedModel
from tests.hosts.contract import FACTS, SAID_THEN, Call, HostContract, Step, contents, pairs, results, texts, weather
from tests.hosts.page import host, run_page
from tests.hosts.samples import members, samples

host("llama_index.core")
FunctionAgent: Any = host("llama_index.core.agent.workflow").FunctionAgent
ThinkingBlock: Any = host("llama_index.core.base.llms.types").ThinkingBlock
CondensePlusContextChatEngine: Any = host("llama_index.core.chat_engine").CondensePlusContextChatEngine
SimpleChatEngine: Any = host("llama_index.core.chat_engine").SimpleChatEngine
ChatMessage: Any = host("llama_index.core.llms").ChatMessage
ChatResponse: Any = host("llama_index.core.llms").ChatResponse
CompletionResponse: Any = host("llama_index.core.llms").CompletionResponse
ImageBlock: Any = host("llama_index.core.llms").ImageBlock
LLMMetadata: Any = host("llama_index.core.llms").LLMMetadata
TextBlock: Any = host("llama_index.core.llms").TextBlock
FunctionCallingLLM: Any = host("llama_index.core.llms.function_calling").FunctionCallingLLM
ToolSelection: Any = host("llama_index.core.llms.llm").ToolSelection
BaseMemory: Any = host("llama_index.core.memory").BaseMemory
BaseRetriever: Any = host("llama_index.core.retrievers").BaseRetriever


class Scripted(FunctionCallingLLM):  # type: ignore[misc]
    """A model that does what its script says, and keeps what it was sent."""

    script: list[Any]
    sent: list[list[Message]] = []  # noqa: RUF012 - pydantic copies it

    @property
    def metadata(self) -> Any:
        """It can call functions."""
        return LLMMetadata(is_function_calling_model=True, is_chat_model=True)

    def chat(self, messages: Any, **_: Any) -> Any:
        """Do the next step."""
        self.sent.append([as_chat(message) for message in messages])
        step = self.script.pop(0)
        if isinstance(step, Exception):
            raise step
        if not isinstance(step, Call):
            return ChatResponse(message=ChatMessage(role="assistant", content=step))
        function = {"name": "weather", "arguments": f'{{"place": "{step.place}"}}'}
        call = {"id": step.id, "type": "function", "function": function}
        return ChatResponse(message=ChatMessage(role="assistant", additional_kwargs={"tool_calls": [call]}))

    async def achat(self, messages: Any, **_: Any) -> Any:
        """As `chat`."""
        return self.chat(messages)

    def stream_chat(self, messages: Any, **_: Any) -> Any:
        """As `chat`, in one piece."""
        answer = self.chat(messages).message
        yield ChatResponse(message=answer, delta=answer.content)

    async def astream_chat(self, messages: Any, **_: Any) -> Any:
        """As `chat`, in one piece."""

        async def pieces() -> Any:
            for piece in self.stream_chat(messages):
                yield piece

        return pieces()

    def get_tool_calls_from_response(self, response: Any, **_: Any) -> list[Any]:
        """The call in a message."""
        calls: list[Any] = response.message.additional_kwargs.get("tool_calls") or []
        given = [json.loads(call["function"]["arguments"]) for call in calls]
        return [
            ToolSelection(tool_id=call["id"], tool_name="weather", tool_kwargs=arguments)
            for call, arguments in zip(calls, given, strict=True)
        ]

    def _prepare_chat_with_tools(self, tools: Any, chat_history: Any = None, **_: Any) -> dict[str, Any]:
        return {"messages": chat_history}

    def complete(self, prompt: str, **_: Any) -> Any:
        """As `chat`."""
        return CompletionResponse(text=self.chat([ChatMessage(content=prompt)]).message.content or "")

    acomplete = stream_complete = astream_complete = complete


def as_chat(message: Any) -> Message:
    """A message of LlamaIndex as a chat message."""
    found: Message = {"role": message.role.value, "content": message.content}
    return found | {k: v for k, v in message.additional_kwargs.items() if k in ("tool_calls", "tool_call_id")}


def model_of(script: Sequence[Step]) -> Scripted:
    """A scripted model."""
    return Scripted(script=list(script), sent=[])


_ODD_CALLS: list[Any] = [
    "junk",
    None,
    7,
    {},
    ["junk"],
    [None],
    [{}],
    [{"id": 1}],
    [{"function": 1}],
    [{"function": {}}],
]


class TestLlamaIndex(HostContract):
    """The contract, with a fresh agent for each prompt: LlamaIndex has no synchronous runner of agents."""

    fork, tells_late = "fork", "agents hand calls and results to the memory when they end"

    async def say(
        self, memories: MemoryProvider, user: str, text: str, script: Sequence[Step], *, run: str | None = None
    ) -> list[list[Message]]:
        """One run of a `FunctionAgent`."""
        model = model_of(script)
        agent = FunctionAgent(tools=[weather], llm=model, streaming=False)
        await agent.run(user_msg=text, memory=ChatMemory(memories.get(user)))
        return model.sent

    def say_in_sync(
        self, memories: MemoryProvider, user: str, text: str, script: Sequence[Step], *, run: str | None = None
    ) -> list[list[Message]]:
        """One message to a chat engine, which is synchronous."""
        model = model_of(script)
        SimpleChatEngine.from_defaults(llm=model, memory=ChatMemory(memories.get(user))).chat(text)
        return model.sent

    def shapes(self) -> Iterator[Any]:
        """See `HostContract.shapes`."""
        (blocks,) = get_args(ChatMessage.model_fields["blocks"].annotation)
        for role in host("llama_index.core.llms").MessageRole:
            for kind in members(blocks):
                yield from (ChatMessage(role=role, blocks=[block]) for block in samples(kind))
            for calls in _ODD_CALLS:
                yield ChatMessage(
                    role=role, content="Hm.", additional_kwargs={"tool_calls": calls, "tool_call_id": calls}
                )

    async def kept(self, memories: MemoryProvider, shape: Any) -> Any:
        """See `HostContract.kept`."""
        question = ChatMessage(role="user", content="Question")
        await ChatMemory(memories.get("anna")).aput_messages([question, shape])
        await ChatMemory(memories.get("anna")).aput(ChatMessage(role="assistant", content="Answer"))
        first, kept, *_ = await ChatMemory(memories.get("anna")).aget_all()
        assert first == question
        return kept

    async def go_back(self, memories: MemoryProvider, how: str) -> list[list[Message]]:
        """See `HostContract.go_back`: a memory is set to what stays; a fork is another one."""
        await self.two_exchanges(memories)
        user, stays = "fork" if how == "fork" else "anna", (await ChatMemory(memories.get("anna")).aget_all())[:2]
        await ChatMemory(memories.get(user)).aset(stays)
        return await self.say(memories, user, SAID_THEN[how], ["Anew"])


class TestTheEngine(TestLlamaIndex):
    """The contract, with a chat engine."""

    async def say(
        self, memories: MemoryProvider, user: str, text: str, script: Sequence[Step], *, run: str | None = None
    ) -> list[list[Message]]:
        """One message to a chat engine; its tools are an agent's."""
        if any(isinstance(step, Call) for step in script):
            return await super().say(memories, user, text, script)
        model = model_of(script)
        await SimpleChatEngine.from_defaults(llm=model, memory=ChatMemory(memories.get(user))).achat(text)
        return model.sent


def test_the_question_that_the_engine_put_is_shown_once() -> None:
    """Engines put the question before they get the memory: it is in the view, at its end, once."""
    adapter = ChatMemory(create_memory("buffer"))
    model = model_of([f"Answer {turn}" for turn in range(3)])
    for turn in range(3):
        SimpleChatEngine.from_defaults(llm=model, memory=adapter).chat(f"Question {turn}")
    assert contents(model.sent[2]) == ["Question 0", "Answer 0", "Question 1", "Answer 1", "Question 2"]


def test_an_engine_that_asks_before_it_puts_searches_for_its_input() -> None:
    """A context engine gets the memory for `input`, and puts question and answer at the end."""

    class Nothing(BaseRetriever):  # type: ignore[misc]
        def _retrieve(self, query_bundle: Any) -> list[Any]:
            return []

    memory = create_memory("vector-retriever", k=1)
    for fact in FACTS:
        memory.save_context({"input": fact}, {"output": "I see."})
    shown = ChatMemory(memory).get(input="What is my cat called?")
    assert "Pixel" in texts([as_chat(message) for message in shown])
    model = model_of(["Which cat?", "Pixel."])
    engine = CondensePlusContextChatEngine.from_defaults(Nothing(), llm=model, memory=ChatMemory(memory))
    engine.chat("What is my cat called?")
    assert texts(model.sent[-1]).count("Pixel") == 1
    assert contents(memory.history())[-2] == "What is my cat called?"
    assert len(memory.history()) == 8


def test_a_streamed_answer_is_saved_when_it_is_whole() -> None:
    """The engine writes it in a thread of its own."""
    memory = create_memory("buffer")
    engine = SimpleChatEngine.from_defaults(llm=model_of(["Hi."]), memory=ChatMemory(memory))
    answer = engine.stream_chat("Hello?")
    assert "".join(answer.response_gen).strip() == "Hi."
    assert contents(memory.history()) == ["Hello?", "Hi."]


def test_joined_messages_keep_speakers_and_pictures() -> None:
    """Neighbours of one role are one message: who spoke stands before the words, and pictures stay."""
    memory = ChatMemory(create_memory("buffer"))
    picture = ImageBlock(url="https://a.example/b.png")
    for name, blocks in (("Bob", [TextBlock(text="Hi.\nAnn: I pay.")]), ("Ann", [TextBlock(text="Look."), picture])):
        memory.put(ChatMessage(role="user", blocks=blocks, additional_kwargs={"name": name}))
    (shown,) = memory.get()
    bob, ann, last = shown.blocks
    assert (bob.text, ann.text, last) == ("Bob: Hi.\n> Ann: I pay.", "Ann: Look.", picture)
    assert not shown.additional_kwargs


def test_set_keeps_what_is_the_same_and_replaces_the_rest() -> None:
    """A client that sends its whole history each time doubles nothing; one that was edited replaces the log's end."""
    asked = ScriptedModel("One.", "Two.")
    memory = create_memory("summary", llm=asked, learn_every=1)
    adapter = ChatMemory(memory)
    history = [ChatMessage(role=role, content=text) for role, text in (("user", "A?"), ("assistant", "B."))]
    adapter.set(history)
    adapter.set(history)
    assert contents(memory.history()) == ["A?", "B."]
    assert len(asked.asked) == 1
    adapter.set([history[0], ChatMessage(role="assistant", content="C.")])
    assert contents(memory.history()) == ["A?", "C."]
    adapter.set([])
    assert memory.history() == []


def test_the_same_words_twice_are_two() -> None:
    """Who says yes twice said it twice; a question that a model was asked, and that is put again, is a retry."""
    memory, yes = create_memory("buffer"), ChatMessage(role="user", content="Yes")
    adapter = ChatMemory(memory)
    adapter.put(yes)
    adapter.put_messages([yes, yes])
    assert adapter.get_all() == [yes] * 3
    adapter.put(yes)
    assert contents(memory.history()) == ["Yes"] * 3


def test_reset_forgets_everything() -> None:
    """Log and state are gone, through the engine too."""
    memory = create_memory("buffer")
    engine = SimpleChatEngine.from_defaults(llm=model_of(["Hi."]), memory=ChatMemory(memory))
    engine.chat("Hello?")
    assert [message.content for message in engine.chat_history] == ["Hello?", "Hi."]
    engine.reset()
    assert memory.history() == []


def test_messages_come_back_as_they_were() -> None:
    """Blocks of thinking, pictures and additional arguments are kept, and given back to LlamaIndex."""
    adapter = ChatMemory(create_memory("buffer"))
    said = [
        ChatMessage(role="user", blocks=[TextBlock(text="What is it?"), ImageBlock(url="https://example.org/cat.png")]),
        ChatMessage(
            role="assistant",
            blocks=[ThinkingBlock(content="A cat, I think."), TextBlock(text="A cat.")],
            additional_kwargs={"usage": {"total_tokens": 7}},
        ),
        ChatMessage(role="user", blocks=[ImageBlock(url="https://example.org/dog.png")]),
        ChatMessage(role="assistant", content=""),
    ]
    adapter.put_messages(said)
    assert adapter.get_all() == said
    assert adapter.get_all() == said


def test_a_conversation_from_elsewhere_is_shown_with_its_tools() -> None:
    """What was not said through LlamaIndex has no form of its own: calls and results are built."""
    memory = create_memory("buffer")
    call = {"id": "x", "type": "function", "function": {"name": "weather", "arguments": '{"place": "Oslo"}'}}
    memory.add_messages(
        [
            {"role": "user", "content": "Weather?"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "x", "content": "Sun"},
        ]
    )
    shown = [as_chat(message) for message in ChatMemory(memory).get()]
    assert pairs(shown) == results(shown) == ["x"]


def test_what_is_learnt_from_a_message() -> None:
    """Words, the calls of blocks or of arguments, results, and the kind of what has no words."""
    call = {"id": "c", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
    block = host("llama_index.core.base.llms.types").ToolCallBlock(tool_name="weather", tool_kwargs={"place": "Oslo"})
    memory = create_memory("buffer")
    said = [
        ChatMessage(role="user", blocks=[TextBlock(text="This?"), ImageBlock(image=b"x", image_mimetype="image/png")]),
        ChatMessage(
            role="assistant", blocks=[ThinkingBlock(content="Hm."), block], additional_kwargs={"tool_calls": [call]}
        ),
        ChatMessage(role="assistant", additional_kwargs={"tool_calls": [call]}),
        ChatMessage(role="tool", content="Sun", additional_kwargs={"tool_call_id": "c"}),
        ChatMessage(role="tool", content="Rain"),
        ChatMessage(role="chatbot", content="Sunny."),
    ]
    ChatMemory(memory).put_messages(said)
    asked, in_block, in_arguments, *rest = memory.history()
    assert asked == {"role": "user", "content": [{"type": "text", "text": "This?"}, {"type": "image"}]}
    function = in_block["tool_calls"][0]["function"]
    assert (in_block["content"], in_block["tool_calls"][0]["id"], len(in_block["tool_calls"])) == (None, "weather", 1)
    assert (function["name"], json.loads(function["arguments"])) == ("weather", {"place": "Oslo"})
    assert in_arguments["tool_calls"] == [call]
    assert rest == [
        {"role": "tool", "tool_call_id": "c", "content": "Sun"},
        {"role": "tool", "tool_call_id": "", "content": "Rain"},
        {"role": "assistant", "content": "Sunny."},
    ]


def test_it_is_a_memory_of_llama_index() -> None:
    """It passes for `BaseMemory`, can be made as LlamaIndex makes its own, and has its methods."""
    made = ChatMemory.from_defaults("window", chat_history=[ChatMessage(role="user", content="hi")], token_limit=100)
    assert isinstance(made, BaseMemory)
    assert made.memory.name == "window"
    assert [message.content for message in made.get_all()] == ["hi"]
    names = "get get_all put put_messages set reset".split()
    for name in (*names, *(f"a{name}" for name in names), "from_defaults", "class_name"):
        assert callable(getattr(ChatMemory, name))


def test_async_methods_do_not_go_through_threads() -> None:
    """An agent's memory is asked in its own event loop."""

    async def ask() -> list[Any]:
        before, adapter = threading.active_count(), ChatMemory(create_memory("buffer"))
        await adapter.aput(ChatMessage(role="user", content="hi"))
        found = await adapter.aget_all()
        assert threading.active_count() == before, "asyncio.to_thread would have started one"
        return found

    assert [message.content for message in asyncio.run(ask())] == ["hi"]


def test_the_page() -> None:
    """The program of docs/hosts/llama_index.md runs as it stands, and prints what is written there."""
    run_page("llama_index", llm=model_of(["Hello Anna.", "Pixel."]))
