"""Remember the newest messages that fit a number of tokens, under LangChain's name."""

from memzoo.memories.models.chat import ModelOption, as_model
from memzoo.memories.options import option, strategy
from memzoo.memories.strategies.buffer import ConversationBufferMemory
from memzoo.memories.strategies.windows import Limit, WindowMemory, limit_check

__all__ = ["ConversationTokenBufferMemory"]


@strategy
class ConversationTokenBufferMemory(WindowMemory):
    r"""Shows the newest messages that fit a number of tokens: `TokenWindowMemory` with LangChain's options.

    Costs: no call; tokens up to the limit.
    Needs: nothing.

    State: none, except the messages given to `set_messages`, or those that LangChain4j would hold under its rules.

    Example:
        >>> memory = ConversationTokenBufferMemory(max_token_limit=5, token_counter=lambda message: 2)
        >>> memory.save_context({"input": "hi"}, {"output": "what's up"})
        >>> memory.save_context({"input": "not much you"}, {"output": "not much"})
        >>> memory.load_memory_variables({})
        {'history': 'Human: not much you\nAI: not much'}
    """

    name = "token-buffer"
    limit_name = "max_token_limit"

    llm: ModelOption = option(
        "offline",
        fixed=True,
        doc="The model whose tokens to count, unless `token_counter` says otherwise. It is never asked.",
    )
    max_token_limit: Limit = option(
        2000,
        check=limit_check,
        doc="The most tokens that all messages may have together, or a function as in `TokenWindowMemory`.",
    )

    def __post_init__(self) -> None:
        self.tokenizer_model = as_model(self.llm).name
        super().__post_init__()

    buffer = ConversationBufferMemory.buffer
    buffer_as_str = ConversationBufferMemory.buffer_as_str
    buffer_as_messages = ConversationBufferMemory.buffer_as_messages
