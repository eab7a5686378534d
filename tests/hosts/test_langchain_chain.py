"""ConversationChain: LangChain's takes our memories, and ours does what LangChain's does, or says what it cannot."""

import asyncio
import warnings
from collections.abc import Callable
from operator import itemgetter
from typing import Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import FakeListChatModel
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder, PromptTemplate
from langchain_core.runnables import RunnableLambda

import memzoo.langchain as drop_in
from memzoo.errors import MissingExtraError, OptionError
from memzoo.hosts.langchain.prompt_texts import TextPrompt
from memzoo.hosts.migrate.code_names import IN_CHAIN
from memzoo.langchain import (
    CombinedMemory,
    ConversationBufferMemory,
    ConversationBufferWindowMemory,
    ConversationChain,
    ConversationEntityMemory,
    ConversationSummaryBufferMemory,
    ConversationSummaryMemory,
    ConversationTokenBufferMemory,
)
from tests.hosts.sides import WordsModel, answering, chatting, scripted

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from langchain_classic.chains import ConversationChain as TheirChain
    from langchain_classic.chains import LLMChain, SimpleSequentialChain
    from langchain_classic.chains.base import Chain
    from langchain_classic.chains.router.multi_prompt import MultiPromptChain

pytestmark = pytest.mark.filterwarnings("ignore")


class Hearing(BaseCallbackHandler):
    """Keeps which callbacks were called, and with what words."""

    def __init__(self) -> None:
        """Has heard nothing."""
        self.heard: list[str] = []

    def on_chain_start(self, serialized: Any, inputs: Any, **about: Any) -> None:
        """A chain begins."""
        self.heard.append(f"chain {about['name']} {sorted(inputs)} {about['tags']} {about['metadata']}")

    def on_chat_model_start(self, serialized: Any, messages: Any, **about: Any) -> None:
        """A model is asked."""
        self.heard.append(f"asked {[one.type for one in messages[0]]}")

    def on_llm_end(self, response: Any, **about: Any) -> None:
        """A model has answered."""
        self.heard.append(f"said {response.generations[0][0].text}")

    def on_llm_error(self, error: BaseException, **about: Any) -> None:
        """A model has failed."""
        self.heard.append(f"failed {error}")

    def on_text(self, text: str, **about: Any) -> None:
        """A prompt."""
        self.heard.append(text.splitlines()[0])

    def on_chain_end(self, outputs: Any, **about: Any) -> None:
        """A chain has ended."""
        self.heard.append(f"end {outputs}")

    def on_chain_error(self, error: BaseException, **about: Any) -> None:
        """A chain has failed."""
        self.heard.append(f"error {error}")


ASKING: dict[str, Callable[[Any, Any], Any]] = {
    "predict": lambda chain, heard: chain.predict(input="a", callbacks=[heard]),
    "predict by place": lambda chain, heard: chain.predict([heard], input="a"),
    "apredict": lambda chain, heard: asyncio.run(chain.apredict(input="a", callbacks=[heard])),
    "run": lambda chain, heard: chain.run("a", callbacks=[heard], tags=["t"]),
    "run by name": lambda chain, heard: chain.run(input="a", callbacks=[heard]),
    "arun": lambda chain, heard: asyncio.run(chain.arun("a", callbacks=[heard], metadata={"m": 1})),
    "call": lambda chain, heard: chain({"input": "a"}, callbacks=[heard], run_name="mine"),
    "only outputs": lambda chain, heard: chain("a", return_only_outputs=True, callbacks=[heard]),
    "acall": lambda chain, heard: asyncio.run(chain.acall({"input": "a"}, callbacks=[heard])),
    "invoke": lambda chain, heard: chain.invoke("a", {"callbacks": [heard], "run_name": "mine", "tags": ["t"]}),
    "ainvoke": lambda chain, heard: asyncio.run(chain.ainvoke({"input": "a"}, {"callbacks": [heard]})),
    "invoke by name": lambda chain, heard: chain.invoke(
        input={"input": "a"}, config={"callbacks": [heard], "tags": ["t"]}
    ),
    "config by name": lambda chain, heard: chain.invoke(
        "a", config={"callbacks": [heard], "metadata": {"m": 1}}, stop=["x"]
    ),
    "ainvoke by name": lambda chain, heard: asyncio.run(
        chain.ainvoke(input="a", config={"callbacks": [heard]}, return_only_outputs=True)
    ),
    "batch": lambda chain, heard: chain.batch([{"input": "a"}], {"callbacks": [heard]}),
    "stream": lambda chain, heard: list(chain.stream({"input": "a"}, {"callbacks": [heard]})),
    "with_config": lambda chain, heard: chain.with_config(callbacks=[heard]).invoke({"input": "a"}),
    "sequence": lambda chain, heard: (chain | itemgetter("response")).invoke("a", {"callbacks": [heard]}),
    "behind": lambda chain, heard: (RunnableLambda(str) | chain).invoke("a", {"callbacks": [heard]}),
}


@pytest.mark.parametrize("ask", ASKING.values(), ids=ASKING.keys())
def test_callbacks_of_a_call_hear_what_they_hear_of_langchains(ask: Callable[[Any, Any], Any]) -> None:
    """The same chain, prompt, model, answer and end, in the same order, and the same comes back."""
    there, here = Hearing(), Hearing()
    template = PromptTemplate.from_template("{history} {input}")
    theirs = ask(TheirChain(llm=chatting("one"), prompt=template), there)
    ours = ask(ConversationChain(llm=chatting("one"), prompt=template), here)
    assert (ours, here.heard) == (theirs, there.heard)
    assert any(line.startswith("said one") for line in here.heard)


def test_callbacks_of_the_constructor() -> None:
    """They hear of the chain and not of its model, as in LangChain; tags and metadata are told to them."""
    heard: list[list[str]] = []
    for kind in (TheirChain, ConversationChain):
        handler = Hearing()
        chain = kind(
            llm=chatting("one"),
            prompt=PromptTemplate.from_template("{history} {input}"),
            callbacks=[handler],
            tags=["t"],
            metadata={"m": 1},
        )
        chain.predict(input="a")
        heard.append(handler.heard)
    assert heard[0] == heard[1]
    assert [line.split()[0] for line in heard[1]] == ["chain", "Prompt", "end"]


def test_verbose_prints_the_prompt(capsys: pytest.CaptureFixture[str]) -> None:
    """With langchain-core it shows what is asked."""
    ConversationChain(llm=chatting("one"), verbose=True).predict(input="Who is Sam?")
    assert "Human: Who is Sam?" in capsys.readouterr().out


def test_callbacks_hear_of_a_model_that_is_not_langchains() -> None:
    """What it was asked and what it said or why it failed, as a whole."""
    heard = Hearing()
    chain = ConversationChain(llm=scripted("one"))
    chain.predict(input="a", callbacks=[heard])
    assert heard.heard[2:4] == ["asked ['human']", "said one"]
    with pytest.raises(RuntimeError):
        asyncio.run(chain.apredict(input="b", callbacks=[heard]))
    assert [line.split()[0] for line in heard.heard[-2:]] == ["failed", "error"]


def test_what_the_model_raises_comes_through() -> None:
    """Programs catch the error of their provider."""

    def fail(_: Any) -> str:
        raise ConnectionError("down")

    chain, heard = ConversationChain(llm=RunnableLambda[Any, Any](fail)), Hearing()
    with pytest.raises(ConnectionError, match="down"):
        chain.predict(input="a", callbacks=[heard])
    assert heard.heard[-1] == "error down"
    assert chain.memory.buffer == ""


def test_an_answer_is_taken_as_it_is() -> None:
    """Also without a word, or with blanks around it."""
    chain = ConversationChain(llm=FakeListChatModel(responses=[" one\n", ""]))
    assert [chain.predict(input="a"), chain.predict(input="b")] == [" one\n", ""]


def test_a_prompt_can_be_read_and_changed() -> None:
    """`chain.prompt.template` is the text, and what it is set to is what the model is asked."""
    llm = scripted("one", "two")
    chain = ConversationChain(llm=llm)
    assert "{history}" in chain.prompt.template
    chain.prompt.template = "Be brief. {history} {input}"
    chain.predict(input="hi")
    assert llm.asked == ["Be brief.  hi"]
    chain.llm = scripted("other")
    assert chain.predict(input="hi") == "other"


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (lambda: ConversationChain(llm="offline").prompt, "PROMPT"),
        (lambda: drop_in.ENTITY_MEMORY_CONVERSATION_TEMPLATE, "ENTITY_MEMORY_CONVERSATION_TEMPLATE"),
    ],
)
def test_prompts_have_langchains_variables_and_roles(ours: Any, theirs: str) -> None:
    """The words are ours; who says them, and what is filled in, is not."""
    from langchain_classic.chains.conversation import prompt as chain_prompt
    from langchain_classic.memory import prompt

    made, original = ours(), getattr(prompt if theirs.startswith("E") else chain_prompt, theirs)
    assert sorted(made.input_variables) == sorted(original.input_variables)
    values = dict.fromkeys(made.input_variables, "x")
    assert [one.type for one in made.invoke(values).to_messages()] == ["human"]
    assert [one.type for one in original.invoke(values).to_messages()] == ["human"]


class TestInChainsOfChains:
    """LangChain's chains of chains take ours for one of LangChain's."""

    def test_routed_to(self) -> None:
        """`MultiPromptChain` sends it what no other prompt is for."""
        router = chatting('```json\n{"destination": "DEFAULT", "next_inputs": "hi"}\n```')
        ours: Any = ConversationChain(llm=chatting("one"), output_key="text")
        prompts = [{"name": "a", "description": "b", "prompt_template": "{input}"}]
        made: Any = MultiPromptChain
        chain = made.from_prompts(router, prompts, default_chain=ours)
        assert chain.run("hi") == "one"
        assert isinstance(ours, Chain)

    def test_in_a_row(self) -> None:
        """`SimpleSequentialChain` gives its answer to the next."""
        second = LLMChain(llm=chatting("two"), prompt=PromptTemplate.from_template("{x}"))
        chain = SimpleSequentialChain(chains=[ConversationChain(llm=chatting("one")), second])
        assert chain.run("hi") == "two"


class TestWithoutLangChain:
    """Nothing of LangChain is installed."""

    @pytest.fixture(autouse=True)
    def _gone(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("chain", "runs", "prompt_texts", "messages"):
            monkeypatch.setattr(f"memzoo.hosts.langchain.{name}.has_langchain", lambda: False)

    def test_answers(self) -> None:
        """The chain answers and remembers, and its prompt can be read."""
        chain = ConversationChain(llm=scripted("one", "two"))
        assert (chain.run("a"), chain("b")["response"]) == ("one", "two")
        assert isinstance(chain.prompt, TextPrompt)
        assert (chain.prompt.input_variables, "{input}" in chain.prompt.template) == (["history", "input"], True)

    def test_refuses_by_name(self) -> None:
        """What only langchain-core does is never passed over in silence."""
        chain = ConversationChain(llm=scripted("one"))
        with pytest.raises(MissingExtraError, match="langchain-core"):
            chain.predict(input="a", callbacks=[print])
        with pytest.raises(AttributeError, match="langchain-core"):
            chain.stream("a")
        with pytest.warns(UserWarning, match="verbose prints nothing"):
            ConversationChain(llm=scripted("one"), verbose=True)


def test_what_a_migration_takes_for_ours_is_there() -> None:
    """`memzoo migrate` passes over these names because the chain has them; of others it says that they are gone."""
    chain = ConversationChain(llm=scripted())
    assert [name for name in sorted(IN_CHAIN) if not hasattr(chain, name)] == []
    with pytest.raises(AttributeError, match="has no 'generate'"):
        _ = chain.generate


@pytest.mark.parametrize(
    "make",
    [
        ConversationBufferMemory,
        ConversationBufferWindowMemory,
        lambda: ConversationTokenBufferMemory(llm=answering()),
        lambda: ConversationSummaryMemory(llm=answering("A talk.")),
        lambda: ConversationSummaryBufferMemory(llm=answering()),
        lambda: CombinedMemory(memories=[ConversationBufferMemory()]),
    ],
)
def test_langchains_chain_takes_our_memories(make: Any) -> None:
    """A chain of langchain-classic loads from it and saves to it, in both worlds; its prompt is LangChain's."""
    chain = TheirChain(llm=answering("one", "two"), memory=make())
    assert "friendly conversation" in chain.prompt.template
    assert chain.predict(input="a") == "one"
    answer = asyncio.run(chain.ainvoke({"input": "b"}))
    assert (answer["history"] in {"Human: a\nAI: one", "A talk."}, answer["response"]) == (True, "two")


def test_answers_and_returns_what_langchains_returned() -> None:
    """The input, the memory's variables and the answer."""
    chain = ConversationChain(llm=chatting("one", "two", "three", "four"))
    assert chain.invoke({"input": "a"}) == {"input": "a", "history": "", "response": "one"}
    assert chain.predict(input="b") == "two"
    assert asyncio.run(chain.arun("c")) == "three"
    assert chain("d")["history"].startswith("Human: a\nAI: one\nHuman: b")
    assert chain("e", include_run_info=True)["__run"].run_id
    with pytest.raises(ValueError, match=r"Missing some input keys: \{'input'\}"):
        chain.predict(question="a")
    with pytest.raises(ValueError, match="positional arguments or keyword"):
        chain.run("a", input="b")


@pytest.mark.parametrize("cls", [TheirChain, ConversationChain])
def test_the_input_stop_goes_to_the_model(cls: Any) -> None:
    """A program stops the model at the next speaker's name with `chain({"input": ..., "stop": [...]})`."""
    stops: list[Any] = []

    class Stopping(WordsModel):
        def _call(self, prompt: str, stop: Any = None, *args: Any, **options: Any) -> str:
            stops.append(stop)
            return str(super()._call(prompt, stop, *args, **options))

    chain = cls(llm=Stopping(responses=["one", "two"]), memory=ConversationBufferMemory())
    chain({"input": "a", "stop": ["Bo:"]})
    chain({"input": "b"})
    assert (stops, chain.memory.buffer) == ([["Bo:"], None], "Human: a\nAI: one\nHuman: b\nAI: two")


def test_a_function_cannot_be_stopped() -> None:
    """The error says why, and nothing is saved."""
    chain = ConversationChain(llm=scripted("one"))
    with pytest.raises(OptionError, match="'stop' needs a model of LangChain"):
        chain({"input": "a", "stop": ["Bo:"]})
    assert chain.memory.buffer == ""


def test_a_text_prompt_with_messages() -> None:
    """Messages become a transcript in a prompt that is a text, not their representation."""
    llm = scripted("one", "two")
    chain = ConversationChain(llm=llm, memory=ConversationBufferMemory(return_messages=True))
    chain.run("a")
    chain.run("b")
    assert "Human: a\nAI: one\nHuman: b" in llm.asked[1]


def test_a_prompt_for_entities() -> None:
    """LangChain's name for a prompt with notes gives one that fits, also for chains of LangChain."""
    llm = scripted("Sam", "ok", "Sam: A man.")
    chain = ConversationChain(
        llm=llm,
        memory=ConversationEntityMemory(llm=llm, entity_store={"Sam": "Tall."}),
        prompt=drop_in.ENTITY_MEMORY_CONVERSATION_TEMPLATE,
    )
    chain.predict(input="Who is Sam?")
    assert "{'Sam': 'Tall.'}" in llm.asked[1]
    assert isinstance(drop_in.ENTITY_MEMORY_CONVERSATION_TEMPLATE, PromptTemplate)


def test_prompts() -> None:
    """A prompt of LangChain with message placeholders is filled; one with other variables is refused."""
    llm = scripted("ok")
    prompt = ChatPromptTemplate([("system", "Be brief."), MessagesPlaceholder("chat"), ("human", "{question}")])
    memory = ConversationBufferMemory(memory_key="chat", return_messages=True)
    memory.save_context({"input": "hi"}, {"output": "hello"})
    chain = ConversationChain(llm=llm, prompt=prompt, memory=memory, input_key="question")
    chain.run("how are you?")
    assert llm.asked == ["Be brief.\n\nhi\n\nhello\n\nhow are you?"]
    with pytest.raises(ValueError, match="Got unexpected prompt input variables"):
        ConversationChain(llm="offline", prompt="{nothing}")
    with pytest.raises(ValueError, match="also found in the memory keys"):
        ConversationChain(llm="offline", input_key="history")
