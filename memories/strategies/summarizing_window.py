"""Remember the newest messages, and from time to time distil them into one summary message."""

from collections.abc import Sequence

from memzoo.memories.engine.log import Log, messages_of
from memzoo.memories.engine.state import Changes, State
from memzoo.memories.options import option, strategy
from memzoo.memories.strategies.summarizing import SummarizingMemory, summary_of
from memzoo.memories.text.grouping import is_instruction
from memzoo.memories.text.view import View
from memzoo.stores import Entry

__all__ = ["SummarizingWindowMemory"]


@strategy
class SummarizingWindowMemory(SummarizingMemory):
    """Shows a summary message and the messages after it; when there are many, a new summary takes them in.

    The pattern of LangChain.js' guide: once there are `max_messages` before the newest user message, a model distils
    them into one summary message, which counts as a message and is itself distilled the next time. So one call serves
    several exchanges. The system message stays as it is; tool calls are told in words. Nothing is deleted.

    State: `summary`, a text; `distilled`, the number of the last message in it; `system`, that of the newest system
    message, 0 for none.

    Example:
        >>> memory = SummarizingWindowMemory(llm=lambda messages: "Nemo greeted the assistant.", max_messages=4)
        >>> for said, answer in [("I'm Nemo.", "Hello!"), ("How are you?", "Fine!"), ("My name?", "Nemo.")]:
        ...     memory.save_context({"input": said}, {"output": answer})
        >>> [message["content"] for message in memory.messages()]
        ['Nemo greeted the assistant.', 'My name?', 'Nemo.']
        >>> len(memory.history())
        6
    """

    name = "summarizing-window"

    max_messages: int = option(
        20,
        at_least=1,
        doc="How many messages before the newest user message are distilled; a summary counts as one.",
    )

    async def derive(self, state: State, entries: Sequence[Entry], log: Log) -> Changes:
        """Distil what stands before the newest user message, if it is enough."""
        summary, distilled = await self.bounded(summary_of(state)), _number(state, "distilled")
        older = _before_newest_user(await log.after(distilled))
        if older and len(older) + bool(summary) >= self.max_messages:
            summary, distilled = await self.apredict_new_summary(messages_of(older), summary), older[-1].seq
        rules = [entry.seq for entry in entries if is_instruction(entry.message)] or [_number(state, "system")]
        return Changes({"summary": summary, "distilled": distilled, "system": rules[-1]})

    async def view(self, log: Log, state: State, query: str | None) -> View:
        """The system message, the summary, and what is not distilled yet."""
        said = await log.after(_number(state, "distilled"))
        rules = [entry for entry in said if is_instruction(entry.message)]
        if not rules and (known := _number(state, "system")):
            rules = await log.between(known, known)
        said = [entry for entry in said if not is_instruction(entry.message)]
        return View.of([*rules[-1:], *said], tuple(filter(None, [self.quoted_summary(state)])))


def _number(state: State, name: str) -> int:
    return int(state.items.get(name, 0))


def _before_newest_user(entries: Sequence[Entry]) -> list[Entry]:
    """What stands before the newest user message, system messages aside."""
    newest = max((place for place, entry in enumerate(entries) if entry.message["role"] == "user"), default=0)
    return [entry for entry in entries[:newest] if not is_instruction(entry.message)]
