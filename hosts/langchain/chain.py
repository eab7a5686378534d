"""LangChain's ConversationChain, for programs that have one."""

import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memzoo.errors import OptionError
from memzoo.hosts.langchain.memories import ConversationBufferMemory
from memzoo.hosts.langchain.messages import dicts, has_langchain
from memzoo.hosts.langchain.models import model_of
from memzoo.memories.text.messages import Labels
from memzoo.stores import Message
from memzoo.strategy import as_model
from memzoo.sync import blocking

__all__ = ["ConversationChain", "entity_prompt"]

_BEGIN = "You talk with a human. You are friendly and helpful, and say so when you do not know something.\n\n"
_NOTES = "What you know about those who were mentioned:\n{entities}\n\n"
_END = "The conversation so far:\n{history}\nHuman: {input}\nAI:"
_PROMPT, _ENTITY_PROMPT = f"{_BEGIN}{_END}", f"{_BEGIN}{_NOTES}{_END}"


def entity_prompt() -> Any:
    """A prompt for a chain with an entity memory: LangChain's kind where langchain-core is installed, else a text."""
    if not has_langchain():
        return _ENTITY_PROMPT
    from langchain_core.prompts import PromptTemplate

    return PromptTemplate.from_template(_ENTITY_PROMPT)


@dataclass(eq=False, repr=False, kw_only=True)
class ConversationChain:
    r"""Answers with a model that is shown what a memory remembers; the exchange is saved.

    New code has `memzoo.Conversation`, which has tools and streams.

    Attributes:
        llm: The model, as a memory takes one.
        memory: Any memory; by default one that keeps everything.
        prompt: A LangChain prompt, or a text with variables in braces.
        input_key: The variable of the user's words.
        output_key: The variable of the answer.
        verbose: Taken for LangChain's sake; nothing is printed.

    Raises:
        OptionError: The prompt's variables are not the input and the memory's, or the two are the same.

    Example:
        >>> chain = ConversationChain(llm=lambda messages: "Hello Sam!")
        >>> chain.predict(input="Hi, I am Sam.")
        'Hello Sam!'
        >>> chain.memory.buffer
        'Human: Hi, I am Sam.\nAI: Hello Sam!'
    """

    llm: Any
    memory: Any = None
    prompt: Any = _PROMPT
    input_key: str = "input"
    output_key: str = "response"
    verbose: bool = False

    def __post_init__(self) -> None:
        self.memory = self.memory or ConversationBufferMemory()
        self._model = as_model(model_of(self.llm))
        self._check()

    async def ainvoke(self, inputs: Mapping[str, Any] | str, config: Any = None, /, **_: Any) -> dict[str, Any]:
        """Answer, and return the input, the memory's variables and the answer by their names."""
        given = {self.input_key: inputs} if isinstance(inputs, str) else dict(inputs)
        values = {**given, **await self.memory.aload_memory_variables(given)}
        answer = await self._model.complete(self._request(values), "conversation")
        await self.memory.asave_context(given, {self.output_key: answer.text})
        return {**values, self.output_key: answer.text}

    async def apredict(self, /, **inputs: Any) -> str:
        """Answer: `predict(input="Hi")`."""
        return str((await self.ainvoke(inputs))[self.output_key])

    async def arun(self, text: Any = None, /, **inputs: Any) -> str:
        """Answer: `run("Hi")`."""
        return str((await self.ainvoke(inputs if text is None else text))[self.output_key])

    invoke = __call__ = blocking(ainvoke)
    predict, run = blocking(apredict), blocking(arun)

    def _request(self, values: Mapping[str, Any]) -> list[Message]:
        if isinstance(self.prompt, str):
            shown = {name: _worded(value) for name, value in values.items()}
            return [{"role": "user", "content": self.prompt.format(**shown)}]
        return dicts(self.prompt.invoke(values).to_messages())

    def _variables(self) -> set[str]:
        if isinstance(self.prompt, str):
            return {field for _, field, _, _ in string.Formatter().parse(self.prompt) if field is not None}
        return set(self.prompt.input_variables)

    def _check(self) -> None:
        known: Sequence[str] = self.memory.memory_variables
        if self.input_key in known:
            raise OptionError(
                f"Value error, The input key {self.input_key} was also found in the memory keys ({known}) - please "
                "provide keys that don't overlap."
            )
        expected, wanted = {self.input_key, *known}, self._variables()
        if wanted != expected:
            raise OptionError(
                f"Value error, Got unexpected prompt input variables. The prompt expects {sorted(wanted)}, but got "
                f"{known} as inputs from memory, and {self.input_key} as the normal input key."
            )


def _worded(value: Any) -> Any:
    """Messages as a transcript, for a prompt that is a text."""
    return "\n".join(map(Labels().line, dicts(value))) if isinstance(value, list) else value
