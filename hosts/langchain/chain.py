"""A replacement for LangChain's ConversationChain, for programs that no longer use LangChain."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from memzoo.errors import OptionError
from memzoo.hosts.langchain.base import either
from memzoo.hosts.langchain.memories import ConversationBufferMemory
from memzoo.hosts.langchain.messages import dicts, has_langchain
from memzoo.hosts.langchain.models import model_of
from memzoo.hosts.langchain.prompt_texts import conversation_prompt, prompt_of
from memzoo.hosts.langchain.runs import ask_model, runnable
from memzoo.hosts.shared import VirtualSubclass
from memzoo.memories import Model
from memzoo.memories.models.chat import as_model
from memzoo.memories.text.messages import Labels
from memzoo.stores import Message
from memzoo.sync import blocking


@dataclass(eq=False, repr=False, kw_only=True)
class ConversationChain(VirtualSubclass):
    r"""A chain that shows a model a memory's view, returns the model's answer, and saves the exchange.

    New code should use `memzoo.Conversation`, which supports tools and streaming. With langchain-core, the chain is
    also a Runnable (`stream`, `batch`, `chain | other` and the like). The model's exceptions are raised unchanged.

    Attributes:
        llm: The model, in any form that a memory accepts.
        memory: Any memory; by default a memory that keeps everything.
        prompt: A LangChain prompt, or a text with variables in braces; the default has `history` and `input`.
        input_key: The name of the variable for the user's words.
        output_key: The name of the variable for the answer.
        verbose: True to print the prompt; needs langchain-core.
        callbacks: LangChain's handlers for all calls. A call can add handlers of its own.
        tags: The chain's tags for callbacks.
        metadata: The chain's metadata for callbacks.

    Raises:
        OptionError: The prompt's variables are not exactly the input and the memory's variables, or the memory has a
            variable with the same name as the input.

    Example:
        >>> chain = ConversationChain(llm=lambda messages: "Hello Sam!")
        >>> chain.predict(input="Hi, I am Sam.")
        'Hello Sam!'
        >>> chain.memory.buffer
        'Human: Hi, I am Sam.\nAI: Hello Sam!'
    """

    host_modules: ClassVar[tuple[str, ...]] = ("langchain_classic.chains.base", "langchain.chains.base")
    host_class: ClassVar[str] = "Chain"

    llm: Any
    memory: Any = None
    prompt: Any = field(default_factory=conversation_prompt)
    input_key: str = "input"
    output_key: str = "response"
    verbose: bool = False
    callbacks: Any = None
    tags: list[str] | None = None
    metadata: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        self.memory, self.prompt = self.memory or ConversationBufferMemory(), prompt_of(self.prompt)
        self._known: tuple[Any, Model] = self.llm, as_model(model_of(self.llm))
        if self.verbose and not has_langchain():
            warnings.warn("verbose prints nothing, because langchain-core is not installed", stacklevel=3)
        self._check()

    async def ainvoke(
        self,
        /,
        input: Mapping[str, Any] | str,  # noqa: A002 - LangChain's name
        config: Any = None,
        *,
        return_only_outputs: bool = False,
        include_run_info: bool = False,
        **_: Any,
    ) -> dict[str, Any]:
        """Answer, and return a dict with the input, the memory's variables and the answer.

        Args:
            input: The user's words: a text, or a mapping with the words under `input_key`.
            config: LangChain's config: callbacks, tags, metadata, the name and the id of the run.
            return_only_outputs: True to leave the input and the memory's variables out of the dict.
            include_run_info: True to add the id of the run to the dict, as "__run".
            **_: Other arguments of a Runnable. They are ignored, as in LangChain's chains.
        """
        given = dict(input) if isinstance(input, Mapping) else {self.input_key: input}
        values = {**given, **await either(self.memory, "load_memory_variables", given)}
        if missing := self._variables() - values.keys():
            raise OptionError(f"Missing some input keys: {missing}")
        text, run_id = await ask_model(self, self._model(), values, config or {})
        outputs: dict[str, Any] = {self.output_key: text}
        await either(self.memory, "save_context", given, outputs)
        if include_run_info and run_id is not None:
            from langchain_core.outputs import RunInfo

            outputs["__run"] = RunInfo(run_id=run_id)
        return outputs if return_only_outputs else {**values, **outputs}

    async def acall(
        self,
        inputs: Mapping[str, Any] | str,
        return_only_outputs: bool = False,  # noqa: FBT001, FBT002 - LangChain's
        callbacks: Any = None,
        *,
        tags: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        run_name: str | None = None,
        include_run_info: bool = False,
    ) -> dict[str, Any]:
        """Answer as `invoke` does: `chain("Hi")`, or in asynchronous code `await chain.acall("Hi")`."""
        given = {"callbacks": callbacks, "tags": tags, "metadata": metadata, "run_name": run_name}
        config = {name: value for name, value in given.items() if value is not None}
        return await self.ainvoke(
            inputs, config, return_only_outputs=return_only_outputs, include_run_info=include_run_info
        )

    async def apredict(self, /, callbacks: Any = None, **inputs: Any) -> str:
        """Return the answer as a text: `chain.predict(input="Hi")`, or `await chain.apredict(input="Hi")`."""
        return str((await self.acall(inputs, callbacks=callbacks))[self.output_key])

    async def arun(
        self, /, *args: Any, callbacks: Any = None, tags: Any = None, metadata: Any = None, **inputs: Any
    ) -> str:
        """Return the answer as a text: `chain.run("Hi")`, or `await chain.arun("Hi")`. `input="Hi"` works too."""
        if len(args) + bool(inputs) != 1:
            raise OptionError("`run` supported with either positional arguments or keyword arguments, one of them")
        said = await self.acall(args[0] if args else inputs, callbacks=callbacks, tags=tags, metadata=metadata)
        return str(said[self.output_key])

    invoke = blocking(ainvoke)
    __call__ = blocking(acall)
    predict = blocking(apredict)
    run = blocking(arun)

    @property
    def input_keys(self) -> list[str]:
        """A list with the name of the variable for the user's words."""
        return [self.input_key]

    @property
    def output_keys(self) -> list[str]:
        """A list with the name of the variable for the answer."""
        return [self.output_key]

    def __or__(self, other: Any) -> Any:
        return runnable(self) | other

    def __ror__(self, other: Any) -> Any:
        return other | runnable(self)

    def __getattr__(self, name: str) -> Any:
        # Other attributes of a Runnable.
        if not name.startswith("_") and hasattr(found := runnable(self), name):
            return getattr(found, name)
        raise AttributeError(
            f"the ConversationChain of memzoo.langchain has no {name!r}; LangChain's takes the same memories"
        )

    def request(self, values: Mapping[str, Any]) -> list[Message]:
        """Fill in the prompt's variables, and return the prompt as chat messages."""
        if not isinstance(getattr(self.prompt, "template", None), str):
            return dicts(self.prompt.invoke(values).to_messages())
        shown = {name: _to_text(value) for name, value in values.items()}
        return [{"role": "user", "content": self.prompt.format(**shown)}]

    def _model(self) -> Model:
        """Return the model for the current `llm`."""
        if self._known[0] is not self.llm:
            self._known = self.llm, as_model(model_of(self.llm))
        return self._known[1]

    def _variables(self) -> set[str]:
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


def _to_text(value: Any) -> Any:
    """Return a list of messages as a transcript for a text prompt; other values unchanged."""
    return "\n".join(map(Labels().line, dicts(value))) if isinstance(value, list) else value
