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
    chat messages to text. Left out, those rules answer too, and a warning says so. Default: `None`."""
    max_prompt_tokens: int
    """The most tokens of a prompt, counting three bytes as one; a tokenizer counts fewer, so the default leaves a model
    with a context of 8,000 room for its answer. An endpoint that states a smaller limit gets less. A longer message
    is cut in the middle for the prompt; what is known already never is. Default: `6000`."""
    embedder: EmbedderOption
    """An `OpenAIEmbedder`, or any function from texts to vectors (Chroma's embedding functions are such). `None`
    searches by words alone, or with an `index` by a `HashEmbedder`'s vectors as well. Default: `None`."""
    index: VectorIndex | None
    """Searches the embeddings, such as a `ChromaIndex`. Without one, they are searched in memory, exactly. Default:
    `ExactIndex()`."""
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
    """Keeps log and state; default: memory. Default: in memory."""
    conversation_id: str
    """Names the conversation in the store; by default a fresh one. Nothing is shared between two ids. Default: a fresh
    one."""
    prompts: PromptSource
    """Prompt templates of your own: a folder, or a mapping by name. Default: `None`."""
    token_counter: TokenCounterOption
    """How to count tokens: a model's name for tiktoken, `'approximate'` for an estimate, or a function of one message.
    By default the tokenizer of `llm`, or an estimate if that is unknown. Default: `None`."""
    on_model_error: Literal["raise", "defer"]
    """What a save does when a model fails, after storing what was said: raise a `ModelError`, or log it. A later call
    catches up in both cases; until then the memory shows the messages word for word. Default: `'raise'`."""
    max_tries: int
    """How often the model may fail on one exchange, while it works on others, before that exchange is set aside.
    Default: `3`."""
    max_pending_tokens: int
    """Token limit for messages shown word for word because they are not learnt from yet; the newest are kept. If the
    memory has a `max_token_limit` for messages, that counts instead. Default: `4000`."""
    clock: Callable[[], float]
    """The time in seconds since 1970; tells how long to leave a failed model alone. Default: `time.time`."""
    learn: Literal["now", "background", "later"]
    """When to learn from what was said: `'now'`, before a save returns; `'background'`, after it returns, in a task of
    the running event loop or, in synchronous code, in a thread (errors are logged); `'later'`, only by `settle`,
    `relearn` and `upkeep`. Until then it is shown word for word, see `max_pending_tokens`. Default: `'now'`."""
    keep_history: bool
    """Keep everything ever said. Otherwise a save deletes for good what the strategy no longer needs, for all memories
    of this conversation; a buffer and a retriever need everything. Pinned messages stay. Default: `True`."""
    pinned_first: bool
    """Show pinned messages (`pin`) before all others, after the system message and what is recalled, instead of where
    they were said. Default: `False`."""
    clear_tool_results: ClearToolResultsOption
    """Replace old tool results with a line that says what was there and how long it was: `ClearToolResults(keep=3,
    step=10, over=0, exclude=())`, or a mapping of these. The log keeps all; nothing is learnt from such results.
    Default: `None`."""
    recalled_role: RecalledRole | None
    """Which role says what is recalled, in chat messages. By default the system says what was derived (a summary,
    facts), and a user says what was found or noted in others' words, framed as a record and not an instruction.
    `'system'`: the system says all of it. Default: `None`."""
    recalled_place: RecalledPlace
    """Where to put what is recalled: before the messages, or after them and before what is not answered yet, so that
    the messages before it stay the same. Default: `'before'`."""
    redact: Redact | None
    """Sees each text before it is stored or sent, and returns what may be kept of it: a function of a text, or regular
    expressions by name, whose matches become `[name]`. `usage.redacted` counts them. Default: `None`."""


class ConversationBufferMemoryOptions(SharedOptions, total=False):
    """Options of `ConversationBufferMemory`."""


class ConversationBufferWindowMemoryOptions(SharedOptions, total=False):
    """Options of `ConversationBufferWindowMemory`."""

    k: int
    """`window`: How many exchanges to show; 0 or less shows none. An exchange is a user message and all that follows it
    up to the next one. Default: `5`.

    `entity`: How many exchanges to show, and to use for telling who "she" is; 0 for none. An exchange is a user
    message and what follows it up to the next one. Default: `3`.

    `vector-retriever`: Show so many exchanges instead. Give only one of the two. Default: `None`.

    `knowledge-graph`: How many exchanges to use for telling who "he" is; 0 for none. Default: `2`."""
    step: int
    """`window`: How many exchanges beyond `k` to show at most: the window moves by so many at once. Default: `0`.

    `entity`: How many exchanges beyond `k` to show at most: they move on by so many at once. Default: `0`.

    `message-window`, `token-window`, `token-buffer`: How far it moves at once, in the unit of its limit: as many
    messages as the limit says are then shown at least, and up to `step` more; a limit in tokens holds, and as a rule
    up to `step` less are shown. At 0, it moves with each message. Default: `0`."""


class SummarizingMemoryOptions(SharedOptions, total=False):
    """Options of `SummarizingMemory`."""

    max_summary_tokens: int | None
    """The most tokens that the summary may have. The model is told; if its reply is over the limit, it is asked once
    more for a shorter one. If that is still too long, it is kept whole, and a warning says so. Left out, the model
    is told to keep to what prompts have room for, and nothing enforces it. Default: `None`."""


class ConversationSummaryMemoryOptions(SummarizingMemoryOptions, total=False):
    """Options of `ConversationSummaryMemory`."""

    every: int
    """How many exchanges to take in with one call. Default: `1`."""
    every_tokens: int | None
    """How many tokens of new messages trigger a call before that many exchanges wait; with `every` left at 1, only the
    tokens count. Default: `None`."""


class ConversationSummaryBufferMemoryOptions(SummarizingMemoryOptions, total=False):
    """Options of `ConversationSummaryBufferMemory`."""

    max_token_limit: str | int
    """`summary-buffer`: The most tokens of messages to show word for word. The summary is shown besides, unless
    `count_summary` is set; `max_summary_tokens` limits it. Default: `2000`.

    `entity`: The most tokens of all notes together: from each note, the statements that fit the input best, and the
    first. `None` for the whole notes on the names in the input, and no others. Default: `1000`.

    `vector-retriever`: The most tokens of messages to show, besides one that waits for its answer; 1,000 unless `k`
    is given. Default: `None`.

    `knowledge-graph`: The most tokens of facts to show, the best first; `None` for all about the names in the input,
    and no others. Messages not learnt from yet are shown as well. Default: `1000`.

    `combined`: The most tokens that `messages` may return in all; `None` for no limit. The system message, pinned
    messages, and the newest user message with what follows it until it is answered come first; if they do not fit,
    they raise an `OverBudgetError`. Default: `None`.

    `token-buffer`: The most tokens that all messages may have together, or a function as in `TokenWindowMemory`.
    Default: `2000`."""
    count_summary: bool
    """Let the summary count towards the limit. Default: `False`."""
    prune_to: int | None
    """How many tokens to keep when the limit is passed; by default half of it, so that the next exchanges have room and
    few of them ask the model. LangChain's memory keeps as many as fit, which is `prune_to=max_token_limit`. Default:
    `None`."""


class ConversationEntityMemoryOptions(SharedOptions, total=False):
    """Options of `ConversationEntityMemory`."""

    k: int
    """How many exchanges to show, and to use for telling who "she" is; 0 for none. An exchange is a user message and
    what follows it up to the next one. Default: `3`."""
    step: int
    """How many exchanges beyond `k` to show at most: they move on by so many at once. Default: `0`."""
    max_token_limit: str | int | None
    """The most tokens of all notes together: from each note, the statements that fit the input best, and the first.
    `None` for the whole notes on the names in the input, and no others. Default: `1000`."""
    stay_tokens: int | None
    """`entity`: Keep showing statements found for earlier questions, up to so many tokens, so that a provider's cache
    has them; new ones come after them. Left out, statements are chosen again for each question. Default: `None`.

    `vector-retriever`: Keep showing messages found for earlier questions, up to so many tokens, so that a provider's
    cache has them; new ones come after them. Left out, messages are chosen again for each question. Default: `None`.

    `knowledge-graph`: Keep showing facts found for earlier questions, up to so many tokens, so that a provider's
    cache has them; new ones come after them. Left out, facts are chosen again for each question. Default: `None`."""
    ask_at_load: bool
    """`entity`: Also ask the model at each load whom and what the input is about. The prompt lists the most likely
    names, each with a statement. Default: `False`.

    `knowledge-graph`: Also ask the model at each load whom and what the input is about, unless the input has only
    known names and no "he" or "she". The prompt lists the most likely names, each with a fact. Default: `False`."""
    max_state_tokens: int | None
    """`entity`: The most tokens that all notes may have together, counting three bytes as one; `None` for no limit.
    Corrected statements are dropped first, then those said longest ago, and last the first statement of a note.
    Default: `None`.

    `knowledge-graph`: The most tokens that all facts may have together, counting three bytes as one; `None` for no
    limit. Corrected facts are dropped first, then those said longest ago. Default: `None`."""
    chat_history_key: str
    """The variable that returns the exchanges; the notes are under "entities". Default: `'history'`."""


class VectorStoreRetrieverMemoryOptions(SharedOptions, total=False):
    """Options of `VectorStoreRetrieverMemory`."""

    max_token_limit: str | int | None
    """The most tokens of messages to show, besides one that waits for its answer; 1,000 unless `k` is given. Default:
    `None`."""
    stay_tokens: int | None
    """Keep showing messages found for earlier questions, up to so many tokens, so that a provider's cache has them; new
    ones come after them. Left out, messages are chosen again for each question. Default: `None`."""
    k: int | None
    """Show so many exchanges instead. Give only one of the two. Default: `None`."""
    exclude_input_keys: Sequence[str]
    """Inputs to leave out of the documents. Default: `()`."""


class ConversationKGMemoryOptions(SharedOptions, total=False):
    """Options of `ConversationKGMemory`."""

    k: int
    """How many exchanges to use for telling who "he" is; 0 for none. Default: `2`."""
    max_token_limit: str | int | None
    """The most tokens of facts to show, the best first; `None` for all about the names in the input, and no others.
    Messages not learnt from yet are shown as well. Default: `1000`."""
    stay_tokens: int | None
    """Keep showing facts found for earlier questions, up to so many tokens, so that a provider's cache has them; new
    ones come after them. Left out, facts are chosen again for each question. Default: `None`."""
    ask_at_load: bool
    """Also ask the model at each load whom and what the input is about, unless the input has only known names and no
    "he" or "she". The prompt lists the most likely names, each with a fact. Default: `False`."""
    depth: int
    """Without a limit, how many steps from the names in the input to look for facts: 1 for facts about these names
    alone, 2 for those about their neighbours too. Default: `1`."""
    max_state_tokens: int | None
    """The most tokens that all facts may have together, counting three bytes as one; `None` for no limit. Corrected
    facts are dropped first, then those said longest ago. Default: `None`."""
    mine_ai: bool
    """Take facts from the assistant's words too, not only from the user's. Default: `True`."""
    single_valued: Collection[str]
    """Relations of which a subject has one object at a time. Default: `SINGLE_VALUED` of
    `memzoo.memories.graph.relations`: `is married to`, `lives in`, `works at`, ...."""


class CombinedMemoryOptions(SharedOptions, total=False):
    """Options of `CombinedMemory`."""

    memories: Sequence[Member]
    """The members: names of strategies, pairs of a name and options, or existing memories that share one store and
    conversation id. A member made from its name takes over the options that the two have in common, and its variable
    is named after it ("summary_buffer"), unless its options say otherwise. Default: `('vector-retriever',
    'window')`."""
    max_token_limit: str | int | None
    """The most tokens that `messages` may return in all; `None` for no limit. The system message, pinned messages, and
    the newest user message with what follows it until it is answered come first; if they do not fit, they raise an
    `OverBudgetError`. Default: `None`."""
    shares: Sequence[float] | None
    """How to divide the limit among the members, in proportion; equally by default. What one does not use goes to the
    others, the one with the largest share first; a share of 0 gets what the others leave. Default: `None`."""


class WindowMemoryOptions(SharedOptions, total=False):
    """Options of `WindowMemory`."""

    evict: Evict
    """What leaves at once when the limit is passed: `'message'`, the oldest message (a tool call with its results); or
    `'exchange'`, all up to the next user message, so that what is shown begins with one. Default: `'message'`."""
    oversized: Literal["raise", "keep"]
    """What to do if the system message, the newest user message and the tool calls that it led to exceed the limit by
    themselves, or with what is pinned: raise an `OverBudgetError`, or keep them, and only them. Default: `'raise'`."""
    system_first: bool | None
    """Show the system message first; `False` shows it where it was said, so a changed one comes after what was said
    before. `None` means `True`, but `False` with LangChain4j's rules. Default: `None`."""
    rules: Literal["memzoo", "langchain4j"]
    """`'langchain4j'` for LangChain4j's behaviour, message for message, even where it sends what providers refuse or
    forgets what was just said (`docs/windows.md` lists it). Evicted messages then do not come back once another was
    added, though the log has them. Default: `'memzoo'`."""
    step: int
    """How far it moves at once, in the unit of its limit: as many messages as the limit says are then shown at least,
    and up to `step` more; a limit in tokens holds, and as a rule up to `step` less are shown. At 0, it moves with
    each message. Default: `0`."""


class MessageWindowMemoryOptions(WindowMemoryOptions, total=False):
    """Options of `MessageWindowMemory`."""

    max_messages: Limit
    """`message-window`: The most messages to show: a number, or a function that returns one for the conversation's id,
    called at each load. Default: `20`.

    `summarizing-window`: How many messages before the newest user message are distilled; a summary counts as one.
    Default: `20`."""


class TokenWindowMemoryOptions(WindowMemoryOptions, total=False):
    """Options of `TokenWindowMemory`."""

    max_tokens: str | Limit
    """The most tokens that all messages may have together: a number, or a function that returns one for the
    conversation's id, called at each load. Default: `2000`."""


class ConversationTokenBufferMemoryOptions(WindowMemoryOptions, total=False):
    """Options of `ConversationTokenBufferMemory`."""

    max_token_limit: str | Limit
    """The most tokens that all messages may have together, or a function as in `TokenWindowMemory`. Default: `2000`."""


class SummarizingWindowMemoryOptions(SummarizingMemoryOptions, total=False):
    """Options of `SummarizingWindowMemory`."""

    max_messages: int
    """How many messages before the newest user message are distilled; a summary counts as one. Default: `20`."""
