"""Remember as many of the newest messages as a number allows."""

from dataclasses import dataclass

from memzoo.memories.strategies.windows import Limit, WindowMemory
from memzoo.stores import Message

__all__ = ["MessageWindowMemory"]


@dataclass(kw_only=True, eq=False)
class MessageWindowMemory(WindowMemory):
    """Shows the newest messages, as many as a number allows, the system message always among them.

    Each message counts as one, whatever its length: right for trying things out, and where messages are alike. Calls of
    tools and their results count one by one and go together.

    Args:
        max_messages: How many messages are shown at most: a number, or a function from the conversation's id to one,
            asked at each load.
        **window: See `WindowMemory` and `BaseMemory`.

    Example:
        >>> memory = MessageWindowMemory(max_messages=3)
        >>> memory.add_messages([{"role": "system", "content": "Be brief."}])
        >>> for number in (1, 2):
        ...     memory.save_context({"input": f"question {number}"}, {"output": f"answer {number}"})
        >>> [message["content"] for message in memory.messages()]
        ['Be brief.', 'question 2', 'answer 2']
        >>> memory.set_messages([{"role": "user", "content": "Let us start anew."}])
        >>> len(memory.messages()), len(memory.history())
        (1, 5)
    """

    name = "message-window"
    limit_name = "max_messages"
    unit = "messages"

    max_messages: Limit = 20

    def weight(self, message: Message) -> int:
        """Each message counts as one."""
        return 1
