"""The base class of all memories: it saves messages, and returns the messages to show to the model."""

import time
import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, get_args, overload

from memzoo.errors import OptionError
from memzoo.forks import cached_property
from memzoo.memories import options
from memzoo.memories.engine import loading, saving
from memzoo.memories.engine.hooks import check_class
from memzoo.memories.engine.log import CachedLog, Log, messages_of
from memzoo.memories.engine.pins import Pins, mark
from memzoo.memories.engine.state import Changes, State
from memzoo.memories.engine.system_message import SystemMessage
from memzoo.memories.models.usage import Usage
from memzoo.memories.options import AtLeast, a_clock, a_store, non_empty_text, one_of, strategy
from memzoo.memories.text.clearing import Clearing, ClearToolResultsOption, clearing_of
from memzoo.memories.text.explanation import Explanation, explain_view, watch
from memzoo.memories.text.families import Family
from memzoo.memories.text.grouping import find_unanswered
from memzoo.memories.text.keys import check_inputs, check_query, exchange_of, query_of
from memzoo.memories.text.messages import Labels, as_record, check_several, text_of, users_message
from memzoo.memories.text.order import STAND_INS
from memzoo.memories.text.redaction import Redact, Redactor, a_redaction
from memzoo.memories.text.rendering import RecalledPlace, RecalledRole, Renderer
from memzoo.memories.text.responses import Api, as_request, by_responses
from memzoo.memories.text.view import Piece, Shown, View
from memzoo.stores import JSON, Entry, InMemoryStore, Message, Record, Store
from memzoo.stores.base import find_lacking, is_lasting
from memzoo.stores.forgetting import Receipt
from memzoo.sync import blocking, drive, together
from memzoo.warned import warn_caller

if TYPE_CHECKING:  # each module is loaded at its first use: most memories do not need most of these modules
    from memzoo.memories.engine.learner import Learner
    from memzoo.memories.engine.retry import RetryPolicy
    from memzoo.memories.engine.turns import Busy, OnFailure, Turn
    from memzoo.memories.models.chat import ModelOption
    from memzoo.memories.text.tokens import TokenCounter, TokenCounterOption
    from memzoo.prompts import PromptSet, PromptSource, Template

SHARES = {"max_token_limit", "max_tokens"}
"""Options that may be a share of the model's window, such as "50%"."""


@strategy
class BaseMemory(ABC):
    """Remembers a conversation: the log keeps all messages, and a strategy chooses the view to show to the model.

    Your own strategy overrides up to six hooks: `view` returns the view; `derive` returns the changes learnt from new
    messages; `due` decides when to learn; `is_over_limit` decides when to shorten the state; `oldest_needed` returns
    the oldest log number that the strategy still needs; `on_state_change` updates an index that you keep beside the
    state. Each method that may wait is a coroutine (`asave_context`) with a synchronous twin (`save_context`).

    Attributes:
        name: The strategy's short name.
        needs_query: True if the view depends on the user's next words. Loads then need these words as input.
        log: The log of the conversation; `log.pins` finds the pinned messages, and `log.system` the system message.
        render: Writes entries as lines, and counts their tokens.
        learners: The objects that learn from new messages: one if the strategy learns, otherwise none. A combined
            memory has the learners of its members.
        usage: The model calls and tokens spent by this memory, by purpose.

    Raises:
        OptionError: An option does not exist, is missing, or has an invalid value.
        PluginError: Your own class is invalid; the message states the correction.
    """

    name: ClassVar[str]
    # The strategy's own prompts, which `_ask` sends to the model: a dict from name to Jinja text, or to a file with it.
    _own_prompts: ClassVar["Mapping[str, Template]"] = {}
    # Not annotated: an annotation would make these attributes options.
    needs_query = False
    # True if saving an exchange keeps all inputs and outputs, not only the user's and the assistant's words.
    _keeps_fields = False
    # True if views also show messages that were due and could not be learnt from.
    _shows_waiting = False
    # True if `derive` and `due` also get system messages.
    _learns_system = False
    # False if `max_token_limit` limits texts that were learnt, and not the messages beside them.
    _limits_messages = True
    # The model whose tokens to count if `token_counter` names no model; "" for an estimate.
    _tokenizer_model = ""
    # The most tokens that a prompt may have, counting three bytes as one token.
    _longest_prompt = 12_000
    # The limit for other prompts than those about a portion; 0 for the same limit.
    _usual_prompt = 0
    # The default of `max_pending_tokens`, which depends on the model.
    _most_pending = 4_000
    # The default of `learn_every`: larger portions save model calls, and most strategies make none.
    _usual_portion = 1
    # In a store shared by several processes, the seconds of a lease, during which only its holder derives; renewed
    # before each `derive`. 0 if `derive` asks no model.
    _lease_seconds = 120.0
    _given = frozenset[str]()

    memory_key: Annotated[str, non_empty_text] = "history"
    """The variable under which `load_memory_variables` returns the memory."""
    input_key: str | None = None
    """The input that holds the user's words; `None` if there is only one."""
    output_key: str | None = None
    """The output that holds the assistant's words; `None` if there is only one, or one called "output"."""
    human_prefix: Annotated[str, non_empty_text] = "Human"
    """The user's label in a transcript."""
    ai_prefix: Annotated[str, non_empty_text] = "AI"
    """The assistant's label in a transcript."""
    return_messages: bool = False
    """Return chat messages instead of a transcript."""
    store: Annotated[Store, a_store] = field(default_factory=InMemoryStore)
    """Holds log and state; by default in memory."""
    conversation_id: Annotated[str, non_empty_text] = field(default_factory=lambda: uuid.uuid4().hex)
    """The conversation's name in the store; by default a fresh one. Two conversations share nothing."""
    llm: "ModelOption | None" = None
    """The model: a `ChatModel`, a model's name, `'offline'` for the built-in rules that need no key, or a function from
    chat messages to text. A memory that learns with a model asks it; by default the built-in rules answer, with a
    warning. Other memories ask no model: its name says how tokens are counted, and what form requests have.
    """
    prompts: "PromptSource" = None
    """Prompt templates of your own: a folder, or a mapping by name."""
    token_counter: "TokenCounterOption" = None
    """Counts tokens: a model's name, `'approximate'` for an estimate, or a function of one message. By default by the
    name of `llm`: tiktoken for OpenAI's models, an estimate for others.
    """
    on_model_error: Literal["raise", "defer"] = "raise"
    """If the model fails while a save learns: `'raise'` a `ModelError`, or log it and `'defer'` learning to a later
    call. In both cases the messages are stored, and shown word for word until they are learnt from.
    """
    max_pending_tokens: Annotated[int | None, AtLeast(0)] = None
    """Token limit for messages shown word for word because they are not learnt from yet; the newest are kept. In a
    memory whose `max_token_limit` limits messages, that limit counts instead. By default 4,000, or 8,000 if the model
    is known to have a context of 32,000 tokens or more, and its server is not on this machine.
    """
    max_prompt_tokens: Annotated[int | None, AtLeast(1536)] = None
    """Token limit for a prompt to learn with, counting three bytes as one token. By default 6,000, which leaves a model
    with a context of 8,000 tokens room for its answer, since tokenizers count fewer. If the model is known to have a
    context of 32,000 tokens or more, and its server is not on this machine, a prompt about `learn_every` exchanges may
    have 12,000. The limit is lowered if an endpoint states a smaller one. A longer message is cut in the middle for the
    prompt; knowledge from earlier messages is never cut.
    """
    max_state_tokens: Annotated[int | None, AtLeast(1)] = None
    """Token limit for what is learnt; `None` for no limit. For a summary, the prompt states the limit, or by default
    one that fits later prompts; if the reply is over a limit of yours, the model is asked once more for a shorter one,
    and if that is still too long, it is kept whole, with a warning. Of notes and facts, counting three bytes as one
    token, corrected ones are dropped first, then the oldest, and last the first statement of a note.
    """
    clock: Annotated[Callable[[], float], a_clock] = time.time
    """Returns the time in seconds since 1970; measures pauses after a model failure and for `learn_after_pause`."""
    learn: Literal["now", "background", "later"] = "now"
    """When to learn new messages: `'now'`, before a save returns; `'background'`, after it returns, in a task of the
    running event loop or, in synchronous code, in a thread (errors are logged); `'later'`, only by `settle`,
    `relearn` and `upkeep`. Until then they are shown word for word, see `max_pending_tokens`.
    """
    learn_every: Annotated[int | None, AtLeast(1)] = None
    """The number of exchanges, each begun by a user message, that one call learns from; until then, they are shown word
    for word. By default 8, in `summary` 16, and 1 in a strategy that asks no model. A portion ends early when it takes
    half of the room for waiting messages (`max_pending_tokens`), or when a request's `max_tokens` has no room for all
    of it. `settle`, `upkeep` and the end of a `Conversation` learn the rest. A memory that learns when a limit is
    passed does so whatever this number is.
    """
    learn_after_pause: Annotated[int | None, AtLeast(1)] = None
    """End a portion early after a pause of this many seconds in the conversation: the next load or save learns from the
    waiting messages. `None` to ignore pauses.
    """
    keep_history: bool = True
    """Keep all messages. Otherwise a save permanently deletes messages that the strategy no longer needs, for all
    memories of this conversation; a buffer and a retriever need them all. Pinned messages stay.
    """
    clear_tool_results: ClearToolResultsOption = None
    """Replace each old tool result with a line that names the tool and the result's length: `{"keep": 3, "step": 10,
    "over": 0, "exclude": []}`, or some of these. The newest `keep` results stay, those since the last answer, those of
    at most `over` tokens, and those of the tools in `exclude`; results are replaced together, once in `step` messages.
    The log keeps all results; nothing is learnt from old ones.
    """
    recalled_role: RecalledRole | None = None
    """The role of recalled text in chat messages. By default, derived text (a summary, facts) is a system message, and
    found text (messages, notes) is a user message, framed as a record that gives no instructions. With `'system'`, all
    recalled text is in system messages.
    """
    recalled_place: RecalledPlace = "before"
    """Where to put recalled text: before the messages, or after them but before the unanswered part, which leaves
    the messages before it unchanged.
    """
    redact: Annotated[Redact | None, a_redaction] = None
    """Redacts each text before it is stored or sent: a function that returns the redacted text, or regular
    expressions by name, whose matches become `[name]`. `usage.redacted` counts them.
    """

    def __new__(cls, **given: Any) -> Self:
        """Make the memory. Refuse an invalid class, and unknown options, naming those that exist."""
        check_class(cls, BaseMemory)
        options.refuse_unknown(cls, given)
        made = super().__new__(cls)
        made._given = frozenset(given)
        return made

    def __post_init__(self) -> None:
        if self.llm is not None and not self._tokenizer_model:
            from memzoo.memories.models.chat import as_model

            self._tokenizer_model = as_model(self.llm).name
        for name in SHARES & set(options.options_of(type(self))):
            setattr(self, name, drive(self._resolve(name, getattr(self, name))))
        options.check(self)
        if not self.keep_history and (lacks := find_lacking(self.store, "forget")):
            raise OptionError(f"keep_history=False needs a store that can delete, not a {type(lacks).__name__}")
        if self.prompts is not None:
            self._templates  # noqa: B018 - refuses an invalid template at once
        if "conversation_id" not in self._given and is_lasting(self.store):
            warn_caller(
                f"the store outlives this process, but no conversation_id was given, so the conversation has a random "
                f"one: give conversation_id={self.conversation_id!r} to continue it, or an id of your own from the "
                "beginning"
            )
        self.usage = Usage()
        cached = CachedLog(self.store, self.conversation_id)
        labels = Labels(self.human_prefix, self.ai_prefix)
        recalled: dict[str, Any] = {"role": self.recalled_role, "place": self.recalled_place}
        recalled["model"] = lambda: self._tokenizer_model or str(self.token_counter or "")
        self.render = Renderer(labels, self._make_counter, cached.lines, cached.tokens, **recalled)
        cached.system, cached.pins = SystemMessage(cached), Pins(cached)
        if option := clearing_of(self.clear_tool_results):
            cached.clearing = Clearing(option, cached, self.render.tokens, cached.pins)
        self.learners: Sequence[Learner] = [self._new_learner(cached)] if self._learns else []
        # Last: from now on, options cannot change.
        self.log = Log(cached)

    # The hooks.

    @abstractmethod
    async def view(self, log: Log, state: State, query: str | None) -> View:
        """Return the view to show to the model now. Do not change the log's entries.

        If `needs_query` is true, `query` is the user's words.
        """

    async def derive(self, state: State, entries: Sequence[Entry], log: Log) -> Changes:
        """Return the changes to the state that follow from new entries.

        Only return the changes; do not apply them. `log` shows the conversation up to the last of `entries`, and none
        of the later messages. This method may ask a model, and raises `ModelError` if the model fails.
        """
        return Changes()

    def due(self, state: State, waiting: Sequence[Entry]) -> bool | int:
        """Return the number of waiting entries to learn from now, counted from the oldest.

        Return True to learn from all waiting entries, as soon as there are enough for one call of `derive` (see
        `learn_every`); False to learn from none. Unless overridden, this method returns True.
        """
        return True

    def is_over_limit(self, state: State) -> bool:
        """Return whether the state is too large; `derive` then shortens it, even without new entries."""
        return False

    async def oldest_needed(self, log: Log, state: State) -> int:
        """Return the lowest log number that `view` or `derive` still needs; 1 if they need the whole log."""
        return 1

    async def on_state_change(self, changes: Mapping[str, JSON], *, reset: bool) -> None:  # noqa: B027 - a hook
        """Update an index or a graph that you keep beside the state, after the state has changed.

        Args:
            changes: A dict from key to changed item; `None` for a deleted item.
            reset: True if messages were deleted: empty your index first, then apply `changes`.
        """

    # Methods and properties that use the hooks, or are used by them.

    @property
    def _learns(self) -> bool:
        """True if the strategy keeps a state, which means that it overrides `derive`."""
        return type(self).derive is not BaseMemory.derive

    @property
    def _state_name(self) -> str:
        """The name under which the store keeps the state."""
        return self.name

    @property
    def memory_variables(self) -> list[str]:
        """The names of the variables that `load_memory_variables` returns; the transcript's variable comes last."""
        return [self.memory_key]

    def _make_counter(self) -> "TokenCounter":
        from memzoo.memories.text.tokens import token_counter

        counter = token_counter(self.token_counter, self._tokenizer_model)
        self.log.cached.set_estimate(counter.estimate)
        return counter

    @cached_property
    def _templates(self) -> "PromptSet":
        """The prompt templates, by name."""
        from memzoo.prompts import PromptSet

        return PromptSet(self.prompts, self._own_prompts)

    @cached_property
    def _redactor(self) -> Redactor:
        """The redactor, which applies the option `redact` to texts."""
        return Redactor(self.redact, self.usage.count_redacted)

    @cached_property
    def _retry(self) -> "RetryPolicy":
        """The policy for a failing model, with the token limit of prompts."""
        from memzoo.memories.engine.prompt_limit import PromptLimit
        from memzoo.memories.engine.retry import RetryPolicy

        return RetryPolicy(self.clock, PromptLimit(self._longest_prompt, self._usual_prompt))

    async def _resolve(self, name: str, value: Any) -> Any:
        """Return an option's value; a share such as "50%" of the model's context window becomes a number of tokens.

        Raises:
            OptionError: The model's context window is unknown, and its endpoint does not tell it.
        """
        if name not in SHARES or not isinstance(value, str):
            return value
        from memzoo.memories.models.chat import ChatModel, as_model
        from memzoo.memories.text.context_windows import context_window, is_unknown_share, tokens_of

        counted = self.token_counter if isinstance(self.token_counter, str) else ""
        model, window = counted if context_window(counted) else self._tokenizer_model or counted, None
        if is_unknown_share(value, model) and model == self._tokenizer_model:
            asked = as_model(self.llm)
            window = await asked.find_window() if isinstance(asked, ChatModel) else None
        return tokens_of(name, value, model, window)

    async def _known_state(self) -> State:
        """Return the current state of a strategy that learns, without learning more."""
        return await self.learners[0].refresh()

    def _keeps(self, state: State) -> bool:
        """Return whether a state is the newest known state in the store, and not one that `relearn` is building."""
        return self.learners[0].cached_state.newest is state

    async def aload_memory_variables(self, inputs: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the memory as variables for a prompt: a transcript, or with `return_messages`, chat messages.

        Args:
            inputs: The inputs of this turn. Only strategies that search need inputs.

        Raises:
            MissingKeyError: The strategy needs the user's words, but their key is missing or
                ambiguous.
            MessageError: The inputs are not a dict.
        """
        check_inputs(inputs)
        query = self._query(inputs) if self.needs_query else None
        return loading.variables_of(self, await loading.view_of(self, query))

    async def asave_context(
        self, inputs: Mapping[str, Any], outputs: Mapping[str, Any], *, turn_id: str | None = None
    ) -> None:
        """Save an exchange (the user's words and the answer) and learn from the exchange.

        Args:
            inputs: The user's words, under `input_key`.
            outputs: The assistant's words, under `output_key`.
            turn_id: The id of the exchange, by default a fresh id. A second save with the same id changes nothing.

        Raises:
            MissingKeyError, MessageError: The exchange is refused; nothing was stored.
            ModelError: The exchange is stored, but could not be learnt from yet; a later call catches up.
        """
        keys, owner = (self.input_key, self.output_key), type(self).__name__
        exchange = exchange_of(inputs, outputs, keys, self.memory_variables, owner=owner, all_fields=self._keeps_fields)
        await saving.save(self, self._redacted(exchange), turn_id)

    async def aadd_messages(
        self,
        messages: Sequence[Message | Record],
        *,
        turn_id: str | None = None,
        learn: bool = True,
        pinned: bool = False,
    ) -> None:
        """Save OpenAI chat messages of any kind as one turn, oldest first, and learn from them.

        A message may be a `Record`, which has further fields. With `learn=False`, the messages wait until a later save
        learns from them. With `pinned=True`, the messages are pinned at once (see `pin`).

        Raises:
            MessageError: A message is refused; nothing was stored.
            OptionError: `pinned` or `learn` is not a bool; nothing was stored.
            ModelError: See `asave_context`.
        """
        for name, value in {"learn": learn, "pinned": pinned}.items():
            if not isinstance(value, bool):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise OptionError(f"{name} must be True or False, not {value!r}")
        check_several(messages)
        records = [as_record(message) for message in messages]
        if pinned:
            records = [mark(one) for one in records]
        await saving.save(self, self._redacted(records), turn_id, learns=learn, pinned=pinned)

    async def apin(self, ids: int | Sequence[int] | set[int] = (), *, off: bool = False) -> list[int]:
        """Pin messages: every strategy shows pinned messages in every view, word for word, until `pin(..., off=True)`.

        A pinned tool call is shown with its results, and a pinned result with its call. Pinned messages count towards
        limits in tokens and in messages, but not towards `k` exchanges. Pins belong to the conversation, not to this
        memory: they survive restarts, export and a change of strategy. `forget` deletes pinned messages too.

        Args:
            ids: Log numbers (see `aentries`); by default none, to see which messages are pinned.
            off: True to unpin the messages; messages that are not pinned are ignored.

        Returns:
            The log numbers of all pinned messages, in ascending order.

        Raises:
            MessageError: A message does not exist; nothing was changed.
        """
        await self.log.pins.change(ids, pinned=not off)
        await self.log.cached.refresh()
        return await self.log.pins.numbers()

    async def amessages(
        self, query: str | None = None, *, max_tokens: int | str | None = None, catch_up: bool = True
    ) -> Shown:
        """Return the memory as chat messages: system messages first, tool calls with their results.

        To ask a model, use `request` instead, which adds your system text and the question in an order that every model
        accepts. If the newest user message has no answer yet, this message and all later messages are always included.

        Args:
            query: The text to search for, usually the user's next message; by default the newest user message in the
                log. The result does not include `query`.
            max_tokens: The maximum number of tokens, or a share of the model's window such as `"80%"`. The oldest
                messages are left out to fit. The memory first learns from these, unless it has done so already.
            catch_up: True to learn from waiting messages first; False to learn nothing and store nothing.

        Raises:
            OverBudgetError: The messages that cannot be left out exceed `max_tokens`, or the strategy's own limit.
        """
        check_query(query)
        query = query and self._redactor.text(query)
        view, _ = await loading.view_to_send(self, query, catch_up=catch_up)
        shown = self.render.show(view, limit := await self._resolve("max_tokens", max_tokens))
        if catch_up and limit is not None:
            whole = self.render.show(view, only_pieces=True)
            if await loading.learn_left_out(self, whole.pieces, shown.pieces):
                return await self.amessages(query, max_tokens=max_tokens)
        return shown

    @overload
    async def arequest(
        self,
        question: str | Message = "",
        *,
        system: str = "",
        max_tokens: int | str | None = None,
        family: Family | str | None = None,
        form: Literal["chat"] = "chat",
    ) -> Shown: ...
    @overload
    async def arequest(
        self,
        question: str | Message = "",
        *,
        system: str = "",
        max_tokens: int | str | None = None,
        family: Family | str | None = None,
        form: Literal["responses"],
    ) -> dict[str, Any]: ...
    async def arequest(
        self,
        question: str | Message = "",
        *,
        system: str = "",
        max_tokens: int | str | None = None,
        family: Family | str | None = None,
        form: Api = "chat",
    ) -> Shown | dict[str, Any]:
        """Return a whole request for a model: your system text, the memory, and the question, in a valid order.

        A single system message comes first, with your text before the memory's. The roles then alternate, beginning
        with a user message. Adjacent messages of the same role are joined into one message.

        Args:
            question: The user's next words, or a user message (with pictures, say). If the log already ends with these
                words, unanswered, they are not repeated. "" asks for an answer to the log's last message.
            system: Your instructions for the model; they are not stored.
            max_tokens: The maximum number of tokens of the request, or a share of the model's window such as `"80%"`.
            family: The family of the endpoint, because some endpoints refuse requests that others accept: a `Family`,
                or a name in `memzoo.memories.text.families.FAMILIES`. By default the family of the memory's model.
            form: `"responses"` to get the arguments `instructions` and `input` of OpenAI's Responses API.

        Raises:
            MessageError: The question is not a user message.
            OptionError: The family or the form is unknown.
            OverBudgetError: See `messages`.
        """
        given = [self._redactor.message(users_message(question))] if question else []
        asked = [one for one in given if text_of(one).strip()]
        one_of("form", form, *get_args(Api))
        known = self.render.family(family)
        if form == "responses":
            known = by_responses(known)
        query = text_of(asked[0]) if asked else None
        view, _ = await loading.view_to_send(self, query or None)
        shown = self.render.show(view, only_pieces=True)
        said = [one.message for one in shown.pieces if one.kind != "recalled"]
        waiting = [said[place] for place in find_unanswered(said)[:1]]
        # Words without more may stand in the log with a name, or be followed by the work of tools.
        words = query if isinstance(question, str) else None
        is_open = bool(waiting) and (not asked or asked == waiting or words == text_of(waiting[0]))
        ends = [] if is_open else [Piece(one) for one in asked or [STAND_INS["user"]]]
        request = self.render.request(shown, ends, system, known, await self._resolve("max_tokens", max_tokens))
        if await loading.learn_left_out(self, shown.pieces, request.pieces):
            return await self.arequest(question, system=system, max_tokens=max_tokens, family=family, form=form)
        return as_request(request) if form == "responses" else request

    async def aentries(
        self, limit: int | None = None, before: int | None = None, after: int = 0, *, newest_first: bool = False
    ) -> list[Entry]:
        """Return all entries of the log (messages with log numbers and times), or a page of the log, oldest first.

        The result does not depend on the strategy.

        Args:
            limit: The maximum number of entries to return; `None` for all.
            before: Only log numbers below this one.
            after: Only log numbers above this one.
            newest_first: Begin with the newest instead of the oldest.
        """
        return await self.log.page(limit, before=before, after=after, newest_first=newest_first)

    async def ahistory(
        self,
        limit: int | None = None,
        before: int | None = None,
        after: int = 0,
        *,
        newest_first: bool = False,
        usage: bool = False,
    ) -> list[Message]:
        """Return all messages of the log, or a page (see `aentries`), oldest first. The strategy does not matter.

        With `usage`, answers from a `Conversation` also have `model` and `usage` (see `Entry`). Do not send such
        messages: providers refuse the extra fields.
        """
        entries = await self.aentries(limit, before, after, newest_first=newest_first)
        return messages_of(entries, usage=usage)

    async def aforget(self, ids: Sequence[int] | set[int] | None, *, thorough: bool = False) -> Receipt:
        """Delete messages for good, and learn again without them.

        Args:
            ids: Log numbers (see `aentries`), or `None` for the whole conversation. A turn with a forgotten message
                cannot be saved again under its `turn_id`.
            thorough: True to rewrite the store's files, so that no copy is left in the files. Other users of the store
                wait meanwhile. The same as `memzoo forget --thorough`.

        Raises:
            MessageError: A message does not exist; nothing was forgotten.
            ModelError: See `asave_context`. The messages are still forgotten.
        """
        from memzoo.memories.engine import forgetting

        return await forgetting.forget(self, ids, thorough=thorough)

    async def arewind(self, last: int, *, until: int | None = None) -> list[Entry]:
        """Take back all messages after a log number, as if they had never been said.

        The messages are deleted, and the next call learns again without them. Unlike forgotten messages, they may be
        saved again, even under the same `turn_id`.

        Args:
            last: The last log number to keep (see `aentries`); 0 to keep none.
            until: The last log number to take back; `None` for all after `last`.

        Returns:
            The deleted entries, oldest first.

        Raises:
            UnsupportedError: The store cannot delete single messages.
        """
        from memzoo.memories.engine import forgetting

        return await forgetting.rewind(self, last, until=until)

    async def aclear(self) -> None:
        """Start over: delete all messages, everything learnt from them, and the record of forgotten turns.

        The messages come back if a host saves them again. To prevent this, call `forget(None)` instead.
        """
        from memzoo.memories.engine import forgetting

        await forgetting.clear(self)

    async def asettle(self) -> None:
        """Learn now from all waiting messages, even if the model failed a short time ago.

        For the errors, see `asave_context`.
        """
        raising = self.on_model_error == "raise"
        await together([learner.settle(raising=raising) for learner in self.learners])

    async def aset_aside(self) -> list[Entry]:
        """Return the messages that are set aside because a model kept failing on them.

        Views show these messages, but the memory has not learnt from them.
        """
        return await saving.find_set_aside(self)

    async def arelearn(self, *, from_: int | None = None, only_set_aside: bool = False) -> None:
        """Learn everything again from the log; the old state stays in use until the new state is complete.

        Args:
            from_: The log number to start at. Only a state that consists of embeddings can be learnt again in part; any
                other state is learnt again as a whole.
            only_set_aside: Learn only from the set-aside messages, as if they had just been said.

        Raises:
            OptionError: `keep_history` is false, so the log lacks messages; only `only_set_aside` is possible.
            ModelError: The model failed. The old state is unchanged.
        """
        from memzoo.memories.engine.learner import relearn

        await relearn(self, from_=from_, only_set_aside=only_set_aside)

    def turn(
        self,
        user: str | Message | None,
        *,
        after: int | None = None,
        on_failure: "OnFailure" = "keep",
        busy: "Busy" = "wait",
        turn_id: str | None = None,
    ) -> "Turn":
        """Return a turn for `with` or `async with`.

        The end of the block stores all messages of the turn together, and learns from them.

        Args:
            user: The user's words, or a user message (with pictures, say); `None` to answer the last question again:
                the question stays, and its earlier answer is taken back.
            after: A log number: the turn replaces all messages after it. They are taken back (see `arewind`) once the
                turn is stored; if the turn fails, they stay.
            on_failure: If an exception ends the turn, `"keep"` stores the messages so far, and `unfinished_turn`
                returns these messages; `"rollback"` stores nothing. A turn without an answer is unfinished too.
            busy: While another turn of this conversation runs, `"wait"` waits for its end; `"refuse"` raises an error.
            turn_id: The id of the turn, by default a fresh id. A turn with the id of a stored turn is not stored again.

        Raises:
            MessageError: `user` is not a user message.
            OptionError: An option is invalid.
        """
        from memzoo.memories.engine.turns import Turn

        if after is not None:
            options.whole_number("after", after, at_least=0)
            if user is None:
                raise OptionError(
                    f"after={after} needs a new message; without a message, the last question is answered again"
                )
        redact = self._redactor.record
        return Turn(self, user, redact, after=after, on_failure=on_failure, busy=busy, turn_id=turn_id)

    async def aunfinished_turn(self) -> list[Message]:
        """Return the messages of the newest turn if the turn ended without an answer; otherwise an empty list."""
        from memzoo.memories.engine.turns import find_unfinished_turn

        return await find_unfinished_turn(self.log.cached)

    async def aexplain(self, query: str | None = None, *, max_tokens: int | str | None = None) -> Explanation:
        """Return an explanation of the result of `messages`: the search, the tokens and the messages left out.

        Unlike `messages`, this method reads the whole log.

        Args:
            query: The user's next words, as in `messages`.
            max_tokens: The maximum number of tokens, as in `messages`.

        Raises:
            OverBudgetError: See `messages`.
        """
        check_query(query)
        query = query and self._redactor.text(query)
        with watch() as told:
            view, asked = await loading.view_to_send(self, query)
        return await explain_view(
            self, told, view, asked if self.needs_query else None, await self._resolve("max_tokens", max_tokens)
        )

    def clone(self, **changed: Any) -> Self:
        """Return another memory of the same conversation, with some options changed: `memory.clone(k=5)`.

        Args:
            **changed: The changed options. With another `store`, the new memory gets its own vector index.
        """
        return type(self)(**{name: getattr(self, name) for name in options.options_of(type(self))} | changed)

    explain = blocking(aexplain)
    load_memory_variables = blocking(aload_memory_variables)
    save_context = blocking(asave_context)
    add_messages = blocking(aadd_messages)
    messages = blocking(amessages)
    request = blocking(arequest)
    entries = blocking(aentries)
    history = blocking(ahistory)
    forget = blocking(aforget)
    pin = blocking(apin)
    rewind = blocking(arewind)
    clear = blocking(aclear)
    settle = blocking(asettle)
    set_aside = blocking(aset_aside)
    relearn = blocking(arelearn)
    unfinished_turn = blocking(aunfinished_turn)

    def close(self) -> None:
        """Wait until background learning has ended, then close the store for all memories that use it."""
        for learner in self.learners:
            drive(learner.wait())
        self.store.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.conversation_id!r} in {self.store!r}>"

    __setattr__, __reduce__ = options.refuse_assignment, options.reduce_memory
    __copy__ = __deepcopy__ = options.copy_memory

    def _query(self, inputs: Mapping[str, Any] | None) -> str:
        """Return the user's words from the inputs."""
        return self._redactor.text(query_of(inputs or {}, self.input_key, self.memory_variables))

    def _redacted(self, records: Sequence[Record]) -> Sequence[Record]:
        return records if self.redact is None else list(map(self._redactor.record, records))

    def _new_learner(self, cached: CachedLog) -> "Learner":
        from memzoo.memories.engine.learner import Learner, WaitingRules

        limit = getattr(self, "max_token_limit", None)
        rules = WaitingRules(
            self._usual_portion if self.learn_every is None else self.learn_every,
            self._most_pending if self.max_pending_tokens is None else self.max_pending_tokens,
            limit if self._limits_messages and isinstance(limit, int) else None,
            self._shows_waiting,
            self._learns_system,
        )
        return Learner(cached, self._state_name, self, self._retry, rules, lease_seconds=self._lease_seconds)
