"""The base of all memory classes for LangChain."""

import contextlib
import dataclasses
import inspect
import io
import pickle
import warnings
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, ClassVar, Self, cast

from memzoo.errors import OptionError
from memzoo.hosts.langchain.history import ChatHistory, MessageHistory, history_store
from memzoo.hosts.langchain.messages import question, to_langchain, values
from memzoo.hosts.langchain.models import TokensOf, model_of
from memzoo.hosts.langchain.prompts import DefaultPrompt, convert_template, default_prompt
from memzoo.hosts.langchain.state import Content, content_of_store, restore_content
from memzoo.hosts.shared import VirtualSubclass
from memzoo.memories.text.keys import input_key_of, output_key_of
from memzoo.stores import InMemoryStore
from memzoo.strategy import BaseMemory
from memzoo.sync import blocking, is_blocking

# As in LangChain, each save learns, and a program can still answer if the model fails meanwhile.
_DEFAULTS: Mapping[str, Any] = {"on_model_error": "defer", "learn_every": 1}
_NUMBERS = frozenset({"k", "max_token_limit"})
_ATTRIBUTES = frozenset({"_given", "_history", "_own_history", "_plain"})


async def either(owner: Any, method: str, *arguments: Any) -> Any:
    """Call a method of an object, or in asynchronous code its asynchronous twin, and return the result.

    The object may be LangChain's. Its asynchronous methods need an event loop, which a synchronous call does not have.
    """
    return getattr(owner, method)(*arguments) if is_blocking() else await getattr(owner, f"a{method}")(*arguments)


class BothWays(VirtualSubclass):
    """A base class with LangChain's memory methods, synchronous and asynchronous. By default, they save nothing."""

    host_modules = ("langchain_classic.base_memory", "langchain_core.memory")

    @property
    def memory_variables(self) -> list[str]:
        """The names of the variables that `load_memory_variables` returns."""
        raise NotImplementedError

    async def aload_memory_variables(self, inputs: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the variables for a prompt."""
        raise NotImplementedError

    async def asave_context(self, inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> None:
        """Save nothing; a subclass that saves overrides this method."""

    async def aclear(self) -> None:
        """Clear nothing; a subclass that saves overrides this method."""

    load_memory_variables = blocking(aload_memory_variables)
    save_context = blocking(asave_context)
    clear = blocking(aclear)


class LangChainMemory(BothWays):
    """A memory with the methods, options and defaults of one of LangChain's memory classes.

    Options can be changed at any time, as in LangChain. An unknown option is ignored, with a warning.
    """

    plain_class: ClassVar[type[BaseMemory]]
    # LangChain's defaults that differ from the plain class's defaults.
    defaults: ClassVar[Mapping[str, Any]] = {}
    # The names of memzoo's prompts, by the names of the options for LangChain's prompts.
    templates: ClassVar[Mapping[str, str]] = {}
    # Options for an initial state.
    brought: ClassVar[Sequence[str]] = ()
    # Options unknown to the plain class, with their defaults.
    extras: ClassVar[Mapping[str, Any]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        # As in LangChain, a program's subclass may change a default by a class attribute, such as `k: int = 2`.
        own = vars(cls).keys() & cls._options() if hasattr(cls, "plain_class") else ()
        # Methods are no defaults; a function is one if its name is annotated, as in `redact: Any = hide`.
        noted = inspect.get_annotations(cls)
        changed = {name: vars(cls)[name] for name in own if name in noted or not hasattr(vars(cls)[name], "__get__")}
        for name in changed:
            delattr(cls, name)
        cls.defaults = {**cls.defaults, **changed}

    def __init__(self, **options: Any) -> None:
        """Make a memory.

        Args:
            **options: The options of the LangChain class, and those of memzoo's class with the same name, such as
                `store`, `conversation_id` and `token_counter`.
        """
        given = self._drop_unknown(options)
        defaults = {name: _own_default(value) for name, value in self.defaults.items() if name not in given}
        self._given = {**_DEFAULTS, **self.extras, **defaults, **given}
        for name in _NUMBERS & self._given.keys():
            self._given[name] = _as_number(self._given[name])
        self._history: Any = None
        self._own_history: ChatHistory | None = None
        if (history := self._given.pop("chat_memory", None)) is not None:
            self._adopt(history)
        brought = {name: self._given.pop(name) for name in self.brought if name in self._given}
        self.plain = self._make()
        self._given |= {"store": self.plain.store, "conversation_id": self.plain.conversation_id}
        for name, value in brought.items():
            setattr(self, name, value)

    @property
    def plain(self) -> BaseMemory:
        """The underlying memory, with all of memzoo's methods."""
        if self._own_history is not None:
            self._own_history.take_edits()
        return self._plain

    @plain.setter
    def plain(self, memory: BaseMemory) -> None:
        if self._own_history is not None:
            self._own_history.take_edits()
        self._plain, self._own_history = memory, None

    # LangChain's methods.

    @property
    def memory_variables(self) -> list[str]:
        """The names of the variables that `load_memory_variables` returns."""
        return self._plain.memory_variables

    async def aload_memory_variables(self, inputs: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the variables for a prompt: a transcript, or a list of messages if `return_messages` is true."""
        return to_langchain(await self.plain.aload_memory_variables(question(inputs, self.plain.input_key)))

    async def asave_context(self, inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> None:
        """Save an exchange and learn from it. The values of `inputs` and `outputs` are texts or messages."""
        await self.plain.asave_context(values(inputs), values(outputs))

    async def aclear(self) -> None:
        """Delete the conversation and everything learnt from it."""
        await self.plain.aclear()

    def check_keys(self, inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> None:
        """Before an exchange is stored, check that it has the user's and the assistant's words.

        Raises:
            MissingKeyError, MessageError: The user's or the assistant's words are missing or ambiguous.
        """
        input_key_of(inputs, self._plain.input_key, self.memory_variables)
        output_key_of(outputs, self._plain.output_key, type(self).__name__)

    @property
    def chat_memory(self) -> Any:
        """The whole conversation as a LangChain history: the option `chat_memory`, or else a history in the store."""
        if self._history is not None:
            return self._history
        if self._own_history is None:
            self._own_history = ChatHistory(self._plain)
        return self._own_history

    @chat_memory.setter
    def chat_memory(self, history: Any) -> None:
        self._adopt(history)
        self.plain = self._make()

    def as_message_history(self) -> Any:
        """Return the memory as a history for `RunnableWithMessageHistory`.

        The history shows the memory's view, and saves new messages.

        Raises:
            OptionError: The memory searches for the input, but LangChain does not pass the input to a history.
        """
        if self.plain.needs_query:
            raise OptionError(
                f"{type(self).__name__} needs the input of the turn, which a message history does not get; "
                "put memory.load_memory_variables into the chain instead"
            )
        return MessageHistory(self.plain)

    # Options.

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name != "plain" and name in self._options():
            if name in self.templates and not (self._given.get(name) or self._given.get("prompts")):
                return default_prompt(self.templates[name])
            return self._given[name] if name in self._given else getattr(self._plain, name, None)
        raise AttributeError(
            f"{type(self).__name__!r} object has no attribute {name!r}; memzoo's additions are at .plain"
        )

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._options() or isinstance(getattr(type(self), name, None), property):
            object.__setattr__(self, name, value)
            return
        before = dict(self._given)
        self._given[name] = None if isinstance(value, DefaultPrompt) else value
        try:
            self.plain = self._make()
        except Exception:
            self._given = before
            raise

    @classmethod
    def _options(cls) -> set[str]:
        own = {field.name for field in dataclasses.fields(cls.plain_class) if field.init}
        return own | {*cls.templates, *cls.brought, *cls.extras, "chat_memory"}

    def _drop_unknown(self, options: Mapping[str, Any]) -> dict[str, Any]:
        known = self._options()
        if unknown := sorted(options.keys() - known):
            warnings.warn(
                f"{type(self).__name__} has no option {', '.join(map(repr, unknown))}, which is ignored; it has: "
                f"{', '.join(sorted(known))}",
                stacklevel=3,
            )
        # A default prompt, taken from another memory, is the same as none.
        return {
            name: value for name, value in options.items() if name in known and not isinstance(value, DefaultPrompt)
        }

    def _adopt(self, history: Any) -> None:
        """Keep the messages in this LangChain history from now on."""
        if isinstance(history, ChatHistory):
            plain = history._plain  # noqa: SLF001 - the memory that it belongs to
            self._history = None
            self._given |= {"store": plain.store, "conversation_id": plain.conversation_id}
        elif hasattr(history, "messages"):
            self._history, self._given["store"] = history, history_store(history)
        else:
            raise OptionError(f"chat_memory must be a chat history of LangChain or memzoo, not {history!r}")

    def _make(self, **changed: Any) -> BaseMemory:
        """Make the plain memory for the current options."""
        given = {name: value for name, value in {**self._given, **changed}.items() if name not in self.extras}
        prompts = {name: given.pop(name) for name in self.templates if name in given}
        given["prompts"] = self._prompts(prompts) or given.get("prompts")
        given.setdefault("recalled_role", "system")
        if "llm" in given:
            if given.get("token_counter") is None and TokensOf.is_known_to(given["llm"]):
                given["token_counter"] = TokensOf(given["llm"])
            given["llm"] = model_of(given["llm"])
        return self.plain_class(**given)

    def _prompts(self, templates: Mapping[str, Any]) -> dict[str, str]:
        """Return the given LangChain templates, converted, and memzoo's templates from the option `prompts`."""
        own = self._given.get("prompts") or {}
        if templates and not isinstance(own, Mapping):
            raise OptionError(f"give {', '.join(templates)} or a folder as prompts, not both")
        taken = {
            self.templates[name]: convert_template(self.templates[name], name, template)
            for name, template in templates.items()
            if template is not None
        }
        return {**taken, **own} if taken else {}

    # The view as text or messages, for the `buffer` properties.

    async def _view(self, *, messages: bool | None = None) -> Any:
        other = messages is not None and messages != self.plain.return_messages
        plain = self._make(return_messages=messages) if other else self.plain
        return to_langchain(await plain.aload_memory_variables({}))[plain.memory_variables[-1]]

    # Copies.

    def __copy__(self) -> Self:
        made: Self = _remake_memory(type(self), self._given, None, by_init=False)
        made.__dict__ |= {"_history": self._history, **self._own_attributes()}
        return made

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        # For pickles and deep copies. `__reduce__` would be looked up in the imitated class.
        own = self._own_attributes()
        state: Any = {name: value for name, value in own.items() if _is_picklable(value)}
        if type(self).__getstate__ is not object.__getstate__ and isinstance(state := self.__getstate__(), dict):
            state = {name: value for name, value in cast("dict[str, Any]", state).items() if name not in _ATTRIBUTES}
        # `__init__` makes again what is left out, such as a lock.
        by_init = not isinstance(state, dict) or set(cast("dict[str, Any]", state)) != set(own)
        return _remake_memory, (type(self), *self._luggage(), by_init), state  # pyright: ignore[reportUnknownVariableType]

    def _own_attributes(self) -> dict[str, Any]:
        """Return the attributes that a program's subclass has added."""
        return {name: value for name, value in vars(self).items() if name not in _ATTRIBUTES}

    def _luggage(self) -> tuple[dict[str, Any], Content | None]:
        """Return the options to pickle or to copy, and the conversation's content if its store is in memory."""
        store, options = self.plain.store, dict(self._given)
        if self._history is not None:
            del options["store"]
            return {**options, "chat_memory": self._history}, None
        if not isinstance(store, InMemoryStore):
            return options, None
        del options["store"]
        return options, content_of_store(store, self.plain.conversation_id)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} over {self.plain!r}>"


def _as_number(value: Any) -> Any:
    """Return a whole number that is written as a text or a float as an `int`, as LangChain does; else the value."""
    if (isinstance(value, str) and value.isdecimal()) or (isinstance(value, float) and value.is_integer()):
        return int(value)
    return value


def _own_default(value: Any) -> Any:
    """Return a default for one memory: a `Field` of pydantic makes it, and a history is copied."""
    if hasattr(value, "get_default"):
        return value.get_default(call_default_factory=True)
    if hasattr(value, "messages"):
        with contextlib.suppress(TypeError):  # a history in a database cannot be copied
            return deepcopy(value)
    return value


class _Trial(pickle.Pickler):
    """Pickles values without the memories in them, which may refer to the values."""

    def persistent_id(self, obj: Any) -> str | None:
        """Return an id for a memory, so that it is not pickled."""
        return "" if isinstance(obj, LangChainMemory) else None


def _is_picklable(value: Any) -> bool:
    try:
        _Trial(io.BytesIO()).dump(value)
    except Exception:  # noqa: BLE001 - of any kind
        return False
    return True


def _remake_memory(
    cls: type[Any],
    options: dict[str, Any],
    content: Content | None,
    by_init: bool = True,  # noqa: FBT001, FBT002 - older pickles do not have it
) -> Any:
    options = {"chat_memory": None, **options}
    if content is not None:
        options = {**options, "store": restore_content(options["conversation_id"], content)}
    if by_init:
        with contextlib.suppress(TypeError):
            return cls(**options)
    # A program's subclass may have other arguments than options. The options have the defaults already.
    memory = object.__new__(cls)
    memory.defaults = {}
    LangChainMemory.__init__(memory, **options)
    del memory.defaults
    return memory
