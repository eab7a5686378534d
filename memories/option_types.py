"""The options of `create_memory` by strategy, for type checkers and editors. `make pages` writes this file."""

from collections.abc import Callable, Collection, Sequence
from typing import Literal, TypedDict

from memzoo.memories.models.chat import ModelOption
from memzoo.memories.models.embedders import EmbedderOption
from memzoo.memories.strategies.combined import Member
from memzoo.memories.strategies.windows import Limit
from memzoo.memories.text.clearing import ClearToolResultsOption
from memzoo.memories.text.eviction import Evict
from memzoo.memories.text.redaction import Redact
from memzoo.memories.text.rendering import RecalledPlace, RecalledRole
from memzoo.memories.text.tokens import TokenCounterOption
from memzoo.prompts import PromptSource
from memzoo.stores import Store, VectorIndex


class SharedOptions(TypedDict, total=False):
    """Options that `create_memory` accepts for every strategy."""

    embedder: EmbedderOption
    """An `OpenAIEmbedder`, or any function from texts to vectors (such as Chroma's embedding functions). `None`
    searches by words alone, or with an `index` by a `HashEmbedder`'s vectors as well. Default: `None`."""
    index: VectorIndex | None
    """Index for the embeddings, such as a `ChromaIndex`; by default an exact search. Default: `ExactIndex()`."""
    memory_key: str
    """The variable under which `load_memory_variables` returns the memory. Default: `'history'`."""
    input_key: str | None
    """The input that holds the user's words; `None` if there is only one. Default: `None`."""
    output_key: str | None
    """The output that holds the assistant's words; `None` if there is only one, or one called "output". Default:
    `None`."""
    human_prefix: str
    """The user's label in a transcript. Default: `'Human'`."""
    ai_prefix: str
    """The assistant's label in a transcript. Default: `'AI'`."""
    return_messages: bool
    """Return chat messages instead of a transcript. Default: `False`."""
    store: str | Store
    """Holds log and state; by default in memory. Default: in memory."""
    conversation_id: str
    """The conversation's name in the store; by default a fresh one. Two conversations share nothing. Default: a fresh
    one."""
    llm: ModelOption | None
    """The model: a `ChatModel`, a model's name, `'offline'` for the built-in rules that need no key, or a function from
    chat messages to text. A memory that learns with a model asks it; by default the built-in rules answer, with a
    warning. Other memories ask no model: its name says how tokens are counted, and what form requests have. Default:
    `None`."""
    prompts: PromptSource
    """Prompt templates of your own: a folder, or a mapping by name. Default: `None`."""
    token_counter: TokenCounterOption
    """Counts tokens: a model's name, `'approximate'` for an estimate, or a function of one message. By default by the
    name of `llm`: tiktoken for OpenAI's models, an estimate for others. Default: `None`."""
    on_model_error: Literal["raise", "defer"]
    """If the model fails while a save learns: `'raise'` a `ModelError`, or log it and `'defer'` learning to a later
    call. In both cases the messages are stored, and shown word for word until they are learnt from. Default:
    `'raise'`."""
    max_pending_tokens: int | None
    """Token limit for messages shown word for word because they are not learnt from yet; the newest are kept. In a
    memory whose `max_token_limit` limits messages, that limit counts instead. By default 4,000, or 8,000 if the
    model is known to have a context of 32,000 tokens or more, and its server is not on this machine. Default:
    `None`."""
    max_prompt_tokens: int | None
    """Token limit for a prompt to learn with, counting three bytes as one token. By default 6,000, which leaves a model
    with a context of 8,000 tokens room for its answer, since tokenizers count fewer. If the model is known to have a
    context of 32,000 tokens or more, and its server is not on this machine, a prompt about `learn_every` exchanges
    may have 12,000. The limit is lowered if an endpoint states a smaller one. A longer message is cut in the middle
    for the prompt; knowledge from earlier messages is never cut. Default: `None`."""
    max_state_tokens: int | None
    """Token limit for what is learnt; `None` for no limit. For a summary, the prompt states the limit, or by default
    one that fits later prompts; if the reply is over a limit of yours, the model is asked once more for a shorter
    one, and if that is still too long, it is kept whole, with a warning. Of notes and facts, counting three bytes as
    one token, corrected ones are dropped first, then the oldest, and last the first statement of a note. Default:
    `None`."""
    clock: Callable[[], float]
    """Returns the time in seconds since 1970; measures pauses after a model failure and for `learn_after_pause`.
    Default: `time.time`."""
    learn: Literal["now", "background", "later"]
    """When to learn new messages: `'now'`, before a save returns; `'background'`, after it returns, in a task of the
    running event loop or, in synchronous code, in a thread (errors are logged); `'later'`, only by `settle`,
    `relearn` and `upkeep`. Until then they are shown word for word, see `max_pending_tokens`. Default: `'now'`."""
    learn_every: int | None
    """The number of exchanges, each begun by a user message, that one call learns from; until then, they are shown word
    for word. By default 8, in `summary` 16, and 1 in a strategy that asks no model. A portion ends early when it
    takes half of the room for waiting messages (`max_pending_tokens`), or when a request's `max_tokens` has no room
    for all of it. `settle`, `upkeep` and the end of a `Conversation` learn the rest. A memory that learns when a
    limit is passed does so whatever this number is. Default: `None`."""
    learn_after_pause: int | None
    """End a portion early after a pause of this many seconds in the conversation: the next load or save learns from the
    waiting messages. `None` to ignore pauses. Default: `None`."""
    keep_history: bool
    """Keep all messages. Otherwise a save permanently deletes messages that the strategy no longer needs, for all
    memories of this conversation; a buffer and a retriever need them all. Pinned messages stay. Default: `True`."""
    clear_tool_results: ClearToolResultsOption
    """Replace each old tool result with a line that names the tool and the result's length: `{"keep": 3, "step": 10,
    "over": 0, "exclude": []}`, or some of these. The newest `keep` results stay, those since the last answer, those
    of at most `over` tokens, and those of the tools in `exclude`; results are replaced together, once in `step`
    messages. The log keeps all results; nothing is learnt from old ones. Default: `None`."""
    recalled_role: RecalledRole | None
    """The role of recalled text in chat messages. By default, derived text (a summary, facts) is a system message, and
    found text (messages, notes) is a user message, framed as a record that gives no instructions. With `'system'`,
    all recalled text is in system messages. Default: `None`."""
    recalled_place: RecalledPlace
    """Where to put recalled text: before the messages, or after them but before the unanswered part, which leaves the
    messages before it unchanged. Default: `'before'`."""
    redact: Redact | None
    """Redacts each text before it is stored or sent: a function that returns the redacted text, or regular expressions
    by name, whose matches become `[name]`. `usage.redacted` counts them. Default: `None`."""


class ConversationBufferMemoryOptions(SharedOptions, total=False):
    """Options of `ConversationBufferMemory`."""


class ConversationBufferWindowMemoryOptions(SharedOptions, total=False):
    """Options of `ConversationBufferWindowMemory`."""

    k: int
    """`window`: The number of exchanges to show; 0 or less shows none. An exchange is a user message and everything up
    to the next one. Default: `5`.

    `entity`: The number of newest exchanges to show, and to search for the person that "she" means; 0 for none. If
    several new exchanges are learnt together, only one exchange before them is searched. An exchange is a user
    message and everything up to the next one. Default: `3`.

    `vector-retriever`: Show this many exchanges, with no token limit; not together with `max_token_limit`. Default:
    `None`.

    `knowledge-graph`: The number of exchanges to search for the person that "he" means; 0 for none. If several new
    exchanges are learnt together, only one exchange before them is searched. Default: `2`."""
    step: int
    """`window`, `entity`: Show up to this many exchanges beyond `k`, then drop that many at once. Default: `0`.

    `message-window`, `token-window`: The messages or tokens by which the window moves at once, in the unit of its
    limit. A window of messages shows at least its limit, and up to `step` more; a window of tokens stays within its
    limit, and as a rule shows up to `step` less. At 0, the window moves with each message. Default: `0`."""


class ConversationSummaryMemoryOptions(SharedOptions, total=False):
    """Options of `ConversationSummaryMemory`."""


class ConversationSummaryBufferMemoryOptions(SharedOptions, total=False):
    """Options of `ConversationSummaryBufferMemory`."""

    max_token_limit: str | int
    """`summary-buffer`: Token limit for messages shown word for word. The summary comes on top, unless `count_summary`
    is set; `max_state_tokens` limits it. Default: `2000`.

    `entity`: Token limit for all notes together. Of each note, the first statement and those that fit the input best
    are shown. `None` shows whole notes, but only on the names in the input. Default: `1000`.

    `vector-retriever`: Token limit for messages, without an unanswered question; 1,000 unless `k` is given. Default:
    `None`.

    `knowledge-graph`: Token limit for facts, the best first; `None` shows all facts about the names in the input,
    and no others. Messages not learnt from yet come on top. Default: `1000`.

    `combined`: Token limit for everything `messages` returns; `None` for no limit. The system message, pinned
    messages, and the newest user message with all that follows until its answer come first; if they do not fit,
    `messages` raises an `OverBudgetError`. Default: `None`.

    `token-window`: Token limit for all messages together: a number, or a function that returns one for the
    conversation's id, called at each load. Default: `2000`."""
    count_summary: bool
    """Count the summary towards the limit. By default, the model is then asked for a summary of at most three quarters
    of the limit, which leaves room for messages. Default: `False`."""
    prune_to: int | None
    """The most tokens of messages to keep once the limit is passed; by default half of the limit, so that the next
    exchanges have room without a model call. LangChain's memory keeps as many as fit, like
    `prune_to=max_token_limit`. Default: `None`."""


class ConversationEntityMemoryOptions(SharedOptions, total=False):
    """Options of `ConversationEntityMemory`."""

    k: int
    """The number of newest exchanges to show, and to search for the person that "she" means; 0 for none. If several new
    exchanges are learnt together, only one exchange before them is searched. An exchange is a user message and
    everything up to the next one. Default: `3`."""
    step: int
    """Show up to this many exchanges beyond `k`, then drop that many at once. Default: `0`."""
    max_token_limit: str | int | None
    """Token limit for all notes together. Of each note, the first statement and those that fit the input best are
    shown. `None` shows whole notes, but only on the names in the input. Default: `1000`."""
    stay_tokens: int | None
    """`entity`: Keep showing statements found for earlier questions, up to this many tokens, so that a provider's cache
    has them; new ones come after them. By default, each question gets a fresh choice. Default: `None`.

    `vector-retriever`: Keep showing messages found for earlier questions, up to this many tokens, so that a
    provider's cache has them; new ones come after them. By default, each question gets a fresh choice. Default:
    `None`.

    `knowledge-graph`: Keep showing facts found for earlier questions, up to this many tokens, so that a provider's
    cache has them; new ones come after them. By default, each question gets a fresh choice. Default: `None`."""
    ask_at_load: bool
    """`entity`: Also ask the model at each load for the people and things that the input is about. The prompt lists the
    most likely names, each with a statement. Default: `False`.

    `knowledge-graph`: Also ask the model at each load for the people and things that the input is about, unless all
    names in the input are known and it has no "he" or "she". The prompt lists the most likely names, each with a
    fact. Default: `False`."""


class VectorStoreRetrieverMemoryOptions(SharedOptions, total=False):
    """Options of `VectorStoreRetrieverMemory`."""

    max_token_limit: str | int | None
    """Token limit for messages, without an unanswered question; 1,000 unless `k` is given. Default: `None`."""
    stay_tokens: int | None
    """Keep showing messages found for earlier questions, up to this many tokens, so that a provider's cache has them;
    new ones come after them. By default, each question gets a fresh choice. Default: `None`."""
    k: int | None
    """Show this many exchanges, with no token limit; not together with `max_token_limit`. Default: `None`."""


class ConversationKGMemoryOptions(SharedOptions, total=False):
    """Options of `ConversationKGMemory`."""

    k: int
    """The number of exchanges to search for the person that "he" means; 0 for none. If several new exchanges are learnt
    together, only one exchange before them is searched. Default: `2`."""
    max_token_limit: str | int | None
    """Token limit for facts, the best first; `None` shows all facts about the names in the input, and no others.
    Messages not learnt from yet come on top. Default: `1000`."""
    stay_tokens: int | None
    """Keep showing facts found for earlier questions, up to this many tokens, so that a provider's cache has them; new
    ones come after them. By default, each question gets a fresh choice. Default: `None`."""
    ask_at_load: bool
    """Also ask the model at each load for the people and things that the input is about, unless all names in the input
    are known and it has no "he" or "she". The prompt lists the most likely names, each with a fact. Default:
    `False`."""
    mine_ai: bool
    """Take facts from the assistant's words too, not only from the user's. Default: `True`."""
    single_valued: Collection[str]
    """Relations with one object at a time for each subject. Default: `SINGLE_VALUED` of
    `memzoo.memories.graph.relations`: `is married to`, `lives in`, `works at`, ...."""


class CombinedMemoryOptions(SharedOptions, total=False):
    """Options of `CombinedMemory`."""

    memories: Sequence[Member]
    """The members: names of strategies, pairs of a name and options, or existing memories that share one store and
    conversation id. A member given by name takes the combined memory's value for each option that both have, and
    returns a variable named after the strategy ("summary_buffer"), unless its own options differ. Default:
    `('vector-retriever', 'window')`."""
    max_token_limit: str | int | None
    """Token limit for everything `messages` returns; `None` for no limit. The system message, pinned messages, and the
    newest user message with all that follows until its answer come first; if they do not fit, `messages` raises an
    `OverBudgetError`. Default: `None`."""
    shares: Sequence[float] | None
    """Each member's share of the limit, relative to the sum of shares; equal by default. Tokens that a member does not
    use go to the other members, largest share first; a member with share 0 gets only such tokens. Default: `None`."""


class WindowMemoryOptions(SharedOptions, total=False):
    """Options of `WindowMemory`."""

    evict: Evict
    """The unit dropped once the limit is passed: `'message'`, the oldest message (a tool call with its results); or
    `'exchange'`, everything up to the next user message, so that the view begins with a user message. Default:
    `'message'`."""
    oversized: Literal["raise", "keep"]
    """The action if the messages that must stay exceed the limit: raise an `OverBudgetError`, or keep only these
    messages. They are the system message, pinned messages, and the newest user message with the tool calls that it
    led to. Default: `'raise'`."""
    rules: Literal["memzoo", "langchain4j"]
    """`'langchain4j'` for LangChain4j's behaviour, message for message, even where it sends requests that providers
    refuse or forgets the newest words (`docs/windows.md` lists it). An evicted message then does not come back once
    another message is added, though the log has it. Default: `'memzoo'`."""
    step: int
    """The messages or tokens by which the window moves at once, in the unit of its limit. A window of messages shows at
    least its limit, and up to `step` more; a window of tokens stays within its limit, and as a rule shows up to
    `step` less. At 0, the window moves with each message. Default: `0`."""


class MessageWindowMemoryOptions(WindowMemoryOptions, total=False):
    """Options of `MessageWindowMemory`."""

    max_messages: Limit
    """`message-window`: Limit for messages to show: a number, or a function that returns one for the conversation's id,
    called at each load. Default: `20`.

    `summarizing-window`: Distil once this many messages precede the newest user message; a summary counts as one.
    Default: `20`."""


class TokenWindowMemoryOptions(WindowMemoryOptions, total=False):
    """Options of `TokenWindowMemory`."""

    max_token_limit: str | Limit
    """Token limit for all messages together: a number, or a function that returns one for the conversation's id, called
    at each load. Default: `2000`."""


class SummarizingWindowMemoryOptions(SharedOptions, total=False):
    """Options of `SummarizingWindowMemory`."""

    max_messages: int
    """Distil once this many messages precede the newest user message; a summary counts as one. Default: `20`."""
