"""Remember the newest messages that fit a number of tokens."""

from memzoo.memories.options import option, strategy
from memzoo.memories.strategies.windows import Limit, WindowMemory, limit_check

__all__ = ["TokenWindowMemory"]


@strategy
class TokenWindowMemory(WindowMemory):
    """Shows the newest messages that fit `max_tokens` tokens, always with the system message.

    It shows a message whole or not at all. The cost of a turn stays bounded, however long the messages are.

    Costs: no call; tokens up to the limit.
    Needs: nothing.

    State: none, except the messages given to `set_messages`, or those that LangChain4j would hold under its rules.

    Example:
        >>> memory = TokenWindowMemory(max_tokens=6, token_counter=lambda message: len(message["content"].split()))
        >>> memory.save_context({"input": "I am Sam."}, {"output": "Hello Sam!"})
        >>> memory.save_context({"input": "How are you?"}, {"output": "Well!"})
        >>> [message["content"] for message in memory.messages()]
        ['Hello Sam!', 'How are you?', 'Well!']
    """

    name = "token-window"
    limit_name = "max_tokens"

    max_tokens: Limit = option(
        2000,
        check=limit_check,
        doc="The most tokens that all messages may have together: a number, or a function that returns one for the "
        "conversation's id, called at each load.",
    )
