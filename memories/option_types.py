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
    """Options that may be given for every name."""

    llm: ModelOption | None
    """The model: a `ChatModel`, a model's name, `'offline'` for the built-in rules that need no key, or a function from
    chat messages to text. By default the rules answer too, with a warning. Default: `None`."""
    max_prompt_tokens: int
    """Token limit for a prompt, counting three bytes as one token; a tokenizer counts fewer, so the default leaves a
    model with a context of 8,000 room for its answer. An endpoint that states a smaller limit gets less. A longer
    message is cut in the middle for the prompt; knowledge from earlier messages is never cut. Default: `6000`."""
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
    prompts: PromptSource
    """Prompt templates of your own: a folder, or a mapping by name. Default: `None`."""
    token_counter: TokenCounterOption
    """Counts tokens: a model's name, `'approximate'` for an estimate, or a function of one message. By default by the
    name of `llm`: tiktoken for OpenAI's models, an estimate for others. Default: `None`."""
    on_model_error: Literal["raise", "defer"]
    """If the model fails while a save learns, raise a `ModelError`, or log it. The messages are stored in both cases
    and shown word for word until a later call has learnt them. Default: `'raise'`."""
    max_pending_tokens: int
    """Token limit for messages shown word for word because they are not learnt from yet; the newest are kept. If the
    memory has a `max_token_limit` for messages, that counts instead. Default: `4000`."""
    clock: Callable[[], float]
    """Returns seconds since 1970; times pauses, after a model failure and for `learn_after_pause`. Default:
    `time.time`."""
    learn: Literal["now", "background", "later"]
    """When to learn new messages: `'now'`, before a save returns; `'background'`, after it returns, in a task of the
    running event loop or, in synchronous code, in a thread (errors are logged); `'later'`, only by `settle`,
    `relearn` and `upkeep`. Until then they are shown word for word, see `max_pending_tokens`. Default: `'now'`."""
    learn_every: int
    """The number of exchanges, each begun by a user message, that one call learns from; until then, they are shown word
    for word. A portion ends early when it takes half of the room for waiting messages (`max_pending_tokens`).
    `settle`, `upkeep` and the end of a `Conversation` learn the rest. A memory that learns when a limit is passed
    does so at once. Default: `1`."""
    learn_after_pause: int | None
    """End a portion early after a pause of this many seconds in the conversation: the next load or save learns from
    what waits. `None` for no pause. Default: `None`."""
    keep_history: bool
    """Keep all messages. Otherwise a save permanently deletes messages that the strategy no longer needs, for all
    memories of this conversation; a buffer and a retriever need them all. Pinned messages stay. Default: `True`."""
    clear_tool_results: ClearToolResultsOption
    """Replace old tool results with a line that describes them and gives their length: `ClearToolResults(keep=3,
    step=10, over=0, exclude=())`, or a mapping of these. The log keeps them all; nothing is learnt from such
    results. Default: `None`."""
    recalled_role: RecalledRole | None
    """The role of recalled text in chat messages. By default derived text (a summary, facts) is a system message; text
    that was found, or noted in others' words, is a user message, framed as a record and not an instruction.
    `'system'`: all of it is a system message. Default: `None`."""
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

    `entity`: The number of exchanges to show, and to search for the person that "she" means; 0 for none. Before a
    portion of several exchanges, only one is searched. An exchange is a user message and everything up to the next
    one. Default: `3`.

    `vector-retriever`: Show this many exchanges instead. Excludes `max_token_limit`. Default: `None`.

    `knowledge-graph`: The number of exchanges to search for the person that "he" means; 0 for none. Before a portion
    of several exchanges, only one is searched. Default: `2`."""
    step: int
    """`window`, `entity`: Show up to this many exchanges beyond `k`, then drop that many at once. Default: `0`.

    `message-window`, `token-window`, `token-buffer`: The distance that the window moves at once, in the unit of its
    limit. A window of messages shows at least its limit, and up to `step` more; a window of tokens stays within its
    limit, and as a rule shows up to `step` less. At 0, it moves with each message. Default: `0`."""


class SummarizingMemoryOptions(SharedOptions, total=False):
    """Options of `SummarizingMemory`."""

    max_summary_tokens: int | None
    """Token limit for the summary. The prompt states it; if the reply is longer, the model is asked once more for a
    shorter one. If that is still too long, it is kept whole, with a warning. By default the prompt states a length
    that later prompts have room for, and nothing enforces it. Default: `None`."""


class ConversationSummaryMemoryOptions(SummarizingMemoryOptions, total=False):
    """Options of `ConversationSummaryMemory`."""


class ConversationSummaryBufferMemoryOptions(SummarizingMemoryOptions, total=False):
    """Options of `ConversationSummaryBufferMemory`."""

    max_token_limit: str | int
    """`summary-buffer`: Token limit for messages shown word for word. The summary comes on top, unless `count_summary`
    is set; `max_summary_tokens` limits it. Default: `2000`.

    `entity`: Token limit for all notes together: from each note, the statements that fit the input best, and the
    first. `None` shows whole notes, but only on the names in the input. Default: `1000`.

    `vector-retriever`: Token limit for messages, not counting one that awaits its answer; 1,000 unless `k` is given.
    Default: `None`.

    `knowledge-graph`: Token limit for facts, the best first; `None` shows all facts about the names in the input,
    and no others. Messages not learnt from yet come on top. Default: `1000`.

    `combined`: Token limit for everything `messages` returns; `None` for no limit. The system message, pinned
    messages, and the newest user message with all that follows until its answer come first; if they do not fit,
    `messages` raises an `OverBudgetError`. Default: `None`.

    `token-buffer`: Token limit for all messages together, or a function as in `TokenWindowMemory`. Default: `2000`."""
    count_summary: bool
    """Count the summary towards the limit. Default: `False`."""
    prune_to: int | None
    """Tokens to keep once the limit is passed; by default half of it, so that the next exchanges have room and few of
    them ask the model. LangChain's memory keeps as many as fit, which is `prune_to=max_token_limit`. Default:
    `None`."""


class ConversationEntityMemoryOptions(SharedOptions, total=False):
    """Options of `ConversationEntityMemory`."""

    k: int
    """The number of exchanges to show, and to search for the person that "she" means; 0 for none. Before a portion of
    several exchanges, only one is searched. An exchange is a user message and everything up to the next one.
    Default: `3`."""
    step: int
    """Show up to this many exchanges beyond `k`, then drop that many at once. Default: `0`."""
    max_token_limit: str | int | None
    """Token limit for all notes together: from each note, the statements that fit the input best, and the first. `None`
    shows whole notes, but only on the names in the input. Default: `1000`."""
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

    `knowledge-graph`: Also ask the model at each load for the people and things that the input is about, unless it
    has only known names and no "he" or "she". The prompt lists the most likely names, each with a fact. Default:
    `False`."""
    max_state_tokens: int | None
    """`entity`: Token limit for all stored notes, counting three bytes as one token; `None` for no limit. Corrected
    statements are dropped first, then the oldest ones, and last the first statement of a note. Default: `None`.

    `knowledge-graph`: Token limit for all stored facts, counting three bytes as one token; `None` for no limit.
    Corrected facts are dropped first, then the oldest ones. Default: `None`."""
    chat_history_key: str
    """The variable that returns the exchanges; the notes are under "entities". Default: `'history'`."""


class VectorStoreRetrieverMemoryOptions(SharedOptions, total=False):
    """Options of `VectorStoreRetrieverMemory`."""

    max_token_limit: str | int | None
    """Token limit for messages, not counting one that awaits its answer; 1,000 unless `k` is given. Default: `None`."""
    stay_tokens: int | None
    """Keep showing messages found for earlier questions, up to this many tokens, so that a provider's cache has them;
    new ones come after them. By default, each question gets a fresh choice. Default: `None`."""
    k: int | None
    """Show this many exchanges instead. Excludes `max_token_limit`. Default: `None`."""


class ConversationKGMemoryOptions(SharedOptions, total=False):
    """Options of `ConversationKGMemory`."""

    k: int
    """The number of exchanges to search for the person that "he" means; 0 for none. Before a portion of several
    exchanges, only one is searched. Default: `2`."""
    max_token_limit: str | int | None
    """Token limit for facts, the best first; `None` shows all facts about the names in the input, and no others.
    Messages not learnt from yet come on top. Default: `1000`."""
    stay_tokens: int | None
    """Keep showing facts found for earlier questions, up to this many tokens, so that a provider's cache has them; new
    ones come after them. By default, each question gets a fresh choice. Default: `None`."""
    ask_at_load: bool
    """Also ask the model at each load for the people and things that the input is about, unless it has only known names
    and no "he" or "she". The prompt lists the most likely names, each with a fact. Default: `False`."""
    max_state_tokens: int | None
    """Token limit for all stored facts, counting three bytes as one token; `None` for no limit. Corrected facts are
    dropped first, then the oldest ones. Default: `None`."""
    mine_ai: bool
    """Take facts from the assistant's words too, not only from the user's. Default: `True`."""
    single_valued: Collection[str]
    """Relations with one object at a time for each subject. Default: `SINGLE_VALUED` of
    `memzoo.memories.graph.relations`: `is married to`, `lives in`, `works at`, ...."""


class CombinedMemoryOptions(SharedOptions, total=False):
    """Options of `CombinedMemory`."""

    memories: Sequence[Member]
    """The members: names of strategies, pairs of a name and options, or existing memories that share one store and
    conversation id. A member made from its name takes over the options that the two have in common, and its variable
    is named after it ("summary_buffer"), unless its options say otherwise. Default: `('vector-retriever',
    'window')`."""
    max_token_limit: str | int | None
    """Token limit for everything `messages` returns; `None` for no limit. The system message, pinned messages, and the
    newest user message with all that follows until its answer come first; if they do not fit, `messages` raises an
    `OverBudgetError`. Default: `None`."""
    shares: Sequence[float] | None
    """Each member's share of the limit, in proportion; equal by default. Unused tokens go to the other members, largest
    share first; a share of 0 gets only unused tokens. Default: `None`."""


class WindowMemoryOptions(SharedOptions, total=False):
    """Options of `WindowMemory`."""

    evict: Evict
    """The unit dropped once the limit is passed: `'message'`, the oldest message (a tool call with its results); or
    `'exchange'`, everything up to the next user message, so that the view begins with a user message. Default:
    `'message'`."""
    oversized: Literal["raise", "keep"]
    """If the system message, the newest user message and the tool calls that it led to exceed the limit, alone or with
    pinned messages: raise an `OverBudgetError`, or keep them, and nothing else. Default: `'raise'`."""
    system_first: bool | None
    """Show the system message first; `False` leaves it in its place, so a changed one follows the earlier messages.
    `None` means `True`, but `False` with LangChain4j's rules. Default: `None`."""
    rules: Literal["memzoo", "langchain4j"]
    """`'langchain4j'` for LangChain4j's behaviour, message for message, even where it sends requests that providers
    refuse or forgets the newest words (`docs/windows.md` lists it). Evicted messages then do not come back once
    another was added, though the log has them. Default: `'memzoo'`."""
    step: int
    """The distance that the window moves at once, in the unit of its limit. A window of messages shows at least its
    limit, and up to `step` more; a window of tokens stays within its limit, and as a rule shows up to `step` less.
    At 0, it moves with each message. Default: `0`."""


class MessageWindowMemoryOptions(WindowMemoryOptions, total=False):
    """Options of `MessageWindowMemory`."""

    max_messages: Limit
    """`message-window`: Limit for messages to show: a number, or a function that returns one for the conversation's id,
    called at each load. Default: `20`.

    `summarizing-window`: Distil once this many messages precede the newest user message; a summary counts as one.
    Default: `20`."""


class TokenWindowMemoryOptions(WindowMemoryOptions, total=False):
    """Options of `TokenWindowMemory`."""

    max_tokens: str | Limit
    """Token limit for all messages together: a number, or a function that returns one for the conversation's id, called
    at each load. Default: `2000`."""


class ConversationTokenBufferMemoryOptions(WindowMemoryOptions, total=False):
    """Options of `ConversationTokenBufferMemory`."""

    max_token_limit: str | Limit
    """Token limit for all messages together, or a function as in `TokenWindowMemory`. Default: `2000`."""


class SummarizingWindowMemoryOptions(SummarizingMemoryOptions, total=False):
    """Options of `SummarizingWindowMemory`."""

    max_messages: int
    """Distil once this many messages precede the newest user message; a summary counts as one. Default: `20`."""
