"""Remember a number of the newest messages."""

from memzoo.memories.options import option, strategy
from memzoo.memories.strategies.windows import Limit, WindowMemory, limit_check
from memzoo.stores import Entry

__all__ = ["MessageWindowMemory"]


@strategy
class MessageWindowMemory(WindowMemory):
    """Shows the newest `max_messages` messages, always with the system message.

    Each message counts as one, whatever its length. Use it for trying things out, or if messages are of similar length.
    A tool call and its results count one by one, but leave the window together.

    Costs: no call; tokens grow with the length of messages.

    State: none, except the messages given to `set_messages`, or those that LangChain4j would hold under its rules.

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

    max_messages: Limit = option(
        20,
        check=limit_check,
        doc="The most messages to show: a number, or a function that returns one for the conversation's id, called at "
        "each load.",
    )

    def weight(self, entry: Entry) -> int:
        """Each message counts as one."""
        return 1
