"""Remember as many of the newest messages as fit a number of tokens."""

from dataclasses import dataclass

from memzoo.memories.strategies.windows import Limit, WindowMemory
from memzoo.stores import Message

__all__ = ["TokenWindowMemory"]


@dataclass(kw_only=True, eq=False)
class TokenWindowMemory(WindowMemory):
    """Shows the newest messages, as many as fit a number of tokens, the system message always among them.

    A message is shown whole or not at all. The cost of a turn stays below a bound, however long the messages are.

    Args:
        max_tokens: Tokens that all messages may have together: a number, or a function from the conversation's id to
            one, asked at each load. They are counted by `token_counter`.
        **window: See `WindowMemory` and `BaseMemory`.

    Example:
        >>> memory = TokenWindowMemory(max_tokens=6, token_counter=lambda message: len(message["content"].split()))
        >>> memory.save_context({"input": "I am Sam."}, {"output": "Hello Sam!"})
        >>> memory.save_context({"input": "How are you?"}, {"output": "Well!"})
        >>> [message["content"] for message in memory.messages()]
        ['Hello Sam!', 'How are you?', 'Well!']
    """

    name = "token-window"
    limit_name = "max_tokens"

    max_tokens: Limit = 2000

    def weight(self, message: Message) -> int:
        """Its tokens."""
        return self.tokens_of(message)
