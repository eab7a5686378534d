"""Remember as many of the newest messages as fit a number of tokens, by LangChain's name."""

import functools
from dataclasses import dataclass

from memzoo.memories.models.chat import ModelOption, as_model
from memzoo.memories.strategies.windows import Limit, WindowMemory
from memzoo.memories.text.tokens import TokenCounter, token_counter
from memzoo.stores import Message
from memzoo.stores.driving import drive

__all__ = ["ConversationTokenBufferMemory"]


@dataclass(kw_only=True, eq=False)
class ConversationTokenBufferMemory(WindowMemory):
    r"""Shows the newest messages, as many as fit a number of tokens: `TokenWindowMemory` with LangChain's options.

    Args:
        llm: The model whose tokens are counted, unless `token_counter` says otherwise. It is never asked.
        max_token_limit: Tokens that all messages may have together; also a function as in `TokenWindowMemory`.
        **window: See `WindowMemory` and `BaseMemory`.

    Example:
        >>> memory = ConversationTokenBufferMemory(max_token_limit=5, token_counter=lambda message: 2)
        >>> memory.save_context({"input": "hi"}, {"output": "what's up"})
        >>> memory.save_context({"input": "not much you"}, {"output": "not much"})
        >>> memory.load_memory_variables({})
        {'history': 'Human: not much you\nAI: not much'}
    """

    name = "token-buffer"
    limit_name = "max_token_limit"

    llm: ModelOption = "offline"
    max_token_limit: Limit = 2000

    def weight(self, message: Message) -> int:
        """Its tokens."""
        return self.tokens_of(message)

    @functools.cached_property
    def counter(self) -> TokenCounter:
        """Counts the tokens of a message, with the model's tokenizer unless `token_counter` says otherwise."""
        return token_counter(self.token_counter, as_model(self.llm).name)

    @property
    def buffer(self) -> str | list[Message]:
        """The memory as `load_memory_variables` gives it."""
        return self.buffer_as_messages if self.return_messages else self.buffer_as_str

    @property
    def buffer_as_str(self) -> str:
        """The memory as a transcript."""
        return self.as_text(drive(self.current_view(None)))

    @property
    def buffer_as_messages(self) -> list[Message]:
        """The memory as chat messages, oldest first."""
        return self.as_messages(drive(self.current_view(None)))
