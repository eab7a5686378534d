"""Replacements for LangChain's combined, shared and unchanging memories."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from memzoo.errors import OptionError
from memzoo.hosts.langchain.base import BothWays, LangChainMemory, either
from memzoo.memories import BaseMemory
from memzoo.memories import ConversationBufferMemory as PlainBuffer
from memzoo.sync import drive, is_blocking, together


class SimpleMemory(BothWays):
    """A memory with variables that never change.

    Attributes:
        memories: A dict from variable to value.
    """

    def __init__(self, *, memories: Mapping[str, Any] | None = None) -> None:
        self.memories = dict(memories or {})

    @property
    def memory_variables(self) -> list[str]:
        """The names of the variables."""
        return list(self.memories)

    async def aload_memory_variables(self, inputs: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the variables."""
        return dict(self.memories)


class ReadOnlySharedMemory(BothWays):
    """A memory that shows another memory, and never changes it."""

    def __init__(self, *, memory: Any) -> None:
        self.memory = memory

    @property
    def memory_variables(self) -> list[str]:
        """The names of the shared memory's variables."""
        return list(self.memory.memory_variables)

    async def aload_memory_variables(self, inputs: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the shared memory's variables."""
        return dict(await either(self.memory, "load_memory_variables", inputs or {}))


class CombinedMemory(BothWays):
    """Several memories, each with its own conversation and variables.

    All members save each exchange, even if one fails to learn. `memzoo.CombinedMemory`, in contrast, has one
    conversation for all members.

    Raises:
        OptionError: Two members have a variable of the same name.
    """

    def __init__(self, *, memories: Sequence[Any]) -> None:
        names = [name for memory in memories for name in memory.memory_variables]
        if repeated := {name for name in names if names.count(name) > 1}:
            # In LangChain, pydantic begins the message with "Value error", and programs may look for these words.
            raise OptionError(
                f"Value error, The same variables {repeated} are found in multiplememory object, which is not allowed "
                "by CombinedMemory."
            )
        self.memories = list(memories)

    @property
    def memory_variables(self) -> list[str]:
        """The names of all members' variables."""
        return [name for memory in self.memories for name in memory.memory_variables]

    async def aload_memory_variables(self, inputs: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the variables of all members."""
        loaded = await self._call("load_memory_variables", self._own(inputs or {}))
        return {name: value for variables in loaded for name, value in variables.items()}

    async def asave_context(self, inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> None:
        """Save an exchange in all members."""
        given = self._own(inputs)
        for memory in self.memories:
            if isinstance(memory, LangChainMemory):
                # Refuse a wrong exchange before the first member stores it.
                memory.check_keys(given, outputs)
        await self._call("save_context", given, outputs)

    async def aclear(self) -> None:
        """Clear all members."""
        await self._call("clear")

    async def _call(self, method: str, *arguments: Any) -> list[Any]:
        """Call a method of all members, even if one fails.

        In a synchronous call, the program's own members run in the caller's thread, one after another, as in LangChain:
        they may have a connection that works in no other thread.
        """
        pooled, alone = list[Any](), list[Any]()
        for memory in self.memories:
            is_own = isinstance(memory, BothWays | BaseMemory)
            (pooled if is_own or not is_blocking() else alone).append(memory)
        results, failed = list[Any](), list[Exception]()
        for some in [pooled, *([one] for one in alone)]:
            try:
                results += await together(either(memory, method, *arguments) for memory in some)
            except Exception as error:  # noqa: BLE001 - raised below
                failed.append(error)
        if failed:
            raise failed[0]
        return results

    def _own(self, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
        if not isinstance(inputs, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance] - a chain may pass a text
            return inputs
        return {name: value for name, value in inputs.items() if name not in self.memory_variables}


class ConversationStringBufferMemory(LangChainMemory):
    """Shows the whole conversation as a text. The option `buffer` is the initial text."""

    plain_class = PlainBuffer
    extras: ClassVar[Mapping[str, Any]] = {"before": ""}
    brought = ("buffer",)

    def __init__(self, **options: Any) -> None:
        """Make a memory; the options are those of `LangChainMemory`."""
        if options.get("return_messages"):
            raise OptionError("return_messages must be False for ConversationStringBufferMemory")
        super().__init__(**options)

    @property
    def buffer(self) -> str:
        """The whole text. Without the option `buffer`, the text begins with an empty line, as in LangChain."""
        return drive(self._text())

    @buffer.setter
    def buffer(self, text: str) -> None:
        self.plain.clear()
        self.before = text

    async def aload_memory_variables(self, inputs: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the whole text."""
        return {self.plain.memory_key: await self._text()}

    async def aclear(self) -> None:
        """Delete the text."""
        await super().aclear()
        self.before = ""

    async def _text(self) -> str:
        said = str(await self._view())
        return f"{self.before}\n{said}" if said else str(self.before)
